"""The page about labels without a search: gaps, means, and what is missing so far."""

from typing import Any

import pytest
from benchmarks.self_labels import describe, sum_up


def make_run(ratio: float, covered: int = 40) -> dict[str, Any]:
    route = {"goals": 40, "covered": covered, "ratio": ratio, "at_least": False}
    return {"routes": {"learned": route, "random": {**route, "ratio": 2.0, "at_least": True}}}


def test_the_page_compares_what_is_finished() -> None:
    runs = {
        "ferry": {"exact": make_run(1.05), "walks": make_run(1.2), "guided": make_run(1.07, covered=39)},
        "blocks": {"exact": make_run(1.1), "walks": make_run(1.3), "guided": make_run(1.2)},
        "gripper": {"exact": make_run(1.0)},
    }
    budget = {"device": "cpu", "steps": 500, "minutes": None, "pairs": 10_000, "goals": 40, "seed": 0}
    page = describe({"budget": budget, "command": "the command", "runs": runs, "labels": {}})
    assert "| ferry | 1.050 | 1.200 | 1.070 (39 of 40) | +0.020 | at least 2.000 |" in page
    assert "| gripper | 1.000 |  |  |  | at least 2.000 |" in page
    assert "| mean of 2 | 1.075 | 1.250 | 1.135 | +0.060 | |" in page
    assert "in 1 of 2 domains" in page


def test_labels_are_counted_by_how_far_off_they_are() -> None:
    found = sum_up([0, 0, 2, None, -1])
    assert (found["bindings"], found["labelled"]) == (5, 4)
    assert (found["right"], found["high"], found["low"]) == (0.5, 0.25, 0.25)
    assert found["error"] == pytest.approx(0.75)
