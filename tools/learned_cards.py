"""Models that `skolem learn` made, as shipped models: what is copied, and what their cards say."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import Any

from skolem.grounding.models import Model, open_model
from skolem.learning.card import describe_card
from skolem.network.checkpoint import write_card
from skolem.support.files import make_folder

SHOWN = ("learned-optimal", "learned", "auto", "exact", "lama", "random-valid")
"""The routes whose figures a card has."""

USE = """\
Meant for choosing the objects of quantified goals over the literals above, in tasks of this domain. Other literals are
left to the planner. It predicts costs and proves nothing: plans are validated, and bindings that cannot be reached are
followed by others and by the exact route. It was learned from small problems and goals with at most four variables:
larger tasks and more variables are extrapolation, measured only up to the sizes of the test set. Which objects a goal
describes is decided before the network sees it: any static predicates that no action reads, and any types, may describe
them."""


def is_learned(model: Model) -> bool:
    """Whether a model was made by `skolem learn`, and measured at its end."""
    return "learned" in model.card.training


def copy_learned(source: Path, folder: Path) -> None:
    """Copies the weights and the card, in which files are named without the folders they were in."""
    model = open_model(source)
    if not is_learned(model):
        raise SystemExit(f"{source}: not a model that `skolem learn` has finished")
    make_folder(folder)
    copyfile(source / "model.safetensors", folder / "model.safetensors")
    write_card(folder, replace(model.card, training=name_files(model.card.training)))


def name_files(training: Mapping[str, Any]) -> dict[str, Any]:
    """What a card says of training, and of that it started from, with the names of files alone."""
    origin = training["origin"]
    names = [Path(file).name for file in origin["plan"]["files"]]
    changed = {**training, "origin": {**origin, "plan": {**origin["plan"], "files": names}}}
    return {**changed, "start": name_files(training["start"]) if training.get("start") else None}


def keep_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a domain's cell in the results of `skolem evaluate suite`."""
    peers = {route: cell["peers"][route] for route in SHOWN if route in cell["peers"]}
    return {"family": cell["family"], "count": cell["count"], "totals": cell["totals"], "peers": peers}


def write_learned_card(name: str, model: Model, record: Mapping[str, Any]) -> list[str]:
    """The lines of a learned model's card, up to the commands that made it."""
    _, *lines = describe_card(model.card).splitlines()
    lines = [f"# Model card: {name}", *lines, "", f"Trained on {record['gpu']}. Licence: GPL-3.0-or-later.", ""]
    if record.get("suite"):
        lines += ["## The suite's test set", "", *tabulate_suite(record["suite"]), ""]
    return lines


def tabulate_suite(cell: Mapping[str, Any]) -> Iterator[str]:
    """The routes on the test set of a domain, and what plans cost together with the model and without."""
    yield f"{cell['count']} larger problems of {cell['family']}; V* is known for the instances in brackets."
    yield ""
    yield "| route | coverage | V/V* |"
    yield "|---|---|---|"
    for route, figures in cell["peers"].items():
        coverage, ratio = figures["coverage"]["value"], figures["ratio"]
        shown = "-" if ratio["value"] is None else f"{ratio['value']:.3f} ({ratio['count']})"
        yield f"| {route} | {coverage:.1%} | {shown} |"
    totals = cell["totals"]
    if totals["count"]:
        yield ""
        yield (
            f"On {totals['count']} of them the plans of `skolem plan` cost {totals['auto']:g} together, "
            f"those of the exact route {totals['exact']:g}."
        )
