"""The declaring sections of PDDL files: requirements, types, predicates, functions, constants and objects."""

from collections.abc import Collection, Mapping, Sequence

from skolem.pddl.names import Types, expect_form, expect_name, expect_symbol, suggest
from skolem.pddl.sexpr import Form, Node, Symbol, at
from skolem.support.errors import InputError, UnsupportedError
from skolem.task.model import Source

# What Fast Downward takes, and what else PDDL knows.
_REQUIREMENTS = frozenset(
    {":strips", ":adl", ":typing", ":negation", ":equality", ":negative-preconditions", ":disjunctive-preconditions"}
    | {":existential-preconditions", ":universal-preconditions", ":quantified-preconditions", ":conditional-effects"}
    | {":derived-predicates", ":action-costs"}
)
_OTHER_REQUIREMENTS = frozenset(
    {":fluents", ":numeric-fluents", ":object-fluents", ":durative-actions", ":duration-inequalities", ":time"}
    | {":continuous-effects", ":timed-initial-literals", ":timed-initial-fluents", ":preferences", ":constraints"}
    | {":goal-utilities", ":non-deterministic", ":probabilistic-effects", ":multi-agent", ":contingent", ":hierarchy"}
)
_LOGICAL_WORDS = frozenset({"and", "or", "not", "imply", "forall", "exists", "when", "increase", "="})


def check_requirements(source: Source, form: Form) -> None:
    """Raises unless every requirement is one that the classical planner takes."""
    for node in form.items[1:]:
        name = expect_symbol(source, node, "a requirement").text
        if name in _OTHER_REQUIREMENTS:
            raise UnsupportedError(f"'{name}' is not supported, expected classical PDDL", at(source, node.start))
        if name not in _REQUIREMENTS:
            expected = suggest(name, _REQUIREMENTS | _OTHER_REQUIREMENTS) or "a requirement such as ':typing'"
            raise InputError(f"unknown requirement '{name[:40]}', expected {expected}", at(source, node.start))


def split_typed(source: Source, items: Sequence[Node]) -> list[tuple[Node, tuple[Symbol, ...]]]:
    """The items of a typed list `a b - t c - (either t u) d`, each with the types written after it."""
    result: list[tuple[Node, tuple[Symbol, ...]]] = []
    group: list[Node] = []
    nodes = iter(items)
    for node in nodes:
        if not (isinstance(node, Symbol) and node.text == "-"):
            group.append(node)
            continue
        written = next(nodes, None)
        if written is None:
            raise InputError("'-' at the end of the list, expected a type after it", at(source, node.start))
        if not group:
            raise InputError("'-' without names before it, expected a name", at(source, node.start))
        types = _split_either(source, written)
        result.extend((member, types) for member in group)
        group = []
    result.extend((member, ()) for member in group)
    return result


def _split_either(source: Source, node: Node) -> tuple[Symbol, ...]:
    if isinstance(node, Symbol):
        return (expect_name(source, node, "a type"),)
    if node.head != "either" or len(node.items) < 2:
        raise InputError("a list as a type, expected a type or '(either TYPE ...)'", at(source, node.start))
    return tuple(expect_name(source, item, "a type") for item in node.items[1:])


def name_types(source: Source, types: Sequence[Symbol], known: Collection[str]) -> Types:
    """The names of declared types, without repetition; no types at all means `object`."""
    for symbol in types:
        if symbol.text not in known:
            expected = suggest(symbol.text, known) or "a declared type"
            raise InputError(f"unknown type '{symbol.text[:40]}', expected {expected}", at(source, symbol.start))
    return tuple(dict.fromkeys(symbol.text for symbol in types)) or ("object",)


def read_types(source: Source, form: Form | None) -> dict[str, frozenset[str]]:
    """Every type with all its supertypes, itself and `object` included."""
    parents: dict[str, set[str]] = {"object": set()}
    places: dict[str, Symbol] = {}
    for node, above in split_typed(source, form.items[1:] if form else ()):
        symbol = expect_name(source, node, "a type")
        if symbol.text in ("number", "either") or "|" in symbol.text:
            raise InputError(f"'{symbol.text}' found, expected the name of a type", at(source, symbol.start))
        places[symbol.text] = symbol
        if symbol.text != "object":
            parents.setdefault(symbol.text, set()).update(t.text for t in above)
        for upper in above:
            # A supertype that is not declared on its own is declared by its use here, as for Fast Downward.
            parents.setdefault(upper.text, set())
            places.setdefault(upper.text, upper)
    return {name: _close_upwards(source, parents, places, name) for name in parents}


