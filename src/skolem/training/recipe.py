"""How a network is trained: the settings, the presets, and the learning rate over time."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from skolem.network.config import PAPER, PAPER_CODE, SKOLEM, NetworkConfig
from skolem.support.errors import InputError


@dataclass(frozen=True)
class Recipe:
    """The settings of training."""

    optimiser: Literal["adam", "adamw", "muon"] = "muon"
    """Muon needs several times fewer samples than AdamW, at a rate three times as high."""
    rate: float = 3e-3
    decay: float = 0.1
    """The weight decay of AdamW and Muon."""
    batch: int = 1024
    schedule: Literal["constant", "cosine"] = "cosine"
    warmup: float = 0.05
    """The share of the budget during which the rate rises."""
    clip: float | None = 1.0
    """The largest norm of the gradient."""
    average: float | None = 0.999
    """The decay of the averaged weights, which are the ones that are kept."""
    loss: Literal["squared", "huber"] = "huber"
    """What errors cost: their square, or that up to one step and their size beyond, so that few large ones do not
    outweigh the many small ones that decide between objects."""
    value: float = 1.0
    """The weight of a goal's own cost beside the costs that the head predicts: small for a network that only rates."""
    parents: float = 0.25
    """How many nodes, whose bindings the head rates, a batch has for each of its pairs."""
    calm: bool = True
    """Whether the network starts with small updates and predicts about the mean cost."""
    select: Literal["ratio", "loss", "head"] = "ratio"
    """What the best checkpoint is chosen by: the greedy policy's cost over V*, the validation loss, or the cost of the
    policy that the head alone makes."""
    sampling: Literal["shuffled", "by-cost"] = "shuffled"
    """The pairs of an epoch: all of them once, or as many draws, each of a cost first, then of a pair of that cost."""
    unreachable: Literal["above", "twice"] = "above"
    """What unreachable goals are to be predicted to cost: just above nearly all others, or twice the largest cost."""

    def __post_init__(self) -> None:
        if self.optimiser not in ("adam", "adamw", "muon") or self.schedule not in ("constant", "cosine"):
            raise InputError("the optimiser is adam, adamw or muon, the schedule constant or cosine")
        if self.select not in ("ratio", "loss", "head"):
            raise InputError("checkpoints are selected by ratio, loss or head")
        if self.sampling not in ("shuffled", "by-cost") or self.unreachable not in ("above", "twice"):
            raise InputError("sampling is shuffled or by-cost, and unreachable goals cost above the others or twice")
        if self.loss not in ("squared", "huber"):
            raise InputError("the loss is squared or huber")
        if self.value < 0 or self.parents <= 0:
            raise InputError("the weight of a goal's own cost must not be negative, and there must be nodes to rate")
        if self.rate <= 0 or self.batch < 1 or self.decay < 0 or not 0 <= self.warmup < 1:
            raise InputError("rate and batch must be positive, decay not negative, warm-up below one")
        if not (self.clip or 1.0) > 0 or not 0 < (0.5 if self.average is None else self.average) < 1:
            raise InputError("clip must be positive, and the average's decay between zero and one")

    def rate_at(self, progress: float) -> float:
        """The learning rate when that share of the budget is used."""
        if progress < self.warmup:
            return self.rate * max(progress / self.warmup, 0.01)
        if self.schedule == "constant":
            return self.rate
        rest = (min(progress, 1.0) - self.warmup) / (1 - self.warmup)
        return self.rate * 0.5 * (1 + math.cos(math.pi * rest))


@dataclass(frozen=True)
class Budget:
    """When training ends: after that many steps or minutes, whichever comes first."""

    steps: int | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        if self.steps is None and self.minutes is None:
            raise InputError("training needs a number of steps or minutes")
        if (self.steps or 1) < 1 or (self.minutes or 1.0) <= 0:
            raise InputError("steps and minutes must be positive")

    def progress(self, step: int, seconds: float) -> float:
        """The share of the budget that is used."""
        by_step = 0.0 if self.steps is None else step / self.steps
        by_time = 0.0 if self.minutes is None else seconds / (60 * self.minutes)
        return max(by_step, by_time)


PLAIN = Recipe(
    optimiser="adam",
    rate=1e-3,
    decay=0.0,
    schedule="constant",
    warmup=0.0,
    clip=None,
    average=None,
    loss="squared",
    calm=False,
    select="loss",
)
PRESETS: dict[str, tuple[NetworkConfig, Recipe]] = {
    "paper": (PAPER, PLAIN),
    "paper-code": (PAPER_CODE, replace(PLAIN, rate=1e-4, sampling="by-cost", unreachable="twice")),
    "skolem": (SKOLEM, Recipe()),
}
