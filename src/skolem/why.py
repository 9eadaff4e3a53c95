"""Why this object? The explanation of a grounding, and what becomes of the plan with another object."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from skolem.grounding.explanation import Explanation, Forced, Possibility, Unreachability, explain_goal
from skolem.grounding.protocol import Grounding
from skolem.planning.limits import Clock
from skolem.request import Request, Solution
from skolem.solve import ground, solve
from skolem.support.errors import InputError, SkolemError
from skolem.support.similar import hint_similar
from skolem.task.formulas import Or
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.goals import join_literals, make_goal
from skolem.task.model import Goal, Task

GROUNDING_SECONDS = 30.0
"""How long objects are looked for when there is no time limit: what rules objects out can be told without them."""


def explain(
    task: Task, request: Request, asked: Sequence[Mapping[str, str]] = (), clock: Clock | None = None
) -> Explanation:
    """Why the objects that a request leads to were chosen, and what each of the other bindings asked about costs."""
    clock = clock or Clock.begin(request.limits)
    wanted = [complete_question(task, question) for question in asked]
    try:
        grounding: Grounding | None = ground(task, request, _bound(clock))
    except InputError:
        raise
    except SkolemError as error:
        # What rules objects out can be told all the same.
        explanation = replace(explain_goal(task), message=str(error))
        clock = _bound(clock)
    else:
        explanation = explain_goal(task, grounding)
    if not wanted:
        return explanation
    usual = solve(task, request, clock)
    return replace(explanation, forced=tuple(force(task, request, q, explanation, usual, clock) for q in wanted))


def _bound(clock: Clock) -> Clock:
    """The clock, or one that starts now where there is no time limit."""
    return clock if clock.limits.seconds is not None else Clock.begin(replace(clock.limits, seconds=GROUNDING_SECONDS))


def force(
    task: Task, request: Request, asked: Mapping[str, str], explanation: Explanation, usual: Solution, clock: Clock
) -> Forced:
    """The plan with the objects asked for beside the usual one, or the proof that there is none."""
    said = ", ".join(f"{variable} = {obj}" for variable, obj in asked.items())
    impossible = _find_proof(explanation, asked)
    if impossible:
        return _answer(asked, usual, "impossible", f"{said} cannot be: {impossible}")
    found = solve(force_objects(task, asked), request, clock)
    if found.status == "unsolvable":
        why = "no valid binding has it" if found.route == "candidates" else found.message
        return _answer(asked, usual, "impossible", f"{said} cannot be: {why}")
    if found.status != "solved":
        return _answer(asked, usual, "unknown", f"with {said}: no plan was found ({found.message})")
    forced = _answer(asked, usual, "possible", f"with {said}: {_compare(found, usual, task.has_metric)}")
    return replace(forced, cost=found.cost, optimal=found.optimal, binding=found.binding, plan=found.plan)


def _answer(asked: Mapping[str, str], usual: Solution, status: Possibility, text: str) -> Forced:
    return Forced(
        asked=dict(asked),
        status=status,
        text=text,
        usual_cost=usual.cost,
        usual_optimal=usual.optimal,
        usual_plan=usual.plan,
    )


def _compare(found: Solution, usual: Solution, has_metric: bool) -> str:
    """The cost of a plan beside that of the usual one, in words."""

    def say(solution: Solution) -> str:
        return f"{'' if solution.optimal else 'at most '}{solution.cost}"

    shown = f"cost {say(found)}" if has_metric else f"{say(found)} step{'s' * (found.cost != 1)}"
    if usual.cost is None:
        return shown
    if found.cost == usual.cost:
        return f"{shown}, as without it"
    return f"{shown} instead of {usual.cost}"


def _find_proof(explanation: Explanation, asked: Mapping[str, str]) -> str:
    """Why none of the goal's alternatives can have an object asked for; empty if one of them may."""
    reasons = []
    for goal in explanation.goals:
        known = {v.variable: v for v in goal.variables}
        if not asked.keys() <= known.keys():
            continue
        if goal.conflict:
            reasons.append(f"nothing satisfies {', '.join(goal.conflict)} together")
            continue
        found = ""
        for variable, obj in asked.items():
            for ruling in known[variable].ruled_out:
                if obj in ruling.objects:
                    found = found or f"{', '.join(ruling.literals)} rule{'s' * (len(ruling.literals) == 1)} it out"
            for dead in known[variable].unreachable:
                if obj == dead.object:
                    found = found or _tell_unreachable(dead)
        if not found:
            return ""
        reasons.append(found)
    return "; ".join(dict.fromkeys(reasons))


def _tell_unreachable(dead: Unreachability) -> str:
    return f"it is unreachable, {dead.proof}"


def complete_question(task: Task, asked: Mapping[str, str]) -> dict[str, str]:
    """The variables and objects of a question as the task names them; an InputError for those that it lacks."""
    variables = {v.name for t in list_alternatives(task) for v in t.goal.variables}
    found = {}
    for name, obj in asked.items():
        variable, value = f"?{name.lower().removeprefix('?')}", obj.lower()
        if variable not in variables:
            expected = ", ".join(sorted(variables)) or "none, for the goal has no variables"
            raise InputError(f"the goal has no variable '{variable}', expected one of {expected}")
        if value not in task.index:
            raise InputError(f"there is no object '{obj}'{hint_similar(value, task.objects)}")
        found[variable] = value
    return found


def force_objects(task: Task, asked: Mapping[str, str]) -> Task:
    """The task with a goal whose variables must have the objects asked for."""
    fitting = [t for t in list_alternatives(task) if asked.keys() <= {v.name for v in t.goal.variables}]
    if not fitting:
        raise InputError(f"no alternative of the goal has the variables {', '.join(asked)} together")
    goals = [_force_goal(t.goal, asked) for t in fitting]
    if len(goals) == 1:
        return replace(fitting[0], goal=goals[0])
    relations = {name: rows for t in fitting for name, rows in t.init.items()}
    formula = Or(tuple(goal.formula for goal in goals))
    return replace(task, goal=make_goal(formula, task.domain.derived), init=relations)


def _force_goal(goal: Goal, asked: Mapping[str, str]) -> Goal:
    equal = tuple((v, asked[v.name]) for v in goal.variables if v.name in asked)
    forced = replace(goal, equalities=(*goal.equalities, *equal))
    return replace(forced, formula=join_literals(forced))
