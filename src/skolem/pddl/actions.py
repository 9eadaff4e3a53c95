"""Actions and axioms of PDDL domains, read and checked."""

from collections.abc import Iterator

from skolem.pddl.conditions import Binder, build_condition
from skolem.pddl.faults import expect_form, expect_name, expect_symbol, suggest
from skolem.pddl.names import Names, Scope
from skolem.pddl.sexpr import Form, Node
from skolem.support.errors import SkolemError
from skolem.task.actions import TRUE, Action, Axiom, Effect
from skolem.task.costs import LARGEST_COST
from skolem.task.formulas import And, Atom, Formula, Not, Variable

_SHAPE = "'(:action NAME :parameters (...) :precondition ... :effect ...)'"


def read_action(names: Names, form: Form) -> Action:
    """The action that an `(:action ...)` form declares."""
    if len(form.items) < 2:
        raise names.faults.error(f"an action without a name, expected {_SHAPE}", form)
    name = expect_name(names.faults, form.items[1], "an action").text
    fields = _split_fields(names, form)
    binder = Binder(names)
    parameters: tuple[Variable, ...] = ()
    if ":parameters" in fields:
        parameters, _ = binder.bind(fields[":parameters"])
    precondition: Formula = TRUE
    if ":precondition" in fields and not _is_empty(fields[":precondition"]):
        precondition = build_condition(binder, fields[":precondition"])
    effects: list[Effect] = []
    costs: list[str | Atom] = []
    if ":effect" in fields and not _is_empty(fields[":effect"]):
        for part in _read_effects(binder, fields[":effect"]):
            if isinstance(part, Effect):
                effects.append(part)
            else:
                costs.append(part)
    return Action(name, parameters, precondition, tuple(effects), tuple(costs), form.start)


def _split_fields(names: Names, form: Form) -> dict[str, Node]:
    order = (":parameters", ":precondition", ":effect")
    fields: dict[str, Node] = {}
    nodes = iter(form.items[2:])
    for node in nodes:
        key = expect_symbol(names.faults, node, "':parameters', ':precondition' or ':effect'").text
        if key not in order:
            raise names.faults.error(f"'{key[:40]}' found, expected {suggest(key, order) or _SHAPE}", node)
        if fields and order.index(key) <= order.index(next(reversed(fields))):
            raise names.faults.error(f"'{key}' repeated or in the wrong place, expected {_SHAPE}", node)
        value = next(nodes, None)
        if value is None:
            raise names.faults.error(f"nothing after '{key}', expected {_SHAPE}", node)
        fields[key] = expect_form(names.faults, value, f"'(...)' after '{key}'")
    return fields


def _is_empty(node: Node) -> bool:
    return isinstance(node, Form) and not node.items


def read_axiom(names: Names, form: Form) -> Axiom:
    """The axiom that a `(:derived ...)` form declares."""
    shape = "'(:derived (PREDICATE ?x ...) CONDITION)'"
    if len(form.items) != 3:
        raise names.faults.error(f"'{form.head}' with {len(form.items) - 1} parts, expected {shape}", form)
    head = expect_form(names.faults, form.items[1], shape)
    if not head.items:
        raise names.faults.error(f"'()' found, expected {shape}", head)
    name = expect_name(names.faults, head.items[0], "a predicate")
    if name.text not in names.predicates:
        raise names.faults.unknown("predicate", name.text, name, names.predicates)
    binder = Binder(names)
    parameters, _ = binder.bind(Form(head.items[1:], head.start, head.end))
    wanted = names.predicates[name.text]
    if len(parameters) != len(wanted):
        raise names.faults.error(f"'{name.text}' with {len(parameters)} arguments, expected {len(wanted)}", head)
    body = TRUE if _is_empty(form.items[2]) else build_condition(binder, form.items[2])
    return Axiom(name.text, parameters, body, form.start)


