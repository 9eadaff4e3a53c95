"""Plots of results, as the bytes of SVG files."""

from collections.abc import Callable, Sequence
from io import BytesIO
from statistics import fmean
from typing import TYPE_CHECKING, Any

from skolem.evaluation import optimal, scaling
from skolem.evaluation.comparison import Cell, Row, find_best_cost, get_cost, get_seconds, list_cost_ratios
from skolem.evaluation.routes import LEARNED, MODELLED, ROUTES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that people with colour blindness can tell apart (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
_BAR_SPACE = 0.84

_COLOUR = {
    "learned": COLOURS[0],
    "auto": COLOURS[4],
    "bind-axiom": COLOURS[2],
    "end": COLOURS[1],
    "miniscope": COLOURS[5],
    "random-valid": "#999999",
    "lama": "#000000",
    "lama-anytime": "#000000",
    "unified-planning": COLOURS[3],
    "v-star": COLOURS[3],
}
_DASHED = ("auto", "lama-anytime", "v-star")


def draw_optimal(cells: Sequence[Cell]) -> bytes:
    """Coverage and V/V* of every configuration, and V/V* by number of variables."""
    labels = optimal.list_labels(cells)

    def fill(figure: "Figure") -> None:
        coverage, ratio, variables = figure.subplots(3, 1)
        _draw_bars(coverage, cells, labels, "coverage", 0)
        _draw_bars(ratio, cells, labels, "ratio", 1)
        coverage.set(title="Coverage (short lines: the paper's)", ylabel="coverage", ylim=(0.0, 1.05))
        ratio.set(title="Cost of the binding against the best", ylabel="mean V/V*")
        ratio.set_ylim(bottom=0.9)
        _draw_lines(variables, cells, labels)
        handles, names = coverage.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(labels))

    return _draw(fill, (10.0, 9.0))


def _draw_bars(axes: "Axes", cells: Sequence[Cell], labels: Sequence[str], figure: str, cited: int) -> None:
    groups = list(dict.fromkeys((cell.family, cell.neq) for cell in cells))
    width = _BAR_SPACE / len(labels)
    for number, label in enumerate(labels):
        own = optimal.select(cells, label)
        places = [groups.index((c.family, c.neq)) - _BAR_SPACE / 2 + (number + 0.5) * width for c in own]
        heights = [cell.figures[figure].value or 0.0 for cell in own]
        axes.bar(places, heights, width, label=label, color=COLOURS[number % len(COLOURS)])
        for place, cell in zip(places, own, strict=True):
            paper = optimal.cite_paper(cell)[cited]
            if paper is not None:
                axes.plot([place - width / 2, place + width / 2], [paper, paper], color="black", linewidth=1.5)
    axes.set_xticks(range(len(groups)), [f"{family}\n{'x≠y' if neq else ''}" for family, neq in groups])


def _draw_lines(axes: "Axes", cells: Sequence[Cell], labels: Sequence[str]) -> None:
    for number, label in enumerate(labels):
        ratios: dict[int, list[float]] = {}
        for cell in optimal.select(cells, label):
            for variables, figures in cell.groups.items():
                ratios.setdefault(int(variables), []).extend(figures["ratio"].tops)
        points = sorted((k, fmean(found)) for k, found in ratios.items() if found)
        colour = COLOURS[number % len(COLOURS)]
        axes.plot([k for k, _ in points], [mean for _, mean in points], marker="o", color=colour)
    axes.set_xticks(sorted({int(variables) for cell in cells for variables in cell.groups}))
    axes.set(title="By number of variables, all sets together", xlabel="variables", ylabel="mean V/V*")


def draw_cactus(rows: Sequence[Row]) -> bytes:
    """The share of instances that each route solves within a time."""

    def fill(figure: "Figure") -> None:
        axes = figure.subplots()
        for route in _list_routes(rows):
            tried = [row for row in rows if route in row]
            times = sorted(get_seconds(row, route) for row in tried if get_cost(row, route) is not None)
            shares = [(i + 1) / len(tried) for i in range(len(times))]
            axes.step(times, shares, where="post", label=f"{route} ({len(tried)})", **_line(route))
        axes.set(xscale="log", xlabel="seconds", ylabel="share solved", title="Solved over time (instances tried)")
        axes.legend(loc="lower right")

    return _draw(fill, (7.0, 4.5))


