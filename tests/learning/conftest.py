"""A small domain with six problems, for learning in a few seconds."""

from pathlib import Path
from random import Random

import pytest

DOMAIN = """(define (domain ferry)
  (:requirements :strips :typing :equality)
  (:types car place)
  (:predicates (docked ?p - place) (at ?c - car ?p - place) (aboard ?c - car) (empty) (red ?x) (blue ?x))
  (:action sail :parameters (?a ?b - place) :precondition (and (docked ?a) (not (= ?a ?b)))
    :effect (and (docked ?b) (not (docked ?a))))
  (:action board :parameters (?c - car ?p - place) :precondition (and (docked ?p) (at ?c ?p) (empty))
    :effect (and (aboard ?c) (not (at ?c ?p)) (not (empty))))
  (:action land :parameters (?c - car ?p - place) :precondition (and (docked ?p) (aboard ?c))
    :effect (and (at ?c ?p) (empty) (not (aboard ?c)))))"""
GOALS = (
    "(:goal (exists (?c - car ?p - place) (and (at ?c ?p) (red ?c) (blue ?p))))",
    "(:goal (at c0 p0))",
    "",
)
"""Quantified, ground and missing."""


def write_problem(rng: Random, cars: int, places: int, goal: str) -> str:
    """A problem with everything at random places."""
    names = [f"c{i}" for i in range(cars)] + [f"p{i}" for i in range(places)]
    facts = [f"(at c{i} p{rng.randrange(places)})" for i in range(cars)]
    facts += [f"({rng.choice(('red', 'blue'))} {name})" for name in names]
    objects = f"{' '.join(names[:cars])} - car {' '.join(names[cars:])} - place"
    init = f"(docked p{rng.randrange(places)}) (empty) {' '.join(facts)}"
    return f"(define (problem p) (:domain ferry) (:objects {objects}) (:init {init}) {goal})"


@pytest.fixture(scope="session")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The files of the domain and of its problems."""
    folder, rng = tmp_path_factory.mktemp("ferry"), Random(3)
    files = [folder / "domain.pddl"]
    files[0].write_text(DOMAIN)
    for number in range(6):
        files.append(folder / f"p{number}.pddl")
        files[-1].write_text(write_problem(rng, 2, rng.randint(2, 3), GOALS[number % 3]))
    return tuple(map(str, files))


@pytest.fixture(scope="session")
def large(ferry: tuple[str, ...]) -> Path:
    """A larger problem of the domain."""
    path = Path(ferry[0]).parent / "large.pddl"
    goal = "(:goal (exists (?c - car ?p - place) (and (aboard ?c) (docked ?p) (red ?c) (blue ?p))))"
    path.write_text(write_problem(Random(9), 5, 5, goal))
    return path
