"""Results for people: the paper's tables with ours beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from skolem.cli.output import Console
from skolem.evaluation.optimal import Cell
from skolem.evaluation.paper import OPTIMAL, RANDOM

NONE = "-"


@dataclass(frozen=True)
class Table:
    """A table that can be printed and written as Markdown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_markdown(self) -> str:
        """The table as Markdown, its title above it."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return f"## {self.title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def show_optimal(console: Console, cells: Sequence[Cell]) -> None:
    """Prints the tables of the optimal sets."""
    for table in tabulate_optimal(cells):
        console.table(table.columns, table.rows, table.title)
        console.say()


def tabulate_optimal(cells: Sequence[Cell]) -> list[Table]:
    """A table for each configuration beside the paper's, one of all if there are several, and those by variables."""
    labels = list(dict.fromkeys(cell.configuration.label for cell in cells))
    tables = [_compare_with_paper(label, [c for c in cells if c.configuration.label == label]) for label in labels]
    if len(labels) > 1:
        tables.append(_compare_configurations(labels, cells))
    return [*tables, *_split_by_variables(cells)]


def cite_paper(cell: Cell) -> tuple[float | None, float | None]:
    """The paper's coverage and V/V* for the same cell; it gives the random ones once for both settings."""
    grounder = cell.configuration.request.grounder
    if grounder == "random":
        return RANDOM[cell.family].coverage_all, None
    if grounder == "random-valid":
        return RANDOM[cell.family].coverage_valid, RANDOM[cell.family].ratio
    if grounder in ("learned", "beam"):
        row = OPTIMAL[cell.family, cell.neq]
        return row.coverage, row.ratio
    return None, None


def _compare_with_paper(label: str, cells: Sequence[Cell]) -> Table:
    columns = ("family", "x≠y", "count", "coverage", "paper", "validity", "V*", "paper", "V/V*", "paper", "undecided")
    rows = []
    for cell in cells:
        found = cell.describe()
        coverage, ratio = cite_paper(cell)
        rows.append(
            (
                *_name(cell),
                str(found["count"]),
                _percent(found["coverage"]),
                _percent(coverage),
                _percent(found["validity"]),
                _decimal(found["v_star"]),
                _decimal(OPTIMAL[cell.family, cell.neq].v_star),
                _decimal(found["ratio"]),
                _decimal(ratio),
                str(found["undecided"]),
            )
        )
    return Table(f"optimal sets, grounder {label}", columns, tuple(rows))


def _compare_configurations(labels: Sequence[str], cells: Sequence[Cell]) -> Table:
    """Coverage and V/V* of every configuration in one row per family and setting."""
    found = {(*_name(cell), cell.configuration.label): _show(cell.describe()) for cell in cells}
    rows = []
    for cell in {_name(cell): cell for cell in cells}.values():
        paper = OPTIMAL[cell.family, cell.neq]
        rows.append(
            (
                *_name(cell),
                f"{_percent(paper.coverage)} {_decimal(paper.ratio)}",
                *(found.get((*_name(cell), label), NONE) for label in labels),
            )
        )
    return Table("coverage and V/V* of all grounders", ("family", "x≠y", "paper", *labels), tuple(rows))


def _split_by_variables(cells: Sequence[Cell]) -> list[Table]:
    numbers = sorted({o.variables for cell in cells for o in cell.outcomes})
    costs, rows = {}, []
    for cell in cells:
        groups = cell.describe()["by_variables"]
        present = [groups.get(str(number)) for number in numbers]
        costs[_name(cell)] = [NONE if g is None else f"{g['v_star']:.2f} ({g['count']})" for g in present]
        rows.append((cell.configuration.label, *_name(cell), *(NONE if g is None else _show(g) for g in present)))
    heads = tuple(map(str, numbers))
    return [
        Table(
            "mean V* (instances) by number of variables",
            ("family", "x≠y", *heads),
            tuple((*name, *shown) for name, shown in costs.items()),
        ),
        Table("coverage and V/V* by number of variables", ("grounder", "family", "x≠y", *heads), tuple(rows)),
    ]


def _name(cell: Cell) -> tuple[str, str]:
    return cell.family, "yes" if cell.neq else "no"


def _show(found: dict[str, Any]) -> str:
    return f"{_percent(found['coverage'])} {_decimal(found['ratio'])}"


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{share:.1%}"


def _decimal(number: float | None) -> str:
    return NONE if number is None else f"{number:.3f}"
