"""Models of several numbers of problems, compared on the test set of their domain."""

import json
from pathlib import Path

import pytest

from tools import learn_problems, learn_suite

SHORT = ("--steps", "2", "--pairs", "200", "--goals", "2", "--device", "cpu")


def test_finished_models_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert learn_suite.main(["spanner", "-o", str(tmp_path), "--counts", "4", "2", *SHORT]) == 0
    (tmp_path / "spanner-9").mkdir()
    assert [path.name for _, path in learn_problems.find_models(tmp_path)] == ["spanner-2", "spanner-4"]
    page = tmp_path / "page"
    words = [str(tmp_path), "--count", "2", "--jobs", "1", "-o", str(page)]
    assert learn_problems.main(words) == 0
    few, many = json.loads(page.with_suffix(".json").read_text())
    assert (few["problems"], many["problems"]) == (2, 4)
    assert few["coverage"]["count"] == 2
    assert "| spanner | 2 | cpu, - | exact |" in page.with_suffix(".md").read_text()
    size = (tmp_path / "measured.jsonl").stat().st_size
    assert learn_problems.main(words) == 0
    assert (tmp_path / "measured.jsonl").stat().st_size == size


def test_an_empty_folder_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        learn_problems.main([str(tmp_path)])
    assert "no finished models" in capsys.readouterr().err
