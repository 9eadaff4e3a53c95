"""What is true in a task's states, which actions can be taken in them, and what follows: the meaning of a domain.

A state is the set of the atoms that hold of those that actions change. Static facts and types belong to the task, and
derived atoms follow from the axioms, layer by layer. An action can be taken where its precondition is true. All
conditions of its effects are read in the state before; then what it deletes is taken away and what it adds is added,
so that an atom that is both deleted and added is true. Its cost is the sum of all that it adds to the total cost; where
the initial state gives a function term of it no value, the action cannot be taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from skolem.support.errors import InputError
from skolem.task.actions import Action, Axiom
from skolem.task.constraints.relations_index import RelationsIndex
from skolem.task.formulas import Atom, Exists, Formula, Term, Variable
from skolem.task.model import Task
from skolem.task.normal_form import Conjunction, normalize
from skolem.task.query import CodedAtom, Relations
from skolem.task.semantics.axioms import layer_axioms
from skolem.task.semantics.facts import Facts, Row, unite_types
from skolem.task.semantics.rules import Rule, apply_rules, fill
from skolem.task.semantics.truth import Evaluator

State = frozenset[CodedAtom]
"""The atoms that are true, of the predicates that actions change."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """An effect of an action: `atom` becomes true or false for all objects of `variables` for which `condition` holds.

    The variables of condition and atom are the action's parameters, numbered from 0, then the effect's own.
    """

    variables: range
    condition: Conjunction
    atom: CodedAtom
    positive: bool


@dataclass(frozen=True, eq=False)
class Operator:
    """An action over numbered objects; the variables 0, 1, ... of its precondition are its parameters."""

    action: Action
    precondition: Conjunction
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class Step:
    """An action with the numbers of its objects."""

    operator: Operator
    objects: Row


class Dynamics:
    """The states of one task: what holds in them and what actions do."""

    def __init__(self, task: Task) -> None:
        self.task = task
        domain = task.domain
        changing = domain.predicates.keys() - domain.static
        self.arities = {name: len(types) for name, types in domain.predicates.items() if name in changing}
        self._fluents = changing - domain.derived
        self._always = dict(task.statics)
        self.statics = RelationsIndex(self._always, len(task.objects))
        """What is true in every state, types and the unions of types in conditions included."""
        self.operators = tuple(map(self._compile, domain.actions))
        self.layers = tuple(tuple(map(self._compile_axiom, layer)) for layer in layer_axioms(domain))

    def _compile(self, action: Action) -> Operator:
        outcomes = []
        # The types of parameters belong to the precondition.
        parameters = tuple(Variable(v.name) for v in action.parameters)
        for effect in action.effects:
            condition = self.normalize((*parameters, *effect.variables), effect.condition)
            variables = (*action.parameters, *effect.variables)
            own = range(len(action.parameters), len(variables))
            outcomes.append(Outcome(own, condition, self._encode(effect.atom, variables), effect.positive))
        return Operator(action, self.normalize(action.parameters, action.precondition), tuple(outcomes))

    def _compile_axiom(self, axiom: Axiom) -> Rule:
        head = self._encode(Atom(axiom.predicate, axiom.parameters), axiom.parameters)
        return Rule(self.normalize(axiom.parameters, axiom.body), len(axiom.parameters), (head,))

    def normalize(self, variables: tuple[Variable, ...], formula: Formula) -> Conjunction:
        """The normal form of a formula whose free variables are the given ones, which get the numbers 0, 1, ..."""
        part, every = normalize(Exists(variables, formula), self.task.index)
        self._always.update(unite_types(every, self._always))
        return part

    def _encode(self, atom: Atom, variables: Sequence[Variable]) -> CodedAtom:
        def code(term: Term) -> int:
            return ~variables.index(term) if isinstance(term, Variable) else self.task.index[term]

        return atom.predicate, tuple(map(code, atom.terms))

    @cached_property
    def start(self) -> State:
        """The initial state."""
        init = self.task.init
        return frozenset((name, tuple(row)) for name in self._fluents for row in init[name].tolist())

    def observe(self, state: State) -> Facts:
        """All that is true in a state."""
        return Facts(self.statics, _Tuples(self, state), self.arities)

    def describe(self, state: State) -> Relations:
        """All that is true in a state as arrays: every predicate, derived ones too, and every type."""
        facts = self.observe(state)
        return {name: facts[name] for name in self.task.init}

    def holds(self, state: State, formula: Formula) -> bool:
        """Whether a formula without free variables is true in a state."""
        return Evaluator(self.observe(state)).find(self.normalize((), formula), {}) is not None

    def list_steps(self, state: State) -> Iterator[tuple[Step, State]]:
        """Every step that can be taken and the state that it leads to: by action, then by the objects' numbers."""
        evaluator = Evaluator(self.observe(state))
        for operator in self.operators:
            parameters = range(len(operator.action.parameters))
            for objects in evaluator.list_bindings(operator.precondition, parameters, {}):
                step = Step(operator, objects)
                if self.has_cost(step):
                    yield step, _change(evaluator, state, step)

    def apply(self, state: State, step: Step) -> State | None:
        """The state after a step, None where it cannot be taken."""
        evaluator = Evaluator(self.observe(state))
        if evaluator.find(step.operator.precondition, dict(enumerate(step.objects))) is None:
            return None
        return _change(evaluator, state, step)

    def has_cost(self, step: Step) -> bool:
        """Whether the task gives all that a step costs."""
        return all(isinstance(cost, int) or cost in self.task.values for cost in self._list_costs(step))

    def find_cost(self, step: Step) -> int:
        """What a step costs: one unless the task has a metric; an InputError if the task does not give it."""
        total = 0
        for cost in self._list_costs(step):
            if not isinstance(cost, int) and cost not in self.task.values:
                raise InputError(f"the initial state gives ({' '.join(cost)}) no value")
            total += cost if isinstance(cost, int) else self.task.values[cost]
        return total

    def _list_costs(self, step: Step) -> Iterator[int | tuple[str, ...]]:
        """The numbers and function terms that a step adds to the total cost."""
        if not self.task.has_metric:
            yield 1
            return
        action = step.operator.action
        names = {v: self.task.objects[o] for v, o in zip(action.parameters, step.objects, strict=True)}
        for cost in action.costs:
            if isinstance(cost, str):
                yield int(cost)
            else:
                yield cost.predicate, *(names[t] if isinstance(t, Variable) else t for t in cost.terms)


class _Tuples(dict[str, set[Row]]):
    """The tuples of a state by predicate; derived ones are found when they are first asked for."""

    def __init__(self, dynamics: Dynamics, state: State) -> None:
        super().__init__({name: set() for name in dynamics._fluents})
        for name, row in state:
            self[name].add(row)
        self._dynamics = dynamics

    def __missing__(self, name: str) -> set[Row]:
        dynamics = self._dynamics
        self.update({derived: set() for derived in dynamics.task.domain.derived})
        for rules in dynamics.layers:
            apply_rules(rules, self, dynamics.statics, dynamics.arities)
        return self[name]


def _change(evaluator: Evaluator, state: State, step: Step) -> State:
    """The state after a step that can be taken in the state the evaluator looks at."""
    env = dict(enumerate(step.objects))
    added, deleted = set[CodedAtom](), set[CodedAtom]()
    for outcome in step.operator.outcomes:
        name, args = outcome.atom
        for objects in evaluator.list_bindings(outcome.condition, outcome.variables, env):
            (added if outcome.positive else deleted).add((name, fill(args, (*step.objects, *objects))))
    return (state - deleted) | added
