"""The pages of the results on large instances, built from stores of records alone."""

from collections.abc import Sequence
from pathlib import Path

from skolem.evaluation import lama, large_plots, scaling
from skolem.evaluation.comparison import Table, find_cold_starts, find_oddities, list_rows
from skolem.evaluation.peers import Record
from skolem.evaluation.store import Store
from skolem.evaluation.verdicts import judge_cells, judge_families, judge_points, list_failures
from skolem.support.errors import InputError, Place
from skolem.support.files import make_folder, write_bytes, write_text

_WORDS = """`learned`: greedy learned binding, then lama-first for it, no second attempt. `auto` or plan: what `skolem
plan` does. `lama`: lama-first on the quantified goal as it is, V^L its cost; `lama-anytime`: LAMA that improves its
plan until the limit. `bind-axiom`, `end`, `miniscope`: exact rewritings of the goal, with lama-first. `random-valid`:
objects drawn among those that fit the static part. `unified-planning`: its quantifier remover, then lama-first.
`v-star`: an optimal planner on an exact rewriting. Every plan was validated against the quantified goal.
Brackets: 95% bootstrap intervals; n: instances. Times are wall seconds of reading, grounding and planning with
everything imported; an instance that is not solved counts at its limit, except in "speed-up" and "cold", which are
ratios of summed times over the instances that both solve. "1e5 bindings" and "1e5 candidates": the speed-up over the
instances whose goals have at least 100,000 bindings over all objects, and over the candidates of each variable (the
objects that fit its static atoms: what a planner has to expand), time-outs counted at the limit."""


_BESIDE = ("optimal.md", "pipeline.md")
"""Pages that other commands or people write."""
_TITLES = {
    "optimal.md": "quality of bindings against exact costs",
    "lama.md": "the paper's LAMA table and peers",
    "scaling.md": "size and number of variables",
    "pipeline.md": "what the measurements changed in `skolem plan`",
}


def build_report(stores: Path, output: Path) -> list[Path]:
    """Writes the pages and plots of what the stores hold, and returns them; an InputError if there is nothing."""
    records = load_records(stores)
    make_folder(output)
    pages: dict[str, str] = {}
    plots: dict[str, bytes] = {}
    if any(record["group"] == lama.GROUP for record in records):
        _build_lama(records, pages, plots)
    if any(record["group"] in scaling.TITLES for record in records):
        _build_scaling(records, pages, plots)
    if not pages:
        raise InputError("no results of evaluate lama or evaluate scaling in these stores", Place(str(stores)))
    pages["index.md"] = _write_index(records, [*pages, *(name for name in _BESIDE if (output / name).exists())])
    for name, text in pages.items():
        write_text(output / name, text)
    for name, content in plots.items():
        write_bytes(output / name, content)
    return [output / name for name in (*pages, *plots)]


def load_records(folder: Path) -> list[Record]:
    """The records of all stores in a folder that belong to a table of large instances."""
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")])
    if not files:
        raise InputError("no stores (*.jsonl or *.jsonl.gz) here", Place(str(folder)))
    groups = (lama.GROUP, *scaling.TITLES, "cold", "environment")
    return [record for path in files for _, record in Store(path).records() if record.get("group") in groups]


