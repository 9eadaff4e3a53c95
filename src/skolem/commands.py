"""What each command does, given its options: read, call the library, show the result."""

import json
from collections.abc import Callable
from pathlib import Path

from skolem.console import (
    Console,
    describe_grounding,
    describe_solution,
    show_grounding,
    show_solution,
)
from skolem.domains.registry import generate_problem
from skolem.errors import ExitCode, InputError, Place
from skolem.files import make_folder, write_text
from skolem.planning.limits import Clock, Limits
from skolem.planning.validation import format_plan, parse_plan, validate
from skolem.solve import Request, ground, solve
from skolem.task.reading import read_task
from skolem.task.writing import write_grounded


def run_plan(
    console: Console,
    domain: str,
    problem: str,
    grounder: str,
    planner: str,
    time_limit: float | None,
    memory_limit: int | None,
    plan_file: Path | None,
    seed: int,
) -> int:
    """Solves a task and shows the plan."""
    request = Request(grounder, planner, Limits(time_limit, memory_limit), seed)
    clock = Clock.begin(request.limits)
    task = read_task(domain, problem)
    read = clock.elapsed
    solution = solve(task, request, clock)
    if plan_file is not None and solution.status == "solved":
        write_text(plan_file, format_plan(task, solution.plan or (), solution.cost or 0))
    times = {"read": read, **solution.times, "total": clock.elapsed}
    console.result(describe_solution(solution, times))
    show_solution(console, solution, times)
    return int(solution.exit_code)


def run_ground(
    console: Console,
    domain: str,
    problem: str,
    grounder: str,
    planner: str,
    time_limit: float | None,
    memory_limit: int | None,
    output: Path | None,
    explain: bool,
    seed: int,
) -> int:
    """Binds the goal's variables and writes the grounded problem."""
    request = Request(grounder, planner, Limits(time_limit, memory_limit), seed)
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
    from skolem.domains.drawing import save_drawing

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


COMMANDS: dict[str, Callable[..., int]] = {
    "plan": run_plan,
    "ground": run_ground,
    "validate": run_validate,
    "generate": run_generate,
    "draw": run_draw,
}