def draw_scatter(rows: Sequence[Row]) -> bytes:
    """The learned route's cost against that of the best other one, instance by instance."""
    peers = [route for route in ROUTES if route not in (*MODELLED, "v-star")]

    def fill(figure: "Figure") -> None:
        axes = figure.subplots()
        families = list(dict.fromkeys(record["family"] for row in rows for record in row.values()))
        for place, family in enumerate(families):
            own = [row for row in rows if next(iter(row.values()))["family"] == family]
            both = [(find_best_cost(row, peers), get_cost(row, "learned")) for row in own]
            pairs = [(best, cost) for best, cost in both if best is not None and cost is not None]
            # Points of equal costs would hide one another: each family is a little beside the others.
            axes.plot(
                [best * (1 + 0.012 * place) for best, _ in pairs],
                [cost for _, cost in pairs],
                linestyle="",
                marker=".",
                alpha=0.6,
                label=f"{family} ({len(pairs)})",
                color=COLOURS[place % len(COLOURS)],
            )
        axes.axline((1, 1), slope=1, color="black", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel="least cost of all peers", ylabel="cost of the learned route")
        axes.set_title("Plan costs; above the line a peer is cheaper")
        axes.legend()

    return _draw(fill, (6.0, 5.5))


def draw_variables(rows: Sequence[Row]) -> bytes:
    """Cost against LAMA and against V*, and coverage, by the number of variables."""

    def fill(figure: "Figure") -> None:
        left, right = figure.subplots(1, 2)
        steps = sorted({record["variables"] for row in rows for record in row.values()})
        groups = {k: [row for row in rows if next(iter(row.values()))["variables"] == k] for k in steps}
        for other, name in (("lama", "V/V^L"), ("v-star", "V/V*")):
            found = {k: list_cost_ratios(own, "learned", other) for k, own in groups.items()}
            points = [(k, fmean(ratios)) for k, ratios in found.items() if ratios]
            left.plot([k for k, _ in points], [v for _, v in points], marker="o", label=name, color=_COLOUR[other])
        for route in ("learned", "auto", "lama"):
            shares = [(k, [get_cost(r, route) is not None for r in own if route in r]) for k, own in groups.items()]
            known = [(k, fmean(solved)) for k, solved in shares if solved]
            right.plot([k for k, _ in known], [v for _, v in known], marker="o", label=route, **_line(route))
        left.axhline(1.0, color="black", linewidth=0.8)
        left.set(xlabel="variables", xticks=steps, ylabel="mean ratio", title="Cost of the learned route")
        right.set(xlabel="variables", xticks=steps, ylabel="share solved", title="Coverage")
        left.legend()
        right.legend()

    return _draw(fill, (9.0, 3.8))


def draw_curves(cells: Sequence[Cell], series: str, label: str) -> bytes:
    """Seconds of the routes, of the learned route's grounding, and costs against the best known, by size."""
    own = scaling.select(cells, series)
    families = list(dict.fromkeys(cell.family for cell in own))

    def fill(figure: "Figure") -> None:
        grid = figure.subplots(2, len(families), squeeze=False, sharex="col")
        for column, family in enumerate(families):
            found = [cell for cell in own if cell.family == family]
            seconds, costs = grid[0][column], grid[1][column]
            for route in ("learned", "auto", "bind-axiom", "lama"):
                known = [(c.notes["step"], c.peers[route]["seconds"].value) for c in found if route in c.peers]
                seconds.plot([s for s, _ in known], [v for _, v in known], marker=".", label=route, **_line(route))
            grounding = [(c.notes["step"], c.groups["stages"]["ground"]) for c in found]
            stage = [(step, figure.value) for step, figure in grounding if figure.count]
            seconds.plot([s for s, _ in stage], [v for _, v in stage], color="grey", linestyle=":", label="grounding")
            for route in LEARNED:
                known = [(c.notes["step"], c.figures[f"{route}_contested"].value) for c in found]
                known = [(step, value) for step, value in known if value is not None]
                costs.plot([s for s, _ in known], [v for _, v in known], marker=".", label=route, **_line(route))
            costs.axhline(1.0, color="black", linewidth=0.8)
            seconds.set(yscale="log", title=family)
            costs.set(xlabel=label)
        grid[0][0].set_ylabel("mean seconds")
        grid[1][0].set_ylabel("cost / best known")
        handles, names = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=3)

    return _draw(fill, (2.4 * max(2, len(families)), 5.2))


def _list_routes(rows: Sequence[Row]) -> list[str]:
    return [route for route in ROUTES if any(route in row for row in rows)]


def _line(route: str) -> dict[str, Any]:
    return {"color": _COLOUR[route], "linestyle": "--" if route in _DASHED else "-"}


def _draw(fill: Callable[["Figure"], None], size: tuple[float, float]) -> bytes:
    # matplotlib takes half a second to import, and only plots need it.
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "skolem", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=size, layout="constrained")
        fill(figure)
        stream = BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": "skolem"})
        return stream.getvalue()
