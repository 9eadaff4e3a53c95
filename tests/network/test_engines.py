"""The engines compute what the reference network defines, on any shape of network and any graphs."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.random_networks import CASES, Case, make_case

from skolem.network.config import NetworkConfig
from skolem.network.encoding import EncodedGraphs
from skolem.network.engine import native_engine
from skolem.network.engine.choice import build_engine, choose_engine, describe_engine
from skolem.network.engine.native_engine import NativeEngine, load_library
from skolem.network.engine.numpy_engine import NumpyEngine
from skolem.network.engine.protocol import Choices, Engine
from skolem.network.engine.torch_engine import TorchEngine
from skolem.network.graphs import Graphs, collate
from skolem.network.model_folder import Weights
from skolem.network.rgnn import BindingPairs
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import InputError, UnsupportedError

Make = Callable[[NetworkConfig, Vocabulary, Weights], Engine]
NATIVE: dict[str, Make] = {
    name: partial(NativeEngine, variant=number) for number, name in enumerate(native_engine.VARIANTS)
}
ENGINES: dict[str, Make] = {**NATIVE, "NumPy": NumpyEngine, "PyTorch": TorchEngine.of}
ENGINE = pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)
COMPILED = pytest.mark.parametrize("make", [*NATIVE.values(), NumpyEngine], ids=[*NATIVE, "NumPy"])


def compute_reference(case: Case) -> tuple[list[float], list[float]]:
    """Costs and ratings by the plain path of the reference, in double precision."""
    model = TorchEngine.of(case.config, case.vocabulary, case.weights).model.double()
    graphs = Graphs.pack(case.vocabulary, *(torch.from_numpy(array) for array in case.part))
    batch = collate(graphs, torch.arange(len(graphs)))
    chosen = torch.from_numpy(case.choices.graphs)
    start = batch.start[chosen]
    nodes = [torch.from_numpy(column) + start for column in (case.choices.variables, case.choices.objects)]
    with torch.inference_mode():
        f = model.embed(batch)
        ratings = (
            model.rate_pairs(f, batch, BindingPairs(nodes[0], nodes[1], chosen)).tolist() if case.config.head else []
        )
        return model.read(f, batch).tolist(), ratings


def test_the_native_engine_was_built() -> None:
    assert load_library() is not None


@ENGINE
@settings(max_examples=60, deadline=None)
@given(case=CASES)
def test_costs_and_ratings_are_those_of_the_reference(make: Make, case: Case) -> None:
    costs, ratings = compute_reference(case)
    engine = make(case.config, case.vocabulary, case.weights)
    assert engine.predict([case.part]) == pytest.approx(costs, rel=1e-3, abs=1e-3)
    if case.config.head:
        assert engine.rate([case.part], case.choices) == pytest.approx(ratings, rel=1e-3, abs=1e-3)


@settings(max_examples=30, deadline=None)
@given(case=CASES, threads=st.integers(2, 5))
def test_threads_and_company_change_no_bit(case: Case, threads: int) -> None:
    case = replace(case, part=repeat_part(case.part, 40))
    one = NativeEngine(case.config, case.vocabulary, case.weights, 1)
    several = NativeEngine(case.config, case.vocabulary, case.weights, threads)
    together = one.predict([case.part])
    assert several.predict([case.part]) == together
    assert several.predict([case.part, case.part]) == together * 2
    graphs = len(case.part[0]) // 40
    assert together == together[:graphs] * 40


def test_many_graphs_are_evaluated_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(7)
    engine = NativeEngine(case.config, case.vocabulary, case.weights)
    part = repeat_part(case.part, 30)
    whole = engine.predict([part])
    monkeypatch.setattr(native_engine, "MOST_ARGS", len(case.part[2]))
    assert engine.predict([part]) == whole
    for damage in (cut_args, cut_goal, count_below_zero, count_beyond_the_end, name_no_node, add_lonely_node):
        with pytest.raises(ValueError, match=r"graphs|node"):
            engine.predict([damage(part)])


def repeat_part(part: EncodedGraphs, times: int) -> EncodedGraphs:
    nodes, counts, args, goal = part
    return np.tile(nodes, times), np.tile(counts, (times, 1)), np.tile(args, times), np.tile(goal, times)


@COMPILED
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_costs_do_not_depend_on_the_order_of_nodes(make: Make, seed: int) -> None:
    case = make_case(seed, graphs=1)
    nodes, counts, args, goal = case.part
    renamed = np.random.default_rng(seed).permutation(int(nodes[0]))
    other = np.empty_like(goal)
    other[renamed] = goal
    engine = make(case.config, case.vocabulary, case.weights)
    moved = engine.predict([(nodes, counts, renamed[args].astype(args.dtype), other)])
    # The readout alone adds the embeddings in another order.
    assert moved == pytest.approx(engine.predict([case.part]), rel=1e-5, abs=1e-5)


@COMPILED
def test_no_graphs_have_no_costs(make: Make) -> None:
    case = make_case(1, head=True)
    engine = make(case.config, case.vocabulary, case.weights)
    nodes, counts, args, goal = case.part
    none = np.zeros(0, dtype=np.int64)
    assert engine.predict([]) == engine.rate([], Choices(none, none, none)) == []
    assert engine.predict([(nodes[:0], counts[:0], args[:0], goal[:0])]) == []
    assert engine.rate([case.part], Choices(none, none, none)) == []


def cut_args(part: EncodedGraphs) -> EncodedGraphs:
    return part[0], part[1], part[2][:-1], part[3]


def cut_goal(part: EncodedGraphs) -> EncodedGraphs:
    return part[0], part[1], part[2], part[3][:-1]


def cut_relations(part: EncodedGraphs) -> EncodedGraphs:
    return part[0], part[1][:, :-1], part[2], part[3]


def count_below_zero(part: EncodedGraphs) -> EncodedGraphs:
    counts = part[1].copy()
    counts[0, 0] = -1
    return part[0], counts, part[2], part[3]


def count_beyond_the_end(part: EncodedGraphs) -> EncodedGraphs:
    counts = part[1].astype(np.int32)
    counts[-1] = 2**31 - 1
    return part[0], counts, part[2], part[3]


def name_no_node(part: EncodedGraphs) -> EncodedGraphs:
    args = part[2].astype(np.int32)
    args[-1] = part[0].max()
    return part[0], part[1], args, part[3]


def name_below_zero(part: EncodedGraphs) -> EncodedGraphs:
    args = part[2].astype(np.int32)
    args[0] = -1
    return part[0], part[1], args, part[3]


def name_beyond_32_bits(part: EncodedGraphs) -> EncodedGraphs:
    args = part[2].astype(np.int64)
    args[0] += 2**32
    return part[0], part[1], args, part[3]


def add_lonely_node(part: EncodedGraphs) -> EncodedGraphs:
    nodes = part[0].copy()
    nodes[-1] += 1
    return nodes, part[1], part[2], np.append(part[3], True)


@COMPILED
@pytest.mark.parametrize(
    "damage",
    [
        cut_args,
        cut_goal,
        cut_relations,
        count_below_zero,
        count_beyond_the_end,
        name_no_node,
        name_below_zero,
        name_beyond_32_bits,
        add_lonely_node,
    ],
)
def test_arrays_that_are_no_graphs_are_refused(make: Make, damage: Callable[[EncodedGraphs], EncodedGraphs]) -> None:
    case = make_case(2)
    engine = make(case.config, case.vocabulary, case.weights)
    with pytest.raises(ValueError, match=r"graphs|node|32 bits"):
        engine.predict([damage(case.part)])


@COMPILED
@pytest.mark.parametrize("column", ["graphs", "variables", "objects"])
@pytest.mark.parametrize("number", [-1, 1000])
def test_choices_outside_their_graphs_are_refused(make: Make, column: str, number: int) -> None:
    case = make_case(3, head=True)
    changed = getattr(case.choices, column).copy()
    changed[-1] = number
    engine = make(case.config, case.vocabulary, case.weights)
    with pytest.raises(ValueError, match="choices"):
        engine.rate([case.part], replace(case.choices, **{column: changed}))


@ENGINE
def test_symmetric_nodes_with_many_messages_agree(make: Make) -> None:
    case = make_case(4, width=16, objects=300, graphs=2)
    costs, _ = compute_reference(case)
    assert make(case.config, case.vocabulary, case.weights).predict([case.part]) == pytest.approx(costs, abs=1e-3)


@pytest.mark.parametrize(
    ("asked", "kind"), [("native", NativeEngine), ("numpy", NumpyEngine), ("torch", TorchEngine), ("", NativeEngine)]
)
def test_an_engine_can_be_asked_for(asked: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKOLEM_ENGINE", asked)
    monkeypatch.setenv("SKOLEM_THREADS", "2")
    case = make_case(5)
    engine = build_engine(choose_engine(), case.config, case.vocabulary, case.weights)
    assert isinstance(engine, kind)
    assert engine.description == describe_engine()
    if kind is NativeEngine:
        assert describe_engine().endswith("2 threads")


def test_an_engine_that_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKOLEM_ENGINE", "fast")
    with pytest.raises(InputError, match="SKOLEM_ENGINE=fast: expected native, numpy or torch"):
        choose_engine()
    monkeypatch.delenv("SKOLEM_ENGINE")
    monkeypatch.setenv("SKOLEM_THREADS", "none")
    with pytest.raises(InputError, match="SKOLEM_THREADS=none"):
        describe_engine()


def test_without_a_compiler_numpy_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKOLEM_ENGINE", raising=False)
    monkeypatch.setattr("skolem.network.engine.choice.load_library", lambda: None)
    assert describe_engine() == "NumPy"
    monkeypatch.setenv("SKOLEM_ENGINE", "native")
    with pytest.raises(InputError, match="it was not built"):
        choose_engine()


@ENGINE
def test_costs_that_are_no_numbers_are_an_error(make: Make) -> None:
    case = make_case(6, head=True)
    weights = {name: np.full_like(value, 1e30) for name, value in case.weights.items()}
    engine = make(case.config, case.vocabulary, weights)
    with pytest.raises(InputError, match="not finite: its weights are too large"):
        engine.predict([case.part])


def test_random_embeddings_are_drawn_alike_by_all_engines_that_know_them() -> None:
    case = make_case(7, width=6, head=True)
    config = replace(case.config, embeddings="half-random")
    engines = [make(config, case.vocabulary, case.weights) for make in (NumpyEngine, TorchEngine.of)]
    costs, again = (engine.predict([case.part, case.part]) for engine in engines)
    assert costs == pytest.approx(again, rel=1e-3, abs=1e-3)
    assert engines[0].predict([case.part, case.part]) == costs
    # Every graph of a call has its own draw.
    half = len(costs) // 2
    assert costs[:half] != costs[half:]
    ratings, others = (engine.rate([case.part], case.choices) for engine in engines)
    assert ratings == pytest.approx(others, rel=1e-3, abs=1e-3)


def test_the_native_engine_leaves_random_embeddings_to_numpy() -> None:
    case = make_case(8)
    config = replace(case.config, embeddings="half-random")
    assert build_engine("native", config, case.vocabulary, case.weights).description == "NumPy"
    with pytest.raises(UnsupportedError, match="SKOLEM_ENGINE=numpy"):
        NativeEngine(config, case.vocabulary, case.weights)
