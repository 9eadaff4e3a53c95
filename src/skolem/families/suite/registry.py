"""The domains of the suite by name, read when they are asked for, and their problems.

The same arguments always give the same text. Problems to learn from and problems to test on have random streams of
their own, and sizes of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from skolem.families.registry import open_stream
from skolem.families.suite import NAMES
from skolem.families.suite.domain import SuiteDomain
from skolem.pddl.reading import read_task_text
from skolem.support.errors import InputError
from skolem.task.formulas import Exists, list_parts
from skolem.task.model import Source

SETS = ("train", "test")


class _Suite(Mapping[str, SuiteDomain]):
    """The domains; the module of one is imported when it is asked for."""

    def __getitem__(self, name: str) -> SuiteDomain:
        if name not in NAMES:
            raise KeyError(name)
        domain: SuiteDomain = import_module(f"skolem.families.suite.{name}").DOMAIN
        return domain

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


SUITE: Mapping[str, SuiteDomain] = _Suite()


@dataclass(frozen=True)
class SuiteInstance:
    """A problem of the suite, and where it came from."""

    family: str
    set: str
    seed: int
    index: int
    size: int
    problem_text: str
    neq: bool = False
    """Inequality is a matter of each goal here, not of the set."""

    @property
    def name(self) -> str:
        """A name that tells the instance from all others of the suite."""
        return f"{self.family}-{self.set}-{self.seed}-{self.index}"

    @property
    def domain_text(self) -> str:
        """The PDDL domain."""
        return SUITE[self.family].domain

    @cached_property
    def variables(self) -> int:
        """How many variables the goal's existential quantifiers have."""
        task = read_task_text(Source(f"{self.family}.pddl", self.domain_text), Source(self.name, self.problem_text))
        return sum(len(part.variables) for part in list_parts(task.goal.formula) if isinstance(part, Exists))


def generate_suite_problem(name: str, set_: str, seed: int, index: int, *, size: int | None = None) -> SuiteInstance:
    """The instance with that number in a set; without a size the sizes of the set take turns."""
    domain = find_suite_domain(name)
    sizes = domain.learning_sizes if set_ == "train" else domain.test_sizes
    smallest = min(domain.learning_sizes)
    if size is not None and size < smallest:
        raise InputError(f"no {name} task of size {size}: the smallest is {smallest}")
    size = sizes[index % len(sizes)] if size is None else size
    text = domain.draw_problem(size, open_stream("suite", name, set_, seed, index))
    return SuiteInstance(name, set_, seed, index, size, text)


def find_suite_domain(name: str) -> SuiteDomain:
    """The domain of that name; an InputError that lists the domains if there is none."""
    if name not in NAMES:
        raise InputError(f"unknown domain {name}: expected one of {', '.join(NAMES)}")
    return SUITE[name]
