"""The pages of the results, built from stores of records alone."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from skolem.evaluation import lama, optimal, plots, scaling, suite, unsolved
from skolem.evaluation.comparison import (
    ANYTIME,
    Cell,
    Row,
    find_cold_starts,
    list_rows,
    list_unexplained,
    tabulate_outcomes,
)
from skolem.evaluation.paper import CODE
from skolem.evaluation.store import Record, Store
from skolem.evaluation.tables import Table, round_figures
from skolem.evaluation.verdicts import judge_cells, judge_families, judge_steps, list_failures
from skolem.families.suite.registry import SUITE
from skolem.support.errors import InputError, Place
from skolem.support.files import make_folder, write_bytes

Pages = dict[str, bytes]
"""Files by their names."""

_WORDS = """`learned`: greedy learned binding, then lama-first for it, no second attempt. `auto` or plan: what `skolem
plan` does. `lama`: lama-first on the quantified goal as it is, V^L its cost; `lama-anytime`: LAMA that improves its
plan until the limit. `bind-axiom`, `end`, `miniscope`: exact rewritings of the goal, with lama-first. `random-valid`:
objects drawn among those that fit the static part. `unified-planning`: its quantifier remover, then lama-first.
`v-star`: an optimal planner on an exact rewriting. Every plan was validated against the quantified goal.
Brackets: 95% bootstrap intervals; n: instances. Times are wall seconds of reading, grounding and planning with
everything imported; an instance that is not solved counts at its limit, except in a speed-up over the instances
that both solve, which is the ratio of their summed times. Candidates of a variable: the objects that fit its static
atoms, which is what a planner has to expand."""

_UNREACHED = "a binding that cannot be reached"
_TITLES = {
    "optimal.md": "quality of bindings against exact costs",
    "lama.md": "the paper's LAMA table and peers",
    "scaling.md": "size and number of variables",
    "suite.md": "the public suite of domains",
    "README.md": "every file here and the command that makes it",
}


def build_report(stores: Path, output: Path) -> list[Path]:
    """Writes the pages and plots of what the stores hold, and returns them; an InputError if there is nothing."""
    records = load_records(stores)
    groups = {record["group"] for record in records}
    pages: Pages = {}
    if optimal.GROUP in groups:
        pages |= build_optimal(records, _list_environments(records, optimal.GROUP))
    if lama.GROUP in groups:
        pages |= build_lama(records)
    if groups & scaling.TITLES.keys():
        pages |= build_scaling(records)
    if suite.GROUP in groups:
        pages |= build_suite(records)
    if not pages:
        raise InputError("no results of an experiment in these stores", Place(str(stores)))
    beside = [name for name in _TITLES if (output / name).exists()]
    pages |= _build_index(records, [*pages, *beside])
    return save_pages(pages, output)


def load_records(folder: Path) -> list[Record]:
    """The records of all stores in a folder that belong to the page of an experiment."""
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")])
    if not files:
        raise InputError("no stores (*.jsonl or *.jsonl.gz) here", Place(str(folder)))
    stored = [entry for path in files for entry in Store(path).records()]
    groups = (lama.GROUP, *scaling.TITLES, suite.GROUP, unsolved.GROUP, "cold", "environment")
    return [*optimal.collect(dict(stored)), *(record for _, record in stored if record.get("group") in groups)]


def save_pages(pages: Pages, output: Path) -> list[Path]:
    """Writes files into a folder, and returns their paths."""
    make_folder(output)
    for name, content in pages.items():
        write_bytes(output / name, content)
    return [output / name for name in pages]


def build_optimal(records: Sequence[Record], environments: Sequence[Record]) -> Pages:
    """The page of the optimal sets, its plot, and the same as JSON."""
    own = [record for record in records if record["group"] == optimal.GROUP]
    cells = optimal.summarise(own)
    models = {f"{c.family}, {c.notes['configuration']}": c.notes["model"] for c in cells if c.notes["model"]}
    rows = list_rows(own)
    page = _write_page(
        "# The optimal test sets",
        _write_unexplained(list_unexplained(rows)),
        "Coverage: instances whose binding can be reached. V/V*: the exact cost of the binding against that of the "
        "best one, over the covered instances, as the mean of their ratios and as the ratio of the sums, each with "
        "its 95% bootstrap interval. The paper does not say which of them it reports; "
        f"[the authors' code]({CODE}) divides average costs, which is the ratio of sums. Tables with one figure have "
        "the mean of ratios. Undecided: the exact cost was not found within the limits; these count as not covered.",
        "![coverage and V/V*](optimal.svg)",
        *(part for table in optimal.tabulate(cells) for part in (f"## {table.title}", table.to_markdown())),
        _write_outcomes(rows),
        _write_environments(environments),
        "Models, by the beginning of the SHA-256 of their weights:" * bool(models),
        _write_list([f"{name}: `{checksum}`" for name, checksum in models.items()]),
    )
    found = {
        "commands": [record["command"] for record in environments],
        "seeds": sorted({cell.notes["seed"] for cell in cells}),
        "versions": _find_versions(environments),
        "models": models,
        "cells": [optimal.describe(cell) for cell in cells],
    }
    return {
        "optimal.json": _write_object(found),
        "optimal.md": page,
        "optimal.svg": plots.draw_optimal(cells),
    }


def build_lama(records: Sequence[Record]) -> Pages:
    """The page of the LAMA sets and its plots."""
    rows = list_rows(records, group=lama.GROUP)
    again = list_rows(records, group=unsolved.GROUP)
    cells = lama.summarise(records)
    verdicts, families = judge_families(records)
    cold = find_cold_starts(records, rows)
    starts = [(family, route, f"{seconds:.2f}") for (family, route), seconds in sorted(cold.items())]
    page = _write_page(
        "# The LAMA sets",
        _write_unexplained(list_unexplained([*rows, *again])),
        "## At a glance",
        _write_list(judge_cells(cells)),
        "Which route to take, by coverage, then total cost, then total time:",
        _write_list(verdicts),
        "## The paper's table",
        "The paper's figures are for its own 500 instances of each cell. V/V^L: the cost of the learned route, whose "
        "plans are lama-first's, against lama-first on the quantified goal, over the instances that both solve: mean "
        f"of ratios, and ratio of sums. [The authors' code]({CODE}) divides the average cost of the tasks that the "
        "grounded route solves by that of the tasks that LAMA solves, with 30 minutes and 8 GB for each.",
        lama.tabulate_paper(cells, True).to_markdown(),
        "## Times",
        "The learned route against lama-first on the quantified goal: the ratio of their summed times and, for the "
        "median task, the ratio of its own times. First over all instances that both solve, warm and with a fresh "
        "process for every task (cold); then over two parts of the instances that both were given, with time-outs at "
        "the limit: goals with at least 100,000 bindings over all objects, and over the candidates of each variable. "
        "A part is not the whole: its goals are those that LAMA has to expand most.",
        lama.tabulate_speed(cells, True).to_markdown(),
        "## `skolem plan` against LAMA",
        "The learned route stops at its first plan, as lama-first does; `skolem plan` improves it for about as long "
        "again, so that anytime LAMA, which goes on until the limit, is the fairer peer. Costs over the instances that "
        "both solve; mean seconds over all that a route was given, time-outs at the limit.",
        lama.tabulate_plan(cells, True).to_markdown(),
        _write_missing(cells, lama.GROUP),
        "## lama-first with the authors' limits",
        f"The first {unsolved.COUNT} instances that lama-first does not solve within the limits of this page, taken "
        f"from all families and settings in turn, with {unsolved.spell_limits(records)} instead; the authors had 30 "
        "minutes and 8 GB:",
        "\n".join(f"    {command}" for command in unsolved.spell_commands(records)),
        unsolved.tabulate_beside(records).to_markdown(),
        "![solved over time](lama-cactus.svg)",
        "![costs against the best peer](lama-costs.svg)",
        "![quality by number of variables](lama-variables.svg)",
        "## Against what a user would take instead",
        "The last column compares with the best known cost, V* or the least of all routes, on those instances where "
        "V* is known or another route found a plan as cheap as this one's (for plan: any route but the learned one, "
        "with which it begins): how many of its instances, and on how many of them V* is known. Where a route alone "
        "has the best plan, nothing could have shown it to be dear.",
        lama.tabulate_use(cells, True).to_markdown(),
        "The same over both settings of a family:",
        families.to_markdown(),
        "## Every route",
        lama.tabulate_peers(cells).to_markdown(),
        "## Cold start",
        "What a fresh process needs beyond the times above: interpreter, imports and, for learned routes, torch and "
        "the model (median of three runs less the warm time of the same task).",
        Table("cold starts", ("family", "route", "seconds"), starts).to_markdown(),
        _write_ending(rows),
        _write_environments(_list_environments(records, lama.GROUP)),
    )
    return {
        "lama.json": _write_json(lama.GROUP, records, [lama.describe(cell) for cell in cells]),
        "lama.md": page,
        "lama-cactus.svg": plots.draw_cactus(rows),
        "lama-costs.svg": plots.draw_scatter(rows),
        "lama-variables.svg": plots.draw_variables(rows),
    }


def build_scaling(records: Sequence[Record]) -> Pages:
    """The page of both series and their plots."""
    cells = scaling.summarise(records)
    rows = _list_scaling_rows(records)
    parts: list[str] = []
    drawn: Pages = {}
    for series, title in scaling.TITLES.items():
        if not scaling.select(cells, series):
            continue
        name = f"{series}.svg"
        drawn[name] = plots.draw_curves(cells, series, "objects" if series == scaling.SIZES else "variables")
        parts += [f"## {title.capitalize()}", f"![curves]({name})"]
        parts.append(scaling.tabulate_series(cells, series, True).to_markdown())
    page = _write_page(
        "# Scaling",
        _write_unexplained(list_unexplained(rows)),
        "## At a glance",
        _write_list(judge_steps(cells)),
        *parts,
        "V/V^L and plan/V^L: the learned route and `skolem plan` against lama-first, mean of ratios and ratio of sums. "
        "V/best and plan/best: total cost over the least of all routes and V*, on n of m instances: those where V* is "
        "known (so many) or another route found a plan as cheap (for plan: any route but the learned one). The number "
        "of variables is that of the LAMA sets in the first table, and the size the largest of these sets in the "
        "second; "
        "every second instance has inequalities. MB: most memory of any process of the learned route, and of "
        "`bind-axiom`.",
        _write_missing(cells, scaling.GROUP),
        _write_ending(rows),
        _write_environments(_list_environments(records, scaling.GROUP)),
    )
    described = _write_json(scaling.GROUP, records, [scaling.describe(cell) for cell in cells])
    return {"scaling.json": described, "scaling.md": page, **drawn}


def build_suite(records: Sequence[Record]) -> Pages:
    """The page of the public suite."""
    own = suite.add_optima(record for record in records if record["group"] == suite.GROUP)
    rows, cells = list_rows(own), suite.summarise(own)
    notes = [f"{name}: {SUITE[name].notes}" for name in SUITE]
    models = {cell.family: cell.notes["model"] for cell in cells if cell.notes["model"]}
    page = _write_page(
        "# The public suite",
        _write_unexplained(
            list_unexplained(rows), f"a limit, {_UNREACHED}, or a goal or domain that the route does not take"
        ),
        "Larger problems of domains that researchers know; models learn from small ones. V*: by an optimal planner, "
        "for the number of instances in brackets. Best known: V*, or else the cheapest plan of all routes. "
        "`learned` and `random-valid` choose the objects and take the plan of lama-first; `learned-optimal` is what "
        "the learned binding itself costs, by an optimal planner.",
        "## Coverage and V/V*",
        suite.tabulate_domains(cells).to_markdown(),
        "## Means over the domains",
        suite.tabulate_routes(cells).to_markdown(),
        "## Total costs of `skolem plan` and of the exact route",
        "Over the instances that both solve.",
        suite.tabulate_totals(cells).to_markdown(),
        "## Every route",
        suite.tabulate_peers(cells, True).to_markdown(),
        "## The domains",
        _write_list(notes),
        _write_ending(rows),
        _write_environments(_list_environments(records, suite.GROUP)),
        "Models, by the beginning of the SHA-256 of their weights:" * bool(models),
        _write_list([f"{name}: `{checksum}`" for name, checksum in models.items()]),
    )
    return {"suite.json": _write_json(suite.GROUP, records, [suite.describe(cell) for cell in cells]), "suite.md": page}


def _build_index(records: Sequence[Record], names: Sequence[str]) -> Pages:
    links = [f"[{name.removesuffix('.md')}]({name}): {title}" for name, title in _TITLES.items() if name in names]
    rows = [row for group in (optimal.GROUP, lama.GROUP) for row in list_rows(records, group=group)]
    rows += _list_scaling_rows(records)
    rows += list_rows(suite.add_optima(record for record in records if record["group"] == suite.GROUP))
    page = _write_page(
        "# Results",
        _write_unexplained(list_unexplained(rows)),
        _write_list(links),
        "## Large instances at a glance",
        "Costs against the best known are over the instances where V* is known or another route found a plan as cheap; "
        "in brackets on how many of all that is so, and on how many of them V* is known.",
        _write_list([*judge_cells(lama.summarise(records)), *judge_steps(scaling.summarise(records))]),
        _write_list(judge_families(records)[0]),
        "Built by `skolem report` from the records in [stores](stores).",
    )
    return {"index.md": page}


def _write_missing(cells: Sequence[Cell], experiment: str) -> str:
    """How to measure anytime LAMA where that was not done."""
    if all(ANYTIME in cell.peers for cell in cells):
        return ""
    return _join(
        "Not measured: anytime LAMA on some or all of these instances. The command for it:",
        f"    skolem evaluate {experiment} --route {ANYTIME} --time-limit 60 --store {experiment}.jsonl",
    )


def _write_json(experiment: str, records: Sequence[Record], cells: Sequence[dict[str, Any]]) -> bytes:
    environments = _list_environments(records, experiment)
    return _write_object({"commands": [record["command"] for record in environments], "cells": round_figures(cells)})


def _write_object(found: dict[str, Any]) -> bytes:
    return f"{json.dumps(found, indent=1)}\n".encode()


def _list_scaling_rows(records: Sequence[Record]) -> list[Row]:
    return [row for series in scaling.TITLES for row in list_rows(records, group=series)]


def _write_unexplained(lines: Sequence[str], reasons: str = f"a limit, or {_UNREACHED}") -> str:
    if not lines:
        return f"Every failure in these results has a known reason: {reasons}."
    return _join(f"**{len(lines)} results are not explained:**", _write_list(lines))


def _write_outcomes(rows: Sequence[Row]) -> str:
    return _join("## Outcomes", tabulate_outcomes(rows).to_markdown())


def _write_ending(rows: Sequence[Row]) -> str:
    """The end of the pages of large instances: what failed, and what the words mean."""
    failures = _write_list(list_failures(rows, ("learned", "auto"))) or "None."
    title = "## Instances that learned routes did not solve"
    return _join(title, failures, _write_outcomes(rows), "## Words", _WORDS)


def _list_environments(records: Iterable[Record], experiment: str) -> list[Record]:
    return [record for record in records if record["group"] == "environment" and record["of"] == experiment]


def _write_environments(environments: Sequence[Record]) -> str:
    """The commands, and below those that ran in the same environment what it was."""
    commands: dict[str, list[str]] = {}
    for record in environments:
        commands.setdefault(_describe_environment(record), []).append(f"    {record['command']}")
    parts = [part for place, found in commands.items() for part in ("\n".join(found), place)]
    return _join("## How they were made", *parts)


def _describe_environment(record: Record) -> str:
    parts = []
    # Older records of the optimal sets say nothing of the machine, on which no figure of theirs depends.
    if "system" in record:
        parts.append(
            f"{record['system']}, {record['processor']}, {record['cores']} cores, {record['jobs']} jobs at a time"
        )
    if "time_limit" in record:
        parts.append(
            f"{record['threads']} threads of the network, {record['time_limit']:g} s and {record['memory_limit']} MB "
            "per instance and route"
        )
    versions = ", ".join(f"{name} {number}" for name, number in record["packages"].items())
    return "; ".join((*parts, f"Python {record['python']}, {versions}."))


def _find_versions(environments: Sequence[Record]) -> dict[str, str]:
    found: dict[str, str] = {}
    for record in environments:
        found |= {"python": record["python"], **record["packages"]}
    return found


def _write_list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _join(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _write_page(*parts: str) -> bytes:
    return f"{_join(*parts)}\n".encode()
