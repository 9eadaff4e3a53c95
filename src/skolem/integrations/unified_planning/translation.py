"""A problem of unified-planning as a task, and plans, bindings and goals of the task in terms of the problem."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from unified_planning.exceptions import UPException
from unified_planning.io import PDDLReader, PDDLWriter
from unified_planning.model import FNode, Object, Problem, Variable
from unified_planning.plans import ActionInstance, SequentialPlan

from skolem.pddl.reading import read_task_text
from skolem.support.errors import UnsupportedError
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or
from skolem.task.formulas import Variable as TaskVariable
from skolem.task.model import Binding, Source, Task

_EMPTY_GOAL = re.compile(r"\(:goal \(and\s*\)\s*\)")
_NO_NAME = re.compile(r"[^0-9a-z_-]")


@dataclass(frozen=True)
class Translation:
    """A problem, the task that it means, and how names lead from one to the other."""

    problem: Problem
    task: Task
    writer: PDDLWriter
    variables: Mapping[str, Variable] = field(default_factory=dict)
    """The problem's own variable of each variable of the goal."""

    @property
    def is_renamed(self) -> bool:
        """Whether an action, a fluent or an object has a name that PDDL cannot write."""
        named = (*self.problem.actions, *self.problem.fluents, *self.problem.all_objects)
        return any(self.writer.otn_renamings.get(item, item.name) != item.name for item in named)

    def rename(self, bound: Problem) -> tuple[Problem, Callable[[ActionInstance], ActionInstance]]:
        """The problem with another goal in names that every planner can write, and its steps as the problem's own."""
        writer = PDDLWriter(bound)
        plain = PDDLReader(bound.environment).parse_problem_string(writer.get_domain(), writer.get_problem())

        def restore(instance: ActionInstance) -> ActionInstance:
            manager = bound.environment.expression_manager
            names = [writer.get_item_named(parameter.object().name).name for parameter in instance.actual_parameters]
            action = self.problem.action(writer.get_item_named(instance.action.name).name)
            return ActionInstance(action, tuple(manager.ObjectExp(self.problem.object(name)) for name in names))

        return plain, restore

    def read_plan(self, plan: Sequence[str]) -> SequentialPlan:
        """A plan of the task as one for the problem."""
        return SequentialPlan([self._read_step(step) for step in plan], self.problem.environment)

    def write_plan(self, plan: SequentialPlan) -> tuple[str, ...]:
        """A plan for the problem as one of the task."""
        return tuple(self._write_step(instance) for instance in plan.actions)

    def read_binding(self, binding: Binding) -> dict[Variable, Object]:
        """A binding in the problem's variables and objects.

        A variable of which the task made several (one that several quantifiers share, one below a `forall`) has the
        name that the task gave it.
        """
        return {self._read_variable(name): self._read_object(obj) for name, obj in binding.items()}

    def name_object(self, name: str) -> str:
        """What the problem calls an object of the task."""
        return str(self._read_object(name).name)

    def read_formula(self, formula: Formula) -> FNode:
        """A formula of the task as an expression of the problem."""
        return self._read_formula(formula, {})

    def _read_step(self, step: str) -> ActionInstance:
        name, *objects = step.strip("()").split()
        action = self.problem.action(self.writer.get_item_named(name).name)
        return ActionInstance(action, tuple(map(self._read_object_expression, objects)))

    def _write_step(self, instance: ActionInstance) -> str:
        objects = [self.writer.get_pddl_name(parameter.object()) for parameter in instance.actual_parameters]
        return f"({' '.join([self.writer.get_pddl_name(instance.action), *objects])})"

    def _read_object(self, name: str) -> Object:
        return self.problem.object(self.writer.get_item_named(name).name)

    def _read_object_expression(self, name: str) -> FNode:
        return self.problem.environment.expression_manager.ObjectExp(self._read_object(name))

    def _read_variable(self, name: str) -> Variable:
        # Further ones of a variable are called ?x@2, ?x@3, ...
        own = self.variables[name.partition("@")[0]]
        return own if name in self.variables else Variable(name.removeprefix("?"), own.type, own.environment)

    def _read_formula(self, formula: Formula, bound: Mapping[str, Variable]) -> FNode:
        manager = self.problem.environment.expression_manager
        again = partial(self._read_formula, bound=bound)

        def read_term(term: TaskVariable | str) -> FNode:
            if isinstance(term, TaskVariable):
                return manager.VariableExp(bound[term.name])
            return self._read_object_expression(term)

        match formula:
            case Atom(predicate, terms):
                fluent = self.problem.fluent(self.writer.get_item_named(predicate).name)
                return manager.FluentExp(fluent, tuple(map(read_term, terms)))
            case Equal(left, right):
                return manager.Equals(read_term(left), read_term(right))
            case Not(body):
                return manager.Not(again(body))
            case And(parts):
                return manager.And(list(map(again, parts)))
            case Or(parts):
                return manager.Or(list(map(again, parts)))
            case Exists(variables, body) | Forall(variables, body):
                own = {variable.name: self._read_variable(variable.name) for variable in variables}
                inner = self._read_formula(body, {**bound, **own})
                quantify = manager.Exists if isinstance(formula, Exists) else manager.Forall
                return quantify(inner, *own.values())