def _build_lama(records: Sequence[Record], pages: dict[str, str], plots: dict[str, bytes]) -> None:
    rows = list_rows(records, group=lama.GROUP)
    cells = lama.summarise(records)
    verdicts, families = judge_families(records)
    cold = find_cold_starts(records, rows)
    plots["lama-cactus.svg"] = large_plots.draw_cactus(rows)
    plots["lama-costs.svg"] = large_plots.draw_scatter(rows)
    plots["lama-variables.svg"] = large_plots.draw_variables(rows)
    starts = [(family, route, f"{seconds:.2f}") for (family, route), seconds in sorted(cold.items())]
    failures = list_failures(rows, ("learned", "auto"))
    pages["lama.md"] = _join(
        "# The LAMA sets",
        _write_oddities(find_oddities(rows)),
        "## At a glance",
        _write_list(judge_cells(cells)),
        "Which way to take, by coverage, then total cost, then total time:",
        _write_list(verdicts),
        "## The paper's table",
        "The paper's figures are for its own 500 instances of each cell.",
        _write_table(lama.tabulate_paper(cells, True)),
        "![solved over time](lama-cactus.svg)",
        "![costs against the best peer](lama-costs.svg)",
        "![quality by number of variables](lama-variables.svg)",
        "## Against what a user would take instead",
        _write_table(lama.tabulate_use(cells, True)),
        "The same over both settings of a family:",
        _write_table(families),
        "## Every route",
        _write_table(lama.tabulate_peers(cells)),
        "## Cold start",
        "What a fresh process needs beyond the times above: interpreter, imports and, for learned routes, torch and "
        "the model (median of three runs less the warm time of the same task).",
        _write_table((("family", "route", "seconds"), starts)),
        "## Instances that learned routes did not solve",
        _write_list(failures) or "None.",
        "## Words",
        _WORDS,
        _write_environments(records, "lama"),
    )


def _build_scaling(records: Sequence[Record], pages: dict[str, str], plots: dict[str, bytes]) -> None:
    points = scaling.summarise(records)
    rows = [row for group in scaling.TITLES for row in list_rows(records, group=group)]
    parts = []
    for group, title in scaling.TITLES.items():
        if not any(point.group == group for point in points):
            continue
        name = f"{group}.svg"
        label = "objects" if group == scaling.SIZES else "variables"
        plots[name] = large_plots.draw_curves(points, group, label)
        parts += [f"## {title.capitalize()}", f"![curves]({name})"]
        parts.append(_write_table(scaling.tabulate_points(points, group, True)))
    pages["scaling.md"] = _join(
        "# Scaling",
        _write_oddities(find_oddities(rows)),
        "## At a glance",
        _write_list(judge_points(points)),
        *parts,
        "V/best: total cost of the learned route over the least cost of all routes and V* where known. The number of "
        "variables is that of the LAMA sets in the first table, and the size the largest of these sets in the second; "
        "every second instance has inequalities. MB: most memory of any process of the learned route, and of "
        "`bind-axiom`.",
        "## Instances that learned routes did not solve",
        _write_list(list_failures(rows, ("learned", "auto"))) or "None.",
        "## Words",
        _WORDS,
        _write_environments(records, "scaling"),
    )


def _write_index(records: Sequence[Record], names: Sequence[str]) -> str:
    links = [f"[{name.removesuffix('.md')}]({name}): {title}" for name, title in _TITLES.items() if name in names]
    rows = [row for group in (lama.GROUP, *scaling.TITLES) for row in list_rows(records, group=group)]
    return _join(
        "# Results",
        _write_oddities(find_oddities(rows)),
        _write_list(links),
        "## Large instances at a glance",
        _write_list([*judge_cells(lama.summarise(records)), *judge_points(scaling.summarise(records))]),
        _write_list(judge_families(records)[0]),
        "Built by `skolem report` from the records in [stores](stores).",
    )


def _write_oddities(lines: Sequence[str]) -> str:
    if not lines:
        return "Every failure in these results has a known reason: a limit, or a binding that cannot be reached."
    return _join(f"**{len(lines)} results are not explained:**", _write_list(lines))


def _write_environments(records: Sequence[Record], group: str) -> str:
    parts = ["## How they were made"]
    for record in records:
        if record["group"] == "environment" and record["of"] == group:
            versions = ", ".join(f"{name} {number}" for name, number in record["packages"].items())
            parts.append(
                f"    {record['command']}\n\n{record['system']}, {record['processor']}, {record['cores']} cores, "
                f"{record['jobs']} jobs at a time, {record['threads']} threads of the network, "
                f"{record['time_limit']:g} s and {record['memory_limit']} MB per instance and route; "
                f"Python {record['python']}, {versions}."
            )
    return _join(*parts)


def _write_table(table: Table) -> str:
    columns, rows = table
    lines = [f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows)]
    return "\n".join(lines)


def _write_list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _join(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part).rstrip() + "\n"
