"""The states that follow a state, with the step that leads to each and its cost, for acting without a planner."""

from collections.abc import Iterator
from dataclasses import dataclass

import pymimir

from skolem.pddl.mimir import StateReader, load_problem, mimir_name
from skolem.planning.validation import find_cost
from skolem.task.model import Task
from skolem.task.query import Relations


@dataclass(frozen=True)
class Successor:
    """A state, and the step such as "(stack a b)" that leads to it."""

    step: str
    cost: int
    state: pymimir.State


class Simulator:
    """The states of one task, from its initial state on."""

    def __init__(self, task: Task) -> None:
        self._task = task
        problem = load_problem(task)
        actions = task.domain.actions
        self._actions = {mimir_name(action.name): action for action in actions}
        self._names = {mimir_name(name): name for name in task.objects}
        self._reader = StateReader(task, problem)
        self.start = problem.get_initial_state()

    def list_successors(self, state: pymimir.State) -> Iterator[Successor]:
        """What every applicable action leads to."""
        for ground in state.generate_applicable_actions():
            action = self._actions[ground.get_action().get_name()]
            # pymimir makes the existential variables of a precondition further parameters.
            objects = [self._names[o.get_name()] for o in ground.get_objects()[: len(action.parameters)]]
            cost = find_cost(self._task, action, objects)
            yield Successor(f"({' '.join((action.name, *objects))})", cost, ground.apply(state))

    def read(self, state: pymimir.State) -> Relations:
        """The relations of a state."""
        return self._reader.relations(state)
