"""What each command does, given its options: read, call the library, show the result."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from skolem.cli.output import (
    Console,
    describe_grounding,
    describe_solution,
    show_grounding,
    show_solution,
)
from skolem.families.registry import find_family, generate_problem
from skolem.grounding.models import MODELS, PAPER_MODELS, list_models
from skolem.grounding.protocol import Order, Scores
from skolem.pddl.reading import read_task
from skolem.pddl.writing import write_grounded
from skolem.planning.limits import Clock, Limits
from skolem.planning.validation import format_plan, parse_plan, validate
from skolem.solve import Request, ground, solve
from skolem.support.errors import ExitCode, InputError, Place, SkolemError
from skolem.support.files import make_folder, write_text
from skolem.support.progress import show_progress


def run_plan(
    console: Console,
    domain: str,
    problem: str,
    grounder: str,
    model: Path | None,
    paper: bool,
    width: int,
    scores: Scores | None,
    order: Order | None,
    planner: str,
    time_limit: float | None,
    memory_limit: int | None,
    plan_file: Path | None,
    seed: int,
) -> int:
    """Solves a task and shows the plan."""
    request = Request(grounder, planner, Limits(time_limit, memory_limit), seed, model, paper, width, scores, order)
    clock = Clock.begin(request.limits)
    task = read_task(domain, problem)
    read = clock.elapsed
    solution = solve(task, request, clock)
    if plan_file is not None and solution.status == "solved":
        write_text(plan_file, format_plan(solution.plan or (), solution.cost or 0, unit=not task.has_metric))
    times = {"read": read, **solution.times, "total": clock.elapsed}
    console.result(describe_solution(solution, times))
    show_solution(console, solution, times)
    return int(solution.exit_code)


def run_ground(
    console: Console,
    domain: str,
    problem: str,
    grounder: str,
    model: Path | None,
    paper: bool,
    width: int,
    scores: Scores | None,
    order: Order | None,
    planner: str,
    time_limit: float | None,
    memory_limit: int | None,
    output: Path | None,
    explain: bool,
    seed: int,
) -> int:
    """Binds the goal's variables and writes the grounded problem."""
    request = Request(grounder, planner, Limits(time_limit, memory_limit), seed, model, paper, width, scores, order)
    clock = Clock.begin(request.limits)
    task = read_task(domain, problem)
    read = clock.elapsed
    grounding = ground(task, request, clock)
    times = {"read": read, "ground": clock.elapsed - read, "total": clock.elapsed}
    text = None if grounding.binding is None else write_grounded(task, grounding.binding)
    if output is not None and text is not None:
        write_text(output, text)
    console.result(describe_grounding(grounding, times))
    show_grounding(console, grounding, None if output is not None else text, explain)
    return int(ExitCode.SUCCESS if text is not None else ExitCode.UNSOLVABLE)


def run_validate(console: Console, domain: str, problem: str, plan: Path, seed: int) -> int:
    """Checks a plan file against the quantified goal."""
    task = read_task(domain, problem)
    try:
        steps = parse_plan(plan.read_text(encoding="utf-8"), str(plan))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the plan ({error})", Place(str(plan))) from error
    check = validate(task, steps)
    console.result({"valid": check.valid, "cost": check.cost, "reason": check.reason, "binding": check.binding})
    if check.valid:
        console.say(f"valid, cost {check.cost}")
    else:
        console.say(f"not valid: {check.reason}")
    return int(ExitCode.SUCCESS if check.valid else ExitCode.INVALID_PLAN)


def run_generate(
    console: Console,
    family: str,
    set_: str,
    size: int | None,
    variables: int | None,
    neq: bool,
    count: int,
    output: Path,
    seed: int,
) -> int:
    """Writes the domain and random problems of a family into a folder."""
    files = []
    for index in range(count):
        instance = generate_problem(family, set_, seed, index, size=size, variables=variables, neq=neq)
        if index == 0:
            make_folder(output)
            write_text(output / "domain.pddl", instance.domain_text)
        files.append(f"{instance.name}.pddl")
        write_text(output / files[-1], instance.problem_text)
    console.result({"status": "generated", "domain": "domain.pddl", "problems": files})
    console.say(f"domain.pddl and {len(files)} problem{'s' * (len(files) != 1)} written to {output}")
    return int(ExitCode.SUCCESS)


def run_draw(console: Console, domain: str, problem: str, binding: str | None, output: Path, seed: int) -> int:
    """Draws a task, with the objects of a binding marked."""
    from skolem.drawing import save_drawing

    task = read_task(domain, problem)
    chosen = None
    if binding is not None:
        try:
            chosen = json.loads(binding)
        except ValueError as error:
            raise InputError(f"--binding is not JSON ({error})") from error
        if not isinstance(chosen, dict) or not all(isinstance(value, str) for value in chosen.values()):
            raise InputError('--binding must be an object such as {"?x": "a"}')
    save_drawing(task, output, chosen)
    console.result({"status": "drawn", "file": str(output)})
    console.say(f"written to {output}")
    return int(ExitCode.SUCCESS)


