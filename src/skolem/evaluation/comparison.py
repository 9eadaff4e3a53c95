"""Records of several ways on the same instances as figures with bootstrap intervals."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from skolem.evaluation.peers import LEARNED, REWRITINGS, ROUTES, Record
from skolem.support.errors import ExitCode

RESAMPLES = 2000
MANY_BINDINGS = 100_000
"""From here on, in candidates at least, the expansion of a quantified goal is what takes the time."""

Row = Mapping[str, Record]
"""The records of all ways on one instance."""
Figures = dict[str, "Estimate"]
Table = tuple[tuple[str, ...], Sequence[tuple[str, ...]]]
"""Columns and rows for people."""


@dataclass(frozen=True)
class Estimate:
    """A figure over a number of instances, with its 95% bootstrap interval; None where there are none."""

    value: float | None
    low: float | None
    high: float | None
    count: int

    def describe(self) -> dict[str, Any]:
        """The `--json` form."""
        return {"value": self.value, "interval": [self.low, self.high], "count": self.count}


def estimate_mean(values: Iterable[float]) -> Estimate:
    """The mean of some values."""
    found = list(values)
    return estimate_ratio(found, [1.0] * len(found))


def estimate_ratio(tops: Sequence[float], bottoms: Sequence[float]) -> Estimate:
    """The ratio of two sums over the same instances."""
    count = len(tops)
    if not count or not sum(bottoms):
        return Estimate(None, None, None, count)
    top, bottom = np.array(tops, dtype=float), np.array(bottoms, dtype=float)
    drawn = np.random.default_rng(0).integers(count, size=(RESAMPLES, count))
    sums = bottom[drawn].sum(axis=1)
    ratios = top[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.quantile(ratios, (0.025, 0.975))
    return Estimate(float(top.sum() / bottom.sum()), float(low), float(high), count)


def list_rows(records: Iterable[Record], **wanted: Any) -> list[Row]:
    """The instances whose records have the wanted properties, in a fixed order; the last record of a way counts."""
    rows: dict[str, dict[str, Record]] = {}
    for record in records:
        if record.get("route") in ROUTES and all(record.get(name) == value for name, value in wanted.items()):
            rows.setdefault(record["task"], {})[record["route"]] = record
    return sorted(rows.values(), key=lambda row: sorted((r["index"], r["task"]) for r in row.values())[0])


def get_cost(row: Row, route: str) -> int | None:
    """The cost of a way's plan; None if it has none or was not tried."""
    record = row.get(route)
    return record["cost"] if record is not None and record["status"] == "solved" else None


def get_seconds(row: Row, route: str) -> float:
    """How long a way took, at least its limit if it found no plan."""
    record = row[route]
    seconds: float = record["times"]["total"]
    return seconds if record["status"] == "solved" else max(seconds, record["limit"])


def find_best_cost(row: Row, routes: Iterable[str] = tuple(ROUTES)) -> int | None:
    """The least cost that any of the ways found."""
    return min((cost for route in routes if (cost := get_cost(row, route)) is not None), default=None)


def is_explained(record: Record) -> bool:
    """Whether a record is a plan or a failure of a known kind; that a reachable goal is not is no such kind."""
    if record["status"] == "solved":
        return True
    limits = range(ExitCode.TRANSLATE_OUT_OF_MEMORY, ExitCode.TRANSLATE_CRITICAL_ERROR)
    bound = record["route"] in (*LEARNED, "random-valid") and record["exit_code"] == ExitCode.UNSOLVED_INCOMPLETE
    return record["status"] == "unsolved" and (record["exit_code"] in limits or bound) and bool(record["reason"])


def find_oddities(rows: Sequence[Row]) -> list[str]:
    """Everything that no known kind of failure explains, one line each."""
    lines = []
    for row in rows:
        optimum = get_cost(row, "v-star")
        for route, record in row.items():
            name = f"{record['family']}{' with inequality' * record['neq']}, instance {record['index']}, {route}"
            if not is_explained(record):
                lines.append(f"{name}: {record['status']} ({record['reason'] or 'no reason given'})")
            elif optimum is not None and record["status"] == "solved" and record["cost"] < optimum:
                lines.append(f"{name}: cost {record['cost']} is below V* = {optimum}")
    return lines


