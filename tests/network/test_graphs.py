"""Batches of encoded goals."""

from random import Random

import torch
from tests.network.worlds import ATTRIBUTES, RELATIONS, encode, make_goal, make_state

from skolem.network.graphs import Graphs, collate, join
from skolem.network.vocabulary import Vocabulary

VOCABULARY = Vocabulary.of(RELATIONS, attributes=ATTRIBUTES)


def make_graphs(seed: int, objects: int) -> Graphs:
    rng = Random(seed)
    query = make_goal(rng, objects, 2)
    queries = [query, query.bind(0, 0), query.bind(0, 1).bind(1, 0)]
    return encode(VOCABULARY, make_state(rng, 4), objects, queries, "static")


def test_a_batch_holds_the_atoms_of_its_graphs_side_by_side() -> None:
    graphs = join([make_graphs(1, 4), make_graphs(2, 300)])
    assert graphs.args.dtype == torch.int16
    index = torch.tensor([4, 0, 4])
    batch = collate(graphs, index)
    assert batch.graphs == 3
    assert batch.start.tolist() == [0, 301, 307]
    assert batch.nodes == int(graphs.nodes[index].sum())
    for arity, numbers in VOCABULARY.by_arity.items():
        place = 0
        for number, size in zip(numbers, batch.sizes[arity], strict=True):
            expected = []
            for graph, start in zip(index.tolist(), batch.start.tolist(), strict=True):
                before = sum(
                    int(graphs.counts[graph, earlier]) * VOCABULARY.arities[earlier] for earlier in range(number)
                )
                first = int(graphs.arg_start[graph]) + before
                words = graphs.args[first : first + int(graphs.counts[graph, number]) * arity].long() + start
                expected += words.view(-1, arity).tolist()
            assert batch.atoms[arity][place : place + size].tolist() == expected
            place += size
        assert place == len(batch.atoms[arity])


def test_slots_sorted_by_node() -> None:
    batch = collate(make_graphs(3, 5), torch.arange(3))
    assert torch.equal(batch.targets[batch.order], batch.targets.sort().values)
    assert torch.equal(batch.order[batch.place], torch.arange(len(batch.order)))
    for node in range(batch.nodes):
        mine = batch.order[batch.bounds[node] : batch.bounds[node + 1]]
        assert mine.tolist() == (batch.targets == node).nonzero().flatten().tolist()
    assert int(batch.bounds.diff().min()) > 0
