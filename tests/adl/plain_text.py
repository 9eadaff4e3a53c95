"""A task written again in the part of PDDL that every planner reads alike: no types, one cost effect an action."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from tests.adl.independent_search import Node, Search, format_node, read_typed


def is_plain(search: Search) -> bool:
    """Whether Fast Downward reads the task's own texts as they are meant.

    It knows `either` in predicates only, takes one of several costs of an action, and fails on effects that are
    nothing but a cost and on some universal effects inside conditional ones: (when C (and E (forall ...))).
    """
    for fields in search.schemas.values():
        effect = format_node(fields.get(":effect", []))
        if effect.count("(increase ") > 1 or effect.startswith("(increase ") or _has_inner_forall(fields[":effect"]):
            return False
    # The goal of a random task is drawn after its problem was read.
    return "(either " not in "".join(map(format_node, (search.domain, search.problem, search.goal)))


def _has_inner_forall(effect: Node, conditional: bool = False) -> bool:
    if not isinstance(effect, list) or not effect:
        return False
    if effect[0] == "and":
        return any(_has_inner_forall(part, conditional) for part in effect[1:])
    if effect[0] == "forall":
        return conditional or _has_inner_forall(effect[2])
    return effect[0] == "when" and _has_inner_forall(effect[2], True)


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
            f" :effect (and {' '.join(_write_effects(effect, kinds))} {cost}))"
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
    """The condition without types."""
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


def _write_effects(
    effect: Node, kinds: dict[str, set[str]], variables: tuple[str, ...] = (), conditions: tuple[str, ...] = ()
) -> Iterator[str]:
    """The simple effects of an effect, each `(forall (...) (when ... LITERAL))` at most."""
    assert isinstance(effect, list)
    if not effect or effect[0] == "increase":
        return
    if effect[0] == "and":
        for part in effect[1:]:
            yield from _write_effects(part, kinds, variables, conditions)
    elif effect[0] == "forall":
        # Inner variables may hide outer ones of the same name.
        fresh = {name: f"?e{len(variables) + i}" for i, (name, _) in enumerate(read_typed(list(effect[1])))}
        typed, inner = _rename(effect[1], fresh), _rename(effect[2], fresh)
        names, guards = _split(list(typed), kinds)
        yield from _write_effects(inner, kinds, (*variables, *names), (*conditions, guards))
    elif effect[0] == "when":
        yield from _write_effects(effect[2], kinds, variables, (*conditions, _write(effect[1], kinds)))
    else:
        text = format_node(effect)
        if conditions:
            text = f"(when (and {' '.join(conditions)}) {text})"
        yield f"(forall ({' '.join(variables)}) {text})" if variables else text


def _rename(node: Node, names: Mapping[str, str]) -> Node:
    """The node with other names for its free variables, and for those of the typed list itself."""
    if isinstance(node, str):
        return names.get(node, node)
    if node and node[0] in ("exists", "forall"):
        bound = {name for name, _ in read_typed(list(node[1]))}
        inner = {old: new for old, new in names.items() if old not in bound}
        return [node[0], node[1], *(_rename(part, inner) for part in node[2:])]
    return [_rename(part, names) for part in node]
