"""A user's task written again for the planner, with predicates, actions and axioms of our own beside the user's."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from skolem.pddl.writing import Style, format_action, format_atom, format_axiom, format_formula
from skolem.planning.cancelled_deletes import write_out_cancelled
from skolem.planning.recursion import write_out_recursion
from skolem.task.actions import Action, Axiom, Effect
from skolem.task.costs import tabulate_costs
from skolem.task.formulas import And, Atom, Formula, Not, Variable
from skolem.task.model import Task
from skolem.task.types import Types


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
    because Fast Downward refuses those it does not know and enforces none. Predicates and functions are declared
    without types, which it ignores there. Costs are left out where there is no metric, and are one number or function
    term for each action, because of several Fast Downward takes one only.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        domain = task.domain
        declared = (domain.supertypes, domain.predicates, domain.functions, task.types)
        self._names = {"object", *(name for names in declared for name in names), *(a.name for a in domain.actions)}
        self._predicates = {name: len(types) for name, types in domain.predicates.items()}
        self._actions: list[Action] = []
        self._axioms: list[Axiom] = []
        self._facts: list[Atom] = []
        self._guard: Atom | None = None
        self._unions: dict[Types, str] = {}
        self._style = Style(find_union=self._find_union)

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
        self._predicates[found] = arity
        return found

    def add_facts(self, facts: Iterable[Atom]) -> None:
        """Adds atoms to the initial state."""
        self._facts.extend(facts)

    def add_action(
        self, name: str, variables: Sequence[Variable], condition: Sequence[Formula], effect: Sequence[Atom | Not]
    ) -> None:
        """Adds a dummy action whose effect consists of literals."""
        literals = [(e.body, False) if isinstance(e, Not) else (e, True) for e in effect]
        effects = [Effect((), And(()), atom, positive) for atom, positive in literals if isinstance(atom, Atom)]
        self._actions.append(Action(self.fresh(name), tuple(variables), And(tuple(condition)), tuple(effects), ()))

    def add_axiom(self, name: str, variables: Sequence[Variable], body: Formula) -> Atom:
        """The atom of a new derived predicate that is true where the body is."""
        axiom = Axiom(self.add_predicate(name, len(variables)), tuple(variables), body)
        self._axioms.append(axiom)
        return Atom(axiom.predicate, axiom.parameters)

    def guard_actions(self, atom: Atom) -> None:
        """Makes an atom a precondition of every action of the user's."""
        self._guard = atom

    def finish(self, goal: Formula, dummy_steps: int | None = 0) -> Rewriting:
        """The rewritten task with this goal, which takes every plan exactly that many dummy actions.

        None if plans differ in the number of dummy actions: then those cost nothing, and the user's cost one each
        where they have no costs of their own.
        """
        task = self._task
        types, constants = self._write_types()
        functions: dict[str, int] = {}
        values: dict[tuple[str, ...], int] = {}
        actions = [write_out_cancelled(task, action) for action in task.domain.actions]
        if task.has_metric:
            functions = {name: len(types) for name, types in task.domain.functions.items()}
            values = dict(task.values)
            actions = [self._sum_costs(action, functions, values) for action in actions]
        elif dummy_steps is None:
            functions, values = {"total-cost": 0}, {("total-cost",): 0}
            actions = [replace(action, costs=("1",)) for action in actions]
        else:
            actions = [replace(action, costs=()) for action in actions]
        if self._guard is not None:
            actions = [replace(a, precondition=And((self._guard, a.precondition))) for a in actions]
        operators = [format_action(action, self._style) for action in actions]
        operators += [format_axiom(axiom, self._style) for axiom in write_out_recursion(task, self.add_axiom)]
        operators += [format_action(action, self._style) for action in self._actions]
        operators += [format_axiom(axiom, self._style) for axiom in self._axioms]
        condition = format_formula(goal, self._style)
        domain = [
            f"(define (domain {task.domain.name})",
            f"(:types {' '.join(types)})" if types else "",
            f"(:constants {' '.join(constants)})",
            # Only here: what was written before may need predicates for unions of types.
            f"(:predicates {' '.join(_declare(self._predicates))})",
            f"(:functions {' '.join(f'{f} - number' for f in _declare(functions))})" if functions else "",
            *operators,
        ]
        facts = [*self._list_facts(), *map(format_atom, self._facts)]
        facts += [f"(= ({' '.join(term)}) {value})" for term, value in values.items()]
        problem = [
            f"(define (problem {task.name})",
            f"(:domain {task.domain.name})",
            f"(:init {' '.join(facts)})",
            f"(:goal {condition})",
            "(:metric minimize (total-cost))" if functions else "",
        ]
        return Rewriting(
            "\n".join(filter(None, domain)) + ")\n",
            "\n".join(filter(None, problem)) + ")\n",
            frozenset(action.name for action in self._actions),
            # Without a metric every action costs one; with it, an action without an effect on the cost costs nothing.
            0 if functions else dummy_steps or 0,
        )

    def finish_impossible(self) -> Rewriting:
        """The task with a goal that is never true."""
        return self.finish(Atom(self.add_predicate("never", 0), ()))

    def _find_union(self, types: Types) -> str:
        """A static predicate that holds of the objects that have one of the types."""
        types = tuple(sorted(types))
        if types not in self._unions:
            name = self._unions[types] = self.add_predicate("either-" + "-".join(types), 1)
            self.add_facts(Atom(name, (obj,)) for obj in self._task.objects if self._task.has_type(obj, types))
        return self._unions[types]

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

    def _sum_costs(self, action: Action, functions: dict[str, int], values: dict[tuple[str, ...], int]) -> Action:
        """The action with one cost: of several, a number or a new function whose values are the sums."""
        if len(action.costs) < 2:
            return action
        table = tabulate_costs(self._task, action)
        if not table.variables and table.costs:
            return replace(action, costs=(str(table.costs[()]),))
        name = self.fresh(f"cost-{action.name}")
        functions[name] = len(table.variables)
        values.update({(name, *objects): cost for objects, cost in table.costs.items()})
        return replace(action, costs=(Atom(name, table.variables),))

    def _list_facts(self) -> Iterator[str]:
        task = self._task
        for predicate, rows in task.init.items():
            if predicate in task.domain.predicates and predicate not in task.domain.derived:
                for row in rows.tolist():
                    yield f"({' '.join((predicate, *(task.objects[i] for i in row)))})"


def _declare(arities: dict[str, int]) -> Iterator[str]:
    for name, arity in arities.items():
        yield f"({' '.join((name, *(f'?a{i}' for i in range(arity))))})"
