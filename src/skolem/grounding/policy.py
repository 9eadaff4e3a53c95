"""Acting without a planner: the value network, followed greedily over the states that a grounded goal leads through."""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from skolem.network.ties import settle
from skolem.planning.fast_downward import PlannerResult
from skolem.planning.limits import Clock, Limits
from skolem.planning.successors import Simulator
from skolem.support.errors import ExitCode
from skolem.task.constraints.relations_index import index_relations
from skolem.task.cost_relations import find_cost_relations
from skolem.task.model import Binding, Task
from skolem.task.query import Query, Relations, merge_equal
from skolem.task.satisfaction import find_witness

if TYPE_CHECKING:
    from skolem.network.engine.protocol import Engine

STEPS_PER_COST = 4
"""How many steps a policy may take for each that its network predicts, ..."""
SPARE_STEPS = 30
"""... and how many besides."""
_LEAST = 1e-2
"""What a goal that is not true costs at least: more than rounding, so that the policy never passes by one that is."""


def follow_policy(model: "Engine", task: Task, binding: Binding, limits: Limits) -> PlannerResult:
    """The plan of a greedy policy for a complete binding, or why it has none.

    Of the states that it can go to and was never in, it takes the one with the least cost of the step plus
    predicted cost of the goal.
    """
    clock = Clock.begin(limits)
    judge = _Judge(model, task, binding)
    simulator = Simulator(task)
    state, plan, cost = simulator.start, list[str](), 0
    visited = {state}
    most = STEPS_PER_COST * math.ceil(judge.rate([task.init])[0]) + SPARE_STEPS

    def stop(message: str, code: ExitCode) -> PlannerResult:
        return PlannerResult("unsolved", None, None, code, clock.elapsed, message)

    reached = judge.accepts(task.init)
    while not reached:
        if len(plan) == most:
            return stop(f"the policy did not reach the goal in {most} steps", ExitCode.UNSOLVED_INCOMPLETE)
        if clock.left().seconds == 0:
            return stop(f"the policy reached its time limit after {len(plan)} steps", ExitCode.SEARCH_OUT_OF_TIME)
        ahead = [s for s in simulator.list_successors(state) if s.state not in visited]
        if not ahead:
            return stop(f"the policy came to a dead end after {len(plan)} steps", ExitCode.UNSOLVED_INCOMPLETE)
        relations = [simulator.read(s.state) for s in ahead]
        values = judge.rate(relations)
        costs = settle([successor.cost + value for successor, value in zip(ahead, values, strict=True)])
        best = costs.index(min(costs))
        chosen = ahead[best]
        state, reached = chosen.state, judge.accepts(relations[best])
        visited.add(state)
        plan.append(chosen.step)
        cost += chosen.cost
    return PlannerResult("solved", tuple(plan), cost, ExitCode.SUCCESS, clock.elapsed, "")


class _Judge:
    """Predicts what one grounded goal costs from states of one task."""

    def __init__(self, model: "Engine", task: Task, binding: Binding) -> None:
        objects = [task.index[binding[variable.name]] for variable in task.goal.variables]
        query = task.query
        for variable, obj in enumerate(objects):
            query = query.bind(variable, obj)
        self._model = model
        self._goal: Query = merge_equal(query).query
        # Between objects they are true for good, and the network is surer of costs without them.
        self._rated = replace(self._goal, unequal=())
        costs = find_cost_relations(task, model.vocabulary.relations)
        self._statics = index_relations({**task.statics, **costs}, len(task.objects))

    def accepts(self, relations: Relations) -> bool:
        """Whether the goal is true in a state."""
        return find_witness(self._goal, relations, self._statics.objects) is not None

    def rate(self, states: Sequence[Relations]) -> list[float]:
        """The goal's cost from each of some states, zero where it is true already."""
        from skolem.network.encoding import StateEncoder

        model, statics = self._model, self._statics
        encoders = [StateEncoder(model.vocabulary, state, statics, model.config.bindings) for state in states]
        # A network with marks knows goals best after a choice: each variable in turn is taken for the one bound last.
        chosen = [*range(self._rated.variables if model.config.marks else 0)] or [-1]
        values = model.predict([encoder.encode([self._rated] * len(chosen), chosen) for encoder in encoders])
        means = [fmean(values[i : i + len(chosen)]) for i in range(0, len(values), len(chosen))]
        return [0.0 if self.accepts(s) else max(_LEAST, value) for s, value in zip(states, means, strict=True)]
