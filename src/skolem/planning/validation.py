"""Plans checked without the planner: replayed step by step with pymimir, then the original goal in the last state."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pymimir

from skolem.pddl.mimir import load_problem, mimir_name, state_relations
from skolem.pddl.sexpr import at
from skolem.support.errors import InputError
from skolem.task.actions import Action
from skolem.task.formulas import Variable
from skolem.task.model import Source, Task
from skolem.task.satisfaction import satisfy

_LINE = re.compile(r"(?P<blank>\s*(;.*)?)|\s*\((?P<step>[^();]*)\)\s*(;.*)?")


@dataclass(frozen=True)
class Validation:
    """Whether a plan achieves the goal, what it costs, and the objects with which the goal is true; or why not."""

    valid: bool
    cost: int | None
    reason: str
    binding: dict[str, str] | None


class _Fault(Exception):
    """What is wrong with a step."""


def validate(task: Task, plan: Sequence[str]) -> Validation:
    """The verdict on a plan of steps such as "(stack a b)"."""
    replay = _Replay(task)
    state, cost = replay.start, 0
    for number, step in enumerate(plan, start=1):
        try:
            action, objects = replay.read_step(step)
            state = replay.apply(action, objects, state)
            cost += find_cost(task, action, objects)
        except (_Fault, InputError) as fault:
            return Validation(False, None, f"step {number}, {step}: {fault}", None)
    binding = satisfy(task, state_relations(task, state))
    if binding is None:
        return Validation(False, None, "every step can be taken, but the goal is not true after the last one", None)
    return Validation(True, cost, "the plan is valid", binding)


class _Replay:
    def __init__(self, task: Task) -> None:
        self._task = task
        self._actions = {action.name: action for action in task.domain.actions}
        self._problem = load_problem(task)
        objects = [*self._problem.get_domain().get_constants(), *self._problem.get_objects()]
        self._objects = {obj.get_name(): obj for obj in objects}
        # An action whose precondition has alternatives is several actions of the same name to pymimir.
        self._schemas = self._problem.get_domain().get_actions()
        self.start = self._problem.get_initial_state()

    def read_step(self, step: str) -> tuple[Action, list[str]]:
        """The action and the objects of a step."""
        name, *objects = step.lower().strip().removeprefix("(").removesuffix(")").split() or [""]
        action = self._actions.get(name)
        if action is None:
            raise _Fault(f"the domain has no action '{name}'")
        if len(objects) != len(action.parameters):
            raise _Fault(f"'{name}' takes {len(action.parameters)} objects, not {len(objects)}")
        supertypes = self._task.domain.supertypes
        for obj, parameter in zip(objects, action.parameters, strict=True):
            if obj not in self._task.index:
                raise _Fault(f"the task has no object '{obj}'")
            if not any(supertypes[t] & set(parameter.types) for t in self._task.types[obj]):
                raise _Fault(f"'{obj}' is not of type {' or '.join(parameter.types)}")
        return action, objects

    def apply(self, action: Action, objects: list[str], state: pymimir.State) -> pymimir.State:
        """The state after the action."""
        for ground in self._ground(action, [self._objects[mimir_name(o)] for o in objects], state):
            if ground.is_applicable(state):
                return ground.apply(state)
        raise _Fault("the precondition is not satisfied")

    def _ground(
        self, action: Action, objects: list[pymimir.Object], state: pymimir.State
    ) -> Iterator[pymimir.GroundAction]:
        for schema in self._schemas:
            if schema.get_name() != mimir_name(action.name):
                continue
            if schema.get_arity() == len(objects):
                yield self._problem.new_ground_action(schema, objects)
                continue
            # pymimir makes the existential variables of a precondition further parameters.
            for ground in state.generate_applicable_actions():
                same_action = ground.get_action().get_index() == schema.get_index()
                if same_action and ground.get_objects()[: len(objects)] == objects:
                    yield ground


def find_cost(task: Task, action: Action, objects: Sequence[str]) -> int:
    """The cost of a step: one unless the task has a metric; an InputError if the task does not give it."""
    if not task.has_metric:
        return 1
    chosen = dict(zip(action.parameters, objects, strict=True))
    total = 0
    for cost in action.costs:
        if isinstance(cost, str):
            total += int(cost)
            continue
        terms = [chosen[t] if isinstance(t, Variable) else t for t in cost.terms]
        value = task.values.get((cost.predicate, *terms))
        if value is None:
            raise InputError(f"the initial state gives ({' '.join((cost.predicate, *terms))}) no value")
        total += value
    return total


def parse_plan(text: str, path: str) -> tuple[str, ...]:
    """The steps of a plan file in the IPC format: one "(action object ...)" a line, comments after ';'."""
    steps: list[str] = []
    offset = 0
    for line in text.splitlines(keepends=True):
        match = _LINE.fullmatch(line.rstrip("\r\n"))
        if match is None or (match["blank"] is None and not match["step"].split()):
            place = at(Source(path, text), offset + len(line) - len(line.lstrip()))
            raise InputError("not a step of a plan, expected '(action object ...)'", place)
        if match["blank"] is None:
            steps.append(f"({' '.join(match['step'].lower().split())})")
        offset += len(line)
    return tuple(steps)


def format_plan(plan: Sequence[str], cost: int, unit: bool) -> str:
    """The plan in the IPC format.

    >>> print(format_plan(("(pick-up a)", "(stack a b)"), 2, unit=True), end="")
    (pick-up a)
    (stack a b)
    ; cost = 2 (unit cost)
    """
    return "".join(f"{step}\n" for step in plan) + f"; cost = {cost} ({'unit' if unit else 'general'} cost)\n"
