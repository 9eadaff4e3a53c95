"""Help and the first steps: examples that work, words that are nearly right, what shells complete."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cli.calls import EXAMPLES as FOLDER
from tests.cli.calls import PROGRAM, TOWER, run

from skolem import __version__
from skolem.cli import main
from skolem.cli.entry import HANDLERS
from skolem.cli.parser import COMMANDS, EXAMPLES, build_parser, parse_command
from skolem.support.errors import ExitCode, UsageError

Capture = pytest.CaptureFixture[str]
LONG = ("learn", "label", "train", "evaluate", "report", "serve")
"""Commands whose examples take minutes, or go on until they are stopped: they are only parsed."""


def spell(example: str) -> list[str]:
    """The words of an example without what is for the shell."""
    return example.partition(">>")[0].split()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_an_example_that_can_be_parsed(name: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        build_parser([name]).parse_args([name, "--help"])
    assert capsys.readouterr().out.rstrip().endswith(f"example:\n  skolem {EXAMPLES[name]}")
    assert parse_command(spell(EXAMPLES[name])).name == name
    assert name in HANDLERS


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in LONG])
def test_the_examples_work(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    (tmp_path / "examples").symlink_to(FOLDER)
    monkeypatch.chdir(tmp_path)
    assert main(spell(EXAMPLES[name])) == 0
    assert capsys.readouterr().out


def test_a_call_without_words_shows_three_lines(capsys: Capture) -> None:
    assert main([]) == ExitCode.USAGE_ERROR
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_version_is_told(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"skolem {__version__}\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["plna"], "did you mean 'plan'?"),
        (["plan", "p.pddl", "--plannr", "lama"], "did you mean '--planner'?"),
        (["plan", "p.pddl", "--grounder", "learnd"], "did you mean 'learned'?"),
    ],
)
def test_a_word_that_is_nearly_right_is_guessed(words: list[str], hint: str, capsys: Capture) -> None:
    assert main(words) == ExitCode.USAGE_ERROR
    assert hint in capsys.readouterr().err


def test_a_planner_that_there_is_not_is_refused_before_anything_is_read() -> None:
    done = run("plan", "none.pddl", "--planner", "lama-frist")
    assert done.returncode == ExitCode.USAGE_ERROR
    assert done.stderr == "skolem: there is no planner 'lama-frist', did you mean 'lama-first'?\n"


def test_files_may_stand_before_and_behind_options() -> None:
    options = parse_command(["plan", "d.pddl", "--json", "p.pddl"]).options
    assert (options.domain, options.problem) == ("d.pddl", "p.pddl")
    options = parse_command(["plan", "p.pddl", "--json"]).options
    assert (options.domain, options.problem) == (None, "p.pddl")
    options = parse_command(["validate", "d.pddl", "--json", "p.pddl", "plan"]).options
    assert (options.domain, options.problem, options.plan) == ("d.pddl", "p.pddl", Path("plan"))
    with pytest.raises(UsageError, match=r"unrecognized arguments: more\.pddl"):
        parse_command(["plan", "d.pddl", "p.pddl", "more.pddl"])


def test_a_bound_without_seconds_takes_no_file_for_them() -> None:
    options = parse_command(["plan", "--bound", "p.pddl"]).options
    assert (options.bound, options.problem) == (1.0, "p.pddl")
    assert parse_command(["plan", "p.pddl", "--bound", "2.5"]).options.bound == 2.5
    assert parse_command(["plan", "p.pddl"]).options.bound is None


def test_a_problem_may_come_through_standard_input() -> None:
    done = subprocess.run(
        [*PROGRAM, "check", TOWER[0], "-", "--json"],
        input=Path(TOWER[1]).read_text(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["bindings"] == 4**5


def test_variables_are_shown_as_they_are_written(tmp_path: Path) -> None:
    problem = tmp_path / "tower.pddl"
    problem.write_text(Path(TOWER[1]).read_text().replace("?x1", "?Top"))
    done = run("ground", TOWER[0], str(problem), "--grounder", "random-valid")
    assert "?Top " in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_options_and_values(shell: str, capsys: Capture) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    assert "random-valid" in script


def test_bash_completes(capsys: Capture) -> None:
    main(["completion", "bash"])
    call = "COMP_WORDS=(skolem plan --grounder rand); COMP_CWORD=3; _skolem; echo ${COMPREPLY[@]}"
    done = subprocess.run(
        ["bash", "-c", f"{capsys.readouterr().out}\n{call}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["random", "random-valid"]