def _read_effects(
    binder: Binder, node: Node, variables: tuple[Variable, ...] = (), conditions: tuple[Formula, ...] = ()
) -> Iterator[Effect | str | Atom]:
    """The simple effects and the costs that an effect consists of; domains are checked not to nest too deeply."""
    names = binder.names
    form = expect_form(names.faults, node, "an effect such as '(and ...)' or '(predicate ...)'")
    match form.head:
        case "and":
            for part in form.items[1:]:
                try:
                    yield from _read_effects(binder, part, variables, conditions)
                except SkolemError as error:
                    names.faults.add(error)
        case "forall" | "when" if len(form.items) != 3:
            shape = "(forall (?x ...) EFFECT)" if form.head == "forall" else "(when CONDITION EFFECT)"
            raise names.faults.error(f"'{form.head}' with {len(form.items) - 1} parts, expected '{shape}'", form)
        case "forall":
            bound, hidden = binder.bind(form.items[1])
            yield from _read_effects(binder, form.items[2], variables + bound, conditions)
            binder.release(hidden)
        case "when":
            condition = TRUE if _is_empty(form.items[1]) else build_condition(binder, form.items[1])
            yield from _read_effects(binder, form.items[2], variables, (*conditions, condition))
        case "increase" if not variables and not conditions:
            yield _read_cost(binder, form)
        case "increase" | "decrease" | "assign" | "scale-up" | "scale-down":
            message = "numeric effects other than on an action's total cost are not supported, expected classical PDDL"
            raise names.faults.unsupported(message, form)
        case _:
            whole = And(conditions) if conditions[1:] else conditions[0] if conditions else TRUE
            yield _read_simple(binder, form, variables, whole)


def _read_simple(binder: Binder, form: Form, variables: tuple[Variable, ...], condition: Formula) -> Effect:
    literal = build_condition(binder, form)
    atom = literal.body if isinstance(literal, Not) else literal
    if not isinstance(atom, Atom):
        expected = "'(predicate ...)' or '(not (predicate ...))'"
        raise binder.names.faults.error(f"'{form.head}' as an effect, expected {expected}", form)
    if atom.predicate in binder.names.derived:
        raise binder.names.faults.error(f"'{atom.predicate}' is derived by an axiom, expected no effect on it", form)
    return Effect(variables, condition, atom, positive=literal is atom)


def _read_cost(binder: Binder, form: Form) -> str | Atom:
    names = binder.names
    if len(form.items) != 3:
        raise names.faults.error("'increase' without its two parts, expected '(increase (total-cost) COST)'", form)
    total, cost = form.items[1:]
    if not isinstance(total, Form) or len(total.items) != 1 or total.head != "total-cost":
        message = "numeric effects other than on '(total-cost)' are not supported, expected classical PDDL"
        raise names.faults.unsupported(message, form)
    if "total-cost" not in names.functions:
        raise names.faults.unknown("function", "total-cost", total, (), "it in ':functions'")
    if isinstance(cost, Form):
        if cost.head in ("+", "-", "*", "/", "total-cost"):
            expected = "expected a number or a term of another function"
            raise names.faults.unsupported(f"'({cost.head} ...)' as a cost is not supported, {expected}", cost)
        return check_function(names, cost, binder.scope)
    return check_cost(names, cost)


def check_function(names: Names, form: Form, scope: Scope) -> Atom:
    """The function term that a form stands for."""
    name = form.head
    if name not in names.functions:
        raise names.faults.unknown("function", name, form, names.functions)
    return Atom(name, names.check_arguments(form, scope, names.functions[name]))


def check_cost(names: Names, node: Node) -> str:
    """The number a node stands for, as text; Fast Downward takes natural numbers only."""
    text = expect_symbol(names.faults, node, "a number").text
    if text.isdigit() and len(text) <= 10 and int(text) <= LARGEST_COST:
        return text
    if text.lstrip("+-").replace(".", "", 1).isdigit():
        expected = f"expected a whole number from 0 to {LARGEST_COST}"
        raise names.faults.unsupported(f"'{text[:40]}' as a number is not supported, {expected}", node)
    raise names.faults.error(f"'{text[:40]}' found, expected a number", node)
