"""Actions and axioms of a domain: conditions as formulas, effects flattened."""

from dataclasses import dataclass

from skolem.task.formulas import And, Atom, Formula, Variable

TRUE = And(())


@dataclass(frozen=True, eq=False)
class Effect:
    """An atom that becomes true or false for all values of the variables for which the condition holds."""

    variables: tuple[Variable, ...]
    condition: Formula
    atom: Atom
    positive: bool


@dataclass(frozen=True, eq=False)
class Action:
    """An action; `costs` are the numbers or function terms added to the total cost."""

    name: str
    parameters: tuple[Variable, ...]
    precondition: Formula
    effects: tuple[Effect, ...]
    costs: tuple[str | Atom, ...]
    start: int = 0
    """Where it stands in the domain's text."""


@dataclass(frozen=True, eq=False)
class Axiom:
    """A rule that makes a derived predicate true where its body holds."""

    predicate: str
    parameters: tuple[Variable, ...]
    body: Formula
    start: int = 0
    """Where it stands in the domain's text."""
