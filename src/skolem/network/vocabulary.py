"""Which relations a network knows: the predicates and types of one domain, and what goals add to them."""

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from skolem.support.errors import UnsupportedError
from skolem.task.attributes import find_attributes
from skolem.task.cost_relations import PREFIX
from skolem.task.model import Task
from skolem.task.query import Query, Relations
from skolem.task.relation import Relation

CONSTANT, VARIABLE, BINDING, UNEQUAL = "Constant", "Variable", "PossibleBinding", "Neq_G"
DIFFERENT = "Neq"
"""Holds for every two different objects, where states show that."""
VIOLATED = "Violated"
"""The mark of objects that a ground static literal or inequality of the goal forbids."""
CHOSEN, COMPANION = "Chosen", "Companion"
"""The marks of the object that was bound last, and of what its variable shares goal atoms with."""
EVERYTHING = "type:object"
"""The type that every object has; `Constant` says the same, so that it is left out."""
JOINS = 3
"""How many attributes that join two variables a graph can show at a time."""


@dataclass(frozen=True)
class Vocabulary:
    """The relations of a domain, and those of the graphs made from its states and goals.

    A graph's relations are numbered by their place in `names`: the state's, `Constant`, the goal's (`p_G`),
    `Variable`, `PossibleBinding(o, x)` and `Neq_G`. Nullary relations are attached to every constant, so that
    every relation of a graph has at least one argument. With `marks` the relations `Chosen` and `Companion` follow.

    Where what is static is `decided`, attributes are no relations of it, `p_N` are the goal's denied atoms, static
    predicates have a `p_G` only if they can join two variables, `Violated` marks objects, and `Join1`, ... stand for
    the attributes that join two variables of a goal, with `Join1_G`, ... for their goal atoms. Which `inequalities`
    are shown is said by the network's setting of that name; for "facts" there is the relation `Neq`.
    """

    relations: tuple[Relation, ...]
    marks: bool = False
    decided: bool = False
    joins: int = 0
    inequalities: Literal["false", "all", "facts"] = "false"

    @staticmethod
    def of(
        relations: Iterable[Relation],
        marks: bool = False,
        attributes: Collection[str] | None = None,
        inequalities: Literal["false", "all", "facts"] = "false",
    ) -> "Vocabulary":
        """The vocabulary of a dataset's relations; without the attributes, if they are given."""
        known = [r for r in relations if r.name != EVERYTHING]
        if attributes is None:
            return Vocabulary(tuple(known), marks, inequalities=inequalities)
        joins = JOINS if any(r.arity == 2 for r in known if r.name in attributes) else 0
        return Vocabulary(tuple(r for r in known if r.name not in attributes), marks, True, joins, inequalities)

    @cached_property
    def _graph_relations(self) -> tuple[tuple[str, int], ...]:
        """The name and the number of arguments of every relation of a graph."""
        known = [(r.name, max(1, r.arity)) for r in self.relations]
        fluent = [(r.name, max(1, r.arity)) for r in self.relations if not r.static]
        # No goal asks for a range of costs.
        asked = [
            (r.name, r.arity) for r in self.relations if r.static and r.arity > 1 and not r.name.startswith(PREFIX)
        ]
        joins = [f"Join{i + 1}" for i in range(self.joins)]
        return (
            *known,
            (CONSTANT, 1),
            *((f"{name}_G", arity) for name, arity in ([*fluent, *asked] if self.decided else known)),
            *((f"{name}_N", arity) for name, arity in fluent if self.decided),
            (VARIABLE, 1),
            (BINDING, 2),
            (UNEQUAL, 2),
            *([(DIFFERENT, 2)] if self.inequalities == "facts" else []),
            *([(VIOLATED, 1)] if self.decided else []),
            *((name, 2) for name in joins),
            *((f"{name}_G", 2) for name in joins),
            *([(CHOSEN, 1), (COMPANION, 1)] if self.marks else []),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every relation of a graph."""
        return tuple(name for name, _ in self._graph_relations)

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """The number of arguments of every relation of a graph."""
        return tuple(arity for _, arity in self._graph_relations)

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
        """A checksum of the relations, their arities, which of them are static, and what else graphs have."""
        relations = [[r.name, r.arity, r.static] for r in self.relations]
        shown = [] if self.inequalities == "false" else [self.inequalities]
        content = json.dumps([relations, self.decided, self.joins, *shown])
        return hashlib.sha256(content.encode()).hexdigest()

    def select_statics(self, relations: Relations) -> Relations:
        """The static part of a state's relations: what the vocabulary does not know as changing."""
        fluents = {r.name for r in self.relations if not r.static}
        return {name: rows for name, rows in relations.items() if name not in fluents}

    def find_known(self, name: str) -> Relation | None:
        """The relation of a name; a type and a unary predicate of the same name count as one."""
        for each in (name, name.removeprefix("type:") if name.startswith("type:") else f"type:{name}"):
            found = self.relations[self.index[each]] if each in self.index else None
            if found is not None and (each == name or (found.static and found.arity == 1)):
                return found
        return None

    def check_task(self, task: Task) -> None:
        """Refuses a task with relations that matter and are not those of the vocabulary; the message names them.

        It may lack static ones, as empty. Where attributes are left out it may have any of them, and any type
        that all objects have.
        """
        domain, statics = task.domain, task.statics
        arities = {name: rows.shape[1] for name, rows in {**statics, **task.init}.items()}
        spare = find_attributes(domain) if self.decided else frozenset[str]()
        wrong = []
        for name, arity in arities.items():
            everywhere = name.startswith("type:") and len(task.init[name]) == len(task.objects)
            union = name.startswith("type:") and name.removeprefix("type:") not in domain.supertypes
            if name == EVERYTHING or name in spare or (self.decided and (everywhere or union)):
                continue
            if name.startswith("named:") and not self.decided:
                continue
            known = self.find_known(name)
            if known is None:
                wrong.append(f"{name}/{arity} is unknown to it")
            elif known.arity != arity:
                wrong.append(f"{name} has {arity} arguments instead of {known.arity}")
            elif known.static and name not in statics:
                wrong.append(f"{name} is changed by actions")
            elif not known.static and name in statics:
                wrong.append(f"{name} is changed by no action")
        wrong += [f"{r.name}/{r.arity} is missing" for r in self.relations if not r.static and r.name not in arities]
        if wrong:
            raise UnsupportedError(f"the model was trained on another domain: {'; '.join(wrong)}")

    def check_query(self, query: Query, statics: Relations) -> None:
        """Refuses a goal with a literal that the vocabulary cannot express, given the task's static relations."""
        spare = statics if self.decided else {}
        unknown = {name for name, _ in query.atoms if name not in self.index and name not in spare}
        unknown |= {f"not {name}" for name, _ in query.denied if f"{name}_N" not in self.numbers and name not in spare}
        if unknown:
            raise UnsupportedError(f"the model does not know the goal's {', '.join(sorted(unknown))}")
