"""Quantified goals through unified-planning: Skolem's engines beside its own remover of quantifiers.

python -m benchmarks.unified_planning

Every problem and way is a process of its own with a limit on time and memory. Plans are checked by unified-planning's
own validator: against the problem where it has few bindings (it tries them all), else against the bound goal.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from benchmarks.up_problems import PROBLEMS, WIDE

from benchmarks import results

SECONDS, MEGABYTES = 60, 3000
ENGINES = ("fast-downward", "pyperplan")
COMPILERS = {"skolem-compiler": "compiler", "up_quantifiers_remover": "remover"}
WAYS = (
    "skolem",
    *(f"skolem[{engine}]" for engine in ENGINES),
    *(f"{compiler} + {engine}" for compiler in COMPILERS for engine in ENGINES),
)
MOST_BINDINGS = 500
"""Bindings of a goal up to which the validator is given the goal as it is."""


def main() -> None:
    """Measures every way on every problem and writes unified_planning.json and unified_planning.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=2, metavar=("PROBLEM", "WAY"), help="one of them, printed")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run(*given.one)))
        return
    load = os.getloadavg()[0]
    rows = [run_apart(problem, way) for problem in (*PROBLEMS, *WIDE) for way in WAYS]
    about = {
        "command": "python -m benchmarks.unified_planning",
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "processors": os.cpu_count(),
        "limits": {"seconds": SECONDS, "megabytes": MEGABYTES},
        "versions": results.find_versions("unified-planning", "up-fast-downward", "up-pyperplan"),
    }
    results.write("unified_planning", {"about": about, "rows": rows}, write_page(about, rows))


def run_apart(problem: str, way: str) -> dict[str, Any]:
    """What one way makes of one problem, in a process of its own."""
    row = {"problem": problem, "way": way}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.unified_planning", "--one", problem, way]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS + 20, preexec_fn=limit_memory, check=False
        )
    except subprocess.TimeoutExpired:
        return {**row, "status": "TIMEOUT"}
    if done.returncode:
        return {**row, "status": "MEMOUT" if "MemoryError" in done.stderr else "INTERNAL_ERROR"}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**row, **found}


def limit_memory() -> None:
    """Keeps a process from taking what others need."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES << 20, MEGABYTES << 20))


def run(name: str, way: str) -> dict[str, Any]:
    """The outcome of one way in this process."""
    from unified_planning.shortcuts import OneshotPlanner, get_environment

    import skolem.integrations

    get_environment().credits_stream = None
    skolem.integrations.register()
    problem = {**PROBLEMS, **WIDE}[name]()
    start, compile_seconds = time.perf_counter(), None
    goal, binding = problem, None
    compiler, _, engine = way.rpartition(" + ")
    if compiler:
        compiled = compile_problem(problem, compiler)
        compile_seconds = time.perf_counter() - start
        goal, binding = compiled.problem, getattr(compiled, "binding", None)
    with OneshotPlanner(name=engine) as planner:
        if not planner.supports(goal.kind):
            return {"status": "UNSUPPORTED_PROBLEM", "compile_seconds": compile_seconds}
        found = planner.solve(goal, timeout=max(0.1, SECONDS - (time.perf_counter() - start)))
    seconds, plan = time.perf_counter() - start, found.plan
    if plan is not None and compiler:
        plan = plan.replace_action_instances(compiled.map_back_action_instance)
    return {
        "status": found.status.name,
        "seconds": round(seconds, 3),
        "compile_seconds": None if compile_seconds is None else round(compile_seconds, 3),
        "steps": None if plan is None else len(plan.actions),
        "valid": None if plan is None else validate(problem, plan, binding or getattr(found, "binding", None)),
        "route": (found.metrics or {}).get("skolem_route"),
    }


def compile_problem(problem: Any, name: str) -> Any:
    """The problem without quantifiers, by one of the compilers."""
    from unified_planning.engines import CompilationKind
    from unified_planning.shortcuts import Compiler

    with Compiler(name=name) as compiler:
        return compiler.compile(problem, CompilationKind.QUANTIFIERS_REMOVING)


def validate(problem: Any, plan: Any, binding: Mapping[Any, Any] | None) -> str | None:
    """What unified-planning's validator says, with the goal it was given; None where that would take too long."""
    from unified_planning.shortcuts import PlanValidator

    few = count_bindings(problem) <= MOST_BINDINGS
    if not few and binding is None:
        return None
    if not few:
        problem = bind(problem, binding or {})
    with PlanValidator(name="sequential_plan_validator") as validator:
        return f"{validator.validate(problem, plan).status.name} ({'the goal' if few else 'bound'})"


