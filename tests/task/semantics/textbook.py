"""The meaning of PDDL word for word: sets of atoms, recursion over formulas, every object tried. Slow and plain."""

from collections.abc import Iterator, Mapping
from itertools import product

from skolem.task.actions import Action
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Task

Fact = tuple[str, ...]
Facts = frozenset[Fact]
Env = Mapping[Variable, str]


class Textbook:
    """One task; states are sets of facts such as ("on", "a", "b"), static ones included, derived ones left out."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.start: Facts = frozenset(
            (name, *(task.objects[o] for o in row))
            for name in task.domain.predicates.keys() - task.domain.derived
            for row in task.init[name].tolist()
        )

    def list_objects(self, variable: Variable) -> list[str]:
        """The objects that a variable may be."""
        above = self.task.domain.supertypes
        return [o for o in self.task.objects if any(set(variable.types) & above[t] for t in self.task.types[o])]

    def list_envs(self, variables: tuple[Variable, ...], env: Env) -> Iterator[Env]:
        """The environment with all values of some variables."""
        for objects in product(*map(self.list_objects, variables)):
            yield {**env, **dict(zip(variables, objects, strict=True))}

    def holds(self, formula: Formula, facts: Facts, env: Env) -> bool:
        """Whether a formula is true where these facts, derived ones included, hold."""
        match formula:
            case Atom():
                return ground(formula, env) in facts
            case Equal(left, right):
                return value(left, env) == value(right, env)
            case Not(body):
                return not self.holds(body, facts, env)
            case And(parts):
                return all(self.holds(p, facts, env) for p in parts)
            case Or(parts):
                return any(self.holds(p, facts, env) for p in parts)
            case Exists(variables, body):
                return any(self.holds(body, facts, e) for e in self.list_envs(variables, env))
            case Forall(variables, body):
                return all(self.holds(body, facts, e) for e in self.list_envs(variables, env))

    def derive(self, state: Facts) -> Facts:
        """The state with its derived facts: predicates in layers, each completed before the next one looks at it."""
        facts = set(state)
        for layer in self.list_layers():
            size = -1
            while size != len(facts):
                size = len(facts)
                for axiom in self.task.domain.axioms:
                    if axiom.predicate in layer:
                        for env in self.list_envs(axiom.parameters, {}):
                            if self.holds(axiom.body, frozenset(facts), env):
                                facts.add((axiom.predicate, *(env[v] for v in axiom.parameters)))
        return frozenset(facts)

    def list_layers(self) -> list[set[str]]:
        """Derived predicates in an order in which all that one denies comes before it."""
        needs: dict[str, set[str]] = {name: set() for name in self.task.domain.derived}
        for axiom in self.task.domain.axioms:
            needs[axiom.predicate] |= mentioned(axiom.body) & needs.keys()
        for middle, first, last in product(needs, repeat=3):
            if middle in needs[first] and last in needs[middle]:
                needs[first].add(last)
        for _ in needs:
            for name in needs:
                needs[name] |= {far for near in set(needs[name]) for far in needs[near]}
        # Predicates that need each other form one layer; one that needs fewer others comes first.
        groups = {frozenset({name} | {n for n in needs[name] if name in needs[n]}) for name in needs}
        return [set(group) for group in sorted(groups, key=lambda g: len(set().union(*(needs[n] for n in g)) | g))]

    def list_successors(self, state: Facts) -> Iterator[tuple[Action, tuple[str, ...], Facts]]:
        """Every action that can be taken, with its objects and the state after it."""
        facts = self.derive(state)
        for action in self.task.domain.actions:
            for env in self.list_envs(action.parameters, {}):
                if self.holds(action.precondition, facts, env):
                    added, deleted = set[Fact](), set[Fact]()
                    for effect in action.effects:
                        for inner in self.list_envs(effect.variables, env):
                            if self.holds(effect.condition, facts, inner):
                                (added if effect.positive else deleted).add(ground(effect.atom, inner))
                    yield action, tuple(env[v] for v in action.parameters), (state - deleted) | added


def value(term: Term, env: Env) -> str:
    """The object that a term stands for."""
    return env[term] if isinstance(term, Variable) else term


def ground(atom: Atom, env: Env) -> Fact:
    """The fact that an atom stands for."""
    return atom.predicate, *(value(term, env) for term in atom.terms)


def mentioned(formula: Formula) -> set[str]:
    """The predicates of a formula."""
    match formula:
        case Atom(predicate):
            return {predicate}
        case Equal():
            return set()
        case And(parts) | Or(parts):
            return set().union(*map(mentioned, parts))
        case _:
            return mentioned(formula.body)
