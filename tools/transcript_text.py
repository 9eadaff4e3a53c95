"""What a call printed without what differs from one run to the next: times, rates, paths and versions."""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

CLOCK = "#"
"""What stands for a figure that depends on the clock or on the machine."""

_TIMED_KEY = re.compile(r"times|seconds|stages|memory|speedup\w*|(\w+_)?time")
_WAY_THERE = re.compile(r"^.*: (\d+)/(?!\1 )\d+ \w+, [\d,]+ \w+/s.*\n", re.MULTILINE)
"""A line of progress before the last one: how many there are depends on the speed."""
_RULES = (
    (re.compile(r"\b\d[\d,]*(?:\.\d+)? (s left|s\b|\w+/s\b)"), rf"{CLOCK} \1"),
    # Python releases differ in whether they quote the choices.
    (re.compile(r"\(choose from (.*)\)"), lambda found: f"(choose from {found[1]})".replace("'", "")),
    (re.compile(r"(Traceback \(most recent call last\):\n)(?:  .*\n)+"), r"\1"),
    (re.compile(r"(\d\.\d{4})\d+"), r"\1"),
    (re.compile(rf"  +{CLOCK}"), f" {CLOCK}"),
    (re.compile(r" +$", re.MULTILINE), ""),
)
_DECIMAL = re.compile(r"\d+\.\d+(?:e-?\d+)?")
_TOLERANCE = 2e-3
"""Networks give slightly other values on other processors."""


def normalise(text: str, paths: Mapping[str, str], hide: Iterable[str] = ()) -> list[str]:
    """The lines of a text; one that is a single JSON value is spread over lines."""
    for path, name in paths.items():
        text = text.replace(path, name)
    for pattern in hide:
        text = re.sub(pattern, _hide_group, text, flags=re.MULTILINE)
    with suppress(ValueError):
        return json.dumps(_hide_times(json.loads(text)), indent=1, ensure_ascii=False).splitlines()
    text = _WAY_THERE.sub("", text)
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    return text.splitlines()


def are_alike(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two texts are the same but for small differences between decimal numbers."""
    first, second = "\n".join(one), "\n".join(other)
    if _DECIMAL.sub("", first) != _DECIMAL.sub("", second):
        return False
    pairs = zip(_DECIMAL.findall(first), _DECIMAL.findall(second), strict=True)
    return all(abs(float(a) - float(b)) <= _TOLERANCE * max(1.0, abs(float(a))) for a, b in pairs)


def _hide_group(found: re.Match[str]) -> str:
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + CLOCK + found[0][end:]


def _hide_times(value: Any, timed: bool = False) -> Any:
    if isinstance(value, dict):
        return {
            key: _hide_times(inner, key != "count" and (timed or _TIMED_KEY.fullmatch(key) is not None))
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_hide_times(inner, timed) for inner in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if timed:
        return CLOCK
    return round(value, 4) if isinstance(value, float) else value
