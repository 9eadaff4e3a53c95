"""Results for people: the paper's tables with ours beside them."""

from collections.abc import Sequence

from skolem.console import Console
from skolem.evaluation.optimal import Cell
from skolem.evaluation.paper import OPTIMAL, RANDOM


def show_optimal(console: Console, grounder: str, cells: Sequence[Cell]) -> None:
    """Prints one row per cell, and V* by the number of variables below."""
    columns = ("family", "x≠y", "count", "coverage", "paper", "validity", "V*", "paper", "V/V*", "paper")
    rows = []
    for cell in cells:
        found = cell.describe()
        coverage, ratio = cite_paper(grounder, cell)
        rows.append(
            (
                cell.family,
                "yes" if cell.neq else "no",
                str(found["count"]),
                f"{found['coverage']:.1%}",
                "-" if coverage is None else f"{coverage:.1%}",
                f"{found['validity']:.1%}",
                f"{found['v_star']:.3f}",
                f"{OPTIMAL[cell.family, cell.neq].v_star:.3f}",
                "-" if found["ratio"] is None else f"{found['ratio']:.3f}",
                "-" if ratio is None else f"{ratio:.3f}",
            )
        )
    console.table(columns, rows, f"optimal sets, grounder {grounder}")
    numbers = sorted({o.variables for cell in cells for o in cell.outcomes})
    by_variables = []
    for cell in cells:
        groups = cell.describe()["by_variables"]
        shown = [
            f"{groups[str(k)]['v_star']:.2f} ({groups[str(k)]['count']})" if str(k) in groups else "-" for k in numbers
        ]
        by_variables.append((cell.family, "yes" if cell.neq else "no", *shown))
    console.say()
    console.table(("family", "x≠y", *map(str, numbers)), by_variables, "mean V* (instances) by number of variables")


def cite_paper(grounder: str, cell: Cell) -> tuple[float | None, float | None]:
    """The paper's coverage and V/V* for the same cell; it gives the random ones once for both settings."""
    if grounder == "random":
        return RANDOM[cell.family].coverage_all, None
    if grounder == "random-valid":
        return RANDOM[cell.family].coverage_valid, RANDOM[cell.family].ratio
    if grounder in ("learned", "beam"):
        row = OPTIMAL[cell.family, cell.neq]
        return row.coverage, row.ratio
    return None, None
