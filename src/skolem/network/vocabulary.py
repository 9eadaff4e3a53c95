"""Which relations a network knows: the predicates and types of one domain, and what goals add to them."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from skolem.oracle.dataset import Relation
from skolem.support.errors import UnsupportedError
from skolem.task.query import Query, Relations

CONSTANT, VARIABLE, BINDING, UNEQUAL = "Constant", "Variable", "PossibleBinding", "Neq_G"
CHOSEN, COMPANION = "Chosen", "Companion"
"""The marks of the object that was bound last, and of what its variable shares goal atoms with."""
EVERYTHING = "type:object"
"""The type that every object has; `Constant` says the same, so that it is left out."""


@dataclass(frozen=True)
class Vocabulary:
    """The relations of a domain, and those of the graphs made from its states and goals.

    A graph's relations are numbered by their place in `names`: the state's, `Constant`, the goal's (`p_G`),
    `Variable`, `PossibleBinding(o, x)` and `Neq_G`. Nullary relations are attached to every constant, so that
    every relation of a graph has at least one argument. With `marks` the relations `Chosen` and `Companion` follow.
    """

    relations: tuple[Relation, ...]
    marks: bool = False

    @staticmethod
    def of(relations: Iterable[Relation], marks: bool = False) -> "Vocabulary":
        """The vocabulary of a dataset's relations."""
        return Vocabulary(tuple(r for r in relations if r.name != EVERYTHING), marks)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every relation of a graph."""
        known = [r.name for r in self.relations]
        marks = (CHOSEN, COMPANION) if self.marks else ()
        return (*known, CONSTANT, *(f"{name}_G" for name in known), VARIABLE, BINDING, UNEQUAL, *marks)

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """The number of arguments of every relation of a graph."""
        known = [max(1, r.arity) for r in self.relations]
        return (*known, 1, *known, 1, 2, 2, *((1, 1) if self.marks else ()))

    @cached_property
    def by_arity(self) -> dict[int, tuple[int, ...]]:
        """For every arity, in order, the numbers of the relations that have it."""
        groups: dict[int, list[int]] = {arity: [] for arity in sorted(set(self.arities))}
        for number, arity in enumerate(self.arities):
            groups[arity].append(number)
        return {arity: tuple(numbers) for arity, numbers in groups.items()}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every relation of a graph."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of every relation of the domain."""
        return {r.name: i for i, r in enumerate(self.relations)}

    @cached_property
    def signature(self) -> str:
        """A checksum of the relations, their arities and which of them are static."""
        content = json.dumps([[r.name, r.arity, r.static] for r in self.relations])
        return hashlib.sha256(content.encode()).hexdigest()

    def select_statics(self, relations: Relations) -> Relations:
        """The static part of a state's relations."""
        return {r.name: relations[r.name] for r in self.relations if r.static and r.name in relations}

    def check_task(self, relations: Relations, statics: Relations) -> None:
        """Refuses a task whose relations are not those of the vocabulary; it may lack static ones, as empty."""
        wrong = []
        for name, rows in relations.items():
            known = self.relations[self.index[name]] if name in self.index else None
            if name == EVERYTHING:
                continue
            if known is None:
                wrong.append(f"{name}/{rows.shape[1]} is unknown to it")
            elif known.arity != rows.shape[1]:
                wrong.append(f"{name} has {rows.shape[1]} arguments instead of {known.arity}")
            elif known.static and name not in statics:
                wrong.append(f"{name} is changed by actions")
            elif not known.static and name in statics:
                wrong.append(f"{name} is changed by no action")
        wrong += [f"{r.name}/{r.arity} is missing" for r in self.relations if not r.static and r.name not in relations]
        if wrong:
            raise UnsupportedError(f"the model was trained on another domain: {'; '.join(wrong)}")

    def check_query(self, query: Query) -> None:
        """Refuses a goal with a predicate that the vocabulary lacks."""
        unknown = sorted({name for name, _ in query.atoms if name not in self.index})
        if unknown:
            raise UnsupportedError(f"the model does not know the goal's {', '.join(unknown)}")
