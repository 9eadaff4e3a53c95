"""How quality and time change with the size of a task and with the number of variables of its goal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from skolem.cli.output import Console
from skolem.evaluation.comparison import (
    Estimate,
    Figures,
    Row,
    Table,
    compare,
    compare_peers,
    estimate_mean,
    get_cost,
    list_rows,
    number,
    percent,
)
from skolem.evaluation.paper_large import SCALING
from skolem.evaluation.peers import Record, Settings, Spec, Trial
from skolem.families.registry import FAMILIES

SIZES, VARIABLES = "scaling-size", "scaling-variables"
TITLES = {SIZES: "by number of objects", VARIABLES: "by number of variables"}

SIZE_STEPS: dict[str, tuple[int, ...]] = {
    "blocks": (7, 9, 11, 13, 15, 17, 20, 25, 30, 40, 50),
    "gripper": (15, 25, 47, 75, 105, 155, 205),
    "delivery": (31, 60, 88, 150, 207, 307, 407),
    "visitall": (16, 20, 25, 49, 64, 100, 144, 196, 256, 324, 400),
}
"""Numbers of objects; the largest have 50 blocks, 200 balls, and 400 cells."""
VARIABLE_STEPS = range(1, 13)

COUNT = 30
"""Instances of each size in the paper's tables."""
FURTHER_COUNT = 10
"""Instances of each other size."""
VARIABLES_COUNT = 6
"""Instances of each number of variables."""
PEERS_COUNT = 6

PHASES = (("learned", "bind-axiom", "auto"), ("lama",), ("v-star", "end", "miniscope"))
STAGES = ("read", "ground", "plan", "total")


@dataclass(frozen=True)
class Point:
    """One size, or one number of variables, of a family."""

    group: str
    family: str
    step: int
    figures: Figures
    peers: dict[str, Figures]
    stages: dict[str, Estimate]
    """Mean seconds of the learned way's stages, over the instances it solves."""
    memory: dict[str, int]
    """The most megabytes that any process of a way used."""

    def describe(self) -> dict[str, Any]:
        """The `--json` form of the point."""
        return {
            "series": self.group,
            "family": self.family,
            "step": self.step,
            "count": self.figures["coverage"].count,
            "coverage": self.figures["coverage"].value,
            "v_lama": self.figures["v_lama"].value,
            "ratio": self.figures["learned_ratio"].value,
            "speedup": self.figures["speedup"].value,
            "figures": {name: figure.describe() for name, figure in self.figures.items()},
            "peers": {
                route: {name: figure.describe() for name, figure in found.items()}
                for route, found in self.peers.items()
            },
            "stages": {name: figure.describe() for name, figure in self.stages.items()},
            "memory": self.memory,
        }


def plan_trials(
    families: Sequence[str],
    neq: bool | None,
    settings: Settings,
    count: int | None = None,
    peers_count: int = PEERS_COUNT,
    routes: Iterable[str] | None = None,
) -> list[Trial]:
    """The trials of both series; every second instance has inequalities unless one setting is asked for."""
    wanted = None if routes is None else set(routes)
    trials = []
    for phase in PHASES:
        chosen = [route for route in phase if wanted is None or route in wanted]
        for index in range(COUNT if count is None else min(count, COUNT)):
            for group, spec, most in _list_specs(families, neq, index):
                # LAMA is part of the paper's tables, the other peers are not.
                full = "learned" in phase or ("lama" in phase and most == COUNT)
                if index < (most if full else min(most, peers_count)):
                    trials += [Trial(group, spec, route, settings) for route in chosen]
    return trials


def _list_specs(families: Sequence[str], neq: bool | None, index: int) -> Iterable[tuple[str, Spec, int]]:
    """The instance with that number at every step, with its series and how many instances the step has."""
    setting = index % 2 == 1 if neq is None else neq
    for family in families:
        for size in SIZE_STEPS.get(family, ()):
            # Numbers of their own, so that no instance of the LAMA sets is met again.
            spec = Spec(family, setting, 100_000 + 1000 * size + index, size=size)
            yield SIZES, spec, COUNT if (family, size) in SCALING else FURTHER_COUNT
        kind = FAMILIES[family]
        size = max(kind.sizes["lama"])
        for variables in VARIABLE_STEPS:
            if variables <= kind.most_variables(size):
                spec = Spec(family, setting, 600_000 + 1000 * variables + index, size=size, variables=variables)
                yield VARIABLES, spec, VARIABLES_COUNT


def summarise(records: Sequence[Record]) -> list[Point]:
    """The points of both series that there are records for."""
    points = []
    for group, name in ((SIZES, "size"), (VARIABLES, "variables")):
        for family in FAMILIES:
            found = [r for r in records if r.get("group") == group and r["family"] == family]
            for step in sorted({record[name] for record in found}):
                rows = list_rows(found, **{name: step})
                points.append(_summarise_point(group, family, step, rows))
    return points


def _summarise_point(group: str, family: str, step: int, rows: Sequence[Row]) -> Point:
    solved = [row["learned"]["times"] for row in rows if get_cost(row, "learned") is not None]
    peers = compare_peers(rows)
    used = {route: [r["memory"] for row in rows if (r := row.get(route)) and r["memory"]] for route in peers}
    return Point(
        group=group,
        family=family,
        step=step,
        figures=compare(rows),
        peers=peers,
        stages={stage: estimate_mean(times[stage] for times in solved) for stage in STAGES},
        memory={route: max(found) for route, found in used.items() if found},
    )


def tabulate_points(points: Sequence[Point], group: str, intervals: bool = False) -> Table:
    """One row per step: the paper's columns with its figures, then ours; V is the learned way's cost."""
    costs = ("V/V^L", "paper", "speed-up", "paper", "V/V*", "V/best", "plan/best")
    times = (*(f"{stage} s" for stage in STAGES), "bind-axiom s", "MB", "planner MB")
    columns = ("family", "step", "n", "coverage", "paper", "plan", "n of LAMA", "LAMA", "paper", *costs, *times)
    rows = []
    for point in points:
        if point.group != group:
            continue
        f, paper = point.figures, SCALING.get((point.family, point.step)) if group == SIZES else None
        rows.append(
            (
                point.family,
                str(point.step),
                str(f["coverage"].count),
                percent(f["coverage"]),
                "-" if paper is None else f"{paper.coverage:.1%}",
                percent(f["auto_coverage"]),
                str(f["lama_coverage"].count),
                percent(f["lama_coverage"]),
                "-" if paper is None else f"{paper.lama_coverage:.1%}",
                number(f["learned_ratio"], 3, intervals),
                "-" if paper is None else f"{paper.ratio:.3f}",
                number(f["speedup"], 2, intervals),
                "-" if paper is None else f"{paper.speedup:.2f}",
                number(f["learned_star_ratio"], 3),
                number(f["learned_best_cost"], 3, intervals),
                number(f["auto_best_cost"], 3),
                *(number(point.stages[stage]) for stage in STAGES),
                number(point.peers["bind-axiom"]["seconds"]) if "bind-axiom" in point.peers else "-",
                str(point.memory.get("learned", "-")),
                str(point.memory.get("bind-axiom", "-")),
            )
        )
    return columns, rows


def show_scaling(console: Console, points: Sequence[Point]) -> None:
    """Prints one row per size and per number of variables."""
    for group, title in TITLES.items():
        console.table(*tabulate_points(points, group), title)
        console.say()
