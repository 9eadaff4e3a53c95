"""The commands that measure: evaluate, report."""

from dataclasses import replace

from skolem.cli.options import EvaluateOptions, ReportOptions
from skolem.cli.output import Console
from skolem.families.registry import FAMILIES
from skolem.planning.limits import Limits
from skolem.solve import Request, check_planner
from skolem.support.errors import ExitCode, InputError
from skolem.support.progress import show_progress


def run_evaluate(console: Console, options: EvaluateOptions) -> int:
    """Measures grounders on the optimal sets and shows the paper's table beside them."""
    from skolem.evaluation.optimal_report import Comparison, list_requests
    from skolem.evaluation.tables import show_optimal

    base = Request(
        grounder="learned",
        seed=options.seed,
        model=options.model,
        paper=options.paper,
        width=options.width,
        scores=options.scores,
        order=options.order,
    )
    requests = list_requests(options.grounder or ["learned"], base)
    if options.set_ != "optimal" and (len(requests) > 1 or options.output is not None):
        raise InputError(f"evaluate {options.set_} takes one grounder and no output folder")
    if options.set_ == "policy":
        return _evaluate_policy(console, replace(requests[0], planner="policy"), options)
    if options.set_ in ("lama", "scaling"):
        from skolem.evaluation.large import Choice, run_large

        request = replace(requests[0], limits=Limits(options.seconds, options.megabytes))
        choice = Choice(options.family, options.neq, options.count, options.peers_count, options.route)
        return run_large(console, options.set_, request, choice, options.jobs, options.backend, options.store, None)
    settings = (False, True) if options.neq is None else (options.neq,)
    comparison = Comparison(requests, tuple(options.family or FAMILIES), settings, options.count)
    cells = comparison.run(options.jobs, options.backend, options.store, console.quiet)
    console.result([cell.describe() for cell in cells])
    show_optimal(console, cells)
    if options.output is not None:
        comparison.save(cells, options.output)
        console.say(f"optimal.json, optimal.md, optimal.svg and optimal.png written to {options.output}")
    return int(ExitCode.SUCCESS)


def _evaluate_policy(console: Console, request: Request, options: EvaluateOptions) -> int:
    from skolem.evaluation.policy import evaluate_policy, show_policy
    from skolem.evaluation.test_sets import COUNT

    check_planner(request)
    count, jobs, backend = options.count, options.jobs, options.backend
    cells = []
    for name in options.family or FAMILIES:
        for setting in (False, True) if options.neq is None else (options.neq,):
            title = f"{name}{' with inequality' * setting}"
            with show_progress(title, count or COUNT, "instances", quiet=console.quiet) as report:
                cells.append(evaluate_policy(name, setting, request, count, jobs, backend, report))
    console.result([cell.describe() for cell in cells])
    show_policy(console, cells)
    return int(ExitCode.SUCCESS)


def run_report(console: Console, options: ReportOptions) -> int:
    """Builds the pages of the results from their stores."""
    from skolem.evaluation.report import build_report

    files = build_report(options.stores, options.output)
    console.result({"status": "built", "files": [str(path) for path in files]})
    console.say(f"{len(files)} files written to {options.output}")
    return int(ExitCode.SUCCESS)