def find_cold_starts(records: Iterable[Record], rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """By family and way, how much longer a fresh process takes than one with everything loaded, on the same task."""
    walls: dict[tuple[str, str, str], list[float]] = {}
    for record in records:
        if record.get("group") == "cold" and record["status"] == "solved":
            walls.setdefault((record["family"], record["route"], record["task"]), []).append(record["times"]["wall"])
    warm = {(r["family"], r["route"], r["task"]): r["times"]["total"] for row in rows for r in row.values()}
    return {key[:2]: max(0.0, median(found) - warm[key]) for key, found in walls.items() if key in warm}


def compare(rows: Sequence[Row], cold: Mapping[tuple[str, str], float] | None = None) -> Figures:
    """The figures of the paper's LAMA table over some instances, and those that a user of `skolem plan` asks for."""
    cold = cold or {}
    tried = [row for row in rows if "learned" in row]
    both = [row for row in tried if "lama" in row]
    common = [row for row in both if get_cost(row, "learned") is not None and get_cost(row, "lama") is not None]
    seconds = partial(get_seconds, route="lama"), partial(get_seconds, route="learned")
    known_cold = [row for row in common if (row["learned"]["family"], "learned") in cold]
    rewritten = [row for row in rows if all(route in row for route in REWRITINGS)]
    timed = [row for row in rows if "bind-axiom" in row]
    figures = {
        "coverage": estimate_coverage(rows, "learned"),
        "auto_coverage": estimate_coverage(rows, "auto"),
        "lama_coverage": estimate_coverage(rows, "lama"),
        "validity": estimate_mean(row["learned"].get("valid") is True for row in tried),
        "v_lama": estimate_mean(cost for row in rows if (cost := get_cost(row, "lama")) is not None),
        "speedup": _relate(common, *seconds),
        "speedup_cold": _relate(
            known_cold,
            partial(get_seconds, route="lama"),
            lambda row: get_seconds(row, "learned") + cold[row["learned"]["family"], "learned"],
        ),
        "speedup_large": _relate([row for row in both if row["lama"]["bindings"] >= MANY_BINDINGS], *seconds),
        "speedup_many": _relate([row for row in both if row["lama"]["candidate_bindings"] >= MANY_BINDINGS], *seconds),
    }
    for route in LEARNED:
        figures[f"{route}_ratio"] = estimate_cost_ratio(rows, route, "lama")
        figures[f"{route}_anytime_ratio"] = estimate_cost_ratio(rows, route, "lama-anytime")
        figures[f"{route}_star_ratio"] = estimate_cost_ratio(rows, route, "v-star")
        figures[f"{route}_exact_cost"] = _relate(
            rewritten, partial(get_cost, route=route), lambda row: find_best_cost(row, REWRITINGS)
        )
        figures[f"{route}_best_cost"] = _relate(rows, partial(get_cost, route=route), find_best_cost)
        figures[f"{route}_time"] = _relate(
            [row for row in timed if route in row],
            partial(get_seconds, route=route),
            partial(get_seconds, route="bind-axiom"),
        )
    return figures


def compare_peers(rows: Sequence[Row]) -> dict[str, Figures]:
    """Every way by itself: coverage, seconds, cost against V*, cost and time against the learned way's."""
    return {
        route: {
            "coverage": estimate_coverage(rows, route),
            "seconds": estimate_mean(get_seconds(row, route) for row in rows if route in row),
            "star_ratio": estimate_cost_ratio(rows, route, "v-star"),
            "cost": _relate(rows, partial(get_cost, route=route), partial(get_cost, route="learned")),
            "time": _relate(
                [row for row in rows if route in row and "learned" in row],
                partial(get_seconds, route=route),
                partial(get_seconds, route="learned"),
            ),
        }
        for route in ROUTES
        if any(route in row for row in rows)
    }


def estimate_coverage(rows: Sequence[Row], route: str) -> Estimate:
    """The share of instances that a way solves."""
    return estimate_mean(get_cost(row, route) is not None for row in rows if route in row)


def estimate_cost_ratio(rows: Sequence[Row], route: str, other: str) -> Estimate:
    """The mean of a way's cost over another's on the instances that both solve."""
    pairs = [(get_cost(row, route), get_cost(row, other)) for row in rows]
    return estimate_mean(a / b for a, b in pairs if a is not None and b is not None)


def _relate(rows: Sequence[Row], top: Callable[[Row], float | None], bottom: Callable[[Row], float | None]) -> Estimate:
    """The ratio of two sums over the instances that have both."""
    pairs = [(a, b) for row in rows if (a := top(row)) is not None and (b := bottom(row)) is not None]
    return estimate_ratio([a for a, _ in pairs], [b for _, b in pairs])


def percent(figure: Estimate, interval: bool = False) -> str:
    """A share for people."""
    if figure.value is None or figure.low is None or figure.high is None:
        return "-"
    return f"{figure.value:.1%}" + f" [{figure.low:.1%}, {figure.high:.1%}]" * interval


def number(figure: Estimate, digits: int = 2, interval: bool = False) -> str:
    """A number for people."""
    if figure.value is None or figure.low is None or figure.high is None:
        return "-"
    return f"{figure.value:.{digits}f}" + f" [{figure.low:.{digits}f}, {figure.high:.{digits}f}]" * interval
