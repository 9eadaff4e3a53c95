"""What the figures say, in words: where learned grounding wins and where an exact rewriting is better."""

import operator
from collections.abc import Callable, Iterable, Sequence

from skolem.evaluation import scaling
from skolem.evaluation.comparison import Cell, Row, compare, estimate_coverage, get_cost, get_seconds, list_rows
from skolem.evaluation.lama import GROUP, show_contested
from skolem.evaluation.paper import LAMA, SCALING, LamaRow
from skolem.evaluation.routes import LEARNED, REWRITINGS
from skolem.evaluation.store import Record
from skolem.evaluation.tables import NONE, Estimate, Table, counted, name_place, number, percent, pool
from skolem.families.registry import FAMILIES

COST_BOUND = 1.05
"""Above this cost against LAMA's a cell is named even where the paper's is higher."""
TIME_BOUND = 2.0
"""Above this time against bind-axiom's a family is named."""


def judge_cells(cells: Sequence[Cell]) -> list[str]:
    """Sentences on coverage, cost and time against the paper, one subject each."""
    lines = []
    missed = [f"{_name(c)} ({percent(f)})" for c in cells if (f := c.figures["auto_coverage"]).value not in (None, 1)]
    solved = [cell.figures["auto_coverage"] for cell in cells]
    total = sum(figure.count for figure in solved)
    if total:
        hits = sum(round((figure.value or 0.0) * figure.count) for figure in solved)
        where = f"; not all of {'; '.join(missed)}" if missed else ", all of every cell"
        lines.append(f"`skolem plan` solves {hits} of {total} instances{where}.")
    papers = [(cell, LAMA[cell.family, bool(cell.neq)]) for cell in cells]
    lines += _judge(
        "The grounded route alone covers at least what the paper's covers",
        [(_name(c), c.figures["coverage"], percent, paper.coverage) for c, paper in papers],
        operator.ge,
    )
    for prefix, how in (("", "mean of ratios"), ("total_", "ratio of sums")):
        lines += _judge(
            f"V/V^L of the learned route, both with lama-first, is as a {how} at most {COST_BOUND} and at most the "
            "paper's",
            [(_name(c), c.figures[f"learned_{prefix}ratio"], _exactly, min(COST_BOUND, p.ratio)) for c, p in papers],
            operator.le,
        )
    lines += _judge_plan(cells)
    return [*lines, *_judge_speed(papers)]


def _judge_plan(cells: Sequence[Cell]) -> list[str]:
    """What the plans of `skolem plan`, which goes on after a first one, cost against both ways to run LAMA."""
    parts = []
    for other, name in (("", "lama-first"), ("anytime_", "anytime LAMA")):
        figures = [cell.figures[f"auto_{other}ratio"] for cell in cells]
        totals = [cell.figures[f"auto_total_{other}ratio"] for cell in cells]
        shown = f"{_span(figures)} times those of {name} by family and setting (ratio of sums {_span(totals)})"
        parts.append(shown if any(figure.count for figure in figures) else f"were not compared with those of {name}")
    return [f"Plans of `skolem plan`, where LAMA has one, cost {' and '.join(parts)}."] if cells else []


def _span(figures: Sequence[Estimate]) -> str:
    """The least and the largest of some figures."""
    known = [figure.value for figure in figures if figure.value is not None]
    return f"{min(known):.3f} to {max(known):.3f}" if known else NONE


def _judge_speed(papers: Sequence[tuple[Cell, LamaRow]]) -> list[str]:
    """Sentences on the speed-up over lama-first: over all tasks that both solve, then over parts, named as such."""
    lines = _judge(
        f"Over all {_count(papers, 'speedup')} tasks that both solve, the learned route's speed-up over lama-first is "
        "at least the paper's",
        [(_name(c), c.figures["speedup"], number, paper.speedup) for c, paper in papers],
        operator.ge,
    )
    medians = [median for cell, _ in papers if (median := cell.figures["speedup"].median) is not None]
    if medians:
        slower = sum(median < 1 for median in medians)
        lines.append(
            f"On the median task that both solve it is {min(medians):.2f} to {max(medians):.2f}: lama-first alone is "
            f"faster in {slower} of {len(medians)}."
        )
    for name, what in (("speedup_large", "all objects"), ("speedup_many", "their candidates")):
        lines += _judge(
            f"Over a part only, the {_count(papers, name)} of {_count(papers, 'lama_coverage')} tasks whose goals have "
            f"at least 100,000 bindings of {what}, with time-outs counted at the limit, it is at least the paper's",
            [(_name(c), c.figures[name], number, paper.speedup) for c, paper in papers],
            operator.ge,
        )
    return lines


