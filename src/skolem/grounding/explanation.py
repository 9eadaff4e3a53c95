"""Why these objects? What each variable could be, what rules the other objects out, and what the choices cost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from skolem.grounding.lookahead import EFFORT, LookAhead
from skolem.grounding.protocol import Grounding, Step
from skolem.pddl.writing import Style, format_formula, format_typed, spell_as_written
from skolem.task.constraints.candidates import Validity, find_valid_candidates
from skolem.task.constraints.relations_index import RelationsIndex, index_relations
from skolem.task.formulas import Atom, Equal, Formula, Not
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Task
from skolem.task.proofs.reachability import Refutation, Refuter
from skolem.task.query import CodedAtom, Query, merge_equal

MOST_REASONS = 20
"""Reasons that are looked for one by one for one variable; what is left is ruled out by all literals together."""
MOST_NAMES = 10
"""Objects that are named in one line; of others their number is given."""
MOST_LOOKED_AT = 500
"""Objects of all variables of a goal that are looked at for a proof that they are unreachable."""
MOST_BOUND = 100_000
"""Variables and literals of all the partly bound goals that are looked at for that: a few seconds for any goal."""
MOST_JOINED = 1_000_000
"""Variables and literals of all the partial goals that are solved to find the fewest reasons: some seconds."""


Possibility = Literal["possible", "impossible", "unknown"]


def name_some(names: Sequence[str]) -> str:
    """The first names, and how many there are besides.

    >>> name_some([f"b{i}" for i in range(12)])
    'b0, b1, b2, b3, b4, b5, b6, b7, b8, b9 and 2 more'
    """
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


@dataclass(frozen=True)
class Ruling:
    """Objects that a variable cannot be because of some literals of the goal that never change."""

    literals: tuple[str, ...]
    objects: tuple[str, ...]


@dataclass(frozen=True)
class Unreachability:
    """An object with which no reachable state satisfies the goal, and the proof in words."""

    object: str
    proof: str
    atoms: tuple[str, ...]
    """The atoms that are never true together."""
    invariant: tuple[str, ...] = ()
    """Atoms of which at most one is true in every reachable state; empty where the proof needs no invariant."""


@dataclass(frozen=True)
class VariableExplanation:
    """What a variable could be: every object is possible, ruled out or unreachable."""

    variable: str
    chosen: str | None
    possible: tuple[str, ...]
    ruled_out: tuple[Ruling, ...]
    unreachable: tuple[Unreachability, ...]

    def list_reasons(
        self, conflict: Sequence[str] = (), spell: Callable[[str], str] = str
    ) -> Iterator[tuple[str, str]]:
        """Lines for people under "possible", "ruled out" and "unreachable"; without what is said of the whole goal."""
        if self.possible:
            yield (
                "possible",
                name_some([spell(name) for name in sorted(self.possible, key=lambda name: name != self.chosen)]),
            )
        for ruling in self.ruled_out:
            if ruling.literals != conflict:
                # Those of other types are many, and nobody thinks of them.
                typed = len(ruling.literals) == 1 and ruling.literals[0].startswith("?")
                names = f"{len(ruling.objects)} of other types" if typed else name_some([*map(spell, ruling.objects)])
                yield "ruled out", f"{names}, by {', '.join(ruling.literals)}"
        for dead in self.unreachable:
            yield "unreachable", f"{spell(dead.object)}: {dead.proof}"


@dataclass(frozen=True)
class GoalExplanation:
    """One alternative of the goal: most goals are their only one."""

    goal: str
    """As PDDL text."""
    chosen: bool
    """Whether the objects were chosen for this alternative."""
    variables: tuple[VariableExplanation, ...]
    conflict: tuple[str, ...] = ()
    """Literals that no objects satisfy together; empty where the static description has a solution."""
    proven: bool = True
    """Whether every object was looked at; if not, some that are possible here may be unreachable."""


@dataclass(frozen=True)
class Forced:
    """What becomes of the plan if variables must have the objects that the user asks about."""

    asked: Mapping[str, str]
    status: Possibility
    text: str
    """The answer in one sentence."""
    cost: int | None = None
    optimal: bool = False
    """Whether no plan with these objects is cheaper, proven."""
    binding: Mapping[str, str] | None = None
    plan: tuple[str, ...] | None = None
    usual_cost: int | None = None
    """What the plan costs if nothing is asked for."""
    usual_optimal: bool = False
    usual_plan: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Explanation:
    """Why the objects of a binding were chosen: the alternatives of the goal, and the choices step by step."""

    status: Literal["grounded", "unsolvable", "unsolved"]
    route: str
    binding: Mapping[str, str] | None
    predicted_cost: float | None
    goals: tuple[GoalExplanation, ...]
    steps: tuple[Step, ...] = ()
    """Every choice of the learned route with the predicted costs; empty where no model chose."""
    message: str = ""
    forced: tuple[Forced, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain values, ready for JSON."""
        return {name: _list_plain(value) for name, value in asdict(self).items()}


