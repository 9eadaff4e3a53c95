"""The command explain, and how explanations are shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skolem.cli.options import ExplainOptions
from skolem.cli.output import Console, Spell
from skolem.cli.planning import make_request, read_and_warn, warn_of_model
from skolem.pddl.writing import spell_as_written
from skolem.planning.limits import Clock
from skolem.support.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from skolem.grounding.explanation import Explanation, GoalExplanation
    from skolem.grounding.protocol import Choice, Step

MOST_CHOICES = 4
"""Choices beside the one taken that are shown of each step."""


def run_explain(console: Console, options: ExplainOptions) -> int:
    """Explains why objects were chosen, as text, JSON or a picture."""
    from skolem.why import explain

    asked = [parse_question(text) for text in options.why or ()]
    request = make_request(options)
    clock = Clock.begin(request.limits)
    task = read_and_warn(console, options.domain, options.problem)
    read = console.waited
    warn_of_model(console, task, request)
    explanation = explain(task, request, asked, clock)
    if options.output is not None:
        from skolem.drawing import save_explanation

        save_explanation(task, explanation, options.output)
    times = {"read": read, "explain": console.waited - read, "total": console.waited}
    console.result({**explanation.to_dict(), "times": {name: round(seconds, 4) for name, seconds in times.items()}})
    show_explanation(console, explanation, spell_as_written(task).spell)
    if options.output is not None:
        console.say(f"\nwritten to {options.output}")
    return int(ExitCode.UNSOLVABLE if explanation.status == "unsolvable" else ExitCode.SUCCESS)


def parse_question(text: str) -> dict[str, str]:
    """The variables and objects of a question such as "x=mug1,y=shelf"; a UsageError if it is none.

    >>> parse_question("x=mug1, ?y=shelf")
    {'x': 'mug1', '?y': 'shelf'}
    """
    pairs = [[word.strip() for word in part.split("=")] for part in text.split(",")]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise UsageError(f"--why {text!r} is no question, expected one such as x=mug1")
    return {pair[0]: pair[1] for pair in pairs}


def show_explanation(console: Console, explanation: "Explanation", spell: Spell) -> None:
    """Prints what every variable could be, the choices step by step, and the answers to questions."""
    several = len(explanation.goals) > 1
    for number, goal in enumerate(explanation.goals, 1):
        if several:
            mark = ", the one that was chosen" if goal.chosen else ""
            console.say(f"alternative {number}{mark}: {goal.goal}\n")
        _show_goal(console, goal, spell)
    if explanation.steps:
        _show_steps(console, explanation.steps, spell)
    if explanation.predicted_cost is not None:
        console.say(f"predicted cost {explanation.predicted_cost:.2f}, by route {explanation.route}")
    elif explanation.binding is not None:
        if explanation.binding and not any(goal.chosen for goal in explanation.goals):
            console.say(", ".join(f"{spell(name)} = {spell(obj)}" for name, obj in explanation.binding.items()))
        console.say(f"the objects are those of a plan, by route {explanation.route}: no model chose them one by one")
    if explanation.message:
        console.say(explanation.message)
    for forced in explanation.forced:
        console.say(f"\n{forced.text}")
        for step in forced.plan or ():
            console.say(f"  {step}")


def _show_goal(console: Console, goal: "GoalExplanation", spell: Spell) -> None:
    for variable in goal.variables:
        console.say(spell(variable.variable) + (f" = {spell(variable.chosen)}" if variable.chosen else ""))
        for title, line in variable.list_reasons(goal.conflict, spell):
            console.say(f"  {title:<12}{line}")
        console.say()
    if goal.conflict:
        console.say(f"nothing satisfies these together: {', '.join(goal.conflict)}\n")
    if not goal.proven:
        console.say("not every object was looked at for a proof that it is unreachable\n")


def _show_steps(console: Console, steps: Sequence["Step"], spell: Spell) -> None:
    rows = []
    for number, step in enumerate(steps, 1):
        taken = next(c for c in step.ranked if (c.variable, c.object) == (step.variable, step.object))
        others = [c for c in step.ranked if c is not taken]
        more = f" and {len(others) - MOST_CHOICES} more" if len(others) > MOST_CHOICES else ""
        shown = ", ".join(_show_choice(c, step.variable, spell) for c in others[:MOST_CHOICES]) + more
        rows.append((str(number), f"{spell(step.variable)} = {spell(step.object)}", f"{taken.value:.2f}", shown))
    console.table(("step", "choice", "predicted cost", "instead of"), rows)
    if any((s.variable, s.object) != (s.ranked[0].variable, s.ranked[0].object) for s in steps):
        console.say("several bindings were followed at once: the cheapest at the end was taken")
    if len({step.variable for step in steps}) < len(steps):
        console.say("a variable that comes twice was bound anew when the others were known")
    console.say()


def _show_choice(choice: "Choice", variable: str, spell: Spell) -> str:
    other = "" if choice.variable == variable else f"{spell(choice.variable)} = "
    return f"{other}{spell(choice.object)} {choice.value:.2f}"
