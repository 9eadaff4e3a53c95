"""Figures with the instances they stand on, and tables of them for people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

RESAMPLES = 2000
NONE = "-"


@dataclass(frozen=True)
class Estimate:
    """The ratio of two sums over the same instances, with its 95% bootstrap interval; None where there are none."""

    tops: tuple[float, ...]
    bottoms: tuple[float, ...]

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.tops)

    @cached_property
    def value(self) -> float | None:
        """The figure."""
        total = float(np.sum(self.bottoms))
        return float(np.sum(self.tops)) / total if total else None

    @cached_property
    def interval(self) -> tuple[float, float] | tuple[None, None]:
        """Where the figure lies in 95 of 100 samples drawn anew from the instances."""
        if self.value is None:
            return None, None
        top, bottom = np.array(self.tops, dtype=float), np.array(self.bottoms, dtype=float)
        drawn = np.random.default_rng(0).integers(self.count, size=(RESAMPLES, self.count))
        sums = bottom[drawn].sum(axis=1)
        ratios = top[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
        low, high = np.quantile(ratios, (0.025, 0.975))
        return float(low), float(high)

    @cached_property
    def median(self) -> float | None:
        """The median of the instances' own quotients, which no single instance can move far."""
        return float(np.median(np.array(self.tops) / np.array(self.bottoms))) if self.count else None

    def describe(self) -> dict[str, Any]:
        """The `--json` form."""
        return {"value": self.value, "interval": list(self.interval), "count": self.count}


def estimate_mean(values: Iterable[float]) -> Estimate:
    """The mean of some values."""
    found = tuple(map(float, values))
    return Estimate(found, (1.0,) * len(found))


def estimate_ratio(pairs: Iterable[tuple[float | None, float | None]]) -> Estimate:
    """The ratio of the sums of the first and of the second values, over the pairs that have both."""
    known = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
    return Estimate(tuple(a for a, _ in known), tuple(b for _, b in known))


def pool(figures: Iterable[Estimate]) -> Estimate:
    """One figure over the instances of all."""
    found = list(figures)
    return Estimate(tuple(t for f in found for t in f.tops), tuple(b for f in found for b in f.bottoms))


def round_figures(found: Any) -> Any:
    """The same with six decimals: the last digits of a sum depend on the machine."""
    if isinstance(found, float):
        return round(found, 6)
    if isinstance(found, Mapping):
        return {name: round_figures(each) for name, each in found.items()}
    return [round_figures(each) for each in found] if isinstance(found, list | tuple) else found


@dataclass(frozen=True)
class Table:
    """A table for people."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def to_markdown(self) -> str:
        """The table without its title."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percent(figure: Estimate | float | None, interval: bool = False) -> str:
    """A share for people."""
    return _show(figure, ".1%", interval)


def number(figure: Estimate | float | None, digits: int = 2, interval: bool = False) -> str:
    """A number for people."""
    return _show(figure, f".{digits}f", interval)


def counted(figure: Estimate, digits: int = 2, interval: bool = False) -> str:
    """A number for people, with how many instances it stands on."""
    return f"{number(figure, digits, interval)} ({figure.count})"


def _show(figure: Estimate | float | None, form: str, interval: bool) -> str:
    value = figure.value if isinstance(figure, Estimate) else figure
    if value is None:
        return NONE
    if not interval or not isinstance(figure, Estimate):
        return f"{value:{form}}"
    low, high = figure.interval
    return f"{value:{form}} [{low:{form}}, {high:{form}}]"


def name_place(family: str, neq: bool) -> str:
    """A family in one setting, in words."""
    return f"{family}{' with inequality' * neq}"
