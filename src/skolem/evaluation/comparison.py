"""Records of several routes on the same instances: what became of them, and the figures they give."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean, median
from typing import Any

from skolem.evaluation.routes import LEARNED, MODELLED, REWRITINGS, ROUTES
from skolem.evaluation.store import Record
from skolem.evaluation.tables import Estimate, Table, estimate_mean, estimate_ratio, name_place
from skolem.support.errors import ExitCode

MANY_BINDINGS = 100_000
"""From here on, in candidates at least, the expansion of a quantified goal is what takes the time."""
ANYTIME = "lama-anytime"
SPEEDUPS = ("speedup", "speedup_large", "speedup_many")
BINDING_FIRST = (*MODELLED, "beam", "random-valid", "random")
"""Routes that choose the objects before they plan, and may choose some that no plan brings together."""

Row = Mapping[str, Record]
"""The records of all routes on one instance."""
Figures = Mapping[str, Estimate]


@dataclass(frozen=True)
class Outcome:
    """An end of a route that is understood."""

    name: str
    meaning: str
    status: str
    codes: tuple[ExitCode, ...]
    routes: tuple[str, ...] = ()
    """The only routes that it explains; empty for all."""

    def explains(self, record: Record) -> bool:
        """Whether the record is of this kind."""
        if record["status"] != self.status or record["exit_code"] not in self.codes:
            return False
        return not self.routes or record["route"].split()[0] in self.routes


SOLVED = Outcome("solved", "a plan for the goal, or its exact cost, was found", "solved", (ExitCode.SUCCESS,))
REFUSED = Outcome(
    "not supported",
    "the route takes no such goal, or no such domain",
    "error",
    (ExitCode.UNSUPPORTED,),
    (*BINDING_FIRST, "lama", "lama-anytime", "unified-planning"),
)
OUTCOMES = (
    SOLVED,
    Outcome(
        "out of time",
        "the translator or the search reached the time limit",
        "unsolved",
        (ExitCode.TRANSLATE_OUT_OF_TIME, ExitCode.SEARCH_OUT_OF_TIME),
    ),
    Outcome(
        "out of memory",
        "the translator or the search reached the memory limit",
        "unsolved",
        (
            ExitCode.TRANSLATE_OUT_OF_MEMORY,
            ExitCode.SEARCH_OUT_OF_MEMORY,
            ExitCode.SEARCH_OUT_OF_MEMORY_AND_TIME,
        ),
    ),
    Outcome(
        "out of reach",
        "the objects were chosen first, and no plan achieves the goal with them",
        "unsolved",
        (ExitCode.UNSOLVED_INCOMPLETE,),
        BINDING_FIRST,
    ),
    REFUSED,
)
"""Everything that a record may say without being a riddle; that a reachable goal is not is no such outcome."""


@dataclass(frozen=True)
class Cell:
    """The figures of instances that stand together: of a family in one setting, or at one step of a series."""

    family: str
    neq: bool | None
    """The setting; None for both."""
    figures: Figures
    peers: Mapping[str, Figures] = field(default_factory=dict)
    """Every route by itself."""
    groups: Mapping[str, Figures] = field(default_factory=dict)
    """Figures of parts: by the number of variables, or by the stages of the learned route."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What else tells it from other cells, or is known about it."""

    @property
    def name(self) -> tuple[str, str]:
        """The family and the setting in the first columns of a table."""
        return self.family, "yes" if self.neq else "no"

    def describe_figures(self) -> dict[str, Any]:
        """The number of instances, the values of the paper's columns, and all figures with their intervals."""
        names = {"coverage": "coverage", "validity": "validity", "v_lama": "v_lama"}
        names |= {"ratio": "learned_ratio", "speedup": "speedup"}
        return {
            "count": self.figures["coverage"].count,
            **{name: self.figures[figure].value for name, figure in names.items()},
            "medians": {name: self.figures[name].median for name in SPEEDUPS},
            "figures": _describe(self.figures),
            "peers": {route: _describe(figures) for route, figures in self.peers.items()},
        }


def describe_means(figures: Figures, *names: str) -> dict[str, Any]:
    """The number of instances and some figures, all of them means, as exact sums give them."""
    means = {name: fmean(figures[name].tops) if figures[name].count else None for name in names}
    return {"count": figures["coverage"].count, **means}


def _describe(figures: Figures) -> dict[str, Any]:
    return {name: figure.describe() for name, figure in figures.items()}


def list_rows(records: Iterable[Record], **wanted: Any) -> list[Row]:
    """The instances whose records have the wanted properties, in a fixed order; the last record of a route counts."""
    rows: dict[str, dict[str, Record]] = {}
    for record in records:
        if "task" in record and all(record.get(name) == value for name, value in wanted.items()):
            rows.setdefault(record["task"], {})[record["route"]] = record
    return sorted(rows.values(), key=lambda row: sorted((r["index"], r["task"]) for r in row.values())[0])


