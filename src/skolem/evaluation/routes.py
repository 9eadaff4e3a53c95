"""The routes to a plan that are compared, each measured on one instance in a process of its own."""

import hashlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from skolem import __version__
from skolem.evaluation.configurations import identify_model, spell_request
from skolem.evaluation.store import Record, Runner, Store
from skolem.evaluation.test_sets import TEST_SEED, GeneratedTask, bind_query, make_sample, read_instance
from skolem.families.registry import generate_problem
from skolem.families.suite.registry import generate_suite_problem
from skolem.oracle.costs import OPTIMAL_PLANNER, Oracle
from skolem.planning.fast_downward import PlannerResult, run_planner
from skolem.planning.limits import Clock
from skolem.planning.translator_pool import close_translators, keep_translators
from skolem.planning.validation import validate
from skolem.request import Request
from skolem.solve import ground, solve
from skolem.support.errors import ExitCode, InputError, SkolemError
from skolem.support.files import write_text
from skolem.support.guard import run_guarded
from skolem.task.constraints.candidates import find_candidates

GUARD_SECONDS = 5.0
"""How much longer than its limit a route may take, for what its planner's limit does not cover."""
COLD_ROUTES = ("learned", "bind-axiom")
COLD_REPEATS = 3


@dataclass(frozen=True)
class Spec:
    """Where an instance comes from."""

    family: str
    neq: bool
    index: int
    size: int | None = None
    variables: int | None = None

    def make(self) -> GeneratedTask:
        """The instance."""
        return generate_problem(
            self.family, "lama", TEST_SEED, self.index, size=self.size, variables=self.variables, neq=self.neq
        )


@dataclass(frozen=True)
class SuiteSpec(Spec):
    """Where an instance of the suite's test sets comes from."""

    def make(self) -> GeneratedTask:
        """The instance."""
        return generate_suite_problem(self.family, "test", TEST_SEED, self.index, size=self.size)


@dataclass(frozen=True)
class Settings:
    """What is the same for all trials of a run."""

    request: Request
    """Limits, seed and model; the grounder is the trial's route."""
    jobs: int = 1
    threads: int = 1
    """Threads of the network."""


@dataclass(frozen=True)
class Trial:
    """One route on one instance."""

    group: str
    """The table it belongs to."""
    spec: Spec
    route: str
    settings: Settings

    @property
    def key(self) -> str:
        """What tells its record from all others: the task's text, the route, its limit, what it depends on."""
        route = f"{self.route}/{self.settings.request.limits.seconds:g}s"
        return f"{self.group}/{name_task(self.spec)}/{route}/{self.depends_on}/{__version__}"

    @property
    def grounder(self) -> str:
        """What chooses the objects."""
        return "learned" if self.route == BEST_FOR_LEARNED else self.route

    @property
    def depends_on(self) -> str:
        """What else than the task, the route and the version decides its outcome."""
        request = self.settings.request
        if self.route in MODELLED:
            model = identify_model(replace(request, grounder=self.grounder), self.spec.family)
            return f"{model}-{request.scores or 'usual'}-{request.order}"
        return f"seed{request.seed}" if self.route == "random-valid" else "-"


_TRIVIAL_TASK = (
    "(define (domain trivial) (:predicates (done)) (:action finish :parameters () :effect (done)))",
    "(define (problem trivial) (:domain trivial) (:init) (:goal (done)))",
)


def make_settings(request: Request, jobs: int) -> Settings:
    """The settings of a run: the network has all threads where one job runs at a time, else one."""
    import torch

    return Settings(request, jobs, 1 if jobs > 1 else torch.get_num_threads())


def check_routes(routes: Iterable[str]) -> None:
    """An InputError if there is no such route."""
    unknown = sorted(set(routes) - set(ROUTES))
    if unknown:
        raise InputError(f"unknown route {unknown[0]}: expected one of {', '.join(ROUTES)}")


