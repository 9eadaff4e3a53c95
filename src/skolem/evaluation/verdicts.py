"""What the figures say, in words: where learned grounding wins and where an exact rewriting is better."""

import operator
from collections.abc import Callable, Iterable, Sequence

from skolem.evaluation.comparison import (
    Estimate,
    Row,
    Table,
    compare,
    estimate_coverage,
    get_cost,
    get_seconds,
    list_rows,
    number,
    percent,
)
from skolem.evaluation.lama import GROUP, Cell
from skolem.evaluation.paper_large import LAMA, SCALING
from skolem.evaluation.peers import LEARNED, REWRITINGS, Record
from skolem.evaluation.scaling import SIZES, Point
from skolem.families.registry import FAMILIES

COST_BOUND = 1.05
"""Above this cost against LAMA's a cell is named even where the paper's is higher."""
TIME_BOUND = 2.0
"""Above this time against bind-axiom's a family is named."""


def judge_cells(cells: Sequence[Cell]) -> list[str]:
    """Sentences on coverage, cost and time against the paper, one subject each."""
    lines = []
    missed = [
        f"{name_cell(c)} ({percent(f)})" for c in cells if (f := c.figures["auto_coverage"]).value not in (None, 1)
    ]
    solved = [cell.figures["auto_coverage"] for cell in cells]
    total = sum(figure.count for figure in solved)
    if total:
        hits = sum(round((figure.value or 0.0) * figure.count) for figure in solved)
        where = f"; not all of {'; '.join(missed)}" if missed else ", all of every cell"
        lines.append(f"`skolem plan` solves {hits} of {total} instances{where}.")
    papers = [(cell, LAMA[cell.family, cell.neq]) for cell in cells]
    lines += _judge(
        "The grounded route alone covers at least what the paper's covers",
        [(name_cell(c), c.figures["coverage"], percent, paper.coverage) for c, paper in papers],
        operator.ge,
    )
    for route, whose in (("learned", "the learned route"), ("auto", "`skolem plan`")):
        lines += _judge(
            f"V/V^L of {whose} is at most {COST_BOUND} and at most the paper's",
            [(name_cell(c), c.figures[f"{route}_ratio"], _exactly, min(COST_BOUND, p.ratio)) for c, p in papers],
            operator.le,
        )
        ratios = [value for cell in cells if (value := cell.figures[f"{route}_ratio"].value) is not None]
        if ratios:
            lines.append(f"Its mean over {len(ratios)} cells is {sum(ratios) / len(ratios):.3f}.")
    for name, what in (("speedup_large", "all objects"), ("speedup_many", "their candidates")):
        lines += _judge(
            f"Over goals with at least 100,000 bindings of {what}, the speed-up over LAMA is at least the paper's",
            [(name_cell(c), c.figures[name], number, paper.speedup) for c, paper in papers],
            operator.ge,
        )
    return lines


def _judge(
    claim: str,
    figures: Sequence[tuple[str, Estimate, Callable[[Estimate], str], float]],
    holds: Callable[[float, float], bool],
) -> list[str]:
    """One sentence on how many figures keep to their bounds, and which do not; none if there are no figures."""
    known = [(name, figure.value, show(figure), bound) for name, figure, show, bound in figures if figure.count]
    failed = [f"{name} ({shown})" for name, value, shown, bound in known if value is None or not holds(value, bound)]
    if not known:
        return []
    if not failed:
        return [f"{claim} in all {len(known)} measured."]
    return [f"{claim} in {len(known) - len(failed)} of {len(known)}; not in {', '.join(failed)}."]


def _exactly(figure: Estimate) -> str:
    return number(figure, 3)


