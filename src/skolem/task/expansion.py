"""Conditions with each `forall` written out over its objects, and all that never changes decided."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import islice

from skolem.support.errors import LimitError
from skolem.task.alternatives import split_alternatives
from skolem.task.constraints.candidates import iterate_valid, solve_static
from skolem.task.constraints.relations_index import RelationsIndex
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable, list_terms
from skolem.task.model import Task, type_relation
from skolem.task.negation import FALSE, TRUE
from skolem.task.query import Query
from skolem.task.scopes import VariableNames, copy_apart, find_free, list_shared
from skolem.task.semantics.facts import unite_types

MOST_INSTANCES = 1_000
"""Objects, or tuples of them, over which one `forall` is written out; beyond that it stays as it is."""
MOST_PARTS = 50_000
"""Parts that are written out for one condition, a second's work; a `forall` that would need more stays as it is."""
EFFORT = 2_000
"""Search steps to decide a quantified part that never changes; it stays as it is if they are not enough."""

Env = Mapping[str, Term]
"""What stands for each variable: an object, or a variable of its own."""
Key = tuple[Formula, tuple[Term, ...]]
"""A part and what stands for its free variables."""
Steps = Generator[tuple[Formula, Env], Formula, Formula]
"""Code that asks for parts to be written out, each with what stands for its free variables."""
Literal = tuple[Atom | Equal, bool]
"""An atom or equality, and whether it is to be true."""


