"""The route `end`: plan, then stop for good, then check each atom and bind its variables; no axioms.

Every plan has the same number of dummy actions, so an optimal planner on the rewritten task finds the cheapest
plan of the quantified goal.
"""

from math import prod

from skolem.planning.goal_pattern import GoalPattern, find_pattern
from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.task.formulas import And, Atom, Equal, Formula, Not, Variable
from skolem.task.model import Task


def rewrite(task: Task) -> Rewriting:
    """The task with a phase of checking and binding after the user's plan."""
    pattern = find_pattern(task)
    rewriter = Rewriter(task)
    if not pattern.possible:
        return rewriter.finish_impossible()

    name = {v: Variable(f"?v{~v}") for v in pattern.candidates}
    atoms = [
        (Atom(predicate, tuple(name[t] if t < 0 else task.objects[t] for t in terms)), {t for t in terms if t < 0})
        for predicate, terms in sorted(pattern.atoms)
    ]
    bound, allowed = {}, {}
    for v, objects in pattern.candidates.items():
        bound[v] = Atom(rewriter.add_predicate(f"bound{~v}", 1), (name[v],))
        allowed[v] = Atom(rewriter.add_predicate(f"candidate{~v}", 1), (name[v],))
        rewriter.add_facts(Atom(allowed[v].predicate, (task.objects[o],)) for o in sorted(objects))
    # A positive fact for "not bound to this object": negative conditions on a choice of many are costly in SAS+.
    apart = {v: rewriter.add_predicate(f"apart{~v}", 1) for pair in pattern.unequal for v in pair}
    rewriter.add_facts(Atom(predicate, (obj,)) for predicate in apart.values() for obj in task.objects)

    phase = Atom(rewriter.add_predicate("running", 0), ())
    rewriter.add_facts([phase])
    rewriter.guard_actions(phase)
    done: list[int] = []
    steps = list_steps(pattern, task.domain.static)
    for variables in steps:
        new = [v for v in variables if v not in done]
        condition: list[Formula] = [phase, *(bound[v] for v in variables if v in done)]
        effect: list[Atom | Not] = [Not(phase)]
        for v in new:
            condition.append(allowed[v])
            condition += [Atom(apart[w], (name[v],)) for w in done if frozenset((v, w)) in pattern.unequal]
            condition += [Not(Equal(name[v], name[w])) for w in new if w < v and {v, w} in pattern.unequal]
            effect.append(bound[v])
            effect += [Not(Atom(apart[v], (name[v],)))] if v in apart else []
        for atom, mentioned in atoms:
            if mentioned == set(variables) or (len(mentioned) == 1 and mentioned <= set(new)):
                condition.append(atom)
        done += new
        phase = Atom(rewriter.add_predicate("phase", 0), ())
        rewriter.add_action("check", [name[v] for v in variables], condition, [phase, *effect])
    ground = [atom for atom, mentioned in atoms if not mentioned]
    return rewriter.finish(And((phase, *ground)), len(steps))


def list_steps(pattern: GoalPattern, static: frozenset[str]) -> list[list[int]]:
    """The variables that each step binds or finds bound: those of an atom, or one that shares no atom with others.

    Atoms that actions change come first, because few of them are true at a time; then those that bind least.
    """
    shared: dict[frozenset[int], bool] = {}
    for predicate, terms in pattern.atoms:
        variables = frozenset(t for t in terms if t < 0)
        if len(variables) > 1:
            shared[variables] = shared.get(variables, True) and predicate in static
    alone = set(pattern.candidates).difference(*shared)
    done: set[int] = set()
    steps = []

    def rank(variables: frozenset[int]) -> tuple[bool, bool, int, list[int]]:
        choices = prod(len(pattern.candidates[v]) for v in variables - done)
        return shared[variables], not variables & done, choices, sorted(variables)

    while shared:
        best = min(shared, key=rank)
        del shared[best]
        done |= best
        steps.append(sorted(best, reverse=True))
    return steps + [[v] for v in sorted(alone, key=lambda v: (len(pattern.candidates[v]), ~v))]
