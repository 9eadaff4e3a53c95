"""What the generators of the suite share: objects with attributes, goals about them, and the text of a problem."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random

from skolem.families.family import NamedAtom, write_atom

UNTYPED = "object"


def number_objects(prefix: str, count: int) -> list[str]:
    """The names `prefix1`, `prefix2`, and so on."""
    return [f"{prefix}{i}" for i in range(1, count + 1)]


def spread(rng: Random, names: Sequence[str], marks: Sequence[str]) -> dict[str, str]:
    """A mark for every object, each mark about equally often."""
    order = rng.sample(names, len(names))
    given = {name: marks[i % len(marks)] for i, name in enumerate(order)}
    return {name: given[name] for name in names}


def divide(rng: Random, size: int, fewest: Sequence[int], most: Sequence[int]) -> list[int]:
    """The numbers of objects of each kind, at least `fewest`, at most `most` and with that sum if they allow it."""
    counts = list(fewest)
    while sum(counts) < size:
        room = [i for i, count in enumerate(counts) if count < most[i]]
        if not room:
            break
        counts[rng.choice(room)] += 1
    return counts


def join_places(rng: Random, places: Sequence[str], more: int = 0) -> list[tuple[str, str]]:
    """A random tree over the places and a few pairs more, each pair once."""
    pairs = [(rng.choice(places[max(0, i - 3) : i]), place) for i, place in enumerate(places) if i]
    others = [pair for pair in combinations(places, 2) if pair not in pairs]
    return pairs + rng.sample(others, min(more, len(others)))


def both_ways(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Every pair and its reverse."""
    return [way for a, b in pairs for way in ((a, b), (b, a))]


class Goal:
    """An existential goal that grows by variables and literals."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.parts: list[str] = []

    def add_variable(self, stem: str, kind: str = UNTYPED) -> str:
        """A variable whose name is the stem and a number."""
        name = f"?{stem}{sum(other.startswith(f'?{stem}') for other in self.kinds) + 1}"
        self.kinds[name] = kind
        return name

    def add(self, *atom: str) -> None:
        """Demands an atom."""
        self.parts.append(write_atom(atom))

    def deny(self, *atom: str) -> None:
        """Demands that an atom is false."""
        self.parts.append(f"(not {write_atom(atom)})")

    def differ(self, names: Iterable[str]) -> None:
        """Demands that variables are pairwise different."""
        self.parts.extend(f"(not (= {a} {b}))" for a, b in combinations(names, 2))

    def demand(self, formula: str) -> None:
        """Demands any formula."""
        self.parts.append(formula)

    def write(self) -> str:
        """The goal in PDDL."""
        variables = " ".join(name if kind == UNTYPED else f"{name} - {kind}" for name, kind in self.kinds.items())
        lines = "\n".join(f"      {part}" for part in self.parts)
        return f"(exists ({variables})\n    (and\n{lines}))"


def write_problem(
    domain: str,
    size: int,
    objects: Mapping[str, Sequence[str]],
    init: Iterable[NamedAtom],
    goal: Goal,
    values: Mapping[NamedAtom, int] | None = None,
) -> str:
    """The PDDL problem; `objects` are given by their types, and with `values` plans are compared by their cost."""
    groups = [(" ".join(names), kind) for kind, names in objects.items() if names]
    declared = "\n".join(f"    {names}" if kind == UNTYPED else f"    {names} - {kind}" for names, kind in groups)
    facts = [write_atom(atom) for atom in init]
    facts += [f"(= {write_atom(term)} {value})" for term, value in (values or {}).items()]
    metric = "" if values is None else "\n  (:metric minimize (total-cost))"
    stated = "\n".join(f"    {fact}" for fact in facts)
    return (
        f"(define (problem {domain}-{size})\n  (:domain {domain})\n  (:objects\n{declared})\n"
        f"  (:init\n{stated})\n  (:goal {goal.write()}){metric})\n"
    )
