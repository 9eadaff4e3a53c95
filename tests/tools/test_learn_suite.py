"""The suite is learned side by side, and a domain that is finished is not learned again."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tools.learn_suite import ANSWER, list_lessons, main, write_problems

ROOT = Path(__file__).parents[2]
SHORT = ("--count", "4", "--steps", "2", "--pairs", "200", "--goals", "2", "--device", "cpu")


def test_problems_are_those_of_generate(tmp_path: Path) -> None:
    files = write_problems("ferry", tmp_path / "ferry", 2, 0)
    assert [file.name for file in files] == ["domain.pddl", "ferry-train-0-0.pddl", "ferry-train-0-1.pddl"]
    assert "(define (domain ferry)" in files[0].read_text()


def test_every_number_of_problems_has_a_folder_of_its_own(tmp_path: Path) -> None:
    assert [lesson.folder.name for lesson in list_lessons(tmp_path, ["ferry", "depots"], None, 12)] == [
        "ferry",
        "depots",
    ]
    found = list_lessons(tmp_path, ["ferry"], [3, 24], 12)
    assert [(lesson.folder.name, lesson.count) for lesson in found] == [("ferry-3", 3), ("ferry-24", 24)]


def test_what_is_learned_stays(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ferry", "-o", str(tmp_path), *SHORT]) == 0
    answer = tmp_path / "ferry" / ANSWER
    assert json.loads(answer.read_text())["status"] == "learned"
    assert "labelling goals" in (tmp_path / "ferry.log").read_text()
    written = answer.stat().st_mtime_ns
    assert main(["ferry", "-o", str(tmp_path), *SHORT]) == 0
    assert answer.stat().st_mtime_ns == written
    assert capfd.readouterr().out.splitlines()[-1] == "1 of 1 learned, 0 failed"


def test_a_domain_that_fails_does_not_stop_the_others(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ferry").mkdir()
    (tmp_path / "ferry" / "README.md").write_text("mine")
    assert main(["ferry", "miconic", "-o", str(tmp_path), "--jobs", "2", *SHORT]) == 1
    assert "ferry: exit 31, see" in capfd.readouterr().out
    assert (tmp_path / "miconic" / ANSWER).exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_stop_ends_what_runs_and_the_next_call_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    words = ["ferry", "-o", str(tmp_path), *SHORT]
    words[words.index("--steps") + 1] = "1000"
    process = subprocess.Popen([sys.executable, "-m", "tools.learn_suite", *words], cwd=ROOT)
    while not (tmp_path / "ferry" / "training.safetensors").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait() == (143 if number == signal.SIGTERM else -9)
    while "--resume goes on from here" not in (tmp_path / "ferry.log").read_text():
        time.sleep(0.05)
    assert main(["ferry", "-o", str(tmp_path), *SHORT]) == 0


def test_other_domains_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["blocks", "-o", str(tmp_path)])
    assert "blocks: no domain of the suite" in capsys.readouterr().err
