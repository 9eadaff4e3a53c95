"""Plots of the results on large instances, as the bytes of SVG files."""

from collections.abc import Callable, Sequence
from io import BytesIO
from statistics import fmean
from typing import TYPE_CHECKING, Any

from skolem.evaluation.comparison import Row, find_best_cost, get_cost, get_seconds
from skolem.evaluation.peers import LEARNED, ROUTES
from skolem.evaluation.plots import COLOURS
from skolem.evaluation.scaling import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    peers = [route for route in ROUTES if route not in (*LEARNED, "v-star")]

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
            found = {k: _list_ratios(own, "learned", other) for k, own in groups.items()}
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


def draw_curves(points: Sequence[Point], group: str, label: str) -> bytes:
    """Seconds of the routes, of the learned route's grounding, and its cost against the best known, by size."""
    own = [point for point in points if point.group == group]
    families = list(dict.fromkeys(point.family for point in own))

    def fill(figure: "Figure") -> None:
        grid = figure.subplots(2, len(families), squeeze=False, sharex="col")
        for column, family in enumerate(families):
            found = [point for point in own if point.family == family]
            seconds, costs = grid[0][column], grid[1][column]
            for route in ("learned", "auto", "bind-axiom", "lama"):
                known = [(p.step, p.peers[route]["seconds"].value) for p in found if route in p.peers]
                seconds.plot([s for s, _ in known], [v for _, v in known], marker=".", label=route, **_line(route))
            stage = [(p.step, p.stages["ground"].value) for p in found if p.stages["ground"].count]
            seconds.plot([s for s, _ in stage], [v for _, v in stage], color="grey", linestyle=":", label="grounding")
            for route in LEARNED:
                known = [(p.step, p.figures[f"{route}_best_cost"].value) for p in found]
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


def _list_ratios(rows: Sequence[Row], route: str, other: str) -> list[float]:
    pairs = [(get_cost(row, route), get_cost(row, other)) for row in rows]
    return [a / b for a, b in pairs if a is not None and b is not None]


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
