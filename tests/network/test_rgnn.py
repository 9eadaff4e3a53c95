"""The network: what it must not depend on, its derivative, and the same function elsewhere."""

from random import Random
from typing import Any

import numpy as np
import pymimir_rgnn
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.worlds import ATTRIBUTES, RELATIONS, encode, make_goal, make_state

from skolem.network.config import PAPER, PAPER_CODE, SKOLEM, NetworkConfig
from skolem.network.graphs import Batch, Graphs, collate
from skolem.network.rgnn import RGNN, maximise_smoothly
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import InputError
from skolem.task.query import Query, Relations

VOCABULARY = Vocabulary.of(RELATIONS, attributes=ATTRIBUTES)
SMALL = NetworkConfig(layers=3, width=4)


def make_model(config: NetworkConfig, seed: int = 0) -> RGNN:
    torch.manual_seed(seed)
    return RGNN(config, VOCABULARY)


def make_case(seed: int, objects: int = 4) -> tuple[Relations, list[Query]]:
    """A state, and a goal with all bindings of its variables."""
    rng = Random(seed)
    query = make_goal(rng, objects, rng.randint(1, 3))
    bound = [query.bind(v, o) for v in range(query.variables) for o in range(objects)]
    return make_state(rng, objects), [query, *bound]


def encode_case(seed: int, config: NetworkConfig = SMALL, objects: int = 4) -> Graphs:
    state, queries = make_case(seed, objects)
    return encode(VOCABULARY, state, objects, queries, config.bindings)


def take_all(graphs: Graphs) -> Batch:
    return collate(graphs, torch.arange(len(graphs)))


