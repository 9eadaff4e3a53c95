"""The goal as the routes use it: variables with candidates, literals, pairs that must differ; as small as it gets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from skolem.support.errors import UnsupportedError
from skolem.task.alternatives import MOST_ALTERNATIVES
from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.formulas import And, Atom, Formula, Not, Term
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Task
from skolem.task.query import CodedAtom, merge_equal
from skolem.task.scopes import VariableNames, copy_apart, find_free

DENIED = "not "


@dataclass
class GoalPattern:
    """A conjunctive goal that some binding satisfies exactly when some binding satisfies the user's goal.

    Atoms that the candidates imply are left out, and so are inequalities of variables without a common candidate.
    A negated atom is one whose predicate is `not p`, and a part of the residual is one of the predicate `residual i`.
    """

    candidates: dict[int, set[int]]
    """The objects that each remaining variable (~i for the i-th) may have."""
    atoms: set[CodedAtom]
    unequal: set[frozenset[int]]
    possible: bool = True
    """False when no binding at all can satisfy the goal."""
    residuals: dict[str, tuple[Formula, tuple[str, ...]]] = field(default_factory=dict)
    """The formula of each part of the residual, and its free variables in the order of the atom's terms."""

    def atoms_of(self, variable: int) -> list[CodedAtom]:
        """The atoms that mention a variable."""
        return [atom for atom in self.atoms if variable in atom[1]]

    def neighbours(self, variable: int) -> set[int]:
        """The variables that must differ from a variable."""
        return {v for pair in self.unequal if variable in pair for v in pair if v != variable}

    def write(self, atom: CodedAtom, terms: Sequence[Term]) -> Formula:
        """The literal, or part of the residual, of an atom with these terms."""
        name, _ = atom
        if name in self.residuals:
            formula, variables = self.residuals[name]
            return copy_apart(formula, VariableNames(), dict(zip(variables, terms, strict=True)))
        if name.startswith(DENIED):
            return Not(Atom(name.removeprefix(DENIED), tuple(terms)))
        return Atom(name, tuple(terms))


def find_patterns(task: Task) -> list[GoalPattern]:
    """The patterns of all alternatives of the task's goal that are possible."""
    patterns = [find_pattern(alternative) for alternative in list_alternatives(task)]
    return [pattern for pattern in patterns if pattern.possible]


# Choosing a route and rewriting both need it.
@lru_cache(maxsize=2 * MOST_ALTERNATIVES)
def find_pattern(task: Task) -> GoalPattern:
    """The pattern of the task's goal without redundant variables; UnsupportedError for a goal with alternatives."""
    if task.goal.outside is not None and task.goal.residual is None:
        raise UnsupportedError(f"this route takes conjunctive goals only, and this goal has {task.goal.outside}")
    pattern = _read(task)
    changed = True
    while changed and pattern.possible:
        _drop_inequalities(pattern)
        reduced = [_reduce(pattern, variable) for variable in list(pattern.candidates)]
        changed = any(reduced)
    return pattern


def _read(task: Task) -> GoalPattern:
    merged = merge_equal(task.query)
    query = merged.query
    validity = find_valid_candidates(query, task.statics, len(task.objects))
    pattern = GoalPattern({~i: set(validity.candidates[i].nonzero()[0].tolist()) for i in query.unbound}, set(), set())
    pattern.possible = not validity.unsolvable and all(pattern.candidates.values())
    for prefix, literals in (("", query.atoms), (DENIED, query.denied)):
        for name, arguments in literals:
            terms = tuple(query.resolve(a) for a in arguments)
            if name not in task.statics or len({t for t in terms if t < 0}) > 1:
                pattern.atoms.add((prefix + name, terms))
    home = {v.name: query.resolve(~place) for v, place in zip(task.goal.variables, merged.home, strict=True)}
    for number, part in enumerate(_list_residual(task.goal.residual)):
        name, variables = f"residual {number}", find_free(part)[part]
        pattern.residuals[name] = (part, variables)
        pattern.atoms.add((name, tuple(home[v] for v in variables)))
    for pair in query.unequal:
        left, right = (query.resolve(a) for a in pair)
        if left < 0 and right < 0:
            pattern.unequal.add(frozenset((left, right)))
    return pattern


def _list_residual(residual: Formula | None) -> tuple[Formula, ...]:
    if residual is None:
        return ()
    return residual.parts if isinstance(residual, And) else (residual,)


def _drop_inequalities(pattern: GoalPattern) -> None:
    for pair in list(pattern.unequal):
        left, right = pair
        if not pattern.candidates[left] & pattern.candidates[right]:
            pattern.unequal.remove(pair)


def _reduce(pattern: GoalPattern, variable: int) -> bool:
    """Whether the variable could be replaced by a term or left out."""
    candidates, neighbours = pattern.candidates[variable], pattern.neighbours(variable)
    if len(candidates) == 1:
        (obj,) = candidates
        for other in neighbours:
            pattern.candidates[other].discard(obj)
            pattern.possible &= bool(pattern.candidates[other])
        _replace(pattern, variable, obj)
        return True
    # Whatever objects the variables that must differ from it get, one of its candidates is left.
    if len(candidates) > len(neighbours) and not pattern.atoms_of(variable):
        _replace(pattern, variable, variable)
        return True
    for term in _models(pattern, variable):
        if _fits(pattern, variable, term, neighbours):
            _replace(pattern, variable, term)
            return True
    return False


def _models(pattern: GoalPattern, variable: int) -> Iterator[int]:
    """The terms that stand where the variable stands in another atom that is otherwise the same."""
    name, terms = min(pattern.atoms_of(variable), default=("", ()))
    for other, others in list(pattern.atoms):
        if other == name and len(others) == len(terms):
            changed = {b for a, b in zip(terms, others, strict=True) if a == variable}
            if len(changed) == 1 and variable not in changed:
                yield changed.pop()


def _fits(pattern: GoalPattern, variable: int, term: int, neighbours: set[int]) -> bool:
    """Whether every binding of the other variables satisfies the goal with the variable bound as the term is."""
    allowed = pattern.candidates[term] if term < 0 else {term}
    if term in neighbours or not allowed <= pattern.candidates[variable]:
        return False
    for other in neighbours:
        if frozenset((term, other)) not in pattern.unequal and allowed & pattern.candidates[other]:
            return False
    return all(
        (name, _substitute(terms, variable, term)) in pattern.atoms for name, terms in pattern.atoms_of(variable)
    )


def _replace(pattern: GoalPattern, variable: int, term: int) -> None:
    for name, terms in pattern.atoms_of(variable):
        pattern.atoms.remove((name, terms))
        pattern.atoms.add((name, _substitute(terms, variable, term)))
    pattern.unequal = {pair for pair in pattern.unequal if variable not in pair}
    del pattern.candidates[variable]


def _substitute(terms: tuple[int, ...], variable: int, term: int) -> tuple[int, ...]:
    return tuple(term if t == variable else t for t in terms)
