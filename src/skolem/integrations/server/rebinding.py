"""The answer to a question about a changed world: the binding is kept while it is good, else there is another one.

It is good while the rest of its plan still leads to the goal and nothing cheaper is in sight. Where the world only
went the way that the plan foresaw, that is known without asking a model or a planner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from skolem.grounders import LEARNED, make_grounder
from skolem.planning.limits import Clock
from skolem.planning.successors import Simulator
from skolem.planning.validation import validate
from skolem.request import Request, Solution
from skolem.rival import CLOSE
from skolem.solve import answer_at_once, solve
from skolem.support.errors import ExitCode, InputError, SkolemError
from skolem.task.model import Task
from skolem.task.query import Relations
from skolem.task.satisfaction import satisfy
from skolem.why import force_objects

MOST_FORESEEN = 500
"""Of so many steps of a plan the states are remembered."""


@dataclass(frozen=True)
class Held:
    """The last answer: objects, steps, cost, the goal it was for, and marks of the states that it leads through."""

    binding: Mapping[str, str]
    plan: tuple[str, ...]
    cost: int
    goal: str
    foreseen: tuple[str, ...]


@dataclass(frozen=True)
class SessionAnswer:
    """A solution, whether it has the objects of the last one, whether it has the rest of its steps, and why."""

    solution: Solution
    kept: bool
    replanned: bool
    why: str


def answer_again(task: Task, goal: str, held: Held | None, request: Request, clock: Clock) -> SessionAnswer:
    """The answer for a task as it is now, after the last answer; `goal` is the goal's text."""
    at_once = answer_at_once(task)
    if at_once is not None:
        same = held is not None and at_once.binding == held.binding
        return SessionAnswer(at_once, same, True, at_once.message)
    if held is None:
        return SessionAnswer(solve(task, request, clock), False, True, "the first question about this world")
    changed = _find_change(task, goal, held)
    if changed:
        return _solve_again(task, held, request, clock, changed)

    # The world may have gone the way that the plan foresaw: nothing else can have become cheaper.
    simulator = Simulator(task)
    mark = mark_state(task, goal, simulator.read(simulator.start))
    if mark in held.foreseen:
        rest = held.plan[held.foreseen.index(mark) :]
        check = validate(task, rest)
        if check.valid and check.cost is not None:
            return SessionAnswer(_continue(held, rest, check.cost), True, False, "the plan goes on as foreseen")

    # Something else happened: the rest of the plan may still do, unless the model sees something cheaper.
    rest, cost, why = _find_rest(task, held)
    if cost is None:
        return _solve_again(task, held, request, clock, why)
    kept = SessionAnswer(_continue(held, rest, cost), True, False, "the plan still leads to the goal")
    if cost <= _find_least_cost(task):
        return kept
    predicted = _predict(task, request)
    if predicted is not None and cost <= CLOSE[0] * predicted + CLOSE[1]:
        return replace(kept, why="the plan still leads to the goal, and nothing cheaper is in sight")
    again = _solve_again(task, held, request, clock, "")
    if again.solution.cost is None or again.solution.cost >= cost:
        return replace(kept, why="the plan still leads to the goal, and nothing cheaper was found")
    return replace(again, why=f"something cheaper came: cost {again.solution.cost} instead of {cost}")


def hold(task: Task, goal: str, solution: Solution) -> Held | None:
    """What is to be remembered of an answer; nothing if there is no plan."""
    if solution.plan is None or solution.cost is None:
        return None
    simulator = Simulator(task)
    state = simulator.start
    marks = [mark_state(task, goal, simulator.read(state))]
    for step in solution.plan[:MOST_FORESEEN]:
        state = simulator.take(state, step).state
        marks.append(mark_state(task, goal, simulator.read(state)))
    return Held(solution.binding or {}, solution.plan, solution.cost, goal, tuple(marks))


def mark_state(task: Task, goal: str, state: Relations) -> str:
    """A checksum of all that an answer depends on: objects, types, values, the goal, and what is true."""
    relations = {**task.init, **state}
    names = task.objects
    facts = sorted(
        f"{name} {' '.join(names[o] for o in row)}"
        for name, rows in relations.items()
        if name not in task.domain.derived
        for row in rows.tolist()
    )
    said = [goal, *sorted(names), *(f"{' '.join(term)} {value}" for term, value in sorted(task.values.items())), *facts]
    return sha256("\n".join(said).encode()).hexdigest()[:24]


def _find_change(task: Task, goal: str, held: Held) -> str:
    """Why the last binding cannot be kept whatever the plan is; empty if it may be."""
    if goal != held.goal:
        return "the goal is another one"
    gone = [name for name in dict.fromkeys(held.binding.values()) if name not in task.index]
    if gone:
        return f"{', '.join(gone)} {'is' if len(gone) == 1 else 'are'} gone"
    return ""


def _find_rest(task: Task, held: Held) -> tuple[tuple[str, ...], int | None, str]:
    """The shortest rest of the plan that leads to the goal with the same objects, its cost, or why there is none."""
    bound = _bind_goal(task, held.binding)
    simulator = Simulator(task)
    farthest, why = -1, ""
    for first in range(len(held.plan) - 1, -1, -1):
        state, cost, rest = simulator.start, 0, held.plan[first:]
        for number, step in enumerate(rest):
            try:
                after = simulator.take(state, step)
            except InputError as fault:
                # Of all that could be the rest of the plan, the one that gets farthest tells most.
                if number > farthest:
                    farthest, why = number, f"the plan cannot go on: {step}: {fault}"
                break
            state, cost = after.state, cost + after.cost
        else:
            if satisfy(bound, simulator.read(state)) is not None:
                return rest, cost, ""
            farthest, why = len(held.plan), "the plan does not lead to the goal any more"
    return (), None, why


def _bind_goal(task: Task, binding: Mapping[str, str]) -> Task:
    """The task whose goal must have the objects of a binding, as far as its variables are those of the goal."""
    try:
        return force_objects(task, binding) if binding else task
    except InputError:
        return task


def _find_least_cost(task: Task) -> int:
    """What a plan costs at least where the goal is not true yet."""
    return 0 if task.has_metric else 1


def _predict(task: Task, request: Request) -> float | None:
    """What the model predicts for the best binding, where there is one that predicts what plans cost."""
    if request.grounder not in LEARNED:
        return None
    try:
        grounder = make_grounder(task, request)
        return grounder.ground(task).predicted_cost if grounder.predicts else None
    except SkolemError:
        return None


def _continue(held: Held, rest: Sequence[str], cost: int) -> Solution:
    return Solution("solved", ExitCode.SUCCESS, "kept", dict(held.binding), cost, tuple(rest), True)


def _solve_again(task: Task, held: Held, request: Request, clock: Clock, why: str) -> SessionAnswer:
    solution = solve(task, request, clock)
    return SessionAnswer(solution, solution.binding == held.binding, True, why)
