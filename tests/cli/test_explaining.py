"""The commands explain and check, and what plan says of its quality."""

from pathlib import Path

import pytest
from tests.cli.calls import TOWER, run, run_json

from skolem.cli.explaining import show_explanation
from skolem.cli.output import Console
from skolem.grounding.explanation import Explanation
from skolem.grounding.protocol import Choice, Step
from skolem.support.errors import ExitCode


def test_explain_tells_reasons_and_what_another_object_costs() -> None:
    done = run("explain", *TOWER, "--why", "x1=h", "--why", "x1=a", "--planner", "seq-opt-lmcut")
    assert done.returncode == 0
    assert "  ruled out   a, b, d, f, by (blue ?x1)" in done.stdout
    assert "with ?x1 = h: 11 steps instead of 9" in done.stdout
    assert "?x1 = a cannot be: (blue ?x1) rules it out" in done.stdout


def test_explain_as_json_and_as_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "why.svg"
    code, found = run_json("explain", *TOWER, "-o", str(picture))
    assert code == 0
    assert found["goals"][0]["variables"][0]["possible"] == ["c", "e", "g", "h"]
    assert len(found["steps"]) == 5
    assert "ruled out" in picture.read_text(encoding="utf-8")


def test_a_variable_that_was_bound_anew_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    mug, cup = Choice("?x", "mug", 4.0), Choice("?x", "cup", 2.5)
    steps = (Step("?x", "mug", (mug,)), Step("?x", "cup", (cup, mug)))
    show_explanation(Console(), Explanation("grounded", "learned", {"?x": "cup"}, 2.5, (), steps), str)
    shown = capsys.readouterr().out
    assert "?x = cup" in shown
    assert "bound anew when the others were known" in shown


def test_ground_explains_in_the_same_words() -> None:
    code, found = run_json("ground", *TOWER, "--explain")
    assert code == 0
    assert found["explanation"]["binding"] == found["binding"]
    assert "  possible    c, e, g, h" in run("ground", *TOWER, "--explain").stdout


def test_a_question_that_is_none_is_wrong_usage() -> None:
    assert run("explain", *TOWER, "--why", "x1").returncode == ExitCode.USAGE_ERROR


def test_plan_says_how_good_it_is() -> None:
    code, found = run_json("plan", *TOWER, "--bound", "30")
    assert code == 0
    assert (found["bound"], found["optimal"]) == (9, True)
    assert set(found["times"]) == {"read", "ground", "plan", "bound", "total"}


def test_printed_times_add_up() -> None:
    _, found = run_json("plan", *TOWER)
    times = found["times"]
    assert abs(times["read"] + times["ground"] + times["plan"] - times["total"]) < 0.001


def test_check_finds_the_domain_and_says_what_a_goal_means() -> None:
    done = run("check", TOWER[1])
    assert done.returncode == 0
    assert "bindings     1,024 of 32,768 fit the static description" in done.stdout
    assert "route        learned, by the model blocks" in done.stdout


def test_check_fails_on_mistakes(tmp_path: Path) -> None:
    problem = tmp_path / "tower.pddl"
    problem.write_text(Path(TOWER[1]).read_text().replace("(blue ?x1)", "(blu ?x1)"))
    done = run("check", TOWER[0], str(problem))
    assert done.returncode == ExitCode.INPUT_ERROR
    assert "unknown predicate 'blu', expected 'blue'" in done.stderr


def test_explain_spells_objects_as_the_problem_does(tmp_path: Path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(
        "(define (domain d) (:predicates (Dirty ?x) (Blue ?x)) (:action Wash :parameters (?x) "
        ":precondition (Dirty ?x) :effect (not (Dirty ?x))))"
    )
    problem.write_text(
        "(define (problem p) (:domain d) (:objects Mug Bowl) (:init (Dirty Mug) (Dirty Bowl) (Blue Mug)) "
        "(:goal (exists (?X) (and (Blue ?X) (not (Dirty ?X))))))"
    )
    lines = run("explain", str(domain), str(problem)).stdout.splitlines()
    assert lines[:3] == ["?X = Mug", "  possible    Mug", "  ruled out   Bowl, by (Blue ?X)"]