class Expander:
    """Writes out one condition, in which negations stand before atoms and equalities only.

    Every quantifier gets variables of its own, named after the objects on which they depend (`?box@plate1`). A part
    that says the same in several places is made once and is one part.
    """

    def __init__(self, task: Task, formula: Formula) -> None:
        quantified = [v for part in list_shared(formula) if isinstance(part, Exists | Forall) for v in part.variables]
        relations = {**task.statics, **unite_types(quantified, task.statics)}
        self._task = task
        self._formula = formula
        self._statics = RelationsIndex(relations, len(task.objects))
        self._tuples: dict[str, set[tuple[int, ...]]] = {}
        self._names = VariableNames()
        self._left = MOST_PARTS
        self._universals = 0
        """How many universal quantifiers are being written out, one in the other."""
        self._inputs = find_free(formula)
        self._free: dict[Formula, frozenset[str]] = {}
        """The free variables of all parts that were made."""
        self._changing: set[Formula] = set()
        """The parts that were made and that actions can change."""
        self._made: dict[tuple[type, tuple[Formula, ...]], Formula] = {}
        self.groups: dict[Formula, int] = {}
        """A number for each disjunction that is an instance of a `forall`, the same for all of its instances."""

    def expand(self) -> Formula:
        """The condition written out."""
        # Parts ask for parts inside them: a stack of their own keeps deep ones off Python's.
        key: Key = (self._formula, ())
        stack = [(key, self._visit(self._formula, {}))]
        known: dict[Key, Formula] = {}
        result: Formula | None = None
        while stack:
            key, steps = stack[-1]
            try:
                part, env = next(steps) if result is None else steps.send(result)
            except StopIteration as stop:
                stack.pop()
                result = stop.value
                if not self._is_given_up():
                    known[key] = stop.value
                continue
            self._left -= 1
            names = self._inputs[part]
            key = (part, tuple([env[name] for name in names]))
            result = FALSE if self._is_given_up() else known.get(key)
            if result is None:
                stack.append((key, self._visit(part, dict(zip(names, key[1], strict=True)))))
        assert result is not None, "the first part comes last"
        return result

    def _is_given_up(self) -> bool:
        """Whether what is made now is not going to be used, because the `forall` around it stays as it is."""
        return self._left < 0 and self._universals > 0

    def _visit(self, node: Formula, env: Env) -> Steps:
        match node:
            case And(parts) | Or(parts):
                kind = And if isinstance(node, And) else Or
                joined = []
                for part in parts:
                    joined.append((yield part, env))
                    if joined[-1] is (FALSE if kind is And else TRUE):
                        break
                return self._join(kind, joined)
            case Exists(variables, body):
                if not all(map(self._has_objects, variables)):
                    return FALSE
                own = self._declare(node, env)
                return self._quantify(Exists, own, (yield body, {**env, **own}))
            case Forall(variables):
                if not all(map(self._has_objects, variables)):
                    return TRUE
                self._universals += 1
                made = yield from self._visit_universal(node, env)
                self._universals -= 1
                return self._keep(node, env) if self._left < 0 and not self._universals else made
            case Not(body):
                assert isinstance(body, Atom | Equal), "negations stand before atoms and equalities only"
                return self._decide(body, False, env)
            case Atom() | Equal():
                return self._decide(node, True, env)

    def _visit_universal(self, node: Forall, env: Env) -> Steps:
        """A conjunction of instances, beside the alternatives that are the same for all instances."""
        names = {v.name for v in node.variables}
        parts = node.body.parts if isinstance(node.body, Or) else (node.body,)
        others = [part for part in parts if names.isdisjoint(self._inputs[part])]
        made = []
        for part in others:
            made.append((yield part, env))
            if made[-1] is TRUE:
                return TRUE
        own = [part for part in parts if not names.isdisjoint(self._inputs[part])]
        guard = [
            (part.body, True) if isinstance(part, Not) else (part, False)
            for part in own
            if isinstance(part, Atom | Equal | Not)
        ]
        instances = self._list_instances(node.variables, guard, env)
        if instances is None:
            fresh = self._declare(node, env)
            kept = []
            for part in own:
                kept.append((yield part, {**env, **fresh}))
            return self._join(Or, [*made, self._quantify(Forall, fresh, self._join(Or, kept))])
        conjuncts: list[Formula] = []
        for objects in instances:
            inner = {**env, **objects}
            disjuncts = []
            for part in own:
                disjuncts.append((yield part, inner))
                if disjuncts[-1] is TRUE:
                    break
            conjuncts.append(self._join(Or, disjuncts))
            if conjuncts[-1] is FALSE:
                break
        number = len(self.groups)
        for conjunct in conjuncts:
            for part in conjunct.parts if isinstance(conjunct, And) else (conjunct,):
                if isinstance(part, Or):
                    self.groups.setdefault(part, number)
        return self._join(Or, [*made, self._join(And, conjuncts)])

    def _keep(self, node: Forall, env: Env) -> Formula:
        """A quantified formula as it is, with variables of its own."""
        kept = copy_apart(node, self._names, env)
        terms = [env[name] for name in self._inputs[node]]
        self._free[kept] = frozenset(term.name for term in terms if isinstance(term, Variable))
        self._changing.add(kept)
        return kept

    def _list_instances(
        self, variables: Sequence[Variable], guard: Iterable[tuple[Formula, bool]], env: Env
    ) -> list[dict[str, str]] | None:
        """The objects of the variables with which the literals of a guard that never change hold; None if too many."""
        own: Env = {**env, **{v.name: v for v in variables}}
        known: list[Literal] = []
        for atom, positive in guard:
            assert isinstance(atom, Atom | Equal), "negations stand before atoms and equalities only"
            atom = _substitute(atom, own)
            open_terms = {t for t in list_terms(atom) if isinstance(t, Variable)}
            if open_terms <= set(variables) and (isinstance(atom, Equal) or atom.predicate in self._statics):
                known.append((atom, positive))
        try:
            found = iterate_valid(self._make_query(variables, known), self._statics, len(self._task.objects))
            instances = list(islice(found, MOST_INSTANCES + 1))
        except LimitError:
            return None
        names = [v.name for v in variables]
        named = [dict(zip(names, map(self._task.objects.__getitem__, row), strict=True)) for row in instances]
        return named if len(named) <= MOST_INSTANCES else None

    def _make_query(self, variables: Sequence[Variable], literals: Iterable[Literal]) -> Query:
        number = {v: ~i for i, v in enumerate(variables)}
        typed = [(type_relation(v.types), (number[v],)) for v in variables if "object" not in v.types]
        coded: dict[tuple[type, bool], list[tuple[str, tuple[int, ...]]]] = {}
        for atom, positive in literals:
            terms = tuple([number[t] if isinstance(t, Variable) else self._task.index[t] for t in list_terms(atom)])
            name = atom.predicate if isinstance(atom, Atom) else "="
            coded.setdefault((type(atom), positive), []).append((name, terms))
        return Query(
            variables=len(number),
            atoms=(*typed, *coded.get((Atom, True), ())),
            equal=tuple((a, b) for _, (a, b) in coded.get((Equal, True), ())),
            unequal=tuple((a, b) for _, (a, b) in coded.get((Equal, False), ())),
            denied=tuple(coded.get((Atom, False), ())),
        )

    def _declare(self, node: Exists | Forall, env: Env) -> dict[str, Variable]:
        """Variables of its own for a quantifier."""
        objects = [env[name] for name in self._inputs[node] if isinstance(env[name], str)]
        suffix = "".join(f"@{obj}" for obj in objects)
        return {v.name: Variable(self._names.take(v.name + suffix), v.types) for v in node.variables}

    def _has_objects(self, variable: Variable) -> bool:
        if "object" in variable.types:
            return bool(self._task.objects)
        return len(self._statics[type_relation(variable.types)]) > 0

    def _decide(self, atom: Atom | Equal, positive: bool, env: Env) -> Formula:
        """A literal, or its truth where that never changes."""
        atom = _substitute(atom, env)
        terms = list_terms(atom)
        ground = all(isinstance(term, str) for term in terms)
        if isinstance(atom, Equal):
            if ground or terms[0] == terms[1]:
                return TRUE if (terms[0] == terms[1]) == positive else FALSE
        elif ground and atom.predicate in self._statics:
            return TRUE if self._holds(atom, {}) == positive else FALSE
        made: Formula = atom if positive else self._made.setdefault((Not, (atom,)), Not(atom))
        self._free[made] = frozenset(term.name for term in terms if isinstance(term, Variable))
        if isinstance(atom, Atom) and atom.predicate not in self._statics:
            self._changing.add(made)
        return made

    def _holds(self, atom: Atom | Equal, objects: Mapping[Variable, int]) -> bool:
        """Whether an atom that never changes, or an equality, is true."""
        row = tuple([objects[t] if isinstance(t, Variable) else self._task.index[t] for t in list_terms(atom)])
        if isinstance(atom, Equal):
            return row[0] == row[1]
        name = atom.predicate
        if name not in self._tuples:
            self._tuples[name] = set(map(tuple, self._statics[name].tolist()))
        return row in self._tuples[name]

    def _join(self, kind: type[And] | type[Or], parts: Iterable[Formula]) -> Formula:
        """The conjunction or disjunction without nesting, repetition and contradiction."""
        flat: dict[Formula, None] = {}
        for part in parts:
            if isinstance(part, And | Or) and not (part.parts or isinstance(part, kind)):
                return part
            flat |= dict.fromkeys(part.parts if isinstance(part, kind) else (part,))
        if any(isinstance(part, Not) and part.body in flat for part in flat):
            return FALSE if kind is And else TRUE
        if not flat:
            return TRUE if kind is And else FALSE
        if len(flat) == 1:
            return next(iter(flat))
        made = self._made.setdefault((kind, tuple(flat)), kind(tuple(flat)))
        self._free[made] = frozenset().union(*(self._free[part] for part in flat))
        if not self._changing.isdisjoint(flat):
            self._changing.add(made)
        return made

    def _quantify(self, kind: type[Exists] | type[Forall], variables: Mapping[str, Variable], body: Formula) -> Formula:
        """The quantified formula, or its truth where that never changes; there are objects for all variables."""
        if body is TRUE or body is FALSE:
            return body
        used = tuple(v for v in variables.values() if v.name in self._free[body])
        if not used:
            return body
        made = kind(used, body)
        self._free[made] = self._free[body].difference([v.name for v in used])
        if body in self._changing:
            self._changing.add(made)
        elif not self._free[made] and kind is Exists:
            return self._settle(made)
        return made

    def _settle(self, formula: Formula) -> Formula:
        """The truth of an existential formula that never changes; the formula itself where that takes too long."""
        undecided = False
        for alternative in split_alternatives(formula):
            variables, literals = list(alternative.variables), list(alternative.literals)
            try:
                found = solve_static(
                    self._make_query(variables, literals), self._statics, len(self._task.objects), EFFORT
                )
            except LimitError:
                undecided = True
                continue
            if found is not None:
                objects = dict(zip(variables, found, strict=True))
                if not alternative.unresolved and all(self._holds(a, objects) == sign for a, sign in literals):
                    return TRUE
                undecided = True
        return formula if undecided else FALSE


def _substitute(atom: Atom | Equal, env: Env) -> Atom | Equal:
    terms = [env.get(term.name, term) if isinstance(term, Variable) else term for term in list_terms(atom)]
    return Atom(atom.predicate, tuple(terms)) if isinstance(atom, Atom) else Equal(*terms)
