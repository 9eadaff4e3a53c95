"""Whatever happens, a command ends with one answer, the right exit code, and nothing left behind."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.calls import (
    EXAMPLES,
    PROGRAM,
    TOWER,
    run,
    run_json,
    run_script,
    run_shell,
    start_slow_plan,
    wait_for_end,
)

from skolem.grounding.models import MODELS
from skolem.support.errors import ExitCode

EXACT = ("plan", *TOWER, "--grounder", "exact")


@pytest.mark.parametrize("error", ["ValueError('oh')", "RecursionError('oh')"])
def test_an_unexpected_error_is_one_line_and_on_request_a_traceback(error: str) -> None:
    fault = f"import skolem.cli.planning as commands\ndef fail(*files): raise {error}\ncommands.read_task = fail"
    done = run_script(fault, "plan", "d", "p", "--json")
    assert done.returncode == ExitCode.DRIVER_CRITICAL_ERROR
    assert done.stderr == f"skolem: internal error: {error} (--verbose shows more)\n"
    assert json.loads(done.stdout)["status"] == "error"
    shown = run_script(fault, "plan", "d", "p", "--json", "--verbose")
    assert shown.stderr.startswith("Traceback")
    assert shown.stderr.endswith(f"skolem: internal error: {error}\n")
    assert json.loads(shown.stdout)["status"] == "error"


def test_a_child_that_ends_without_a_word_is_told_of() -> None:
    fault = "import os\nimport skolem.cli.planning as commands\ncommands.read_task = lambda *files: os._exit(3)"
    done = run_script(fault, "plan", "d", "p", "--json")
    assert done.returncode == ExitCode.DRIVER_CRITICAL_ERROR
    assert json.loads(done.stdout)["message"] == "skolem: ended without an answer (exit status 3)"


def test_a_full_disk_is_one_answer_too() -> None:
    fault = """import errno, tempfile
def fail(*names, **options): raise OSError(errno.ENOSPC, "No space left on device", "/tmp")
tempfile.mkdtemp = fail"""
    done = run_script(fault, *EXACT, "--json")
    assert (done.returncode, done.stderr) == (
        ExitCode.DRIVER_CRITICAL_ERROR,
        "skolem: No space left on device (/tmp)\n",
    )
    assert json.loads(done.stdout)["message"] == "skolem: No space left on device (/tmp)"


@pytest.mark.parametrize("files", [5, 8])
def test_too_few_files_are_one_answer_too(files: int) -> None:
    done = subprocess.run(
        [*PROGRAM, *EXACT, "--json"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    assert done.returncode == ExitCode.DRIVER_CRITICAL_ERROR
    assert done.stderr.startswith("skolem: Too many open files")
    assert json.loads(done.stdout)["message"] == done.stderr.strip()


def test_planner_files_that_cannot_be_written_are_named() -> None:
    fault = """import resource, skolem.cli.planning as commands
read = commands.read_task
def read_then_limit(*files):
    task = read(*files)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    return task
commands.read_task = read_then_limit"""
    done = run_script(fault, *EXACT, "--json")
    assert done.returncode == ExitCode.DRIVER_CRITICAL_ERROR
    assert done.stderr.startswith("skolem: cannot write ")
    assert done.stderr.endswith("domain.pddl: File too large\n")
    assert json.loads(done.stdout)["message"] == done.stderr.strip()


@pytest.mark.parametrize("arguments", [["--json"], ["plan", "--json"], ["plan", "a", "b", "--json", "--width", "0"]])
def test_wrong_usage_is_one_json_value_too(arguments: list[str]) -> None:
    done = run(*arguments)
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"]) == (ExitCode.USAGE_ERROR, "error")
    assert done.stderr == found["message"] + "\n"
    assert arguments[0] != "plan" or found["plan"] is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_process_alone_stops_everything(tmp_path: Path, number: signal.Signals) -> None:
    with start_slow_plan(tmp_path) as process:
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert json.loads(output)["message"] == f"skolem: stopped by {number.name}"
    assert errors == f"skolem: stopped by {number.name}\n"
    assert wait_for_end(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_signal_during_the_first_imports_is_answered_too() -> None:
    script = """import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt:
    def find_spec(self, name, *rest):
        if name == "skolem.cli.parser":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from skolem.cli import main
