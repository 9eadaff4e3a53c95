"""The optimal test sets: which generated instances belong to them and what their goals cost.

A set is a small JSON file beside the code: numbers of instances of the generator, their exact costs, and a
checksum over the problem texts, so that a changed generator cannot pass for the published set.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from skolem.families.registry import Instance, generate_problem
from skolem.families.suite.registry import SUITE, generate_suite_problem
from skolem.oracle.costs import OPTIMAL_PLANNER, Oracle
from skolem.oracle.space import SpaceLimits
from skolem.pddl.reading import read_task_text
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import Limits
from skolem.planning.rewriting import Rewriter
from skolem.support.errors import InputError, LimitError, Place
from skolem.support.files import write_text
from skolem.support.parallel import run_parallel
from skolem.task.constraints.candidates import solve_static
from skolem.task.goals import ground_goal
from skolem.task.model import Source, Task
from skolem.task.query import Query

TEST_SEED = 2024
COUNT = 500
LIMITS = Limits(seconds=900.0, memory_mb=8000)
GROUND_PLANNERS = ("astar(ipdb())", OPTIMAL_PLANNER)
"""Pattern databases are by far the fastest where many objects must be moved; the other is for what they refuse."""
GROUND_LIMITS = Limits(seconds=600.0, memory_mb=8000)
"""Of each planner for a goal without variables."""
SHARED_SPACES = ("blocks", "gripper")
"""Domains in which all instances of a set have one of a few state spaces; others have one of their own each."""
BLOCK = 50
"""Instances are labelled in blocks of this many, so that every number of workers gives the same set."""


class GeneratedTask(Protocol):
    """A task of the families or of the suite, and where it came from."""

    @property
    def family(self) -> str: ...
    @property
    def neq(self) -> bool: ...
    @property
    def index(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def variables(self) -> int: ...
    @property
    def domain_text(self) -> str: ...
    @property
    def problem_text(self) -> str: ...


@dataclass(frozen=True)
class TestSet:
    """Instances of a family in one setting, with the exact cost of each goal."""

    __test__ = False  # not a test case of pytest

    family: str
    neq: bool
    seed: int
    indices: tuple[int, ...]
    variables: tuple[int, ...]
    costs: tuple[int, ...]
    sha256: str

    def instances(self, count: int | None = None) -> list[Instance]:
        """The first `count` instances; an InputError if the generator no longer makes the published texts."""
        made = [generate_problem(self.family, "optimal", self.seed, i, neq=self.neq) for i in self.indices]
        if hash_texts(made) != self.sha256:
            raise InputError(
                f"the generator of {self.family} no longer gives the published optimal set: build it again"
            )
        return made[:count]


def load_optimal_set(family: str, neq: bool) -> TestSet:
    """The published optimal set of a family in one setting."""
    resource = files("skolem.evaluation") / "sets" / name_set(family, neq)
    try:
        content: dict[str, Any] = json.loads(resource.read_text(encoding="utf-8"))
        content |= {key: tuple(content[key]) for key in ("indices", "variables", "costs")}
        return TestSet(**content)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a readable test set ({error})", Place(str(resource))) from error


def build_optimal_set(
    family: str,
    neq: bool,
    count: int = COUNT,
    jobs: int = 1,
    backend: str = "loky",
    report: Callable[[int], None] = lambda done: None,
) -> TestSet:
    """The first `count` instances that are reachable, false at the start and no repetition of an earlier one."""
    kept: list[tuple[Instance, int]] = []
    seen: set[str] = set()
    for block in _blocks():
        instances = [generate_problem(family, "optimal", TEST_SEED, i, neq=neq) for i in block]
        fresh = []
        for instance in instances:
            content = instance.problem_text.split("\n", 1)[1]  # the first line holds the instance's name
            if content not in seen:
                seen.add(content)
                fresh.append(instance)
        for instance, cost in zip(fresh, run_parallel(find_cost, fresh, jobs, backend), strict=True):
            if cost is not None and cost > 0 and len(kept) < count:
                kept.append((instance, cost))
        report(len(kept))
        if len(kept) == count:
            break
    return TestSet(
        family=family,
        neq=neq,
        seed=TEST_SEED,
        indices=tuple(i.index for i, _ in kept),
        variables=tuple(i.variables for i, _ in kept),
        costs=tuple(cost for _, cost in kept),
        sha256=hash_texts([i for i, _ in kept]),
    )


def save_optimal_set(test_set: TestSet, folder: Path) -> None:
    """Writes a set's file into a folder."""
    write_text(folder / name_set(test_set.family, test_set.neq), json.dumps(asdict(test_set)) + "\n")


