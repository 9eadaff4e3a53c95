"""The meta-engine `skolem[...]`: grounds the goal, and any other planner plans for the objects."""

import time
from collections.abc import Callable
from itertools import islice
from typing import IO, Any

from unified_planning.engines import Engine, MetaEngine, OptimalityGuarantee, PlanGenerationResultStatus
from unified_planning.engines.mixins import OneshotPlannerMixin
from unified_planning.exceptions import UPException
from unified_planning.model import Problem, ProblemKind
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION

from skolem.api.own_planner import Outcome, plan_by_bindings
from skolem.grounding.protocol import Grounding
from skolem.integrations.unified_planning.compiler import ground_problem
from skolem.integrations.unified_planning.engine import KIND, SkolemEngine
from skolem.integrations.unified_planning.planner import SkolemPlanner, fail, make_result
from skolem.integrations.unified_planning.results import GroundedPlanResult, find_exit_code
from skolem.integrations.unified_planning.translation import translate
from skolem.planning.limits import Clock, Limits
from skolem.planning.translator_pool import keep_translators
from skolem.request import Request
from skolem.support.errors import ExitCode, LimitError, SkolemError
from skolem.task.constraints.candidates import iterate_valid
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Task

_PLAIN = ProblemKind({"ACTION_BASED"}, version=LATEST_PROBLEM_KIND_VERSION)
_REMOVED = ProblemKind(
    {
        "EXISTENTIAL_CONDITIONS",
        "UNIVERSAL_CONDITIONS",
        "DISJUNCTIVE_CONDITIONS",
        "NEGATIVE_CONDITIONS",
        "EQUALITIES",
    },
    version=LATEST_PROBLEM_KIND_VERSION,
)
"""What a goal may have that its grounded form does not; where actions have it too, the planner must take it."""


class SkolemMetaEngine(SkolemEngine, MetaEngine, OneshotPlannerMixin):
    """A planner that is given problems whose goals are bound to objects; the parameters are its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        MetaEngine.__init__(self, *args, **kwargs)
        OneshotPlannerMixin.__init__(self)

    @property
    def name(self) -> str:
        """What the engine is called."""
        return f"skolem[{self.engine.name}]"

    @staticmethod
    def is_compatible_engine(engine: type[Engine]) -> bool:
        """Whether it can work with an engine: with one-shot planners of their own."""
        own = issubclass(engine, MetaEngine | SkolemPlanner)
        return bool(engine.is_oneshot_planner() and not own and engine.supports(_PLAIN))

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """A plan that is the best for its objects need not be the best of all."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    @staticmethod
    def _supported_kind(engine: type[Engine]) -> ProblemKind:
        return engine.supported_kind().union(_REMOVED).intersection(KIND)

    @staticmethod
    def _supports(problem_kind: ProblemKind, engine: type[Engine]) -> bool:
        return bool(problem_kind <= SkolemMetaEngine._supported_kind(engine))

    def _solve(
        self,
        problem: Problem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> GroundedPlanResult:
        started = time.monotonic()
        keep_translators()
        request = Request(limits=Limits(timeout))
        clock = Clock.begin(request.limits)
        results: list[Any] = []

        def attempt(grounding: Grounding, seconds: float | None) -> Outcome:
            compiled = ground_problem(translation, grounding)
            bound, restore = compiled.problem, compiled.map_back_action_instance
            if translation.is_renamed:
                bound, restore = translation.rename(bound)
            if not self.engine.supports(bound.kind):
                message = f"{self.engine.name} cannot take the problem, though its goal is bound to objects"
                return Outcome(None, ExitCode.UNSUPPORTED, message)
            try:
                result = self.engine.solve(bound, heuristic, seconds, output_stream)
            except UPException as error:
                return Outcome(None, ExitCode.DRIVER_CRITICAL_ERROR, f"{self.engine.name}: {error}")
            results.append(result)
            if result.plan is None:
                return _describe_failure(self.engine.name, result)
            return Outcome(translation.write_plan(result.plan.replace_action_instances(restore)))

        try:
            translation = translate(problem)
            solution = plan_by_bindings(attempt, translation.task, request, clock)
        except SkolemError as error:
            return fail(self.name, error, started)
        best = bool(results) and results[-1].status == PlanGenerationResultStatus.SOLVED_OPTIMALLY
        empty = bool(problem.quality_metrics) and solution.plan == ()
        proven = empty or (best and solution.status == "solved" and _has_one_binding(translation.task))
        return make_result(self.name, translation, solution, proven, started)


def _has_one_binding(task: Task) -> bool:
    """Whether only one binding is possible, so that the best plan for it is the best of all."""
    alternatives = list_alternatives(task)
    if len(alternatives) != 1 or alternatives[0].goal.outside is not None or alternatives[0].goal.residual is not None:
        return False
    try:
        return len(list(islice(iterate_valid(alternatives[0].query, task.statics, len(task.objects)), 2))) == 1
    except LimitError:
        return False


def _describe_failure(name: str, result: Any) -> Outcome:
    if result.status == PlanGenerationResultStatus.UNSOLVABLE_PROVEN:
        return Outcome(None)
    return Outcome(None, find_exit_code(result.status), f"{name}: {result.status.name}")
