"""Cards hold what batches hold."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tools.check_kernels import draw_graphs, draw_samples

from skolem.network.gpu.fused import ATOMS, PROGRAMS, lay_out, share_out
from skolem.network.graphs import Graphs, collate
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation
from skolem.training.fixed_batches import FixedBatch, FixedBatches
from skolem.training.optimisation import assemble

RELATIONS = [Relation("p", 1, False), Relation("q", 2, False), Relation("s", 0, False)]


def make_graphs(count: int, relations: list[Relation] = RELATIONS) -> Graphs:
    vocabulary = Vocabulary.of(relations)
    means = [(1.0, 3.0, 0.0)[number % 3] for number in range(len(vocabulary.names))]
    return draw_graphs(vocabulary, count, (2, 6), means)


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=12))
def test_programs_cover_every_atom_once_and_none_crosses_a_relation(sizes: list[int]) -> None:
    programs = share_out(tuple(sizes)).tolist()
    bounds = [0, *torch.tensor(sizes).cumsum(0).tolist()]
    assert all(bounds[relation] <= start < end <= bounds[relation + 1] for relation, start, end in programs)
    assert sum(end - start for _, start, end in programs) == sum(sizes)
    assert all(before[2] == after[1] for before, after in pairwise(programs))
    assert len(programs) <= min(PROGRAMS, -(-sum(sizes) // ATOMS)) + len(sizes)


@pytest.mark.parametrize("hand", [1, 3, 1_000])
def test_every_card_holds_the_layout_of_its_batch(hand: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.training.fixed_batches._HAND", 8 * hand)
    graphs, costs = make_graphs(60), torch.rand(60)
    order = torch.randperm(60, generator=torch.Generator().manual_seed(1))
    batches = FixedBatches(graphs, costs, 8)
    batches.shuffle(order)
    assert len(batches) == 7
    for place in (0, 6, 3, 1):
        index = order[place * 8 : place * 8 + 8]
        batch = collate(graphs, index)
        wanted, card = lay_out(batch), FixedBatch.read(batches.draw(place), batches.format)
        assert torch.equal(card.costs, costs[index])
        assert torch.equal(card.batch.graph[: batch.nodes].long(), batch.graph)
        assert (card.batch.graph[batch.nodes :] == 8).all()
        assert torch.equal(card.batch.goal[: batch.nodes].bool(), batch.goal)
        assert torch.equal(card.layout.starts[: batch.nodes + 1], wanted.starts)
        assert (card.layout.starts[batch.nodes :] == wanted.count).all()
        for arity, atoms in wanted.atoms.items():
            assert torch.equal(card.layout.atoms[arity][: len(atoms)], atoms)
            assert torch.equal(card.layout.slots[arity][: len(atoms)], wanted.slots[arity])
            programs = wanted.programs[arity]
            assert torch.equal(card.layout.programs[arity][: len(programs)], programs)
            assert not card.layout.programs[arity][len(programs) :].any()


def test_the_format_grows_only_when_a_batch_does_not_fit() -> None:
    graphs = make_graphs(40)
    batches = FixedBatches(graphs, torch.zeros(40), 4)
    by_size = graphs.nodes.argsort()
    batches.shuffle(by_size[:20])
    small = batches.format
    batches.shuffle(by_size[:20].flip(0))
    assert batches.format is small
    batches.shuffle(by_size)
    assert batches.format is not small


@pytest.mark.parametrize("hand", [1, 3])
def test_a_card_with_parents_holds_their_bindings_and_padding_weighs_nothing(
    hand: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skolem.training.fixed_batches._HAND", 8 * hand)
    samples = draw_samples(make_graphs(60), parents=20)
    assert samples.parents is not None
    order, drawn = torch.randperm(40), torch.randint(20, (5, 2))
    batches = FixedBatches(samples.graphs, samples.costs, 8, samples.parents)
    batches.shuffle(order, drawn)
    for place in (0, 4, 2, 1, 3):
        index = order[place * 8 : place * 8 + 8]
        batch, targets = assemble(samples, samples.costs, index, drawn[place])
        assert batch.graphs == 10
        wanted, card = lay_out(batch), FixedBatch.read(batches.draw(place), batches.format)
        assert torch.equal(card.costs, targets.costs)
        assert torch.equal(card.batch.graph[: batch.nodes].long(), batch.graph)
        assert (card.batch.graph[batch.nodes :] == 10).all()
        for arity, atoms in wanted.atoms.items():
            assert torch.equal(card.layout.atoms[arity][: len(atoms)], atoms)
        assert card.pairs is not None
        assert targets.pairs is not None
        assert targets.pair_costs is not None
        count = len(targets.pairs.graphs)
        assert count == int(samples.parents.count[drawn[place]].sum())
        for name in ("variables", "objects", "graphs"):
            assert torch.equal(getattr(card.pairs, name)[:count].long(), getattr(targets.pairs, name))
        assert torch.equal(card.pair_costs[:count], targets.pair_costs)
        assert torch.equal(card.weights[:count], torch.full((count,), 1 / count))
        assert not card.weights[count:].any()


def test_the_format_grows_with_the_bindings_of_parents_and_never_shrinks() -> None:
    samples = draw_samples(make_graphs(40), parents=20)
    assert samples.parents is not None
    batches = FixedBatches(samples.graphs, samples.costs, 4, samples.parents)
    by_count = samples.parents.count.argsort()
    order, few, many = torch.arange(20), by_count[:10].view(5, 2), by_count[10:].view(5, 2)
    batches.shuffle(order, few)
    small = batches.format
    batches.shuffle(order, many)
    large = batches.format
    assert large.pairs >= int(samples.parents.count[many].sum(1).max()) > small.pairs
    assert large.nodes >= small.nodes
    card = FixedBatch.read(batches.draw(4), large)
    assert int((card.weights > 0).sum()) == int(samples.parents.count[many[4]].sum())
    batches.shuffle(order, few)
    assert batches.format is large
    assert int((FixedBatch.read(batches.draw(0), large).weights > 0).sum()) == int(samples.parents.count[few[0]].sum())


def test_relations_with_three_arguments_do_not_fit_on_cards() -> None:
    assert FixedBatches.suits(make_graphs(2))
    assert not FixedBatches.suits(make_graphs(2, [*RELATIONS, Relation("t", 3, False)]))
