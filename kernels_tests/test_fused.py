"""The fused kernels compute the plain network's embeddings and gradients."""

import pytest
import torch
from tools.check_kernels import compare, draw_graphs, draw_samples

from skolem.network.config import NetworkConfig
from skolem.network.gpu import fused
from skolem.network.graphs import Batch, Graphs, collate
from skolem.network.rgnn import RGNN
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation
from skolem.training.fixed_batches import FixedBatch, FixedBatches
from skolem.training.optimisation import assemble

RELATIONS = [Relation("p", 1, False), Relation("q", 2, False), Relation("r", 2, True), Relation("s", 0, False)]


def make_graphs(relations: list[Relation], count: int, means: tuple[float, ...] = (1.0, 4.0, 0.0)) -> Graphs:
    """Random graphs; some relations have no atoms."""
    vocabulary = Vocabulary.of(relations)
    cycle = [means[number % len(means)] for number in range(len(vocabulary.names))]
    return draw_graphs(vocabulary, count, (2, 6), cycle)


def join_all(graphs: Graphs) -> Batch:
    return collate(graphs, torch.arange(len(graphs)))


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_outputs_and_gradients_are_those_of_the_plain_network(residual: bool, dtype: torch.dtype, bound: float) -> None:
    graphs = make_graphs(RELATIONS, 12)
    torch.manual_seed(1)
    config = NetworkConfig(layers=3, residual=residual, readout="goal" if residual else "sum")
    model = RGNN(config, graphs.vocabulary).to(dtype)
    errors = compare(model, join_all(graphs), "ieee")
    assert max(errors.values()) < bound


def test_a_head_gives_the_outputs_and_gradients_of_the_plain_network() -> None:
    samples = draw_samples(make_graphs(RELATIONS, 10), parents=4)
    batch, targets = assemble(samples, samples.costs, torch.arange(6), torch.arange(4))
    model = RGNN(NetworkConfig(layers=2, head=True), samples.graphs.vocabulary).double()
    assert max(compare(model, batch, "ieee", targets.pairs).values()) < 1e-12


def test_relations_with_three_arguments_take_the_plain_path() -> None:
    graphs = make_graphs([*RELATIONS, Relation("t", 3, False), Relation("u", 3, True)], 6, means=(2.0,))
    torch.manual_seed(2)
    model = RGNN(NetworkConfig(layers=2), graphs.vocabulary).double()
    errors = compare(model, join_all(graphs), "ieee")
    assert max(errors.values()) < 1e-12


def test_a_network_of_unary_relations_only_needs_no_other_kernel() -> None:
    graphs = make_graphs([Relation("p", 1, False)], 4, means=(2.0,))
    torch.manual_seed(3)
    model = RGNN(NetworkConfig(layers=2), graphs.vocabulary).double()
    assert max(compare(model, join_all(graphs), "ieee").values()) < 1e-12


def test_large_messages_do_not_overflow() -> None:
    graphs = make_graphs(RELATIONS, 4)
    torch.manual_seed(4)
    model = RGNN(NetworkConfig(layers=2, smoothness=50.0, residual=False), graphs.vocabulary).double()
    with torch.no_grad():
        for weight in model.relation.parameters():
            weight.mul_(30)
    assert max(compare(model, join_all(graphs), "ieee").values()) < 1e-10


def test_without_gradients_the_outputs_are_the_same() -> None:
    batch = join_all(make_graphs(RELATIONS, 5))
    graphs = make_graphs(RELATIONS, 5)
    model = RGNN(NetworkConfig(layers=3), graphs.vocabulary)
    with_gradients = fused.predict(model, batch, "ieee").detach()
    with torch.no_grad():
        assert torch.equal(fused.predict(model, batch, "ieee"), with_gradients)


def test_a_card_gives_the_outputs_and_gradients_of_its_batch() -> None:
    graphs = make_graphs(RELATIONS, 24)
    order = torch.randperm(24, generator=torch.Generator().manual_seed(5))
    batches = FixedBatches(graphs, torch.rand(24), 8)
    batches.shuffle(order)
    model = RGNN(NetworkConfig(layers=2), graphs.vocabulary).double()
    for place in range(len(batches)):
        card = FixedBatch.read(batches.draw(place), batches.format)
        given = model.read(fused.embed(model, card.layout, "ieee"), card.batch)[:-1]
        torch.autograd.backward(given.square().sum())
        gradients = [weight.grad for weight in model.parameters()]
        model.zero_grad()
        wanted = model(collate(graphs, order[place * 8 : place * 8 + 8]))
        torch.autograd.backward(wanted.square().sum())
        torch.testing.assert_close(given, wanted)
        torch.testing.assert_close(gradients, [weight.grad for weight in model.parameters()])
        model.zero_grad()
