"""The same as JSON lines on standard input and output."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from tests.integrations.server.servers import MUGS, PATIENCE


def run_lines(lines: Sequence[Any]) -> list[dict[str, Any]]:
    """What is answered to some lines, after the one that says that it is ready."""
    command = [sys.executable, "-m", "skolem.cli", "serve", "--stdio", "--workers", "1"]
    said = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    ended = subprocess.run(command, input=said, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    first, *answers = map(json.loads, ended.stdout.splitlines())
    assert first == {"ready": True}
    return answers


def test_answers_have_the_ids_of_their_questions() -> None:
    lines = [{"id": number, "do": "check", **MUGS} for number in (1, "two", None)]
    answers = run_lines([*lines, ""])
    assert sorted(map(str, (answer["id"] for answer in answers))) == ["1", "None", "two"]
    assert {answer["status"] for answer in answers} == {"correct"}


def test_what_is_no_question_is_told_so() -> None:
    answers = run_lines(
        [
            "nonsense",
            "[]",
            '{"id": 1}',
            "[" * 100_000,
            "x" * 5_000_000,
            {"id": 2, "do": "plna"},
            {"id": 3, "do": "plan"},
        ]
    )
    assert len(answers) == 7
    assert {answer["status"] for answer in answers} == {"error"}
    by_id = {answer["id"]: answer["message"] for answer in answers}
    assert by_id[2] == "unknown operation 'plna', expected 'plan'"
    assert by_id[3] == "'domain' is missing; 'problem' is missing"
    assert by_id[None].startswith('expected a line such as {"id": 1, "do": "plan", ...}')
