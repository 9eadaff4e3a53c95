"""The route `bind-axiom`: bind each variable once, at any time; one derived predicate per goal atom.

Where the goal has alternatives, plans bind the variables of some of them, and binding costs nothing. Interchangeable
variables have no order here: one that is bound early to a late object would leave no cheap choice for the others.
"""

from skolem.planning.derived import derive, separate_denied
from skolem.planning.goal_pattern import GoalPattern, find_patterns
from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.task.formulas import And, Atom, Exists, Formula, Not, Or, Variable
from skolem.task.model import Task


def rewrite(task: Task) -> Rewriting:
    """The task with one binding action per variable and candidate, and a goal of derived atoms."""
    patterns = find_patterns(task)
    rewriter = Rewriter(task)
    goals = [_add_pattern(rewriter, task, pattern) for pattern in patterns]
    if not goals:
        return rewriter.finish_impossible()
    if len(goals) == 1:
        return rewriter.finish(goals[0], len(patterns[0].candidates))
    return rewriter.finish(rewriter.add_axiom("achieved", (), Or(tuple(goals))), None)


def _add_pattern(rewriter: Rewriter, task: Task, pattern: GoalPattern) -> Formula:
    """Adds the actions and axioms of one alternative; what is to be true for it."""
    name = {v: Variable(f"?v{~v}") for v in pattern.candidates}
    free = {v: Atom(rewriter.add_predicate(f"free{~v}", 0), ()) for v in name}
    done = {v: Atom(rewriter.add_predicate(f"done{~v}", 0), ()) for v in name}
    bound = {v: Atom(rewriter.add_predicate(f"bound{~v}", 1), (name[v],)) for v in name}
    apart = {v: rewriter.add_predicate(f"apart{~v}", 1) for pair in pattern.unequal for v in pair}
    rewriter.add_facts(Atom(predicate, (obj,)) for predicate in apart.values() for obj in task.objects)
    for v, objects in pattern.candidates.items():
        allowed = rewriter.add_predicate(f"candidate{~v}", 1)
        rewriter.add_facts([free[v]])
        rewriter.add_facts(Atom(allowed, (task.objects[o],)) for o in sorted(objects))
        condition = [free[v], Atom(allowed, (name[v],))]
        condition += [Atom(apart[w], (name[v],)) for w in sorted(pattern.neighbours(v))]
        effect: list[Atom | Not] = [Not(free[v]), done[v], bound[v]]
        effect += [Not(Atom(apart[v], (name[v],)))] if v in apart else []
        rewriter.add_action(f"bind{~v}", [name[v]], condition, effect)

    goal: list[Formula] = [done[v] for v in pattern.candidates]
    for atom in sorted(pattern.atoms):
        predicate, terms = atom
        literal = pattern.write(atom, [name[t] if t < 0 else task.objects[t] for t in terms])
        variables = sorted({t for t in terms if t < 0})
        if not variables:
            goal.append(derive(rewriter, literal))
            continue
        body = (*(bound[v] for v in variables), derive(rewriter, literal))
        exists = Exists(tuple(name[v] for v in variables), And(body))
        goal.append(rewriter.add_axiom(f"holds-{predicate.replace(' ', '-')}", (), exists))
    return And(separate_denied(rewriter, goal))
