"""The test sets of the suite: the first problems of each domain, with V* where an optimal planner found it.

A set is a small JSON file beside the code, as those of the families are; a checksum over the problem texts keeps a
changed generator from passing for the published set.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from skolem.evaluation.routes import OPTIMAL_PLANNERS
from skolem.evaluation.test_sets import TEST_SEED, hash_texts, read_instance
from skolem.families.suite.registry import SuiteInstance, generate_suite_problem
from skolem.planning.exact import plan_exact
from skolem.planning.limits import Limits
from skolem.support.errors import InputError, Place
from skolem.support.files import write_text
from skolem.support.parallel import run_parallel

COUNT = 30
LIMITS = Limits(seconds=60.0, memory_mb=4000)
"""Of each planner."""


@dataclass(frozen=True)
class SuiteSet:
    """The first problems of a domain's test set, with the exact cost of each goal; None where it was not found."""

    family: str
    seed: int
    costs: tuple[int | None, ...]
    sha256: str

    def instances(self) -> list[SuiteInstance]:
        """The instances; an InputError if the generator no longer makes the published texts."""
        made = [generate_suite_problem(self.family, "test", self.seed, i) for i in range(len(self.costs))]
        if hash_texts(made) != self.sha256:
            raise InputError(f"the generator of {self.family} no longer gives the published test set: build it again")
        return made


@cache
def load_suite_set(family: str) -> SuiteSet:
    """The published test set of a domain."""
    resource = files("skolem.evaluation") / "sets" / name_set(family)
    try:
        content: dict[str, Any] = json.loads(resource.read_text(encoding="utf-8"))
        return SuiteSet(**{**content, "costs": tuple(content["costs"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a readable test set ({error})", Place(str(resource))) from error


def build_suite_set(
    family: str, count: int = COUNT, jobs: int = 1, report: Callable[[int], None] = lambda done: None
) -> SuiteSet:
    """The set with the costs that can be found."""
    made = [generate_suite_problem(family, "test", TEST_SEED, index) for index in range(count)]
    costs = run_parallel(find_optimum, made, jobs, report=report)
    return SuiteSet(family, TEST_SEED, tuple(costs), hash_texts(made))


def save_suite_set(made: SuiteSet, folder: Path) -> None:
    """Writes a set's file into a folder."""
    write_text(folder / name_set(made.family), json.dumps(asdict(made)) + "\n")


def name_set(family: str) -> str:
    """The file of a set."""
    return f"suite-{family}.json"


def find_optimum(instance: SuiteInstance) -> int | None:
    """V* of an instance's goal, None if no planner finds it within the limits."""
    task = read_instance(instance)
    for planner in OPTIMAL_PLANNERS:
        result = plan_exact(task, "end", planner, LIMITS)
        if result.status == "solved":
            return result.cost
    return None
