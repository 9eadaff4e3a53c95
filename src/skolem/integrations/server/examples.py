"""Example tasks, one click away on the page: those of the project's folder of examples."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

TASKS = Path(__file__).parent / "tasks"
_SHOWN = (
    ("blocks/tower", "A tower of described blocks"),
    ("gripper/rooms", "Described balls into rooms"),
    ("delivery/parking", "Packages to described cells"),
    ("visitall/tour", "A tour of coloured cells"),
    ("household/breakfast", "Breakfast: types, costs, nested exists"),
    ("colouring/map", "A map coloured by its goal alone"),
    ("colouring/clique", "A clique: three colours do not do"),
)


@dataclass(frozen=True)
class Example:
    """A task with a title and a few words on it."""

    name: str
    title: str
    words: str
    domain: str
    problem: str


@cache
def list_examples() -> tuple[Example, ...]:
    """The example tasks in the order in which they are shown."""
    return tuple(_read_example(name, title) for name, title in _SHOWN)


def _read_example(name: str, title: str) -> Example:
    problem = (TASKS / f"{name}.pddl").read_text(encoding="utf-8")
    domain = (TASKS / name).parent.joinpath("domain.pddl").read_text(encoding="utf-8")
    words = []
    for line in problem.splitlines():
        if not line.startswith(";") or not line.strip("; "):
            break
        words.append(line.strip("; "))
    return Example(name, title, " ".join(words), domain, problem)
