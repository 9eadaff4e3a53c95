"""The route `end`: plan, then stop for good, then bind each variable and check each atom; no axioms.

Every plan has the same number of dummy actions, so an optimal planner on the rewritten task finds the cheapest
plan of the quantified goal.
"""

from skolem.planning.pattern import Pattern, find_pattern
from skolem.planning.rewriting import Rewriter, Rewriting, conjoin, write_atom
from skolem.task.model import Task


def rewrite(task: Task) -> Rewriting:
    """The task with a phase of binding and checking after the user's plan."""
    pattern = find_pattern(task)
    rewriter = Rewriter(task)
    if not pattern.possible:
        return rewriter.finish_impossible()

    def name(term: int) -> str:
        return f"?v{~term}" if term < 0 else task.objects[term]

    bound = {v: rewriter.add_predicate(f"bound{~v}", 1) for v in pattern.candidates}
    # A positive fact for "not bound to this object": negative conditions on a choice of many are costly in SAS+.
    apart = {v: rewriter.add_predicate(f"apart{~v}", 1) for pair in pattern.unequal for v in pair}
    rewriter.add_facts(write_atom(predicate, obj) for predicate in apart.values() for obj in task.objects)

    phase = rewriter.add_predicate("running", 0)
    rewriter.add_facts([write_atom(phase)])
    rewriter.guard_actions(write_atom(phase))
    goal = [write_atom(p, *map(name, terms)) for p, terms in sorted(pattern.atoms) if all(t >= 0 for t in terms)]
    steps = 0

    def add_step(title: str, variables: list[int], condition: list[str], effect: list[str]) -> None:
        nonlocal phase, steps
        before, phase, steps = phase, rewriter.add_predicate("phase", 0), steps + 1
        effect = [f"(not {write_atom(before)})", write_atom(phase), *effect]
        rewriter.add_action(title, [name(v) for v in variables], [write_atom(before), *condition], effect)

    done: list[int] = []
    for v in order_variables(pattern):
        allowed = rewriter.add_predicate(f"candidate{~v}", 1)
        rewriter.add_facts(write_atom(allowed, task.objects[o]) for o in sorted(pattern.candidates[v]))
        condition, checks, effect = [write_atom(allowed, name(v))], [], [write_atom(bound[v], name(v))]
        for other in done:
            if frozenset((v, other)) in pattern.unequal:
                condition.append(write_atom(apart[other], name(v)))
        if any(w not in done for w in pattern.neighbours(v)):
            effect.append(f"(not {write_atom(apart[v], name(v))})")
        done.append(v)
        for predicate, terms in sorted(pattern.atoms_of(v)):
            variables = sorted({t for t in terms if t < 0})
            if variables == [v]:
                condition.append(write_atom(predicate, *map(name, terms)))
            elif all(t in done for t in variables):
                checks.append((variables, write_atom(predicate, *map(name, terms))))
        add_step(f"bind{~v}", [v], condition, effect)
        for variables, atom in checks:
            add_step("check", variables, [write_atom(bound[w], name(w)) for w in variables] + [atom], [])
    return rewriter.finish(conjoin([write_atom(phase), *goal]), steps)


def order_variables(pattern: Pattern) -> list[int]:
    """The variables, each next to one it shares an atom with where possible, those with few candidates first."""
    waiting = set(pattern.candidates)
    order: list[int] = []
    linked: set[int] = set()
    while waiting:
        v = min(waiting, key=lambda w: (w not in linked, len(pattern.candidates[w]), ~w))
        waiting.remove(v)
        order.append(v)
        linked |= {t for _, terms in pattern.atoms_of(v) for t in terms}
    return order
