"""States by pymimir, an independent successor generator, for domains in which it is right: conjunctions of atoms."""

import re
from collections.abc import Iterator

import pymimir

from skolem.task.model import Task, make_relation
from skolem.task.query import CodedAtom, Relations


def open_problem(task: Task) -> pymimir.State:
    """The initial state of a task, whose names must be plain."""
    start, end = task.goal_span
    problem = f"{task.source.text[:start]}(:goal (and)){task.source.text[end:]}"
    return pymimir.Problem(pymimir.Domain(_clean(task.domain.source.text)), _clean(problem)).get_initial_state()


def _clean(text: str) -> str:
    """The text without comments, which pymimir does not expect at the beginning."""
    return re.sub(";.*", "", text).strip()


def list_after(state: pymimir.State) -> Iterator[pymimir.State]:
    """The states after every applicable action."""
    for action in state.generate_applicable_actions():
        yield action.apply(state)


def list_atoms(task: Task, state: pymimir.State) -> frozenset[CodedAtom]:
    """The atoms of a state that actions change."""
    fluents = task.domain.predicates.keys() - task.domain.static
    return frozenset(
        (name, tuple(task.index[term.get_name()] for term in atom.get_terms()))
        for atom in state.get_atoms()
        if (name := atom.get_predicate().get_name()) in fluents
    )


def read_relations(task: Task, state: pymimir.State) -> Relations:
    """All relations of a state."""
    atoms = list_atoms(task, state)
    arities = {n: len(types) for n, types in task.domain.predicates.items() if n not in task.domain.static}
    return {**task.init, **{n: make_relation([a for p, a in atoms if p == n], k) for n, k in arities.items()}}
