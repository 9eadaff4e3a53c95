"""A dataset as samples, and the order in which training takes them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tests.network.worlds import ATTRIBUTES, RELATIONS, encode

from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import ShardReader, read_dataset
from skolem.training import samples as samples_module
from skolem.training.samples import add_parents, arrange, encode_pairs, measure_errors

VOCABULARY = Vocabulary.of(RELATIONS, attributes=ATTRIBUTES)


def test_pairs_are_encoded_like_the_goals_they_stand_for(make_dataset: Callable[..., Path]) -> None:
    reader = read_dataset(make_dataset(6)).load("train")
    samples = encode_pairs(reader, VOCABULARY, "static")
    shard, number = reader.shard, 0
    for node in range(len(shard.node_goal)):
        state = int(shard.node_state[node])
        relations = {**reader.statics(int(shard.state_task[state])), **reader.fluents(state)}
        for pair in (shard.pair_node == node).nonzero()[0]:
            variable, obj = int(shard.pair_variable[pair]), int(shard.pair_object[pair])
            query = reader.node(node) if variable < 0 else reader.node(node).bind(variable, obj)
            alone = encode(VOCABULARY, relations, 4, [query], "static")
            start = int(samples.graphs.arg_start[number])
            assert torch.equal(samples.graphs.counts[number], alone.counts[0])
            assert torch.equal(samples.graphs.args[start : start + len(alone.args)], alone.args)
            assert int(samples.groups[number]) == (-1 if variable < 0 else node)
            assert bool(samples.reachable[number]) == bool(shard.pair_reachable[pair])
            number += 1
    assert number == len(samples)


def test_parents_are_the_goals_before_their_bindings(make_dataset: Callable[..., Path]) -> None:
    reader = read_dataset(make_dataset(6)).load("train")
    samples = add_parents(encode_pairs(reader, VOCABULARY, "static"), reader, VOCABULARY, "static")
    parents, shard = samples.parents, reader.shard
    assert parents is not None
    assert len(samples.graphs) == len(samples) + len(parents)
    nodes = samples.groups[samples.groups >= 0].unique().tolist()  # type: ignore[no-untyped-call]
    for number, node in enumerate(nodes):
        state, query = int(shard.node_state[node]), reader.node(node)
        relations = {**reader.statics(int(shard.state_task[state])), **reader.fluents(state)}
        alone = encode(VOCABULARY, relations, 4, [query], "static")
        start = int(samples.graphs.arg_start[len(samples) + number])
        assert torch.equal(samples.graphs.args[start : start + len(alone.args)], alone.args)
        pairs, results = parents.list_pairs(torch.tensor([number]), torch.tensor([7]), torch.tensor([100]))
        assert pairs.graphs.tolist() == [7] * len(results)
        for variable, obj, result in zip(pairs.variables - 104, pairs.objects - 100, results.tolist(), strict=True):
            after = encode(VOCABULARY, relations, 4, [query.bind(query.unbound[int(variable)], int(obj))], "static")
            start = int(samples.graphs.arg_start[result])
            assert int(samples.groups[result]) == node
            assert torch.equal(samples.graphs.args[start : start + len(after.args)], after.args)


def test_goals_with_more_variables_than_any_labelled_one_are_no_parents(make_dataset: Callable[..., Path]) -> None:
    reader = read_dataset(make_dataset(6)).load("train")
    kept = reader.shard.pair_variable.astype(int) >= 0
    pairs = {name: value[kept] for name, value in vars(reader.shard).items() if name.startswith("pair_")}
    reader = ShardReader(reader.relations, replace(reader.shard, **pairs))
    samples = add_parents(encode_pairs(reader, VOCABULARY, "static"), reader, VOCABULARY, "static")
    assert samples.parents is not None
    owners = samples.groups[samples.parents.samples].unique().tolist()  # type: ignore[no-untyped-call]
    unbound = {node: len(reader.node(node).unbound) for node in set(samples.groups.tolist())}
    most = max(unbound.values())
    assert set(owners) == {node for node, count in unbound.items() if count < most} != set()
    assert len(samples.graphs) == len(samples) + len(owners)


def test_several_processes_encode_the_same(make_dataset: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read_dataset(make_dataset(7)).load("train")
    alone = encode_pairs(reader, VOCABULARY, "all")
    monkeypatch.setattr(samples_module, "_CHUNK", 3)
    several = encode_pairs(reader, VOCABULARY, "all", jobs=2)
    for name in ("nodes", "counts", "args", "goal", "arg_start", "node_start"):
        assert torch.equal(getattr(several.graphs, name), getattr(alone.graphs, name)), name


def test_an_epoch_takes_every_sample_once(make_dataset: Callable[..., Path]) -> None:
    samples = encode_pairs(read_dataset(make_dataset(8)).load("train"), VOCABULARY, "all")
    everything = list(range(len(samples)))
    orders = [arrange(samples, seed, epoch) for seed, epoch in ((0, 0), (0, 1), (1, 0))]
    assert all(sorted(order.tolist()) == everything for order in orders)
    assert len({tuple(order.tolist()) for order in orders}) == 3
    assert torch.equal(orders[0], arrange(samples, 0, 0))


def test_an_epoch_by_cost_takes_every_cost_as_often(make_dataset: Callable[..., Path]) -> None:
    samples = encode_pairs(read_dataset(make_dataset(60)).load("train"), VOCABULARY, "all")
    orders = torch.cat([arrange(samples, 0, epoch, "by-cost") for epoch in range(20)])
    counts = Counter(samples.aim(99.0)[orders].tolist())
    assert counts.keys() == set(samples.aim(99.0).tolist())
    assert min(counts.values()) > 0.8 * counts.total() / len(counts)
    assert len(set(orders.tolist())) > 0.9 * len(samples)
    assert torch.equal(orders[: len(samples)], arrange(samples, 0, 0, "by-cost"))


def test_unreachable_goals_aim_at_a_constant(make_dataset: Callable[..., Path]) -> None:
    samples = encode_pairs(read_dataset(make_dataset(9)).load("train"), VOCABULARY, "all")
    aims = samples.aim(17.0)
    assert bool((aims[~samples.reachable] == 17.0).all())
    assert torch.equal(aims[samples.reachable], samples.costs[samples.reachable])


def test_a_lower_bound_is_wrong_only_below_it(make_dataset: Callable[..., Path]) -> None:
    reader = read_dataset(make_dataset(6)).load("train")
    bounded = replace(reader.shard, pair_bound=reader.shard.pair_reachable & (reader.shard.pair_cost > 2))
    samples = encode_pairs(ShardReader(reader.relations, bounded), VOCABULARY, "static")
    aims = samples.aim(100.0)
    assert samples.bounded.any()
    assert torch.equal(aims < 0, samples.bounded)
    predicted = torch.full_like(aims, 3.0)
    errors = measure_errors(predicted, aims)
    assert torch.equal(errors[samples.bounded], (samples.costs[samples.bounded] - 3).clamp(min=0))
    assert torch.equal(errors[~samples.bounded], (predicted - aims)[~samples.bounded])
