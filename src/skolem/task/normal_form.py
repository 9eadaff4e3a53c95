"""A normal form of goals: conjunctions with alternatives and exceptions, quantifiers all existential."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import type_relation
from skolem.task.query import CodedAtom


@dataclass(eq=False, slots=True)
class Conjunction:
    """There are objects for `variables` such that atoms, denied (negated) atoms and (in)equalities hold,
    one part of each choice holds, and none of the exceptions does."""

    variables: list[int] = field(default_factory=list)
    atoms: list[CodedAtom] = field(default_factory=list)
    denied: list[CodedAtom] = field(default_factory=list)
    equal: list[tuple[int, int]] = field(default_factory=list)
    unequal: list[tuple[int, int]] = field(default_factory=list)
    choices: list[list["Conjunction"]] = field(default_factory=list)
    exceptions: list["Conjunction"] = field(default_factory=list)
    free: tuple[int, ...] = ()
    """The variables that it mentions and does not quantify itself."""


def normalize(formula: Formula, index: Mapping[str, int]) -> tuple[Conjunction, list[Variable]]:
    """The formula as a part, and its variables in the order of their numbers; works at any depth, in linear time."""
    builder = _Builder(index)
    root = builder.start(formula, True)
    while builder.waiting:
        builder.collect(*builder.waiting.pop())
    # A part is started before those it consists of, so that the last ones are complete first.
    for part in reversed(builder.parts):
        inside = [*(p for choice in part.choices for p in choice), *part.exceptions]
        mentioned = {~a for _, args in (*part.atoms, *part.denied) for a in args if a < 0}
        mentioned.update(~a for pair in (*part.equal, *part.unequal) for a in pair if a < 0)
        mentioned.update(v for p in inside for v in p.free)
        part.free = tuple(sorted(mentioned.difference(part.variables)))
    return root, builder.variables


class _Builder:
    def __init__(self, index: Mapping[str, int]) -> None:
        self.index = index
        self.parts: list[Conjunction] = []
        self.waiting: list[tuple[Conjunction, Formula, bool]] = []
        self.variables: list[Variable] = []
        self.numbers: dict[str, int] = {}

    def start(self, formula: Formula, positive: bool) -> Conjunction:
        """A new part for the formula, or its negation, to be collected later."""
        part = Conjunction()
        self.parts.append(part)
        self.waiting.append((part, formula, positive))
        return part

    def collect(self, part: Conjunction, formula: Formula, positive: bool) -> None:
        """Fills a part with what the formula, or its negation, demands."""
        stack = [(formula, positive)]
        while stack:
            node, sign = stack.pop()
            match node:
                case Not(body):
                    stack.append((body, not sign))
                case Atom(predicate, terms):
                    (part.atoms if sign else part.denied).append((predicate, tuple(map(self.code, terms))))
                case Equal(left, right):
                    (part.equal if sign else part.unequal).append((self.code(left), self.code(right)))
                case Exists(variables, body) | Forall(variables, body) if sign == isinstance(node, Exists):
                    self.quantify(part, variables)
                    stack.append((body, sign))
                case Exists(variables, body) | Forall(variables, body):
                    exception = self.start(body, not sign)
                    self.quantify(exception, variables)
                    part.exceptions.append(exception)
                case And(parts) | Or(parts) if sign == isinstance(node, And):
                    stack.extend((p, sign) for p in reversed(parts))
                case And() | Or():
                    part.choices.append([self.start(f, s) for f, s in self.split(node, sign)])

    def split(self, formula: Formula, positive: bool) -> Iterator[tuple[Formula, bool]]:
        """The alternatives of a disjunction, each a formula and whether it is to hold or not."""
        stack = [(formula, positive)]
        while stack:
            node, sign = stack.pop()
            match node:
                case Not(body):
                    stack.append((body, not sign))
                case And(parts) | Or(parts) if sign == isinstance(node, Or):
                    stack.extend((p, sign) for p in reversed(parts))
                case _:
                    yield node, sign

    def quantify(self, part: Conjunction, variables: tuple[Variable, ...]) -> None:
        """Adds quantified variables and their types."""
        for variable in variables:
            number = self.numbers[variable.name] = len(self.variables)
            self.variables.append(variable)
            part.variables.append(number)
            if "object" not in variable.types:
                part.atoms.append((type_relation(variable.types), (~number,)))

    def code(self, term: Term) -> int:
        """A term as an argument of a coded atom."""
        return ~self.numbers[term.name] if isinstance(term, Variable) else self.index[term]
