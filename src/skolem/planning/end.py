"""The route `end`: plan, then stop for good, then check each atom and bind its variables; no axioms.

Every plan has the same number of dummy actions, so an optimal planner on the rewritten task finds the cheapest
plan of the quantified goal.
"""

from math import prod

from skolem.planning.goal_pattern import GoalPattern, find_pattern
from skolem.planning.rewriting import Rewriter, Rewriting, conjoin, write_atom
from skolem.task.model import Task


def rewrite(task: Task) -> Rewriting:
    """The task with a phase of checking and binding after the user's plan."""
    pattern = find_pattern(task)
    rewriter = Rewriter(task)
    if not pattern.possible:
        return rewriter.finish_impossible()

    def name(term: int) -> str:
        return f"?v{~term}" if term < 0 else task.objects[term]

    bound, allowed = {}, {}
    for v, objects in pattern.candidates.items():
        bound[v], allowed[v] = rewriter.add_predicate(f"bound{~v}", 1), rewriter.add_predicate(f"candidate{~v}", 1)
        rewriter.add_facts(write_atom(allowed[v], task.objects[o]) for o in sorted(objects))
    # A positive fact for "not bound to this object": negative conditions on a choice of many are costly in SAS+.
    apart = {v: rewriter.add_predicate(f"apart{~v}", 1) for pair in pattern.unequal for v in pair}
    rewriter.add_facts(write_atom(predicate, obj) for predicate in apart.values() for obj in task.objects)

    phase = rewriter.add_predicate("running", 0)
    rewriter.add_facts([write_atom(phase)])
    rewriter.guard_actions(write_atom(phase))
    done: list[int] = []
    steps = list_steps(pattern, task.domain.static)
    for variables in steps:
        new = [v for v in variables if v not in done]
        condition = [write_atom(phase), *(write_atom(bound[v], name(v)) for v in variables if v in done)]
        effect = [f"(not {write_atom(phase)})"]
        for v in new:
            condition.append(write_atom(allowed[v], name(v)))
            condition += [write_atom(apart[w], name(v)) for w in done if frozenset((v, w)) in pattern.unequal]
            condition += [f"(not (= {name(v)} {name(w)}))" for w in new if w < v and {v, w} in pattern.unequal]
            effect.append(write_atom(bound[v], name(v)))
            effect += [f"(not {write_atom(apart[v], name(v))})"] if v in apart else []
        for predicate, terms in sorted(pattern.atoms):
            mentioned = {t for t in terms if t < 0}
            if mentioned == set(variables) or (len(mentioned) == 1 and mentioned <= set(new)):
                condition.append(write_atom(predicate, *map(name, terms)))
        done += new
        phase = rewriter.add_predicate("phase", 0)
        rewriter.add_action("check", [name(v) for v in variables], condition, [write_atom(phase), *effect])
    ground = [write_atom(p, *map(name, terms)) for p, terms in sorted(pattern.atoms) if all(t >= 0 for t in terms)]
    return rewriter.finish(conjoin([write_atom(phase), *ground]), len(steps))


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
