"""The commands about one task and its plans: plan, ground, validate."""

from dataclasses import replace
from typing import Any

from skolem.cli.options import GroundOptions, PlanOptions, SearchOptions, ValidateOptions
from skolem.cli.output import Console, show_grounding, show_solution
from skolem.grounders import check_planner, list_model_differences
from skolem.pddl.reading import read_task
from skolem.pddl.writing import spell_as_written, write_grounded
from skolem.planning.limits import Clock, Limits
from skolem.planning.validation import format_plan, read_plan, validate
from skolem.request import Request
from skolem.solve import ground, join_sentences, solve
from skolem.support.errors import ExitCode, SkolemError
from skolem.support.files import write_text
from skolem.task.model import Task


def run_plan(console: Console, options: PlanOptions) -> int:
    """Solves a task and shows the plan."""
    request = make_request(options)
    clock = Clock.begin(request.limits)
    task = read_and_warn(console, options.domain, options.problem)
    read = console.waited
    warn_of_model(console, task, request)
    solution = solve(task, request, clock)
    if options.plan_file is not None and solution.status == "solved":
        text = format_plan(solution.plan or (), solution.cost or 0, unit=not task.has_metric)
        try:
            write_text(options.plan_file, text)
        except SkolemError as error:
            # A plan is never lost: it is shown, whatever was asked for.
            console.warn(f"skolem: {error}")
            console.quiet = False
            solution = replace(solution, message=join_sentences(solution.message, str(error)))
    # What is neither reading nor choosing objects nor looking for a bound was done for the plan.
    total, known = console.waited, {"ground": solution.times.get("ground", 0.0)}
    known |= {name: seconds for name, seconds in solution.times.items() if name == "bound"}
    times = {"read": read, **known, "plan": total - read - sum(known.values()), "total": total}
    solution = replace(solution, times=times)
    console.result(solution.to_dict())
    show_solution(console, solution, spell_as_written(task).spell)
    return int(solution.exit_code)


def run_ground(console: Console, options: GroundOptions) -> int:
    """Binds the goal's variables and writes the grounded problem."""
    request = make_request(options)
    clock = Clock.begin(request.limits)
    task = read_and_warn(console, options.domain, options.problem)
    read = console.waited
    warn_of_model(console, task, request)
    grounding = ground(task, request, clock)
    total = console.waited
    grounding = replace(grounding, times={"read": read, "ground": total - read, "total": total})
    text = None if grounding.binding is None else write_grounded(grounding.alternative or task, grounding.binding)
    shown, more = text, dict[str, Any]()
    if options.output is not None and text is not None:
        try:
            write_text(options.output, text)
            shown = None
        except SkolemError as error:
            console.warn(f"skolem: {error}")
            console.quiet = False
            grounding = replace(grounding, message=join_sentences(grounding.message, str(error)))
            more["problem"] = text
    explanation = None
    if options.explain:
        from skolem.grounding.explanation import explain_goal

        explanation = explain_goal(task, grounding)
        more["explanation"] = explanation.to_dict()
    console.result({**grounding.to_dict(), **more})
    show_grounding(console, grounding, shown, explanation, spell_as_written(task).spell)
    return int(ExitCode.SUCCESS if text is not None else ExitCode.UNSOLVABLE)


def run_validate(console: Console, options: ValidateOptions) -> int:
    """Checks a plan file against the quantified goal."""
    task = read_and_warn(console, options.domain, options.problem)
    check = validate(task, read_plan(options.plan))
    console.result(check.to_dict())
    if check.valid:
        console.say(f"valid, cost {check.cost}")
    else:
        console.say(f"not valid: {check.reason}")
    return int(ExitCode.SUCCESS if check.valid else ExitCode.INVALID_PLAN)


def read_and_warn(console: Console, domain: str | None, problem: str) -> Task:
    """The task in two files; what is odd about them is said on standard error."""
    task = read_task(domain, problem)
    for warning in task.warnings:
        console.warn(f"warning: {warning}")
    return task


def warn_of_model(console: Console, task: Task, request: Request) -> None:
    """Says in which ways the task is not what a model that was asked for was trained on."""
    for difference in list_model_differences(task, request):
        console.warn(f"warning: {difference}")


def make_request(options: SearchOptions) -> Request:
    """How the options ask for a task to be solved; a UsageError where they ask for a planner that there is not."""
    request = Request(
        grounder=options.grounder,
        planner=options.planner,
        effort=options.effort if isinstance(options, PlanOptions) else "default",
        bound_seconds=options.bound if isinstance(options, PlanOptions) else None,
        limits=Limits(options.time_limit, options.memory_limit),
        seed=options.seed,
        model=options.model,
        paper=options.paper,
        width=options.width,
        scores=options.scores,
        order=options.order,
        revise=options.revise,
    )
    check_planner(request)
    return request