def run_trials(title: str, trials: Sequence[Trial], runner: Runner) -> list[Record]:
    """The records of the trials in their order."""
    with runner.progress(title, len(trials), "trials") as report:
        return runner.run(run_trial, [(trial.key, trial) for trial in trials], report)


def run_trial(trial: Trial) -> Record:
    """The record of a trial, whatever happens in it; only an interrupt ends the evaluation."""
    instance, limits = trial.spec.make(), trial.settings.request.limits
    if trial.route in MODELLED:
        warm_up(trial.spec.family, trial.settings.request)
    told: list[str] = []
    with tempfile.TemporaryDirectory(prefix="skolem-") as folder:
        answer = Path(folder, "answer.json")

        def work() -> int:
            # Started and loaded before the clock, as `skolem plan` has it by the time that it needs it.
            keep_translators()
            run_planner(*_TRIVIAL_TASK)
            if trial.route in MODELLED:
                _set_threads(trial.settings.threads)
            write_text(answer, json.dumps(_measure_safely(trial, instance)))
            return 0

        seconds = None if limits.seconds is None else limits.seconds + GUARD_SECONDS
        code = run_guarded(work, seconds, limits.memory_mb, lambda _, message: told.append(message))
        if code == 128 + signal.SIGINT:
            raise KeyboardInterrupt
        if answer.exists():
            found = json.loads(answer.read_text(encoding="utf-8"))
        else:
            found = _fail(code, told[-1] if told else f"its process ended with code {code}", limits.seconds)
    return {
        "group": trial.group,
        "family": instance.family,
        "neq": instance.neq,
        "index": instance.index,
        "size": instance.size,
        "variables": instance.variables,
        **count_bindings(trial.spec),
        "task": hash_text(instance.problem_text),
        "route": trial.route,
        **found,
        "limit": limits.seconds,
        "memory_limit": limits.memory_mb,
        "jobs": trial.settings.jobs,
        "depends_on": trial.depends_on,
        "version": __version__,
    }


@cache
def warm_up(family: str, request: Request) -> None:
    """Opens the model and scores a small goal, with one thread: a process with more cannot be forked."""
    _set_threads(1)
    learned = replace(request, grounder="learned")
    if identify_model(learned, family):
        ground(read_instance(make_sample(family)), learned)


@cache
def name_task(spec: Spec) -> str:
    """What tells an instance from all others, its text included."""
    task = spec.make()
    setting = "neq" if task.neq else "eq"
    return f"{task.family}/{setting}/{task.index}-{task.size}-{task.variables}/{hash_text(task.problem_text)}"


@cache
def count_bindings(spec: Spec) -> dict[str, int]:
    """How many bindings a goal has, over all objects and over the candidates of each variable."""
    task = read_instance(spec.make())
    candidates = find_candidates(task.query, task.statics, len(task.objects)).sum(axis=1).tolist()
    return {"bindings": len(task.objects) ** len(candidates), "candidate_bindings": math.prod(candidates)}


