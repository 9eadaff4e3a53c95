"""The learned grounders with the shipped models: valid bindings, next-best ones, and how they were chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isfinite
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np
import pytest
from tests.network.random_networks import draw_weights

from skolem.evaluation.test_sets import find_exact_cost
from skolem.grounding import learned, lookahead
from skolem.grounding.learned import LearnedGrounder, find_doubt
from skolem.grounding.models import find_model
from skolem.grounding.protocol import Candidates, DeadEndError, Order, Scores
from skolem.network.config import NetworkConfig
from skolem.network.encoding import EncodedGraphs, StateEncoder
from skolem.network.engine.choice import build_engine, choose_engine
from skolem.network.engine.protocol import Choices, Engine
from skolem.network.scoring import SHORTLIST
from skolem.network.vocabulary import Vocabulary
from skolem.pddl.reading import read_task, read_task_text
from skolem.support.errors import UnsupportedError
from skolem.task.constraints.candidates import iterate_valid
from skolem.task.constraints.relations_index import index_relations
from skolem.task.model import Source, Task
from skolem.task.proofs.reachability import Refuter
from skolem.task.query import Query

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def read_example(folder: str, name: str) -> Task:
    return read_task(EXAMPLES / folder / "domain.pddl", EXAMPLES / folder / f"{name}.pddl")


def bind(task: Task, binding: dict[str, str] | None) -> Query:
    assert binding is not None
    return replace(task.query, binding=tuple(task.index[binding[v.name]] for v in task.goal.variables))


def find_cost_of(task: Task, binding: dict[str, str] | None) -> int | None:
    return find_exact_cost(task, bind(task, binding))


def ask(task: Task, goal: str) -> Task:
    """The task with another goal."""
    text = task.source.text
    return read_task_text(task.domain.source, Source("asked.pddl", text[: text.index("(:goal")] + f"(:goal {goal}))"))


def rewrite(task: Task, *changes: tuple[str, str]) -> Task:
    """The task with parts of its text replaced."""
    text = task.source.text
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read_task_text(task.domain.source, Source("changed.pddl", text))


def make_network(task: Task, head: bool = False, marks: bool = False) -> Engine:
    """A network for the task with random weights."""
    shipped = find_model(task).load()
    config = replace(shipped.config, layers=4, head=head, marks=marks)
    vocabulary = replace(shipped.vocabulary, marks=marks)
    weights = draw_weights(np.random.default_rng(5), config, vocabulary)
    return build_engine(choose_engine(), config, vocabulary, weights)


@pytest.mark.parametrize(
    ("folder", "name", "cost"), [("gripper", "rooms", 8), ("visitall", "tour", 5), ("delivery", "parking", 11)]
)
def test_the_papers_examples_are_grounded_at_their_cost(folder: str, name: str, cost: int) -> None:
    task = read_example(folder, name)
    found = LearnedGrounder(find_model(task).load()).ground(task)
    assert find_cost_of(task, found.binding) == cost


def test_next_best_bindings_are_all_different_and_valid() -> None:
    task = read_example("blocks", "tower")
    valid = {tuple(task.name_binding(objects).items()) for objects in iterate_valid(task.query, task.statics, 8)}
    grounder = LearnedGrounder(find_model(task).load())
    found = [tuple((g.binding or {}).items()) for g in islice(grounder.groundings(task), 12)]
    assert len(set(found)) == 12
    assert set(found) <= valid


def test_a_small_task_runs_out_of_bindings() -> None:
    small = rewrite(read_example("gripper", "rooms"), ("(red ?x4)", "(blue ?x4)"), ("(not (= ?x2 ?x4))", ""))
    count = sum(1 for _ in iterate_valid(small.query, small.statics, len(small.objects)))
    grounder = LearnedGrounder(find_model(small).load())
    assert sum(1 for g in grounder.groundings(small) if g.status == "grounded") == count


@pytest.mark.parametrize("order", ["best", "fixed"])
def test_a_network_with_marks_values_a_choice_by_what_was_bound_last(order: Order) -> None:
    task = read_example("delivery", "parking")
    model = make_network(task, marks=True)
    found = LearnedGrounder(model, order=order).ground(task)
    encoder = StateEncoder(model.vocabulary, task.init, index_relations(task.statics, len(task.objects)), "static")
    names, query = [v.name for v in task.goal.variables], task.query
    for step in found.trace:
        query = query.bind(names.index(step.variable), task.index[step.object])
        (chosen,) = (c for c in step.ranked if (c.variable, c.object) == (step.variable, step.object))
        marked, plain = model.predict([encoder.encode([query] * 2, [names.index(step.variable), -1])])
        assert marked == pytest.approx(chosen.value, rel=1e-5)
        assert marked != pytest.approx(plain, rel=1e-5)


def test_the_trace_tells_what_every_object_was_chosen_from() -> None:
    task = read_example("gripper", "rooms")
    found = LearnedGrounder(find_model(task).load()).ground(task)
    assert found.binding == {step.variable: step.object for step in found.trace}
    for step in found.trace:
        assert step.ranked[0].value == min(choice.value for choice in step.ranked)
        assert (step.variable, step.object) == (step.ranked[0].variable, step.ranked[0].object)
    assert found.predicted_cost == found.trace[-1].ranked[0].value


def test_a_beam_never_predicts_more_than_the_greedy_policy() -> None:
    task = read_example("blocks", "tower")
    network = find_model(task).load()
    greedy = LearnedGrounder(network).ground(task)
    beam = LearnedGrounder(network, "beam", width=8).ground(task)
    assert (beam.predicted_cost or 0) <= (greedy.predicted_cost or 0) + 1e-4


@dataclass(frozen=True)
class Noisy:
    """An engine whose costs are multiples of a quarter but for noise: many are equal without it."""

    engine: Engine
    noise: float
    rng: Random = field(default_factory=lambda: Random(0))
    description: str = "noisy"

    @property
    def config(self) -> NetworkConfig:
        return self.engine.config

    @property
    def vocabulary(self) -> Vocabulary:
        return self.engine.vocabulary

    def predict(self, parts: Sequence[EncodedGraphs]) -> list[float]:
        return self._blur(self.engine.predict(parts))

    def rate(self, parts: Sequence[EncodedGraphs], choices: Choices) -> list[float]:
        return self._blur(self.engine.rate(parts, choices))

    def _blur(self, costs: list[float]) -> list[float]:
        return [round(cost * 4) / 4 + self.rng.uniform(-self.noise, self.noise) for cost in costs]


@pytest.mark.parametrize("order", ["best", "fixed"])
@pytest.mark.parametrize("scores", ["full", "head", "both"])
@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("marks", [False, True])
def test_noise_changes_neither_bindings_nor_what_they_were_chosen_from(
    scores: Scores, order: Order, width: int, marks: bool
) -> None:
    task = read_example("gripper", "rooms")
    network = make_network(task, head=True, marks=marks)

    def list_choices(noise: float) -> list[list[tuple[str, list[str]]]]:
        grounder = LearnedGrounder(Noisy(network, noise), width=width, scores=scores, order=order)
        traces = [grounding.trace for grounding in islice(grounder.groundings(task), 12)]
        return [[(step.object, [f"{c.variable} {c.object}" for c in step.ranked]) for step in t] for t in traces]

    assert list_choices(1e-5) == list_choices(0.0)


class Scattered(Noisy):
    """An engine whose costs have nothing to do with each other, so that greedy choices are seldom good ones."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, noise=0.0)

    def predict(self, parts: Sequence[EncodedGraphs]) -> list[float]:
        arities = np.array(self.vocabulary.arities)
        ends = [(counts.astype(np.int64) @ arities).cumsum()[:-1] for _, counts, _, _ in parts]
        graphs = [graph for (_, _, args, _), end in zip(parts, ends, strict=True) for graph in np.split(args, end)]
        return [crc32(graph.astype(np.int32).tobytes()) % 1000 / 50 for graph in graphs]