def run_label(
    console: Console, source: list[str], pairs: int, named: int, jobs: int, backend: str, output: Path, seed: int
) -> int:
    """Writes a labelled dataset; an interrupted one is continued."""
    from skolem.oracle.labelling import DatasetRecipe, label
    from skolem.oracle.labels import Mix

    if len(source) == 1:
        plan = DatasetRecipe(find_family(source[0]).name, pairs=pairs, seed=seed, mix=Mix(named=named))
    elif named:
        raise InputError("--named is for the families alone")
    else:
        plan = DatasetRecipe(read_task(source[0], source[1]).domain.name, files=tuple(source), pairs=pairs, seed=seed)
    with show_progress("labelling", plan.total, "pairs", quiet=console.quiet) as report:
        dataset = label(plan, output, jobs=jobs, backend=backend, report=report)
    counts = {part: dataset.pairs(part) for part in dataset.parts}
    console.result({"status": "labelled", "pairs": counts, "checksum": dataset.checksum})
    console.say(f"{counts['train']} training pairs written to {output}, checksum {dataset.checksum}")
    return int(ExitCode.SUCCESS)


def run_train(
    console: Console,
    dataset: Path,
    preset: str,
    device: str,
    minutes: float | None,
    steps: int | None,
    layers: int | None,
    head: bool,
    start: Path | None,
    resume: bool,
    tensorboard: bool,
    output: Path,
    seed: int,
) -> int:
    """Trains a model on a dataset."""
    from skolem.training.recipe import Budget
    from skolem.training.train_main import make_run, print_event, write_tensorboard
    from skolem.training.trainer import Listener, train

    budget = Budget(steps, 30.0 if minutes is None and steps is None else minutes)
    settings = {} if layers is None else {"layers": layers}
    settings |= {"head": True} if head else {}
    run = make_run(dataset, output, preset, budget, seed=seed, device=device, start=start, **settings)
    listeners: list[Listener] = [] if console.quiet or console.as_json else [print_event]
    if tensorboard:
        listeners.append(write_tensorboard(output))
    card = train(run, resume, tuple(listeners))
    console.result({"status": "trained", "model": str(output), "training": dict(card.training)})
    console.say(f"the best model is in {output}")
    return int(ExitCode.SUCCESS)


def run_evaluate(
    console: Console,
    set_: str,
    family: list[str] | None,
    neq: bool | None,
    grounder: list[str] | None,
    model: Path | None,
    paper: bool,
    width: int,
    scores: Scores | None,
    order: Order | None,
    count: int | None,
    jobs: int,
    backend: str,
    seed: int,
    peers_count: int | None,
    route: list[str] | None,
    seconds: float,
    megabytes: int,
    store: Path | None,
    output: Path | None,
) -> int:
    """Runs an experiment on the test sets and shows its tables."""
    from skolem.evaluation.configurations import Selection, list_requests
    from skolem.evaluation.evaluate import TIMED, choose_store, evaluate
    from skolem.evaluation.report import build_optimal, save_pages
    from skolem.evaluation.store import Runner, Store

    base = Request("learned", seed=seed, model=model, paper=paper, width=width, scores=scores, order=order)
    if set_ == "policy":
        base = replace(base, planner="policy")
    if set_ in TIMED:
        base = replace(base, limits=Limits(seconds, megabytes))
    requests = list_requests(grounder or ["learned"], base)
    if set_ != "optimal" and (len(requests) > 1 or output is not None):
        raise InputError(f"evaluate {set_} takes one grounder and no output folder")
    families, routes = (None if given is None else tuple(given) for given in (family, route))
    selection = Selection(set_, requests, families, neq, count, peers_count, routes)
    runner = Runner(Store(choose_store(set_, store)), jobs, backend, partial(show_progress, quiet=console.quiet))
    found = evaluate(selection, runner)
    for line in found.unexplained:
        console.say(f"not explained: {line}")
    console.result(found.described)
    for number, table in enumerate(found.tables):
        if number:
            console.say()
        console.table(table.columns, table.rows, table.title)
    if output is not None:
        save_pages(build_optimal(found.records, found.environments), output)
        console.say(f"\noptimal.json, optimal.md and optimal.svg written to {output}")
    return int(ExitCode.SUCCESS)


def run_report(console: Console, stores: Path, output: Path, seed: int) -> int:
    """Builds the pages of the results from their stores."""
    from skolem.evaluation.report import build_report

    files = build_report(stores, output)
    console.result({"status": "built", "files": [str(path) for path in files]})
    console.say(f"{len(files)} files written to {output}")
    return int(ExitCode.SUCCESS)


def run_models(console: Console, seed: int) -> int:
    """Lists the shipped models."""
    found = []
    for folder in (MODELS, PAPER_MODELS):
        for model in list_models(folder):
            if isinstance(model, SkolemError):
                print(model, file=sys.stderr)
                continue
            training = model.card.training
            found.append(
                {
                    "name": str(model.path.relative_to(MODELS)),
                    "domain": model.card.domain,
                    "goals": list(model.card.goals),
                    "layers": model.card.network.layers,
                    "pairs": training["dataset"]["pairs"],
                    "validation": training["validation"],
                }
            )
    console.result(found)
    rows = [(m["name"], " ".join(m["goals"]), str(m["layers"]), str(m["pairs"])) for m in found]
    console.table(("model", "goals", "layers", "training pairs"), rows)
    return int(ExitCode.SUCCESS)


COMMANDS: dict[str, Callable[..., int]] = {
    "plan": run_plan,
    "ground": run_ground,
    "validate": run_validate,
    "generate": run_generate,
    "draw": run_draw,
    "label": run_label,
    "train": run_train,
    "evaluate": run_evaluate,
    "report": run_report,
    "models": run_models,
}
