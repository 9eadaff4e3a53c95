"""Labels without a search beside exact ones: `python -m benchmarks.self_labels [DOMAIN...] [--steps N]`.

Every domain is learned three times from the same problems and with the same number of steps or minutes: from exact
costs, from the upper bounds of random walks, and from those of walks that the networks so far guide. What is finished
is not done again, and what was interrupted is resumed, so that the same command goes on after any stop.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
from benchmarks.results import find_versions, read, write
from tools.learn_suite import write_problems

from skolem.families.registry import FAMILIES, generate_problem
from skolem.learning.display import open_display
from skolem.learning.learn import Device, Lesson, choose_device, learn
from skolem.learning.self_labels import ModelGuide
from skolem.learning.survey import survey_problems
from skolem.oracle.bindings import View
from skolem.oracle.costs import SpaceCache
from skolem.oracle.exploration import MOST_WALKED
from skolem.oracle.guided_walks import Asked, walk_to_goals
from skolem.oracle.labelling import open_origin
from skolem.oracle.labels import BindingCosts
from skolem.oracle.space import SpaceLimits
from skolem.support.errors import LimitError
from skolem.support.files import make_folder, write_text
from skolem.task.query import Query, Relations

DOMAINS = ("blocks", "gripper", "visitall", "delivery", "blocks-c", "ferry", "spanner", "logistics")
ARMS = ("exact", "walks", "guided")
PROBLEMS = 12
TASKS, GOALS, BINDINGS = 8, 12, 4
"""How many tasks, goals of each and bindings of each of these the labels are compared on."""
MOST_BINDINGS = 4_000
CLOSE = 0.03
"""How much worse than exact labels is close enough."""


@dataclass(frozen=True)
class Budget:
    """What every model is learned with."""

    device: Device
    steps: int | None
    minutes: float | None
    pairs: int
    goals: int
    seed: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Learns what is missing, measures, and writes `results/self_labels.json` and its page after every model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", default=DOMAINS)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a folder for all models")
    parser.add_argument("--steps", type=int, metavar="N")
    parser.add_argument("--minutes", type=float, metavar="M")
    parser.add_argument("--pairs", type=int, default=20_000, metavar="N")
    parser.add_argument("--goals", type=int, default=40, metavar="N")
    parser.add_argument("--device", choices=("cpu", "cuda"), default=choose_device())
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if (options.steps is None) == (options.minutes is None):
        parser.error("give --steps or --minutes")
    budget = Budget(options.device, options.steps, options.minutes, options.pairs, options.goals, options.seed)
    for domain in options.domains:
        files = list_problems(domain, options.output / "problems" / domain)
        lessons = {arm: make_lesson(files, options.output / f"{domain}-{arm}", budget, arm) for arm in ARMS}
        for arm, lesson in lessons.items():
            if arm not in open_results(budget)["runs"].get(domain, {}):
                with open_display() as display:
                    learned = learn(lesson, (lesson.folder / "learn.json").exists(), display, lambda text: None)
                figures = learned.measurement.to_json()
                run = {"pairs": learned.pairs, "seconds": round(learned.seconds), **figures}
                print(f"{domain}, {arm}: {figures['sentence']}", flush=True)
                # Read again: other domains may be learned at the same time.
                content = open_results(budget)
                content["runs"].setdefault(domain, {})[arm] = run
                keep_results(content)
        if domain not in open_results(budget)["labels"]:
            found = compare_labels(lessons["guided"])
            content = open_results(budget)
            content["labels"][domain] = found
            keep_results(content)
    return 0


def open_results(budget: Budget) -> dict[str, Any]:
    """What was measured so far with this budget."""
    content: dict[str, Any] = read("self_labels")
    return content if content.get("budget") == vars(budget) else {"budget": vars(budget), "runs": {}, "labels": {}}


def keep_results(content: dict[str, Any]) -> None:
    """Writes the figures and their page."""
    options = " ".join(f"--{name} {value}" for name, value in content["budget"].items() if value is not None)
    content["command"] = f"python -m benchmarks.self_labels -o DIR {options}"
    content["versions"] = find_versions("numpy", "torch")
    write("self_labels", content, describe(content))


def list_problems(domain: str, folder: Path) -> list[Path]:
    """The files of a domain and of its first small problems."""
    if domain not in FAMILIES:
        return write_problems(domain, folder, PROBLEMS, 0)
    make_folder(folder)
    texts = {"domain.pddl": FAMILIES[domain].domain_text}
    for index in range(PROBLEMS):
        texts[f"p{index:02d}.pddl"] = generate_problem(domain, "train", 0, index, neq=index % 2 == 1).problem_text
    for file, text in texts.items():
        write_text(folder / file, text)
    return [folder / file for file in texts]


def make_lesson(files: Sequence[Path], folder: Path, budget: Budget, arm: str) -> Lesson:
    """What is learned in one of the three ways."""
    domain, *problems = map(str, files)
    return Lesson(
        domain=domain,
        problems=tuple(problems),
        folder=folder,
        device=budget.device,
        minutes=budget.minutes,
        steps=budget.steps,
        pairs=budget.pairs,
        goals=budget.goals,
        labels="exact" if arm == "exact" else "self",
        guided=arm == "guided",
        seed=budget.seed,
    )


def compare_labels(lesson: Lesson) -> dict[str, Any]:
    """How far labels of bindings are from their exact costs, for each way to find them, where those are known.

    `backup` is the least over all successors of what the network says of them, rounded, where it is less than what
    random walks proved.
    """
    survey = survey_problems(lesson.domain, lesson.problems)
    origin = open_origin(lesson.plan(survey), "train")
    arities = {r.name: r.arity for r in origin.relations if not r.static}
    guide, rng = ModelGuide(lesson.folder / "second"), Random(lesson.seed)
    walks = SpaceCache(SpaceLimits(MOST_WALKED), ball=True, walks=rng)
    exact = SpaceCache(SpaceLimits(survey.states), ball=True)
    errors: dict[str, list[int | None]] = {"walks": [], "guided": [], "backup": []}
    for _ in range(TASKS):
        for task in origin.draw_tasks(rng, "train", walks)[:1]:
            view, (space, initial) = View(task.space, task.initial), exact.find(task.task)
            truth = View(space, initial)
            asked = []
            for _ in range(GOALS):
                query = task.draw_goal(rng)
                try:
                    costs = BindingCosts(view, task.statics, task.objects, query, MOST_BINDINGS)
                except LimitError:
                    continue
                asked.append(Asked(task, view, query, costs))
            for each, better in zip(asked, walk_to_goals(asked, guide, rng, arities), strict=True):
                true = each.costs.see_from(truth).costs
                known = np.flatnonzero(true > 0).tolist()
                for number in rng.sample(known, min(BINDINGS, len(known))):
                    bound = replace(each.query, binding=tuple(each.costs.bindings[number].tolist()))
                    first, second = int(each.costs.costs[number]), int(better.costs.costs[number])
                    backup = back_up(guide, task.statics, task.objects, view, bound, arities)
                    target = backup if first < 0 else first if backup is None else min(first, backup)
                    for name, value in (("walks", first), ("guided", second), ("backup", target)):
                        errors[name].append(None if value is None or value < 0 else value - int(true[number]))
    return {name: sum_up(found) for name, found in errors.items()}


def back_up(
    guide: ModelGuide, statics: Relations, objects: int, view: View, query: Query, arities: dict[str, int]
) -> int | None:
    """What a goal costs by the network's own values of the successors; None where there are none."""
    graph = view.space.forward
    edges = slice(int(graph.starts[view.state]), int(graph.starts[view.state + 1]))
    states = graph.targets[edges].tolist()
    costs = [1] * len(states) if graph.costs is None else graph.costs[edges].tolist()
    values = guide.predict(statics, objects, [(view.space.relations(s, arities), query) for s in states])
    return round(min(cost + max(0.0, value) for cost, value in zip(costs, values, strict=True))) if states else None


