"""The command check: everything that can be said of a domain and a problem without solving it."""

from typing import TYPE_CHECKING

from skolem.cli.options import CheckOptions
from skolem.cli.output import Console
from skolem.support.errors import ExitCode

if TYPE_CHECKING:
    from skolem.checking import Check

OTHER_DOMAIN = "the model was trained on another domain"
"""How the reasons of models begin whose domain has other predicates."""


def run_check(console: Console, options: CheckOptions) -> int:
    """Checks two files, and says what they mean."""
    from skolem.checking import check_files
    from skolem.pddl.beside import find_domain, is_problem

    domain, problem = options.domain, options.problem
    if problem is None and is_problem(domain):
        domain, problem = find_domain(domain), domain
    found = check_files(domain, problem)
    console.result(found.to_dict())
    for text in found.errors:
        console.warn(text)
    for text in found.warnings:
        console.warn(f"warning: {text}")
    show_check(console, found)
    return int(ExitCode.INPUT_ERROR if found.errors else ExitCode.SUCCESS)


def show_check(console: Console, found: "Check") -> None:
    """Prints the findings for people; errors and warnings are on standard error."""
    for line in found.summary:
        console.say(line)
    counts = [(len(found.errors), "error"), (len(found.warnings), "warning")]
    console.say(", ".join(f"{number or 'no'} {what}{'s' * (number != 1)}" for number, what in counts))
    if not found.normal_form:
        return
    _show(console, "goal", found.goal + (", which is true already" if found.true_already else ""))
    several = len(found.normal_form) > 1
    for number, text in enumerate(found.normal_form, 1):
        _show(console, "normal form", f"{f'{number}. ' if several else ''}{text}")
    for number, text in enumerate(found.residuals, 1):
        if text:
            _show(console, "left over", f"{f'{number}. ' if several else ''}{text}")
    some = "an unknown number" if found.bindings is None else f"{found.bindings:,}"
    shown = some if found.counted else f"more than {some}"
    _show(console, "bindings", f"{shown} of {found.combinations:,} fit the static description")
    _show(console, "route", found.route)
    for model in found.models:
        if model.used:
            _show(console, "model", f"{model.name}: {model.reason}")
        elif not model.reason.startswith(OTHER_DOMAIN):
            _show(console, "not", f"{model.name}: {model.reason}")
    others = [model.name for model in found.models if model.reason.startswith(OTHER_DOMAIN)]
    if others:
        _show(console, "not", f"{', '.join(others)}: trained on other domains (--json says in which they differ)")
    for atom in found.impossible:
        _show(console, "impossible", f"no action can ever make {atom} true")
    if found.unsolvable:
        _show(console, "", "so that the goal is unsolvable")
    if found.never_true:
        _show(console, "never true", ", ".join(found.never_true))
    if found.never_taken:
        _show(console, "never taken", ", ".join(found.never_taken))
    if found.unknown:
        _show(console, "not known", f"what can never be true: {found.unknown}")


def _show(console: Console, title: str, text: str) -> None:
    console.say(f"{title:<13}{text}")
