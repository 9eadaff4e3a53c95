"""Who else can use it? Other libraries and programs that Skolem works for."""

from typing import Any


def register(environment: Any = None) -> None:
    """Makes the engines known to unified-planning: to one of its environments, else to the global one."""
    from skolem.integrations.unified_planning.registration import register_engines

    register_engines(environment)