sys.exit(main())"""
    command = [sys.executable, "-c", script, *EXACT, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr == "skolem: stopped by SIGINT\n"
    assert json.loads(done.stdout)["message"] == "skolem: stopped by SIGINT"


def test_ctrl_c_reaches_the_whole_group_and_stops_it_once(tmp_path: Path) -> None:
    with start_slow_plan(tmp_path) as process:
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert json.loads(output)["message"] == "skolem: stopped by SIGINT"
    assert list((tmp_path / "temporary").iterdir()) == []


def test_children_end_with_a_killed_parent_and_the_next_run_removes_their_files(tmp_path: Path) -> None:
    with start_slow_plan(tmp_path) as process:
        process.kill()
        process.communicate(timeout=60)
    assert wait_for_end(tmp_path) == []
    temporary = tmp_path / "temporary"
    assert len(list(temporary.iterdir())) == 1
    (temporary / "skolem-notes").mkdir()
    done = run_script(f"import tempfile\ntempfile.tempdir = {str(temporary)!r}", *EXACT)
    assert done.returncode == 0
    assert [path.name for path in temporary.iterdir()] == ["skolem-notes"]


def test_a_time_limit_ends_the_search_with_one_answer(tmp_path: Path) -> None:
    with start_slow_plan(tmp_path, "--time-limit", "3") as process:
        output, _ = process.communicate(timeout=60)
    assert process.returncode in range(20, 25)
    assert json.loads(output)["status"] in ("unsolved", "error")
    assert wait_for_end(tmp_path) == []


@pytest.mark.parametrize(
    ("limit", "codes"),
    [
        ("--memory-limit=1", range(20, 25)),
        ("--memory-limit=40", range(20, 25)),
        ("--memory-limit=100", (0, *range(20, 25))),
        ("--memory-limit=1000000000000", (0,)),
        ("--memory-limit=100000000000000000000", (0,)),
        ("--memory-limit=1e12", (36,)),
        ("--time-limit=0.001", range(20, 25)),
        ("--time-limit=1e12", (0,)),
        ("--time-limit=1e300", (0,)),
        ("--time-limit=nan", (36,)),
        ("--time-limit=-1", (36,)),
    ],
)
def test_absurd_limits_have_sensible_outcomes(limit: str, codes: tuple[int, ...]) -> None:
    code, found = run_json(*EXACT, limit)
    assert code in codes
    assert (code == 0) == (found["status"] == "solved")


@pytest.mark.parametrize("error", ["SystemError('oh')", "KeyError('oh')", "OSError(0, 'oh')"])
def test_whatever_goes_wrong_without_memory_is_the_memory_limit(error: str) -> None:
    fault = f"import skolem.cli.planning as commands\ndef fail(*files): raise {error}\ncommands.read_task = fail"
    done = run_script(fault, "plan", "d", "p", "--json", "--memory-limit", "1")
    assert done.returncode == ExitCode.TRANSLATE_OUT_OF_MEMORY
    assert done.stderr == "skolem: the memory limit was reached\n"


@pytest.mark.parametrize("stream", [">&-", "<&- >&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(stream: str) -> None:
    done = run_shell(stream, *EXACT)
    assert (done.returncode, done.stderr) == (0, "")
    assert run_shell(stream, "plan", "nowhere", "nothing").returncode == ExitCode.INPUT_ERROR


@pytest.mark.parametrize("arguments", [EXACT, (*EXACT, "--json"), ("models",), ("models", "--json")])
def test_a_full_disk_is_told_and_a_reader_that_has_gone_is_not(arguments: tuple[str, ...]) -> None:
    full = run_shell(">/dev/full", *arguments)
    assert full.returncode == ExitCode.DRIVER_CRITICAL_ERROR
    assert full.stderr == "skolem: cannot write to standard output: No space left on device\n"
    assert run_shell(">/dev/full 2>/dev/full", *arguments).returncode == ExitCode.DRIVER_CRITICAL_ERROR
    gone = run_shell("| head -c0", *arguments)
    assert (gone.returncode, gone.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("options", [(), ("--quiet",), ("--json",)])
def test_a_plan_that_cannot_be_written_is_shown(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run(*EXACT, "--plan-file", str(tmp_path / "no folder" / "plan"), *options)
    assert done.returncode == 0
    assert done.stderr.startswith("skolem: cannot write ")
    assert "(stack a f)" in done.stdout


@pytest.mark.parametrize("options", [(), ("--quiet",), ("--json",)])
def test_a_grounded_problem_that_cannot_be_written_is_shown(tmp_path: Path, options: tuple[str, ...]) -> None:
    output = str(tmp_path / "no folder" / "problem")
    done = run("ground", *TOWER, "--grounder", "random-valid", "-o", output, *options)
    assert done.returncode == 0
    assert done.stderr.startswith("skolem: cannot write ")
    assert "(:goal (and" in done.stdout


def test_devices_are_written_to_and_links_stay_links(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "plan")
    assert run(*EXACT, "--plan-file", str(link)).returncode == 0
    assert link.is_symlink()
    assert (tmp_path / "plan").read_text().endswith("(unit cost)\n")
    assert run(*EXACT, "--plan-file", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()


def test_a_plan_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    assert run(*EXACT, "--plan-file", str(plan)).returncode == 0
    plan.write_bytes(b"\xef\xbb\xbf" + plan.read_bytes())
    assert run("validate", *TOWER, str(plan)).returncode == 0


def test_names_of_files_need_not_be_utf_8(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")
    Path(folder).mkdir()
    problem = str(Path(folder, "p\udcff.pddl"))
    shutil.copy(TOWER[1], problem)
    assert run("plan", TOWER[0], problem, "--grounder", "exact").returncode == 0
    assert run_json("draw", TOWER[0], problem, "-o", str(Path(folder, "p.svg")))[0] == 0
    done = run_shell("| cat -v", "generate", "blocks", "-o", folder)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].endswith("/M-^?M-~")
    Path(problem).write_text("(define (problem p)")
    code, found = run_json("plan", TOWER[0], problem)
    assert (code, found["status"]) == (ExitCode.INPUT_ERROR, "error")


@pytest.mark.parametrize("command", ["plan", "ground"])
def test_a_model_that_was_asked_for_and_cannot_be_used_is_an_error(tmp_path: Path, command: str) -> None:
    def fail(model: str | Path) -> str:
        code, found = run_json(command, *TOWER, "--model", str(model))
        assert (code, found["status"]) == (ExitCode.INPUT_ERROR, "error")
        return str(found["message"])

    assert "there is no model nonsense: expected a folder or one of barman, blocks, " in fail("nonsense")
    assert "there is no config.json" in fail(EXAMPLES)
    assert "trained on another domain" in fail("gripper")
    assert "at-robby/1 is missing" in fail(MODELS / "gripper")
    shutil.copytree(MODELS / "blocks", tmp_path / "blocks")
    (tmp_path / "blocks" / "model.safetensors").write_bytes(b"nothing")
    assert "not a readable file of weights" in fail(tmp_path / "blocks")
    assert "never trained on goals with on" in fail("blocks-c")
    assert run_json(command, *TOWER, "--model", "blocks")[0] == 0
