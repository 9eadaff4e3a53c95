"""The route `end`: plan, then stop for good, then check each atom and bind its variables.

There are no axioms, unless a part of the goal that could not be resolved has quantifiers. Every plan has the same
number of dummy actions, or they cost nothing where alternatives of the goal need different numbers of them, so an
optimal planner on the rewritten task finds the cheapest plan of the quantified goal.
"""

from math import prod

from skolem.planning.derived import derive
from skolem.planning.goal_pattern import DENIED, GoalPattern, find_patterns
from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.task.formulas import And, Atom, Equal, Formula, Not, Or, Variable
from skolem.task.model import Task
from skolem.task.negation import push_negations


def rewrite(task: Task, free: bool = False) -> Rewriting:
    """The task with a phase of checking and binding after the user's plan, whose steps cost nothing if `free`."""
    patterns = find_patterns(task)
    rewriter = Rewriter(task)
    if not patterns:
        return rewriter.finish_impossible()
    running = Atom(rewriter.add_predicate("running", 0), ())
    rewriter.add_facts([running])
    rewriter.guard_actions(running)
    if len(patterns) == 1:
        phase, ground, steps = _add_steps(rewriter, task, patterns[0], running)
        return rewriter.finish(And((phase, *ground)), None if free else steps)
    achieved = Atom(rewriter.add_predicate("achieved", 0), ())
    for pattern in patterns:
        phase, ground, _ = _add_steps(rewriter, task, pattern, running)
        rewriter.add_action("achieve", (), [phase, *ground], [achieved, Not(phase)])
    return rewriter.finish(achieved, None)


def _add_steps(rewriter: Rewriter, task: Task, pattern: GoalPattern, phase: Atom) -> tuple[Atom, list[Formula], int]:
    """Adds the steps of one alternative: the phase after them, what is to be true besides, and their number."""
    name = {v: Variable(f"?v{~v}") for v in pattern.candidates}
    literals = [
        (pattern.write(atom, [name[t] if t < 0 else task.objects[t] for t in atom[1]]), {t for t in atom[1] if t < 0})
        for atom in sorted(pattern.atoms)
        if atom[0] not in pattern.residuals
    ]
    bound, allowed = {}, {}
    for v, objects in pattern.candidates.items():
        bound[v] = Atom(rewriter.add_predicate(f"bound{~v}", 1), (name[v],))
        allowed[v] = Atom(rewriter.add_predicate(f"candidate{~v}", 1), (name[v],))
        rewriter.add_facts(Atom(allowed[v].predicate, (task.objects[o],)) for o in sorted(objects))
    # A positive fact for "not bound to this object": negative conditions on a choice of many are costly in SAS+.
    apart = {v: rewriter.add_predicate(f"apart{~v}", 1) for pair in pattern.unequal for v in pair}
    rewriter.add_facts(Atom(predicate, (obj,)) for predicate in apart.values() for obj in task.objects)

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
        for literal, mentioned in literals:
            if mentioned == set(variables) or (len(mentioned) == 1 and mentioned <= set(new)):
                condition.append(literal)
        done += new
        phase = Atom(rewriter.add_predicate("phase", 0), ())
        rewriter.add_action("check", [name[v] for v in variables], condition, [phase, *effect])
    for atom in sorted(pattern.atoms):
        if atom[0] in pattern.residuals:
            part = pattern.write(atom, [name[t] if t < 0 else task.objects[t] for t in atom[1]])
            variables = sorted({t for t in atom[1] if t < 0}, reverse=True)
            after = Atom(rewriter.add_predicate("phase", 0), ())
            for choice in _list_choices(rewriter, part):
                found: list[Formula] = [phase, *(bound[v] for v in variables), choice]
                rewriter.add_action("check", [name[v] for v in variables], found, [after, Not(phase)])
            phase = after
    return phase, [literal for literal, mentioned in literals if not mentioned], len(steps) + len(pattern.residuals)


def _list_choices(rewriter: Rewriter, part: Formula) -> list[Formula]:
    """Conjunctions of literals, one of which is true where the part is."""
    part = push_negations(part)
    choices = part.parts if isinstance(part, Or) else (part,)
    return [choice if _is_plain(choice) else derive(rewriter, choice) for choice in choices]


def _is_plain(formula: Formula) -> bool:
    parts = formula.parts if isinstance(formula, And) else (formula,)
    return all(isinstance(part, Atom | Equal | Not) for part in parts)


def list_steps(pattern: GoalPattern, static: frozenset[str]) -> list[list[int]]:
    """The variables that each step binds or finds bound: those of an atom, or one that shares no atom with others.

    Atoms that actions change come first, because few of them are true at a time; then those that bind least.
    """
    shared: dict[frozenset[int], bool] = {}
    for predicate, terms in pattern.atoms:
        variables = frozenset(t for t in terms if t < 0)
        if len(variables) > 1 and predicate not in pattern.residuals:
            shared[variables] = shared.get(variables, True) and predicate.removeprefix(DENIED) in static
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
