"""A naive reference for ADL planning that shares no code with the product: its own parser, grounding and search.

Everything is spelled out over the objects: a condition becomes one Python expression over the set of true atoms, so
that what it means can be read off, and the whole state space is searched by Dijkstra's algorithm. For small tasks only.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import product

Node = str | list["Node"]
"""A word in lower case, or a list of nodes."""
State = frozenset[str]
"""The atoms that are true, such as "(on a b)"; of a static predicate none."""
Test = Callable[[frozenset[str] | set[str]], bool]
Environment = Mapping[str, str]
"""The object of every variable in scope."""


class UnstratifiedError(Exception):
    """A derived predicate depends on its own negation."""


class TooLargeError(Exception):
    """The task has more states than allowed."""


def parse(text: str) -> list[Node]:
    """The one list that a text consists of."""
    stack: list[list[Node]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text.lower())):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    (whole,) = stack[0]
    assert isinstance(whole, list)
    return whole


def format_node(node: Node) -> str:
    """The node as text."""
    return node if isinstance(node, str) else f"({' '.join(map(format_node, node))})"


def read_typed(nodes: Sequence[Node]) -> list[tuple[str, list[str]]]:
    """The names of a list such as `a b - t c - (either t u) d`, each with its types."""
    found: list[tuple[str, list[str]]] = []
    group: list[str] = []
    rest = iter(nodes)
    for node in rest:
        if node == "-":
            written = next(rest)
            types = [written] if isinstance(written, str) else [str(t) for t in written[1:]]
            found += [(name, types) for name in group]
            group = []
        else:
            group.append(str(node))
    return found + [(name, ["object"]) for name in group]


@dataclass(frozen=True)
class GroundEffect:
    """An atom that becomes true or false where the condition held before."""

    condition: Test
    atom: str
    positive: bool


@dataclass(frozen=True)
class GroundAction:
    """A step such as "(stack a b)"."""

    step: str
    precondition: Test
    effects: tuple[GroundEffect, ...]
    cost: int


@dataclass(frozen=True)
class Verdict:
    """Whether a plan is valid, and what it costs up to its first fault."""

    valid: bool
    cost: int


class Search:
    """A task given as text, and, once explored, the cheapest way to each of its states."""

    def __init__(self, domain: str, problem: str) -> None:
        self.domain, self.problem = parse(domain), parse(problem)
        self.types = self._read_types()
        self.objects = self._read_objects()
        self.has_metric = bool(self._list_sections(self.problem, ":metric"))
        init = [fact for section in self._list_sections(self.problem, ":init") for fact in section[1:]]
        facts = [fact for fact in init if isinstance(fact, list)]
        self.values = {format_node(f[1]): int(str(f[2])) for f in facts if f[0] == "="}
        self.init = frozenset(format_node(f) for f in facts if f[0] not in ("=", "not"))
        self.rules = [(s[1], s[2]) for s in self._list_sections(self.domain, ":derived")]
        self.derived = {str(head[0]) for head, _ in self.rules}
        self.schemas = {str(s[1]): _read_fields(s) for s in self._list_sections(self.domain, ":action")}
        self.changing = self.derived | {
            str(atom[0]) for f in self.schemas.values() for atom in _list_changed(f.get(":effect", []))
        }
        self.strata = self._ground_axioms()
        self.actions = {action.step: action for action in self._ground_actions()}
        self.initial = frozenset(atom for atom in self.init if atom[1:-1].split()[0] in self.changing)
        (goal,) = self._list_sections(self.problem, ":goal")
        self.goal = goal[1]

    def _list_sections(self, whole: list[Node], name: str) -> list[list[Node]]:
        return [part for part in whole if isinstance(part, list) and part[0] == name]

    def _read_types(self) -> dict[str, set[str]]:
        """All supertypes of every type, itself and `object` included."""
        above: dict[str, set[str]] = {"object": {"object"}}
        for section in self._list_sections(self.domain, ":types"):
            for name, parents in read_typed(section[1:]):
                above.setdefault(name, {name, "object"}).update(parents)
                for parent in parents:
                    above.setdefault(parent, {parent, "object"})
        for _ in above:
            for parents_of in above.values():
                parents_of.update(*[above[parent] for parent in parents_of])
        return above

    def _read_objects(self) -> dict[str, set[str]]:
        """All types of every object."""
        sections = self._list_sections(self.domain, ":constants") + self._list_sections(self.problem, ":objects")
        declared = [entry for section in sections for entry in read_typed(section[1:])]
        return {name: set().union(*[self.types[t] for t in types]) for name, types in declared}

    def list_environments(self, typed: Sequence[Node], outer: Environment) -> Iterator[dict[str, str]]:
        """The scope with every choice of objects for some more variables."""
        variables = read_typed(typed)
        ranges = [[o for o, own in self.objects.items() if own & set(types)] for _, types in variables]
        for choice in product(*ranges):
            yield {**outer, **{name: obj for (name, _), obj in zip(variables, choice, strict=True)}}

    def ground_atom(self, atom: Sequence[Node], scope: Environment) -> str:
        """The atom with objects for its variables."""
        return f"({' '.join([str(atom[0]), *(scope.get(str(t), str(t)) for t in atom[1:])])})"

    def write_test(self, formula: Node, scope: Environment) -> str:
        """The condition as a Python expression over the set `s` of true atoms."""
        assert isinstance(formula, list)
        if not formula:
            return "True"
        head, *parts = formula
        if head in ("and", "or"):
            return _join(str(head), [self.write_test(part, scope) for part in parts])
        if head == "not":
            return _negate(self.write_test(parts[0], scope))
        if head == "imply":
            return _join("or", [_negate(self.write_test(parts[0], scope)), self.write_test(parts[1], scope)])
        if head in ("exists", "forall"):
            scopes = self.list_environments(list(parts[0]), scope)
            return _join("or" if head == "exists" else "and", [self.write_test(parts[1], inner) for inner in scopes])
        if head == "=":
            left, right = (scope.get(str(term), str(term)) for term in parts)
            return str(left == right)
        atom = self.ground_atom(formula, scope)
        return f"{atom!r} in s" if head in self.changing else str(atom in self.init)

    def _ground_axioms(self) -> list[list[tuple[str, Test]]]:
        """The ground rules (an atom and when it is derived), layer by layer."""
        level = dict.fromkeys(self.derived, 0)
        needs = [(str(h[0]), p, sign) for h, b in self.rules for p, sign in _list_dependences(b, True) if p in level]
        growing = True
        while growing:
            higher = {
                name: max([level[name], *(level[p] + (not s) for n, p, s in needs if n == name)]) for name in level
            }
            growing, level = higher != level, higher
            if max(level.values(), default=0) > len(level):
                raise UnstratifiedError
        heads, tests, layers = [], [], []
        for head, body in self.rules:
            for scope in self.list_environments(list(head[1:]), {}):
                variables = [name for name, _ in read_typed(list(head[1:]))]
                heads.append(self.ground_atom([str(head[0]), *variables], scope))
                tests.append(self.write_test(body, scope))
                layers.append(level[str(head[0])])
        compiled = compile_tests(tests)
        rules = [(layer, head, compiled[test]) for layer, head, test in zip(layers, heads, tests, strict=True)]
        return [[(head, test) for layer, head, test in rules if layer == number] for number in sorted(set(layers))]

    def derive(self, fluents: State) -> frozenset[str]:
        """The atoms that are true in a state, the derived ones included."""
        if not self.strata:
            return fluents
        atoms = set(fluents)
        for rules in self.strata:
            growing = True
            while growing:
                new = {head for head, test in rules if head not in atoms and test(atoms)}
                atoms |= new
                growing = bool(new)
        return frozenset(atoms)

    def _ground_actions(self) -> Iterator[GroundAction]:
        found = []
        for name, fields in self.schemas.items():
            parameters, effect = list(fields.get(":parameters", [])), fields.get(":effect", [])
            variables = [variable for variable, _ in read_typed(parameters)]
            for scope in self.list_environments(parameters, {}):
                precondition = self.write_test(fields.get(":precondition", []), scope)
                if precondition != "False":
                    effects = [e for e in self._ground_effects(effect, scope, ["True"]) if e[0] != "False"]
                    cost = sum(self.list_costs(effect, scope)) if self.has_metric else 1
                    found.append((self.ground_atom([name, *variables], scope), precondition, effects, cost))
        tests = compile_tests([test for _, first, effects, _ in found for test in (first, *(e[0] for e in effects))])
        for step, precondition, effects, cost in found:
            ground = tuple(GroundEffect(tests[test], atom, positive) for test, atom, positive in effects)
            yield GroundAction(step, tests[precondition], ground, cost)

    def _ground_effects(
        self, effect: Node, scope: Environment, conditions: list[str]
    ) -> Iterator[tuple[str, str, bool]]:
        """Every simple effect: its condition, its atom, and whether the atom becomes true."""
        if not effect or effect[0] == "increase":
            return
        if effect[0] == "and":
            for part in effect[1:]:
                yield from self._ground_effects(part, scope, conditions)
        elif effect[0] == "forall":
            for inner in self.list_environments(list(effect[1]), scope):
                yield from self._ground_effects(effect[2], inner, conditions)
        elif effect[0] == "when":
            yield from self._ground_effects(effect[2], scope, [*conditions, self.write_test(effect[1], scope)])
        else:
            atom = effect[1] if effect[0] == "not" else effect
            yield _join("and", conditions), self.ground_atom(list(atom), scope), atom is effect

    def list_costs(self, effect: Node, scope: Environment) -> Iterator[int]:
        """What an effect adds to the total cost, one amount for each time it says so."""
        if effect and effect[0] == "increase":
            amount = effect[2]
            yield int(amount) if isinstance(amount, str) else self.values[self.ground_atom(amount, scope)]
        elif effect and effect[0] == "and":
            for part in effect[1:]:
                yield from self.list_costs(part, scope)

    def apply(self, action: GroundAction, fluents: State, atoms: frozenset[str]) -> State:
        """The state after the action: all conditions are read before, and what is added wins over what is deleted."""
        happening = [effect for effect in action.effects if effect.condition(atoms)]
        deleted = {effect.atom for effect in happening if not effect.positive}
        added = {effect.atom for effect in happening if effect.positive}
        return (fluents - deleted) | added

    def list_successors(self, fluents: State) -> Iterator[tuple[GroundAction, State]]:
        """Every applicable action and the state after it."""
        atoms = self.derive(fluents)
        for action in self.actions.values():
            if action.precondition(atoms):
                yield action, self.apply(action, fluents, atoms)

    def explore(self, limit: int, enough: Test | None = None) -> "Space":
        """All states that can be reached, or those up to a cheapest one with which it is enough.

        Each comes with the least cost of a plan; a TooLargeError says that there are more than the limit.
        """
        cost: dict[State, int] = {self.initial: 0}
        came: dict[State, tuple[State, str]] = {}
        settled: dict[State, frozenset[str]] = {}
        heap: list[tuple[int, int, State]] = [(0, 0, self.initial)]
        pushed = 0
        while heap:
            here, _, state = heappop(heap)
            if state in settled:
                continue
            settled[state] = self.derive(state)
            if enough is not None and enough(settled[state]):
                break
            for action, after in self.list_successors(state):
                if after not in cost or here + action.cost < cost[after]:
                    cost[after] = here + action.cost
                    came[after] = state, action.step
                    pushed += 1
                    heappush(heap, (cost[after], pushed, after))
            if len(cost) > limit:
                raise TooLargeError
        return Space(self, settled, cost, came)

    def find_plan(self, limit: int) -> tuple[str, ...] | None:
        """A cheapest plan for the task's own goal, None if there is none; a TooLargeError beyond so many states."""
        space = self.explore(limit, self.make_test(self.goal))
        return space.find_plan(space.find_cheapest(self.goal))

    def make_test(self, formula: Node) -> Test:
        """When a closed formula is true."""
        expression = self.write_test(formula, {})
        return compile_tests([expression])[expression]

    def judge(self, plan: Sequence[str]) -> Verdict:
        """The verdict on a plan for the task's own goal."""
        state, cost = self.initial, 0
        for step in plan:
            atoms = self.derive(state)
            action = self.actions.get(step)
            if action is None or not action.precondition(atoms):
                return Verdict(False, cost)
            state = self.apply(action, state, atoms)
            cost += action.cost
        return Verdict(self.make_test(self.goal)(self.derive(state)), cost)