def explain_goal(task: Task, grounding: Grounding | None = None) -> Explanation:
    """What the goal's variables could be, and why a grounding, if there is one, chose what it did."""
    binding = None if grounding is None else grounding.binding
    # A detour through an alternative is told by the grounding; a witness of a plan only has the variables.
    alternative = None if grounding is None else grounding.alternative
    tasks = list_alternatives(task)
    bound = [_is_chosen(t, tasks, alternative, binding) for t in tasks]
    goals = tuple(_explain_alternative(t, binding if chosen else None) for t, chosen in zip(tasks, bound, strict=True))
    if grounding is None:
        unsolvable = all(goal.conflict for goal in goals)
        return Explanation("unsolvable" if unsolvable else "unsolved", "none", None, None, goals)
    return Explanation(
        status=grounding.status,
        route=grounding.route,
        binding=binding,
        predicted_cost=grounding.predicted_cost,
        goals=goals,
        steps=grounding.trace,
        message=grounding.message,
    )


def _is_chosen(task: Task, tasks: Sequence[Task], alternative: Task | None, binding: Mapping[str, str] | None) -> bool:
    """Whether a binding is one of this alternative."""
    if binding is None:
        return False
    if alternative is not None:
        return task.goal.formula is alternative.goal.formula
    fitting = [t for t in tasks if all(v.name in binding for v in t.goal.variables)]
    return bool(fitting) and task is fitting[0]


def _explain_alternative(task: Task, binding: Mapping[str, str] | None) -> GoalExplanation:
    style = spell_as_written(task)
    goal = format_formula(task.goal.formula, style)
    query, statics = task.query, index_relations(task.statics, len(task.objects))
    literals = tuple(_list_static(task, statics, style))
    valid = find_valid_candidates(query, statics, len(task.objects))
    solving = _Solving(MOST_JOINED)
    conflict = _shrink(_Part(query, statics, solving), literals) if valid.unsolvable else ()
    looking = _Looking(task, statics, style)
    explained = []
    for number, variable in enumerate(task.goal.variables):
        left = [int(obj) for obj in np.flatnonzero(valid.candidates[number])]
        lost = [obj for obj in range(len(task.objects)) if not valid.candidates[number, obj]]
        unreachable = tuple(looking.list_unreachable(number, left)) if not conflict else ()
        dead = {found.object for found in unreachable}
        explained.append(
            VariableExplanation(
                variable=variable.name,
                chosen=None if binding is None else binding.get(variable.name),
                possible=tuple(name for obj in left if (name := task.objects[obj]) not in dead),
                ruled_out=tuple(_list_rulings(task, _Part(query, statics, solving), literals, number, lost)),
                unreachable=unreachable,
            )
        )
    shown = tuple(literal.text for literal in conflict)
    return GoalExplanation(goal, binding is not None, tuple(explained), shown, looking.left >= 0)


