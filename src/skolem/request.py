"""What is asked for, and what comes out: how a task is to be solved, and the outcome."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from skolem.grounding.protocol import Order, Scores, Step, round_times
from skolem.planning.fast_downward import Status
from skolem.planning.limits import NO_LIMITS, Limits
from skolem.support.errors import ExitCode

Effort = Literal["fast", "default", "best"]


@dataclass(frozen=True)
class Solution:
    """The outcome of a planning request; `valid` says that the plan achieves the original quantified goal."""

    status: Status
    exit_code: ExitCode
    route: str
    binding: dict[str, str] | None = None
    cost: int | None = None
    plan: tuple[str, ...] | None = None
    valid: bool = False
    message: str = ""
    times: dict[str, float] = field(default_factory=dict)
    predicted: float | None = None
    """The cost that the model predicted for the binding."""
    residual: str | None = None
    """What of the goal was not bound and left to the planner, as PDDL text; the message says why."""
    doubt: str = ""
    """Why the model's predictions are not to be trusted here."""
    trace: tuple[Step, ...] = ()
    """How each object of the binding was chosen, if one by one."""
    optimal: bool = False
    """Whether it is proven that no plan of the quantified goal is cheaper."""
    bound: int | None = None
    """What every plan of the quantified goal costs at least, if that was asked for or is known."""
    bound_reason: str = ""
    """What the bound is by, or why there is none."""

    def describe_quality(self) -> str:
        """How far the plan may be from a cheapest one, in words; empty if nothing is known of that."""
        if self.optimal:
            return "optimal (proven)"
        if self.bound and self.cost is not None:
            # Rounded up, so that it is never said to be better than it is known to be.
            return f"at most {-(-100 * (self.cost - self.bound) // self.bound)}% above optimal"
        return "no lower bound above 0" if self.bound == 0 else ""

    def to_dict(self) -> dict[str, Any]:
        """The solution as JSON has it, the same on the command line and everywhere else."""
        return {
            "status": self.status,
            "binding": self.binding,
            **({} if self.residual is None else {"residual": self.residual}),
            "cost": self.cost,
            "plan": None if self.plan is None else list(self.plan),
            "valid": self.valid,
            "route": self.route,
            **({"bound": self.bound, "optimal": self.optimal} if self.optimal or self.bound_reason else {}),
            **({"bound_reason": self.bound_reason} if self.bound_reason else {}),
            "times": round_times(self.times, ("read", "ground", "plan", *self.times.keys() & {"bound"}, "total")),
            "message": self.message,
        }


@dataclass(frozen=True)
class Request:
    """How a task is to be solved."""

    grounder: str = "auto"
    planner: str = "lama-first"
    limits: Limits = NO_LIMITS
    seed: int = 0
    model: Path | None = None
    """The folder or the name of a model; None for the one that fits best."""
    paper: bool = False
    """The paper's model and policy: all objects are compared, no validity is built in."""
    width: int = 8
    """The width of `beam`."""
    scores: Scores | None = None
    """How objects are compared: by the value of the bound goal ("full"), by a head, or in full the head's best; None
    for "both" where the order is fixed and the model comes with a head, else "full"."""
    order: Order | None = None
    """Whether objects of all variables are compared at every step ("best"), or those of the first unbound one
    ("fixed", many times faster on large tasks); None for what the grounder takes: "fixed" in auto, else "best"."""
    revise: bool = True
    """Whether every choice is looked at once more when the others are known, where objects of all variables are
    compared in full and the goal has at most six; the paper's policy never does."""
    effort: Effort = "default"
    """How much is done for a cheap plan: "fast" takes the first one, "default" goes on as long as that pays, and "best"
    follows both the learned and the exact route until the time limit, or until they find nothing cheaper."""
    bound_seconds: float | None = None
    """How long a lower bound on the cost is looked for once there is a plan; None for not at all."""

    def choose_order(self) -> Order:
        """The order that is meant."""
        return self.order or ("fixed" if self.grounder == "auto" else "best")

    def choose_scores(self, rates: bool) -> Scores:
        """The comparison that is meant, for a model that does or does not come with a head."""
        return self.scores or ("both" if rates and self.choose_order() == "fixed" else "full")
