"""Is a task in order? Its mistakes, what its goal means, how it would be solved, and what can never be true."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from math import prod
from typing import Any

from skolem.grounding.alternatives import MOST_VARIABLES, list_bindable
from skolem.grounding.models import list_fitting, list_folders
from skolem.grounding.own_models import explain_fit
from skolem.pddl.domain import read_domain
from skolem.pddl.faults import Faults
from skolem.pddl.reading import read_task_text
from skolem.pddl.sections import PROBLEM_SECTIONS, open_definition, read_source, split_sections
from skolem.pddl.wording import word_formula
from skolem.pddl.writing import format_formula, spell_as_written
from skolem.planning.exact import choose_routes
from skolem.support.errors import LimitError, SkolemError, UnsupportedError
from skolem.task.attributes import find_attributes
from skolem.task.constraints.candidates import iterate_valid
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.goals import join_literals
from skolem.task.model import Domain, Source, Task, type_relation
from skolem.task.proofs.impossible import MOST_RULES, find_impossible_atoms
from skolem.task.satisfaction import satisfy
from skolem.task.semantics.dynamics import Dynamics
from skolem.task.semantics.relaxation import find_possible

MOST_COUNTED = 10_000
"""Bindings that are counted one by one."""


@dataclass(frozen=True)
class ModelFit:
    """Whether a model would choose the objects, and why."""

    name: str
    used: bool
    reason: str


@dataclass(frozen=True)
class Check:
    """What was found out about a domain and a problem; all but errors and warnings needs a task without errors."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    """What the files hold, one line each."""
    goal: str = ""
    """The goal in words."""
    normal_form: tuple[str, ...] = ()
    """The alternatives of the goal, as PDDL text."""
    residuals: tuple[str, ...] = ()
    """What of each alternative is left to the planner; empty texts where that is nothing."""
    bindings: int | None = None
    """How many bindings fit the static description; at least so many where `counted` is False."""
    counted: bool = True
    combinations: int | None = None
    """How many there would be of objects of the right types."""
    true_already: bool = False
    route: str = ""
    """Which route `plan` would take first, and why."""
    models: tuple[ModelFit, ...] = ()
    impossible: tuple[str, ...] = ()
    """Atoms of the goal that no action can ever make true."""
    unsolvable: bool = False
    """Whether that proves the goal unsolvable."""
    never_true: tuple[str, ...] = ()
    """Predicates of which nothing is ever true."""
    never_taken: tuple[str, ...] = ()
    """Actions that can never be taken."""
    unknown: str = ""
    """Why it is not known what can never be true."""

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain values, ready for JSON."""
        status = {"status": "error" if self.errors else "checked"}
        return status | {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def check_files(domain: str, problem: str | None = None) -> Check:
    """What is to be said of a domain file and a problem file; mistakes of both are told together."""
    errors: list[str] = []
    known: Domain | None = None
    text: Source | None = None
    try:
        known = read_domain(read_source(domain))
    except SkolemError as error:
        errors += _list_errors(error)
    try:
        text = None if problem is None else read_source(problem)
        if known is None and text is not None:
            _check_form(text)
    except SkolemError as error:
        errors += _list_errors(error)
    if known is None or errors:
        return Check(tuple(errors))
    if text is None:
        return Check((), known.warnings, (_describe_domain(known),))
    try:
        return check_task(read_task_text(known.source, text))
    except SkolemError as error:
        return Check(tuple(_list_errors(error)), known.warnings)


def _check_form(problem: Source) -> None:
    """Finds what is wrong with a problem whatever its domain is."""
    faults = Faults(problem)
    _, forms = open_definition(faults, faults.parse(), "problem")
    split_sections(faults, forms, PROBLEM_SECTIONS)
    faults.finish()


def _list_errors(error: SkolemError) -> Iterator[str]:
    others, error.others = error.others, ()
    yield str(error)
    yield from map(str, others)


def check_task(task: Task) -> Check:
    """What is to be said of a task that could be read."""
    style = spell_as_written(task)
    alternatives = list_alternatives(task)
    impossible, unsolvable, never_true, never_taken, unknown = _find_impossible(task)
    bindings, counted = _count_bindings(alternatives)
    return Check(
        errors=(),
        warnings=task.warnings,
        summary=(_describe_domain(task.domain), _describe_problem(task)),
        goal=word_formula(task.goal.formula, style),
        normal_form=tuple(format_formula(join_literals(t.goal), style) for t in alternatives),
        residuals=tuple(
            "" if t.goal.residual is None else format_formula(t.goal.residual, style) for t in alternatives
        ),
        bindings=bindings,
        counted=counted,
        combinations=sum(prod(_count_typed(t, v.types) for v in t.goal.variables) for t in alternatives),
        true_already=satisfy(task, task.init) is not None,
        route=_describe_route(task, bindings),
        models=tuple(ModelFit(fit.model.name, fit.used, fit.reason) for fit in explain_fit(task)[0]),
        impossible=impossible,
        unsolvable=unsolvable,
        never_true=never_true,
        never_taken=never_taken,
        unknown=unknown,
    )


def _describe_domain(domain: Domain) -> str:
    attributes = sum(name in domain.predicates for name in find_attributes(domain))
    parts = [_count(len(domain.actions), "action"), _count(len(domain.predicates), "predicate")]
    parts += [_count(len(domain.axioms), "axiom")] if domain.axioms else []
    describing = f", {attributes} of which only describe objects" if attributes else ""
    return f"{domain.source.path}: domain {domain.name} with {', '.join(parts)}{describing}"


def _describe_problem(task: Task) -> str:
    facts = sum(len(rows) for name, rows in task.init.items() if name in task.domain.predicates)
    costs = ", costs of actions count" if task.has_metric else ""
    parts = f"{_count(len(task.objects), 'object')}, {_count(facts, 'fact')}"
    return f"{task.source.path}: problem {task.name} with {parts}{costs}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _count_typed(task: Task, types: tuple[str, ...]) -> int:
    rows = task.init.get(type_relation(types))
    return len(task.objects) if rows is None or "object" in types else len(rows)


def _count_bindings(alternatives: tuple[Task, ...]) -> tuple[int | None, bool]:
    """How many bindings of all alternatives fit, and whether all were counted."""
    total = 0
    for task in alternatives:
        if not task.goal.variables:
            total += 1
            continue
        found = iterate_valid(task.query, task.statics, len(task.objects))
        try:
            total += sum(1 for _ in islice(found, MOST_COUNTED + 1 - min(total, MOST_COUNTED)))
        except LimitError:
            return total or None, False
        if total > MOST_COUNTED:
            return MOST_COUNTED, False
    return total, True


def _describe_route(task: Task, bindings: int | None) -> str:
    """The route that `plan` takes first, as its message would say it."""
    if bindings == 0:
        return "none: no objects fit the goal's static description, which is the answer"
    try:
        parts, complete = list_bindable(task, list_fitting(task, *list_folders(False)), MOST_VARIABLES)
    except (UnsupportedError, LimitError) as error:
        first, *others = choose_routes(task, "lama-first")
        then = f", then {others[0]}" if others else ""
        return f"exact ({first}{then}): {str(error).splitlines()[0]}"
    names = ", ".join(dict.fromkeys(part.model.name for part in parts))
    reasons = [part.reason for part in parts if part.reason]
    left = f"; partly left to the planner: {reasons[0]}" if reasons else ""
    some = "" if complete else "; not all alternatives can be bound, the exact route has them all"
    return f"learned, by the model {names}{left}{some}"


def _find_impossible(task: Task) -> tuple[tuple[str, ...], bool, tuple[str, ...], tuple[str, ...], str]:
    """Atoms of the goal, predicates and actions of which nothing can ever be, and why that is not known."""
    style = spell_as_written(task)
    try:
        found = find_impossible_atoms(task)
        possible = find_possible(Dynamics(task), MOST_RULES)
    except LimitError as error:
        return (), False, (), (), str(error)
    rows = {name: bool(tuples) for name, tuples in possible.tuples.items()}
    # A domain has more attributes, such as colours, than most problems use.
    rows |= {name: len(task.init[name]) > 0 for name in task.domain.static - find_attributes(task.domain)}
    # The rules of actions come first, one for each.
    applied = list(possible.applied.values())[: len(task.domain.actions)]
    taken = zip((action.name for action in task.domain.actions), applied, strict=True)
    return (
        tuple(format_formula(atom, style) for atom in found.atoms),
        found.whole,
        tuple(name for name in task.domain.predicates if not rows.get(name, True)),
        tuple(name for name, objects in taken if not objects),
        "",
    )
