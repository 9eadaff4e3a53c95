"""How good a learned model is on larger tasks that it never saw, beside the exact route and random bindings.

Each route gives a binding, and a binding costs what the cheapest plan for it costs, which the space around the initial
state tells: so the objects are compared and not the planner. No planner is needed but for the exact route.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import open_model
from skolem.grounding.random import RandomValidGrounder
from skolem.learning.drawn_goals import DrawnGoal, draw_goals
from skolem.oracle.costs import SpaceCache
from skolem.oracle.space import SpaceLimits
from skolem.oracle.training_tasks import Origin
from skolem.planning.exact import plan_exact
from skolem.planning.limits import Limits
from skolem.planning.translator import find_driver
from skolem.support.errors import SkolemError
from skolem.task.model import Binding

ROUTES = ("learned", "exact route", "random")
_SPACE_SECONDS = 10.0
_EXACT_SECONDS, _EXACT_MEGABYTES = 10.0, 2_000
_LEAST_SECONDS = 1.0
"""With less time left no other goal is begun."""


@dataclass(frozen=True)
class RouteFigures:
    """A route on the goals that it was asked about."""

    goals: int
    covered: int
    """How many of its bindings can be reached."""
    ratio: float | None
    """The mean of cost over V* where they can."""
    at_least: bool
    """Whether some of the costs are lower bounds."""


@dataclass(frozen=True)
class Measurement:
    """What was measured."""

    goals: int
    objects: tuple[int, int]
    """The fewest and the most objects of a task."""
    routes: dict[str, RouteFigures]

    def describe(self) -> str:
        """The sentence that learning ends with."""
        if not self.goals:
            return "there was no time to measure the model on larger tasks"
        parts = []
        for name, route in self.routes.items():
            if route.ratio is None:
                parts.append(f"{name} reached none of {route.goals}")
                continue
            missed = f" (reached {route.covered} of {route.goals})" if route.covered < route.goals else ""
            some = f" on {route.goals} of them" if route.goals < self.goals else ""
            optimal = " optimal" if not parts else ""
            parts.append(f"{name} {'at least ' * route.at_least}{route.ratio:.2f} x{optimal}{missed}{some}")
        least, most = self.objects
        size = f"{least}" if least == most else f"{least} to {most}"
        return f"on {self.goals} goals of larger tasks ({size} objects): {', '.join(parts)}"

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {**asdict(self), "sentence": self.describe()}


def measure(
    origin: Origin,
    model: Path,
    rng: Random,
    goals: int,
    states: int,
    find_left: Callable[[], float | None],
    report: Callable[[int], None],
) -> Measurement:
    """The figures of the three routes on so many goals, or on as many as there is time for.

    `states` are the most of a space in which costs are looked up, and `find_left` tells the seconds that are left.
    """
    grounder = LearnedGrounder(open_model(model).load())
    plans = _has_planner()
    spaces = SpaceCache(SpaceLimits(states, _SPACE_SECONDS), ball=True)
    found: dict[str, list[tuple[int, int | None, bool]]] = {name: [] for name in ROUTES}
    sizes: list[int] = []
    for goal in draw_goals(origin, rng, spaces):
        left = find_left()
        if len(sizes) == goals or (left is not None and left < _LEAST_SECONDS):
            break
        asked = {"learned": grounder.ground(goal.task).binding, "random": _draw(goal, rng)}
        if plans:
            asked["exact route"] = _ask_exact(goal, left)
        for name, binding in asked.items():
            cost, at_least = (None, False) if binding is None else goal.find_cost(binding)
            found[name].append((goal.best, cost, at_least))
        sizes.append(len(goal.task.objects))
        report(len(sizes))
    routes = {name: _sum_up(results) for name, results in found.items() if results}
    return Measurement(len(sizes), (min(sizes, default=0), max(sizes, default=0)), routes)


def _has_planner() -> bool:
    try:
        return find_driver().exists()
    except (SkolemError, ImportError):
        return False


def _draw(goal: DrawnGoal, rng: Random) -> Binding | None:
    return RandomValidGrounder(rng.randrange(1 << 30)).ground(goal.task).binding


def _ask_exact(goal: DrawnGoal, left: float | None) -> Binding | None:
    seconds = _EXACT_SECONDS if left is None else min(_EXACT_SECONDS, left)
    try:
        return plan_exact(goal.task, limits=Limits(seconds, _EXACT_MEGABYTES)).binding
    except SkolemError:
        return None


def _sum_up(results: list[tuple[int, int | None, bool]]) -> RouteFigures:
    ratios = [cost / best for best, cost, _ in results if cost is not None]
    return RouteFigures(
        goals=len(results),
        covered=len(ratios),
        ratio=fmean(ratios) if ratios else None,
        at_least=any(bound for *_, bound in results),
    )
