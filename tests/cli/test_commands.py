"""The commands as a user calls them: what they print, write and return."""

import time
from pathlib import Path

import pytest
from tests.cli.calls import TOWER, run, run_json

from skolem.cli import main
from skolem.support.errors import ExitCode


def test_plan_shows_the_objects_the_plan_and_its_cost() -> None:
    done = run("plan", *TOWER, "--planner", "seq-opt-lmcut")
    assert done.returncode == 0
    assert "?x5       f" in done.stdout
    assert "cost 9, optimal (proven), valid for the quantified goal, by route end" in done.stdout
    assert done.stderr == ""


def test_plan_json_has_the_keys_of_the_contract(tmp_path: Path) -> None:
    plan_file = tmp_path / "plan"
    code, found = run_json("plan", *TOWER, "--plan-file", str(plan_file))
    assert code == 0
    assert found["status"] == "solved"
    assert found["valid"] is True
    assert set(found["times"]) == {"read", "ground", "plan", "total"}
    assert plan_file.read_text().splitlines() == [*found["plan"], f"; cost = {found['cost']} (unit cost)"]
    assert run_json("validate", *TOWER, str(plan_file))[1] == {
        "valid": True,
        "cost": found["cost"],
        "reason": "the plan is valid",
        "binding": found["binding"],
    }


def test_a_plan_that_stops_short_is_not_valid(tmp_path: Path) -> None:
    plan_file = tmp_path / "plan"
    plan_file.write_text("(stack a f)\n")
    assert run("validate", *TOWER, str(plan_file)).returncode == ExitCode.INVALID_PLAN


def test_ground_writes_the_problem_with_only_the_goal_replaced(tmp_path: Path) -> None:
    output = tmp_path / "grounded.pddl"
    code, found = run_json("ground", *TOWER, "--grounder", "random-valid", "-o", str(output))
    assert code == 0
    assert found["status"] == "grounded"
    assert found["predicted_cost"] is None
    before, after = Path(TOWER[1]).read_text().split("(:goal")[0], output.read_text().split("(:goal")[0]
    assert before == after
    assert "exists" not in output.read_text().split("(:goal")[1]


def test_what_is_left_to_the_planner_is_told(tmp_path: Path) -> None:
    before = Path(TOWER[1]).read_text().split("(:goal")[0]
    problem, output = tmp_path / "problem.pddl", tmp_path / "grounded.pddl"
    goal = "(exists (?x ?y) (and (red ?x) (red ?y) (on ?x ?y) (not (holding ?x)) (clear ?x)))"
    problem.write_text(f"{before}(:goal {goal}))")
    task = (TOWER[0], str(problem))
    code, found = run_json("plan", *task)
    assert (code, found["route"], found["residual"]) == (0, "learned", "(clear ?x)")
    assert found["message"].endswith("never trained on goals with clear")
    code, found = run_json("ground", *task, "-o", str(output))
    assert (code, found["residual"]) == (0, "(clear ?x)")
    x, y = (found["binding"][name] for name in ("?x", "?y"))
    assert (
        output.read_text() == f"{before}(:goal (and (red {x}) (red {y}) (on {x} {y}) (not (holding {x})) (clear {x}))))"
    )
    for command in ("plan", "ground"):
        shown = run(command, *task).stdout
        assert "left to the planner: (clear ?x)" in shown
        assert "never trained on goals with clear" in shown
    assert "residual" not in run_json("plan", *TOWER)[1]


def test_exact_routes_ground_by_the_witness_of_a_plan() -> None:
    code, found = run_json("ground", *TOWER, "--grounder", "end", "--planner", "seq-opt-lmcut")
    assert (code, found["route"], found["binding"]["?x5"]) == (0, "end", "f")


def test_the_same_seed_gives_the_same_binding() -> None:
    first, second, other = (run_json("ground", *TOWER, "--grounder", "random", "--seed", s)[1] for s in ("1", "1", "2"))
    assert first["binding"] == second["binding"] != other["binding"]


def test_a_random_binding_that_cannot_be_reached_proves_nothing() -> None:
    codes = {run("plan", *TOWER, "--grounder", "random", "--seed", str(seed)).returncode for seed in range(3)}
    assert codes <= {ExitCode.SUCCESS, ExitCode.UNSOLVED_INCOMPLETE}


def test_a_goal_without_valid_binding_is_proven_unsolvable(tmp_path: Path) -> None:
    problem = tmp_path / "green.pddl"
    problem.write_text(Path(TOWER[1]).read_text().replace("(blue ?x1)", "(green ?x1)"))
    code, found = run_json("plan", TOWER[0], str(problem))
    assert (code, found["status"], found["plan"]) == (ExitCode.UNSOLVABLE, "unsolvable", None)


