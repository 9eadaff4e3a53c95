"""Conditions in plain words."""

from itertools import combinations, groupby

from skolem.pddl.writing import PLAIN, Style
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable

DEEPEST = 40
"""How deeply a condition is put into words; what is nested deeper is left out."""


def word_formula(formula: Formula, style: Style = PLAIN, depth: int = 0) -> str:
    """The condition in words.

    >>> x, y = Variable("?x", ("cup",)), Variable("?y")
    >>> word_formula(Exists((x, y), And((Atom("red", (x,)), Atom("on", (x, y)), Not(Equal(x, y))))))
    'some cup ?x and some ?y such that ?x is red, ?x on ?y, and ?x differs from ?y'
    """
    if depth > DEEPEST:
        return "…"
    match formula:
        case Atom():
            return _word_atom(formula, style)
        case Equal(left, right):
            return f"{_name(left, style)} is {_name(right, style)}"
        case Not(Equal(left, right)):
            return f"{_name(left, style)} differs from {_name(right, style)}"
        case Not(body):
            return f"not ({word_formula(body, style, depth + 1)})"
        case And(parts):
            return _join(_word_parts(parts, style, depth), "and") or "nothing"
        case Or(parts):
            return _join([word_formula(part, style, depth + 1) for part in parts], "or") or "what is never true"
        case Exists(variables, body):
            named = _join([f"some {group}" for group in _group(variables, style)], "and")
            return f"{named} such that {word_formula(body, style, depth + 1)}"
        case Forall(variables, body):
            named = _join([f"every {group}" for group in _group(variables, style)], "and")
            return f"for {named}: {word_formula(body, style, depth + 1)}"


def _word_parts(parts: tuple[Formula, ...], style: Style, depth: int) -> list[str]:
    """The parts of a conjunction, with inequalities of all pairs said in one."""
    pairs = [part.body for part in parts if isinstance(part, Not) and isinstance(part.body, Equal)]
    terms = list(dict.fromkeys(_name(t, style) for pair in pairs for t in (pair.left, pair.right)))
    given = {frozenset((_name(p.left, style), _name(p.right, style))) for p in pairs}
    if len(terms) > 2 and given == {frozenset(pair) for pair in combinations(terms, 2)}:
        others = [p for p in parts if not (isinstance(p, Not) and isinstance(p.body, Equal))]
        return [*_word_parts(tuple(others), style, depth), f"{_join(terms, 'and')} all differ"]
    texts = [word_formula(part, style, depth + 1) for part in parts]
    if len(parts) == 1:
        return texts
    return [f"({t})" if isinstance(p, Or | Exists | Forall) else t for p, t in zip(parts, texts, strict=True)]


def _word_atom(atom: Atom, style: Style) -> str:
    name, terms = style.spell(atom.predicate), [_name(term, style) for term in atom.terms]
    if len(terms) == 1:
        return f"{terms[0]} is {name}"
    if len(terms) == 2:
        return f"{terms[0]} {name} {terms[1]}"
    return f"{name}({', '.join(terms)})" if terms else name


def _group(variables: tuple[Variable, ...], style: Style) -> list[str]:
    """The variables behind their type, those of one type in a row together."""
    groups = []
    for types, members in groupby(variables, key=lambda v: v.types):
        kind = "" if "object" in types else " or ".join(map(style.spell_type, types)) + " "
        groups.append(kind + _join([_name(v, style) for v in members], "and"))
    return groups


def _name(term: Term, style: Style) -> str:
    return style.spell(term.name if isinstance(term, Variable) else term)


def _join(words: list[str], last: str) -> str:
    """The words as a list: "a, b, and c"."""
    if len(words) < 3:
        return f" {last} ".join(words)
    return f"{', '.join(words[:-1])}, {last} {words[-1]}"
