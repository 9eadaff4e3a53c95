"""PDDL files to tasks: every mistake is reported as one line with its place in the user's own file."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from skolem.pddl.conditions import Binder, build_condition
from skolem.pddl.declarations import check_requirements, read_objects, read_spelling
from skolem.pddl.domain import read_domain, read_domain_and_names
from skolem.pddl.initial_state import make_type_relations, read_init
from skolem.pddl.mimir import read_initial_state
from skolem.pddl.names import Names, expect_name
from skolem.pddl.sections import PROBLEM_SECTIONS, open_definition, read_source, refuse_section, split_sections
from skolem.pddl.sexpr import Form, at, parse_form, write
from skolem.support.errors import InputError, UnsupportedError
from skolem.task.formulas import Formula
from skolem.task.goals import make_goal
from skolem.task.model import Domain, Source, Task

__all__ = ["read_domain", "read_task", "read_task_text"]


def read_task(domain: str | Path, problem: str | Path) -> Task:
    """The task in a domain file and a problem file."""
    return read_task_text(read_source(domain), read_source(problem))


def read_task_text(domain: Source, problem: Source) -> Task:
    """The task in the texts of a domain and a problem."""
    content, names = read_domain_and_names(domain)
    name, forms = open_definition(problem, parse_form(problem), "problem")
    sections, rest = split_sections(problem, forms, PROBLEM_SECTIONS)
    if rest:
        refuse_section(problem, rest[0], PROBLEM_SECTIONS)
    _check_problem_sections(problem, sections, content)
    if ":metric" in sections and "total-cost" not in names.functions:
        message = "unknown function 'total-cost', expected it in the domain's ':functions'"
        raise InputError(message, at(problem, sections[":metric"].start))

    constants = names.objects
    objects = read_objects(problem, sections.get(":objects"), names.supertypes, constants, "object")
    vocabulary = replace(names, source=problem, objects={**constants, **objects})
    init, values = read_init(vocabulary, sections[":init"])
    goal_form = sections[":goal"]
    goal = make_goal(_read_goal(vocabulary, goal_form), content.derived)
    types = make_type_relations(vocabulary, [v.types for v in goal.variables])
    task = Task(
        domain=content,
        name=name,
        source=problem,
        objects=tuple(vocabulary.objects),
        types=vocabulary.objects,
        init={**types, **init},
        goal=goal,
        goal_span=(goal_form.start, goal_form.end),
        spelling=read_spelling(problem, sections.get(":objects")),
        values=values,
        has_metric=":metric" in sections,
    )
    return replace(task, init=read_initial_state(task)) if content.axioms else task


def _check_problem_sections(source: Source, sections: Mapping[str, Form], domain: Domain) -> None:
    order = [PROBLEM_SECTIONS.index(name) for name in sections]
    for (before, here), (name, form) in zip(pairwise([-1, *order]), sections.items(), strict=True):
        if here < before:
            message = f"'{name}' after '{PROBLEM_SECTIONS[before]}', expected it before"
            raise InputError(message, at(source, form.start))
    for name in (":domain", ":init", ":goal"):
        if name not in sections:
            what = "no goal" if name == ":goal" else f"no '{name}' section"
            raise InputError(f"the problem has {what}, expected '({name} ...)'", at(source, source.text.rindex(")")))
    form = sections[":domain"]
    named = expect_name(source, form.items[1], "the domain").text if len(form.items) == 2 else ""
    if named != domain.name:
        where = form.items[1] if named else form
        message = f"the problem is for the domain '{named[:40]}', expected '{domain.name}' of {domain.source.path}"
        raise InputError(message, at(source, where.start))
    if ":requirements" in sections:
        check_requirements(source, sections[":requirements"])
    metric = sections.get(":metric")
    if metric is not None and write(metric) != "(:metric minimize (total-cost))":
        message = "this metric is not supported, expected '(:metric minimize (total-cost))'"
        raise UnsupportedError(message, at(source, metric.start))


def _read_goal(vocabulary: Names, form: Form) -> Formula:
    example = "a condition such as '(exists (?x) (predicate ?x))'"
    if len(form.items) == 1 or (isinstance(form.items[1], Form) and not form.items[1].items):
        raise vocabulary.error(f"the goal is empty, expected {example}", form.items[-1] if form.items[1:] else form)
    if len(form.items) > 2:
        raise vocabulary.error("a second condition in the goal, expected '(and ...)' around both", form.items[2])
    return build_condition(Binder(vocabulary), form.items[1])
