"""The route `end`: plan, then stop for good, then check each atom and bind its variables.

There are no axioms, unless a part of the goal that could not be resolved has quantifiers or too many atoms are negated.
Interchangeable variables are bound in ascending order of their objects. Every plan has the same
number of dummy actions, or they cost nothing where alternatives of the goal need different numbers of them, so an
optimal planner on the rewritten task finds the cheapest plan of the quantified goal.
"""

from collections.abc import Collection
from math import prod

from skolem.planning.derived import MOST_DENIED, count_denied, derive, separate_denied
from skolem.planning.goal_pattern import DENIED, GoalPattern, find_patterns
from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.planning.symmetry import MOST_PAIRED, add_order, order_pairs
from skolem.task.formulas import And, Atom, Equal, Formula, Not, Or, Term, Variable
from skolem.task.model import Task
from skolem.task.negation import push_negations
from skolem.task.query import CodedAtom

MOST_STEPS = 64
"""Negated atoms up to which each has a step of its own where they are many; more of them become axioms."""


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

    def write(atom: CodedAtom) -> Formula:
        return pattern.write(atom, [name[t] if t < 0 else task.objects[t] for t in atom[1]])

    denied = [
        a for a in pattern.atoms if a[0].startswith(DENIED) and a[0].removeprefix(DENIED) not in task.domain.static
    ]
    late = {a for a in pattern.atoms if a[0] in pattern.residuals}
    late.update(denied if MOST_DENIED < len(denied) <= MOST_STEPS else ())
    literals = [(write(atom), _list_variables(atom)) for atom in sorted(pattern.atoms - late)]
    bound, allowed = {}, {}
    for v, objects in pattern.candidates.items():
        bound[v] = Atom(rewriter.add_predicate(f"bound{~v}", 1), (name[v],))
        allowed[v] = Atom(rewriter.add_predicate(f"candidate{~v}", 1), (name[v],))
        rewriter.add_facts(Atom(allowed[v].predicate, (task.objects[o],)) for o in sorted(objects))
    if len(denied) > MOST_STEPS:
        guards: dict[Term, Formula] = {name[v]: atom for v, atom in allowed.items()}
        separated = separate_denied(rewriter, [literal for literal, _ in literals], guards)
        literals = [(part, mentioned) for part, (_, mentioned) in zip(separated, literals, strict=True)]
    unequal, before = order_pairs(pattern, MOST_PAIRED)
    order = add_order(rewriter, task, pattern, before) if before else ""
    # A positive fact for "not bound to this object": negative conditions on a choice of many are costly in SAS+.
    apart = {v: rewriter.add_predicate(f"apart{~v}", 1) for pair in unequal for v in pair}
    rewriter.add_facts(Atom(predicate, (obj,)) for predicate in apart.values() for obj in task.objects)

    done: list[int] = []
    steps = list_steps(pattern, task.domain.static, late)
    for variables in steps:
        new = [v for v in variables if v not in done]
        ordered = [pair for pair in before if not set(new).isdisjoint(pair) and set(pair) <= {*new, *done}]
        used = list(dict.fromkeys((*variables, *(v for pair in ordered for v in pair))))
        condition: list[Formula] = [phase, *(bound[v] for v in used if v in done)]
        condition += [Atom(order, (name[v], name[w])) for v, w in ordered]
        effect: list[Atom | Not] = [Not(phase)]
        for v in new:
            condition.append(allowed[v])
            condition += [Atom(apart[w], (name[v],)) for w in done if frozenset((v, w)) in unequal]
            condition += [Not(Equal(name[v], name[w])) for w in new if w < v and {v, w} in unequal]
            effect.append(bound[v])
            effect += [Not(Atom(apart[v], (name[v],)))] if v in apart else []
        for literal, mentioned in literals:
            if mentioned == set(variables) or (len(mentioned) == 1 and mentioned <= set(new)):
                condition.append(literal)
        done += new
        phase = Atom(rewriter.add_predicate("phase", 0), ())
        rewriter.add_action("check", [name[v] for v in used], condition, [phase, *effect])
    for atom in sorted(late):
        mentioned_last = sorted(_list_variables(atom), reverse=True)
        after = Atom(rewriter.add_predicate("phase", 0), ())
        for choice in _list_choices(rewriter, write(atom)):
            found: list[Formula] = [phase, *(bound[v] for v in mentioned_last), choice]
            rewriter.add_action("check", [name[v] for v in mentioned_last], found, [after, Not(phase)])
        phase = after
    return phase, [literal for literal, mentioned in literals if not mentioned], len(steps) + len(late)


def _list_variables(atom: CodedAtom) -> set[int]:
    return {term for term in atom[1] if term < 0}


def _list_choices(rewriter: Rewriter, part: Formula) -> list[Formula]:
    """Conjunctions of literals, one of which is true where the part is."""
    part = push_negations(part)
    choices = part.parts if isinstance(part, Or) else (part,)
    return [choice if _is_plain(choice) else derive(rewriter, choice) for choice in choices]


def _is_plain(formula: Formula) -> bool:
    parts = formula.parts if isinstance(formula, And) else (formula,)
    return all(isinstance(part, Atom | Equal | Not) for part in parts) and count_denied(parts) <= MOST_DENIED


def list_steps(pattern: GoalPattern, static: frozenset[str], late: Collection[CodedAtom] = ()) -> list[list[int]]:
    """The variables that each step binds or finds bound: those of an atom, or one that shares no atom with others.

    Atoms that actions change come first, because few of them are true at a time; then those that bind least. Late
    atoms are checked when all variables are bound.
    """
    shared: dict[frozenset[int], bool] = {}
    for predicate, terms in pattern.atoms.difference(late):
        variables = frozenset(t for t in terms if t < 0)
        if len(variables) > 1:
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
