"""`import skolem` as a program uses it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calls import run_json
from tests.planning.sliding_tiles import find_processes, write_sliding_tiles

import skolem
from skolem.planning.translator_pool import borrow_translator, close_translators
from skolem.support.errors import ExitCode, InputError, LimitError, UnsupportedError, UsageError

EXAMPLES = Path(__file__).parents[2] / "examples"
DOMAIN, TOWER = EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl"
CLIQUE = (EXAMPLES / "colouring" / "domain.pddl", EXAMPLES / "colouring" / "clique.pddl")
SWITCHES = """(define (domain switches) (:predicates (off ?x) (on ?x) (red ?x))
  (:action turn-on :parameters (?x) :precondition (off ?x) :effect (and (on ?x) (not (off ?x)))))"""


def write_switches(goal: str, init: str = "(off a) (off b) (red b)") -> str:
    return f"(define (problem p) (:domain switches) (:objects a b c) (:init {init}) (:goal {goal}))"


@pytest.fixture(autouse=True)
def no_translators() -> Iterator[None]:
    yield
    close_translators()


def test_a_whole_program() -> None:
    assert skolem.plan(DOMAIN, TOWER).cost == 9


@pytest.mark.parametrize("make", [str, Path, lambda path: path.read_text()], ids=["str", "path", "text"])
def test_paths_and_texts_are_the_same(make: object) -> None:
    assert callable(make)
    task = skolem.read(make(DOMAIN), make(TOWER))
    assert isinstance(task, skolem.Task)
    assert task.name == "tower"
    assert skolem.ground(task).binding == skolem.ground(make(DOMAIN), make(TOWER)).binding


def test_a_task_is_read_once_and_used_many_times() -> None:
    task = skolem.read(SWITCHES, write_switches("(exists (?x) (on ?x))"))
    assert skolem.plan(task).task is task
    assert skolem.candidates(task) == {"?x": ("a", "b", "c")}
    with pytest.raises(TypeError, match="has its problem already"):
        skolem.plan(task, TOWER)
    with pytest.raises(TypeError, match="a domain and a problem"):
        skolem.plan(DOMAIN)


def test_results_are_those_of_the_command_line() -> None:
    solution = skolem.plan(DOMAIN, TOWER, grounder="exact")
    code, shown = run_json("plan", str(DOMAIN), str(TOWER), "--grounder", "exact")
    own = solution.to_dict()
    assert own.keys() == shown.keys()
    assert own["times"].keys() == shown["times"].keys()
    assert {**own, "times": 0} == {**shown, "times": 0}
    assert int(solution.exit_code) == code
    grounding = skolem.ground(DOMAIN, TOWER)
    _, shown = run_json("ground", str(DOMAIN), str(TOWER))
    assert json.loads(json.dumps({**grounding.to_dict(), "times": 0})) == {**shown, "times": 0}


def test_errors_are_those_of_the_command_line(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.pddl"
    faulty.write_text(write_switches("(exists (?x) (onn ?x))"))
    domain = tmp_path / "domain.pddl"
    domain.write_text(SWITCHES)
    with pytest.raises(skolem.SkolemError) as caught:
        skolem.plan(domain, faulty)
    _, shown = run_json("plan", str(domain), str(faulty))
    assert str(caught.value) == shown["message"]
    with pytest.raises(InputError, match=r"^<problem>:1:\d+: unknown predicate 'onn'"):
        skolem.read(SWITCHES, faulty.read_text())


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"nowhere.pddl:1:1: cannot be read"):
        skolem.read("nowhere.pddl", TOWER)


def test_what_is_asked_for_must_be_there() -> None:
    with pytest.raises(UsageError, match="unknown grounder 'magic', expected one of auto"):
        skolem.plan(DOMAIN, TOWER, grounder="magic")
    with pytest.raises(InputError, match="there is no model nothing"):
        skolem.load_model("nothing")
    with pytest.raises(TypeError, match="colour"):
        skolem.plan(DOMAIN, TOWER, colour="red")  # type: ignore[call-arg]


def test_no_objects_fit() -> None:
    solution = skolem.plan(*CLIQUE)
    assert (solution.status, solution.exit_code, solution.plan) == ("unsolvable", ExitCode.UNSOLVABLE, None)
    assert skolem.ground(*CLIQUE).problem is None
    assert set(skolem.candidates(*CLIQUE).values()) == {()}


def test_candidates_of_alternatives_come_together() -> None:
    goal = "(or (exists (?x) (and (red ?x) (on ?x))) (exists (?y) (on ?y)))"
    found = skolem.candidates(SWITCHES, write_switches(goal))
    assert found == {"?x": ("b",), "?y": ("a", "b", "c")}
    assert found.to_dict() == {"?x": ["b"], "?y": ["a", "b", "c"]}


def test_the_grounded_problem_is_a_problem() -> None:
    grounding = skolem.ground(DOMAIN, TOWER)
    assert grounding.problem is not None
    assert skolem.read(DOMAIN, grounding.problem).goal.variables == ()
    assert skolem.plan(DOMAIN, grounding.problem).cost == 9


def test_a_goal_with_forall_is_grounded_whole_by_a_witness() -> None:
    goal = "(and (forall (?x) (imply (red ?x) (on ?x))) (exists (?y) (and (on ?y) (not (red ?y)))))"
    grounding = skolem.ground(SWITCHES, write_switches(goal))
    assert grounding.binding == {"?y": "a"}
    assert "exists" not in (grounding.problem or "")
    assert "forall" not in (grounding.problem or "")


def test_validation_takes_files_texts_and_steps(tmp_path: Path) -> None:
    solution = skolem.plan(DOMAIN, TOWER)
    solution.save(tmp_path / "plan")
    assert solution.plan is not None
    for plan in (tmp_path / "plan", str(tmp_path / "plan"), str(solution), solution.plan, list(solution.plan)):
        assert skolem.validate(DOMAIN, TOWER, plan)
    task = skolem.read(DOMAIN, TOWER)
    check = skolem.validate(task, solution.plan[:-1])
    assert not check
    assert check.to_dict()["reason"].startswith("every step can be taken")
    with pytest.raises(InputError, match=r"<plan>:1:1: not a step"):
        skolem.validate(task, ["stack a b"])


def test_a_model_stays_in_memory() -> None:
    model = skolem.load_model("blocks")
    assert skolem.plan(DOMAIN, TOWER, model=model).route.startswith("learned")
    assert model.load() is skolem.load_model("blocks").load()


def test_a_model_of_other_actions_is_warned_of() -> None:
    rest = "(:action rest :parameters () :effect (handempty))"
    domain = DOMAIN.read_text().replace("(:action put-down", f"{rest} (:action put-down")
    with pytest.warns(UserWarning, match="was trained on other actions than those of blocks"):
        assert skolem.ground(domain, TOWER, model="blocks").binding is not None


def test_pictures_are_drawn_by_several_threads() -> None:
    task = skolem.read(DOMAIN, TOWER)
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: skolem.draw(task).svg, range(8)))) == 1


def test_pictures_and_tables_for_notebooks(tmp_path: Path) -> None:
    task = skolem.read(DOMAIN, TOWER)
    solution = skolem.plan(task)
    drawing = skolem.draw(task, binding=solution.binding, output=tmp_path / "tower.svg")
    assert (tmp_path / "tower.svg").read_text() == drawing.svg == solution._repr_svg_()
    assert (task._repr_svg_() or "").startswith("<?xml")
    html = solution._repr_html_()
    assert "<svg" in html
    assert "<td>?x1</td>" in html
    assert "cost 9" in html
    assert "predicted cost" in skolem.ground(task)._repr_html_()
    assert "<td>?x1</td>" in skolem.candidates(task)._repr_html_()
    assert "not valid" in skolem.validate(task, [])._repr_html_()
    assert repr(task).startswith("<Task tower: domain blocks, 8 objects")


def test_without_a_drawing_library_there_are_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    solution = skolem.plan(SWITCHES, write_switches("(exists (?x) (on ?x))"))
    assert solution._repr_svg_() is None
    assert "<table>" in solution._repr_html_()


class TestPlannerOfOnesOwn:
    def test_it_is_given_the_grounded_problem(self) -> None:
        given: list[tuple[str, str, float | None]] = []

        def turn_on(domain: str, problem: str, seconds: float | None) -> list[str]:
            given.append((domain, problem, seconds))
            return [f"(turn-on {name})" for name in "ab" if f"(on {name})" in problem.split(":goal")[1]]

        problem = write_switches("(exists (?x) (and (red ?x) (on ?x)))")
        solution = skolem.plan(SWITCHES, problem, planner=turn_on, time_limit=60)
        assert (solution.plan, solution.cost, solution.valid) == (("(turn-on b)",), 1, True)
        assert solution.binding == {"?x": "b"}
        ((domain, text, seconds),) = given
        assert domain == SWITCHES
        assert "exists" not in text
        assert 0 < (seconds or 0) < 60

    def test_its_plan_is_validated(self) -> None:
        problem = write_switches("(exists (?x) (and (red ?x) (on ?x)))")
        solution = skolem.plan(SWITCHES, problem, planner=lambda *given: ["(turn-on a)"])
        assert (solution.status, solution.exit_code) == ("error", ExitCode.INVALID_PLAN)
        assert not solution.valid

    def test_that_it_finds_nothing_proves_nothing(self) -> None:
        solution = skolem.plan(SWITCHES, write_switches("(exists (?x) (on ?x))"), planner=lambda *given: None)
        assert (solution.status, solution.exit_code) == ("unsolved", ExitCode.UNSOLVED_INCOMPLETE)

    def test_what_cannot_be_reached_is_proven_without_it(self) -> None:
        problem = write_switches("(exists (?x) (and (on ?x) (off ?x)))")
        solution = skolem.plan(SWITCHES, problem, planner=lambda *given: pytest.fail("nothing to plan for"))
        assert (solution.status, solution.exit_code) == ("unsolvable", ExitCode.UNSOLVABLE)

    def test_several_learned_bindings_are_tried(self) -> None:
        asked: list[str] = []
        assert skolem.plan(DOMAIN, TOWER, planner=lambda d, p, s: asked.append(p)).status == "unsolved"
        assert 3 <= len(asked) <= 4
        assert len(set(asked)) == len(asked)

    def test_when_time_runs_out_that_is_the_answer(self) -> None:
        def wait(domain: str, problem: str, seconds: float | None) -> None:
            time.sleep(1.5)

        solution = skolem.plan(DOMAIN, TOWER, planner=wait, time_limit=3)
        assert (solution.status, solution.exit_code) == ("unsolved", ExitCode.TRANSLATE_OUT_OF_TIME)
        assert "time limit" in solution.message

    def test_a_lower_bound_is_found_for_its_plan(self) -> None:
        problem = write_switches("(exists (?x) (and (red ?x) (on ?x)))")
        solution = skolem.plan(SWITCHES, problem, planner=lambda *given: ["(turn-on b)"], bound=30)
        assert (solution.cost, solution.bound, solution.optimal) == (1, 1, True)

    def test_efforts_are_those_of_other_planners(self) -> None:
        problem = write_switches("(exists (?x) (on ?x))")
        with pytest.raises(skolem.SkolemError, match="effort is 'best', expected none beside a planner that is"):
            skolem.plan(SWITCHES, problem, planner=lambda *given: None, effort="best")

    def test_its_own_errors_are_not_hidden(self) -> None:
        def fail(*given: object) -> list[str]:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            skolem.plan(DOMAIN, TOWER, planner=fail)


class TestThreads:
    def test_eight_threads_plan_at_once(self) -> None:
        goals = [
            "(exists (?x) (on ?x))",
            "(exists (?x) (and (red ?x) (on ?x)))",
            "(exists (?x ?y) (and (on ?x) (off ?y)))",
        ]
        problems = [write_switches(goals[number % 3]) for number in range(24)]
        with ThreadPoolExecutor(8) as pool:
            switches = [pool.submit(skolem.plan, SWITCHES, problem) for problem in problems]
            towers = [pool.submit(skolem.plan, DOMAIN, TOWER) for _ in range(8)]
        assert [solution.result().cost for solution in switches] == [1] * 24
        first = towers[0].result()
        assert all(tower.result().plan == first.plan and tower.result().valid for tower in towers)

    def test_a_helper_that_was_killed_is_replaced(self) -> None:
        problem = write_switches("(exists (?x) (on ?x))")
        assert skolem.plan(SWITCHES, problem).cost == 1
        with borrow_translator() as translator:
            assert translator is not None
            os.kill(translator.pid, signal.SIGKILL)
        with ThreadPoolExecutor(4) as pool:
            assert [s.cost for s in pool.map(lambda _: skolem.plan(SWITCHES, problem), range(8))] == [1] * 8

    def test_limits_hold_for_each_call(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        hard, easy = write_sliding_tiles(4), (SWITCHES, write_switches("(exists (?x) (on ?x))"))
        with ThreadPoolExecutor(3) as pool:
            late = pool.submit(skolem.plan, *hard, planner="astar(blind())", time_limit=2)
            large = pool.submit(skolem.plan, *hard, planner="astar(blind())", memory_limit=60)
            free = pool.submit(skolem.plan, *easy)
        assert late.result().exit_code == ExitCode.SEARCH_OUT_OF_TIME
        assert large.result().exit_code == ExitCode.SEARCH_OUT_OF_MEMORY
        assert free.result().cost == 1
        assert not find_processes(tmp_path)

    def test_no_time_at_all(self) -> None:
        with pytest.raises(LimitError):
            skolem.plan(SWITCHES, write_switches("(exists (?x) (on ?x))"), time_limit=0)

    def test_helpers_end_with_the_program(self, tmp_path: Path) -> None:
        script = f"""
