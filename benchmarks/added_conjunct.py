"""Does one more conjunct beside a goal cost plan quality, though it asks for no step of its own?

    python -m benchmarks.added_conjunct [--count N] [--time-limit S]

Tasks of the LAMA set of blocks, as they are and with one conjunct added: a `forall` (nothing is held) or a negated atom
(one of the blocks is not held). Both are true after the last step of any plan for a tower, so that the cheapest plans
are the same. Each task is solved as `skolem plan` does it. Writes results/added_conjunct.json and its page.
"""

import argparse
from collections.abc import Callable

from benchmarks import results
from skolem.evaluation.test_sets import TEST_SEED
from skolem.families.registry import generate_problem
from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.solve import solve
from skolem.task.model import Source, Task

Row = dict[str, object]
"""The outcome of one goal."""
VARIANTS: dict[str, Callable[[Task], str]] = {
    "as it is": lambda task: "",
    "forall": lambda task: "(forall (?every) (not (holding ?every)))",
    "negated atom": lambda task: f"(not (holding {task.objects[0]}))",
}


def add_conjunct(task: Task, conjunct: str) -> Task:
    """The task with one more conjunct in its goal."""
    start, end = task.goal_span
    text = task.source.text
    goal = text[start:end].removeprefix("(:goal").removesuffix(")")
    changed = f"{text[:start]}(:goal (and {goal} {conjunct})){text[end:]}" if conjunct else text
    return read_task_text(task.domain.source, Source(task.source.path, changed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--time-limit", type=float, default=20.0)
    options = parser.parse_args()
    rows: list[Row] = []
    for index in range(options.count):
        instance = generate_problem("blocks", "lama", TEST_SEED, index, neq=bool(index % 2))
        task = read_task_text(Source("blocks.pddl", instance.domain_text), Source(instance.name, instance.problem_text))
        for variant, write in VARIANTS.items():
            request = Request(limits=Limits(options.time_limit, 4000))
            found = solve(add_conjunct(task, write(task)), request)
            entry: Row = {"task": instance.name, "variant": variant, "cost": found.cost, "route": found.route}
            rows.append({**entry, "seconds": round(sum(found.times.values()), 2), "message": found.message})
            print(instance.name, variant, found.cost, found.route, flush=True)
    command, versions = results.spell_command("added_conjunct"), results.find_versions("up_fast_downward")
    content = {"command": command, "versions": versions, "rows": rows}
    results.write("added_conjunct", content, write_page(rows, command))


def write_page(rows: list[Row], command: str) -> str:
    """The costs side by side."""
    costs = {(row["task"], row["variant"]): row["cost"] for row in rows}
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    lines = ["# One more conjunct beside a goal", "", f"{len(tasks)} tasks of the LAMA set of blocks. `{command}`", ""]
    lines += ["| goal | solved | total cost | against the goal as it is | cheaper, equal, dearer | bound by a model |"]
    lines += ["|---|---|---|---|---|---|"]
    for variant in VARIANTS:
        pairs = [(costs[task, "as it is"], costs[task, variant]) for task in tasks]
        both = [(a, b) for a, b in pairs if isinstance(a, int) and isinstance(b, int)]
        total, base = sum(b for _, b in both), sum(a for a, _ in both)
        split = (sum(b < a for a, b in both), sum(b == a for a, b in both), sum(b > a for a, b in both))
        learned = sum(str(row["route"]).startswith("learned") for row in rows if row["variant"] == variant)
        lines.append(
            f"| {variant} | {sum(b is not None for _, b in pairs)} | {total} | {total / max(base, 1):.3f} | "
            f"{', '.join(map(str, split))} | {learned} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
