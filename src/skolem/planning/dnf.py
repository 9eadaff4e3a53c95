"""The route `dnf`: the goal as it is, for Fast Downward to expand; it takes every goal."""

from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.task.formulas import And, Equal, Exists, Formula, Not
from skolem.task.model import Goal, Task


def rewrite(task: Task) -> Rewriting:
    """The task with its own goal."""
    return Rewriter(task).finish(_flatten(task.goal))


def _flatten(goal: Goal) -> Formula:
    """The goal with one quantifier and one conjunction if that says it all: Fast Downward reads nesting recursively."""
    if goal.outside is not None or goal.residual is not None or goal.denied:
        return goal.formula
    equalities = [Equal(*pair) for pair in goal.equalities]
    inequalities = [Not(Equal(*pair)) for pair in goal.inequalities]
    body = And((*goal.atoms, *equalities, *inequalities))
    return Exists(goal.variables, body) if goal.variables else body
