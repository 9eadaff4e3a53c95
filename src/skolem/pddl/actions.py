"""Actions and axioms of PDDL domains, read and checked."""

from collections.abc import Iterator

from skolem.pddl.conditions import Binder, build_condition
from skolem.pddl.names import Names, Scope, expect_form, expect_name, expect_symbol, suggest
from skolem.pddl.sexpr import Form, Node
from skolem.task.actions import TRUE, Action, Axiom, Effect
from skolem.task.formulas import And, Atom, Formula, Not, Variable

_SHAPE = "'(:action NAME :parameters (...) :precondition ... :effect ...)'"


def read_action(vocabulary: Names, form: Form) -> Action:
    """The action that an `(:action ...)` form declares."""
    if len(form.items) < 2:
        raise vocabulary.error(f"an action without a name, expected {_SHAPE}", form)
    name = expect_name(vocabulary.source, form.items[1], "an action").text
    fields = _split_fields(vocabulary, form)
    binder = Binder(vocabulary)
    parameters: tuple[Variable, ...] = ()
    if ":parameters" in fields:
        parameters, _ = binder.bind(fields[":parameters"], empty=True)
    precondition: Formula = TRUE
    if ":precondition" in fields and not _is_empty(fields[":precondition"]):
        precondition = build_condition(binder, fields[":precondition"])
    effects: list[Effect] = []
    costs: list[str | Atom] = []
    if not _is_empty(fields[":effect"]):
        for part in _read_effects(binder, fields[":effect"]):
            if isinstance(part, Effect):
                effects.append(part)
            else:
                costs.append(part)
    return Action(name, parameters, precondition, tuple(effects), tuple(costs))


def _split_fields(vocabulary: Names, form: Form) -> dict[str, Node]:
    order = (":parameters", ":precondition", ":effect")
    fields: dict[str, Node] = {}
    nodes = iter(form.items[2:])
    for node in nodes:
        key = expect_symbol(vocabulary.source, node, "':parameters', ':precondition' or ':effect'").text
        if key not in order:
            raise vocabulary.error(f"'{key[:40]}' found, expected {suggest(key, order) or _SHAPE}", node)
        if fields and order.index(key) <= order.index(next(reversed(fields))):
            raise vocabulary.error(f"'{key}' repeated or in the wrong place, expected {_SHAPE}", node)
        value = next(nodes, None)
        if value is None:
            raise vocabulary.error(f"nothing after '{key}', expected {_SHAPE}", node)
        fields[key] = expect_form(vocabulary.source, value, f"'(...)' after '{key}'")
    if ":effect" not in fields:
        raise vocabulary.error(f"an action without ':effect', expected {_SHAPE}", form)
    return fields


def _is_empty(node: Node) -> bool:
    return isinstance(node, Form) and not node.items


def read_axiom(vocabulary: Names, form: Form) -> Axiom:
    """The axiom that a `(:derived ...)` form declares."""
    shape = "'(:derived (PREDICATE ?x ...) CONDITION)'"
    if len(form.items) != 3:
        raise vocabulary.error(f"'{form.head}' with {len(form.items) - 1} parts, expected {shape}", form)
    head = expect_form(vocabulary.source, form.items[1], shape)
    if not head.items:
        raise vocabulary.error(f"'()' found, expected {shape}", head)
    name = expect_name(vocabulary.source, head.items[0], "a predicate")
    if name.text not in vocabulary.predicates:
        expected = suggest(name.text, vocabulary.predicates) or "a declared predicate"
        raise vocabulary.error(f"unknown predicate '{name.text[:40]}', expected {expected}", name)
    binder = Binder(vocabulary)
    parameters, _ = binder.bind(Form(head.items[1:], head.start, head.end), empty=True)
    wanted = vocabulary.predicates[name.text]
    if len(parameters) != len(wanted):
        raise vocabulary.error(f"'{name.text}' with {len(parameters)} arguments, expected {len(wanted)}", head)
    body = TRUE if _is_empty(form.items[2]) else build_condition(binder, form.items[2])
    return Axiom(name.text, parameters, body)


def _read_effects(
    binder: Binder, node: Node, variables: tuple[Variable, ...] = (), conditions: tuple[Formula, ...] = ()
) -> Iterator[Effect | str | Atom]:
    """The simple effects and the costs that an effect consists of; domains are checked not to nest too deeply."""
    vocabulary = binder.vocabulary
    form = expect_form(vocabulary.source, node, "an effect such as '(and ...)' or '(predicate ...)'")
    match form.head:
        case "and":
            for part in form.items[1:]:
                yield from _read_effects(binder, part, variables, conditions)
        case "forall" | "when" if len(form.items) != 3:
            shape = "(forall (?x ...) EFFECT)" if form.head == "forall" else "(when CONDITION EFFECT)"
            raise vocabulary.error(f"'{form.head}' with {len(form.items) - 1} parts, expected '{shape}'", form)
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
            raise vocabulary.unsupported("numeric effects other than on an action's total cost are", form)
        case _:
            whole = And(conditions) if conditions[1:] else conditions[0] if conditions else TRUE
            yield _read_simple(binder, form, variables, whole)


def _read_simple(binder: Binder, form: Form, variables: tuple[Variable, ...], condition: Formula) -> Effect:
    literal = build_condition(binder, form)
    atom = literal.body if isinstance(literal, Not) else literal
    if not isinstance(atom, Atom):
        expected = "'(predicate ...)' or '(not (predicate ...))'"
        raise binder.vocabulary.error(f"'{form.head}' as an effect, expected {expected}", form)
    if atom.predicate in binder.vocabulary.derived:
        raise binder.vocabulary.error(f"'{atom.predicate}' is derived by an axiom, expected no effect on it", form)
    return Effect(variables, condition, atom, positive=literal is atom)


def _read_cost(binder: Binder, form: Form) -> str | Atom:
    vocabulary = binder.vocabulary
    if len(form.items) != 3:
        raise vocabulary.error("'increase' without its two parts, expected '(increase (total-cost) COST)'", form)
    total, cost = form.items[1:]
    if not isinstance(total, Form) or len(total.items) != 1 or total.head != "total-cost":
        raise vocabulary.unsupported("numeric effects other than on '(total-cost)' are", form)
    if "total-cost" not in vocabulary.functions:
        raise vocabulary.error("unknown function 'total-cost', expected it in ':functions'", total)
    if isinstance(cost, Form):
        return check_function(vocabulary, cost, binder.scope)
    return check_cost(vocabulary, cost)


def check_function(vocabulary: Names, form: Form, scope: Scope) -> Atom:
    """The function term that a form stands for."""
    name = form.head
    if name not in vocabulary.functions:
        expected = suggest(name, vocabulary.functions) or "a declared function"
        raise vocabulary.error(f"unknown function '{name[:40]}', expected {expected}", form)
    return Atom(name, vocabulary.check_arguments(form, scope, vocabulary.functions[name]))


def check_cost(vocabulary: Names, node: Node) -> str:
    """The number a node stands for, as text; Fast Downward takes natural numbers only."""
    text = expect_symbol(vocabulary.source, node, "a number").text
    if text.isdigit() and len(text) <= 10:
        return text
    if text.lstrip("+-").replace(".", "", 1).isdigit():
        raise vocabulary.unsupported(f"'{text[:40]}' as a number is", node)
    raise vocabulary.error(f"'{text[:40]}' found, expected a number", node)
