"""Interchangeable variables, such as those of "at least three cups": bound in one order, like all others."""

from collections.abc import Collection
from itertools import pairwise

from skolem.planning.goal_pattern import GoalPattern
from skolem.planning.rewriting import Rewriter
from skolem.task.formulas import Atom
from skolem.task.model import Task

MOST_ORDERED = 1000
"""Objects up to which their order is written down as facts, of which there are half as many as pairs of objects."""
MOST_PAIRED = 100
"""Objects up to which binding a variable has an action for each two objects in order, not one for each."""


def order_pairs(pattern: GoalPattern, most: int = MOST_ORDERED) -> tuple[list[frozenset[int]], list[tuple[int, int]]]:
    """The inequalities that remain, and the pairs of variables to bind in a fixed order of the objects.

    Different values of interchangeable variables can be permuted, so that demanding them in ascending order loses
    no solution; and a chain of neighbours in this order is enough for all of them to differ. Variables with more
    candidates than `most` have no order.
    """
    classes: list[list[int]] = []
    for v in sorted(pattern.candidates, reverse=True):
        for found in classes:
            if frozenset((v, found[0])) in pattern.unequal and _interchangeable(pattern, v, found[0], most):
                found.append(v)
                break
        else:
            classes.append([v])
    ordered = {frozenset((v, w)) for found in classes for v in found for w in found if v != w}
    before = [pair for found in classes for pair in pairwise(found)]
    return sorted(pattern.unequal - ordered, key=sorted), before


def add_order(rewriter: Rewriter, task: Task, pattern: GoalPattern, before: Collection[tuple[int, int]]) -> str:
    """The new static predicate of two objects that could be those of one of the pairs, in ascending order."""
    order = rewriter.add_predicate("before", 2)
    shared = [task.objects[o] for o in sorted(set().union(*(pattern.candidates[v] for pair in before for v in pair)))]
    rewriter.add_facts(Atom(order, (a, b)) for i, a in enumerate(shared) for b in shared[i + 1 :])
    return order


def _interchangeable(pattern: GoalPattern, v: int, w: int, most: int) -> bool:
    if pattern.candidates[v] != pattern.candidates[w] or len(pattern.candidates[v]) > most:
        return False
    if pattern.neighbours(v) - {w} != pattern.neighbours(w) - {v}:
        return False

    def swap(terms: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(w if t == v else v if t == w else t for t in terms)

    return all((p, swap(terms)) in pattern.atoms for x in (v, w) for p, terms in pattern.atoms_of(x))