def hash_text(text: str) -> str:
    """A short checksum of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


def _set_threads(count: int) -> None:
    os.environ["SKOLEM_THREADS"] = str(count)


def _measure_safely(trial: Trial, instance: GeneratedTask) -> Record:
    clock = Clock.begin(trial.settings.request.limits)
    try:
        found = ROUTES[trial.route](trial, instance, clock)
    except SkolemError as error:
        found = _fail(error.exit_code, str(error).splitlines()[0], clock.elapsed)
    except MemoryError:
        found = _fail(ExitCode.TRANSLATE_OUT_OF_MEMORY, "the memory limit was reached", clock.elapsed)
    except Exception as error:
        found = _fail(ExitCode.DRIVER_CRITICAL_ERROR, f"internal error: {error!r}"[:300], clock.elapsed)
    # What a planner took is counted once the process that started it has ended.
    close_translators()
    # This process is a copy of the evaluation's: its own memory says something only about the network.
    counted = [resource.RUSAGE_CHILDREN] + [resource.RUSAGE_SELF] * (trial.route in MODELLED)
    used = max(resource.getrusage(who).ru_maxrss for who in counted)
    found["times"] = {name: round(seconds, 4) for name, seconds in found["times"].items()}
    return {**found, "memory": used // 1024}


def _fail(code: int, reason: str, seconds: float | None) -> Record:
    status = "unsolved" if code < ExitCode.TRANSLATE_CRITICAL_ERROR else "error"
    return {
        "status": status,
        "exit_code": int(code),
        "cost": None,
        "reason": reason,
        "times": {"total": seconds or 0.0},
        "memory": None,
    }


def _solve(trial: Trial, instance: GeneratedTask, clock: Clock, *planners: str) -> Record:
    """What `skolem plan --grounder ROUTE` does, with the first of the planners that takes the task."""
    task = read_instance(instance)
    read = clock.elapsed
    request = replace(trial.settings.request, grounder=trial.grounder)
    for planner in planners or (request.planner,):
        solution = solve(task, replace(request, planner=planner), clock)
        if solution.exit_code != ExitCode.UNSUPPORTED:
            break
    times = {"read": read, **solution.times, "total": clock.elapsed}
    binding = solution.binding
    return {
        "status": solution.status,
        "exit_code": int(solution.exit_code),
        "cost": solution.cost,
        "by": solution.route,
        "binding": binding,
        "valid": binding is not None and bind_query(task, binding) is not None,
        "reason": solution.message,
        "times": times,
    }


def _plan_raw(planner: str, trial: Trial, instance: GeneratedTask, clock: Clock) -> Record:
    """Fast Downward on the files as they are."""
    result = run_planner(instance.domain_text, instance.problem_text, planner, clock.left())
    return _judge(instance, result, {"plan": clock.elapsed, "total": clock.elapsed})


def _remove_quantifiers(trial: Trial, instance: GeneratedTask, clock: Clock) -> Record:
    """unified-planning expands the quantifiers, then Fast Downward plans."""
    with tempfile.TemporaryDirectory(prefix="skolem-") as folder:
        files = [Path(folder, name) for name in ("domain.pddl", "problem.pddl", "domain-out.pddl", "problem-out.pddl")]
        write_text(files[0], instance.domain_text)
        write_text(files[1], instance.problem_text)
        command = [sys.executable, "-m", "skolem.evaluation.unified", *map(str, files)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=clock.left().seconds, check=False)
        except subprocess.TimeoutExpired:
            return _fail(ExitCode.TRANSLATE_OUT_OF_TIME, "removing the quantifiers ran out of time", clock.elapsed)
        expanded = clock.elapsed
        if run.returncode != 0:
            last = (run.stderr.strip() or f"exit code {run.returncode}").splitlines()[-1][:300]
            no_memory = "MemoryError" in last or run.returncode in (-signal.SIGKILL, -signal.SIGABRT)
            code = ExitCode.TRANSLATE_OUT_OF_MEMORY if no_memory else ExitCode.UNSUPPORTED
            return _fail(code, f"removing the quantifiers failed: {last}", clock.elapsed)
        texts = [path.read_text(encoding="utf-8") for path in files[2:]]
    result = run_planner(texts[0], texts[1], "lama-first", clock.left())
    times = {"ground": expanded, "plan": clock.elapsed - expanded, "total": clock.elapsed}
    return _judge(instance, result, times)


def _judge(instance: GeneratedTask, result: PlannerResult, times: dict[str, float]) -> Record:
    """The record of a planner's outcome; its plan is validated against the quantified goal, off the clock."""
    record = {
        "status": result.status,
        "exit_code": int(result.exit_code),
        "cost": result.cost,
        "reason": result.message,
        "times": times,
    }
    if result.plan is None:
        return record
    check = validate(read_instance(instance), result.plan)
    if not check.valid:
        reason = f"the planner's plan is not valid: {check.reason}"
        return {**record, **_fail(ExitCode.INVALID_PLAN, reason, None), "times": times}
    return {**record, "binding": check.binding}


