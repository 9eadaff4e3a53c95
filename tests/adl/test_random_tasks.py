import pytest
from tests.adl.independent_search import Search
from tests.adl.plain_text import write_plain
from tests.adl.random_tasks import DEEP, make_task

from skolem.pddl.reading import read_task_text
from skolem.task.model import Source


def test_a_seed_is_a_task() -> None:
    first, second = make_task(7), make_task(7)
    assert (first.domain, first.problem, first.plan) == (second.domain, second.problem, second.plan)
    assert make_task(8).problem != first.problem


def test_most_tasks_are_solvable_and_many_are_deep() -> None:
    tasks = [make_task(seed) for seed in range(100)]
    plans = [task.plan for task in tasks if task.plan is not None]
    assert len(plans) >= 60
    assert sum(len(plan) >= DEEP for plan in plans) >= 40
    used = set().union(*(task.constructs for task in tasks))
    shapes = ("xor", "iff", "if-then-else", "or", "nested exists", "nested forall", "equality", "imply")
    places = ("precondition", "effect condition", "axiom")
    assert {f"{shape} in {place}" for shape in shapes for place in places} <= used
    assert {"recursive axiom", "several increases", "cost function", "subtypes", "either in objects"} <= used
    assert {"empty type", "constants", "universal effect", "an effect that meets another"} <= used


def test_plans_are_valid_also_in_the_plain_text() -> None:
    for seed in range(0, 60, 2):
        task = make_task(seed)
        if task.plan is None:
            continue
        for search in (Search(task.domain, task.problem), Search(*write_plain(task.space.search))):
            verdict = search.judge(task.plan)
            assert (verdict.valid, verdict.cost) == (True, task.cost)


@pytest.mark.parametrize("seed", [8308, 31210, 32318, 32319])
def test_tasks_are_well_typed(seed: int) -> None:
    # What is drawn first for them asks of objects what their types cannot be, in an effect or a goal.
    task = make_task(seed)
    read_task_text(Source("domain.pddl", task.domain), Source("problem.pddl", task.problem))