def test_choices_are_looked_at_again_when_the_others_are_known() -> None:
    task = read_example("delivery", "parking")
    model = Scattered(make_network(task, marks=True))
    greedy = LearnedGrounder(model, revise=False).ground(task)
    revised, *later = islice(LearnedGrounder(model).groundings(task), 4)
    count = len(task.goal.variables)
    assert [step.variable for step in revised.trace[:count]] == [step.variable for step in greedy.trace]
    assert len(greedy.trace) == count < len(revised.trace)
    assert revised.binding == {step.variable: step.object for step in revised.trace}
    binding = {step.variable: step.object for step in revised.trace[:count]}
    assert binding == greedy.binding
    for step in revised.trace[count:]:
        values = {choice.object: choice.value for choice in step.ranked}
        assert {choice.variable for choice in step.ranked} == {step.variable}
        assert values[step.object] == min(values.values()) < values[binding[step.variable]] - learned.GAIN
        binding[step.variable] = step.object
    # What was replaced is not lost.
    assert greedy.binding in [found.binding for found in later]


@pytest.mark.parametrize(
    ("scores", "order", "candidates"),
    [("head", "best", "static"), ("full", "fixed", "static"), ("full", "best", "all")],
)
def test_choices_by_a_head_in_a_fixed_order_and_of_the_paper_stay(
    scores: Scores, order: Order, candidates: Candidates
) -> None:
    task = read_example("delivery", "parking")
    model = Scattered(make_network(task, head=True, marks=True))
    grounder = LearnedGrounder(model, scores=scores, order=order, candidates=candidates)
    assert grounder.ground(task) == replace(grounder, revise=False).ground(task)