def count_bindings(problem: Any) -> int:
    """How many bindings the largest goal has, all of its quantifiers together."""
    return max(prod(len(list(problem.objects(v.type))) for v in list_variables(goal)) for goal in problem.goals)


def list_variables(expression: Any) -> list[Any]:
    """The variables of all quantifiers in an expression."""
    own = list(expression.variables()) if expression.is_exists() or expression.is_forall() else []
    return own + [variable for part in expression.args for variable in list_variables(part)]


def bind(problem: Any, binding: Mapping[Any, Any]) -> Any:
    """The problem with the objects of a binding in place of its variables, put there without Skolem."""
    manager = problem.environment.expression_manager
    terms = {manager.VariableExp(variable): manager.ObjectExp(obj) for variable, obj in binding.items()}
    bound = problem.clone()
    bound.clear_goals()
    for goal in problem.goals:
        bound.add_goal(open_quantifiers(goal, binding).substitute(terms))
    return bound


def open_quantifiers(goal: Any, binding: Mapping[Any, Any]) -> Any:
    """The goal without the existential quantifiers whose variables are all bound."""
    if goal.is_exists() and all(variable in binding for variable in goal.variables()):
        return open_quantifiers(goal.arg(0), binding)
    if goal.is_and():
        return goal.environment.expression_manager.And([open_quantifiers(part, binding) for part in goal.args])
    return goal


def write_page(about: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """The report: seconds and steps of every way on every problem."""
    cells = {(row["problem"], row["way"]): row for row in rows}
    lines = [
        "# Quantified goals through unified-planning",
        "",
        "Seconds from the problem in memory to the plan, and the steps of the plan; each in a process of its own.",
        f"Limits: {SECONDS} s, {MEGABYTES} MB. In brackets what the compiler took of it.",
        "`pyperplan` takes neither action costs nor disjunctions.",
        f"Load average {about['load'][0]} before and {about['load'][1]} after, {about['processors']} processors.",
        f"Command: `{about['command']}`. Versions: {', '.join(f'{k} {v}' for k, v in about['versions'].items())}.",
        "",
        f"| problem | {' | '.join(WAYS)} |",
        "|---" * (len(WAYS) + 1) + "|",
    ]
    for problem in dict.fromkeys(row["problem"] for row in rows):
        lines.append(f"| {problem} | {' | '.join(show(cells[problem, way]) for way in WAYS)} |")
    plans = [row for row in rows if row.get("steps") is not None]
    said = [row["valid"] for row in plans if row["valid"] is not None]
    good = sum(word.startswith("VALID") for word in said)
    lines += [
        "",
        f"{len(plans)} plans; unified-planning's validator was asked about {len(said)} and found {good} valid.",
        "The others are the remover's for goals with more bindings than the validator can try.",
    ]
    return "\n".join(lines) + "\n"


def show(row: Mapping[str, Any]) -> str:
    """One cell of the table."""
    if row.get("steps") is None:
        word = str(row["status"]).lower().replace("_", " ")
        return f"{row['seconds']:.2f} s, {word}" if row.get("seconds") else word
    spent = row.get("compile_seconds")
    return f"{row['seconds']:.2f} s{'' if spent is None else f' ({spent:.2f})'}, {row['steps']} steps"


if __name__ == "__main__":
    main()