def group_records(records: Iterable[Record], *names: str) -> dict[tuple[Any, ...], list[Record]]:
    """The records by their values of some properties, in the order of the first of each."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record[name] for name in names), []).append(record)
    return groups


def get_cost(row: Row, route: str) -> int | None:
    """The cost of a route's plan; None if it has none or was not tried."""
    record = row.get(route)
    return record["cost"] if record is not None and record["status"] == SOLVED.status else None


def get_seconds(row: Row, route: str) -> float:
    """How long a route took, at least its limit if it found no plan."""
    record = row[route]
    seconds: float = record["times"]["total"]
    return seconds if record["status"] == SOLVED.status else max(seconds, record["limit"])


def find_best_cost(row: Row, routes: Iterable[str] = tuple(ROUTES)) -> int | None:
    """The least cost that any of the routes found."""
    return min((cost for route in routes if (cost := get_cost(row, route)) is not None), default=None)


def find_contested_cost(row: Row, route: str) -> int | None:
    """The least cost of all routes, if V* is known or another route found a plan as cheap as this one's.

    Where a route alone has the best plan that is known, that it costs no more than the best known says nothing.
    `skolem plan` begins with the learned route, which is therefore no other one for it.
    """
    own, optimum = get_cost(row, route), get_cost(row, "v-star")
    same = LEARNED if route == "auto" else (route,)
    rival = find_best_cost(row, [other for other in ROUTES if other not in same])
    alone = optimum is None and own is not None and (rival is None or rival > own)
    return None if alone else find_best_cost(row)


def find_outcome(record: Record) -> Outcome | None:
    """What became of a route on an instance; None if nothing known explains it."""
    if record["status"] != SOLVED.status and not record["reason"]:
        return None
    return next((outcome for outcome in OUTCOMES if outcome.explains(record)), None)


def list_unexplained(rows: Sequence[Row]) -> list[str]:
    """Everything that no known outcome explains, one line each."""
    lines = []
    for row in rows:
        for route, record in row.items():
            optimum = record.get("v_star", get_cost(row, "v-star"))
            name = f"{name_place(record['family'], record['neq'])}, instance {record['index']}, {route}"
            outcome = find_outcome(record)
            if outcome is None:
                lines.append(f"{name}: {record['status']} ({record['reason'] or 'no reason given'})")
            elif outcome is SOLVED and optimum is not None and record["cost"] < optimum:
                lines.append(f"{name}: cost {record['cost']} is below V* = {optimum}")
    return lines


def tabulate_outcomes(rows: Sequence[Row]) -> Table:
    """How many records have each outcome, and what it means."""
    counts = Counter(find_outcome(record) for row in rows for record in row.values())
    listed = [outcome for outcome in OUTCOMES if outcome is not REFUSED or counts[outcome]]
    lines = [(outcome.name, str(counts[outcome]), outcome.meaning) for outcome in listed]
    if counts[None]:
        lines.append(("not explained", str(counts[None]), "see the top of the page"))
    return Table("outcomes", ("outcome", "records", "meaning"), lines)


def find_cold_starts(records: Iterable[Record], rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """By family and route, how much longer a fresh process takes than a warm one, on the same task."""
    walls: dict[tuple[str, str, str], list[float]] = {}
    for record in records:
        if record.get("group") == "cold" and record["status"] == SOLVED.status:
            walls.setdefault((record["family"], record["route"], record["task"]), []).append(record["times"]["wall"])
    warm = {(r["family"], r["route"], r["task"]): r["times"]["total"] for row in rows for r in row.values()}
    return {key[:2]: max(0.0, median(found) - warm[key]) for key, found in walls.items() if key in warm}


def compare(rows: Sequence[Row], cold: Mapping[tuple[str, str], float] | None = None) -> dict[str, Estimate]:
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
        for name, other in (("ratio", "lama"), ("anytime_ratio", ANYTIME), ("star_ratio", "v-star")):
            figures[f"{route}_{name}"] = estimate_cost_ratio(rows, route, other)
            figures[f"{route}_total_{name}"] = _relate(
                rows, partial(get_cost, route=route), partial(get_cost, route=other)
            )
        figures[f"{route}_contested"] = _relate(
            rows, partial(get_cost, route=route), partial(find_contested_cost, route=route)
        )
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
    """Every route by itself: coverage, seconds, cost against V*, cost and time against the learned route's."""
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
    """The share of instances that a route solves."""
    return estimate_mean(get_cost(row, route) is not None for row in rows if route in row)


def list_cost_ratios(rows: Sequence[Row], route: str, other: str) -> list[float]:
    """A route's costs over another's on the instances that both solve."""
    pairs = [(get_cost(row, route), get_cost(row, other)) for row in rows]
    return [a / b for a, b in pairs if a is not None and b is not None]


def estimate_cost_ratio(rows: Sequence[Row], route: str, other: str) -> Estimate:
    """The mean of a route's cost over another's on the instances that both solve."""
    return estimate_mean(list_cost_ratios(rows, route, other))


def _relate(rows: Sequence[Row], top: Callable[[Row], float | None], bottom: Callable[[Row], float | None]) -> Estimate:
    """The ratio of two sums over the instances that have both."""
    return estimate_ratio((top(row), bottom(row)) for row in rows)