def judge_families(records: Sequence[Record]) -> tuple[list[str], Table]:
    """Per family, `skolem plan` against exact rewritings: sentences, and the figures."""
    verdicts, rows = [], []
    figures = {}
    for family in FAMILIES:
        found = list_rows(records, group=GROUP, family=family)
        figures[family] = compare(found)
        for route in LEARNED:
            cost, time = figures[family][f"{route}_exact_cost"], figures[family][f"{route}_time"]
            shown = (f"{number(cost, 3, True)} ({cost.count})", f"{number(time, 2, True)} ({time.count})")
            rows.append((family, "plan" if route == "auto" else route, *shown))
        verdicts += _judge_family(family, found)
    costs = [(family, found["auto_exact_cost"], _exactly, 1.0) for family, found in figures.items()]
    times = [(family, found["auto_time"], number, TIME_BOUND) for family, found in figures.items()]
    lines = [
        *_judge(
            "Plans of `skolem plan` cost in total no more than the cheapest rewriting's of each task",
            costs,
            operator.le,
        ),
        *_judge(f"They take in total at most {TIME_BOUND:g} times as long as `bind-axiom` does", times, operator.le),
        *verdicts,
    ]
    return lines, (("family", "route", "cost/cheapest rewriting (n)", "time/bind-axiom (n)"), rows)


def _judge_family(family: str, rows: Sequence[Row]) -> list[str]:
    """Which single way a user of this family should pick, by coverage, then cost, then time."""
    ways = ("auto", *REWRITINGS)
    measured = [row for row in rows if all(way in row for way in ways)]
    if not measured:
        return []
    common = [row for row in measured if all(get_cost(row, way) is not None for way in ways)]
    coverage = {way: estimate_coverage(measured, way).value or 0.0 for way in ways}
    cost = {way: sum(get_cost(row, way) or 0 for row in common) for way in ways}
    time = {way: sum(get_seconds(row, way) for row in measured) for way in ways}
    shown = ", ".join(
        f"{'plan' if way == 'auto' else f'`{way}`'} {coverage[way]:.0%}, cost {cost[way]}, {time[way]:.0f} s"
        for way in ways
    )
    rivals = [way for way in REWRITINGS if coverage[way] >= coverage["auto"] and cost[way] <= cost["auto"]]
    faster = [way for way in rivals if time[way] <= time["auto"]]
    if faster:
        best = min(faster, key=lambda way: (cost[way], time[way]))
        verdict = f"the exact rewriting `{best}` is the better choice: no dearer, and faster"
    elif rivals:
        best = min(rivals, key=lambda way: (cost[way], time[way]))
        verdict = f"learned grounding is as good as `{best}` in cost or dearer, but faster"
    else:
        verdict = "learned grounding wins: no single rewriting covers as much at its cost"
    return [f"**{family}**: {verdict} ({len(measured)} instances: {shown}; costs over {len(common)} solved by all)."]


def judge_points(points: Sequence[Point]) -> list[str]:
    """Sentences on the largest sizes: coverage and cost against the best known."""
    lines = []
    for family in dict.fromkeys(point.family for point in points if point.group == SIZES):
        own = [point for point in points if point.group == SIZES and point.family == family]
        cited = [point for point in own if (family, point.step) in SCALING]
        for point in dict.fromkeys(p.step for p in (*cited[-1:], *own[-1:])):
            lines += [_judge_point(p) for p in own if p.step == point and p.figures["coverage"].count]
    return lines


def _judge_point(point: Point) -> str:
    f = point.figures
    paper = SCALING.get((point.family, point.step))
    beside = "" if paper is None else f" (the paper: {paper.coverage:.1%})"
    return (
        f"{point.family} with {point.step} objects: the learned route covers {percent(f['coverage'])} of "
        f"{f['coverage'].count}{beside}, its plans cost {number(f['learned_best_cost'], 3)} times the best known; "
        f"`skolem plan` covers {percent(f['auto_coverage'])} at {number(f['auto_best_cost'], 3)} times."
    )


def list_failures(rows: Iterable[Row], routes: Sequence[str]) -> list[str]:
    """The instances that some ways did not solve, with the reason."""
    return [
        f"{name_record(record)}, {record['variables']} variables, {route}: {record['reason']}"
        for row in rows
        for route in routes
        if (record := row.get(route)) is not None and record["status"] != "solved"
    ]


def name_record(record: Record) -> str:
    """An instance for people."""
    return f"{record['family']}{' with inequality' * record['neq']}, instance {record['index']}"


def name_cell(cell: Cell) -> str:
    """A cell for people."""
    return f"{cell.family}{' with inequality' * cell.neq}"
