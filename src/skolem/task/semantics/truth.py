"""Is a condition true, and with which objects? Every condition of a task is decided here.

A condition is a `Conjunction` of `task/normal_form.py`: literals, choices (one part must be true) and exceptions (no
part may be true), quantifiers all existential. The literals with open variables are one join, which the constraint
solver narrows and searches; what is left, choices and exceptions, is decided with the objects that the join proposes:

- `find`: is the condition true, given the objects of its free variables; which objects make it true?
- `list_bindings`: with which objects of some of its variables is it true?
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from skolem.task.constraints.bitsets import split
from skolem.task.constraints.relations_index import MOST_PAIRED, RelationsIndex
from skolem.task.constraints.solver import Domains, Effort, Join, get_join
from skolem.task.normal_form import Conjunction
from skolem.task.query import CodedAtom, Query

EFFORT = 10_000_000
"""Search steps, more than any condition in practice needs; a LimitError after that."""
LISTING = 5
"""What each listed binding counts for, so that their number is bounded, too."""

Env = dict[int, int]
"""The objects of some variables."""

Link = tuple[Any, ...]
"""A linked list, which the alternatives that extend it share: (first, rest) or ()."""


@dataclass(frozen=True)
class _Found:
    """The objects of a true part's own variables, and the same for the parts inside that made it true."""

    objects: Env
    inside: list["_Found"]


@dataclass(frozen=True)
class _Demand:
    """What one selection from the choices demands: literals with open variables, and what is still to be looked at.

    Choices in which at most one variable is open are `narrow`: they need no branching.
    """

    variables: tuple[int, ...] = ()
    atoms: tuple[CodedAtom, ...] = ()
    denied: tuple[CodedAtom, ...] = ()
    equal: tuple[tuple[int, int], ...] = ()
    unequal: tuple[tuple[int, int], ...] = ()
    choices: Link = ()
    narrow: Link = ()
    exceptions: Link = ()


Joined = tuple[Join, Domains, dict[int, int]]
"""The literals of a demand as a join, its domains, and the slot of each variable."""

_NOTHING: Joined = Join(RelationsIndex({}, 0), Query(0, ()), ()), [], {}
"""What is joined where no variable is open."""

Steps = Generator[tuple[Conjunction, Env], _Found | None, Any]
"""Code that asks for parts to be evaluated, each with the objects of its free variables."""