def translate(problem: Problem) -> Translation:
    """The task that a problem means; an UnsupportedError for what PDDL cannot say."""
    # Its goal is written by ourselves: the writer's simplifier changes it, and not in the same way every time.
    bare = problem.clone()
    bare.clear_goals()
    try:
        writer = PDDLWriter(bare, rewrite_bool_assignments=True)
        domain, text = writer.get_domain(), writer.get_problem()
        goal = _GoalWriter(writer, problem)
        condition = goal.write(problem.environment.expression_manager.And(problem.goals))
    except UPException as error:
        raise UnsupportedError(f"the problem cannot be written as PDDL: {error}") from error
    whole, count = _EMPTY_GOAL.subn(lambda found: f"(:goal {condition})", text)
    assert count == 1, "the writer writes an empty goal in another way"
    task = read_task_text(Source("<domain>", domain), Source("<problem>", whole))
    return Translation(problem, task, writer, goal.variables)


class _GoalWriter:
    """Writes a goal as PDDL; every quantifier has variables of its own."""

    def __init__(self, writer: PDDLWriter, problem: Problem) -> None:
        self._writer, self._problem = writer, problem
        self.variables: dict[str, Variable] = {}
        self._known: set[Variable] = set()

    def write(self, expression: FNode) -> str:
        """The expression as PDDL text."""
        return "".join(self._write(expression, {}))

    def _write(self, e: FNode, names: Mapping[Variable, str]) -> Iterator[str]:
        if (e.is_exists() or e.is_forall()) and not all(self._is_known(variable.type) for variable in e.variables()):
            # A type that only the goal mentions has no objects.
            yield "(or)" if e.is_exists() else "(and)"
        elif e.is_exists() or e.is_forall():
            own = {variable: self._name(variable) for variable in e.variables()}
            typed = " ".join(f"{name} - {self._name_type(variable.type)}" for variable, name in own.items())
            yield f"({'exists' if e.is_exists() else 'forall'} ({typed}) "
            yield from self._write(e.arg(0), {**names, **own})
            yield ")"
        elif e.is_and() or e.is_or() or e.is_not() or e.is_implies() or e.is_equals():
            word = "and" if e.is_and() else "or" if e.is_or() else "not" if e.is_not() else "imply"
            yield f"({'=' if e.is_equals() else word}"
            for part in e.args:
                yield " "
                yield from self._write(part, names)
            yield ")"
        elif e.is_iff():
            manager, (left, right) = self._problem.environment.expression_manager, e.args
            yield from self._write(manager.And(manager.Implies(left, right), manager.Implies(right, left)), names)
        elif e.is_fluent_exp():
            yield f"({self._writer.get_pddl_name(e.fluent())}"
            for part in e.args:
                yield " "
                yield from self._write(part, names)
            yield ")"
        elif e.is_variable_exp():
            yield names[e.variable()]
        elif e.is_object_exp():
            yield self._writer.get_pddl_name(e.object())
        elif e.is_bool_constant():
            yield "(and)" if e.is_true() else "(or)"
        else:
            raise UnsupportedError(f"the goal has {e}, expected a condition on facts and objects")

    def _name(self, variable: Variable) -> str:
        base = f"?{_NO_NAME.sub('_', variable.name.lower())}"
        base = base if base[1:2].isalpha() else f"?x{base[1:]}"
        name, number = base, 1
        while name in self.variables:
            number += 1
            name = f"{base}_{number}"
        known = variable in self._known
        self.variables[name] = Variable(name[1:], variable.type, variable.environment) if known else variable
        self._known.add(variable)
        return name

    def _is_known(self, kind: Any) -> bool:
        return kind in self._problem.user_types

    def _name_type(self, kind: Any) -> str:
        # The writer leaves out the one type that PDDL has anyway.
        return "object" if kind.name == "object" and not kind.father else str(self._writer.get_pddl_name(kind))
