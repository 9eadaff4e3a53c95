"""The fast path on the CPU computes what the network defines."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
import torch
from tests.network.worlds import ATTRIBUTES, RELATIONS, encode, make_goal, make_state

from skolem.network import inference
from skolem.network.config import NetworkConfig
from skolem.network.graphs import Graphs, collate, join
from skolem.network.inference import LOG_E, apply_mish, embed_quickly, predict
from skolem.network.rgnn import RGNN
from skolem.network.vocabulary import Vocabulary
from skolem.task.query import Query

VOCABULARY = Vocabulary.of(RELATIONS, attributes=ATTRIBUTES)


@pytest.fixture
def two_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(threads)


def make_graphs(objects: int) -> Graphs:
    parts = []
    for seed in range(4):
        rng = Random(seed)
        query = make_goal(rng, objects, 3)
        siblings = [query.bind(1, obj) for obj in range(objects)]
        parts.append(encode(VOCABULARY, make_state(rng, objects), objects, [query, *siblings], "static"))
    return join(parts)


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("objects", [3, 9])
def test_embeddings_are_those_of_the_plain_path(objects: int, residual: bool) -> None:
    torch.manual_seed(1)
    model = RGNN(NetworkConfig(layers=6, width=8, residual=residual), VOCABULARY).double()
    graphs = make_graphs(objects)
    batch = collate(graphs, torch.arange(len(graphs)))
    with torch.inference_mode():
        start = model.begin(batch.nodes)
        torch.testing.assert_close(embed_quickly(model, batch, start), model.embed(batch, start))


def test_costs_do_not_depend_on_pieces_and_threads(two_threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(2)
    model = RGNN(NetworkConfig(layers=4, width=8), VOCABULARY)
    graphs = make_graphs(5)
    whole = model(collate(graphs, torch.arange(len(graphs)))).detach()
    torch.testing.assert_close(predict(model, graphs), whole)
    monkeypatch.setattr(inference, "_SLOTS", 500)
    torch.testing.assert_close(predict(model, graphs), whole)
    assert torch.get_num_threads() == 2


def test_nodes_that_differ_in_the_order_of_their_atoms_have_the_same_embedding() -> None:
    torch.manual_seed(3)
    model = RGNN(NetworkConfig(layers=8, width=16), VOCABULARY)
    # Two hubs with eight leaves each, half of them red: all red ones first, or every second one.
    leaves = {0: range(2, 10), 1: range(10, 18)}
    red = [*range(2, 6), *range(10, 18, 2)]
    state = {r.name: np.zeros((0, r.arity), dtype=np.int32) for r in RELATIONS}
    state["on"] = np.array([(leaf, hub) for hub in leaves for leaf in leaves[hub]], dtype=np.int32)
    state["red"] = np.array(red, dtype=np.int32)[:, None]
    graphs = encode(VOCABULARY, state, 18, [Query(1, (("clear", (~0,)),))], "static")
    with torch.inference_mode():
        f = embed_quickly(model, collate(graphs, torch.arange(1)), model.begin(int(graphs.nodes[0])))
    assert torch.equal(f[0], f[1])


def test_mish_is_exact_on_both_ends() -> None:
    x = torch.linspace(-100, 100, 2001)
    scaled = x * LOG_E
    apply_mish(scaled, torch.empty_like(x))
    torch.testing.assert_close(scaled / LOG_E, torch.nn.functional.mish(x), rtol=1e-5, atol=1e-7)