def _find_optimum(trial: Trial, instance: GeneratedTask, clock: Clock) -> Record:
    """V*, by the oracle's method for large tasks."""
    result = Oracle(planner_limits=clock.left()).find_cost_by_planner(read_instance(instance))
    codes = {"reachable": ExitCode.SUCCESS, "unreachable": ExitCode.UNSOLVABLE, "limit": ExitCode.SEARCH_OUT_OF_TIME}
    return {
        "status": {"reachable": "solved", "unreachable": "unsolvable", "limit": "unsolved"}[result.status],
        "exit_code": int(codes[result.status]),
        "cost": result.cost,
        "reason": result.message,
        "times": {"total": clock.elapsed},
    }


LEARNED = ("learned", "auto")
"""The routes that are answers of `skolem plan` with a model."""
BEST_FOR_LEARNED = "learned-optimal"
"""The learned binding with the cheapest plan for it: what the binding itself is worth, whatever the planner is."""
MODELLED = (*LEARNED, BEST_FOR_LEARNED)
"""All routes that a model takes part in."""
OPTIMAL_PLANNERS = (OPTIMAL_PLANNER, "astar(blind())")
"""The second one is for axioms and conditional effects, which the first refuses."""
REWRITINGS = ("bind-axiom", "end", "miniscope")
"""The exact rewritings of the goal."""

ROUTES: Mapping[str, Callable[[Trial, GeneratedTask, Clock], Record]] = {
    **dict.fromkeys((*LEARNED, *REWRITINGS, "exact", "random-valid"), _solve),
    BEST_FOR_LEARNED: lambda trial, instance, clock: _solve(trial, instance, clock, *OPTIMAL_PLANNERS),
    "lama": partial(_plan_raw, "lama-first"),
    "lama-anytime": partial(_plan_raw, "lama"),
    "unified-planning": _remove_quantifiers,
    "v-star": _find_optimum,
}


def measure_cold_starts(trials: Iterable[Trial], store: Store) -> list[Record]:
    """The records of fresh processes that solve each family's first instance by the routes tried, one after another."""
    found = []
    for family, route, settings in dict.fromkeys((t.spec.family, t.route, t.settings) for t in trials):
        request = replace(settings.request, grounder=route)
        for repeat in range(COLD_REPEATS if route in COLD_ROUTES else 0):
            key = f"cold/{family}/{route}/{repeat}/{identify_model(request, family) or '-'}/{__version__}"
            if store.get(key) is None:
                store.add(key, _measure_cold_start(family, request))
            found.append(store.fetch(key))
    return found


def _measure_cold_start(family: str, request: Request) -> Record:
    """How long the command line takes in a fresh process for a family's first instance."""
    instance = Spec(family, False, 0).make()
    with tempfile.TemporaryDirectory(prefix="skolem-") as folder:
        files = [Path(folder, "domain.pddl"), Path(folder, "problem.pddl")]
        write_text(files[0], instance.domain_text)
        write_text(files[1], instance.problem_text)
        command = [sys.executable, "-m", "skolem.cli", "plan", *map(str, files), "--json"]
        command += ["--grounder", request.grounder, *spell_request(request)]
        start = time.monotonic()
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        wall = time.monotonic() - start
    solved = run.returncode == 0
    return {
        "group": "cold",
        "family": family,
        "neq": False,
        "index": 0,
        "task": hash_text(instance.problem_text),
        "route": request.grounder,
        "status": "solved" if solved else "error",
        "reason": "" if solved else f"exit code {run.returncode}: {run.stderr.strip()[-300:]}",
        "times": {**(json.loads(run.stdout)["times"] if solved else {}), "wall": round(wall, 4)},
        "version": __version__,
    }
