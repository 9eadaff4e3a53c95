"""Goals as people write them, for grounders: each alternative bound as far as a model knows it, the rest left over."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from skolem.grounding.learned import DeadEndError
from skolem.grounding.models import Model
from skolem.grounding.protocol import Grounder, Grounding
from skolem.pddl.writing import format_formula, spell_as_written
from skolem.support.errors import SkolemError, UnsupportedError
from skolem.task.formulas import Atom, Equal, Formula, Not, Variable, list_terms
from skolem.task.goal_normal_form import collect_residual, list_alternatives
from skolem.task.model import Task
from skolem.task.scopes import find_free

if TYPE_CHECKING:
    from skolem.network.engine.protocol import Engine

MOST_VARIABLES = 12
"""Variables up to which the models were tested; they were trained on goals with at most four."""


class UnboundError(UnsupportedError):
    """A goal with nothing that could be bound, whatever a model was trained on."""


@dataclass(frozen=True)
class Bindable:
    """An alternative that a model can bind; its goal's residual is what is left to the planner."""

    task: Task
    model: Model
    reason: str = ""
    """Why something is left; empty if nothing is."""


@dataclass(frozen=True)
class AlternativesGrounder:
    """Binds alternatives of a goal, each with a grounder of its own; bindings come in the order of predicted cost."""

    parts: tuple[tuple[Bindable, Grounder], ...]
    complete: bool
    """Whether these are all alternatives."""
    name: str = "learned"
    predicts: bool = True

    @property
    def model(self) -> "Engine | None":
        """The network that chooses, if all alternatives have the same one."""
        models = {id(grounder.model): grounder.model for _, grounder in self.parts}
        return next(iter(models.values())) if len(models) == 1 else None

    def ground(self, task: Task) -> Grounding:
        """The binding with the least predicted cost."""
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        """The best binding of each alternative and their next best ones, always the cheapest of those at hand."""
        waiting: list[tuple[float, int, Grounding]] = []
        streams = [grounder.groundings(part.task) for part, grounder in self.parts]
        dead_ends: list[DeadEndError] = []

        def advance(number: int) -> None:
            try:
                found = next(streams[number], None)
            except DeadEndError as error:
                dead_ends.append(error)
                return
            if found is not None and found.binding is not None:
                cost = inf if found.predicted_cost is None else found.predicted_cost
                heappush(waiting, (cost, number, found))

        for number in range(len(streams)):
            advance(number)
        if not waiting and dead_ends:
            raise dead_ends[0]
        if not waiting and not self.complete:
            raise UnsupportedError("the alternatives that a model can bind have no reachable binding")
        if not waiting:
            yield Grounding("unsolvable", None, None, (), self.name)
        while waiting:
            _, number, found = heappop(waiting)
            yield _add_residual(found, self.parts[number][0])
            advance(number)


def _add_residual(grounding: Grounding, part: Bindable) -> Grounding:
    """The grounding with the alternative that it is of, and what of that is left to the planner."""
    residual = part.task.goal.residual
    if residual is None:
        return replace(grounding, alternative=part.task)
    text = format_formula(residual, spell_as_written(part.task))
    message = f"partly left to the planner: {part.reason}"
    return replace(grounding, alternative=part.task, residual=text, message=message)


def list_bindable(task: Task, models: Iterable[Model | SkolemError]) -> tuple[tuple[Bindable, ...], bool]:
    """The alternatives that one of the models can bind, and whether they are all; an error if they are none of many."""
    known = list(models)
    parts: list[Bindable] = []
    refusals: list[UnsupportedError] = []
    for alternative in list_alternatives(task):
        try:
            parts.append(_choose_model(alternative, known))
        except UnsupportedError as error:
            refusals.append(error)
    if refusals and not parts:
        raise refusals[0]
    return tuple(parts), not refusals


