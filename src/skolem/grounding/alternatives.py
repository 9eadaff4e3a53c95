"""Goals as people write them, for grounders: each alternative bound as far as a model knows it, the rest left over."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from skolem.grounding.models import Model
from skolem.grounding.protocol import DeadEndError, Grounder, Grounding
from skolem.network.ties import settle
from skolem.pddl.writing import format_formula, spell_as_written
from skolem.support.errors import SkolemError, UnsupportedError
from skolem.task.formulas import Atom, Equal, Formula, Not, Variable, list_terms
from skolem.task.goal_normal_form import collect_residual, list_alternatives
from skolem.task.model import Task
from skolem.task.scopes import find_free

if TYPE_CHECKING:
    from skolem.network.engine.protocol import Engine

MOST_VARIABLES = 12
"""Variables up to which the models were tested; the goals that they were trained on have at most four."""


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

    @property
    def predicts(self) -> bool:
        """Whether the grounders of all alternatives predict what plans cost."""
        return all(grounder.predicts for _, grounder in self.parts)

    @property
    def doubt(self) -> str:
        """The doubt of an alternative, if there is one."""
        return next((grounder.doubt for _, grounder in self.parts if grounder.doubt), "")

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
        waiting: dict[int, Grounding] = {}
        streams = [grounder.groundings(part.task) for part, grounder in self.parts]
        dead_ends: list[DeadEndError] = []

        def advance(number: int) -> None:
            try:
                found = next(streams[number], None)
            except DeadEndError as error:
                dead_ends.append(error)
                return
            if found is not None and found.binding is not None:
                waiting[number] = found

        for number in range(len(streams)):
            advance(number)
        if not waiting and dead_ends:
            raise dead_ends[0]
        if not waiting and not self.complete:
            raise UnsupportedError("the alternatives that a model can bind have no reachable binding")
        if not waiting:
            yield Grounding("unsolvable", None, None, (), self.name)
        while waiting:
            numbers = sorted(waiting)
            costs = [waiting[number].predicted_cost for number in numbers]
            ranks = settle([inf if cost is None else cost for cost in costs])
            number = numbers[ranks.index(min(ranks))]
            yield _add_residual(waiting.pop(number), self.parts[number][0])
            advance(number)


def _add_residual(grounding: Grounding, part: Bindable) -> Grounding:
    """The grounding with the alternative that it is of, and what of that is left to the planner."""
    residual = part.task.goal.residual
    if residual is None:
        return replace(grounding, alternative=part.task)
    text = format_formula(residual, spell_as_written(part.task))
    message = f"partly left to the planner: {part.reason}"
    if grounding.message:
        message = f"{grounding.message}; {message}"
    return replace(grounding, alternative=part.task, residual=text, message=message)


def list_bindable(
    task: Task, models: Iterable[Model | SkolemError], most_variables: int | None = None
) -> tuple[tuple[Bindable, ...], bool]:
    """The alternatives that one of the models can bind, and whether they are all; an error if it is none of them."""
    known = list(models)
    parts: list[Bindable] = []
    refusals: list[UnsupportedError] = []
    for alternative in list_alternatives(task):
        try:
            part = _choose_model(alternative, known)
            count = len(part.task.goal.variables)
            if most_variables is not None and count > most_variables:
                raise UnboundError(f"{count} variables are to be bound, and models are trusted with {most_variables}")
            parts.append(part)
        except UnsupportedError as error:
            refusals.append(error)
    if refusals and not parts:
        raise refusals[0]
    return tuple(parts), not refusals


def _choose_model(task: Task, models: Iterable[Model | SkolemError]) -> Bindable:
    """An alternative with the model that leaves the least of it; an UnsupportedError that says why there is none."""
    if task.goal.outside is not None:
        raise UnboundError(f"nothing of this goal can be bound: {task.goal.outside}")
    found: list[Bindable] = []
    reasons: list[str] = []
    for model in models:
        if isinstance(model, SkolemError):
            reasons.append(str(model).splitlines()[0])
            continue
        unseen = model.list_unseen(task)
        why = [model.describe_unseen(unseen)] if unseen else []
        why += ["it could not be written out as literals"] if task.goal.residual is not None else []
        part = leave_literals(task, unseen)
        try:
            if part.goal.residual is not None and not part.goal.variables:
                raise UnsupportedError(why[0]) if unseen else UnboundError("no variable of this goal can be bound")
            model.check(part)
            found.append(Bindable(part, model, "; ".join(why)))
        except UnboundError:
            raise
        except UnsupportedError as error:
            reasons.append(str(error))
    if not found:
        raise UnsupportedError("; ".join(reasons) or f"there is no learned model for the domain {task.domain.name}")
    return max(found, key=lambda part: len(part.task.goal.atoms + part.task.goal.denied))


def leave_literals(task: Task, unseen: Collection[str]) -> Task:
    """The task with the literals of some kinds, such as "on" and "not on", in the residual of its goal.

    Variables of the residual stay quantified there, with all that is said of them, unless an atom that is no part of it
    and can change mentions them.
    """
    goal = task.goal
    if not unseen and goal.residual is None:
        return task
    literals: list[tuple[Atom | Equal, bool]] = [(atom, True) for atom in goal.atoms]
    literals += [(atom, False) for atom in goal.denied]
    literals += [(Equal(*pair), True) for pair in goal.equalities]
    literals += [(Equal(*pair), False) for pair in goal.inequalities]

    def is_unseen(literal: Atom | Equal, positive: bool) -> bool:
        return isinstance(literal, Atom) and f"{'' if positive else 'not '}{literal.predicate}" in unseen

    rated = _name_variables(a for a in goal.atoms if not is_unseen(a, True) and a.predicate not in task.domain.static)
    left = _name_variables(literal for literal, positive in literals if is_unseen(literal, positive))
    if goal.residual is not None:
        left.update(find_free(goal.residual)[goal.residual])
    quantified = _spread(left - rated, [literal for literal, _ in literals], rated)

    def stays(literal: Atom | Equal, positive: bool) -> bool:
        return not is_unseen(literal, positive) and _name_variables([literal]).isdisjoint(quantified)

    parts: list[Formula] = [a if positive else Not(a) for a, positive in literals if not stays(a, positive)]
    parts += [] if goal.residual is None else [goal.residual]
    kept = replace(
        goal,
        variables=tuple(v for v in goal.variables if v.name not in quantified),
        atoms=tuple(a for a in goal.atoms if stays(a, True)),
        denied=tuple(a for a in goal.denied if stays(a, False)),
        equalities=tuple(pair for pair in goal.equalities if stays(Equal(*pair), True)),
        inequalities=tuple(pair for pair in goal.inequalities if stays(Equal(*pair), False)),
        residual=collect_residual(parts, [v for v in goal.variables if v.name in quantified]),
    )
    return replace(task, goal=kept)


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
