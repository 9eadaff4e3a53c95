"""The planner `skolem`: grounds the goal, plans with Fast Downward, validates."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import IO, Any, Unpack
from warnings import warn

from unified_planning.engines import OptimalityGuarantee, PlanGenerationResultStatus
from unified_planning.engines.mixins import OneshotPlannerMixin
from unified_planning.engines.results import LogLevel
from unified_planning.model import Problem

from skolem.api.calls import Options, make_request
from skolem.integrations.unified_planning.engine import SkolemEngine
from skolem.integrations.unified_planning.results import (
    GroundedPlanResult,
    find_status,
    list_messages,
    list_metrics,
)
from skolem.integrations.unified_planning.translation import Translation, translate
from skolem.planning.exact import is_optimal
from skolem.planning.limits import Clock, Limits
from skolem.request import Effort, Request, Solution
from skolem.solve import EXACT, solve
from skolem.support.errors import ExitCode, SkolemError


class SkolemPlanner(SkolemEngine, OneshotPlannerMixin):
    """Plans for quantified goals; the parameters are those of `skolem.plan`."""

    def __init__(self, planner: str = Request.planner, effort: Effort = "default", **options: Unpack[Options]) -> None:
        SkolemEngine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        self._request = make_request(options, planner, effort)

    @property
    def name(self) -> str:
        """What the engine is called."""
        return "skolem"

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Only with an optimal planner as its parameter are plans optimal, which unified-planning cannot ask for."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    def _solve(
        self,
        problem: Problem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> GroundedPlanResult:
        if heuristic is not None:
            warn(f"{self.name} does not use the heuristic", stacklevel=3)
        started = time.monotonic()
        request = shorten(self._request, timeout)
        clock = Clock.begin(request.limits)
        try:
            translation = translate(problem)
            solution = solve(translation.task, request, clock)
        except SkolemError as error:
            return fail(self.name, error, started)
        if output_stream is not None:
            output_stream.write(f"{self.name}: {solution.status} {solution.message}".rstrip() + "\n")
        return make_result(self.name, translation, solution, is_proven(problem, request, solution), started)


def shorten(request: Request, timeout: float | None) -> Request:
    """The request with a time limit, unless it has a shorter one."""
    if timeout is None or (request.limits.seconds is not None and request.limits.seconds <= timeout):
        return request
    return replace(request, limits=Limits(timeout, request.limits.memory_mb))


def is_proven(problem: Problem, request: Request, solution: Solution) -> bool:
    """Whether a plan is known to be the best by the problem's metric.

    An optimal planner proves that on an exact route, and a plan without steps needs no proof.
    """
    exact = request.grounder in ("auto", *EXACT) and is_optimal(request.planner)
    return bool(problem.quality_metrics) and solution.status == "solved" and (exact or not solution.plan)


def make_result(
    name: str, translation: Translation, solution: Solution, proven: bool, started: float
) -> GroundedPlanResult:
    """A solution as unified-planning has it; a plan that is not valid is none."""
    solved = solution.status == "solved" and solution.plan is not None
    status = PlanGenerationResultStatus.SOLVED_OPTIMALLY if proven else find_status(solution.exit_code)
    level = LogLevel.ERROR if solution.status == "error" else LogLevel.INFO
    return GroundedPlanResult(
        status,
        translation.read_plan(solution.plan or ()) if solved else None,
        name,
        list_metrics(translation, solution, time.monotonic() - started),
        list_messages(solution.message, level=level),
        translation.read_binding(solution.binding) if solved and solution.binding is not None else None,
    )


def fail(name: str, error: SkolemError, started: float) -> GroundedPlanResult:
    """The result of what went wrong, under the status that says how."""
    metrics = {"engine_internal_time": str(time.monotonic() - started)}
    status = find_status(ExitCode(error.exit_code))
    return GroundedPlanResult(status, None, name, metrics, list_messages(str(error), level=LogLevel.ERROR))
