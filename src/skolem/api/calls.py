"""The functions of the API: a task goes in as files, as text or as what `read` returned.

A text is told from a path by how it begins: PDDL opens with a parenthesis or a comment. All functions may be called
from several threads at once. What is wrong with an input is a SkolemError with the words of the command line.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Any, TypedDict, Unpack, get_args
from warnings import warn

from skolem import solve
from skolem.api.own_planner import Planner, plan_with
from skolem.api.results import Binding, Candidates, Drawing, Explanation, Grounding, Solution, Task, Validation
from skolem.grounders import LEARNED, list_model_differences
from skolem.grounding.models import Model, open_named
from skolem.grounding.protocol import Order, Scores
from skolem.pddl.reading import read_task_text
from skolem.pddl.sections import read_source
from skolem.planning import validation
from skolem.planning.limits import Clock, Limits
from skolem.planning.translator_pool import keep_translators
from skolem.request import Effort, Request
from skolem.support.errors import InputError, Place, UsageError
from skolem.support.files import make_folder, write_text
from skolem.task import model
from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Source
from skolem.why import explain as explain_choices

Text = str | Path
"""A file, or what is in it."""
GROUNDERS = (*LEARNED, "random", "random-valid", *solve.EXACT)
_TEXT = re.compile(r"\s*[(;]|[^\n]*\n")


class Options(TypedDict, total=False):
    """How objects are chosen, and within which limits; each is an option of the command line."""

    grounder: str
    """auto, learned, beam, random, random-valid, exact, bind-axiom, end, miniscope or dnf."""
    time_limit: float
    """Wall-clock seconds. Planners are stopped there; what runs in this process is asked between its stages."""
    memory_limit: int
    """Megabytes of a planner."""
    model: str | Path | Model | None
    """A model of `load_model`, its folder or its name; the one that fits if there is none."""
    paper: bool
    width: int
    scores: Scores | None
    order: Order | None
    revise: bool
    seed: int


def read(domain: Text, problem: Text) -> Task:
    """The task in a domain and a problem.

    >>> read("examples/blocks/domain.pddl", "examples/blocks/tower.pddl").objects
    ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
    """
    return Task.of(read_task_text(_open(domain, "<domain>"), _open(problem, "<problem>")))


def plan(
    domain: Text | model.Task,
    problem: Text | None = None,
    *,
    planner: str | Planner = "lama-first",
    effort: Effort = "default",
    bound: float | None = None,
    **options: Unpack[Options],
) -> Solution:
    """A validated plan and the objects that it is for, or an honest word why there is none.

    The planner is one of Fast Downward, or a function of your own: it takes the text of the domain, that of the
    problem with its goal bound, and the seconds that are left (None without a limit), and returns a list of
    "(action object ...)" or None. Its plan is validated too. `bound` is how many seconds are spent on a lower bound.
    `effort` is about Fast Downward's planners: a function of your own knows itself when to stop.

    >>> solution = plan("examples/blocks/domain.pddl", "examples/blocks/tower.pddl")
    >>> solution.cost, solution.valid
    (9, True)
    >>> solution.binding
    {'?x1': 'c', '?x2': 'd', '?x3': 'e', '?x4': 'a', '?x5': 'f'}
    """
    request = make_request(options, Request.planner if callable(planner) else planner, effort)
    if callable(planner) and effort != "default":
        raise UsageError(f"effort is {effort!r}, expected none beside a planner that is a function")
    _check_number("bound", bound)
    request = replace(request, bound_seconds=bound)
    clock = Clock.begin(request.limits)
    task = _take(domain, problem)
    read_seconds = clock.elapsed
    _warn_of_model(task, request)
    solution = plan_with(planner, task, request, clock) if callable(planner) else solve.solve(task, request, clock)
    return Solution.of(solution, task, {"read": read_seconds, **solution.times, "total": clock.elapsed})


def ground(domain: Text | model.Task, problem: Text | None = None, **options: Unpack[Options]) -> Grounding:
    """The objects for the goal's variables, how they were chosen, and the problem with its goal bound to them.

    >>> grounding = ground("examples/blocks/domain.pddl", "examples/blocks/tower.pddl")
    >>> grounding.binding
    {'?x1': 'c', '?x2': 'd', '?x3': 'e', '?x4': 'a', '?x5': 'f'}
    """
    request = make_request(options)
    clock = Clock.begin(request.limits)
    task = _take(domain, problem)
    read_seconds = clock.elapsed
    _warn_of_model(task, request)
    grounding = solve.ground(task, request, clock)
    times = {"read": read_seconds, "ground": clock.elapsed - read_seconds, "total": clock.elapsed}
    return Grounding.of(grounding, task, times)


def candidates(domain: Text | model.Task, problem: Text | None = None) -> Candidates:
    """The objects that each variable of the goal has in some binding that satisfies the goal's static atoms.

    A goal with alternatives, such as one with `or`, has those of all of them.

    >>> candidates("examples/blocks/domain.pddl", "examples/blocks/tower.pddl")["?x1"]
    ('c', 'e', 'g', 'h')
    """
    found: dict[str, dict[str, None]] = {}
    for task in list_alternatives(_take(domain, problem)):
        valid = find_valid_candidates(task.query, task.statics, len(task.objects))
        for variable, row in zip(task.goal.variables, valid.candidates, strict=True):
            objects = (name for name, fits in zip(task.objects, row.tolist(), strict=True) if fits)
            found.setdefault(variable.name, {}).update(dict.fromkeys(objects))
    return Candidates({variable: tuple(objects) for variable, objects in found.items()})


def explain(
    domain: Text | model.Task,
    problem: Text | None = None,
    *,
    why: Sequence[Mapping[str, str]] = (),
    planner: str = "lama-first",
    **options: Unpack[Options],
) -> Explanation:
    """Why these objects: what each variable could be, what rules the others out, and what the choices cost.

    Each of `why` is a question: what the plan costs with these objects.

    >>> explanation = explain("examples/blocks/domain.pddl", "examples/blocks/tower.pddl", why=[{"x1": "a"}])
    >>> explanation.goals[0].variables[0].possible
    ('c', 'e', 'g', 'h')
    >>> explanation.forced[0].text
    '?x1 = a cannot be: (blue ?x1) rules it out'
    """
    request = make_request(options, planner)
    clock = Clock.begin(request.limits)
    task = _take(domain, problem)
    _warn_of_model(task, request)
    for question in why:
        if not isinstance(question, Mapping) or not all(isinstance(word, str) for word in chain(*question.items())):
            raise TypeError(f"{question!r} is no question, expected one such as {{'?x': 'mug1'}}")
    return Explanation(**vars(explain_choices(task, request, why, clock)))


def validate(
    domain: Text | model.Task, problem: Text | Sequence[str], plan: Text | Sequence[str] | None = None
) -> Validation:
    """Whether a plan achieves the quantified goal: a file, its text, or a list of steps.

    >>> task = read("examples/blocks/domain.pddl", "examples/blocks/tower.pddl")
    >>> validate(task, ["(pick-up a)"]).reason
    'step 1, (pick-up a): the precondition is not satisfied'
    """
    if isinstance(domain, model.Task):
        task, steps = domain, problem if plan is None else plan
    elif plan is None or not isinstance(problem, str | Path):
        raise TypeError("validate() takes a domain, a problem and a plan, or a task and a plan")
    else:
        task, steps = _take(domain, problem), plan
    return Validation(**vars(validation.validate(task, _read_plan(steps))))


def draw(
    domain: Text | model.Task,
    problem: Text | None = None,
    *,
    binding: model.Binding | None = None,
    output: Text | None = None,
) -> Drawing:
    """A picture of the task with the objects of a binding marked, written to an SVG or PNG file if one is named.

    >>> picture = draw("examples/blocks/domain.pddl", "examples/blocks/tower.pddl", binding={"?x1": "c"})
    >>> picture.svg[:5]
    '<?xml'
    """
    drawing = Drawing(_take(domain, problem), None if binding is None else Binding(binding))
    if output is not None:
        drawing.save(output)
    return drawing


def learn(
    domain: Text,
    problems: Sequence[Text],
    output: Text,
    *,
    minutes: float | None = None,
    resume: bool = False,
    **settings: Any,
) -> Model:
    """The model that is learned from a few problems of a domain, in its folder; `settings` are those of a Lesson.

    Texts are kept as files in the folder, so that learning can be continued with `resume`.
    """
    # Here and not at the top: only this needs PyTorch.
    from skolem.learning import learn as lessons
    from skolem.learning.display import open_display

    folder = Path(output)
    names = [f"problem-{number}.pddl" for number in range(len(problems))]
    files = [_keep(text, folder / name) for name, text in zip(names, problems, strict=True)]
    device = settings.pop("device", None) or lessons.choose_device()
    if minutes is None and settings.get("steps") is None:
        minutes = lessons.USUAL_MINUTES[device]
    first = _keep(domain, folder / "domain.pddl")
    lesson = lessons.Lesson(first, tuple(files), folder, device=device, minutes=minutes, **settings)
    with open_display(quiet=True) as display:
        lessons.learn(lesson, resume, display, lambda line: None)
    return load_model(folder)


def _keep(text: Text, path: Path) -> str:
    """The file that holds a text: itself if it is one, else a new one."""
    if not isinstance(text, str) or not _TEXT.match(text):
        return str(text)
    make_folder(path.parent)
    if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
        raise InputError("this file is another one and would be overwritten: choose another folder", Place(str(path)))
    write_text(path, text)
    return str(path)


def load_model(name: Text) -> Model:
    """The model in a folder, or the shipped one of that name, with its weights in memory.

    >>> model = load_model("blocks")
    >>> plan("examples/blocks/domain.pddl", "examples/blocks/tower.pddl", model=model).route
    'learned'
    """
    found = open_named(Path(name))
    found.load()
    found.load_rater()
    return found


def make_request(options: Options, planner: str = Request.planner, effort: Effort = "default") -> Request:
    """The request that the options make."""
    keep_translators()
    own: dict[str, Any] = dict(options)
    limits = Limits(own.pop("time_limit", None), own.pop("memory_limit", None))
    chosen = own.pop("model", None)
    if chosen is not None:
        own["model"] = chosen.path if isinstance(chosen, Model) else Path(chosen)
    if unknown := own.keys() - Options.__annotations__.keys():
        raise TypeError(f"unknown option {min(unknown)!r}, expected one of {', '.join(Options.__annotations__)}")
    if not isinstance(planner, str):
        raise TypeError(f"the planner is {planner!r}, expected a name, a search string or a function")
    request = Request(planner=planner, effort=effort, limits=limits, **own)
    _check_number("time_limit", limits.seconds)
    _check_number("memory_limit", limits.memory_mb, 1)
    _check_number("width", request.width, 1)
    _check_choice("grounder", request.grounder, GROUNDERS)
    _check_choice("effort", request.effort, get_args(Effort))
    _check_choice("scores", request.scores, (None, *get_args(Scores)))
    _check_choice("order", request.order, (None, *get_args(Order)))
    return request


def _check_number(name: str, value: float | None, least: int = 0) -> None:
    """A UsageError for what is no number or too small; None is no limit."""
    if value is not None and not (isinstance(value, Real) and least <= value < math.inf):
        raise UsageError(f"{name} is {value!r}, expected a number from {least} on")


def _check_choice(name: str, value: str | None, choices: Sequence[str | None]) -> None:
    if value not in choices:
        raise UsageError(f"unknown {name} {value!r}, expected one of {', '.join(map(str, choices))}")


def _warn_of_model(task: Task, request: Request) -> None:
    """Says in which ways the task is not what a model that was asked for was trained on."""
    for difference in list_model_differences(task, request):
        warn(difference, stacklevel=3)


def _take(domain: Text | model.Task, problem: Text | None) -> Task:
    """The task that is meant."""
    if isinstance(domain, model.Task):
        if problem is not None:
            raise TypeError("a task has its problem already: expected no other one")
        return Task.of(domain)
    if problem is None:
        raise TypeError("expected a domain and a problem, or a task")
    return read(domain, problem)


def _open(text: Text, name: str) -> Source:
    """The file or text as a source; errors in a text are shown with that name."""
    return Source(name, text) if isinstance(text, str) and _TEXT.match(text) else read_source(text)


def _read_plan(text: Text | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(text, str | Path):
        return validation.parse_plan("\n".join(text), "<plan>")
    if isinstance(text, str) and (not text.strip() or _TEXT.match(text)):
        return validation.parse_plan(text, "<plan>")
    return validation.read_plan(Path(text))
