"""The LAMA table: the order of its trials, and runs that are stopped, killed and continued."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.evaluation.records import make_record, make_table

from skolem.cli import main
from skolem.evaluation import routes
from skolem.evaluation.configurations import Selection
from skolem.evaluation.lama import describe, list_trials, summarise
from skolem.evaluation.paper import LAMA
from skolem.evaluation.routes import Settings, Trial, run_trials
from skolem.evaluation.store import Runner, Store
from skolem.planning.limits import Limits
from skolem.request import Request

REQUEST = Request(limits=Limits(60.0, 4000))
FAMILIES = ("blocks", "visitall")


def pretend(trial: Trial) -> dict[str, Any]:
    """A record that depends on the trial alone."""
    instance = trial.spec.make()
    cost = 3 + len(trial.route) + trial.spec.index
    place = {"family": instance.family, "neq": instance.neq, "task": instance.name}
    return make_record(trial.route, cost, 1.0 + cost / 10, trial.spec.index, **place)


def plan(count: int, peers_count: int, *chosen: str) -> list[Trial]:
    selection = Selection("lama", (REQUEST,), FAMILIES, True, count, peers_count, chosen or None)
    return list_trials(selection, Settings(REQUEST))


def test_the_most_telling_routes_come_first_and_cells_in_turn() -> None:
    trials = plan(5, 4)
    assert [t.route for t in trials[:3]] == ["learned", "bind-axiom", "auto"]
    assert [(t.spec.family, t.spec.index) for t in trials[:9:3]] == [("blocks", 0), ("visitall", 0), ("blocks", 1)]
    assert [t.route for t in trials[30:38]] == ["lama"] * 8
    assert {t.route for t in trials[-8:]} == {"lama-anytime"}
    assert sum(t.route == "unified-planning" for t in trials) == 2 * 3


def test_only_the_routes_asked_for_are_tried() -> None:
    trials = plan(2, 2, "end", "lama")
    assert [t.route for t in trials] == ["lama"] * 4 + ["end"] * 4


def test_cells_have_the_keys_of_the_contract() -> None:
    (cell,) = summarise(make_table())
    found = describe(cell)
    assert {"family", "neq", "count", "coverage", "validity", "v_lama", "ratio", "speedup", "peers"} <= found.keys()
    assert (found["family"], found["count"], found["coverage"]) == ("gripper", 4, 0.75)
    assert found["peers"]["bind-axiom"]["coverage"]["value"] == 1.0
    assert json.loads(json.dumps(found)) == found
    assert (found["family"], found["neq"]) in LAMA


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0.0, 1.0))
def test_a_run_cut_off_anywhere_ends_with_the_same_tables(
    cut: float, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "run_trial", pretend)
    path = tmp_path_factory.mktemp("store") / "lama.jsonl"
    trials = plan(3, 2, "bind-axiom", "end", "lama", "v-star")
    store = Store(path)
    whole = run_trials("lama", trials, Runner(store))
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content))])
    again = Store(path)
    continued = run_trials("lama", trials, Runner(again))
    again.close()
    assert [describe(cell) for cell in summarise(continued)] == [describe(cell) for cell in summarise(whole)]


def test_a_killed_evaluation_continues_with_what_it_had(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lama.jsonl"
    options = ["evaluate", "lama", "--family", "blocks-c", "--no-neq", "--count", "3", "--route", "end", "--jobs", "1"]
    options += ["--store", str(path), "--json", "-q"]
    killed = subprocess.Popen([sys.executable, "-m", "skolem.cli", *options], start_new_session=True)
    while killed.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") >= 2):
        time.sleep(0.02)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    before = path.read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    assert main(options) == 0
    assert path.read_bytes().startswith(before)
    (cell,) = json.loads(capsys.readouterr().out)
    assert cell["peers"]["end"]["coverage"] == {"value": 1.0, "interval": [1.0, 1.0], "count": 3}
    assert main(options) == 0
    assert json.loads(capsys.readouterr().out) == [cell]
