"""The declaring sections of PDDL files: requirements, types, predicates, functions, constants and objects."""

from collections.abc import Collection, Mapping, Sequence

from skolem.pddl.faults import Faults, expect_form, expect_name, expect_symbol, expect_variable
from skolem.pddl.sexpr import Form, Node, Symbol
from skolem.support.errors import SkolemError
from skolem.task.types import Types

# What Fast Downward takes, and what else PDDL knows.
_REQUIREMENTS = frozenset(
    {":strips", ":adl", ":typing", ":negation", ":equality", ":negative-preconditions", ":disjunctive-preconditions"}
    | {":existential-preconditions", ":universal-preconditions", ":quantified-preconditions", ":conditional-effects"}
    | {":derived-predicates", ":action-costs"}
)
_OTHER_REQUIREMENTS = frozenset(
    {":numeric-fluents", ":object-fluents", ":durative-actions", ":duration-inequalities", ":time"}
    | {":continuous-effects", ":timed-initial-literals", ":timed-initial-fluents", ":preferences", ":constraints"}
    | {":goal-utilities", ":non-deterministic", ":probabilistic-effects", ":multi-agent", ":contingent", ":hierarchy"}
)
_LOGICAL_WORDS = frozenset({"and", "or", "not", "imply", "forall", "exists", "when", "increase", "="})


def check_requirements(faults: Faults, form: Form) -> None:
    """Finds fault with every requirement that the classical planner does not take."""
    for node in form.items[1:]:
        try:
            symbol = expect_symbol(faults, node, "a requirement")
            if symbol.text == ":fluents":
                # Files from before action costs had a name of their own; any other use of numbers is an error there.
                faults.warn("':fluents' is taken for ':action-costs', no other functions are supported", symbol)
                continue
            if symbol.text in _OTHER_REQUIREMENTS:
                raise faults.unsupported(f"'{symbol.text}' is not supported, expected classical PDDL", node)
            if symbol.text not in _REQUIREMENTS:
                raise faults.unknown("requirement", symbol.text, node, _REQUIREMENTS | _OTHER_REQUIREMENTS)
        except SkolemError as error:
            faults.add(error)


def split_typed(faults: Faults, items: Sequence[Node]) -> list[tuple[Node, tuple[Symbol, ...]]]:
    """The items of a typed list `a b - t c - (either t u) d`, each with the types written after it."""
    result: list[tuple[Node, tuple[Symbol, ...]]] = []
    group: list[Node] = []
    nodes = iter(items)
    for node in nodes:
        if not (isinstance(node, Symbol) and node.text == "-"):
            group.append(node)
            continue
        written = next(nodes, None)
        types: tuple[Symbol, ...] = ()
        try:
            if written is None:
                raise faults.error("'-' at the end of the list, expected a type after it", node)
            if not group:
                raise faults.error("'-' without names before it, expected a name", node)
            types = _split_either(faults, written)
        except SkolemError as error:
            faults.add(error)
        result.extend((member, types) for member in group)
        group = []
    result.extend((member, ()) for member in group)
    return result


def _split_either(faults: Faults, node: Node) -> tuple[Symbol, ...]:
    if isinstance(node, Symbol):
        return (expect_name(faults, node, "a type"),)
    if node.head != "either" or len(node.items) < 2:
        raise faults.error("a list as a type, expected a type or '(either TYPE ...)'", node)
    return tuple(expect_name(faults, item, "a type") for item in node.items[1:])


def name_types(faults: Faults, types: Sequence[Symbol], known: Collection[str]) -> Types:
    """The names of declared types, without repetition; no types at all means `object`, an unknown one any type."""
    for symbol in types:
        if symbol.text not in known:
            faults.add(faults.unknown("type", symbol.text, symbol, known))
            return tuple(known)
    return tuple(dict.fromkeys(symbol.text for symbol in types)) or ("object",)


def read_types(faults: Faults, form: Form | None) -> dict[str, frozenset[str]]:
    """Every type with all its supertypes, itself and `object` included."""
    parents: dict[str, set[str]] = {"object": set()}
    places: dict[str, Symbol] = {}
    for node, above in split_typed(faults, form.items[1:] if form else ()):
        try:
            symbol = expect_name(faults, node, "a type")
            for name in (symbol, *above):
                if name.text in ("number", "either") or "|" in name.text:
                    raise faults.error(f"'{name.text}' found, expected the name of a type", name)
        except SkolemError as error:
            faults.add(error)
            continue
        places[symbol.text] = symbol
        if symbol.text != "object":
            parents.setdefault(symbol.text, set()).update(t.text for t in above)
        for upper in above:
            # A supertype that is not declared on its own is declared by its use here, as for Fast Downward.
            parents.setdefault(upper.text, set())
            places.setdefault(upper.text, upper)
    return {name: _close_upwards(faults, parents, places, name) for name in parents}