@dataclass(frozen=True)
class _StaticLiteral:
    """A literal of the goal that no action changes: what it is in the query, and as text."""

    text: str
    atoms: tuple[CodedAtom, ...] = ()
    equal: tuple[tuple[int, int], ...] = ()
    unequal: tuple[tuple[int, int], ...] = ()
    denied: tuple[CodedAtom, ...] = ()

    def mentions(self, variable: int) -> bool:
        """Whether the variable stands in the literal."""
        coded = (*(args for _, args in (*self.atoms, *self.denied)), *self.equal, *self.unequal)
        return any(~variable in args for args in coded)


def _list_static(task: Task, statics: RelationsIndex, style: Style) -> Iterator[_StaticLiteral]:
    """The types of variables, then the static literals of the goal as they stand there."""
    goal, query = task.goal, task.query
    typed = [v for v in goal.variables if "object" not in v.types]
    texts = [format_typed([(v.name, v.types)], style) for v in typed] + [_write(a, style) for a in goal.atoms]
    for text, atom in zip(texts, query.atoms, strict=True):
        if atom[0] in statics:
            yield _StaticLiteral(text, atoms=(atom,))
    for written, atom in zip(goal.denied, query.denied, strict=True):
        if atom[0] in statics and statics.can_deny(atom[1]):
            yield _StaticLiteral(_write(Not(written), style), denied=(atom,))
    for terms, pair in zip(goal.equalities, query.equal, strict=True):
        yield _StaticLiteral(_write(Equal(*terms), style), equal=(pair,))
    for terms, pair in zip(goal.inequalities, query.unequal, strict=True):
        yield _StaticLiteral(_write(Not(Equal(*terms)), style), unequal=(pair,))


def _measure(query: Query) -> int:
    """How much there is to a goal: its variables and literals."""
    return 1 + query.variables + len(query.atoms) + len(query.equal) + len(query.unequal) + len(query.denied)


@dataclass
class _Solving:
    """How much may still be solved to find reasons, in variables and literals."""

    left: int


def _write(formula: Formula, style: Style) -> str:
    return format_formula(formula, style)


@dataclass(frozen=True)
class _Part:
    """A goal of which only some literals are looked at."""

    query: Query
    statics: RelationsIndex
    solving: _Solving

    def find(self, literals: Sequence[_StaticLiteral]) -> Validity:
        """The objects that these literals alone leave the variables."""
        query = self.take(literals)
        self.solving.left -= _measure(query)
        return find_valid_candidates(query, self.statics, self.statics.objects)

    def take(self, literals: Sequence[_StaticLiteral]) -> Query:
        """The goal with these literals alone."""
        return replace(
            self.query,
            atoms=tuple(atom for literal in literals for atom in literal.atoms),
            equal=tuple(pair for literal in literals for pair in literal.equal),
            unequal=tuple(pair for literal in literals for pair in literal.unequal),
            denied=tuple(atom for literal in literals for atom in literal.denied),
        )

    def has_none(self, literals: Sequence[_StaticLiteral]) -> bool:
        """Whether no objects satisfy these literals, proven."""
        return self.find(literals).unsolvable


def _shrink(part: _Part, literals: Sequence[_StaticLiteral]) -> tuple[_StaticLiteral, ...]:
    """Literals that cannot be true together, none of which can be left out unless the effort ends."""
    kept = list(literals)
    for literal in reversed(literals):
        if part.solving.left < 0:
            break
        without = [other for other in kept if other is not literal]
        if part.has_none(without):
            kept = without
    return tuple(kept)


def _list_rulings(
    task: Task, part: _Part, literals: Sequence[_StaticLiteral], variable: int, lost: Sequence[int]
) -> Iterator[Ruling]:
    """Why a variable cannot be any of the lost objects: single literals come first, then the fewest together."""
    left = list(lost)

    def take_out(reasons: Sequence[_StaticLiteral]) -> Ruling | None:
        valid = part.find(reasons).candidates[variable]
        found = [obj for obj in left if not valid[obj]]
        left[:] = [obj for obj in left if valid[obj]]
        names = tuple(task.objects[obj] for obj in found)
        return Ruling(tuple(literal.text for literal in reasons), names) if found else None

    # One that is about the variable says most; one about others matters only where it is false by itself.
    for literal in sorted(literals, key=lambda literal: not literal.mentions(variable)):
        if left and part.solving.left >= 0 and (ruling := take_out([literal])) is not None:
            yield ruling
    for _ in range(MOST_REASONS):
        if not left:
            return
        if part.solving.left < 0:
            break
        one = replace(part, query=part.query.bind(variable, left[0]))
        ruling = take_out(_shrink(one, literals)) if one.has_none(literals) else None
        if ruling is None:
            break
        yield ruling
    if left:
        yield Ruling(tuple(literal.text for literal in literals), tuple(task.objects[obj] for obj in left))