def test_equal_variables_are_bound_together() -> None:
    tied = rewrite(read_example("gripper", "rooms"), ("(yellow ?x1)", "(yellow ?x1) (= ?x1 ball7)"))
    for model in (find_model(tied).load(), Scattered(make_network(tied))):
        found = LearnedGrounder(model).ground(tied)
        assert found.binding is not None
        assert found.binding["?x1"] == "ball7"


def test_goals_outside_the_fragment_are_refused() -> None:
    task = read_example("gripper", "rooms")
    other = rewrite(task, ("(yellow ?x1)", "(not (at ?x1 b))"))
    with pytest.raises(UnsupportedError, match="cannot bind this goal"):
        LearnedGrounder(find_model(task).load()).ground(other)


@pytest.mark.parametrize("order", ["best", "fixed"])
@pytest.mark.parametrize("scores", ["full", "head", "both"])
@pytest.mark.parametrize("width", [1, 3])
def test_every_score_and_order_lists_all_bindings_once(scores: Scores, order: Order, width: int) -> None:
    goal = "(exists (?x ?y ?z) (and (red ?x) (red ?y) (yellow ?z) (at ?x a) (at ?y b) (at ?z c) (not (= ?x ?y))))"
    task = ask(read_example("gripper", "rooms"), goal)
    valid = {tuple(task.name_binding(objects).items()) for objects in iterate_valid(task.query, task.statics, 13)}
    grounder = LearnedGrounder(make_network(task, head=True), width=width, scores=scores, order=order)
    found = list(grounder.groundings(task))
    assert len(found) == len(valid)
    assert {tuple((g.binding or {}).items()) for g in found} == valid
    assert all(isfinite(g.predicted_cost or 0) for g in found)
    assert all(isfinite(choice.value) for g in found for step in g.trace for choice in step.ranked)


