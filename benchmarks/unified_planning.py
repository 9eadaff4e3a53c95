"""Quantified goals through unified-planning: Skolem's engines beside its own remover of quantifiers.

python -m benchmarks.unified_planning

For every problem Skolem's ways run one after another in a process, and those of the remover in another, with limits on
time and memory; what was measured before is kept. Plans are checked by unified-planning's own validator: against the
problem where it has few bindings (it tries them all), else against the bound goal.
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

SECONDS, MEGABYTES = 30, 3000
ENGINES = ("fast-downward", "pyperplan")
COMPILER, REMOVER = "skolem-compiler", "up_quantifiers_remover"
GROUPS = {
    "skolem": ("skolem", *(f"skolem[{e}]" for e in ENGINES), *(f"{COMPILER} + {e}" for e in ENGINES)),
    "remover": tuple(f"{REMOVER} + {e}" for e in ENGINES),
}
WAYS = tuple(way for ways in GROUPS.values() for way in ways)
MOST_BINDINGS = 500
"""Bindings of a goal up to which the validator is given the goal as it is."""


def main() -> None:
    """Measures every way on every problem and writes unified_planning.json and unified_planning.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=2, metavar=("PROBLEM", "GROUP"), help="one of them, printed")
    given = parser.parse_args()
    if given.one:
        run_group(*given.one)
        return
    about = {
        "command": "python -m benchmarks.unified_planning",
        "load": round(os.getloadavg()[0], 1),
        "processors": os.cpu_count(),
        "limits": {"seconds": SECONDS, "megabytes": MEGABYTES},
        "versions": results.find_versions("unified-planning", "up-fast-downward", "up-pyperplan"),
    }
    rows: list[dict[str, Any]] = results.read("unified_planning").get("rows", [])
    known = {(row["problem"], row["way"]) for row in rows}
    for problem in (*PROBLEMS, *WIDE):
        for group, ways in GROUPS.items():
            if not known.issuperset((problem, way) for way in ways):
                rows += run_apart(problem, group)
                results.write("unified_planning", {"about": about, "rows": rows}, write_page(about, rows))


def run_apart(problem: str, group: str) -> list[dict[str, Any]]:
    """What some ways make of one problem, in a process of their own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.unified_planning", "--one", problem, group]
    ways, status = GROUPS[group], "TIMEOUT"
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=len(ways) * SECONDS,
            preexec_fn=limit_memory,
            check=False,
        )
        output = done.stdout
        status = "MEMOUT" if "MemoryError" in done.stderr else "INTERNAL_ERROR"
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode()
    found = [json.loads(line) for line in output.splitlines()]
    # The ways after one that was stopped share its fate.
    return found + [{"problem": problem, "way": way, "status": status} for way in ways[len(found) :]]


def run_group(name: str, group: str) -> None:
    """Prints what some ways make of one problem, a line each."""
    from unified_planning.shortcuts import get_environment

    import skolem.integrations

    get_environment().credits_stream = None
    skolem.integrations.register()
    problem = {**PROBLEMS, **WIDE}[name]()
    compiled: dict[str, tuple[Any, float]] = {}
    for way in GROUPS[group]:
        compiler, _, engine = way.rpartition(" + ")
        if compiler and compiler not in compiled:
            start = time.perf_counter()
            compiled[compiler] = compile_problem(problem, compiler), time.perf_counter() - start
        found = run(problem, engine, *compiled.get(compiler, (None, 0.0)))
        print(json.dumps({"problem": name, "way": way, **found}), flush=True)


def limit_memory() -> None:
    """Keeps a process from taking what others need."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES << 20, MEGABYTES << 20))


def run(problem: Any, engine: str, compiled: Any, compile_seconds: float) -> dict[str, Any]:
    """The outcome of one engine, on a problem or on what a compiler made of it."""
    from unified_planning.shortcuts import OneshotPlanner

    start = time.perf_counter()
    goal = compiled.problem if compiled else problem
    spent = {"compile_seconds": round(compile_seconds, 3)} if compiled else {}
    with OneshotPlanner(name=engine) as planner:
        if not planner.supports(goal.kind):
            return {"status": "UNSUPPORTED_PROBLEM", **spent}
        found = planner.solve(goal, timeout=max(0.1, SECONDS - compile_seconds))
    seconds, plan = time.perf_counter() - start + compile_seconds, found.plan
    if plan is not None and compiled:
        plan = plan.replace_action_instances(compiled.map_back_action_instance)
    binding = getattr(compiled or found, "binding", None)
    return {
        "status": found.status.name,
        "seconds": round(seconds, 3),
        **spent,
        "steps": None if plan is None else len(plan.actions),
        "valid": None if plan is None else validate(problem, plan, binding),
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
        "Seconds from the problem in memory to the plan, and the steps of the plan.",
        f"Limits: {SECONDS} s, {MEGABYTES} MB. In brackets what the compiler took of it.",
        "`pyperplan` takes no action costs, no disjunctions and, as it is, no names with spaces.",
        f"Load average {about['load']} at the start, {about['processors']} processors.",
        f"Command: `{about['command']}`. Versions: {', '.join(f'{k} {v}' for k, v in about['versions'].items())}.",
        "",
        f"| problem | {' | '.join(WAYS)} |",
        "|---" * (len(WAYS) + 1) + "|",
    ]
    for problem in dict.fromkeys(row["problem"] for row in rows):
        lines.append(f"| {problem} | {' | '.join(show(cells.get((problem, way))) for way in WAYS)} |")
    plans = [row for row in rows if row.get("steps") is not None]
    said = [row["valid"] for row in plans if row["valid"] is not None]
    good = sum(word.startswith("VALID") for word in said)
    lines += [
        "",
        f"{len(plans)} plans; unified-planning's validator was asked about {len(said)} and found {good} valid.",
    ]
    if len(said) < len(plans):
        lines.append("The others are the remover's for goals with more bindings than the validator can try.")
    return "\n".join(lines) + "\n"


def show(row: Mapping[str, Any] | None) -> str:
    """One cell of the table."""
    if row is None:
        return ""
    if row.get("steps") is None:
        word = str(row["status"]).lower().replace("_", " ")
        return f"{row['seconds']:.2f} s, {word}" if row.get("seconds") else word
    spent = row.get("compile_seconds")
    steps = f"{row['steps']} step{'s' * (row['steps'] != 1)}"
    return f"{row['seconds']:.2f} s{'' if spent is None else f' ({spent:.2f})'}, {steps}"


if __name__ == "__main__":
    main()
