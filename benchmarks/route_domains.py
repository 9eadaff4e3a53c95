"""Tasks of two domains besides the five families: typed transport, and a household with action costs and axioms."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random

TRANSPORT = """
(define (domain transport)
  (:requirements :strips :typing)
  (:types vehicle package - thing truck plane - vehicle town airport - place)
  (:predicates (at ?t - thing ?p - place) (in ?p - package ?v - vehicle) (road ?a ?b - place)
    (fragile ?p - package) (heavy ?p - package) (plain ?p - package) (coastal ?p - place))
  (:action load :parameters (?p - package ?v - vehicle ?x - place)
    :precondition (and (at ?p ?x) (at ?v ?x)) :effect (and (in ?p ?v) (not (at ?p ?x))))
  (:action unload :parameters (?p - package ?v - vehicle ?x - place)
    :precondition (and (in ?p ?v) (at ?v ?x)) :effect (and (at ?p ?x) (not (in ?p ?v))))
  (:action drive :parameters (?t - truck ?x ?y - place)
    :precondition (and (at ?t ?x) (road ?x ?y)) :effect (and (at ?t ?y) (not (at ?t ?x))))
  (:action fly :parameters (?v - plane ?x ?y - airport)
    :precondition (at ?v ?x) :effect (and (at ?v ?y) (not (at ?v ?x)))))
"""

HOUSEHOLD = """
(define (domain household)
  (:requirements :typing :negative-preconditions :action-costs :conditional-effects :derived-predicates)
  (:types room item - object cup plate book - item)
  (:predicates (robot-at ?r - room) (in ?i - item ?r - room) (held ?i - item) (clean ?i - item) (busy)
    (sink ?r - room) (door ?a ?b - room) (open ?a ?b - room) (passable ?a ?b - room) (blue ?i - item))
  (:functions (total-cost) - number (distance ?a ?b - room) - number)
  (:derived (passable ?a ?b - room) (and (door ?a ?b) (or (open ?a ?b) (open ?b ?a))))
  (:action unlock :parameters (?a ?b - room) :precondition (and (robot-at ?a) (door ?a ?b) (not (busy)))
    :effect (and (open ?a ?b) (increase (total-cost) 1)))
  (:action walk :parameters (?a ?b - room) :precondition (and (robot-at ?a) (passable ?a ?b))
    :effect (and (robot-at ?b) (not (robot-at ?a)) (increase (total-cost) (distance ?a ?b))))
  (:action take :parameters (?i - item ?r - room) :precondition (and (robot-at ?r) (in ?i ?r) (not (busy)))
    :effect (and (held ?i) (busy) (not (in ?i ?r)) (increase (total-cost) 1)))
  (:action put :parameters (?i - item ?r - room) :precondition (and (robot-at ?r) (held ?i))
    :effect (and (not (held ?i)) (not (busy)) (in ?i ?r) (when (sink ?r) (clean ?i)) (increase (total-cost) 1))))
