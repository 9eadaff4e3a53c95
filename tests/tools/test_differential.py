"""Random tasks of all of ADL: every part of the product says what an independent search says."""

import json
from pathlib import Path

import pytest
from tests.adl.random_tasks import make_task
from tools.differential import CHUNKS, list_chunks, main, read_records, run_chunk, summarise, write_page
from tools.differential_checks import CHECKS, Comparison, compare

from tools import differential_routes

SEEDS = 300


@pytest.mark.parametrize("first", range(0, SEEDS, 50))
def test_in_process(first: int) -> None:
    for seed in range(first, first + 50):
        outcome = compare(make_task(seed), CHECKS)
        assert isinstance(outcome, Comparison), (seed, outcome)
        assert outcome.disagreements == [], seed
        assert outcome.made["validator"] > 0


def test_effects_whose_variables_have_the_same_names() -> None:
    outcome = compare(make_task(400545), CHECKS)
    assert isinstance(outcome, Comparison)
    assert outcome.disagreements == []


@pytest.mark.parametrize("seed", range(2000, 2004))
def test_through_every_route(seed: int) -> None:
    outcome = compare(make_task(seed), differential_routes.CHECKS)
    assert isinstance(outcome, Comparison), (seed, outcome)
    assert [d for d in outcome.disagreements if not d.defect] == [], seed


@pytest.mark.parametrize(
    ("seed", "defect"),
    [(2779, differential_routes.FORALL_IN_RECURSION), (301339, differential_routes.CANCELLED_DELETE)],
)
def test_a_defect_of_another_tool_is_named(seed: int, defect: str) -> None:
    outcome = compare(make_task(seed), differential_routes.CHECKS)
    assert isinstance(outcome, Comparison)
    assert [d.defect for d in outcome.disagreements] == [defect]


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHUNKS, "process", 4)
    store, output = tmp_path / "store", tmp_path / "results"
    main(["--count", "6", "--store", str(store)])
    path = store / "process.jsonl"
    kept = path.read_text()
    path.write_text(kept + kept[:100])
    left = list_chunks("process", 0, 7, read_records(store, "process"))
    assert [list(chunk) for chunk in left] == [[4, 5, 6]]
    main(["--count", "6", "--store", str(store), "--output", str(output)])
    assert path.read_text() == kept
    summary = json.loads((output / "differential.json").read_text())["process"]
    assert summary["tasks"]["all"] == sum(summary["steps"].values()) == 6
    assert "6 tasks (seeds 0 to 5)" in (output / "differential.md").read_text()


def test_what_is_not_explained_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check_nothing(comparison: Comparison) -> None:
        comparison.expect("answer", 1, 2, "a question")

    monkeypatch.setattr("tools.differential_checks.CHECKS", (check_nothing,))
    record = run_chunk("process", range(3, 4), tmp_path)
    assert record["disagreements"] == [
        {"seed": 3, "check": "answer", "detail": "a question: product 1, reference 2", "defect": ""}
    ]
    folder = tmp_path / "disagreements" / "process" / "3"
    assert (folder / "domain.pddl").read_text() == make_task(3).domain
    page = write_page({"process": summarise([record])})
    assert "1 unexplained" in page
    assert main(["--count", "1", "--seed", "3", "--store", str(tmp_path)]) == 1
    monkeypatch.setattr("tools.differential_checks.CHECKS", ())
    assert main(["--count", "0", "--store", str(tmp_path)]) == 1
    assert main(["--count", "1", "--seed", "3", "--store", str(tmp_path)]) == 0