@dataclass(frozen=True)
class Space:
    """The reachable states of a task."""

    search: Search
    atoms: Mapping[State, frozenset[str]]
    """Every state with all that is true in it."""
    cost: Mapping[State, int]
    """The least cost of a plan that leads to a state."""
    came: Mapping[State, tuple[State, str]]
    """The state before, on a cheapest plan, and the step."""

    @cached_property
    def steps(self) -> dict[State, int]:
        """The length of the cheapest plan to every state that `find_plan` gives."""
        found: dict[State, int] = {}
        # States are settled in the order of their costs, those before a state first.
        for state in self.atoms:
            found[state] = found[self.came[state][0]] + 1 if state in self.came else 0
        return found

    def find_cheapest(self, formula: Node) -> State | None:
        """A state in which a formula is true that costs least to reach; None if there is none."""
        test = self.search.make_test(formula)
        return min((s for s, atoms in self.atoms.items() if test(atoms)), key=lambda s: self.cost[s], default=None)

    def find_plan(self, state: State | None) -> tuple[str, ...] | None:
        """A cheapest plan to a state."""
        if state is None:
            return None
        steps: list[str] = []
        while state in self.came:
            state, step = self.came[state]
            steps.append(step)
        return tuple(reversed(steps))


def compile_tests(expressions: Iterable[str]) -> dict[str, Test]:
    """The expressions as functions."""
    distinct = list(dict.fromkeys(expressions))
    return dict(zip(distinct, eval(f"[{', '.join(f'lambda s: {e}' for e in distinct)}]", {}), strict=True))


