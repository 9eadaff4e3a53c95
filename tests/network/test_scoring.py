"""Full evaluation, the head, and choices that look alike."""

from random import Random

import numpy as np
import pytest
import torch
from tests.network.worlds import ATTRIBUTES, RELATIONS, make_goal, make_state

from skolem.network.config import NetworkConfig
from skolem.network.decoding import Decision, Problem, list_choices
from skolem.network.encoding import StateEncoder
from skolem.network.engine.torch_engine import TorchEngine
from skolem.network.graphs import Graphs, collate
from skolem.network.rgnn import RGNN
from skolem.network.scoring import Shortlist, find_alike, make_score
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import UnsupportedError
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import Query

VOCABULARY = Vocabulary.of(RELATIONS, attributes=ATTRIBUTES)


def make_model(head: bool = False) -> TorchEngine:
    torch.manual_seed(4)
    return TorchEngine(RGNN(NetworkConfig(layers=5, width=8, head=head), VOCABULARY).eval())


def make_step(seed: int, objects: int = 4) -> Decision:
    rng = Random(seed)
    state = make_state(rng, objects)
    encoder = StateEncoder(VOCABULARY, state, index_relations(VOCABULARY.select_statics(state), objects), "static")
    query = make_goal(rng, objects, 3)
    problem = Problem(encoder, query)
    return Decision(problem, query, list_choices(problem, query, "all", in_order=False))


def find_value(engine: TorchEngine, problem: Problem, query: Query) -> float:
    """The network's cost of a goal, by the plain path."""
    graphs = Graphs.of(VOCABULARY, [problem.encoder.encode([query])])
    return float(engine.model(collate(graphs, torch.arange(1)))[0].detach())


def make_flat(objects: int) -> StateEncoder:
    """A state of objects that differ in colour only: half red, half blue."""
    everything = np.arange(objects, dtype=np.int32)[:, None]
    empty = {r.name: np.zeros((0, r.arity), dtype=np.int32) for r in RELATIONS}
    state = empty | {"clear": everything, "red": everything[::2], "blue": everything[1::2]}
    return StateEncoder(VOCABULARY, state, index_relations(VOCABULARY.select_statics(state), objects), "static")


def test_full_scores_are_the_costs_of_the_bound_goals() -> None:
    model, steps = make_model(), [make_step(1), make_step(2)]
    for seed in range(6):
        problem = Problem(make_flat(7), make_goal(Random(seed), 7, 3))
        choices = list_choices(problem, problem.query, "all", in_order=False)
        steps.append(Decision(problem, problem.query, choices))
        assert len(set(find_alike(steps[-1]))) < len(choices)
    for step, costs in zip(steps, make_score(model)(steps), strict=True):
        for choice, cost in zip(step.choices, costs, strict=True):
            assert cost == pytest.approx(find_value(model, step.problem, step.query.bind(*choice)), abs=1e-4)


def test_the_head_rates_all_choices_from_one_graph() -> None:
    model, steps = make_model(head=True), [make_step(3), make_step(4)]
    together = make_score(model, "head")(steps)
    for step, costs in zip(steps, together, strict=True):
        one = [make_score(model, "head")([Decision(step.problem, step.query, [c])])[0][0] for c in step.choices]
        assert costs == pytest.approx(one, abs=1e-4)
        assert len(set(np.round(costs, 5))) > 1


def test_both_evaluates_what_the_head_likes_most() -> None:
    model, step = make_model(head=True), make_step(5)
    shortlist = Shortlist(few=3, least=3, most=3)
    (head,), (full,), (both,) = (
        make_score(model, mode, shortlist=shortlist)([step]) for mode in ("head", "full", "both")
    )
    best = set(np.argsort(head, kind="stable")[:3].tolist())
    assert {i for i, cost in enumerate(both) if cost < float("inf")} == best
    assert all(both[i] == pytest.approx(full[i], abs=1e-4) for i in best)


def test_a_shortlist_holds_what_is_rated_near_the_best() -> None:
    ratings = [7.0, 3.0, 4.5, 3.0004, 6.0, 9.0]
    everything = range(len(ratings))
    assert Shortlist(margin=2.0).pick(everything, ratings) == [1, 2, 3]
    assert Shortlist(margin=2.0, most=2).pick(everything, ratings) == [1, 3]
    assert Shortlist(margin=0.0, least=4).pick(everything, ratings) == [1, 2, 3, 4]
    assert Shortlist(margin=2.0).pick([0, 4, 5], ratings) == [0, 4]


def test_both_asks_the_head_only_where_many_choices_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    model, query = make_model(head=True), Query(1, (("clear", (~0,)),))
    step = Decision(Problem(make_flat(12), query), query, [(0, obj) for obj in range(12)])
    (full,) = make_score(model, "full")([step])
    monkeypatch.setattr(model.model, "rate_pairs", None)
    # Twelve objects, but only red and blue ones.
    (both,) = make_score(model, "both", shortlist=Shortlist(few=2))([step])
    assert list(both) == pytest.approx(list(full), abs=1e-4)


def test_a_model_without_a_head_says_so() -> None:
    with pytest.raises(UnsupportedError, match="no head"):
        make_score(make_model(), "both")


def test_objects_that_differ_in_nothing_look_alike() -> None:
    query = Query(2, (("clear", (~0,)), ("on", (~1, 3)), ("blue", (~1,))))
    problem = Problem(make_flat(6), query)
    step = Decision(problem, query, [(v, o) for v in (0, 1) for o in range(6)])
    # Red objects, blue ones, and object 3, which the goal names.
    assert find_alike(step) == [0, 1, 0, 3, 0, 1, 6, 7, 6, 9, 6, 7]


def test_objects_of_rings_of_different_length_are_not_alike() -> None:
    rings = [(0, 1, 2), (3, 4, 5), (6, 7, 8, 9, 10, 11)]
    state = {r.name: np.zeros((0, r.arity), dtype=np.int32) for r in RELATIONS}
    state["next"] = np.array([(r[i - 1], r[i]) for r in rings for i in range(len(r))], dtype=np.int32)
    encoder = StateEncoder(VOCABULARY, state, index_relations(VOCABULARY.select_statics(state), 12), "static")
    query = Query(1, (("clear", (~0,)),))
    step = Decision(Problem(encoder, query), query, [(0, obj) for obj in range(12)])
    assert find_alike(step) == list(range(12))
    model = make_model()
    with torch.no_grad():
        for parameter in model.model.parameters():
            parameter.mul_(3)  # Otherwise little is left of what comes back round a ring.
        before = model.model.embed(collate(Graphs.of(VOCABULARY, [step.encode()]), torch.arange(1)))
    torch.testing.assert_close(before[0], before[6])
    (costs,) = make_score(model)([step])
    assert costs[0] == pytest.approx(costs[3], abs=1e-5)
    assert abs(costs[0] - costs[6]) > 1e-4
