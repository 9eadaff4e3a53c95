"""V* of a task's goal, by its state space where that is small and by an optimal planner where it is not."""

from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from skolem.oracle.ball import grow_ball
from skolem.oracle.exploration import explore
from skolem.oracle.goals import find_cost
from skolem.oracle.ground import ground
from skolem.oracle.space import Space, SpaceLimits, expand
from skolem.planning import end
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import Limits
from skolem.support.errors import LimitError, UnsupportedError
from skolem.task.costs import check_total
from skolem.task.formulas import Atom, list_parts
from skolem.task.model import Task
from skolem.task.query import Query

OPTIMAL_PLANNER = "seq-opt-lmcut"
PLANNER_LIMITS = Limits(300.0, 4000)
SMALL_SPACE = SpaceLimits(200_000)


@dataclass(frozen=True)
class CostResult:
    """V* where the goal is reachable; otherwise that it is not, or that a limit was reached first."""

    status: Literal["reachable", "unreachable", "limit"]
    cost: int | None
    route: Literal["space", "planner"]
    message: str = ""


class SpaceCache:
    """Spaces by their objects, costs and the static atoms that actions read; the oldest are dropped."""

    def __init__(
        self, limits: SpaceLimits, *, partial: bool = False, ball: bool = False, walks: Random | None = None
    ) -> None:
        self.limits = limits
        self.partial = partial
        self.ball = ball
        """Whether spaces that are too large are balls around the initial state."""
        self.walks = walks
        """Random numbers for walks, by which states are found then instead of by a search."""
        self._spaces: dict[tuple[object, ...], list[Space]] = {}
        self._too_large: dict[tuple[object, ...], LimitError] = {}

    def find(self, task: Task) -> tuple[Space, int]:
        """A space that holds the task's initial state, and that state's number; a LimitError if it is too large."""
        static = ((name, task.init[name].tobytes()) for name in sorted(_list_read(task)))
        key = (task.domain.source, task.objects, task.has_metric, frozenset(task.values.items()), *static)
        for space in self._spaces.get(key, ()):
            # The states of a partial space are complete around its own initial state only.
            initial = space.find(task.init)
            if initial is not None and ((space.horizon is None and not space.is_sample) or initial == 0):
                self._spaces[key] = self._spaces.pop(key)
                return space, initial
        if key in self._too_large:
            raise self._too_large[key]
        try:
            ground_task = ground(task)
            if self.walks is not None:
                space = explore(ground_task, self.limits, self.walks)
            elif self.ball:
                space = grow_ball(ground_task, self.limits)
            else:
                space = expand(ground_task, self.limits, partial=self.partial)
        except LimitError as error:
            self._too_large[key] = error
            raise
        self._spaces.setdefault(key, []).append(space)
        while sum(len(s) for found in self._spaces.values() for s in found) > 2 * self.limits.states:
            self._spaces.pop(next(iter(self._spaces)))
        return space, 0


def expand_task(task: Task, limits: SpaceLimits, *, partial: bool = False) -> Space:
    """The state space of a task; a LimitError where it is larger than the limits and not `partial`."""
    return expand(ground(task), limits, partial=partial)


def _list_read(task: Task) -> set[str]:
    """The static relations that decide what actions do: those that actions and axioms mention, and the types."""
    domain = task.domain
    conditions = [axiom.body for axiom in domain.axioms]
    for action in domain.actions:
        conditions += [action.precondition, *(effect.condition for effect in action.effects)]
    mentioned = {p.predicate for condition in conditions for p in list_parts(condition) if isinstance(p, Atom)}
    return {name for name in task.statics if name in mentioned or name.startswith("type:")}


def _read_query(task: Task, query: Query | None) -> Query:
    if task.goal.outside is not None:
        raise UnsupportedError(f"exact costs are not computed for goals with {task.goal.outside}")
    return task.query if query is None else query


def _bind(task: Task, query: Query) -> Task:
    """The task with the bound variables of its goal equal to their objects."""
    bound = zip(task.goal.variables, query.binding, strict=True)
    equal = tuple((variable, task.objects[obj]) for variable, obj in bound if obj >= 0)
    return replace(task, goal=replace(task.goal, equalities=(*task.goal.equalities, *equal)))


class Oracle:
    """Exact costs of goals of any task; tasks that differ only in what no action reads share a space."""

    def __init__(self, space_limits: SpaceLimits = SMALL_SPACE, planner_limits: Limits = PLANNER_LIMITS) -> None:
        self.planner_limits = planner_limits
        self._spaces = SpaceCache(space_limits)

    def find_cost(self, task: Task, query: Query | None = None) -> CostResult:
        """V* of the task's goal, or of it with some variables bound, from the task's initial state."""
        try:
            return self.find_cost_in_space(task, query)
        except LimitError:
            return self.find_cost_by_planner(task, query)

    def find_cost_in_space(self, task: Task, query: Query | None = None) -> CostResult:
        """The cost by the task's state space; a LimitError where that is too large."""
        query = _read_query(task, query)
        space, initial = self._spaces.find(task)
        cost = find_cost(space, initial, task.statics, len(task.objects), query)
        return CostResult("unreachable" if cost is None else "reachable", cost, "space")

    def find_cost_by_planner(self, task: Task, query: Query | None = None) -> CostResult:
        """The cost by an optimal planner on the goal rewritten so that it has no quantifiers."""
        rewriting = end.rewrite(_bind(task, _read_query(task, query)))
        result = run_planner(rewriting.domain_text, rewriting.problem_text, OPTIMAL_PLANNER, self.planner_limits)
        if result.status == "solved" and result.cost is not None:
            # A sum that the planner could not count is negative.
            check_total(result.cost % 2**32)
            return CostResult("reachable", result.cost - rewriting.dummy_cost, "planner")
        status: Literal["unreachable", "limit"] = "unreachable" if result.status == "unsolvable" else "limit"
        return CostResult(status, None, "planner", result.message)