import threading, skolem
from skolem.planning.translator_pool import borrow_translator
thread = threading.Thread(target=skolem.plan, args=({SWITCHES!r}, {write_switches("(exists (?x) (on ?x))")!r}))
thread.start()
thread.join()
with borrow_translator() as translator:
    print(translator.pid)
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        deadline = time.monotonic() + 20
        while Path(f"/proc/{done.stdout.strip()}").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not Path(f"/proc/{done.stdout.strip()}").exists()
        assert done.stderr == ""


def test_an_import_is_light() -> None:
    script = "import sys, skolem; print(skolem.__version__, 'numpy' in sys.modules, 'plan' in dir(skolem))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1:] == ["False", "True"]


def test_every_name_is_there() -> None:
    assert all(getattr(skolem, name) for name in skolem.__all__)
    with pytest.raises(AttributeError, match="no attribute 'plann'"):
        skolem.plann  # noqa: B018


def test_a_random_grounder_cannot_take_every_goal() -> None:
    with pytest.raises(UnsupportedError):
        skolem.ground(SWITCHES, write_switches("(forall (?x) (on ?x))"), grounder="random")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effort": "most"}, "unknown effort 'most', expected one of fast, default, best"),
        ({"scores": "none"}, "unknown scores 'none'"),
        ({"order": "worst"}, "unknown order 'worst'"),
        ({"width": 0}, "width is 0, expected a number from 1 on"),
        ({"time_limit": "5"}, "time_limit is '5', expected a number"),
        ({"time_limit": float("nan")}, "time_limit is nan"),
        ({"memory_limit": -1}, "memory_limit is -1"),
        ({"bound": -1}, "bound is -1"),
    ],
)
def test_an_option_of_a_wrong_value_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(skolem.SkolemError, match=message):
        skolem.plan(DOMAIN, TOWER, **options)


