"""The user's own models: put into the folder where they are found, taken out of it, and why one is or is not used."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from skolem.grounding.alternatives import list_bindable
from skolem.grounding.models import MODELS, RATER, Model, find_user_folder, list_folders, list_models, open_model
from skolem.support.errors import InputError, SkolemError, UnsupportedError
from skolem.support.files import make_folder
from skolem.task.model import Task

FILES = ("config.json", "model.safetensors", "README.md")
"""What a model is made of; anything else in its folder belongs to its training."""


def add_model(source: Path, name: str | None = None) -> Model:
    """Copies a model among the user's own, under its folder's name or another; one that cannot be loaded is refused."""
    model = open_model(source)
    model.load()
    model.load_rater()
    folder = find_user_folder()
    target = folder / _check_name(name or source.resolve().name)
    if (MODELS / target.name).exists():
        raise InputError(f"a shipped model is called {target.name} already: choose another name with --name")
    make_folder(folder)
    # Beside the folder of models, where nothing is looked for: a model is there whole or not at all.
    copy = folder.parent / f".{target.name}.{os.getpid()}.part"
    try:
        for part in (".", RATER):
            if (source / part / "config.json").exists():
                (copy / part).mkdir(parents=True, exist_ok=True)
                for file in FILES:
                    if (source / part / file).exists():
                        shutil.copyfile(source / part / file, copy / part / file)
        if target.exists():
            raise InputError(f"there is a model {target.name} already: remove it first, or choose another with --name")
        os.rename(copy, target)
    except OSError as error:
        raise SkolemError(f"cannot write {target}: {error.strerror}") from error
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    return open_model(target)


def remove_model(name: str) -> Path:
    """Removes one of the user's own models, and returns where it was."""
    folder = find_user_folder()
    target = folder / _check_name(name)
    if not target.exists():
        shipped = (MODELS / name / "config.json").exists()
        raise InputError(f"the model {name} came with Skolem" if shipped else f"there is no model {name} in {folder}")
    gone = folder.parent / f".{name}.{os.getpid()}.gone"
    try:
        # Out of sight at once; what is left of it after a kill is no model.
        os.rename(target, gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise SkolemError(f"cannot remove {target}: {error.strerror}") from error
    return target


def _check_name(name: str) -> str:
    if not name or name.startswith(".") or Path(name).name != name:
        raise InputError(f"'{name}' is no name for a model: expected one without '/' that does not begin with '.'")
    return name


@dataclass(frozen=True)
class Fit:
    """Whether `skolem plan` uses a model for a task, and why."""

    model: Model
    used: bool
    reason: str


def explain_fit(task: Task) -> tuple[list[Fit], list[SkolemError]]:
    """Every model that there is beside a task, and those that cannot be read."""
    found = [model for folder in list_folders() for model in list_models(folder)]
    models = [model for model in found if isinstance(model, Model)]
    fitting = [model for model in models if model.fits(task)]
    used: dict[Path, str] = {}
    try:
        for part in list_bindable(task, fitting)[0]:
            used.setdefault(part.model.path, f"partly: {part.reason}" if part.reason else "it knows all of the goal")
    except UnsupportedError:
        # No part of the goal can be bound: each model says why below.
        pass
    fits = [Fit(m, m.path in used, used.get(m.path) or _explain_refusal(m, task, m in fitting)) for m in models]
    return fits, [error for error in found if isinstance(error, SkolemError)]


def _explain_refusal(model: Model, task: Task, fits: bool) -> str:
    """Why a model is not used for a task."""
    try:
        if fits:
            model.check(task)
            list_bindable(task, [model])
            return "another model is as good or knows more of the goal"
        model.card.vocabulary.check_task(task)
        return "; ".join(model.list_differences(task))
    except UnsupportedError as error:
        return str(error)
