"""The household of the suite: homes of all sizes, ALFRED's goal types, and goals that can be reached."""

from random import Random

import pytest

from skolem.families.suite.household import DOMAIN
from skolem.families.suite.registry import generate_suite_problem
from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.solve import solve
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Source, Task


def read(size: int, seed: int) -> Task:
    problem = DOMAIN.draw_problem(size, Random(seed))
    return read_task_text(Source("household.pddl", DOMAIN.domain), Source("home.pddl", problem))


@pytest.mark.parametrize("size", [*DOMAIN.learning_sizes, *DOMAIN.test_sizes])
def test_the_size_is_the_number_of_rooms_receptacles_and_items(size: int) -> None:
    task = read(size, 1)
    assert sum(len(task.init[f"type:{name}"]) for name in ("room", "receptacle", "item")) == size


def test_homes_have_all_goal_types_with_doors_open_and_closed() -> None:
    tasks = [read(60, seed) for seed in range(80)]
    kinds = [{atom.predicate for atom in task.goal.atoms} for task in tasks if task.goal.outside is None]
    assert any("lit" in kind for kind in kinds)
    closed = [list_alternatives(task)[0].goal for task in tasks if task.goal.outside is not None]
    mentioned = [frozenset(atom.predicate for atom in goal.atoms) for goal in closed]
    for state in ("hot", "cold", "clean", "sliced", "within"):
        assert any(state in predicates for predicates in mentioned), state
    assert any(goal.inequalities for goal in closed)
    assert all({atom.predicate for atom in goal.denied} == {"open"} for goal in closed)
    assert {len(task.init["open"]) > 0 for task in tasks} == {True, False}


@pytest.mark.parametrize("seed", range(8))
def test_small_homes_have_goals_that_can_be_reached(seed: int) -> None:
    found = solve(read(6 + seed % 3, seed), Request(limits=Limits(60.0, 4000)))
    assert (found.status, found.valid) == ("solved", True)


def test_the_suite_has_the_household() -> None:
    assert generate_suite_problem("household", "test", 0, 2).size == DOMAIN.test_sizes[2]
