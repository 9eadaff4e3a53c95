"""Several configurations on the same instances: tables, files and plots."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skolem.cli.entry import main
from skolem.evaluation.configurations import Configuration
from skolem.evaluation.optimal import Cell, Outcome
from skolem.evaluation.optimal_report import Comparison, list_requests
from skolem.evaluation.tables import tabulate_optimal
from skolem.solve import Request

LEARNED, RANDOM = Configuration(Request("learned"), "0123456789ab"), Configuration(Request("random"))
GOOD = (Outcome(1, 4, True, 4), Outcome(2, 4, True, 6))
BAD = (Outcome(1, 4, False, None), Outcome(2, 4, True, None, "out of time"))
CELLS = [Cell("gripper", False, LEARNED, GOOD), Cell("gripper", False, RANDOM, BAD)]
COMPARISON = Comparison((LEARNED.request, RANDOM.request), ("gripper",), (False,), 2)


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["evaluate", "optimal", "--jobs", "1", "-q", "--json", *arguments]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_each_grounder_reads_its_own_options() -> None:
    base = Request(seed=2, width=4, scores="head")
    learned = Request("learned", seed=2, scores="head")
    assert list_requests(["random", "learned", "beam", "paper", "random"], base) == (
        Request("random", seed=2),
        learned,
        replace(learned, grounder="beam", width=4),
        replace(learned, paper=True),
    )


def test_tables_stand_beside_the_papers() -> None:
    learned, random, joint, costs, by_variables = tabulate_optimal(CELLS)
    assert learned.rows == (
        ("gripper", "no", "2", "100.0%", "100.0%", "100.0%", "4.000", "4.780", "1.250", "1.298", "0"),
    )
    assert random.rows == (("gripper", "no", "2", "0.0%", "3.0%", "50.0%", "4.000", "4.780", "-", "-", "1"),)
    assert joint.rows == (("gripper", "no", "100.0% 1.298", "100.0% 1.250", "0.0% -"),)
    assert costs.rows == (("gripper", "no", "4.00 (1)", "4.00 (1)"),)
    assert by_variables.rows[0] == ("learned", "gripper", "no", "100.0% 1.000", "100.0% 1.500")


def test_the_files_say_how_to_make_them_again(tmp_path: Path) -> None:
    json_file, page, *plots = COMPARISON.save(CELLS, tmp_path / "results")
    found = json.loads(json_file.read_text())
    assert found["commands"] == [
        f"skolem evaluate optimal --grounder {name} --family gripper --no-neq --count 2"
        for name in ("learned", "random")
    ]
    assert found["models"] == {"gripper, learned": "0123456789ab"}
    assert found["cells"] == [cell.describe() for cell in CELLS]
    assert all(command in page.read_text() for command in found["commands"])
    assert "| gripper | no | 100.0% 1.298 | 100.0% 1.250 | 0.0% - |" in page.read_text()
    before = [plot.read_bytes() for plot in plots]
    COMPARISON.save(CELLS, tmp_path / "results")
    assert [plot.read_bytes() for plot in plots] == before


def test_a_store_changes_nothing_in_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--family", "gripper", "--count", "3", "--no-neq", "--grounder", "random-valid", "--grounder", "random"]
    plain = run_json(capsys, *options)
    assert [cell["configuration"] for cell in plain] == ["random-valid", "random"]
    stored = [*options, "--store", str(tmp_path / "results.jsonl")]
    assert run_json(capsys, *stored) == plain
    assert run_json(capsys, *stored, "-o", str(tmp_path / "results")) == plain
    assert {file.name for file in (tmp_path / "results").iterdir()} == {
        f"optimal.{s}" for s in ("json", "md", "svg", "png")
    }


def test_other_sets_take_one_grounder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "policy", "--grounder", "learned", "--grounder", "beam", "--count", "1"]) == 31
    assert "takes one grounder" in capsys.readouterr().err