def _close_upwards(
    source: Source, parents: Mapping[str, set[str]], places: Mapping[str, Symbol], name: str
) -> frozenset[str]:
    closed: set[str] = {"object"}
    ahead = list(parents[name])
    while ahead:
        upper = ahead.pop()
        if upper == name != "object":
            raise InputError(
                f"the type '{name}' is its own supertype, expected types without a cycle",
                at(source, places[name].start),
            )
        if upper not in closed:
            closed.add(upper)
            ahead.extend(parents[upper])
    return frozenset(closed | {name})


def read_functions(source: Source, form: Form | None, types: Collection[str]) -> dict[str, tuple[Types, ...]]:
    """Every numeric function with the types of its parameters."""
    entries = split_typed(source, form.items[1:] if form else ())
    for _, written in entries:
        for symbol in written:
            if symbol.text != "number":
                message = f"functions of type '{symbol.text[:40]}' are not supported, expected 'number'"
                raise UnsupportedError(message, at(source, symbol.start))
    return read_signatures(source, [node for node, _ in entries], types, "function")


def read_signatures(
    source: Source, items: Sequence[Node], types: Collection[str], what: str
) -> dict[str, tuple[Types, ...]]:
    """Every predicate or function of a section, with the types of its parameters."""
    signatures: dict[str, tuple[Types, ...]] = {}
    for node in items:
        entry = expect_form(source, node, f"'({what} ?x ...)'")
        if not entry.items:
            raise InputError(f"'()' found, expected '({what} ?x ...)'", at(source, entry.start))
        symbol = expect_name(source, entry.items[0], f"a {what}")
        if symbol.text in _LOGICAL_WORDS or symbol.text.startswith("type:"):
            raise InputError(
                f"'{symbol.text}' has a meaning of its own, expected another name", at(source, symbol.start)
            )
        if symbol.text in signatures:
            raise InputError(f"the {what} '{symbol.text}' is declared twice, expected once", at(source, symbol.start))
        signatures[symbol.text] = read_parameters(source, entry.items[1:], types)
    return signatures


def read_parameters(source: Source, items: Sequence[Node], types: Collection[str]) -> tuple[Types, ...]:
    """The types of the parameters of a predicate or function."""
    parameters = []
    for node, written in split_typed(source, items):
        symbol = expect_symbol(source, node, "a variable such as '?x'")
        if symbol.text[0] != "?":
            raise InputError(f"'{symbol.text[:40]}' found, expected a variable such as '?x'", at(source, symbol.start))
        parameters.append(name_types(source, written, types))
    return tuple(parameters)


def read_objects(
    source: Source, form: Form | None, types: Collection[str], known: Mapping[str, Types], what: str
) -> dict[str, Types]:
    """The objects or constants of a section with their types; `known` names may not be declared again."""
    objects: dict[str, Types] = {}
    for node, written in split_typed(source, form.items[1:] if form else ()):
        symbol = expect_name(source, node, f"an {what}" if what == "object" else f"a {what}")
        if symbol.text in objects or symbol.text in known:
            earlier = "twice" if symbol.text in objects else "as a constant of the domain already"
            raise InputError(
                f"'{symbol.text[:40]}' is declared {earlier}, expected a new name", at(source, symbol.start)
            )
        objects[symbol.text] = name_types(source, written, types)
    return objects


def read_spelling(source: Source, *forms: Form | None) -> dict[str, str]:
    """The names at the heads and in the lists of some sections that are not written in lower case, as written."""
    spelling: dict[str, str] = {}
    for form in forms:
        for item in form.items[1:] if form else ():
            node = item.items[0] if isinstance(item, Form) and item.items else item
            if isinstance(node, Symbol):
                written = source.text[node.start : node.end]
                if written != node.text:
                    spelling.setdefault(node.text, written)
    return spelling
