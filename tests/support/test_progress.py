import io
import sys

import pytest

from skolem.support.progress import show_progress


def test_plain_lines_tell_speed_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 5.0, 20.0, 40.0])
    monkeypatch.setattr("skolem.support.progress.time.monotonic", lambda: next(clock))
    with show_progress("label", 100, "pairs") as report:
        report(0)
        report(50)
        report(100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["label: 50/100 pairs, 2 pairs/s, 20 s left", "label: 100/100 pairs, 2 pairs/s"]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("label", 100, "pairs", quiet=True) as report:
        report(100)
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with show_progress("label", 100, "pairs") as report:
        report(100)
    assert "100/100" in terminal.getvalue()
    assert "pairs/s" in terminal.getvalue()
