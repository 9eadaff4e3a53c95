"""The public suite: domains that researchers know, written anew, with problems whose goals describe objects."""

NAMES = (
    "ferry",
    "logistics",
    "miconic",
    "rovers",
    "satellite",
    "childsnack",
    "spanner",
    "transport",
    "depots",
    "barman",
    "floortile",
    "sokoban",
)
"""The domains; their modules are imported when they are asked for."""
