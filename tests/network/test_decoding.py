"""The greedy policy against a search over all bindings, with exact costs in place of a network."""

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.worlds import ATTRIBUTES, RELATIONS, count_cost, find_cost, make_goal, make_state

from skolem.network.decoding import Decision, Problem, decode_greedily
from skolem.network.encoding import StateEncoder
from skolem.network.vocabulary import Vocabulary
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import Query, Relations

VOCABULARY = Vocabulary.of(RELATIONS, attributes=ATTRIBUTES)


def make_case(seed: int, objects: int) -> tuple[Relations, Problem]:
    """A state, and a goal over it."""
    rng = Random(seed)
    state = make_state(rng, objects)
    encoder = StateEncoder(VOCABULARY, state, index_relations(VOCABULARY.select_statics(state), objects), "static")
    return state, Problem(encoder, make_goal(rng, objects, rng.randint(1, 3)))


@pytest.mark.parametrize("in_order", [False, True])
@given(seed=st.integers(0, 10_000), candidates=st.sampled_from(["all", "static"]))
@settings(max_examples=20, deadline=None)
def test_with_exact_costs_the_policy_finds_a_cheapest_binding(
    in_order: bool, seed: int, candidates: Literal["all", "static"]
) -> None:
    cases = [make_case(seed + i, 3 + i) for i in range(3)]
    states = {id(problem): state for state, problem in cases}

    def score(steps: Sequence[Decision]) -> list[list[float]]:
        """The exact cost after every choice."""
        costs = []
        for step in steps:
            bound = [step.query.bind(*choice) for choice in step.choices]
            found = [find_cost(states[id(step.problem)], step.problem.encoder.objects, query) for query in bound]
            costs.append([99.0 if cost is None else float(cost) for cost in found])
        return costs

    bindings = decode_greedily([problem for _, problem in cases], score, candidates, in_order)
    for (state, problem), binding in zip(cases, bindings, strict=True):
        every = product(range(problem.encoder.objects), repeat=problem.query.variables)
        costs = [count_cost(state, problem.query, b) for b in every]
        best = min((c for c in costs if c is not None), default=None)
        if best is None and candidates == "static":
            assert binding is None
        else:
            assert binding is not None
            assert count_cost(state, problem.query, binding) == best


def test_the_fixed_order_compares_one_variable_at_a_time() -> None:
    _, problem = make_case(3, 4)
    both = [Problem(problem.encoder, Query(2, (("clear", (~0,)), ("clear", (~1,)))))]
    sizes = []

    def score(steps: Sequence[Decision]) -> list[list[float]]:
        sizes.append(sum(len(step.choices) for step in steps))
        return [[0.0] * len(step.choices) for step in steps]

    assert decode_greedily(both, score, "all", in_order=True) == [(0, 0)]
    assert decode_greedily(both, score, "all") == [(0, 0)]
    assert sizes == [4, 4, 8, 4]


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_noise_does_not_change_what_is_bound(seed: int) -> None:
    _, problem = make_case(seed, 4)
    rng = Random(seed)

    def count(steps: Sequence[Decision]) -> list[list[float]]:
        return [[float(sum(choice) % 3) for choice in step.choices] for step in steps]

    def count_roughly(steps: Sequence[Decision]) -> list[list[float]]:
        return [[cost + rng.uniform(-4e-4, 4e-4) for cost in costs] for costs in count(steps)]

    assert decode_greedily([problem], count_roughly) == decode_greedily([problem], count)
