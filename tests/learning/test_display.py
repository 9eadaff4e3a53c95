"""What is seen of learning: a line for every stage, or a bar."""

import io
import sys

import pytest

from skolem.learning.display import open_display


def test_a_line_for_every_stage(capsys: pytest.CaptureFixture[str]) -> None:
    with open_display() as display:
        display.show("labelling", 0.1, 125.0, "10 pairs")
        display.show("labelling", 0.2, 120.0, "20 pairs")
        display.show("training", 0.5, None, "loss 0.10")
    assert capsys.readouterr().err == "labelling (10%), 10 pairs, 2:05 left\ntraining (50%), loss 0.10\n"


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with open_display() as display:
        display.show("training", 0.5, 65.0, "loss 0.10, larger goals 1.05 x optimal")
    text = terminal.getvalue()
    assert "training" in text
    assert "larger goals 1.05 x optimal" in text
    assert "1:05 left" in text


def test_nothing_where_it_is_to_be_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with open_display(quiet=True) as display:
        display.show("training", 0.5, 65.0)
    assert capsys.readouterr().err == ""
