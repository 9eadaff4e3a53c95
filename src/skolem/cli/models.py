"""The command models: which there are, the user's own added and removed, and which one a task would get."""

from pathlib import Path
from typing import Any

from skolem.cli.options import ModelsOptions
from skolem.cli.output import Console
from skolem.support.errors import ExitCode, SkolemError, UsageError

WORDS = {"list": (), "add": ("MODEL",), "remove": ("NAME",), "which": ("DOMAIN", "PROBLEM")}
"""The words that follow each action."""


def run_models(console: Console, options: ModelsOptions) -> int:
    """Lists the models, changes the user's own, or says which one fits a task."""
    wanted = WORDS[options.action]
    if len(options.words) != len(wanted):
        raise UsageError(f"expected skolem models {' '.join((options.action, *wanted))} (see skolem models --help)")
    actions = {"list": _list, "add": _add, "remove": _remove, "which": _find}
    actions[options.action](console, options)
    return int(ExitCode.SUCCESS)


def _list(console: Console, options: ModelsOptions) -> None:
    from skolem.grounding.models import CODE_MODELS, MODELS, PAPER_MODELS, find_user_folder, list_models
    from skolem.network.engine.choice import describe_engine

    found: list[dict[str, Any]] = []
    engine, own = describe_engine(), find_user_folder()
    for folder in (MODELS, PAPER_MODELS, CODE_MODELS, own):
        for model in list_models(folder):
            if isinstance(model, SkolemError):
                console.warn(str(model))
                continue
            training = model.card.training
            found.append(
                {
                    "name": model.name if folder == own else str(model.path.relative_to(MODELS)),
                    "domain": model.card.domain,
                    "goals": list(model.card.goals),
                    "layers": model.card.network.layers,
                    "pairs": training.get("dataset", {}).get("pairs"),
                    "validation": training.get("validation"),
                    "engine": engine,
                    "source": "user" if folder == own else "shipped",
                    "path": str(model.path),
                }
            )
    console.result(found)
    rows = [(m["name"], " ".join(m["goals"]), str(m["layers"]), str(m["pairs"] or "-"), m["source"]) for m in found]
    console.table(("model", "goals", "layers", "training pairs", "source"), rows)
    console.say(f"\nengine: {engine}\nyour own models: {own}")


def _add(console: Console, options: ModelsOptions) -> None:
    from skolem.grounding.own_models import add_model

    model = add_model(Path(options.words[0]), options.name)
    console.result({"status": "added", "name": model.name, "domain": model.card.domain, "path": str(model.path)})
    console.say(f"{model.name}, for the domain {model.card.domain}, added to {model.path.parent}")


def _remove(console: Console, options: ModelsOptions) -> None:
    from skolem.grounding.own_models import remove_model

    path = remove_model(options.words[0])
    console.result({"status": "removed", "name": path.name, "path": str(path)})
    console.say(f"{path.name} removed from {path.parent}")


def _find(console: Console, options: ModelsOptions) -> None:
    from skolem.grounding.own_models import explain_fit
    from skolem.pddl.reading import read_task

    fits, errors = explain_fit(read_task(*options.words))
    for error in errors:
        console.warn(str(error))
    described = [
        {
            "name": fit.model.name,
            "source": "shipped" if fit.model.shipped else "user",
            "used": fit.used,
            "reason": fit.reason,
            "path": str(fit.model.path),
        }
        for fit in fits
    ]
    used = [fit.model.name for fit in fits if fit.used]
    console.result({"status": "found" if used else "none", "used": used, "models": described})
    console.say(f"{' and '.join(used)} would be used" if used else "no model fits: the exact route would be used")
    console.say()
    rows = [("yes" if fit.used else "no", fit.model.name, fit.reason) for fit in fits]
    console.table(("used", "model", "why"), rows)
