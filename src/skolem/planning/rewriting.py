"""A user's task written again for the planner, with predicates, actions and axioms of our own beside the user's."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from skolem.pddl.sexpr import Form, Node, Symbol, parse_form, write
from skolem.task.model import Task


@dataclass(frozen=True)
class Rewriting:
    """A task whose goal the planner can take, and how to undo the rewriting in its plans."""

    domain_text: str = field(repr=False)
    problem_text: str = field(repr=False)
    dummies: frozenset[str] = frozenset()
    """The names of the actions that the rewriting added."""
    dummy_cost: int = 0
    """What the added actions contribute to the cost of every plan."""

    def restore(self, plan: Sequence[str]) -> tuple[str, ...]:
        """The plan without the added actions."""
        return tuple(step for step in plan if step.strip("()").split()[0] not in self.dummies)


class Rewriter:
    """Collects additions to a task and writes domain and problem in the order that Fast Downward demands.

    All objects become constants, so that actions and axioms may name them; `:requirements` are left out,
    because Fast Downward refuses those it does not know and enforces none.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._domain = parse_form(task.domain.source)
        self._problem = parse_form(task.source)
        texts = task.domain.source.text + " " + task.source.text
        self._names = set(re.findall(r"[^\s();]+", texts.lower()))
        self._predicates: list[str] = []
        self._operators: list[str] = []
        self._facts: list[str] = []
        self._dummies: list[str] = []
        self._guard: str | None = None
        self._unions: dict[tuple[str, ...], str] = {}

    def fresh(self, name: str) -> str:
        """A name like the given one that nothing in the task has yet."""
        number, found = 1, name
        while found in self._names:
            number += 1
            found = f"{name}-{number}"
        self._names.add(found)
        return found

    def add_predicate(self, name: str, arity: int) -> str:
        """The name of a new predicate."""
        found = self.fresh(name)
        self._predicates.append(write_atom(found, *(f"?a{i}" for i in range(arity))))
        return found

    def add_facts(self, facts: Iterable[str]) -> None:
        """Adds atoms to the initial state."""
        self._facts.extend(facts)

    def add_action(self, name: str, variables: Sequence[str], condition: Sequence[str], effect: Sequence[str]) -> None:
        """Adds a dummy action."""
        found = self.fresh(name)
        self._dummies.append(found)
        head = f"(:action {found} :parameters ({' '.join(variables)})"
        self._operators.append(f"{head} :precondition {conjoin(condition)} :effect {conjoin(effect)})")

    def add_axiom(self, head: str, body: str) -> None:
        """Adds a rule for a new predicate."""
        self._operators.append(f"(:derived {head} {body})")

    def guard_actions(self, atom: str) -> None:
        """Makes an atom a precondition of every action of the user's."""
        self._guard = atom

    def find_union(self, types: tuple[str, ...]) -> str:
        """A static predicate that holds of the objects that have one of the types."""
        types = tuple(sorted(types))
        if types not in self._unions:
            self._unions[types] = self.add_predicate("either-" + "-".join(types), 1)
            supertypes = self._task.domain.supertypes
            for obj, declared in self._task.types.items():
                if any(supertypes[t] & set(types) for t in declared):
                    self._facts.append(write_atom(self._unions[types], obj))
        return self._unions[types]

    def finish(self, goal: str, dummy_steps: int = 0) -> Rewriting:
        """The rewritten task with this goal, which takes every plan exactly that many dummy actions."""
        sections = [f for f in self._domain.items if isinstance(f, Form)]
        operators = [self._write_action(f) for f in sections if f.head == ":action"]
        operators += [self._write_axiom(f) for f in sections if f.head == ":derived"]
        predicates = [write(p) for f in sections if f.head == ":predicates" for p in f.items[1:]]
        functions = [
            _write_function(n) for f in sections if f.head == ":functions" for n in f.items if isinstance(n, Form)
        ]
        types, constants = self._write_types()
        domain = [
            f"(define (domain {self._task.domain.name})",
            f"(:types {' '.join(types)})" if types else "",
            f"(:constants {' '.join(constants)})",
            f"(:predicates {' '.join([*predicates, *self._predicates])})",
            f"(:functions {' '.join(functions)})" if functions else "",
            *operators,
            *self._operators,
        ]
        sections = [f for f in self._problem.items if isinstance(f, Form)]
        facts = [write(fact) for f in sections if f.head == ":init" for fact in f.items[1:]]
        metric = [write(f) for f in sections if f.head == ":metric"]
        problem = [
            f"(define (problem {self._task.name})",
            f"(:domain {self._task.domain.name})",
            f"(:init {' '.join([*facts, *self._facts])})",
            f"(:goal {goal})",
            *metric,
        ]
        return Rewriting(
            "\n".join(filter(None, domain)) + ")\n",
            "\n".join(problem) + ")\n",
            frozenset(self._dummies),
            # Without a metric every action costs one; with it, an action without an effect on the cost costs nothing.
            0 if metric else dummy_steps,
        )

    def finish_impossible(self) -> Rewriting:
        """The task with a goal that is never true."""
        return self.finish(write_atom(self.add_predicate("never", 0)))

    def _write_types(self) -> tuple[list[str], list[str]]:
        # Fast Downward knows neither several supertypes in one declaration nor `either` for objects, but it does
        # join the supertypes of a type that is declared several times.
        supertypes = dict(self._task.domain.supertypes)
        several = {types for types in self._task.types.values() if len(types) > 1}
        joined = {types: self.fresh("-".join(types)) for types in sorted(several)}
        for types, name in joined.items():
            supertypes[name] = frozenset().union(*(supertypes[t] for t in types))
        pairs = sorted((t, s) for t, above in supertypes.items() for s in above if s != t and t != "object")
        constants = [f"{obj} - {joined.get(types, types[0])}" for obj, types in self._task.types.items()]
        return [f"{t} - {s}" for t, s in pairs], constants

    def _write_action(self, form: Form) -> str:
        fields = {n.text: form.items[i + 1] for i, n in enumerate(form.items[:-1]) if isinstance(n, Symbol)}
        empty = Form((), 0, 0)
        variables, guards = self._write_variables(_items(fields.get(":parameters", empty)))
        condition, effect = fields.get(":precondition", empty), fields.get(":effect", empty)
        parts = [self._guard] if self._guard else []
        parts += guards
        parts += [self._write_formula(condition)] if _items(condition) else []
        body = f":precondition {conjoin(parts)} :effect {self._write_formula(effect, is_effect=True)}"
        return f"(:action {write(form.items[1])} :parameters ({variables}) {body})"

    def _write_axiom(self, form: Form) -> str:
        head, body = form.items[1:]
        name, *variables = _items(head)
        text, guards = self._write_variables(variables)
        return f"(:derived ({write(name)} {text}) {conjoin([*guards, self._write_formula(body)])})"

    def _write_variables(self, items: Sequence[Node]) -> tuple[str, list[str]]:
        # Fast Downward takes `either` nowhere but in predicates: such a variable gets a static condition instead.
        words, guards = [], []
        for name, types in split_typed(items):
            words.append(f"{name} - {types[0] if len(types) == 1 else 'object'}")
            guards += [write_atom(self.find_union(types), name)] if len(types) > 1 else []
        return " ".join(words), guards

    def _write_formula(self, node: Node, is_effect: bool = False) -> str:
        if "either" not in self._names or isinstance(node, Symbol):
            return write(node)
        if node.head in ("exists", "forall"):
            variables, guards = self._write_variables(_items(node.items[1]))
            body = self._write_formula(node.items[2], is_effect)
            if guards and node.head == "exists":
                body = conjoin([*guards, body])
            elif guards:
                body = f"({'when' if is_effect else 'imply'} {conjoin(guards)} {body})"
            return f"({node.head} ({variables}) {body})"
        # The first part of a conditional effect is a condition.
        parts = [self._write_formula(n, is_effect and (node.head, i) != ("when", 1)) for i, n in enumerate(node.items)]
        return f"({' '.join(parts)})"