def name_set(family: str, neq: bool) -> str:
    """The file of a set."""
    return f"optimal-{family}{'-neq' * neq}.json"


def find_cost(instance: Instance) -> int | None:
    """The exact cost of an instance's goal, None if it is unreachable; a LimitError if that cannot be decided."""
    return find_exact_cost(read_instance(instance))


def find_exact_cost(task: Task, query: Query | None = None) -> int | None:
    """The exact cost of a task's goal, or of it with variables bound; None if it is unreachable."""
    if query is not None and not query.unbound:
        return find_ground_cost(task, query)
    # Over all states, goals with many variables that must differ are much slower than planning for them.
    result = open_oracle().find_cost_by_planner(task, query)
    if result.status == "limit":
        raise LimitError(f"the exact cost of {task.name} was not found: {result.message}")
    return result.cost


def find_ground_cost(task: Task, query: Query) -> int | None:
    """The exact cost of a goal all of whose variables are bound; None if it is unreachable."""
    if task.domain.name in SHARED_SPACES:
        return open_oracle().find_cost_in_space(task, query).cost
    rewriting = Rewriter(task).finish(ground_goal(task, task.name_binding(query.binding)))
    messages = []
    for planner in GROUND_PLANNERS:
        result = run_planner(rewriting.domain_text, rewriting.problem_text, planner, GROUND_LIMITS)
        if result.status in ("solved", "unsolvable"):
            return result.cost
        messages.append(result.message)
    raise LimitError(f"the exact cost of a binding of {task.name} was not found: {'; '.join(messages)}")


def bind_query(task: Task, binding: Mapping[str, str]) -> Query | None:
    """The goal with all its variables bound; None if that violates its static part."""
    query = task.query
    for i, variable in enumerate(task.goal.variables):
        query = query.bind(i, task.index[binding[variable.name]])
    return None if solve_static(query, task.statics, len(task.objects)) is None else query


def find_bound_cost(task: Task, binding: Mapping[str, str]) -> tuple[bool, int | None]:
    """Whether a complete binding is statically valid, and its exact cost (None if it is unreachable)."""
    query = bind_query(task, binding)
    return (False, None) if query is None else (True, find_exact_cost(task, query))


@cache
def open_oracle() -> Oracle:
    """The oracle of this process, which keeps its spaces."""
    return Oracle(SpaceLimits(1_000_000), LIMITS)


def read_instance(instance: GeneratedTask) -> Task:
    """The task of an instance."""
    domain, problem = Source(f"{instance.family}.pddl", instance.domain_text), instance.problem_text
    return read_task_text(domain, Source(f"{instance.name}.pddl", problem))


def hash_texts(instances: Sequence[GeneratedTask]) -> str:
    """One checksum over the problem texts of instances."""
    digest = hashlib.sha256()
    for instance in instances:
        digest.update(instance.problem_text.encode("utf-8"))
    return digest.hexdigest()


def make_sample(family: str) -> GeneratedTask:
    """A small task of a family or of a domain of the suite."""
    if family in SUITE:
        return generate_suite_problem(family, "train", 0, 0)
    return generate_problem(family, "train", 0, 0)


def _blocks() -> Iterator[range]:
    start = 0
    while True:
        yield range(start, start + BLOCK)
        start += BLOCK