def test_a_mistake_in_a_file_is_one_line_with_its_place(tmp_path: Path) -> None:
    problem = tmp_path / "wrong.pddl"
    text = Path(TOWER[1]).read_text().replace("(blue ?x1)", "(blau ?x1)")
    problem.write_text(text)
    number = text[: text.index("blau")].count("\n") + 1
    done = run("plan", TOWER[0], str(problem))
    assert done.returncode == ExitCode.INPUT_ERROR
    first, line, caret = done.stderr.splitlines()
    assert first.startswith(f"{problem}:{number}:8: unknown predicate 'blau'")
    assert line[caret.index("^") :].startswith("blau")
    code, found = run_json("plan", TOWER[0], str(problem))
    assert (code, found["status"]) == (ExitCode.INPUT_ERROR, "error")


@pytest.mark.parametrize("arguments", [["plan"], ["plan", "a", "b", "--time-limit", "-1"], ["fly"]])
def test_wrong_usage_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == ExitCode.USAGE_ERROR
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_time_limits_hold(tmp_path: Path) -> None:
    assert (
        run(
            "generate", "visitall", "--set", "lama", "--size", "100", "--variables", "6", "-o", str(tmp_path)
        ).returncode
        == 0
    )
    problem = next(tmp_path.glob("visitall*.pddl"))
    started = time.monotonic()
    code, found = run_json(
        "plan",
        str(tmp_path / "domain.pddl"),
        str(problem),
        "--grounder",
        "dnf",
        "--planner",
        "lama",
        "--time-limit",
        "2",
    )
    assert time.monotonic() - started < 60
    assert code in (0, *range(20, 25))
    assert (found["status"] == "solved") == (code == 0)


def test_generate_writes_the_same_tasks_for_the_same_seed(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        options = ("--count", "3", "--neq", "--variables", "2", "--seed", "5", "-o", str(tmp_path / folder))
        assert run("generate", "gripper", *options).returncode == 0
    names = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert len(names) == 4
    assert [(tmp_path / "a" / n).read_text() for n in names] == [(tmp_path / "b" / n).read_text() for n in names]


def test_draw_marks_a_binding(tmp_path: Path) -> None:
    output = tmp_path / "tower.svg"
    assert run("draw", *TOWER, "--binding", '{"?x5": "f"}', "-o", str(output)).returncode == 0
    assert output.read_text().lstrip().startswith("<?xml")
    assert run("draw", *TOWER, "--binding", "[]", "-o", str(output)).returncode == ExitCode.INPUT_ERROR


def test_ground_without_revision_binds_every_variable_once() -> None:
    code, found = run_json("ground", *TOWER, "--grounder", "learned", "--no-revise")
    assert code == 0
    assert sorted(step["variable"] for step in found["trace"]) == sorted(found["binding"])


def test_ground_in_a_fixed_order_binds_the_first_variable_first() -> None:
    code, found = run_json("ground", *TOWER, "--grounder", "learned", "--order", "fixed")
    assert code == 0
    assert [step["variable"] for step in found["trace"]] == ["?x1", "?x2", "?x3", "?x4", "?x5"]


def test_ground_looks_at_the_initial_state_first(tmp_path: Path) -> None:
    problem = tmp_path / "true.pddl"
    goal = "(:goal (exists (?x ?y) (and (blue ?x) (on ?x ?y)))))"
    problem.write_text(Path(TOWER[1]).read_text().split("(:goal")[0] + goal)
    code, found = run_json("ground", TOWER[0], str(problem))
    assert (code, found["status"], found["predicted_cost"], found["route"]) == (0, "grounded", 0.0, "initial-state")
    assert found["binding"] == run_json("plan", TOWER[0], str(problem))[1]["binding"]
    assert "the goal is true already" in run("ground", TOWER[0], str(problem), "--explain").stdout


def test_ground_says_that_no_objects_fit(tmp_path: Path) -> None:
    problem = tmp_path / "green.pddl"
    problem.write_text(Path(TOWER[1]).read_text().replace("(blue ?x1)", "(green ?x1)"))
    code, found = run_json("ground", TOWER[0], str(problem))
    assert (code, found["status"], found["route"]) == (ExitCode.UNSOLVABLE, "unsolvable", "candidates")


def test_slips_and_models_of_other_actions_are_told_on_standard_error(tmp_path: Path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    text = Path(TOWER[0]).read_text()
    domain.write_text(text.replace("(:action put-down", "(:action drop :effect (handempty)) (:action put-down"))
    facts = "(clear a) (clear b) (ontable a) (ontable b) (handempty)"
    goal = "(exists (?x ?y) (on ?x ?y))"
    problem.write_text(f"(define (problem p) (:domain blocks) (:objects a, b) (:init {facts}) (:goal {goal}))")
    done = run("plan", str(domain), str(problem), "--model", "blocks")
    assert done.returncode == 0
    first, second = done.stderr.splitlines()
    assert first == f"warning: {problem}:1:49: ',' has no meaning in PDDL, taken for a space"
    assert second == "warning: the model blocks was trained on other actions than those of blocks"
