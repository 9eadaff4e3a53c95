"""lama-first once more on what it did not solve: which tasks, and runs that go on where they were stopped."""

from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.records import make_record

from skolem.evaluation import routes
from skolem.evaluation.configurations import Selection
from skolem.evaluation.paper import AUTHORS_LIMITS
from skolem.evaluation.routes import Spec, Trial, hash_text
from skolem.evaluation.store import Runner, Store
from skolem.evaluation.unsolved import (
    choose_rows,
    describe,
    measure,
    spell_commands,
    spell_limits,
    summarise,
    tabulate,
    tabulate_beside,
)
from skolem.request import Request
from skolem.support.errors import InputError

SELECTION = Selection("unsolved", (Request("learned", limits=AUTHORS_LIMITS),))


def make_unsolved(family: str, neq: bool, index: int, cost: int | None = None) -> dict[str, Any]:
    task = hash_text(Spec(family, neq, index).make().problem_text)
    return make_record("lama", cost, 60.0, index, family=family, neq=neq, task=task)


RECORDS = [
    *(make_unsolved("visitall", True, index) for index in (7, 3)),
    *(make_unsolved("blocks", False, index) for index in (5, 4)),
    make_unsolved("gripper", False, 0, cost=4),
]


def fill(path: Path) -> Store:
    store = Store(path)
    for number, record in enumerate(RECORDS):
        store.add(str(number), record)
    return store


def test_the_first_of_every_cell_come_first_whatever_their_order_in_the_store() -> None:
    chosen = [(row["lama"]["family"], row["lama"]["index"]) for row in choose_rows(RECORDS)]
    assert chosen == [("blocks", 4), ("visitall", 3), ("blocks", 5), ("visitall", 7)]
    assert choose_rows(RECORDS[::-1], 3) == choose_rows(RECORDS)[:3]


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def pretend(trial: Trial) -> dict[str, Any]:
        if len(tried) == 2:
            raise KeyboardInterrupt
        tried.append(trial.spec.family)
        assert trial.settings.request.limits == AUTHORS_LIMITS
        task = hash_text(trial.spec.make().problem_text)
        place = {"group": "unsolved", "family": trial.spec.family, "neq": trial.spec.neq, "task": task}
        return make_record("lama", 9, 700.0, trial.spec.index, limit=1800.0, memory_limit=8192, **place)

    monkeypatch.setattr(routes, "run_trial", pretend)
    store = fill(tmp_path / "lama.jsonl")
    with pytest.raises(KeyboardInterrupt):
        measure(SELECTION, Runner(store))
    store.close()
    assert tried == ["blocks", "visitall"]
    tried.clear()
    monkeypatch.setattr(routes, "run_trial", lambda trial: pretend(trial))
    again = Store(tmp_path / "lama.jsonl")
    records = measure(SELECTION, Runner(again))
    again.close()
    assert [record["family"] for record in records] == ["blocks", "visitall", "blocks", "visitall"]
    assert tried == ["blocks", "visitall"]
    cells = summarise(records)
    assert [describe(cell)["seconds"] for cell in cells] == [700.0] * 4
    assert [row[4] for row in tabulate(cells)[0].rows] == ["9"] * 4


def test_the_page_names_the_tasks_before_they_are_measured() -> None:
    plan = make_record("auto", 3, 0.5, 4, task=RECORDS[3]["task"], family="blocks")
    table = tabulate_beside([*RECORDS, plan])
    first = dict(zip(table.columns, table.rows[0], strict=True))
    assert (first["family"], first["instance"], first["lama-first before"]) == ("blocks", "4", "out of time")
    assert (first["lama-first with more"], first["plan's cost"]) == ("not measured", "3")
    later = {**RECORDS[3], "group": "unsolved", "status": "solved", "exit_code": 0, "cost": 12, "reason": ""}
    measured = dict(zip(table.columns, tabulate_beside([*RECORDS, later]).rows[0], strict=True))
    assert (measured["lama-first with more"], measured["cost"]) == ("solved", "12")


def test_the_page_tells_the_limits_that_were_measured_with() -> None:
    assert spell_limits(RECORDS) == "30 minutes and 8 GB"
    assert spell_commands(RECORDS)[0].endswith("--time-limit 1800 --memory-limit 8192 --jobs 1")
    shorter = {**RECORDS[0], "group": "unsolved", "limit": 1500.0, "memory_limit": 8192, "jobs": 10}
    assert spell_limits([*RECORDS, shorter]) == "25 minutes and 8 GB"
    assert spell_commands([*RECORDS, shorter])[0].endswith("--time-limit 1500 --memory-limit 8192 --jobs 10")


def test_nothing_to_try_and_tasks_that_changed_are_errors() -> None:
    with pytest.raises(InputError, match="no task of the LAMA sets"):
        measure(SELECTION, Runner())
    store = Store()
    store.add("0", {**RECORDS[0], "task": "another"})
    with pytest.raises(InputError, match="no longer gives"):
        measure(SELECTION, Runner(store))
