"""What a worker does for each question: the one place where the server meets the rest of the program.

Parameters are plain checked values, and so are answers. No file is read but those of the package, none is written.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from skolem.grounders import list_model_differences
from skolem.grounding.models import PAPER_MODELS, Model, list_folders, list_models
from skolem.integrations.server.rebinding import Held, answer_again, hold
from skolem.integrations.server.world import (
    DOMAIN,
    PROBLEM,
    Change,
    World,
    change_world,
    make_task,
    open_world,
    write_problem,
)
from skolem.pddl.reading import read_domain, read_task_text
from skolem.pddl.writing import write_grounded
from skolem.planning.limits import Clock, Limits
from skolem.planning.validation import parse_plan, validate
from skolem.request import Request, Solution
from skolem.solve import ground, solve
from skolem.support.errors import SHOWN_COLUMNS, InputError, LimitError, SkolemError
from skolem.task.model import Source, Task
from skolem.why import complete_question, explain, force_objects

Parameters = Mapping[str, Any]
Answer = dict[str, Any]

_FOLDER = re.compile(r"(?<![^\s'\"(=:])/(?:[^\s/'\"]+/)*")


def run_operation(name: str, parameters: Parameters, limits: Limits) -> Answer:
    """The answer to a question; errors are answers too, and no message has a path of this machine in it."""
    try:
        answer = _OPERATIONS[name](parameters, Clock.begin(limits))
    except SkolemError as error:
        answer = describe_error(error)
    for key in {"message", "why", "reason"} & answer.keys():
        answer[key] = _hide_paths(answer[key])
    return answer


def describe_error(error: SkolemError) -> Answer:
    """An error with all its places: the text it is in, line, column and what was expected there."""
    found = [
        {
            "source": _hide_paths(e.place.path) if e.place else None,
            "line": e.place.line if e.place else None,
            "column": e.place.column if e.place else None,
            "message": _hide_paths(e.message),
            "text": e.place.text[:SHOWN_COLUMNS] if e.place else None,
        }
        for e in (error, *error.others)
    ]
    first = str(found[0]["message"])
    if error.place is not None:
        first = f"{error.place.path}:{error.place.line}:{error.place.column}: {first}"
    status = "unsolved" if isinstance(error, LimitError) else "error"
    return {"status": status, "message": first, "errors": found, "exit_code": int(error.exit_code)}


def _hide_paths(text: str) -> str:
    """The text with the last part of every absolute path alone.

    >>> _hide_paths("cannot read '/tmp/run/domain.pddl' (and/or more)")
    "cannot read 'domain.pddl' (and/or more)"
    """
    return _FOLDER.sub("", text)


def _plan(given: Parameters, clock: Clock) -> Answer:
    task = _read(given)
    read = clock.elapsed
    request = _make_request(given, clock)
    solution = solve(_force(task, given), request, clock)
    return {**_describe(solution, read, clock), "warnings": _list_warnings(task, request)}


def _ground(given: Parameters, clock: Clock) -> Answer:
    task = _read(given)
    read = clock.elapsed
    request = _make_request(given, clock)
    grounding = ground(_force(task, given), request, clock)
    grounding = replace(grounding, times={"read": read, "ground": clock.elapsed - read, "total": clock.elapsed})
    text = None if grounding.binding is None else write_grounded(grounding.alternative or task, grounding.binding)
    return {**grounding.to_dict(), "problem": text, "warnings": _list_warnings(task, request)}


def _explain(given: Parameters, clock: Clock) -> Answer:
    task = _read(given)
    asked = [given["why"]] if given.get("why") else []
    return explain(task, _make_request(given, clock), asked, clock).to_dict()


def _check(given: Parameters, clock: Clock) -> Answer:
    """All errors and warnings of a domain, and of a problem if there is one; then what the goal means."""
    from skolem.checking import check_task

    try:
        if "problem" not in given:
            domain = read_domain(Source(DOMAIN, given["domain"]))
            return {"status": "correct", "errors": [], "warnings": list(domain.warnings)}
        task = _read(given)
    except SkolemError as error:
        return {**describe_error(error), "status": "wrong", "warnings": []}
    return {**check_task(task).to_dict(), "status": "correct"}


def _validate(given: Parameters, clock: Clock) -> Answer:
    task = _read(given)
    return validate(task, parse_plan(given["plan"], "plan")).to_dict()


def _draw(given: Parameters, clock: Clock) -> Answer:
    from skolem.drawing.steps import draw_strip

    strip = draw_strip(_read(given), parse_plan(given.get("plan", ""), "plan"), given.get("binding"))
    return {"status": "drawn", "states": list(strip.states), "goal": strip.goal}


def _models(given: Parameters, clock: Clock) -> Answer:
    found = [
        {"name": name, "domain": model.card.domain, "goals": list(model.card.goals)}
        for name, model in _find_models().items()
    ]
    return {"models": found}


def _examples(given: Parameters, clock: Clock) -> Answer:
    from skolem.integrations.server.examples import list_examples

    return {"examples": [asdict(example) for example in list_examples()]}


def _open(given: Parameters, clock: Clock) -> Answer:
    world, task = open_world(given["domain"], given["problem"])
    return {"status": "open", "world": asdict(world), "objects": len(task.objects), "warnings": list(task.warnings)}


def _change(given: Parameters, clock: Clock) -> Answer:
    world = change_world(World(**given["world"]), _make_change(given))
    task = make_task(world)
    return {"status": "changed", "world": asdict(world), "objects": len(task.objects)}


def _ask(given: Parameters, clock: Clock) -> Answer:
    """A plan for a world after a change; what is to be remembered goes back with the answer."""
    world = change_world(World(**given["world"]), _make_change(given))
    task = make_task(world)
    read = clock.elapsed
    held = None if given.get("held") is None else Held(**given["held"])
    answer = answer_again(task, world.goal, held, _make_request(given, clock), clock)
    solution = answer.solution
    kept = held if not answer.replanned and held is not None else hold(task, world.goal, solution)
    return {
        **_describe(solution, read, clock),
        "kept": answer.kept,
        "replanned": answer.replanned,
        "why": answer.why,
        "world": asdict(world),
        "held": None if kept is None else asdict(kept),
    }


def _show(given: Parameters, clock: Clock) -> Answer:
    world = World(**given["world"])
    held = given.get("held") or {}
    return {
        "status": "open",
        "domain": world.domain,
        "problem": write_problem(world),
        "binding": held.get("binding"),
        "plan": held.get("plan"),
    }


_OPERATIONS: dict[str, Callable[[Parameters, Clock], Answer]] = {
    "plan": _plan,
    "ground": _ground,
    "explain": _explain,
    "check": _check,
    "validate": _validate,
    "draw": _draw,
    "models": _models,
    "examples": _examples,
    "open": _open,
    "change": _change,
    "ask": _ask,
    "show": _show,
}


def _read(given: Parameters) -> Task:
    return read_task_text(Source(DOMAIN, given["domain"]), Source(PROBLEM, given["problem"]))


def _describe(solution: Solution, read: float, clock: Clock) -> Answer:
    """The JSON form of a solution with all its times, and with the cost that was predicted."""
    timed = replace(solution, times={"read": read, **solution.times, "total": clock.elapsed})
    return {**timed.to_dict(), "predicted_cost": solution.predicted}


def _force(task: Task, given: Parameters) -> Task:
    """The task whose goal has the objects that are asked for."""
    bind = given.get("bind")
    return force_objects(task, complete_question(task, bind)) if bind else task


def _make_change(given: Parameters) -> Change:
    lists = {name: tuple(given[name]) for name in ("gone", "remove", "add") if name in given}
    return Change(**lists, objects=given.get("objects", {}), goal=given.get("goal"))


def _make_request(given: Parameters, clock: Clock) -> Request:
    names = ("grounder", "planner", "effort", "paper", "width", "seed")
    chosen = {name: given[name] for name in names if name in given}
    model = _find_model(given.get("model"))
    return Request(limits=clock.limits, model=model, bound_seconds=given.get("bound"), **chosen)


def _find_model(name: str | None) -> Path | None:
    """The folder of a registered model: whatever else the text is, it is no path."""
    if name is None:
        return None
    known = _find_models()
    if name not in known:
        raise InputError(f"there is no model of this name, expected one of {', '.join(known)}")
    return known[name].path


def _find_models() -> dict[str, Model]:
    """The user's own models, the shipped ones and the paper's by their names; a user's own comes first."""
    found: dict[str, Model] = {}
    for folder in (*list_folders(), *list_folders(paper=True)):
        for model in list_models(folder):
            if isinstance(model, Model):
                found.setdefault(f"paper/{model.name}" if folder == PAPER_MODELS else model.name, model)
    return found


def _list_warnings(task: Task, request: Request) -> list[str]:
    return [*task.warnings, *list_model_differences(task, request)]
