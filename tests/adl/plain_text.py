"""A task written again in the part of PDDL that every planner reads alike: no types, one cost effect an action."""

from collections.abc import Sequence
from itertools import product

from tests.adl.independent_search import Node, Search, format_node, read_typed


def is_plain(search: Search, problem: str, domain: str) -> bool:
    """Whether the text has neither `either` nor several costs of one action, as Fast Downward wants it."""
    increases = [format_node(fields.get(":effect", [])).count("(increase ") for fields in search.schemas.values()]
    return "(either " not in domain + problem and max(increases, default=0) < 2


def write_plain(search: Search) -> tuple[str, str]:
    """The texts of domain and problem: types are static predicates, and an action has one cost function."""
    kinds: dict[str, set[str]] = {}
    values: list[str] = []
    declared = [s for s in search.domain if isinstance(s, list) and s[0] == ":predicates"]
    signatures = [(str(p[0]), len(read_typed(p[1:]))) for s in declared for p in s[1:]]
    operators = []
    for head, body in search.rules:
        variables, guards = _split(list(head[1:]), kinds)
        operators.append(f"(:derived ({' '.join([str(head[0]), *variables])}) (and {guards} {_write(body, kinds)}))")
    for name, fields in search.schemas.items():
        parameters, effect = list(fields.get(":parameters", [])), fields.get(":effect", [])
        variables, guards = _split(parameters, kinds)
        cost = ""
        if search.has_metric:
            cost = f"(increase (total-cost) ({' '.join([f'cost-of-{name}', *variables])}))"
            known = {tuple(s[v] for v in variables): s for s in search.list_environments(parameters, {})}
            for objects in product(search.objects, repeat=len(variables)):
                amount = sum(search.list_costs(effect, known[objects])) if objects in known else 0
                values.append(f"(= ({' '.join([f'cost-of-{name}', *objects])}) {amount})")
        operators.append(
            f"(:action {name} :parameters ({' '.join(variables)})"
            f" :precondition (and {guards} {_write(fields.get(':precondition', []), kinds)})"
            f" :effect (and {_write_effect(effect, kinds)} {cost}))"
        )
    goal = _write(search.goal, kinds)
    functions = [
        f"({' '.join([f'cost-of-{name}', *_split(list(f.get(':parameters', [])), {})[0]])}) - number"
        for name, f in search.schemas.items()
    ]
    members = [f"({kind} {o})" for kind, types in kinds.items() for o, own in search.objects.items() if own & types]
    signatures += [(kind, 1) for kind in kinds]
    lines = [
        "(define (domain plain)",
        f"(:constants {' '.join(search.objects)})",
        f"(:predicates {' '.join(_write_signature(*s) for s in signatures)})",
        f"(:functions (total-cost) - number {' '.join(functions)})" if search.has_metric else "",
        *operators,
    ]
    facts = sorted(search.init) + members + (["(= (total-cost) 0)", *values] if search.has_metric else [])
    metric = "(:metric minimize (total-cost))" if search.has_metric else ""
    problem = f"(define (problem plain) (:domain plain) (:init {' '.join(facts)}) (:goal {goal}) {metric})\n"
    return "\n".join(filter(None, lines)) + ")\n", problem


def _write_signature(name: str, arity: int) -> str:
    return f"({' '.join([name, *(f'?a{i}' for i in range(arity))])})"


def _split(typed: Sequence[Node], kinds: dict[str, set[str]]) -> tuple[list[str], str]:
    """The variables of a typed list, and what their types demand of them."""
    guards = []
    for name, types in read_typed(typed):
        if "object" not in types:
            kind = f"is-{'-or-'.join(sorted(types))}"
            kinds[kind] = set(types)
            guards.append(f"({kind} {name})")
    return [name for name, _ in read_typed(typed)], f"(and {' '.join(guards)})"


def _write(formula: Node, kinds: dict[str, set[str]]) -> str:
    assert isinstance(formula, list)
    if not formula:
        return "(and)"
    head, *parts = formula
    if head in ("and", "or", "not", "imply"):
        return f"({' '.join([str(head), *(_write(part, kinds) for part in parts)])})"
    if head in ("exists", "forall"):
        variables, guards = _split(list(parts[0]), kinds)
        link = "and" if head == "exists" else "imply"
        return f"({head} ({' '.join(variables)}) ({link} {guards} {_write(parts[1], kinds)}))"
    return format_node(formula)


def _write_effect(effect: Node, kinds: dict[str, set[str]]) -> str:
    assert isinstance(effect, list)
    if not effect or effect[0] == "increase":
        return "(and)"
    if effect[0] == "and":
        return f"(and {' '.join(_write_effect(part, kinds) for part in effect[1:])})"
    if effect[0] == "forall":
        variables, guards = _split(list(effect[1]), kinds)
        return f"(forall ({' '.join(variables)}) (when {guards} {_write_effect(effect[2], kinds)}))"
    if effect[0] == "when":
        return f"(when {_write(effect[1], kinds)} {_write_effect(effect[2], kinds)})"
    return format_node(effect)
