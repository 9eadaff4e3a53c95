"""Tasks made from a few problems: of the wanted size, sound as the problems are, the same for the same seed."""

from itertools import pairwise
from random import Random

import pytest
from tests.learning.conftest import DOMAIN, write_problem
from tests.oracle.test_space import TOY_PROBLEM, read_toy

from skolem.oracle.ball import grow_ball
from skolem.oracle.ground import ground
from skolem.oracle.space import SpaceLimits
from skolem.oracle.variants import Variants
from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task

MANY = range(60)


def read_ferry(seed: int, cars: int = 3, places: int = 3) -> Task:
    text = write_problem(Random(seed), cars, places, "")
    return read_task_text(Source("domain.pddl", DOMAIN), Source("problem.pddl", text), needs_goal=False)


@pytest.fixture(scope="module")
def problems() -> list[Task]:
    return [read_ferry(seed) for seed in range(4)]


@pytest.fixture(scope="module")
def variants(problems: list[Task]) -> Variants:
    return Variants(problems, Random(0))


def assert_sound(task: Task) -> None:
    """One dock, and every car either at one place or aboard, where there is room for one."""
    assert len(task.init["docked"]) == 1
    assert len(task.init["aboard"]) + len(task.init["empty"]) == 1
    placed = sorted([*task.init["at"][:, 0].tolist(), *task.init["aboard"][:, 0].tolist()])
    assert placed == task.init["type:car"][:, 0].tolist()


def test_a_made_task_is_sound_and_no_larger_than_wanted(variants: Variants, problems: list[Task]) -> None:
    sizes = set()
    for seed in MANY:
        task = variants.draw(Random(seed), problems, 9)
        assert task is not None
        assert_sound(task)
        sizes.add(len(task.objects))
        assert len(grow_ball(ground(task), SpaceLimits(50))) > 1
    assert min(sizes) < 6 < max(sizes) <= 9


def test_larger_tasks_have_more_objects_than_the_problems(variants: Variants, problems: list[Task]) -> None:
    for seed in MANY:
        task = variants.draw(Random(seed), problems, 14, larger_than=9)
        assert task is not None
        assert_sound(task)
        assert 9 < len(task.objects) <= 14


def test_a_large_problem_is_shrunk(problems: list[Task]) -> None:
    large = read_ferry(7, cars=20, places=10)
    variants = Variants([*problems, large], Random(0))
    for seed in range(10):
        task = variants.draw(Random(seed), [large], 12)
        assert task is not None
        assert_sound(task)
        assert len(task.objects) <= 12


def test_the_same_seed_gives_the_same_task(problems: list[Task]) -> None:
    first, second = (Variants(problems, Random(0)).draw(Random(5), problems, 9) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.objects == second.objects
    assert all((rows == second.init[name]).all() for name, rows in first.init.items())


def test_costs_and_derived_facts_follow_the_objects() -> None:
    tasks = [read_toy(), read_toy(TOY_PROBLEM.replace("(in j c)", "(in j b)"))]
    variants = Variants(tasks, Random(0))
    for seed in MANY:
        task = variants.draw(Random(seed), tasks, 9)
        assert task is not None
        roads = {(task.objects[a], task.objects[b]) for a, b in task.init["road"].tolist()}
        assert roads == {key[1:] for key in task.values if key[0] == "length"}
        here = int(task.init["at"][0, 0])
        assert {b for a, b in task.init["road"].tolist() if a == here} == set(task.init["near"][:, 0].tolist())


PAINTERS = """(define (domain painters) (:requirements :strips :typing) (:types robot tile side)
  (:predicates (at ?r - robot ?t - tile) (free ?t - tile) (painted ?t - tile) (next ?a ?b - tile ?s - side))
  (:action move :parameters (?r - robot ?a ?b - tile ?s - side)
    :precondition (and (at ?r ?a) (next ?a ?b ?s) (free ?b))
    :effect (and (at ?r ?b) (free ?a) (not (at ?r ?a)) (not (free ?b))))
  (:action paint :parameters (?r - robot ?a ?b - tile ?s - side)
    :precondition (and (at ?r ?a) (next ?a ?b ?s) (free ?b)) :effect (and (painted ?b) (not (free ?b)))))"""


def read_painter(tiles: int) -> Task:
    """A robot at the first tile of a row, which has a left and a right side."""
    names = [f"t{i}" for i in range(tiles)]
    row = [f"(next {a} {b} right) (next {b} {a} left)" for a, b in pairwise(names)]
    text = (
        f"(define (problem row) (:domain painters) (:objects r - robot left right - side {' '.join(names)} - tile)"
        f"(:init (at r t0) {' '.join(f'(free {name})' for name in names[1:])} {' '.join(row)}) (:goal (painted t1)))"
    )
    return read_task_text(Source("domain.pddl", PAINTERS), Source("problem.pddl", text))


def test_some_joined_tasks_have_two_of_what_every_problem_has_one_of() -> None:
    tasks = [read_painter(tiles) for tiles in (2, 3, 4)]
    variants = Variants(tasks, Random(0))
    robots = set()
    for seed in MANY:
        task = variants.draw(Random(seed), tasks, 14, larger_than=7)
        if task is not None:
            robots.add(len(task.init["type:robot"]))
            assert len(task.init["at"]) == len(task.init["type:robot"])
    assert robots >= {1, 2}


def test_what_every_problem_has_the_same_of_stays_the_same() -> None:
    tasks = [read_painter(tiles) for tiles in (2, 3, 4)]
    variants = Variants(tasks, Random(0))
    for seed in MANY:
        task = variants.draw(Random(seed), tasks, 14, larger_than=7)
        assert task is None or len(task.init["type:side"]) == 2