def test_a_fixed_order_binds_the_variables_one_after_another() -> None:
    task = read_example("blocks", "tower")
    found = LearnedGrounder(find_model(task).load(), order="fixed").ground(task)
    assert [step.variable for step in found.trace] == ["?x1", "?x2", "?x3", "?x4", "?x5"]
    assert all({choice.variable for choice in step.ranked} == {step.variable} for step in found.trace)


def test_both_scores_trace_what_was_evaluated() -> None:
    task = read_example("blocks", "tower")
    network = make_network(task, head=True)
    full, both = (LearnedGrounder(network, scores=scores).ground(task) for scores in ("full", "both"))
    assert len(full.trace[0].ranked) == 20
    assert SHORTLIST.least <= len(both.trace[0].ranked) <= SHORTLIST.most
    values = {(choice.variable, choice.object): choice.value for choice in full.trace[0].ranked}
    for choice in both.trace[0].ranked:
        assert choice.value == pytest.approx(values[choice.variable, choice.object], abs=1e-4)


def test_a_model_without_a_head_cannot_score_by_it() -> None:
    task = read_example("blocks", "tower")
    with pytest.raises(UnsupportedError, match="the model has no head that scores bindings"):
        LearnedGrounder(make_network(task, head=False), scores="head").ground(task)


@pytest.mark.parametrize("width", [1, 4])
def test_bindings_that_are_proven_unreachable_are_not_chosen(width: int) -> None:
    task = ask(read_example("blocks", "tower"), "(exists (?x ?y) (and (red ?x) (red ?y) (on ?x ?y)))")
    network, refuter = make_network(task, head=False), Refuter(task)
    valid = [task.query.bind(0, a).bind(1, b) for a, b in iterate_valid(task.query, task.statics, 8)]
    found = [bind(task, g.binding) for g in LearnedGrounder(network, width=width).groundings(task)]
    assert set(found) == {query for query in valid if not refuter.refutes(query)}
    assert len(found) == len(set(found)) < len(valid)
    paper = LearnedGrounder(network, width=width, candidates="all")
    assert len(list(paper.groundings(task))) == 64


def test_a_goal_all_of_whose_bindings_are_refuted_is_unsolvable() -> None:
    goal = "(exists (?x ?y) (and (red ?x) (blue ?y) (on ?x c) (on ?y c)))"
    task = ask(read_example("blocks", "tower"), goal)
    (found,) = LearnedGrounder(make_network(task, head=False)).groundings(task)
    assert (found.status, found.binding) == ("unsolvable", None)


def test_the_search_is_given_up_after_many_dead_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "MOST_DEAD_ENDS", 3)
    monkeypatch.setattr(lookahead, "EFFORT", 1)
    goal = "(exists (?x ?y ?z) (and (red ?x) (red ?y) (blue ?z) (on ?y c) (on ?z c)))"
    task = ask(read_example("blocks", "tower"), goal)
    with pytest.raises(DeadEndError, match="gave up after 3 dead ends"):
        LearnedGrounder(make_network(task, head=False)).ground(task)


@pytest.mark.parametrize(
    ("compared", "doubt"),
    [
        ([[3.0, 3.01], [9.9, 11.9]], ""),
        ([[3.0], [-2.0, 1.0]], "a predicted cost is negative"),
        ([[-0.01, 4.0]], ""),
        ([[11.0, 14.0], [9.0]], "predicted costs are beyond those of training"),
        ([[9.0, 9.05]], "objects that are far away seem to cost the same"),
    ],
)
def test_predictions_that_training_did_not_reach_are_doubted(compared: list[list[float]], doubt: str) -> None:
    assert find_doubt(compared, farthest=10.0) == doubt


def test_a_short_trained_model_doubts_a_long_way() -> None:
    task = read_example("visitall", "tour")
    model = find_model(task)
    assert LearnedGrounder(model.load(), farthest=model.card.farthest).ground(task).doubt == ""
    assert LearnedGrounder(model.load(), farthest=2.0).ground(task).doubt
