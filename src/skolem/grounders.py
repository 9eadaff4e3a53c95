"""Which grounder is meant, and whether its model fits the task."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from skolem.grounding.alternatives import MOST_VARIABLES, AlternativesGrounder, Bindable, UnboundError, list_bindable
from skolem.grounding.models import FAR_LARGER, Model, list_fitting, list_folders, open_named
from skolem.grounding.protocol import Candidates, Grounder
from skolem.planning.fast_downward import check_alias
from skolem.request import Request
from skolem.support.errors import InputError, Place, UnsupportedError
from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.model import Task

LEARNED = ("auto", "learned", "beam")
POLICY = "policy"
"""The planner that is none: the model that chose the objects is followed from state to state."""

MOST_COMPARED, BEAM_WIDTH = 1_500, 4
"""Up to so many nodes in the graphs of a greedy choice a beam of that width takes a few hundredths of a second."""
USUAL_VARIABLES = 6
"""With more variables than these one wrong choice among them is likely, and more is done to find a cheap binding."""
MANY_VARIABLES = f"the goal has more than {USUAL_VARIABLES} variables"
MANY_OBJECTS = f"the task has more than {FAR_LARGER} times the objects of training"
BEYOND_TRAINING = (MANY_VARIABLES, MANY_OBJECTS)
"""The doubts where costs are extrapolation: plans are improved and compared as if nothing were predicted."""


def check_planner(request: Request) -> None:
    """An error where a planner is asked for that there is not, or a policy without a model that it could follow."""
    if request.planner == POLICY and request.grounder not in LEARNED:
        message = f"the planner {POLICY} follows a learned model: the grounder must be auto, learned or beam"
        raise UnsupportedError(f"{message}, not {request.grounder}")
    check_alias(request.planner, (POLICY,))


def check_model(task: Task, request: Request) -> None:
    """An InputError where a model is asked for that is not there, cannot be read, or does not fit the task."""
    if request.model is not None and request.grounder in LEARNED:
        with suppress(UnboundError):
            _list_parts(task, request)


def list_model_differences(task: Task, request: Request) -> tuple[str, ...]:
    """In which ways the task's actions are not those that a model which was asked for was trained on."""
    if request.model is None or request.grounder not in LEARNED:
        return ()
    return _open_fitting(request.model, task).list_differences(task)


def _open_fitting(name: Path, task: Task) -> Model:
    """The model in a folder or of a name; an InputError that says why it cannot be used for a task."""
    model = open_named(name)
    try:
        model.card.vocabulary.check_task(task)
    except UnsupportedError as error:
        raise InputError(str(error), Place(str(model.path / "config.json"))) from error
    return model


def _list_parts(task: Task, request: Request) -> tuple[tuple[Bindable, ...], bool]:
    """The alternatives of the goal that a model can bind, and whether they are all; an error that says why not any."""
    most = MOST_VARIABLES if request.grounder == "auto" else None
    if request.model is None:
        return list_bindable(task, list_fitting(task, *list_folders(request.paper)), most)
    model = _open_fitting(request.model, task)
    try:
        return list_bindable(task, [model], most)
    except UnboundError:
        raise
    except UnsupportedError as error:
        raise InputError(str(error), Place(str(model.path / "config.json"))) from error


def make_grounder(task: Task, request: Request) -> Grounder:
    """The grounder a request names; an error if there is no model for the task."""
    if request.grounder in ("random", "random-valid"):
        if task.goal.outside is not None:
            raise UnsupportedError(f"no grounder can bind this goal: {task.goal.outside}")
        from skolem.grounding.random import RandomGrounder, RandomValidGrounder

        return (RandomGrounder if request.grounder == "random" else RandomValidGrounder)(request.seed)
    parts, complete = _list_parts(task, request)
    if [part.task for part in parts] == [task]:
        return _make_learned(parts[0], request)
    name = "learned" if request.grounder == "auto" else request.grounder
    grounder = AlternativesGrounder(tuple((part, _make_learned(part, request)) for part in parts), complete, name)
    if request.planner == POLICY and (grounder.model is None or any(part.reason for part in parts)):
        raise UnsupportedError("a policy follows one model, which must know all of the goal")
    return grounder


def _make_learned(part: Bindable, request: Request) -> Grounder:
    """The learned grounder that a request names, for an alternative of a goal."""
    task, model = part.task, part.model
    many = len(task.goal.variables) > USUAL_VARIABLES and request.effort != "fast"
    large = model.is_exceeded(task) and request.effort != "fast"
    # Here and not at the top: the exact routes start sooner without what only a model needs.
    from skolem.grounding.learned import LearnedGrounder
    from skolem.grounding.turns import TurnsGrounder

    candidates: Candidates = "all" if request.paper else "static"
    scores = request.choose_scores(model.rates)
    rater = None if scores == "full" else model.load_rater()
    name = "learned" if request.grounder == "auto" else request.grounder
    grounder = LearnedGrounder(
        model.load(),
        name,
        _choose_width(task, request, many, large),
        candidates,
        scores,
        request.choose_order(),
        rater,
        # The goals of training have no more terms: of longer ones costs are not known well enough to choose anew.
        revise=request.revise and len(task.goal.variables) <= USUAL_VARIABLES,
        farthest=model.card.farthest,
        predicts=model.counts_as(task),
        note="" if model.shipped else f"objects chosen by the model {model.name}",
        doubt=model.doubt or MANY_VARIABLES * many or MANY_OBJECTS * large,
    )
    if not many or request.grounder != "auto" or request.order is not None or request.paper:
        return grounder
    # With the objects of all variables to choose from, the clearest choices come first.
    return TurnsGrounder(grounder, replace(grounder, width=1, order="best"))


def _choose_width(task: Task, request: Request, many: bool, large: bool) -> int:
    """How many bindings are followed side by side: several where one is seldom the best, or where that is quick."""
    if request.grounder == "beam":
        return request.width
    if request.paper or (request.grounder == "learned" and not (large and request.revise)):
        return 1
    if many or large:
        return BEAM_WIDTH
    valid = find_valid_candidates(task.query, task.statics, len(task.objects)).candidates
    return BEAM_WIDTH if int(valid.sum()) * len(task.objects) <= MOST_COMPARED else 1
