"""Plots of results, as the bytes of SVG and PNG files."""

from collections.abc import Sequence
from io import BytesIO
from statistics import fmean
from typing import TYPE_CHECKING

from skolem.evaluation.optimal import Cell, Outcome
from skolem.evaluation.tables import cite_paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that people with colour blindness can tell apart (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
_BAR_SPACE = 0.84


def draw_optimal(cells: Sequence[Cell]) -> dict[str, bytes]:
    """Coverage and V/V* of every configuration, and V/V* by number of variables, by the name of the format."""
    # matplotlib takes half a second to import, and only plots need it.
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    labels = list(dict.fromkeys(cell.configuration.label for cell in cells))
    with rc_context({"svg.hashsalt": "skolem", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(10.0, 9.0), layout="constrained")
        coverage, ratio, variables = figure.subplots(3, 1)
        _draw_bars(coverage, cells, labels, "coverage", 0)
        _draw_bars(ratio, cells, labels, "ratio", 1)
        coverage.set(title="Coverage (short lines: the paper's)", ylabel="coverage", ylim=(0.0, 1.05))
        ratio.set(title="Cost of the binding against the best", ylabel="mean V/V*")
        ratio.set_ylim(bottom=0.9)
        _draw_lines(variables, cells, labels)
        handles, names = coverage.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(labels))
        return {format: _save(figure, format) for format in ("svg", "png")}


def _draw_bars(axes: "Axes", cells: Sequence[Cell], labels: Sequence[str], figure: str, cited: int) -> None:
    groups = list(dict.fromkeys((cell.family, cell.neq) for cell in cells))
    width = _BAR_SPACE / len(labels)
    for number, label in enumerate(labels):
        own = [cell for cell in cells if cell.configuration.label == label]
        places = [groups.index((c.family, c.neq)) - _BAR_SPACE / 2 + (number + 0.5) * width for c in own]
        heights = [cell.describe()[figure] or 0.0 for cell in own]
        axes.bar(places, heights, width, label=label, color=COLOURS[number % len(COLOURS)])
        for place, cell in zip(places, own, strict=True):
            paper = cite_paper(cell)[cited]
            if paper is not None:
                axes.plot([place - width / 2, place + width / 2], [paper, paper], color="black", linewidth=1.5)
    axes.set_xticks(range(len(groups)), [f"{family}\n{'x≠y' if neq else ''}" for family, neq in groups])


def _draw_lines(axes: "Axes", cells: Sequence[Cell], labels: Sequence[str]) -> None:
    for number, label in enumerate(labels):
        ratios: dict[int, list[float]] = {}
        for cell in cells:
            if cell.configuration.label == label:
                for outcome in cell.outcomes:
                    ratios.setdefault(outcome.variables, []).extend(_list_ratio(outcome))
        points = sorted((k, fmean(found)) for k, found in ratios.items() if found)
        colour = COLOURS[number % len(COLOURS)]
        axes.plot([k for k, _ in points], [mean for _, mean in points], marker="o", color=colour)
    axes.set_xticks(sorted({outcome.variables for cell in cells for outcome in cell.outcomes}))
    axes.set(title="By number of variables, all sets together", xlabel="variables", ylabel="mean V/V*")


def _list_ratio(outcome: Outcome) -> list[float]:
    return [] if outcome.cost is None else [outcome.cost / outcome.v_star]


def _save(figure: "Figure", format: str) -> bytes:
    stream = BytesIO()
    metadata = {"Date": None, "Creator": "skolem"} if format == "svg" else {"Software": None}
    figure.savefig(stream, format=format, dpi=150, metadata=metadata)
    return stream.getvalue()
