"""Every route is measured on one instance in a process of its own, and whatever happens there becomes a record."""

import os
import signal
import time
from dataclasses import replace
from typing import Any

import pytest

from skolem.evaluation import routes
from skolem.evaluation.comparison import find_outcome
from skolem.evaluation.routes import ROUTES, Settings, Spec, Trial, run_trial
from skolem.families.registry import Instance
from skolem.planning.fast_downward import PlannerResult
from skolem.planning.limits import Clock, Limits
from skolem.request import Request
from skolem.support.errors import ExitCode

SETTINGS = Settings(Request(limits=Limits(30.0, 4000)))
SPEC = Spec("gripper", True, 0, size=9, variables=2)


def run(route: str, spec: Spec = SPEC, settings: Settings = SETTINGS) -> dict[str, Any]:
    return run_trial(Trial("lama", spec, route, settings))


def test_all_routes_solve_a_small_instance() -> None:
    records = {route: run(route) for route in ROUTES if route != "lama-anytime"}
    assert {record["status"] for record in records.values()} == {"solved"}
    optimum = records["v-star"]["cost"]
    assert records["lama"]["cost"] >= optimum
    assert records["learned"]["valid"]
    assert records["learned"]["binding"].keys() == {"?x1", "?x2"}
    assert all(record["cost"] >= optimum for record in records.values())
    assert all(find_outcome(record) for record in records.values())
    for route, record in records.items():
        assert 1 <= record["candidate_bindings"] < record["bindings"] == 9**2, route
        assert record["memory"] > 0, route
        assert record["times"]["total"] >= record["times"].get("plan", 0.0), route


def test_a_limit_is_a_reason() -> None:
    record = run("lama", replace(SPEC, size=40, variables=6), Settings(Request(limits=Limits(0.5, 4000))))
    assert (record["status"], record["cost"]) == ("unsolved", None)
    assert "out of time" in record["reason"]
    assert find_outcome(record) is not None


def fail(trial: Trial, instance: Instance, clock: Clock) -> dict[str, Any]:
    raise ZeroDivisionError("oh")


def die(trial: Trial, instance: Instance, clock: Clock) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def hang(trial: Trial, instance: Instance, clock: Clock) -> dict[str, Any]:
    time.sleep(60)
    return {}


@pytest.mark.parametrize(
    ("route", "reason", "explained"),
    [(fail, "ZeroDivisionError", False), (die, "SIGKILL", False), (hang, "time limit", True)],
)
def test_no_failure_ends_the_evaluation(
    monkeypatch: pytest.MonkeyPatch, route: Any, reason: str, explained: bool
) -> None:
    monkeypatch.setattr(routes, "ROUTES", {"end": route})
    monkeypatch.setattr(routes, "GUARD_SECONDS", 0.0)
    limits = Limits(0.2 if route is hang else 30.0, None)
    record = run("end", settings=Settings(Request(limits=limits)))
    assert record["cost"] is None
    assert reason in record["reason"]
    assert (find_outcome(record) is not None) == explained


def test_an_invalid_plan_is_not_counted() -> None:
    result = PlannerResult("solved", ("(move room-a room-b)",), 1, ExitCode.SUCCESS, 0.1, "")
    record = routes._judge(SPEC.make(), result, {"total": 0.1})
    assert (record["status"], record["cost"]) == ("error", None)
    assert "not valid" in record["reason"]


def test_keys_tell_apart_what_may_give_other_results() -> None:
    trial = Trial("lama", SPEC, "random-valid", SETTINGS)
    other_seed = Settings(replace(SETTINGS.request, seed=1))
    other_limit = Settings(replace(SETTINGS.request, limits=Limits(60.0)))
    others = [
        replace(trial, route="learned"),
        replace(trial, spec=replace(SPEC, neq=False)),
        replace(trial, settings=other_seed),
        replace(trial, settings=other_limit),
        replace(trial, group="scaling-size"),
    ]
    assert len({t.key for t in (trial, *others)}) == 6
    assert replace(trial, settings=Settings(SETTINGS.request, jobs=4)).key == trial.key
    # What does not read the seed does not depend on it.
    assert replace(trial, route="end", settings=other_seed).key == replace(trial, route="end").key