class Evaluator:
    """Decides conditions in one state."""

    def __init__(self, structure: RelationsIndex) -> None:
        self.structure = structure
        self.effort = Effort(EFFORT)
        self.known: dict[tuple[Conjunction, tuple[int, ...]], _Found | None] = {}

    def find(self, part: Conjunction, env: Env) -> Env | None:
        """The objects that make a part true, given those of its free variables, or None."""
        found = self._run(self.evaluate(part, env))
        return None if found is None else _gather(found)

    def list_bindings(self, part: Conjunction, variables: Sequence[int], env: Env) -> list[tuple[int, ...]]:
        """All objects of some of a part's variables with which it is true, in lexicographic order.

        The other variables of the part are existential, those in `env` have their objects.
        """
        listed: list[tuple[int, ...]] = self._run(self.propose(part, variables, env))
        return listed

    def _run(self, steps: "Steps") -> Any:
        # Parts ask for parts inside them: a stack of their own keeps deep ones off Python's.
        stack = [steps]
        result: Any = None
        while stack:
            try:
                part, env = stack[-1].send(result)
            except StopIteration as stop:
                stack.pop()
                result = stop.value
            else:
                stack.append(self.evaluate(part, env))
                result = None
        return result

    def propose(self, part: Conjunction, variables: Sequence[int], env: Env) -> "Steps":
        """The solutions of a part's literals, each kept if the rest of the part is true with it."""
        literals = replace(part, choices=[], exceptions=[])
        grown = self.add(_Demand(), literals, env)
        if grown is None:
            return []
        demand, (join, domains, slots) = grown
        simple = not (part.choices or part.exceptions or demand.exceptions)
        kept = []
        # Equal variables share a slot.
        over = list(dict.fromkeys(slots[v] for v in variables))
        for node in join.iterate(domains, over, self.effort):
            self.effort.spend(LISTING)
            objects = tuple([node[slots[v]].bit_length() - 1 for v in variables])
            if simple or (yield part, env | dict(zip(variables, objects, strict=True))) is not None:
                kept.append(objects)
        return kept

    def evaluate(self, part: Conjunction, env: Env) -> Steps:
        """How the part is made true, given the objects of its free variables, or None."""
        stack = [(_Demand(), part)]
        while stack:
            grown = self.add(*stack.pop(), env)
            if grown is None:
                continue
            demand, joined = grown
            if demand.choices:
                choice, rest = demand.choices
                demand = replace(demand, choices=rest)
                for alternative in reversed(choice):
                    # With variables of its own it would make the join larger and larger: as a choice it is narrow.
                    apart = alternative.variables and len(_list_open([alternative], env)) < 2
                    stack.append((demand, Conjunction(choices=[[alternative]]) if apart else alternative))
            else:
                solved = yield from self.solve(demand, joined, env)
                if solved is not None:
                    return solved
        return None

    def add(self, demand: _Demand, part: Conjunction, env: Env) -> tuple[_Demand, Joined] | None:
        """The demand with that of a part added, and its join; or None if it cannot be met."""
        atoms, denied = dict.fromkeys(demand.atoms), dict.fromkeys(demand.denied)
        choices, narrow, exceptions = demand.choices, demand.narrow, demand.exceptions
        for positive, literals in ((True, part.atoms), (False, part.denied)):
            for name, args in literals:
                values = tuple([a if a >= 0 else env.get(~a, -1) for a in args])
                if name not in self.structure or min(values, default=0) >= 0:
                    if self.structure.contains(name, values) != positive:
                        return None
                elif positive:
                    atoms[name, args] = None
                elif self.can_exclude(args):
                    denied[name, args] = None
                else:
                    exceptions = (
                        Conjunction(atoms=[(name, args)], free=tuple({~a for a in args if a < 0})),
                        exceptions,
                    )
        for choice in part.choices:
            if len(_list_open(choice, env)) < 2:
                narrow = (choice, narrow)
            else:
                choices = (choice, choices)
        for exception in part.exceptions:
            exceptions = (exception, exceptions)
        grown = _Demand(
            variables=(*demand.variables, *part.variables),
            atoms=tuple(atoms),
            denied=tuple(denied),
            equal=tuple(dict.fromkeys((*demand.equal, *part.equal))),
            unequal=tuple(dict.fromkeys((*demand.unequal, *part.unequal))),
            choices=choices,
            narrow=narrow,
            exceptions=exceptions,
        )
        joined = self.join(grown, env)
        return None if joined is None else (grown, joined)

    def can_exclude(self, args: tuple[int, ...]) -> bool:
        """Whether a negated atom can take part in joins."""
        variables = len({a for a in args if a < 0})
        return variables < 2 or (variables == 2 and self.structure.objects <= MOST_PAIRED)

    def join(self, demand: _Demand, env: Env) -> Joined | None:
        """The join of the literals; None if they contradict each other."""
        if not (demand.variables or demand.atoms or demand.denied or demand.equal or demand.unequal):
            return _NOTHING
        number = {v: i for i, v in enumerate(demand.variables)}

        def code(argument: int) -> int:
            return argument if argument >= 0 else ~number.setdefault(~argument, len(number))

        atoms = tuple([(name, tuple(map(code, args))) for name, args in demand.atoms])
        denied = tuple([(name, tuple(map(code, args))) for name, args in demand.denied])
        equal = tuple([(code(a), code(b)) for a, b in demand.equal])
        unequal = tuple([(code(a), code(b)) for a, b in demand.unequal])
        join = get_join(self.structure, Query(len(number), atoms, equal, unequal), denied)
        domains = join.restrict([env.get(v, -1) for v in number])
        return None if domains is None else (join, domains, {v: join.home[i] for v, i in number.items()})

    def solve(self, demand: _Demand, joined: Joined, env: Env) -> Steps:
        """How all of a demand without choices is met, or None; the domains of the join are used up."""
        join, domains, slots = joined
        for choice in _follow(demand.narrow):
            unknown = _list_open(choice, env)
            if not unknown:
                if (yield from self.find_first(choice, env)) is None:
                    return None
                continue
            variable = unknown.pop()
            allowed = 0
            for part in choice:
                allowed |= yield from self.allow(part, variable, env, domains[slots[variable]] & ~allowed)
            if not join.shrink(domains, slots[variable], allowed):
                return None
        wide: list[Conjunction] = []
        for part in _follow(demand.exceptions):
            unknown = _list_open([part], env)
            if len(unknown) > 1:
                wide.append(part)
            elif not unknown:
                if (yield from self.find_first([part], env)) is not None:
                    return None
            else:
                variable = unknown.pop()
                refused = yield from self.allow(part, variable, env, domains[slots[variable]])
                if not join.shrink(domains, slots[variable], ~refused):
                    return None
        over = sorted({slots[v] for v in _list_open(wide, env)})
        for node in join.iterate(domains, over, self.effort):
            complete = join.search(node, self.effort)
            assert complete is not None, "only what a solution has is iterated"
            own = {v: complete[slots[v]].bit_length() - 1 for v in demand.variables}
            if (yield from self.find_first(wide, env | own)) is None:
                inside = []
                for choice in _follow(demand.narrow):
                    inside.append((yield from self.find_first(choice, env | own)))
                return _Found(own, inside)
        return None

    def allow(self, part: Conjunction, variable: int, env: Env, mask: int) -> Steps:
        """The objects among those of the mask with which a part is true whose only open variable is the given one."""
        grown = self.add(_Demand(variables=(variable,)), part, env)
        if grown is None:
            return 0
        demand, (join, domains, slots) = grown
        mask &= domains[slots[variable]]
        simple = not (demand.choices or demand.narrow or demand.exceptions)
        if not (simple and join.is_decided(domains, slots[variable])):
            for bit in split(mask):
                if (yield from self.find_first([part], env | {variable: bit.bit_length() - 1})) is None:
                    mask ^= bit
        return mask

    def find_first(self, parts: Sequence[Conjunction], env: Env) -> Steps:
        """How the first part that is true is made true, or None; each case is evaluated once."""
        for part in parts:
            key = (part, tuple([env[v] for v in part.free]))
            if key not in self.known:
                self.known[key] = yield part, dict(zip(part.free, key[1], strict=True))
            if self.known[key] is not None:
                return self.known[key]
        return None


def _list_open(parts: Sequence[Conjunction], env: Env) -> set[int]:
    """The free variables of the parts that have no object yet."""
    return {v for part in parts for v in part.free if v not in env}


def _follow(link: Link) -> Iterator[Any]:
    """The elements of a linked list."""
    while link:
        first, link = link
        yield first


def _gather(found: _Found) -> Env:
    """The objects of all variables that made a part true."""
    objects: Env = {}
    stack = [found]
    while stack:
        top = stack.pop()
        objects |= top.objects
        stack.extend(top.inside)
    return objects
