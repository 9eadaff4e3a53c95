"""Larger tasks with goals of known costs, as PDDL text too, so that other routes can be asked about them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from skolem.oracle.bindings import View
from skolem.oracle.costs import SpaceCache
from skolem.oracle.labels import BindingCosts
from skolem.oracle.masks import MASKS, PAIRS
from skolem.oracle.training_tasks import Origin, TrainingTask
from skolem.pddl.reading import read_task_text
from skolem.pddl.sexpr import Form, parse_form
from skolem.pddl.writing import format_formula, format_typed
from skolem.support.errors import LimitError
from skolem.task.formulas import And, Atom, Equal, Exists, Formula, Not, Term, Variable
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Domain, Source, Task
from skolem.task.query import CodedAtom, Query

MOST_BINDINGS = 4_000
_EACH = 2
"""Goals that are taken of each task."""
_MOST_IDLE = 200
"""Tasks in a row without such a goal after which it is given up."""


@dataclass(frozen=True, eq=False)
class DrawnGoal:
    """A goal of a task, and what each of its valid bindings costs."""

    task: Task
    """The task with its goal, as read from text, its negated atoms resolved."""
    costs: BindingCosts

    @property
    def best(self) -> int:
        """V* of the goal."""
        assert self.costs.best is not None
        return self.costs.best

    def find_cost(self, binding: Mapping[str, str]) -> tuple[int | None, bool]:
        """The cost of a binding, None where it is unreachable, and whether that is only a lower bound."""
        objects = [self.task.index[binding[f"?x{i}"]] for i in range(self.costs.bindings.shape[1])]
        found = np.flatnonzero((self.costs.bindings == np.array(objects)).all(axis=1))
        cost = int(self.costs.costs[found[0]]) if len(found) else -1
        if cost == -2:
            return self.costs.bound, True
        return (None if cost < 0 else cost), False


def draw_goals(origin: Origin, rng: Random, spaces: SpaceCache, part: str = "larger") -> Iterator[DrawnGoal]:
    """Goals that take at least one step and leave a choice, until none is found for long."""
    idle = 0
    while idle < _MOST_IDLE:
        idle += 1
        for drawn in origin.draw_tasks(rng, part, spaces)[:_EACH]:
            query = drawn.draw_goal(rng)
            try:
                costs = BindingCosts(
                    View(drawn.space, drawn.initial), drawn.statics, drawn.objects, query, MOST_BINDINGS
                )
            except LimitError:
                continue
            if not costs.best or len(costs.bindings) < 2:
                continue
            resolved = list_alternatives(read_drawn(drawn, query))
            if len(resolved) == 1 and resolved[0].goal.outside is None:
                yield DrawnGoal(resolved[0], costs)
                idle = 0


def read_drawn(drawn: TrainingTask, query: Query) -> Task:
    """A task with a goal, written as PDDL text with the made-up attributes declared, and read again."""
    task = drawn.task
    made_up = {name: name.replace(":", "-") for name in (*MASKS, *PAIRS) if name in drawn.statics}
    domain = Source(task.domain.source.path, _declare(task.domain, drawn, made_up))
    return read_task_text(domain, Source("drawn.pddl", _write_problem(drawn, query, made_up)))


def _declare(domain: Domain, drawn: TrainingTask, made_up: Mapping[str, str]) -> str:
    """The domain's text with some predicates more."""
    text = domain.source.text
    sections = [item for item in parse_form(domain.source).items if isinstance(item, Form)]
    end = next(form.end for form in sections if form.head == ":predicates") - 1
    names = ("?x", "?y")
    more = [f"({new} {' '.join(names[: drawn.statics[name].shape[1]])})" for name, new in made_up.items()]
    return f"{text[:end]} {' '.join(more)}{text[end:]}"


def _write_problem(drawn: TrainingTask, query: Query, made_up: Mapping[str, str]) -> str:
    task = drawn.task
    domain, objects = task.domain, task.objects
    own = [(name, task.types[name]) for name in objects if name not in domain.constants]
    facts = []
    for name in sorted(domain.predicates.keys() - domain.derived):
        facts += [_write_fact(name, [objects[o] for o in row]) for row in task.init[name].tolist()]
    for name, new in made_up.items():
        facts += [_write_fact(new, [objects[o] for o in row]) for row in drawn.statics[name].tolist()]
    facts += [f"(= ({' '.join(term)}) {value})" for term, value in sorted(task.values.items())]
    goal = format_formula(_write_goal(task, query, made_up))
    metric = " (:metric minimize (total-cost))" if task.has_metric else ""
    return (
        f"(define (problem drawn) (:domain {domain.name}) (:objects {format_typed(own)})\n"
        f"(:init {' '.join(facts)})\n(:goal {goal}){metric})"
    )


def _write_fact(name: str, args: Sequence[str]) -> str:
    return f"({' '.join([name, *args])})"


def _write_goal(task: Task, query: Query, made_up: Mapping[str, str]) -> Formula:
    """The query as a formula; atoms of types are the types of its variables."""
    supertypes = task.domain.supertypes
    kinds: list[set[str]] = [set() for _ in range(query.variables)]
    for name, args in query.atoms:
        if name.startswith("type:"):
            kinds[~args[0]].add(name.removeprefix("type:"))
    # Of a type and its supertypes the type says it all.
    types = [next((t for t in sorted(k) if k <= {t, *supertypes[t]}), "object") for k in kinds]
    variables = tuple(Variable(f"?x{i}", (kind,)) for i, kind in enumerate(types))

    def name_term(argument: int) -> Term:
        return variables[~argument] if argument < 0 else task.objects[argument]

    def write(atom: CodedAtom) -> Atom:
        return Atom(made_up.get(atom[0], atom[0]), tuple(name_term(a) for a in atom[1]))

    parts: list[Formula] = [write(atom) for atom in query.atoms if not atom[0].startswith("type:")]
    parts += [Not(write(atom)) for atom in query.denied]
    parts += [Not(Equal(name_term(a), name_term(b))) for a, b in query.unequal]
    return Exists(variables, And(tuple(parts)))
