"""Fast Downward by its driver and without it: its outcomes, and limits that hold whatever happens."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from tests.planning.sliding_tiles import find_processes, write_sliding_tiles

from skolem.planning.fast_downward import run_planner, start_planner
from skolem.planning.limits import Limits
from skolem.planning.translator import Job, Translator
from skolem.planning.translator_pool import (
    borrow_translator,
    close_translators,
    keep_translator,
    keep_translators,
)
from skolem.support.errors import ExitCode

DOMAIN = """
(define (domain switches)
  (:predicates (off ?x) (on ?x))
  (:action turn-on :parameters (?x) :precondition (off ?x) :effect (and (on ?x) (not (off ?x)))))
"""


def write_problem(goal: str) -> str:
    return f"(define (problem p) (:domain switches) (:objects a b c) (:init (off a) (off b)) (:goal {goal}))"


@pytest.fixture(autouse=True, params=["driver", "forked", "spawned"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Whether the driver is started, or translators are kept that do without it."""
    if request.param == "spawned":
        keep_translators()
    with keep_translator() if request.param == "forked" else nullcontext():
        yield request.param
    close_translators()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that holds the temporary files of this test alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("planner", ["lama-first", "lama", "seq-opt-lmcut", "seq-sat-lama-2011", "astar(blind())"])
def test_planners_are_aliases_or_search_strings(planner: str, temporary: Path) -> None:
    result = run_planner(DOMAIN, write_problem("(and (on a) (on b))"), planner, Limits(20, 2000))
    assert result.status == "solved"
    assert sorted(result.plan or ()) == ["(turn-on a)", "(turn-on b)"]
    assert result.cost == 2
    assert result.exit_code == ExitCode.SUCCESS
    assert not list(temporary.iterdir())


def test_a_portfolio_whose_parts_are_all_too_long_is_out_of_time() -> None:
    result = run_planner(DOMAIN, write_problem("(on a)"), "seq-opt-fdss-1", Limits(4, 2000))
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.SEARCH_OUT_OF_TIME)
    assert result.message == "the search ran out of time (4 s)"


def test_quantified_goals_are_understood() -> None:
    assert run_planner(DOMAIN, write_problem("(exists (?x) (on ?x))")).cost == 1


def test_unsolvable_is_a_proof() -> None:
    result = run_planner(DOMAIN, write_problem("(on c)"))
    assert (result.status, result.exit_code, result.plan) == ("unsolvable", ExitCode.UNSOLVABLE, None)


def test_no_proof_is_no_proof() -> None:
    result = run_planner(DOMAIN, write_problem("(on b)"), "astar(blind(), bound=1)")
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.UNSOLVED_INCOMPLETE)


@pytest.mark.parametrize(
    ("planner", "goal", "code", "word"),
    [
        ("lama-last", "(on a)", ExitCode.USAGE_ERROR, "lama-last"),
        ("astar(magic())", "(on a)", ExitCode.USAGE_ERROR, "magic"),
        ("lama-first", "(on nothing)", ExitCode.INPUT_ERROR, "object"),
        ("seq-opt-lmcut", "(exists (?x) (on ?x))", ExitCode.UNSUPPORTED, "axioms"),
    ],
)
def test_errors_say_why(planner: str, goal: str, code: ExitCode, word: str) -> None:
    result = run_planner(DOMAIN, write_problem(goal), planner)
    assert (result.status, result.exit_code) == ("error", code)
    assert word in result.message


def test_wall_time_ends_the_search(temporary: Path) -> None:
    result = run_planner(*write_sliding_tiles(4), "astar(blind())", Limits(2.0, 4000))
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.SEARCH_OUT_OF_TIME)
    assert "2 s" in result.message
    assert not find_processes(temporary)
    assert not list(temporary.iterdir())


def test_wall_time_ends_the_translator() -> None:
    result = run_planner(DOMAIN, write_problem("(on a)"), limits=Limits(0.01))
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.TRANSLATE_OUT_OF_TIME)


def test_memory_ends_the_search() -> None:
    result = run_planner(*write_sliding_tiles(4), "astar(blind())", Limits(60.0, 60))
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.SEARCH_OUT_OF_MEMORY)
    assert "60 MB" in result.message


def test_memory_ends_the_translator() -> None:
    result = run_planner(DOMAIN, write_problem("(on a)"), limits=Limits(60.0, 8))
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.TRANSLATE_OUT_OF_MEMORY)


