"""Steps of plans such as "(stack a b)": read, taken, and listed for acting without a planner."""

from collections.abc import Iterator
from dataclasses import dataclass

from skolem.support.errors import InputError
from skolem.support.similar import hint_similar
from skolem.task.model import Task
from skolem.task.query import Relations
from skolem.task.semantics.dynamics import Dynamics, State, Step


@dataclass(frozen=True)
class Successor:
    """A state, and the step such as "(stack a b)" that leads to it."""

    step: str
    cost: int
    state: State


class Simulator:
    """The states of one task, from its initial state on, with steps as text."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._dynamics = Dynamics(task)
        self._operators = {operator.action.name: operator for operator in self._dynamics.operators}
        self.start = self._dynamics.start

    def list_successors(self, state: State) -> Iterator[Successor]:
        """What every applicable action leads to, always in the same order."""
        for step, after in self._dynamics.list_steps(state):
            names = (step.operator.action.name, *(self._task.objects[o] for o in step.objects))
            yield Successor(f"({' '.join(names)})", self._dynamics.find_cost(step), after)

    def take(self, state: State, step: str) -> Successor:
        """What a step leads to; an InputError says why it cannot be taken."""
        parsed = self._parse(step)
        after = self._dynamics.apply(state, parsed)
        if after is None:
            raise InputError("the precondition is not satisfied")
        return Successor(step, self._dynamics.find_cost(parsed), after)

    def _parse(self, step: str) -> Step:
        task = self._task
        name, *objects = step.lower().strip().removeprefix("(").removesuffix(")").split() or [""]
        operator = self._operators.get(name)
        if operator is None:
            raise InputError(f"the domain has no action '{name}'{hint_similar(name, self._operators)}")
        parameters = operator.action.parameters
        if len(objects) != len(parameters):
            raise InputError(f"'{name}' takes {len(parameters)} objects, not {len(objects)}")
        for obj, parameter in zip(objects, parameters, strict=True):
            if obj not in task.index:
                raise InputError(f"the task has no object '{obj}'{hint_similar(obj, task.objects)}")
            if not any(task.domain.supertypes[t] & set(parameter.types) for t in task.types[obj]):
                raise InputError(f"'{obj}' is not of type {' or '.join(parameter.types)}")
        return Step(operator, tuple(task.index[obj] for obj in objects))

    def read(self, state: State) -> Relations:
        """The relations of a state."""
        return self._dynamics.describe(state)
