"""What every grounder gives: a binding, its predicted cost, and how each object was chosen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from skolem.support.errors import ExitCode, SkolemError
from skolem.task.model import Task

if TYPE_CHECKING:
    from skolem.network.engine.protocol import Engine

Candidates = Literal["static", "all"]
Scores = Literal["full", "head", "both"]
Order = Literal["best", "fixed"]


class DeadEndError(SkolemError):
    """No binding was found that may be reachable, nor the proof that there is none."""

    exit_code = ExitCode.UNSOLVED_INCOMPLETE


@dataclass(frozen=True)
class Choice:
    """An object that a variable could be bound to, and the cost predicted for the goal then."""

    variable: str
    object: str
    value: float


@dataclass(frozen=True)
class Step:
    """One variable bound: what was chosen, and all that it was chosen from, best first."""

    variable: str
    object: str
    ranked: tuple[Choice, ...]


LEVEL_DOUBT = "objects that are far away seem to cost the same"
"""The doubt where the network does not tell far objects apart; its values are then too low, if anything."""


@dataclass(frozen=True)
class Grounding:
    """A binding of all variables, or the proof that there is no valid one; `route` says what produced it."""

    status: Literal["grounded", "unsolvable"]
    binding: dict[str, str] | None
    predicted_cost: float | None
    trace: tuple[Step, ...]
    route: str
    message: str = ""
    """What the user should know about it."""
    alternative: Task | None = None
    """The task with the alternative of its goal that is bound; None if the goal is bound as it is."""
    residual: str | None = None
    """What of the goal is left to the planner, as PDDL text."""
    doubt: str = ""
    """Why the predicted costs are not to be trusted; empty if nothing speaks against them."""
    times: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The grounding as JSON has it, the same on the command line and everywhere else."""
        return {
            "status": self.status,
            "binding": self.binding,
            **({} if self.residual is None else {"residual": self.residual}),
            "predicted_cost": self.predicted_cost,
            "trace": [{**vars(step), "ranked": [dict(vars(choice)) for choice in step.ranked]} for step in self.trace],
            "route": self.route,
            "times": round_times(self.times, ("read", "ground", "total")),
            "message": self.message,
        }


def round_times(times: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """The seconds of some stages, to a tenth of a millisecond; those that were not taken are zero."""
    return {name: round(times.get(name, 0.0), 4) for name in names}


class Grounder(Protocol):
    """Chooses objects for the variables of a goal."""

    @property
    def name(self) -> str:
        """What the grounder is called on the command line."""

    @property
    def predicts(self) -> bool:
        """Whether its groundings come with what a plan should cost."""

    @property
    def doubt(self) -> str:
        """Why none of its predictions is to be trusted; empty if that depends on what it finds."""

    @property
    def model(self) -> "Engine | None":
        """The network that chooses, which a policy can follow from state to state; None without one."""

    def ground(self, task: Task) -> Grounding:
        """The best binding the grounder finds."""

    def groundings(self, task: Task) -> Iterator[Grounding]:
        """Its binding, then further ones one after another."""
