"""Engines are compared task by task, in any order."""

from tools.compare_engines import KINDS, compare, summarise

from skolem.evaluation.store import Record


def make_record(number: int, **native: object) -> Record:
    """A record of a task on which NumPy agrees."""
    agrees = {"same": True, "apart": 1e-6}
    engines = {"native": {**agrees, **native}, "numpy": agrees}
    return {"task": number, "family": "gripper", "way": "beam of 4", "engines": engines}


def test_a_task_is_the_same_whenever_it_is_compared() -> None:
    first, second = compare((0, 0)), compare((0, 20))
    assert [compare((0, 20)), compare((0, 0))] == [second, first]
    assert summarise([first, second])["same"].keys() == set(KINDS)
    assert all(own["same"] and own["same_plan"] for own in first["engines"].values())


def test_what_differs_is_told() -> None:
    records = [make_record(0, same_plan=False), make_record(1, same=False), make_record(2, apart=0.5)]
    summary = summarise(records)
    assert summary["ways"] == {"beam of 4": 3}
    assert summary["same"]["native"] == {"bindings": 2, "plans": 0, "largest": 0.5}
    assert summary["same"]["numpy"] == {"bindings": 3, "plans": 0, "largest": 1e-6}
    assert [(found["kind"], found["task"], found["way"]) for found in summary["differing"]] == [
        ("native", 0, "policy"),
        ("native", 1, "beam of 4"),
        ("native", 2, "beam of 4"),
    ]
