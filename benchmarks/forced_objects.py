"""Do the costs of `skolem explain --why` with an optimal planner agree with the oracle's?

Run from the root of the repository: `python -m benchmarks.forced_objects`. The oracle expands the whole state space.
"""

import argparse
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.results import find_versions, spell_command, write

from skolem.families.registry import FAMILIES, generate_problem
from skolem.grounding.explanation import Forced
from skolem.oracle.costs import Oracle
from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Limits
from skolem.planning.translator_pool import keep_translator
from skolem.request import Request
from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.model import Source, Task
from skolem.why import explain

PACKAGES = ("skolem", "up-fast-downward", "numpy")
SIZES = {"blocks": 6, "blocks-c": 6, "gripper": 10, "delivery": 12, "visitall": 9}
"""Small enough for whole state spaces."""
REQUEST = Request(planner="seq-opt-lmcut", limits=Limits(60.0, 4000))


def main() -> None:
    """Asks about random objects of random variables, and writes forced_objects.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=50, help="of every family (default 50)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rows = []
    with keep_translator():
        for family in FAMILIES:
            oracle = Oracle()
            for name, task, variable, obj in list_cases(family, given.cases, given.seed):
                (forced,) = explain(task, REQUEST, [{variable: obj}]).forced
                rows.append({"task": name, "family": family, **compare(oracle, task, forced)})
                print(rows[-1], flush=True)
    about = {"command": spell_command("forced_objects"), "versions": find_versions(*PACKAGES)}
    totals = {key: sum(row[key] for row in rows) for key in ("agrees", "usual_agrees")}
    kinds = {kind: sum(row["status"] == kind for row in rows) for kind in ("possible", "impossible", "unknown")}
    write("forced_objects", {"about": about, "cases": len(rows), **totals, **kinds, "rows": rows})
    print(f"{totals['agrees']} of {len(rows)} agree; {kinds}")


def list_cases(family: str, cases: int, seed: int) -> Iterator[tuple[str, Task, str, str]]:
    """Random tasks, each with a variable and an object; in every fifth it is any object, else a candidate."""
    rng = Random(f"{family} {seed}")
    for index in range(cases):
        instance = generate_problem(family, "train", seed, index, size=SIZES[family], neq=bool(index % 2))
        texts = Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text)
        task = read_task_text(*texts)
        place = rng.randrange(len(task.goal.variables))
        valid = find_valid_candidates(task.query, task.statics, len(task.objects)).candidates[place]
        objects = range(len(task.objects)) if index % 5 == 4 else valid.nonzero()[0].tolist()
        yield instance.name, task, task.goal.variables[place].name, task.objects[rng.choice(objects)]


def compare(oracle: Oracle, task: Task, forced: Forced) -> dict[str, Any]:
    """The answer beside the oracle's costs of the goal with and without the object."""
    ((variable, obj),) = forced.asked.items()
    place = [v.name for v in task.goal.variables].index(variable)
    exact = oracle.find_cost_in_space(task, task.query.bind(place, task.index[obj])).cost
    usual = oracle.find_cost_in_space(task).cost
    agrees = (forced.status == "possible" and forced.optimal and forced.cost == exact) or (
        forced.status == "impossible" and exact is None
    )
    return {
        "asked": f"{variable} = {obj}",
        "status": forced.status,
        "cost": forced.cost,
        "exact": exact,
        "agrees": agrees,
        "usual_agrees": forced.usual_cost == usual,
        "text": forced.text,
    }


if __name__ == "__main__":
    main()