def test_an_anytime_planner_keeps_its_best_plan() -> None:
    first = run_planner(*write_sliding_tiles(3), "lama-first")
    best = run_planner(*write_sliding_tiles(3), "lama", Limits(3.0, 2000))
    assert best.status == "solved"
    assert best.exit_code == ExitCode.SUCCESS
    assert best.cost is not None
    assert first.cost is not None
    assert best.cost < first.cost
    assert best.plan is not None
    assert len(best.plan) == best.cost


def test_an_anytime_planner_is_stopped_once_its_plan_is_good_enough(temporary: Path) -> None:
    costs: list[float] = []

    def stop(cost: float | None) -> bool:
        costs.extend([] if cost is None else [cost])
        return len(costs) == 3

    result = run_planner(*write_sliding_tiles(3), "lama", Limits(600.0, 2000), stop=stop)
    assert (result.status, len(costs)) == ("solved", 3)
    assert result.cost is not None
    assert result.cost <= costs[2] <= costs[0]
    assert find_processes(temporary) == []


def test_the_first_plan_of_anytime_lama_is_that_of_lama_first() -> None:
    domain, problem = write_sliding_tiles(3)
    first = run_planner(domain, problem, "lama-first", Limits(20.0))
    anytime = run_planner(domain, problem, "lama", Limits(20.0), stop=lambda cost: (cost or 99) < (first.cost or 0))
    assert (anytime.cost or 0) < (first.cost or 0)
    assert anytime.first_cost == first.first_cost == first.cost


