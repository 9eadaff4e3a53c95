"""The commands that measure: evaluate, report."""

from dataclasses import replace
from functools import partial

from skolem.cli.options import EvaluateOptions, ReportOptions
from skolem.cli.output import Console
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.support.errors import ExitCode, InputError
from skolem.support.progress import show_progress


def run_evaluate(console: Console, options: EvaluateOptions) -> int:
    """Runs an experiment on the test sets and shows its tables."""
    from skolem.evaluation.configurations import Selection, list_requests
    from skolem.evaluation.evaluate import TIMED, choose_store, evaluate
    from skolem.evaluation.report import build_optimal, save_pages
    from skolem.evaluation.store import Runner, Store

    set_ = options.set_
    base = Request(
        grounder="learned",
        seed=options.seed,
        model=options.model,
        paper=options.paper,
        width=options.width,
        scores=options.scores,
        order=options.order,
        revise=options.revise,
    )
    if set_ == "policy":
        base = replace(base, planner="policy")
    if set_ in TIMED:
        base = replace(base, limits=Limits(options.seconds, options.megabytes))
    requests = list_requests(options.grounder or ["learned"], base)
    if set_ != "optimal" and (len(requests) > 1 or options.output is not None):
        raise InputError(f"evaluate {set_} takes one grounder and no output folder")
    families, routes = (None if given is None else tuple(given) for given in (options.family, options.route))
    selection = Selection(set_, requests, families, options.neq, options.count, options.peers_count, routes)
    store = Store(choose_store(set_, options.store), console.warn)
    runner = Runner(store, options.jobs, options.backend, partial(show_progress, quiet=console.quiet))
    found = evaluate(selection, runner)
    for line in found.unexplained:
        console.say(f"not explained: {line}")
    console.result(found.described)
    for number, table in enumerate(found.tables):
        if number:
            console.say()
        console.table(table.columns, table.rows, table.title)
    if options.output is not None:
        save_pages(build_optimal(found.records, found.environments), options.output)
        console.say(f"\noptimal.json, optimal.md and optimal.svg written to {options.output}")
    return int(ExitCode.SUCCESS)


def run_report(console: Console, options: ReportOptions) -> int:
    """Builds the pages of the results from their stores."""
    from skolem.evaluation.report import build_report

    files = build_report(options.stores, options.output)
    console.result({"status": "built", "files": [str(path) for path in files]})
    console.say(f"{len(files)} files written to {options.output}")
    return int(ExitCode.SUCCESS)