@pytest.mark.parametrize("options", [{"planner": None}, {"planner": 3}, {"limit": 3}])
def test_an_option_of_a_wrong_type_or_name_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="expected"):
        skolem.plan(DOMAIN, TOWER, **options)


@pytest.mark.parametrize("why", [{"x1": "a"}, ["x1=a"], [{"x1": 3}]])
def test_a_question_of_a_wrong_type_is_refused(why: Any) -> None:
    with pytest.raises(TypeError, match="is no question, expected one such as"):
        skolem.explain(DOMAIN, TOWER, why=why)


def test_an_own_planner_may_return_the_text_of_a_plan() -> None:
    problem = write_switches("(exists (?x) (on ?x))")
    text = "\n".join(skolem.plan(SWITCHES, problem).plan or ())
    assert skolem.plan(SWITCHES, problem, planner=lambda *_: f"{text}\n; cost = 1\n").valid


@pytest.mark.parametrize("found", [3, [3], [("turn-on", "a")], b"(turn-on a)"])
def test_what_is_no_plan_of_an_own_planner_is_named(found: Any) -> None:
    with pytest.raises(TypeError, match=r"the planner returned .*, expected a list"):
        skolem.plan(SWITCHES, write_switches("(exists (?x) (on ?x))"), planner=lambda *_: found)
