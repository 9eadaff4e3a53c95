"""Skolem grounds existentially quantified planning goals: it finds the objects, then plans.

>>> import skolem
>>> skolem.plan("examples/blocks/domain.pddl", "examples/blocks/tower.pddl").cost
9

Everything here is imported when it is first used, so that `import skolem` takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skolem.api.calls import candidates, draw, explain, ground, learn, load_model, plan, read, validate
    from skolem.api.results import Solution, Task
    from skolem.support.errors import SkolemError

__all__ = [
    "SkolemError",
    "Solution",
    "Task",
    "candidates",
    "draw",
    "explain",
    "ground",
    "learn",
    "load_model",
    "plan",
    "read",
    "validate",
]
__version__ = "0.2.0"

_HOMES = {"SkolemError": "skolem.support.errors", "Solution": "skolem.api.results", "Task": "skolem.api.results"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'skolem' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "skolem.api.calls")), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
