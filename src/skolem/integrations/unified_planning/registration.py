"""The engines made known to unified-planning, by one call; `up.ini` can do the same."""

from typing import Any

from unified_planning.shortcuts import get_environment

NAME = "skolem"
COMPILER = "skolem-compiler"
_MODULE = "skolem.integrations.unified_planning"


def register_engines(environment: Any = None) -> None:
    """Adds the planner `skolem`, the compiler `skolem-compiler` and `skolem[...]` over every one-shot planner.

    >>> from unified_planning.environment import Environment
    >>> environment = Environment()
    >>> register_engines(environment)
    >>> [name for name in environment.factory.engines if name.startswith("skolem")][:3]
    ['skolem', 'skolem-compiler', 'skolem[fast-downward]']
    """
    factory = (environment or get_environment()).factory
    if NAME not in factory.engines:
        factory.add_engine(NAME, _MODULE, "SkolemPlanner")
        factory.add_engine(COMPILER, _MODULE, "SkolemCompiler")
        factory.add_meta_engine(NAME, _MODULE, "SkolemMetaEngine")
