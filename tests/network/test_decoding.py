"""The greedy policy against a search over all bindings, with exact costs in place of a network."""

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.worlds import RELATIONS, count_cost, find_cost, make_goal, make_state

from skolem.network.decoding import Problem, decode_greedily
from skolem.network.encoding import Part, StateEncoder
from skolem.network.vocabulary import Vocabulary
from skolem.task.query import Query, Relations
from skolem.task.structure import prepare

VOCABULARY = Vocabulary.of(RELATIONS)


class Noting(StateEncoder):
    """Encodes as always and notes for which goals."""

    def __init__(self, state: Relations, objects: int) -> None:
        super().__init__(VOCABULARY, state, prepare(VOCABULARY.select_statics(state), objects), "static")
        self.state = state
        self.seen: list[Query] = []

    def encode(self, queries: Sequence[Query]) -> Part:
        self.seen = list(queries)
        return super().encode(queries)


def make_case(seed: int, objects: int) -> tuple[Noting, Query]:
    rng = Random(seed)
    return Noting(make_state(rng, objects), objects), make_goal(rng, objects, rng.randint(1, 3))


@pytest.mark.parametrize("in_order", [False, True])
@given(seed=st.integers(0, 10_000), candidates=st.sampled_from(["all", "static"]))
@settings(max_examples=20, deadline=None)
def test_with_exact_costs_the_policy_finds_a_cheapest_binding(
    in_order: bool, seed: int, candidates: Literal["all", "static"]
) -> None:
    cases = [make_case(seed + i, 3 + i) for i in range(3)]

    def score(parts: Sequence[Part]) -> list[float]:
        """The exact cost of every goal that was encoded just now."""
        fresh = [encoder for encoder, _ in cases if encoder.seen]
        assert [len(part[0]) for part in parts] == [len(encoder.seen) for encoder in fresh]
        costs = [find_cost(encoder.state, encoder.objects, query) for encoder in fresh for query in encoder.seen]
        for encoder in fresh:
            encoder.seen = []
        return [99.0 if cost is None else float(cost) for cost in costs]

    bindings = decode_greedily([Problem(*case) for case in cases], score, candidates, in_order)
    for (encoder, query), binding in zip(cases, bindings, strict=True):
        every = product(range(encoder.objects), repeat=query.variables)
        costs = [count_cost(encoder.state, query, b) for b in every]
        best = min((c for c in costs if c is not None), default=None)
        if best is None and candidates == "static":
            assert binding is None
        else:
            assert binding is not None
            assert count_cost(encoder.state, query, binding) == best


def test_the_fixed_order_compares_one_variable_at_a_time() -> None:
    encoder, _ = make_case(3, 4)
    both = [Problem(encoder, Query(2, (("clear", (~0,)), ("clear", (~1,)))))]
    sizes = []

    def score(parts: Sequence[Part]) -> list[float]:
        sizes.append(sum(len(part[0]) for part in parts))
        return [0.0] * sizes[-1]

    assert decode_greedily(both, score, "all", in_order=True) == [(0, 0)]
    assert decode_greedily(both, score, "all") == [(0, 0)]
    assert sizes == [4, 4, 8, 4]
