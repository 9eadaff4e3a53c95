"""The data of a planning task as a user names it: domain, objects, initial state, goal."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skolem.task.actions import Action, Axiom
from skolem.task.attributes import list_named_objects
from skolem.task.formulas import Atom, Formula, Term, Variable
from skolem.task.query import Query, Relations
from skolem.task.types import Supertypes, Types, fit

Binding = Mapping[str, str]
"""The object chosen for each variable, by the variable's unique name."""


@dataclass(frozen=True)
class Goal:
    """A goal: its formula and, as far as it is resolved, the same as variables and literals over them.

    A goal as it is read is resolved if it is a quantified conjunction of atoms and (in)equalities; `outside` says in a
    few words why it is not, and then everything but the formula is empty. The goals that `list_alternatives` makes of
    it may have denied atoms and a residual too, and `outside` then says why there is nothing that could be bound.
    """

    formula: Formula
    variables: tuple[Variable, ...] = ()
    atoms: tuple[Atom, ...] = ()
    equalities: tuple[tuple[Term, Term], ...] = ()
    inequalities: tuple[tuple[Term, Term], ...] = ()
    outside: str | None = None
    denied: tuple[Atom, ...] = ()
    """The atoms that are to be false."""
    residual: Formula | None = None
    """What is to be true besides, with quantifiers of its own; it may mention the variables."""


@dataclass(frozen=True)
class Source:
    """A text file as the user wrote it."""

    path: str
    text: str


@dataclass(frozen=True, eq=False)
class Domain:
    """What a PDDL domain declares, names in lower case."""

    name: str
    source: Source = field(repr=False)
    supertypes: Supertypes
    predicates: Mapping[str, tuple[Types, ...]]
    """Every predicate with the types each argument may have."""
    static: frozenset[str]
    """Predicates that no action and no axiom changes."""
    derived: frozenset[str]
    constants: Mapping[str, Types]
    """The constants with their declared types."""
    actions: tuple[Action, ...] = field(default=(), repr=False)
    axioms: tuple[Axiom, ...] = field(default=(), repr=False)
    functions: Mapping[str, tuple[Types, ...]] = field(default_factory=dict, repr=False)
    """Every function with the types each argument may have."""
    spelling: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Predicates and constants that the file does not write in lower case, as it writes them."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the file but clear, one line each."""


@dataclass(frozen=True, eq=False)
class Task:
    """A domain, objects, an initial state and a goal; objects are numbered by their place in `objects`."""

    domain: Domain
    name: str
    source: Source = field(repr=False)
    objects: tuple[str, ...]
    """The domain's constants, then the problem's objects."""
    types: Mapping[str, Types]
    """The declared types of every object."""
    init: Relations = field(repr=False)
    """The initial state: every predicate's tuples (derived ones too), and `type:T` for every type T."""
    goal: Goal
    goal_span: tuple[int, int]
    """Where the `(:goal ...)` form stands in the problem's text: start and end offset."""
    spelling: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Objects that the file does not write in lower case, as it writes them."""
    values: Mapping[tuple[str, ...], int] = field(default_factory=dict, repr=False)
    """The initial value of each function term, such as `("distance", "a", "b")`."""
    has_metric: bool = False
    """Whether plans are compared by their total cost instead of their length."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the two files but clear, one line each."""

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of every object."""
        return {name: i for i, name in enumerate(self.objects)}

    @cached_property
    def statics(self) -> Relations:
        """The relations that no action changes, types included, and `named:o` for each object o that actions name."""
        static = self.domain.static
        statics = {name: rows for name, rows in self.init.items() if name in static or name.startswith("type:")}
        named = {f"named:{name}": self.index[name] for name in list_named_objects(self.domain)}
        return statics | {name: np.array([[number]], dtype=np.int32) for name, number in named.items()}

    @cached_property
    def query(self) -> Query:
        """The literals of the goal over numbered objects."""
        number = {v.name: ~i for i, v in enumerate(self.goal.variables)}

        def code(term: Term) -> int:
            return number[term.name] if isinstance(term, Variable) else self.index[term]

        typed = [(type_relation(v.types), (number[v.name],)) for v in self.goal.variables if "object" not in v.types]
        atoms, denied = (
            [(a.predicate, tuple(code(t) for t in a.terms)) for a in literals]
            for literals in (self.goal.atoms, self.goal.denied)
        )
        return Query(
            variables=len(number),
            atoms=(*typed, *atoms),
            equal=tuple((code(a), code(b)) for a, b in self.goal.equalities),
            unequal=tuple((code(a), code(b)) for a, b in self.goal.inequalities),
            denied=tuple(denied),
        )

    def has_type(self, name: str, allowed: Types) -> bool:
        """Whether an object is of one of the types."""
        return fit(self.domain.supertypes, self.types[name], allowed)

    def name_binding(self, objects: tuple[int, ...]) -> dict[str, str]:
        """The binding that gives the i-th variable the object numbered `objects[i]`."""
        return {v.name: self.objects[o] for v, o in zip(self.goal.variables, objects, strict=True)}


def type_relation(types: Types) -> str:
    """The name of the unary relation of the objects that have one of the types."""
    return "type:" + "|".join(sorted(types))


def empty_relation(arity: int) -> npt.NDArray[np.int32]:
    """A relation without tuples."""
    return np.zeros((0, arity), dtype=np.int32)


def make_relation(rows: Collection[tuple[int, ...]], arity: int) -> npt.NDArray[np.int32]:
    """The relation that holds the rows."""
    return np.array(list(rows), dtype=np.int32).reshape(len(rows), arity) if rows else empty_relation(arity)
