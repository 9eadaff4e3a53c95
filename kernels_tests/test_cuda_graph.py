"""Steps on cards are the steps of the plain optimisation; only the CUDA graph itself needs a GPU."""

import copy

import pytest
import torch
from kernels_tests.test_fused import RELATIONS, make_graphs
from tools.check_kernels import compare_steps, draw_samples

from skolem.network.config import NetworkConfig
from skolem.network.graphs import collate
from skolem.network.rgnn import RGNN
from skolem.training.cuda_graph import GraphedOptimisation
from skolem.training.fixed_batches import FixedBatches
from skolem.training.optimisation import Optimisation, Targets, assemble
from skolem.training.recipe import Recipe


@pytest.fixture(autouse=True)
def without_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphedOptimisation, "_run_aside", GraphedOptimisation._run_step)
    monkeypatch.setattr("skolem.training.cuda_graph._WARM_STEPS", 100)


def test_steps_are_those_of_the_plain_optimisation_also_after_restoring() -> None:
    graphs = make_graphs(RELATIONS, 12)
    costs = 10 * torch.rand(12)
    batches = FixedBatches(graphs, costs, 4)
    batches.shuffle(torch.arange(12))
    model = RGNN(NetworkConfig(layers=2), graphs.vocabulary)
    plain_model = RGNN(NetworkConfig(layers=2), graphs.vocabulary)
    plain_model.load_state_dict(model.state_dict())
    replayed = GraphedOptimisation(model, Recipe(), batches, "ieee")
    plain = Optimisation(plain_model, Recipe())
    for step, rate in enumerate((1e-3, 3e-3, 2e-3, 1e-3)):
        index = torch.arange(4) + 4 * (step % 3)
        wanted = plain.step(collate(graphs, index), Targets(costs[index], index), rate)
        torch.testing.assert_close(replayed.play(step % 3, rate), wanted)
        if step == 1:
            replayed.restore(replayed.export())
    torch.testing.assert_close(dict(model.state_dict()), dict(plain_model.state_dict()), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(replayed.average, plain.average, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("parents", [0, 6])
def test_losses_and_gradients_of_steps_are_those_of_the_plain_network(parents: int) -> None:
    samples = draw_samples(make_graphs(RELATIONS, 16 + parents), parents)
    torch.manual_seed(1)
    model = RGNN(NetworkConfig(layers=2, head=bool(parents)), samples.graphs.vocabulary)
    assert max(compare_steps(model, samples, 8, "ieee", 3).values()) < 1e-4


def test_steps_with_a_head_are_those_of_the_plain_optimisation() -> None:
    samples = draw_samples(make_graphs(RELATIONS, 18), parents=6)
    model = RGNN(NetworkConfig(layers=2, head=True), samples.graphs.vocabulary)
    plain = Optimisation(copy.deepcopy(model), Recipe())
    batches = FixedBatches(samples.graphs, samples.costs, 4, samples.parents)
    order, drawn = torch.randperm(12), torch.randint(6, (3, 2))
    batches.shuffle(order, drawn)
    replayed = GraphedOptimisation(model, Recipe(), batches, "ieee")
    for place in range(3):
        batch, targets = assemble(samples, samples.costs, order[place * 4 : place * 4 + 4], drawn[place])
        torch.testing.assert_close(replayed.play(place, 1e-3), plain.step(batch, targets, 1e-3))
    torch.testing.assert_close(dict(model.state_dict()), dict(plain.model.state_dict()), atol=1e-5, rtol=1e-4)


def test_only_training_on_a_gpu_is_replayed() -> None:
    graphs = make_graphs(RELATIONS, 2)
    assert not GraphedOptimisation.suits(RGNN(NetworkConfig(), graphs.vocabulary), graphs, Recipe())
