"""PDDL files to tasks: every mistake is reported as one line with its place in the user's own file."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from skolem.pddl.beside import find_domain
from skolem.pddl.conditions import Binder, build_condition
from skolem.pddl.declarations import check_requirements, read_objects, read_spelling
from skolem.pddl.domain import read_domain
from skolem.pddl.faults import Faults, expect_name
from skolem.pddl.initial_state import make_type_relations, read_init
from skolem.pddl.names import Names
from skolem.pddl.sections import PROBLEM_SECTIONS, open_definition, read_source, split_sections
from skolem.pddl.sexpr import Form, Symbol, at, write
from skolem.support.errors import InputError, SkolemError, UnsupportedError
from skolem.task.costs import LARGEST_COST, find_overflow
from skolem.task.formulas import Formula
from skolem.task.goals import make_goal
from skolem.task.model import Domain, Source, Task
from skolem.task.query import Relations
from skolem.task.semantics.dynamics import Dynamics

__all__ = ["read_domain", "read_task", "read_task_text"]


def read_task(domain: str | Path | None, problem: str | Path, *, needs_goal: bool = True) -> Task:
    """The task in a domain file and a problem file; left out, the domain is found beside the problem."""
    found = read_source(find_domain(str(problem)) if domain is None else domain)
    return read_task_text(found, read_source(problem), needs_goal=needs_goal)


def read_task_text(domain: Source, problem: Source, *, needs_goal: bool = True) -> Task:
    """The task in the texts of a domain and a problem; an error with all mistakes of the first faulty one.

    Where it needs no goal, a problem without one has the goal `(and)`.
    """
    content = read_domain(domain)
    faults = Faults(problem)
    name, forms = open_definition(faults, faults.parse(), "problem")
    sections, _ = split_sections(faults, forms, PROBLEM_SECTIONS)
    if not needs_goal and ":goal" not in sections:
        end = problem.text.rindex(")")
        empty = Form((Symbol(":goal", end), Form((Symbol("and", end),), end, end)), end, end)
        metric = {name: sections.pop(name) for name in (":metric",) if name in sections}
        sections |= {":goal": empty, **metric}
    _check_sections(faults, sections, content)
    objects = read_objects(faults, sections.get(":objects"), content.supertypes, content.constants, "object")
    names = Names(
        faults=faults,
        supertypes=content.supertypes,
        predicates=content.predicates,
        functions=content.functions,
        objects={**content.constants, **objects},
        derived=content.derived,
    )
    init, values = read_init(names, sections[":init"])
    goal_form = sections[":goal"]
    try:
        formula = _read_goal(names, goal_form)
    except SkolemError as error:
        faults.add(error)
    faults.finish()
    goal = make_goal(formula, content.derived)
    types = make_type_relations(names, [v.types for v in goal.variables])
    task = Task(
        domain=content,
        name=name,
        source=problem,
        objects=tuple(names.objects),
        types=names.objects,
        init={**types, **init},
        goal=goal,
        goal_span=(goal_form.start, goal_form.end),
        spelling={**read_spelling(faults, sections.get(":objects")), **_read_variables(problem, goal_form)},
        values=values,
        has_metric=":metric" in sections,
        warnings=(*content.warnings, *faults.warnings),
    )
    _check_costs(task)
    return replace(task, init=_derive(task)) if content.axioms else task


def _derive(task: Task) -> Relations:
    """The initial state with the derived predicates."""
    dynamics = Dynamics(task)
    facts = dynamics.observe(dynamics.start)
    return {**task.init, **{name: facts[name] for name in task.domain.derived}}


def _check_sections(faults: Faults, sections: Mapping[str, Form], domain: Domain) -> None:
    """Finds fault with the sections; raises where what they hold cannot be checked."""
    order = [PROBLEM_SECTIONS.index(name) for name in sections]
    for (before, here), (name, form) in zip(pairwise([-1, *order]), sections.items(), strict=True):
        if here < before:
            faults.add(faults.error(f"'{name}' after '{PROBLEM_SECTIONS[before]}', expected it before", form))
    missing = [name for name in (":domain", ":init", ":goal") if name not in sections]
    # A section whose name has a mistake is not missing.
    for name in missing if not faults else ():
        what = "no goal" if name == ":goal" else f"no '{name}' section"
        message = f"the problem has {what}, expected '({name} ...)'"
        faults.add(InputError(message, at(faults.source, faults.source.text.rindex(")"))))
    if missing:
        faults.finish()
    try:
        _check_domain_name(faults, sections[":domain"], domain)
    except SkolemError as error:
        faults.add(error)
        faults.finish()
    if ":requirements" in sections:
        check_requirements(faults, sections[":requirements"])
    metric = sections.get(":metric")
    if metric is not None and write(metric) != "(:metric minimize (total-cost))":
        message = "this metric is not supported, expected '(:metric minimize (total-cost))'"
        faults.add(faults.unsupported(message, metric))
    elif metric is not None and "total-cost" not in domain.functions:
        message = "unknown function 'total-cost', expected it in the domain's ':functions'"
        faults.add(faults.error(message, metric))


def _check_domain_name(faults: Faults, form: Form, domain: Domain) -> None:
    named = expect_name(faults, form.items[1], "the domain").text if len(form.items) == 2 else ""
    if named != domain.name:
        message = f"the problem is for the domain '{named[:40]}', expected '{domain.name}' of {domain.source.path}"
        raise faults.error(message, form.items[1] if named else form)


def _read_goal(names: Names, form: Form) -> Formula:
    faults = names.faults
    example = "a condition such as '(exists (?x) (predicate ?x))'"
    if len(form.items) == 1 or (isinstance(form.items[1], Form) and not form.items[1].items):
        raise faults.error(f"the goal is empty, expected {example}", form.items[-1] if form.items[1:] else form)
    if len(form.items) > 2:
        raise faults.error("a second condition in the goal, expected '(and ...)' around both", form.items[2])
    return build_condition(Binder(names, counts=True), form.items[1])


def _read_variables(problem: Source, goal: Form) -> dict[str, str]:
    """The variables of the goal that are not written in lower case, as they are written first."""
    written = re.findall(r"\?[^\s()]+", problem.text[goal.start : goal.end])
    return {name.lower(): name for name in reversed(written) if name != name.lower()}


def _check_costs(task: Task) -> None:
    overflow = find_overflow(task) if task.has_metric else None
    if overflow is not None:
        action, cost = overflow
        message = f"the action '{action.name}' can cost {cost}, expected at most {LARGEST_COST}"
        raise UnsupportedError(f"{message}: the planner counts no further", at(task.domain.source, action.start))
