"""Records as an evaluation of large instances stores them, without running anything."""

from typing import Any

from skolem.support.errors import ExitCode

Record = dict[str, Any]


def make_record(route: str, cost: int | None, seconds: float = 1.0, index: int = 0, **others: Any) -> Record:
    """The record of a route that found a plan of some cost, or ran out of time."""
    solved = cost is not None
    return {
        "group": "lama",
        "family": "gripper",
        "neq": False,
        "index": index,
        "size": 20,
        "variables": 4,
        "bindings": 160_000,
        "candidate_bindings": 900,
        "task": f"task{index}",
        "route": route,
        "status": "solved" if solved else "unsolved",
        "exit_code": int(ExitCode.SUCCESS if solved else ExitCode.SEARCH_OUT_OF_TIME),
        "cost": cost,
        "valid": True,
        "reason": "" if solved else "the search ran out of time (60 s)",
        "times": {"read": 0.0, "ground": 0.5, "plan": seconds - 0.5, "total": seconds},
        "memory": 100,
        "limit": 60.0,
        "version": "0.1.0",
        **others,
    }


def make_table() -> list[Record]:
    """Four instances on which the routes differ."""
    costs: dict[str, list[int | None]] = {
        "learned": [4, 6, 5, None],
        "auto": [4, 6, 5, 9],
        "lama": [4, 5, None, 8],
        "bind-axiom": [6, 6, 7, 9],
        "end": [4, 6, 5, None],
        "miniscope": [4, 5, 6, 8],
        "v-star": [4, 5, 5, None],
    }
    seconds = {"learned": 1.0, "auto": 1.5, "lama": 10.0, "bind-axiom": 0.5, "end": 2.0, "miniscope": 3.0}
    return [
        make_record(route, cost, seconds.get(route, 1.0), index)
        for route, found in costs.items()
        for index, cost in enumerate(found)
    ]
