"""What an action costs: the sum of its numbers and function terms, over all objects that have a value."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skolem.support.errors import UnsupportedError
from skolem.task.actions import Action
from skolem.task.formulas import Atom, Term, Variable
from skolem.task.model import Task

LARGEST_COST = 2**31 - 1
"""What the planner can count to."""
MOST_SUMS = 1_000_000
"""How many sums of function values are written down for one action."""


@dataclass(frozen=True)
class CostTable:
    """An action's cost for every choice of objects for the variables that decide it and for which it has a value."""

    variables: tuple[Variable, ...]
    costs: Mapping[tuple[str, ...], int]


def tabulate_costs(task: Task, action: Action) -> CostTable:
    """The sums of all that an action adds to the total cost; an UnsupportedError where there are too many."""
    table = CostTable((), {(): sum(int(cost) for cost in action.costs if isinstance(cost, str))})
    for cost in action.costs:
        if isinstance(cost, Atom):
            table = _add(table, _tabulate(task, cost))
            if len(table.costs) > MOST_SUMS:
                message = f"the sum of the costs of '{action.name}' has more than {MOST_SUMS} values"
                raise UnsupportedError(f"{message}, expected fewer function terms or objects")
    return table


def find_overflow(task: Task) -> tuple[Action, int] | None:
    """An action that can cost more than the planner can count, and that cost."""
    largest: dict[str, int] = {}
    for (name, *_), value in task.values.items():
        largest[name] = max(value, largest.get(name, 0))
    for action in task.domain.actions:
        # Objects that have the largest values need not meet in one action, but mostly even their sum is small.
        most = sum(int(cost) if isinstance(cost, str) else largest.get(cost.predicate, 0) for cost in action.costs)
        if most > LARGEST_COST:
            most = max(tabulate_costs(task, action).costs.values(), default=0)
            if most > LARGEST_COST:
                return action, most
    return None


def check_total(cost: int | None) -> None:
    """An UnsupportedError where a plan costs more than the planner that found it can count."""
    if cost is not None and cost > LARGEST_COST:
        message = f"the planner's plan costs {cost}, expected at most {LARGEST_COST}: the planner counts no further"
        raise UnsupportedError(message)


def _tabulate(task: Task, term: Atom) -> CostTable:
    variables = tuple(dict.fromkeys(t for t in term.terms if isinstance(t, Variable)))
    return CostTable(variables, dict(_list_rows(task, term, variables)))


def _list_rows(task: Task, term: Atom, variables: tuple[Variable, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    for (name, *objects), value in task.values.items():
        if name == term.predicate:
            chosen: dict[Term, str] = {}
            fits = all(chosen.setdefault(t, obj) == obj for t, obj in zip(term.terms, objects, strict=True))
            constant = all(chosen[t] == t for t in term.terms if isinstance(t, str))
            if fits and constant and all(task.has_type(chosen[v], v.types) for v in variables):
                yield tuple(chosen[v] for v in variables), value


def _add(left: CostTable, right: CostTable) -> CostTable:
    """The sums of the costs that agree on the variables that both tables have."""
    shared = [left.variables.index(v) for v in right.variables if v in left.variables]
    key = [i for i, v in enumerate(right.variables) if v in left.variables]
    new = [i for i, v in enumerate(right.variables) if v not in left.variables]
    matches: dict[tuple[str, ...], list[tuple[tuple[str, ...], int]]] = defaultdict(list)
    for row, cost in right.costs.items():
        matches[tuple(row[i] for i in key)].append((tuple(row[i] for i in new), cost))
    costs: dict[tuple[str, ...], int] = {}
    for row, cost in left.costs.items():
        for more, added in matches.get(tuple(row[i] for i in shared), ()):
            costs[row + more] = cost + added
            if len(costs) > MOST_SUMS:
                break
    return CostTable(left.variables + tuple(right.variables[i] for i in new), costs)