def test_an_exception_ends_the_planner(temporary: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name = (subprocess.Popen, "communicate") if way == "driver" else (Translator, "wait")
    wait = getattr(owner, name)

    def fail_once(*args: object, **options: object) -> object:
        monkeypatch.setattr(owner, name, wait)
        raise RuntimeError("something else broke")

    monkeypatch.setattr(owner, name, fail_once)
    with pytest.raises(RuntimeError, match="something else"):
        run_planner(*write_sliding_tiles(4), "astar(blind())", Limits(60.0, 4000))
    assert not find_processes(temporary)
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_ends_this_process_ends_the_planner(tmp_path: Path, way: str, number: signal.Signals) -> None:
    domain, problem = write_sliding_tiles(4)
    # Where the tests run in the background, processes are started with interrupts ignored.
    script = f"""
    import contextlib, signal
    from skolem.planning.fast_downward import run_planner
    from skolem.planning.translator_pool import keep_translator, keep_translators
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if {way == "spawned"}:
        keep_translators()
    with keep_translator() if {way == "forked"} else contextlib.nullcontext():
        run_planner({domain!r}, {problem!r}, "astar(blind())")
    """
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        while not list(tmp_path.glob("*/output.sas")):
            time.sleep(0.05)
        assert find_processes(tmp_path)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    if number == signal.SIGKILL:
        deadline = time.monotonic() + 60
        while find_processes(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.05)
    else:
        assert "KeyboardInterrupt" in errors
        assert not list(tmp_path.iterdir())
    assert not find_processes(tmp_path)


@pytest.mark.parametrize("way", ["forked", "spawned"], indirect=True)
def test_a_translator_serves_one_run_after_another(temporary: Path) -> None:
    for _ in range(3):
        assert run_planner(*write_sliding_tiles(4), "astar(blind())", Limits(1.0)).status == "unsolved"
        assert run_planner(DOMAIN, write_problem("(on a)")).cost == 1
        with borrow_translator() as translator:
            assert translator is not None
    assert not find_processes(temporary)


@pytest.mark.parametrize("way", ["forked", "spawned"], indirect=True)
def test_one_planner_works_beside_another(temporary: Path) -> None:
    with start_planner(*write_sliding_tiles(3), "lama", Limits(60.0)) as run:
        assert run is not None
        for goal in ("(on a)", "(on b)"):
            assert run_planner(DOMAIN, write_problem(goal)).cost == 1
        while run.cost is None:
            time.sleep(0.01)
        result = run.finish(lambda cost: cost is not None)
    assert result is not None
    assert result.status == "solved"
    # The translator is there for the next one.
    assert run_planner(DOMAIN, write_problem("(on a)")).cost == 1
    assert not find_processes(temporary)
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("way", ["forked", "spawned"], indirect=True)
def test_a_planner_that_nobody_waits_for_ends_with_its_context(temporary: Path) -> None:
    with start_planner(*write_sliding_tiles(4), "astar(blind())") as run:
        assert run is not None
        while not list(temporary.glob("*/output.sas")):
            time.sleep(0.01)
    assert not find_processes(temporary)
    assert not list(temporary.iterdir())
    assert run_planner(DOMAIN, write_problem("(on a)")).cost == 1


@pytest.mark.parametrize("way", ["forked"], indirect=True)
def test_a_planner_that_takes_the_driver_gives_nothing_in_the_background(temporary: Path) -> None:
    with start_planner(DOMAIN, write_problem("(on a)"), "seq-sat-fd-autotune-1", Limits(60.0, 20)) as run:
        assert run is not None
        assert run.finish() is None


@pytest.mark.parametrize("way", ["driver"], indirect=True)
def test_no_planner_works_in_the_background_without_a_translator(temporary: Path) -> None:
    with start_planner(DOMAIN, write_problem("(on a)"), "lama") as run:
        assert run is None


@pytest.mark.parametrize("way", ["forked", "spawned"], indirect=True)
def test_a_translator_that_was_killed_is_not_asked_again(way: str) -> None:
    with borrow_translator() as translator:
        assert translator is not None
        os.kill(translator.pid, signal.SIGKILL)
    wait_for_end(translator)
    with borrow_translator() as other:
        assert other is not translator
        assert (other is None) == (way == "forked")
    assert run_planner(DOMAIN, write_problem("(on a)")).cost == 1


def wait_for_end(translator: Translator) -> None:
    deadline = time.monotonic() + 60
    while translator.check() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not translator.alive


@pytest.mark.parametrize("way", ["forked", "spawned"], indirect=True)
def test_a_run_whose_translator_is_killed_is_begun_again(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, killed = Translator.start, list[int]()

    def start_and_kill(translator: Translator, job: Job) -> int:
        number = start(translator, job)
        os.kill(translator.pid, signal.SIGKILL)
        killed.append(translator.pid)
        return number

    monkeypatch.setattr(Translator, "start", start_and_kill)
    result = run_planner(*write_sliding_tiles(3), "lama-first", Limits(60.0))
    assert len(killed) == 1
    assert result.status == "solved"
    assert not find_processes(temporary)


@pytest.mark.parametrize("way", ["spawned"], indirect=True)
def test_the_limits_of_one_run_are_not_those_of_the_next(temporary: Path) -> None:
    assert run_planner(*write_sliding_tiles(4), "astar(blind())", Limits(60.0, 60)).exit_code == (
        ExitCode.SEARCH_OUT_OF_MEMORY
    )
    assert run_planner(*write_sliding_tiles(4), "astar(blind())", Limits(1.0, 4000)).exit_code == (
        ExitCode.SEARCH_OUT_OF_TIME
    )
    assert run_planner(*write_sliding_tiles(3), "lama-first").status == "solved"
    assert not find_processes(temporary)


@pytest.mark.parametrize("way", ["spawned"], indirect=True)
def test_a_translator_outlives_the_thread_that_started_it() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(run_planner, DOMAIN, write_problem("(on a)")).result().cost == 1
    with borrow_translator() as translator:
        assert translator is not None
        first = translator.pid
    assert run_planner(DOMAIN, write_problem("(on a)")).cost == 1
    with borrow_translator() as translator:
        assert translator is not None
        assert translator.pid == first


@pytest.mark.parametrize("way", ["spawned"], indirect=True)
def test_a_forked_process_has_translators_of_its_own() -> None:
    with borrow_translator() as translator:
        assert translator is not None
    child = os.fork()
    if child == 0:
        fine = False
        with suppress(Exception), borrow_translator() as other:
            fine = other is not None and other.pid != translator.pid and not translator.alive
        close_translators()
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert translator.check()
    assert run_planner(DOMAIN, write_problem("(on a)")).cost == 1


def test_parallel_runs_do_not_meet(temporary: Path) -> None:
    goals = ["(on a)", "(on b)", "(and (on a) (on b))", "(on c)"] * 2
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda goal: run_planner(DOMAIN, write_problem(goal)), goals))
    assert [r.cost for r in results] == [1, 1, 2, None] * 2
    assert not list(temporary.iterdir())