def _close_upwards(
    faults: Faults, parents: Mapping[str, set[str]], places: Mapping[str, Symbol], name: str
) -> frozenset[str]:
    closed: set[str] = {"object"}
    ahead = list(parents[name])
    while ahead:
        upper = ahead.pop()
        if upper == name != "object":
            message = f"the type '{name}' is its own supertype, expected types without a cycle"
            faults.add(faults.error(message, places[name]))
            break
        if upper not in closed:
            closed.add(upper)
            ahead.extend(parents[upper])
    return frozenset(closed | {name})


def read_functions(faults: Faults, form: Form | None, types: Collection[str]) -> dict[str, tuple[Types, ...]]:
    """Every numeric function with the types of its parameters."""
    entries = split_typed(faults, form.items[1:] if form else ())
    for written in dict.fromkeys(written for _, written in entries):
        for symbol in written:
            if symbol.text != "number":
                message = f"functions of type '{symbol.text[:40]}' are not supported, expected 'number'"
                faults.add(faults.unsupported(message, symbol))
    return read_signatures(faults, [node for node, _ in entries], types, "function")


def read_signatures(
    faults: Faults, items: Sequence[Node], types: Collection[str], what: str
) -> dict[str, tuple[Types, ...]]:
    """Every predicate or function of a section, with the types of its parameters."""
    signatures: dict[str, tuple[Types, ...]] = {}
    for node in items:
        try:
            entry = expect_form(faults, node, f"'({what} ?x ...)'")
            if not entry.items:
                raise faults.error(f"'()' found, expected '({what} ?x ...)'", entry)
            symbol = expect_name(faults, entry.items[0], f"a {what}")
            if symbol.text in _LOGICAL_WORDS or symbol.text.startswith("type:"):
                raise faults.error(f"'{symbol.text}' has a meaning of its own, expected another name", symbol)
            if symbol.text in signatures:
                raise faults.error(f"the {what} '{symbol.text}' is declared twice, expected once", symbol)
            signatures[symbol.text] = read_parameters(faults, entry.items[1:], types)
        except SkolemError as error:
            faults.add(error)
    return signatures


def read_parameters(faults: Faults, items: Sequence[Node], types: Collection[str]) -> tuple[Types, ...]:
    """The types of the parameters of a predicate or function."""
    parameters = []
    for node, written in split_typed(faults, items):
        try:
            expect_variable(faults, node)
        except SkolemError as error:
            faults.add(error)
        parameters.append(name_types(faults, written, types))
    return tuple(parameters)


def read_objects(
    faults: Faults, form: Form | None, types: Collection[str], known: Mapping[str, Types], what: str
) -> dict[str, Types]:
    """The objects or constants of a section with their types; a `known` name is a constant of the domain."""
    objects: dict[str, Types] = {}
    for node, written in split_typed(faults, form.items[1:] if form else ()):
        try:
            symbol = expect_name(faults, node, f"an {what}" if what == "object" else f"a {what}")
            name, own = symbol.text, name_types(faults, written, types)
            if known.get(name) == own:
                faults.warn(f"'{name[:40]}' is a constant of the domain already, taken for the same object", symbol)
            elif name in objects or name in known:
                earlier = "twice" if name in objects else "as a constant of the domain already"
                raise faults.error(f"'{name[:40]}' is declared {earlier}, expected a new name", symbol)
            else:
                objects[name] = own
        except SkolemError as error:
            faults.add(error)
    return objects


def read_spelling(faults: Faults, *forms: Form | None) -> dict[str, str]:
    """The names at the heads and in the lists of some sections that are not written in lower case, as written."""
    spelling: dict[str, str] = {}
    for form in forms:
        for item in form.items[1:] if form else ():
            node = item.items[0] if isinstance(item, Form) and item.items else item
            if isinstance(node, Symbol):
                written = faults.source.text[node.start : node.end]
                if written != node.text:
                    spelling.setdefault(node.text, written)
    return spelling
