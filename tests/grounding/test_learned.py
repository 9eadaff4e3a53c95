"""The learned grounders with the shipped models: valid bindings, next-best ones, and how they were chosen."""

from itertools import islice
from pathlib import Path

import pytest

from skolem.errors import UnsupportedError
from skolem.evaluation.test_sets import find_exact_cost
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import find_model
from skolem.task.candidates import iterate_valid
from skolem.task.model import Source, Task
from skolem.task.reading import read_task, read_task_text

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def read_example(folder: str, name: str) -> Task:
    return read_task(EXAMPLES / folder / "domain.pddl", EXAMPLES / folder / f"{name}.pddl")


def find_cost_of(task: Task, binding: dict[str, str] | None) -> int | None:
    assert binding is not None
    query = task.query
    for i, variable in enumerate(task.goal.variables):
        query = query.bind(i, task.index[binding[variable.name]])
    return find_exact_cost(task, query)


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
    task = read_example("gripper", "rooms")
    text = task.source.text.replace("(red ?x4)", "(blue ?x4)").replace("(not (= ?x2 ?x4))", "")
    small = read_task_text(task.domain.source, Source("small.pddl", text))
    count = sum(1 for _ in iterate_valid(small.query, small.statics, len(small.objects)))
    grounder = LearnedGrounder(find_model(small).load())
    assert sum(1 for g in grounder.groundings(small) if g.status == "grounded") == count


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


def test_equal_variables_are_bound_together() -> None:
    task = read_example("gripper", "rooms")
    text = task.source.text.replace("(yellow ?x1)", "(yellow ?x1) (= ?x1 ball7)")
    tied = read_task_text(task.domain.source, Source("tied.pddl", text))
    found = LearnedGrounder(find_model(tied).load()).ground(tied)
    assert found.binding is not None
    assert found.binding["?x1"] == "ball7"


def test_goals_outside_the_fragment_are_refused() -> None:
    task = read_example("gripper", "rooms")
    text = task.source.text.replace("(yellow ?x1)", "(not (at ?x1 b))")
    other = read_task_text(task.domain.source, Source("other.pddl", text))
    with pytest.raises(UnsupportedError, match="cannot bind this goal"):
        LearnedGrounder(find_model(task).load()).ground(other)