@pytest.mark.parametrize("config", [SMALL, NetworkConfig(3, 4, readout="sum", residual=False, bindings="all")])
@given(seed=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_costs_do_not_depend_on_the_numbers_of_objects_and_variables(config: NetworkConfig, seed: int) -> None:
    state, queries = make_case(seed)
    query = queries[0]
    new = np.random.default_rng(seed).permutation(4).astype(np.int32)
    other = np.random.default_rng(seed + 1).permutation(query.variables)

    def rename(argument: int) -> int:
        return int(new[argument]) if argument >= 0 else ~int(other[~argument])

    renamed = Query(
        query.variables,
        tuple((name, tuple(map(rename, args))) for name, args in reversed(query.atoms)),
        unequal=tuple((rename(b), rename(a)) for a, b in query.unequal),
        denied=tuple((name, tuple(map(rename, args))) for name, args in reversed(query.denied)),
    )
    moved = {name: new[rows][::-1] for name, rows in state.items()}
    model = make_model(config).double()
    before = model(take_all(encode(VOCABULARY, state, 4, [query], config.bindings)))
    after = model(take_all(encode(VOCABULARY, moved, 4, [renamed], config.bindings)))
    torch.testing.assert_close(before, after)


def test_a_graph_has_the_same_cost_alone_and_among_others() -> None:
    graphs = encode_case(5)
    model = make_model(SMALL).double()
    alone = torch.cat([model(collate(graphs, torch.tensor([i]))) for i in range(len(graphs))])
    torch.testing.assert_close(model(take_all(graphs)), alone)
    order = torch.randperm(len(graphs), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(model(collate(graphs, order)), alone[order])


@pytest.mark.parametrize("residual", [True, False])
def test_the_gradient_is_the_slope(residual: bool) -> None:
    model = make_model(NetworkConfig(layers=2, width=3, residual=residual)).double()
    batch = collate(encode_case(7, objects=3), torch.tensor([0, 1, 2]))
    names = list(dict(model.named_parameters()))

    def run(*values: torch.Tensor) -> torch.Tensor:
        costs: torch.Tensor = torch.func.functional_call(model, dict(zip(names, values, strict=True)), (batch,))
        return costs

    assert torch.autograd.gradcheck(run, tuple(model.parameters()), fast_mode=True)


def test_the_smooth_maximum_is_stable_and_near_the_maximum() -> None:
    batch = take_all(encode_case(3))
    messages = torch.randn(len(batch.targets), 2, dtype=torch.float64) * 1e4
    smooth = maximise_smoothly(messages, batch, 12.0)
    for node in range(batch.nodes):
        mine = messages[batch.targets == node]
        torch.testing.assert_close(smooth[node], torch.logsumexp(12 * mine, 0) / 12)
        assert bool((smooth[node] >= mine.max(0).values).all())


class PlainMessages(pymimir_rgnn.MessageFunction):  # type: ignore[misc]
    """The package's messages without the residual that it adds to them."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, f: torch.Tensor, relations: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        messages, targets = self.inner(f, relations)
        return messages - f[targets], targets


class Relational(pymimir_rgnn.Encoder):  # type: ignore[misc]
    """Tells the package our relations: its own encoders split satisfied goal atoms from others."""

    def get_relations(self, domain: object) -> list[tuple[str, int]]:
        return [(f"r{i}", arity) for i, arity in enumerate(VOCABULARY.arities)]

    def encode(self, *arguments: object) -> None:
        raise NotImplementedError


def copy_weights(ours: Any, number: int, theirs: Any, halves_swapped: bool = False) -> None:
    """Gives one of their networks the weights of one of ours."""
    weight = ours.inner_weight[number]
    if halves_swapped:
        weight = weight.roll(len(weight) // 2, dims=0)
    theirs._inner.weight.copy_(weight.T)
    theirs._inner.bias.copy_(ours.inner_bias[number])
    theirs._outer.weight.copy_(ours.outer_weight[number].T)
    theirs._outer.bias.copy_(ours.outer_bias[number])


@pytest.mark.parametrize("config", [PAPER, NetworkConfig(layers=5, width=8, readout="sum")])
def test_the_package_pymimir_rgnn_computes_the_same(config: NetworkConfig) -> None:
    model = make_model(config)
    batch = take_all(encode_case(11, config))
    parameters = pymimir_rgnn.HyperparameterConfig(
        domain=None,
        embedding_size=config.width,
        num_layers=config.layers,
        normalize_updates=False,
        residual_updates=config.residual,
    )
    messages = pymimir_rgnn.PredicateMLPMessages(parameters, (Relational(),))
    update = pymimir_rgnn.MLPUpdates(parameters)
    readout = pymimir_rgnn.SumReadout(config.width, 1)
    with torch.no_grad():
        for arity, numbers in VOCABULARY.by_arity.items():
            for place, number in enumerate(numbers):
                copy_weights(model.relation[str(arity)], place, messages._relation_mlps[f"r{number}"])
        copy_weights(model.update, 0, update._update, halves_swapped=True)  # It reads [m, f], not [f, m].
        copy_weights(model.readout, 0, readout._value)
    aggregation = pymimir_rgnn.SmoothMaximumAggregation()
    modules = pymimir_rgnn.ModuleConfig(aggregation, PlainMessages(messages), update)
    stack = pymimir_rgnn.model.RelationalLayerStackModule(parameters, modules)
    encoded = pymimir_rgnn.bases.EncodedTensors()
    encoded.node_sizes = torch.bincount(batch.graph)
    for arity, numbers in VOCABULARY.by_arity.items():
        parts = batch.atoms[arity].tensor_split(torch.tensor(batch.sizes[arity]).cumsum(0)[:-1])
        encoded.flattened_relations |= {f"r{n}": part.reshape(-1) for n, part in zip(numbers, parts, strict=True)}
    f = stack(encoded)
    torch.testing.assert_close(f, model.embed(batch), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(readout(f, encoded.node_sizes).squeeze(1), model(batch), rtol=1e-4, atol=1e-3)


def test_presets_are_the_paper_and_what_was_measured() -> None:
    assert NetworkConfig(30, 32, 12.0, readout="sum", residual=False, bindings="all", attributes="predicates") == PAPER
    assert NetworkConfig(30, 32, 12.0, readout="goal", residual=True, bindings="static", marks=True) == SKOLEM
    code = {"smoothness": 8.0, "inequalities": "facts", "embeddings": "half-random"}
    assert {**vars(PAPER), **code} == vars(PAPER_CODE)


def test_settings_that_older_models_lack_are_told_where_they_are_not_as_usual() -> None:
    assert PAPER.describe().keys() == SKOLEM.describe().keys()
    assert PAPER_CODE.describe().keys() - PAPER.describe().keys() == {"inequalities", "embeddings"}


def test_a_random_half_is_drawn_anew_in_training() -> None:
    model = make_model(NetworkConfig(layers=2, width=5, embeddings="half-random"))
    first, second = model.begin(50), model.begin(50)
    assert not first[:, :3].any()
    assert not torch.equal(first, second)
    assert float(first[:, 3:].std()) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"layers": 0},
        {"width": 0},
        {"smoothness": 0.0},
        {"readout": "mean"},
        {"bindings": "some"},
        {"attributes": "some"},
        {"inequalities": "some"},
        {"embeddings": "one"},
    ],
)
def test_a_wrong_configuration_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        NetworkConfig(**wrong)
