"""The route `miniscope`: one derived predicate per variable, each quantifier pushed as deep as it goes; no dummies.

Variables are eliminated one after the other: the atoms and inequalities of a variable become the body of a derived
predicate over the variables they share with others. The number of ground rules is the product of the candidates of
the variables that meet in one rule, not of all variables.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from skolem.planning.derived import derive, separate_denied
from skolem.planning.goal_pattern import GoalPattern, find_patterns
from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.planning.symmetry import add_order, order_pairs
from skolem.task.formulas import And, Atom, Equal, Exists, Formula, Not, Or, Term, Variable
from skolem.task.model import Task


@dataclass(frozen=True)
class Elimination:
    """A variable to eliminate, and the other variables that it meets then."""

    variable: int
    scope: tuple[int, ...]


def rewrite(task: Task) -> Rewriting:
    """The task with one derived predicate per variable of its goal."""
    rewriter = Rewriter(task)
    goals = [_add_pattern(rewriter, task, pattern) for pattern in find_patterns(task)]
    if not goals:
        return rewriter.finish_impossible()
    return rewriter.finish(goals[0] if len(goals) == 1 else rewriter.add_axiom("achieved", (), Or(tuple(goals))))


def _add_pattern(rewriter: Rewriter, task: Task, pattern: GoalPattern) -> Formula:
    """Adds the axioms of one alternative; what is to be true for it."""
    name = {v: Variable(f"?v{~v}") for v in pattern.candidates}

    def apply(predicate: str, terms: Iterable[int]) -> Atom:
        return Atom(predicate, tuple(name[t] if t < 0 else task.objects[t] for t in terms))

    unequal, before = order_pairs(pattern)
    factors: list[tuple[set[int], Formula]] = []
    for atom in sorted(pattern.atoms):
        literal = pattern.write(atom, [name[t] if t < 0 else task.objects[t] for t in atom[1]])
        factors.append(({t for t in atom[1] if t < 0}, derive(rewriter, literal)))
    factors += [(set(pair), Not(Equal(*(name[v] for v in sorted(pair))))) for pair in unequal]
    if before:
        order = add_order(rewriter, task, pattern, before)
        factors += [({v, w}, apply(order, (v, w))) for v, w in before]

    allowed: dict[int, Atom] = {}
    for v, objects in pattern.candidates.items():
        predicate = rewriter.add_predicate(f"candidate{~v}", 1)
        rewriter.add_facts(apply(predicate, (o,)) for o in sorted(objects))
        allowed[v] = apply(predicate, (v,))
    guards: dict[Term, Formula] = {name[v]: atom for v, atom in allowed.items()}
    for step in order_eliminations(pattern):
        v, scope = step.variable, step.scope
        found = separate_denied(rewriter, [part for variables, part in factors if v in variables], guards)
        body = (*(allowed[w] for w in (v, *scope)), *found)
        head = rewriter.add_axiom(f"some{~v}", [name[w] for w in scope], Exists((name[v],), And(body)))
        factors = [factor for factor in factors if v not in factor[0]]
        factors.append((set(scope), head))
    return And(separate_denied(rewriter, [part for _, part in factors]))


def order_eliminations(pattern: GoalPattern) -> list[Elimination]:
    """The variables in an order that keeps the derived predicates small."""
    unequal, before = order_pairs(pattern)
    links: list[set[int]] = [{t for t in terms if t < 0} for _, terms in pattern.atoms]
    links += [set(pair) for pair in unequal] + [set(pair) for pair in before]
    waiting = sorted(pattern.candidates, reverse=True)
    steps = []
    while waiting:
        scopes = {v: set().union(*(link for link in links if v in link)) - {v} for v in waiting}
        v = min(waiting, key=lambda w: count_rules(pattern, Elimination(w, tuple(scopes[w]))))
        steps.append(Elimination(v, tuple(sorted(scopes[v], reverse=True))))
        waiting.remove(v)
        links = [link for link in links if v not in link] + [scopes[v]]
    return steps


def count_rules(pattern: GoalPattern, step: Elimination) -> int:
    """An upper bound on the number of ground rules that an elimination needs."""
    return prod(len(pattern.candidates[v]) for v in (step.variable, *step.scope))
