"""All experiments through one door: what they print, keep and write."""

import json
from pathlib import Path
from typing import Any

import pytest

from skolem.cli import main
from skolem.evaluation.configurations import Selection
from skolem.evaluation.evaluate import EXPERIMENTS, evaluate
from skolem.evaluation.report import build_optimal, save_pages
from skolem.evaluation.store import Runner
from skolem.request import Request


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["evaluate", *arguments, "--jobs", "1", "-q", "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_an_evaluation_is_cells_tables_and_what_is_not_explained() -> None:
    selection = Selection("optimal", (Request("random-valid"),), ("gripper",), False, 2)
    found = evaluate(selection, Runner())
    assert [cell["count"] for cell in found.described] == [2]
    assert found.tables[0].title == "optimal sets, grounder random-valid"
    assert found.unexplained == []
    assert [record["command"] for record in found.environments] == [
        "skolem evaluate optimal --grounder random-valid --family gripper --no-neq --count 2"
    ]


def test_the_files_say_how_to_make_them_again(tmp_path: Path) -> None:
    selection = Selection("optimal", (Request("learned"), Request("random")), ("gripper",), False, 2)
    found = evaluate(selection, Runner())
    json_file, page, plot = save_pages(build_optimal(found.records, found.environments), tmp_path / "results")
    content = json.loads(json_file.read_text())
    assert content["commands"] == [
        f"skolem evaluate optimal --grounder {name} --family gripper --no-neq --count 2"
        for name in ("learned", "random")
    ]
    assert content["models"].keys() == {"gripper, learned"}
    assert content["cells"] == found.described
    assert content["versions"]["numpy"]
    assert all(command in page.read_text() for command in content["commands"])
    before = plot.read_bytes()
    save_pages(build_optimal(found.records, found.environments), tmp_path / "results")
    assert plot.read_bytes() == before


def test_a_store_changes_nothing_in_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["optimal", "--family", "gripper", "--count", "3", "--no-neq"]
    options += ["--grounder", "random-valid", "--grounder", "random"]
    plain = run_json(capsys, *options)
    assert [cell["configuration"] for cell in plain] == ["random-valid", "random"]
    stored = [*options, "--store", str(tmp_path / "results.jsonl")]
    assert run_json(capsys, *stored) == plain
    assert run_json(capsys, *stored, "-o", str(tmp_path / "results")) == plain
    assert {file.name for file in (tmp_path / "results").iterdir()} == {f"optimal.{s}" for s in ("json", "md", "svg")}


def test_the_policy_continues_from_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["policy", "--family", "visitall", "--neq", "--count", "2", "--store", str(tmp_path / "results.jsonl")]
    first = run_json(capsys, *options)
    assert run_json(capsys, *options) == first


def test_tables_are_printed_with_a_line_between_them(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--family", "gripper", "--no-neq", "--count", "1", "--grounder", "random-valid", "--jobs", "1"]
    assert main(["evaluate", "optimal", *options]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("optimal sets, grounder random-valid")
    assert shown.count("\n\n") == 2
    assert not shown.endswith("\n\n")


@pytest.mark.parametrize("experiment", sorted(EXPERIMENTS.keys() - {"optimal"}))
def test_other_sets_take_one_grounder(capsys: pytest.CaptureFixture[str], experiment: str) -> None:
    assert main(["evaluate", experiment, "--grounder", "learned", "--grounder", "beam", "--count", "1"]) == 31
    assert "takes one grounder" in capsys.readouterr().err


def test_an_unknown_route_is_an_error_before_anything_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lama.jsonl"
    assert main(["evaluate", "lama", "--route", "teleport", "--store", str(path)]) == 31
    assert "unknown route teleport" in capsys.readouterr().err
    assert not path.exists()
