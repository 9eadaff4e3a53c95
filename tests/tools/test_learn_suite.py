"""The suite is learned one domain after another, and a domain that is finished is not learned again."""

import json
from pathlib import Path

from tools.learn_suite import ANSWER, main, write_problems

SHORT = ("--count", "4", "--steps", "2", "--pairs", "200", "--goals", "2", "--device", "cpu", "--jobs", "1", "-q")


def test_problems_are_those_of_generate(tmp_path: Path) -> None:
    files = write_problems("ferry", tmp_path / "ferry", 2, 0)
    assert [file.name for file in files] == ["domain.pddl", "ferry-train-0-0.pddl", "ferry-train-0-1.pddl"]
    assert "(define (domain ferry)" in files[0].read_text()


def test_what_is_learned_stays(tmp_path: Path) -> None:
    assert main(["ferry", "-o", str(tmp_path), *SHORT]) == 0
    answer = tmp_path / "ferry" / ANSWER
    assert json.loads(answer.read_text())["status"] == "learned"
    written = answer.stat().st_mtime_ns
    assert main(["ferry", "-o", str(tmp_path), *SHORT]) == 0
    assert answer.stat().st_mtime_ns == written
