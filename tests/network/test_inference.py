"""The fast path on the CPU computes what the network defines."""

from collections.abc import Iterator
from random import Random

import pytest
import torch
from tests.network.worlds import RELATIONS, make_goal, make_state

from skolem.network import inference
from skolem.network.encoding import encode
from skolem.network.graphs import Graphs, collate, join
from skolem.network.inference import apply_mish, embed_quickly, predict
from skolem.network.rgnn import RGNN, NetworkConfig
from skolem.network.vocabulary import Vocabulary

VOCABULARY = Vocabulary.of(RELATIONS)


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
        torch.testing.assert_close(embed_quickly(model, batch), model.embed(batch))


def test_costs_do_not_depend_on_pieces_and_threads(two_threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(2)
    model = RGNN(NetworkConfig(layers=4, width=8), VOCABULARY)
    graphs = make_graphs(5)
    whole = model(collate(graphs, torch.arange(len(graphs)))).detach()
    torch.testing.assert_close(predict(model, graphs), whole)
    monkeypatch.setattr(inference, "_SLOTS", 500)
    torch.testing.assert_close(predict(model, graphs), whole)
    assert torch.get_num_threads() == 2


def test_mish_is_exact_on_both_ends() -> None:
    x = torch.linspace(-100, 100, 2001)
    expected = torch.nn.functional.mish(x)
    apply_mish(x, torch.empty_like(x))
    torch.testing.assert_close(x, expected, rtol=1e-5, atol=1e-7)