def _join(word: str, parts: Sequence[str]) -> str:
    """The conjunction or disjunction of expressions."""
    decisive, neutral = ("False", "True") if word == "and" else ("True", "False")
    if decisive in parts:
        return decisive
    left = list(dict.fromkeys(part for part in parts if part != neutral))
    return f"({f' {word} '.join(left)})" if left else neutral


def _negate(expression: str) -> str:
    known = {"True": "False", "False": "True"}
    return known.get(expression) or f"(not {expression})"


def _read_fields(action: list[Node]) -> dict[str, Node]:
    return {str(action[i]): action[i + 1] for i in range(2, len(action), 2)}


def _list_changed(effect: Node) -> Iterator[list[Node]]:
    """The atoms that an effect may change."""
    assert isinstance(effect, list)
    if not effect or effect[0] == "increase":
        return
    if effect[0] == "and":
        for part in effect[1:]:
            yield from _list_changed(part)
    elif effect[0] in ("forall", "when"):
        yield from _list_changed(effect[2])
    elif effect[0] == "not":
        yield from _list_changed(effect[1])
    else:
        yield effect


def _list_dependences(formula: Node, positive: bool) -> Iterator[tuple[str, bool]]:
    """The predicates of a formula, each with whether it stands under an even number of negations."""
    assert isinstance(formula, list)
    if not formula or formula[0] == "=":
        return
    head, *parts = formula
    if head in ("and", "or"):
        for part in parts:
            yield from _list_dependences(part, positive)
    elif head == "not":
        yield from _list_dependences(parts[0], not positive)
    elif head == "imply":
        yield from _list_dependences(parts[0], not positive)
        yield from _list_dependences(parts[1], positive)
    elif head in ("exists", "forall"):
        yield from _list_dependences(parts[1], positive)
    else:
        yield str(head), positive