def split_typed(items: Sequence[Node]) -> list[tuple[str, tuple[str, ...]]]:
    """The names of a typed list, each with its types."""
    found: list[tuple[str, tuple[str, ...]]] = []
    waiting: list[str] = []
    words = iter(items)
    for node in words:
        if isinstance(node, Symbol) and node.text != "-":
            waiting.append(node.text)
            continue
        kind = next(words)
        types = (kind.text,) if isinstance(kind, Symbol) else tuple(write(n) for n in kind.items[1:])
        found += [(name, types) for name in waiting]
        waiting = []
    return found + [(name, ("object",)) for name in waiting]


def write_atom(predicate: str, *terms: str) -> str:
    """An atom as text.

    >>> write_atom("on", "?x", "b")
    '(on ?x b)'
    """
    return f"({' '.join((predicate, *terms))})"


def conjoin(parts: Sequence[str]) -> str:
    """The conjunction of formulas as text."""
    return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"


def quantify(variables: Sequence[str], body: str) -> str:
    """The existential quantification of a formula as text."""
    return f"(exists ({' '.join(variables)}) {body})" if variables else body


def _write_function(form: Form) -> str:
    # Fast Downward ignores the types of the arguments, and refuses some.
    name, *variables = form.items
    return f"{write_atom(write(name), *(v for v, _ in split_typed(variables)))} - number"


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Form) else ()
