"""The route `bind-axiom`: bind each variable once, at any time; one derived predicate per goal atom."""

from skolem.planning.goal_pattern import find_pattern
from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.task.formulas import And, Atom, Exists, Formula, Not, Variable
from skolem.task.model import Task


def rewrite(task: Task) -> Rewriting:
    """The task with one binding action per variable and candidate, and a goal of derived atoms."""
    pattern = find_pattern(task)
    rewriter = Rewriter(task)
    if not pattern.possible:
        return rewriter.finish_impossible()

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
    for predicate, terms in sorted(pattern.atoms):
        atom = Atom(predicate, tuple(name[t] if t < 0 else task.objects[t] for t in terms))
        variables = sorted({t for t in terms if t < 0})
        if not variables:
            goal.append(atom)
            continue
        body = Exists(tuple(name[v] for v in variables), And((*(bound[v] for v in variables), atom)))
        goal.append(rewriter.add_axiom(f"holds-{predicate}", (), body))
    return rewriter.finish(And(tuple(goal)), len(pattern.candidates))
