"""What the engines return: results of unified-planning with the binding, and its trace in the metrics."""

import json
from dataclasses import dataclass, field

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.results import CompilerResult, LogLevel, LogMessage
from unified_planning.model import Object, Variable

from skolem.grounding.protocol import Grounding
from skolem.integrations.unified_planning.translation import Translation
from skolem.request import Solution
from skolem.support.errors import ExitCode

Status = PlanGenerationResultStatus
_STATUSES = {
    ExitCode.SUCCESS: Status.SOLVED_SATISFICING,
    ExitCode.UNSOLVABLE: Status.UNSOLVABLE_PROVEN,
    ExitCode.UNSOLVED_INCOMPLETE: Status.UNSOLVABLE_INCOMPLETELY,
    ExitCode.TRANSLATE_OUT_OF_MEMORY: Status.MEMOUT,
    ExitCode.TRANSLATE_OUT_OF_TIME: Status.TIMEOUT,
    ExitCode.SEARCH_OUT_OF_MEMORY: Status.MEMOUT,
    ExitCode.SEARCH_OUT_OF_TIME: Status.TIMEOUT,
    ExitCode.SEARCH_OUT_OF_MEMORY_AND_TIME: Status.TIMEOUT,
    ExitCode.UNSUPPORTED: Status.UNSUPPORTED_PROBLEM,
}


@dataclass
class GroundedPlanResult(PlanGenerationResult):
    """The result of planning, with the objects that were found for the goal's variables."""

    binding: dict[Variable, Object] | None = field(default=None)


@dataclass
class GroundedCompilerResult(CompilerResult):
    """The result of compiling, with the objects that were found for the goal's variables."""

    binding: dict[Variable, Object] | None = field(default=None)


def find_status(code: ExitCode) -> PlanGenerationResultStatus:
    """What an exit code is called in unified-planning."""
    return _STATUSES.get(code, Status.INTERNAL_ERROR)


def find_exit_code(status: PlanGenerationResultStatus) -> ExitCode:
    """What a status of unified-planning is here."""
    codes = {known: code for code, known in reversed(_STATUSES.items())}
    return codes.get(status, ExitCode.DRIVER_CRITICAL_ERROR)


def list_metrics(translation: Translation, found: Solution | Grounding, seconds: float) -> dict[str, str]:
    """What is known of a solution or grounding besides its plan, with the problem's objects; all of it is text."""
    name = translation.name_object
    predicted = found.predicted if isinstance(found, Solution) else found.predicted_cost
    metrics = {"engine_internal_time": str(seconds), "skolem_route": found.route}
    if found.binding is not None:
        metrics["skolem_binding"] = json.dumps({variable: name(obj) for variable, obj in found.binding.items()})
    if found.trace:
        trace = [
            {
                "variable": step.variable,
                "object": name(step.object),
                "ranked": [{**vars(choice), "object": name(choice.object)} for choice in step.ranked],
            }
            for step in found.trace
        ]
        metrics["skolem_trace"] = json.dumps(trace)
    if predicted is not None:
        metrics["skolem_predicted_cost"] = str(predicted)
    if found.residual is not None:
        metrics["skolem_residual"] = found.residual
    return metrics


def list_messages(*messages: str, level: LogLevel = LogLevel.INFO) -> list[LogMessage]:
    """The messages that say something."""
    return [LogMessage(level, message) for message in messages if message]