class _Looking:
    """Looks for proofs that no reachable state satisfies a goal with some object."""

    def __init__(self, task: Task, statics: RelationsIndex, style: Style) -> None:
        self._task, self._statics, self._style = task, statics, style
        self._merged = merge_equal(task.query)
        self._refuter = Refuter(task)
        self._ahead = LookAhead(self._refuter, statics, len(task.objects))
        self.left = MOST_LOOKED_AT
        self._steps = MOST_BOUND // _measure(task.query)

    def list_unreachable(self, variable: int, objects: Sequence[int]) -> Iterator[Unreachability]:
        """The objects that a variable cannot have in any reachable state that satisfies the goal."""
        home = self._merged.home[variable]
        for obj in objects:
            self.left = self.left - 1 if self._steps > 0 else -1
            if self.left < 0:
                return
            query = self._merged.query.bind(home, obj)
            effort = min(EFFORT, self._steps)
            remains = self._ahead.remain(query, effort)
            self._steps -= effort - self._ahead.left
            if not remains:
                yield self._describe(query, self._task.objects[obj])

    def _describe(self, query: Query, name: str) -> Unreachability:
        proof = self._refuter.prove(query)
        lead = ""
        if proof is None:
            # Every way to complete the binding fails, each by a proof of its own: one of them is shown.
            valid = find_valid_candidates(query, self._statics, self._statics.objects)
            binding = query.binding if valid.solution is None else valid.solution
            proof = self._refuter.prove(replace(query, binding=binding))
            lead = "whatever the other variables are; for example "
        if proof is None:
            return Unreachability(name, "no choice for the other variables is left", ())
        atoms = tuple(self._show(atom) for atom in proof.atoms)
        return Unreachability(name, lead + self._word(proof, atoms), atoms, self._show_invariant(proof))

    def _word(self, proof: Refutation, atoms: Sequence[str]) -> str:
        if proof.searched:
            together = " together" * (len(atoms) > 1)
            return f"{' and '.join(atoms)} {'are' if together else 'is'} never true{together}, whatever is done"
        if proof.invariant is None and len(atoms) == 1:
            return f"no action can make {atoms[0]} true"
        if proof.invariant is None:
            return f"no action can make the last of {', '.join(atoms)} true while the others are"
        parts = ", ".join(self._show_invariant(proof))
        if len(atoms) == 1:
            return f"{atoms[0]} is never true: none of {parts} is at the start, and no action changes that"
        return f"{' and '.join(atoms)} are never true together: at most one of {parts} is"

    def _show_invariant(self, proof: Refutation) -> tuple[str, ...]:
        """The atoms that an invariant covers for a key, with `_` for any object."""
        shown = []
        for part in () if proof.invariant is None else proof.invariant.parts:
            terms = ["_"] * len(self._task.domain.predicates[part.predicate])
            for position, obj in zip(part.keys, proof.key, strict=True):
                terms[position] = self._task.objects[obj]
            shown.append(_write(Atom(part.predicate, tuple(terms)), self._style))
        return tuple(shown)

    def _show(self, atom: CodedAtom) -> str:
        predicate, objects = atom
        return _write(Atom(predicate, tuple(self._task.objects[obj] for obj in objects)), self._style)


def _list_plain(value: Any) -> Any:
    """The value with lists in place of tuples."""
    if isinstance(value, Mapping):
        return {key: _list_plain(inner) for key, inner in value.items()}
    return [_list_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