"""


@dataclass(frozen=True)
class Sample:
    """A generated task."""

    name: str
    family: str
    neq: bool
    size: int
    variables: int
    domain_text: str
    problem_text: str


def list_samples(per_setting: int, seed: int) -> Iterator[Sample]:
    """Tasks of both domains, with and without inequality, with 3 to 6 variables in turn."""
    for family, draw in (("transport", draw_transport), ("household", draw_household)):
        for neq in (False, True):
            for index in range(per_setting):
                yield draw(
                    Random(f"{family}/{neq}/{seed}/{index}"), f"{family}{'-neq' * neq}-{index}", neq, 3 + index % 4
                )


def draw_transport(rng: Random, name: str, neq: bool, variables: int) -> Sample:
    """Packages described by a property must meet at a place on the coast, where none of them is yet."""
    airports = [f"a{i}" for i in range(rng.randint(2, 4))]
    towns = [f"t{i}" for i in range(rng.randint(8, 20))]
    trucks = [f"v{i}" for i in range(len(airports))]
    kinds = {f"p{i}": rng.choice(("fragile", "heavy", "plain")) for i in range(rng.randint(12, 40))}
    coast = set(rng.sample(towns, 3))
    init = [f"(at {v} {a})" for v, a in zip(trucks, airports, strict=True)] + ["(at plane1 a0)"]
    for i, town in enumerate(towns):
        # Every truck serves the towns of its own airport.
        served = [t for j, t in enumerate(towns[:i]) if (i - j) % len(airports) == 0]
        near = rng.choice([airports[i % len(airports)], *served])
        init += [f"(road {town} {near})", f"(road {near} {town})"]
    inland = [x for x in towns + airports if x not in coast]
    init += [f"(at {p} {rng.choice(inland)}) ({kind} {p})" for p, kind in kinds.items()]
    init += [f"(coastal {x})" for x in sorted(coast)]
    wanted = {f"?p{i}": kinds[p] for i, p in enumerate(rng.sample(sorted(kinds), variables - 1))}
    atoms = [f"(at {v} ?x) ({kind} {v})" for v, kind in wanted.items()] + ["(coastal ?x)"]
    atoms += [f"(not (= {v} {w}))" for v, w in combinations(wanted, 2) if neq]
    goal = f"(exists ({' '.join(wanted)} - package ?x - place) (and {' '.join(atoms)}))"
    objects = f"{' '.join(towns)} - town {' '.join(airports)} - airport {' '.join(kinds)} - package"
    objects += f" {' '.join(trucks)} - truck plane1 - plane"
    size = len(towns) + 2 * len(airports) + len(kinds) + 1
    return Sample(name, "transport", neq, size, variables, TRANSPORT, write_problem("transport", objects, init, goal))


def draw_household(rng: Random, name: str, neq: bool, variables: int) -> Sample:
    """Items described by kind, colour and cleanness must be together in a room that is not the kitchen."""
    rooms = ["kitchen", *(f"r{i}" for i in range(rng.randint(5, 15)))]
    kinds = {f"i{i}": rng.choice(("cup", "plate", "book")) for i in range(rng.randint(12, 40))}
    blue = {item for item in kinds if rng.random() < 0.4}
    init = ["(robot-at kitchen)", "(sink kitchen)", "(= (total-cost) 0)", *(f"(blue {item})" for item in sorted(blue))]
    links = [*pairwise(rooms), *(tuple(rng.sample(rooms, 2)) for _ in rooms)]
    for a, b in sorted({tuple(sorted(link)) for link in links}):
        far = rng.randint(1, 9)
        init += [f"(door {a} {b})", f"(door {b} {a})", f"(= (distance {a} {b}) {far})", f"(= (distance {b} {a}) {far})"]
    init += [f"(in {item} {rng.choice(rooms)})" for item in kinds]
    wanted = {f"?i{i}": item for i, item in enumerate(rng.sample(sorted(kinds), variables - 1))}
    atoms = [f"(in {v} ?r)" for v in wanted] + ["(not (= ?r kitchen))", "(clean ?i0)"]
    atoms += [f"({'blue' if item in blue else 'clean'} {v})" for v, item in wanted.items()]
    atoms += [f"(not (= {v} {w}))" for v, w in combinations(wanted, 2) if neq]
    variable_list = " ".join(f"{v} - {kinds[item]}" for v, item in wanted.items())
    goal = f"(exists ({variable_list} ?r - room) (and {' '.join(atoms)}))"
    objects = f"{' '.join(rooms)} - room {' '.join(f'{item} - {kind}' for item, kind in kinds.items())}"
    text = write_problem("household", objects, init, goal, "(:metric minimize (total-cost))")
    return Sample(name, "household", neq, len(rooms) + len(kinds), variables, HOUSEHOLD, text)


def write_problem(domain: str, objects: str, init: list[str], goal: str, metric: str = "") -> str:
    """A PDDL problem."""
    return (
        f"(define (problem p) (:domain {domain}) (:objects {objects}) (:init {' '.join(init)}) (:goal {goal}) {metric})"
    )
