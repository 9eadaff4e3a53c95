"""How fast are state spaces grounded and expanded, beside those of pymimir?

Run from the root of the repository: `python -m benchmarks.expansion`. Times are CPU seconds, the best of three.
"""

import re
import time
from collections.abc import Callable
from functools import partial

import pymimir

from skolem.families.registry import generate_problem
from skolem.oracle.costs import expand_task
from skolem.oracle.space import SpaceLimits
from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task

CASES = (("blocks", 7), ("gripper", 11), ("visitall", 16), ("delivery", 12), ("delivery", 16))
ROUNDS = 3


def main() -> None:
    print("| family | objects | states | pymimir, states/s | skolem, states/s | ratio |\n|---|---|---|---|---|---|")
    for family, size in CASES:
        instance = generate_problem(family, "train", 1, 0, size=size)
        texts = (Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))
        task = read_task_text(*texts)
        states, seconds = measure(partial(expand_whole, task))
        peers, peer_seconds = measure(partial(expand_with_mimir, task))
        assert states == peers, "both must reach the same number of states"
        own, peer = states / seconds, states / peer_seconds
        print(f"| {family} | {len(task.objects)} | {states:,} | {peer:,.0f} | {own:,.0f} | {own / peer:.1f} |")


def expand_whole(task: Task) -> int:
    """The number of states in the state space of a task."""
    return len(expand_task(task, SpaceLimits()))


def measure(expand: Callable[[], int]) -> tuple[int, float]:
    """The number of states and the least CPU time of some rounds."""
    states, best = 0, float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        states = expand()
        best = min(best, time.process_time() - start)
    return states, best


def expand_with_mimir(task: Task) -> int:
    """The number of states in pymimir's own state space, which is labelled with distances, too."""
    start, end = task.goal_span
    texts = (task.domain.source.text, f"{task.source.text[:start]}(:goal (and)){task.source.text[end:]}")
    domain, problem = (re.sub(";.*", "", text).strip() for text in texts)
    space = pymimir.StateSpaceSampler.new(pymimir.Problem(pymimir.Domain(domain), problem))
    return int(space.num_states())


if __name__ == "__main__":
    main()
