"""Formulas in which only atoms and equalities are negated."""

from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or

TRUE = And(())
FALSE = Or(())


def push_negations(formula: Formula) -> Formula:
    """The same formula with negations only before atoms and equalities; parts that are shared stay shared."""
    known: dict[tuple[int, bool], Formula] = {}
    stack: list[tuple[Formula, bool]] = [(formula, True)]
    while stack:
        node, sign = stack[-1]
        if (id(node), sign) in known:
            stack.pop()
            continue
        inside = _list_inside(node, sign)
        waiting = [key for key in inside if (id(key[0]), key[1]) not in known]
        if waiting:
            stack.extend(reversed(waiting))
        else:
            parts = tuple(known[id(part), s] for part, s in inside)
            known[id(node), sign] = _rebuild(node, sign, parts)
            stack.pop()
    return known[id(formula), True]


def _list_inside(node: Formula, sign: bool) -> list[tuple[Formula, bool]]:
    match node:
        case Atom() | Equal():
            return []
        case Not(body):
            return [(body, not sign)]
        case And(parts) | Or(parts):
            return [(part, sign) for part in parts]
        case Exists(_, body) | Forall(_, body):
            return [(body, sign)]


def _rebuild(node: Formula, sign: bool, parts: tuple[Formula, ...]) -> Formula:
    match node:
        case Atom() | Equal():
            return node if sign else Not(node)
        case Not():
            return parts[0]
        case And() | Or():
            return And(parts) if isinstance(node, And) == sign else Or(parts)
        case Exists(variables) | Forall(variables):
            return Exists(variables, *parts) if isinstance(node, Exists) == sign else Forall(variables, *parts)
