"""The route `bind-axiom`: bind each variable once, at any time; one derived predicate per goal atom."""

from skolem.planning.goal_pattern import find_pattern
from skolem.planning.rewriting import Rewriter, Rewriting, conjoin, quantify, write_atom
from skolem.task.model import Task


def rewrite(task: Task) -> Rewriting:
    """The task with one binding action per variable and candidate, and a goal of derived atoms."""
    pattern = find_pattern(task)
    rewriter = Rewriter(task)
    if not pattern.possible:
        return rewriter.finish_impossible()

    def name(term: int) -> str:
        return f"?v{~term}" if term < 0 else task.objects[term]

    free = {v: rewriter.add_predicate(f"free{~v}", 0) for v in pattern.candidates}
    done = {v: rewriter.add_predicate(f"done{~v}", 0) for v in pattern.candidates}
    bound = {v: rewriter.add_predicate(f"bound{~v}", 1) for v in pattern.candidates}
    apart = {v: rewriter.add_predicate(f"apart{~v}", 1) for pair in pattern.unequal for v in pair}
    rewriter.add_facts(write_atom(predicate, obj) for predicate in apart.values() for obj in task.objects)
    for v, objects in pattern.candidates.items():
        allowed = rewriter.add_predicate(f"candidate{~v}", 1)
        rewriter.add_facts([write_atom(free[v])])
        rewriter.add_facts(write_atom(allowed, task.objects[o]) for o in sorted(objects))
        condition = [write_atom(free[v]), write_atom(allowed, name(v))]
        condition += [write_atom(apart[w], name(v)) for w in sorted(pattern.neighbours(v))]
        effect = [f"(not {write_atom(free[v])})", write_atom(done[v]), write_atom(bound[v], name(v))]
        effect += [f"(not {write_atom(apart[v], name(v))})"] if v in apart else []
        rewriter.add_action(f"bind{~v}", [name(v)], condition, effect)

    goal = [write_atom(done[v]) for v in pattern.candidates]
    for predicate, terms in sorted(pattern.atoms):
        atom = write_atom(predicate, *map(name, terms))
        variables = sorted({t for t in terms if t < 0})
        if not variables:
            goal.append(atom)
            continue
        head = write_atom(rewriter.add_predicate(f"holds-{predicate}", 0))
        body = conjoin([*(write_atom(bound[v], name(v)) for v in variables), atom])
        rewriter.add_axiom(head, quantify([name(v) for v in variables], body))
        goal.append(head)
    return rewriter.finish(conjoin(goal), len(pattern.candidates))