def sum_up(errors: Sequence[int | None]) -> dict[str, Any]:
    """How many labels there are, how many of them are right, too high and too low, and by how much on average."""
    known = [error for error in errors if error is not None]
    shares = {"right": 0, "high": 1, "low": -1}
    return {
        "bindings": len(errors),
        "labelled": len(known),
        **{name: sum(np.sign(e) == sign for e in known) / max(1, len(known)) for name, sign in shares.items()},
        "error": fmean(map(abs, known)) if known else 0.0,
    }


def describe(content: dict[str, Any]) -> str:
    """The page."""
    budget = content["budget"]
    length = f"{budget['steps']} steps" if budget["steps"] else f"{budget['minutes']:g} minutes"
    lines = [
        "# Labels without a search, beside exact ones",
        "",
        f"Each domain learned three times by `skolem learn` from the same {PROBLEMS} small problems, with {length} on "
        f"{'a GPU' if budget['device'] == 'cuda' else 'a CPU'} and up to {budget['pairs']:,} pairs, and measured on "
        f"{budget['goals']} goals of larger tasks: cost of the binding over V*, mean. Written by "
        f"`{content['command']}`.",
        "",
        "- exact: costs by search (`--labels exact`)",
        f"- walks: upper bounds by random walks that see up to {MOST_WALKED:,} states of a task",
        "- guided: the same, and walks that the networks so far guide to the goals (`--labels self`); the steps are "
        "shared among its three networks",
        "",
        "| domain | exact | walks | guided | guided - exact | random |",
        "|---|---|---|---|---|---|",
    ]
    for domain, runs in content["runs"].items():
        cells = [_show(runs.get(arm, {}).get("routes", {}).get("learned")) for arm in ARMS]
        lines.append(f"| {domain} | {' | '.join(cells)} | {_compare(runs)} | {_show(_find_random(runs))} |")
    full = [runs for runs in content["runs"].values() if len(runs) == len(ARMS)]
    if full:
        means = [fmean(runs[arm]["routes"]["learned"]["ratio"] for runs in full) for arm in ARMS]
        close = sum(_find_gap(runs) <= CLOSE for runs in full)
        lines += [
            f"| mean of {len(full)} | {' | '.join(f'{m:.3f}' for m in means)} | {means[2] - means[0]:+.3f} | |",
            "",
            f"Guided walks are within {CLOSE} of exact labels, or better, in {close} of {len(full)} domains.",
        ]
    lines += [
        "",
        "## How good the labels are",
        "",
        "Random bindings of random goals from initial states of training tasks, where the exact cost is known: how "
        "many have a label, how many of the labels are right and too low, and by how much they are off on average. "
        'The guide is the second of the three networks. "backup" is not used for training: the least over the '
        "successors of the network's own value, rounded, or the bound of random walks if that is less.",
        "",
        "| domain | labels | labelled | right | too low | mean error |",
        "|---|---|---|---|---|---|",
    ]
    for domain, found in content["labels"].items():
        for name, row in found.items():
            share = row["labelled"] / max(1, row["bindings"])
            lines.append(
                f"| {domain} | {name} | {share:.0%} of {row['bindings']} | {row['right']:.0%} | {row['low']:.0%} "
                f"| {row['error']:.2f} |"
            )
    return "\n".join(lines) + "\n"


def _show(route: dict[str, Any] | None) -> str:
    if route is None or route["ratio"] is None:
        return "" if route is None else f"reached none of {route['goals']}"
    missed = f" ({route['covered']} of {route['goals']})" if route["covered"] < route["goals"] else ""
    return f"{'at least ' * route['at_least']}{route['ratio']:.3f}{missed}"


def _find_random(runs: dict[str, Any]) -> dict[str, Any] | None:
    found: dict[str, Any] | None = next((run["routes"].get("random") for run in runs.values()), None)
    return found


def _find_gap(runs: dict[str, Any]) -> float:
    return float(runs["guided"]["routes"]["learned"]["ratio"] - runs["exact"]["routes"]["learned"]["ratio"])


def _compare(runs: dict[str, Any]) -> str:
    return f"{_find_gap(runs):+.3f}" if len(runs) == len(ARMS) else ""


if __name__ == "__main__":
    sys.exit(main())
