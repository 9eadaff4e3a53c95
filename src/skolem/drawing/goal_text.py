"""Goals in the notation of logic."""

from itertools import combinations

from skolem.drawing.scene import show_types, show_variable
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Goal

_DEEPEST = 40


def list_goal_parts(goal: Goal) -> list[str]:
    """The goal as a quantifier prefix and conjuncts, the pieces between which a line may be broken."""
    if goal.outside is not None:
        return _split_formula(show_formula(goal.formula))
    parts = [_show_atom(atom) for atom in goal.atoms]
    parts += [f"{_show_term(a)} = {_show_term(b)}" for a, b in goal.equalities]
    parts += _list_inequalities(goal)
    if not parts:
        parts = ["true"]
    parts[:-1] = [part + " ∧" for part in parts[:-1]]
    return [_show_quantifier("∃", goal.variables), *parts] if goal.variables else parts


def show_formula(formula: Formula, depth: int = 0) -> str:
    """A formula as text; what is nested too deep to be read is left out."""
    if depth > _DEEPEST:
        return "…"
    match formula:
        case Atom():
            return _show_atom(formula)
        case Equal(left, right):
            return f"{_show_term(left)} = {_show_term(right)}"
        case Not(Equal(left, right)):
            return f"{_show_term(left)} ≠ {_show_term(right)}"
        case Not(body):
            return f"¬{_enclose(body, depth)}"
        case And(parts):
            return " ∧ ".join(_enclose(part, depth) for part in parts) or "true"
        case Or(parts):
            return " ∨ ".join(_enclose(part, depth) for part in parts) or "false"
        case Exists(variables, body):
            return f"{_show_quantifier('∃', variables)} {_enclose(body, depth)}"
        case Forall(variables, body):
            return f"{_show_quantifier('∀', variables)} {_enclose(body, depth)}"


def _enclose(formula: Formula, depth: int) -> str:
    text = show_formula(formula, depth + 1)
    simple = isinstance(formula, (Atom, Equal)) or (isinstance(formula, Not) and not isinstance(formula.body, Equal))
    return text if simple else f"({text})"


def _show_quantifier(sign: str, variables: tuple[Variable, ...]) -> str:
    shown = []
    for variable in variables:
        typed = "object" not in variable.types
        shown.append(show_variable(variable.name) + (f" ∈ {show_types(variable.types)}" if typed else ""))
    return f"{sign} {', '.join(shown)} :"


def _show_atom(atom: Atom) -> str:
    return f"{atom.predicate}({', '.join(map(_show_term, atom.terms))})" if atom.terms else atom.predicate


def _show_term(term: Term) -> str:
    return show_variable(term.name) if isinstance(term, Variable) else term


def _list_inequalities(goal: Goal) -> list[str]:
    """The inequalities, said in one piece when they make at least three terms pairwise different."""
    pairs = {frozenset(map(_show_term, pair)) for pair in goal.inequalities}
    terms = list(dict.fromkeys(_show_term(t) for pair in goal.inequalities for t in pair))
    if len(terms) > 2 and pairs == {frozenset(pair) for pair in combinations(terms, 2)}:
        return [f"different({', '.join(terms)})"]
    return [f"{_show_term(a)} ≠ {_show_term(b)}" for a, b in goal.inequalities]


def _split_formula(text: str) -> list[str]:
    for sign in (" ∧ ", " ∨ ", " : "):
        text = text.replace(sign, f"{sign.rstrip()}\n")
    return text.split("\n")