def _choose_model(task: Task, models: Iterable[Model | SkolemError]) -> Bindable:
    """An alternative with the model that leaves the least of it; an UnsupportedError that says why there is none."""
    found: list[tuple[int, Bindable]] = []
    reasons: list[str] = []
    for model in models:
        if isinstance(model, SkolemError):
            reasons.append(str(model).splitlines()[0])
            continue
        try:
            part = _leave_unseen(task, model)
        except UnboundError:
            raise
        except UnsupportedError as error:
            reasons.append(str(error))
            continue
        goal = part.task.goal
        found.append((len(task.goal.atoms + task.goal.denied) - len(goal.atoms + goal.denied), part))
    if not found:
        raise UnsupportedError("; ".join(reasons) or f"there is no learned model for the domain {task.domain.name}")
    return min(found, key=lambda each: each[0])[1]


def _leave_unseen(task: Task, model: Model) -> Bindable:
    """The alternative with the literals that the model never saw in its residual.

    Variables of an atom that the model knows are bound, and those that are not left over with what is unknown.
    """
    goal, unseen = task.goal, model.list_unseen(task)
    if goal.outside is not None:
        raise UnboundError(f"nothing of this goal can be bound: {goal.outside}")
    atoms = {atom: atom.predicate in unseen for atom in goal.atoms}
    denied = {atom: f"not {atom.predicate}" in unseen for atom in goal.denied}
    rated = _name_variables(a for a, left in atoms.items() if not left and a.predicate not in task.domain.static)
    left = _name_variables(a for literals in (atoms, denied) for a, unknown in literals.items() if unknown)
    if goal.residual is not None:
        left |= set(find_free(goal.residual)[goal.residual])
    equal, unequal = ([Equal(*pair) for pair in pairs] for pairs in (goal.equalities, goal.inequalities))
    open_ = _spread(left - rated, [*atoms, *denied, *equal, *unequal], rated)

    def stays(literal: Atom | Equal) -> bool:
        return _name_variables([literal]).isdisjoint(open_)

    kept = replace(
        goal,
        variables=tuple(v for v in goal.variables if v.name not in open_),
        atoms=tuple(a for a, unknown in atoms.items() if not unknown and stays(a)),
        denied=tuple(a for a, unknown in denied.items() if not unknown and stays(a)),
        equalities=tuple((e.left, e.right) for e in equal if stays(e)),
        inequalities=tuple((e.left, e.right) for e in unequal if stays(e)),
    )
    parts: list[Formula] = [a for a, unknown in atoms.items() if unknown or not stays(a)]
    parts += [Not(a) for a, unknown in denied.items() if unknown or not stays(a)]
    parts += [*(e for e in equal if not stays(e)), *(Not(e) for e in unequal if not stays(e))]
    parts += [] if goal.residual is None else [goal.residual]
    residual = collect_residual(parts, [v for v in goal.variables if v.name in open_])
    reasons = [model.describe_unseen(unseen)] if unseen else []
    reasons += ["it is not written out as literals"] if goal.residual is not None else []
    if len(kept.variables) > MOST_VARIABLES:
        count = len(kept.variables)
        raise UnboundError(f"{count} variables are to be bound, and models are trusted with {MOST_VARIABLES}")
    if residual is not None and not kept.variables:
        raise UnsupportedError(reasons[0]) if unseen else UnboundError("nothing of this goal can be bound")
    part = task if residual is goal.residual else replace(task, goal=replace(kept, residual=residual))
    model.check(part)
    return Bindable(part, model, "; ".join(reasons))


def _spread(names: set[str], literals: Iterable[Atom | Equal], rated: set[str]) -> set[str]:
    """The variables with all those that literals connect them with, but for the ones that a model rates."""
    groups = [_name_variables([literal]) - rated for literal in literals]
    reached, ahead = set(names), True
    while ahead:
        ahead = False
        for group in groups:
            if not group <= reached and not group.isdisjoint(reached):
                reached |= group
                ahead = True
    return reached


def _name_variables(literals: Iterable[Atom | Equal]) -> set[str]:
    return {term.name for literal in literals for term in list_terms(literal) if isinstance(term, Variable)}
