"""The examples have the costs that their comments and examples/README.md state."""

from pathlib import Path

import pytest

from skolem.families.registry import FAMILIES
from skolem.pddl.reading import read_task
from skolem.planning import end
from skolem.planning.fast_downward import PlannerResult, run_planner
from skolem.planning.limits import Limits
from skolem.task.model import Task

EXAMPLES = Path(__file__).parents[1] / "examples"
LIMITS = Limits(seconds=300)


def read_example(problem: str) -> Task:
    path = EXAMPLES / problem
    return read_task(path.with_name("domain.pddl"), path)


def solve_optimally(problem: str) -> tuple[PlannerResult, int]:
    """The planner's result on the rewritten task, and the cost that the rewriting adds."""
    rewriting = end.rewrite(read_example(problem))
    return run_planner(rewriting.domain_text, rewriting.problem_text, "seq-opt-lmcut", LIMITS), rewriting.dummy_cost


@pytest.mark.parametrize(
    ("problem", "cost"),
    [
        ("blocks/tower.pddl", 9),
        ("gripper/rooms.pddl", 8),
        ("delivery/parking.pddl", 11),
        ("visitall/tour.pddl", 5),
        ("visitall/visit-1.pddl", 4),
        ("colouring/map.pddl", 0),
        ("household/breakfast.pddl", 19),
        ("robot/mugs.pddl", 6),
    ],
)
def test_cheapest_plan(problem: str, cost: int) -> None:
    result, added = solve_optimally(problem)
    assert result.cost == cost + added


def test_a_clique_has_no_colouring() -> None:
    assert solve_optimally("colouring/clique.pddl")[0].status == "unsolvable"


def test_the_tower_stands_on_f_and_a() -> None:
    result, _ = solve_optimally("blocks/tower.pddl")
    assert result.plan is not None
    assert result.plan[0] == "(stack a f)"
    taken = {step.split()[1].strip(")") for step in result.plan if step.startswith(("(pick-up", "(unstack"))}
    assert not taken & {"a", "f"}


def test_four_balls_stay_where_they_are() -> None:
    result, _ = solve_optimally("gripper/rooms.pddl")
    assert result.plan is not None
    assert {step.split()[1] for step in result.plan if step.startswith("(pick")} == {"ball1", "ball8"}


def test_lama_pays_more_for_the_quantified_delivery() -> None:
    task = read_example("delivery/parking.pddl")
    result = run_planner(task.domain.source.text, task.source.text, "lama-first", LIMITS)
    assert result.cost == 17


@pytest.mark.parametrize("name", ["blocks", "gripper", "delivery", "visitall"])
def test_examples_use_the_domains_of_the_families(name: str) -> None:
    assert (EXAMPLES / name / "domain.pddl").read_text() == FAMILIES[name].domain_text


def test_the_readme_lists_every_problem() -> None:
    problems = {f"{p.parent.name}/{p.name}" for p in EXAMPLES.glob("*/*.pddl") if p.name != "domain.pddl"}
    rows = [line for line in (EXAMPLES / "README.md").read_text().splitlines() if line.startswith("| `")]
    assert {row.split("`")[1] for row in rows} == problems
