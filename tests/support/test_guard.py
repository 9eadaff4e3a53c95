"""Commands cannot outlive their limits, and native crashes become errors."""

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from skolem.support.errors import ExitCode, Stopped
from skolem.support.guard import find_age, run_guarded

Reports = list[tuple[ExitCode, str]]


def guard(work: object, seconds: float | None = None, memory_mb: int | None = None) -> tuple[int, Reports]:
    reports: Reports = []
    assert callable(work)
    return run_guarded(work, seconds, memory_mb, lambda code, text: reports.append((code, text))), reports


def test_the_exit_code_of_the_work_is_returned() -> None:
    assert guard(lambda: 12) == (12, [])


def test_work_that_takes_too_long_is_stopped() -> None:
    def work() -> int:
        time.sleep(60)
        return 0

    code, reports = guard(work, seconds=0.2)
    assert code == ExitCode.TRANSLATE_OUT_OF_TIME
    assert reports == [(ExitCode.TRANSLATE_OUT_OF_TIME, "the time limit was reached")]


def test_work_that_ignores_being_told_to_stop_is_killed() -> None:
    def work() -> int:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
        return 0

    assert guard(work, seconds=0.2)[0] == ExitCode.TRANSLATE_OUT_OF_TIME


def test_work_is_told_to_stop_before_it_is_killed(tmp_path: Path) -> None:
    left = tmp_path / "left"

    def work() -> int:
        try:
            time.sleep(60)
        finally:
            left.write_text("cleaned up")
        return 0

    guard(work, seconds=0.2)
    assert left.read_text() == "cleaned up"


def test_a_native_crash_is_reported() -> None:
    def work() -> int:
        faulthandler.disable()  # or the crash is written into the test output
        ctypes.string_at(0)
        return 0

    code, reports = guard(work)
    assert code == ExitCode.TRANSLATE_CRITICAL_ERROR
    assert "SIGSEGV" in reports[0][1]


def test_work_that_needs_too_much_memory_is_refused_it(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        return len(bytearray(2_000_000_000)) % 2

    # The child reports by itself: its list of reports is not ours, so only the exit code is seen here.
    assert guard(work, memory_mb=500)[0] == ExitCode.TRANSLATE_OUT_OF_MEMORY


def test_temporary_files_are_removed_even_after_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> int:
        faulthandler.disable()
        tempfile.mkdtemp()
        ctypes.string_at(0)
        return 0

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    guard(work)
    assert list(tmp_path.iterdir()) == []


def test_native_code_that_gives_up_under_a_memory_limit_ran_out_of_memory() -> None:
    def work() -> int:
        faulthandler.disable()
        os.abort()

    code, reports = guard(work, memory_mb=4000)
    assert (code, reports[0][1]) == (ExitCode.TRANSLATE_OUT_OF_MEMORY, "the memory limit was reached")


def test_what_the_work_prints_is_printed_once_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        print("x" * 200_000)
        return 0

    assert guard(work) == (0, [])
    assert capsys.readouterr().out == "x" * 200_000 + "\n"


def test_what_work_printed_that_had_to_be_killed_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("half of")
        time.sleep(60)
        return 0

    assert guard(work, seconds=0.1)[0] == ExitCode.TRANSLATE_OUT_OF_TIME
    assert capsys.readouterr().out == ""


def test_work_that_ends_without_a_word_is_reported() -> None:
    code, reports = guard(lambda: os._exit(7))
    assert (code, reports[0][1]) == (ExitCode.DRIVER_CRITICAL_ERROR, "ended without an answer (exit status 7)")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_child_alone_stops_the_work(number: signal.Signals) -> None:
    def work() -> int:
        os.kill(os.getpid(), number)
        time.sleep(60)
        return 0

    # A shell starts what runs in its background with SIGINT ignored, and what is ignored stays ignored.
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(Stopped) as stop:
            guard(work)
    finally:
        signal.signal(number, before)
    assert stop.value.number == number


def take_for_an_error() -> int:
    """Waits, and takes it for an error of its own when that ends, as native code does."""
    try:
        time.sleep(60)
    except Stopped:
        print("internal error")
        return int(ExitCode.DRIVER_CRITICAL_ERROR)
    return 0


def test_a_signal_is_no_error_of_what_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        return take_for_an_error()

    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        with pytest.raises(Stopped) as stop:
            guard(work)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert stop.value.number == signal.SIGTERM
    assert guard(take_for_an_error, seconds=0.2)[0] == ExitCode.TRANSLATE_OUT_OF_TIME
    assert not capsys.readouterr().out


def test_the_age_of_a_process_begins_before_python_does() -> None:
    command = "import time; from skolem.support.guard import find_age; time.sleep(0.3); print(find_age())"
    before = time.monotonic()
    age = float(subprocess.run([sys.executable, "-c", command], capture_output=True, check=True).stdout)
    assert 0.3 <= age <= time.monotonic() - before + 0.1
    assert find_age() > age
