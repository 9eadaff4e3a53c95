"""The embeddings by the compiled code and their derivative are those that the reference network defines."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.random_networks import CASES, Case, make_case

from skolem.network.engine.native_engine import VARIANTS
from skolem.network.engine.native_training import NativeEmbedder
from skolem.network.engine.torch_engine import TorchEngine
from skolem.network.graphs import Batch, Graphs, collate
from skolem.network.rgnn import RGNN

Tensor = torch.Tensor


def make_model(case: Case) -> RGNN:
    return TorchEngine.of(case.config, case.vocabulary, case.weights).model


def make_batch(case: Case, times: int = 1) -> Batch:
    graphs = Graphs.of(case.vocabulary, [case.part])
    return collate(graphs, torch.arange(len(graphs)).repeat(times))


def draw_like(f: Tensor) -> Tensor:
    """What the embeddings weigh in a made-up loss."""
    return torch.randn(f.shape, generator=torch.Generator().manual_seed(0)).to(f.dtype)


def differentiate(model: RGNN, f: Tensor) -> dict[str, Tensor]:
    """The gradient of every weight that embeddings depend on; zeros where they do not."""
    weights = {name: w for name, w in model.named_parameters() if name.startswith(("relation.", "update."))}
    gradients = torch.autograd.grad((f * draw_like(f)).sum(), list(weights.values()), materialize_grads=True)
    return dict(zip(weights, gradients, strict=True))


def assert_close(found: Tensor, expected: Tensor, share: float, least: float = 0.0) -> None:
    size = expected.abs().max().item()
    assert (found - expected).abs().max().item() <= share * size + least


@pytest.mark.parametrize("variant", range(len(VARIANTS)), ids=VARIANTS)
@settings(max_examples=60, deadline=None)
@given(case=CASES)
def test_embeddings_and_gradients_are_those_of_the_reference(variant: int, case: Case) -> None:
    model, exact, batch = make_model(case), make_model(case).double(), make_batch(case)
    f, expected = NativeEmbedder(variant=variant)(model, batch), exact.embed(batch)
    assert_close(f, expected, 1e-4)
    wanted = differentiate(exact, expected)
    largest = max(gradient.abs().max().item() for gradient in wanted.values())
    for name, gradient in differentiate(model, f).items():
        # Where a gradient is next to nothing beside the others, so is its error.
        assert_close(gradient, wanted[name], 1e-4, 1e-6 * largest)


def test_errors_are_those_of_single_precision() -> None:
    case = make_case(0, width=32, graphs=8)
    case = replace(case, config=replace(case.config, layers=12, smoothness=12.0, residual=True))
    exact, batch = make_model(case).double(), make_batch(case, 20)
    wanted = differentiate(exact, exact.embed(batch))
    model = make_model(case)
    assert_close(NativeEmbedder()(model, batch), exact.embed(batch), 1e-5)
    for name, gradient in differentiate(model, NativeEmbedder()(model, batch)).items():
        assert_close(gradient, wanted[name], 1e-5)


@settings(max_examples=20, deadline=None)
@given(case=CASES, threads=st.integers(2, 5))
def test_threads_change_no_bit(case: Case, threads: int) -> None:
    batch, results = make_batch(case, 60), []
    for count in (1, threads):
        model = make_model(case)
        f = NativeEmbedder(count)(model, batch)
        results.append({"embeddings": f.detach(), **differentiate(model, f)})
    assert_equal(*results)


def assert_equal(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> None:
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items())


def test_no_graphs_have_no_gradients() -> None:
    case = make_case(1)
    model, graphs = make_model(case), Graphs.of(case.vocabulary, [case.part])
    f = NativeEmbedder()(model, collate(graphs, torch.arange(0)))
    assert f.shape == (0, case.config.width)
    assert not any(gradient.any() for gradient in differentiate(model, f).values())


def name_no_node(batch: Batch) -> Batch:
    return replace(batch, atoms={arity: rows + batch.nodes for arity, rows in batch.atoms.items()})


def name_below_zero(batch: Batch) -> Batch:
    return replace(batch, atoms={arity: rows - batch.nodes for arity, rows in batch.atoms.items()})


def count_too_many(batch: Batch) -> Batch:
    return replace(batch, sizes={arity: tuple(2**40 + n for n in sizes) for arity, sizes in batch.sizes.items()})


def count_below_zero(batch: Batch) -> Batch:
    return replace(batch, sizes={arity: tuple(-n for n in sizes) for arity, sizes in batch.sizes.items()})


def join_graphs(batch: Batch) -> Batch:
    return replace(batch, atoms={arity: rows.flip(0) for arity, rows in batch.atoms.items()})


def mix_graphs(batch: Batch) -> Batch:
    return replace(batch, graph=batch.graph.flip(0))


def add_lonely_node(batch: Batch) -> Batch:
    return replace(batch, graph=torch.cat([batch.graph, batch.graph[-1:]]))


@pytest.mark.parametrize(
    "damage",
    [name_no_node, name_below_zero, count_too_many, count_below_zero, join_graphs, mix_graphs, add_lonely_node],
)
def test_batches_that_are_none_are_refused(damage: Callable[[Batch], Batch]) -> None:
    case = make_case(2, graphs=4)
    with pytest.raises(ValueError, match=r"graphs|node"):
        NativeEmbedder()(make_model(case), damage(make_batch(case, 500)))