def _count(papers: Sequence[tuple[Cell, LamaRow]], name: str) -> int:
    return sum(cell.figures[name].count for cell, _ in papers)


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
            shown = (counted(cost, 3, True), counted(time, 2, True))
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
    columns = ("family", "route", "cost/cheapest rewriting (n)", "time/bind-axiom (n)")
    return lines, Table("both settings of a family", columns, rows)


def _judge_family(family: str, rows: Sequence[Row]) -> list[str]:
    """Which single route a user of this family should pick, by coverage, then cost, then time."""
    routes = ("auto", *REWRITINGS)
    measured = [row for row in rows if all(route in row for route in routes)]
    if not measured:
        return []
    common = [row for row in measured if all(get_cost(row, route) is not None for route in routes)]
    coverage = {route: estimate_coverage(measured, route).value or 0.0 for route in routes}
    cost = {route: sum(get_cost(row, route) or 0 for row in common) for route in routes}
    time = {route: sum(get_seconds(row, route) for row in measured) for route in routes}
    shown = ", ".join(
        f"{'plan' if route == 'auto' else f'`{route}`'} {coverage[route]:.0%}, cost {cost[route]}, {time[route]:.0f} s"
        for route in routes
    )
    rivals = [route for route in REWRITINGS if coverage[route] >= coverage["auto"] and cost[route] <= cost["auto"]]
    faster = [route for route in rivals if time[route] <= time["auto"]]
    if faster:
        best = min(faster, key=lambda route: (cost[route], time[route]))
        verdict = f"the exact rewriting `{best}` is the better choice: no dearer, and faster"
    elif rivals:
        best = min(rivals, key=lambda route: (cost[route], time[route]))
        verdict = f"learned grounding is as good as `{best}` in cost or dearer, but faster"
    else:
        verdict = "learned grounding wins: no single rewriting covers as much at its cost"
    return [f"**{family}**: {verdict} ({len(measured)} instances: {shown}; costs over {len(common)} solved by all)."]


def judge_steps(cells: Sequence[Cell]) -> list[str]:
    """Sentences on all steps together, and on the largest sizes: coverage and cost against V* and the best known."""
    lines = _judge_all_steps(cells)
    sizes = scaling.select(cells, scaling.SIZES)
    for family in dict.fromkeys(cell.family for cell in sizes):
        own = [cell for cell in sizes if cell.family == family]
        cited = [cell for cell in own if (family, cell.notes["step"]) in SCALING]
        largest = {cell.notes["step"]: cell for cell in (*cited[-1:], *own[-1:])}
        lines += [_judge_step(cell) for cell in largest.values() if cell.figures["coverage"].count]
    return lines


def _judge_all_steps(cells: Sequence[Cell]) -> list[str]:
    """How much the plans cost over all steps, where V* is known and where another route could have been better."""
    lines = []
    for route, whose in (("learned", "the learned route"), ("auto", "`skolem plan`")):
        optima = pool(cell.figures[f"{route}_total_star_ratio"] for cell in cells)
        known = pool(cell.figures[f"{route}_contested"] for cell in cells)
        means = pool(cell.figures[f"{route}_star_ratio"] for cell in cells)
        solved = sum(cell.figures[f"{route}_best_cost"].count for cell in cells)
        if solved:
            lines.append(
                f"All steps together, {whose}: {number(means, 3)} times V* as a mean of ratios and "
                f"{number(optima, 3)} as a ratio of sums, on the {optima.count} of {solved} tasks where V* is known; "
                f"{number(known, 3)} times the best known, on the {known.count} where that is V* or some other route "
                "found a plan as cheap."
            )
    return lines


def _judge_step(cell: Cell) -> str:
    f = cell.figures
    learned = show_contested(cell, "learned", f["coverage"].count)
    plan = show_contested(cell, "auto", f["auto_coverage"].count)
    paper = SCALING.get((cell.family, cell.notes["step"]))
    beside = "" if paper is None else f" (the paper: {percent(paper.coverage)})"
    return (
        f"{cell.family} with {cell.notes['step']} objects: the learned route covers {percent(f['coverage'])} of "
        f"{f['coverage'].count}{beside} at {learned} times the best known; `skolem plan` covers "
        f"{percent(f['auto_coverage'])} at {plan} times."
    )


def list_failures(rows: Iterable[Row], routes: Sequence[str]) -> list[str]:
    """The instances that some routes did not solve, with the reason."""
    return [
        f"{name_place(record['family'], record['neq'])}, instance {record['index']}, {record['variables']} variables, "
        f"{route}: {record['reason']}"
        for row in rows
        for route in routes
        if (record := row.get(route)) is not None and record["status"] != "solved"
    ]


def _name(cell: Cell) -> str:
    return name_place(cell.family, bool(cell.neq))
