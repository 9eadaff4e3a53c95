"""Installs trained models, and writes their cards from what training and evaluation left behind.

Run from the root of the repository:

    python -m tools.model_cards install blocks=runs/blocks-s0,runs/blocks-s1 paper/blocks=runs/paper-blocks \\
        visitall/rater=runs/visitall-rater --gpu "one NVIDIA H200 shared by five runs"
    python -m tools.model_cards install-learned ferry=build/suite/ferry --gpu "one NVIDIA H200 shared by 13 runs"
    python -m tools.model_cards measure EVALUATION.json...
    python -m tools.model_cards write

`install-learned` ships models of `skolem learn`. `install` ships the first run of each model and keeps in `runs.json`
what all of them measured (`MODEL/rater` is the network that rates for a model, and is told of in the card of that
model). `measure` adds the results of `skolem evaluate optimal --json`, or of the suite (results/suite.json), to the
runs whose weights they were measured with. `write` only writes every card again; all of them write the cards.
"""

import argparse
import hashlib
import json
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.ablations import read_events
from tools.learned_cards import USE as USE_LEARNED
from tools.learned_cards import copy_learned, is_learned, keep_cell, write_learned_card
from tools.make_models import find_preset, list_all_commands, list_shipped, list_stages

from skolem.evaluation.paper import OPTIMAL
from skolem.families.registry import FAMILIES
from skolem.grounding.models import MODELS, Model, open_model
from skolem.network.model_folder import ModelCard
from skolem.support.files import make_folder, write_text

RECORD = "runs.json"
SETTING = {
    None: ("with or without inequalities", "both settings"),
    False: ("without inequalities", "without inequalities"),
    True: ("with inequalities", "with inequalities"),
}
"""What a dataset's goals are and which settings it has, by whether only goals with inequalities were drawn."""
THINGS = {"blocks": "blocks", "blocks-c": "blocks", "gripper": "objects", "delivery": "objects", "visitall": "cells"}

Run = dict[str, Any]


def install(name: str, runs: Sequence[Path], gpu: str, notes: Sequence[str], measured: int | None = None) -> None:
    """Makes the first run the shipped model of that name, and keeps the record of all runs."""
    folder = MODELS / name
    make_folder(folder)
    for file in ("model.safetensors", "config.json"):
        shutil.copyfile(runs[0] / file, folder / file)
    if measured is not None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config["training"]["measured"] = measured
        write_text(folder / "config.json", json.dumps(config, indent=1) + "\n")
    record = {"gpu": gpu, "notes": list(notes), "runs": [read_run(run) for run in runs]}
    save_record(folder, record)


def install_learned(name: str, source: Path, gpu: str, notes: Sequence[str]) -> None:
    """Makes a model of `skolem learn` the shipped model of that name."""
    copy_learned(source, MODELS / name)
    save_record(MODELS / name, {"gpu": gpu, "notes": list(notes), "runs": [read_run(source)]})


def read_run(folder: Path) -> Run:
    """What a run's folder tells: its seed, effort, data, and the validation of the checkpoint that it kept."""
    training = open_model(folder).card.training
    stages = list_stages(training)
    events = list(read_events(folder))
    # The kept checkpoint is older than the end of the run, which the log knows.
    seconds = events[-1]["seconds"] if events else training["seconds"]
    return {
        "seed": training["seed"],
        "steps": training["steps"],
        "seconds": round(seconds + sum(stage["seconds"] for stage in stages[:-1])),
        "pairs": training["dataset"]["pairs"],
        "dataset": training["dataset"]["checksum"],
        "weights": hash_weights(folder),
        "validation": training["validation"],
        "optimal": [],
    }


def hash_weights(folder: Path) -> str:
    """The short checksum by which results name a model."""
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()[:12]


def load_record(model: Model) -> dict[str, Any]:
    """The record of a model's runs; from the shipped files alone where none was kept."""
    path = model.path / RECORD
    if path.exists():
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content
    return {"gpu": "one GPU", "notes": [], "runs": [read_run(model.path)]}


def save_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Writes the record of a model's runs."""
    write_text(folder / RECORD, json.dumps(record, indent=1) + "\n")


def measure(files: Sequence[Path]) -> int:
    """Adds the cells of evaluations to the runs with the same weights; returns how many found one."""
    cells = []
    for file in files:
        content = json.loads(file.read_text(encoding="utf-8"))
        cells += content["cells"] if isinstance(content, dict) else content
    kept = ("family", "neq", "configuration", "count", "coverage", "ratio")
    added = 0
    for model in list_shipped().values():
        record = load_record(model)
        family = model.card.training["origin"]["plan"]["domain"]
        for cell in cells:
            if "totals" in cell and cell["model"] == record["runs"][0]["weights"]:
                record["suite"] = keep_cell(cell)
                added += 1
        for run in record["runs"]:
            for cell in cells:
                if "totals" in cell or cell["model"] != run["weights"] or cell["family"] != family:
                    continue
                # The run is the same whether it was shipped then or given as a folder.
                words = (word for word in cell["configuration"].split() if not word.startswith("model="))
                cell = {**cell, "configuration": " ".join(words)}
                same = [c for c in run["optimal"] if all(c[key] == cell[key] for key in kept[:3])]
                run["optimal"] = [c for c in run["optimal"] if c not in same] + [{key: cell[key] for key in kept}]
                added += 1
        if "suite" in record or any(run["optimal"] for run in record["runs"]):
            save_record(model.path, record)
    return added


def write_card(name: str, model: Model) -> str:
    """The text of a model's card."""
    record = load_record(model)
    if is_learned(model):
        lines = write_learned_card(name, model, record)
    else:
        lines = [f"# Model card: {name}", "", "| | |", "|---|---|"]
        lines += [f"| {field} | {text} |" for field, text in describe(model.card, record)]
        lines += ["", "## Training runs", "", *tabulate_runs(record["runs"]), ""]
        cells = tabulate_optimal(record["runs"])
        lines += ["## Optimal test sets", "", *cells, ""] if cells else []
    if model.rater is not None:
        lines += describe_rater(model.rater)
    lines += [f"{note}\n" for note in record["notes"]]
    commands = list_all_commands(model, Path("build/models", name))
    lines += ["## Made by", "", "```", *map(shlex.join, commands), "```", ""]
    lines += ["## Use", "", *(USE_LEARNED if is_learned(model) else USE).splitlines()]
    return "\n".join(lines) + "\n"


def describe(card: ModelCard, record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The rows of a card's table."""
    training, runs = card.training, record["runs"]
    preset, changes = find_preset({**vars(card.network), **training["recipe"]})
    plan = training["origin"]["plan"]
    sizes = FAMILIES[plan["domain"]].sizes["train"]
    changed = "".join(f", {name} {value}" for name, value in changes.items())
    yield "domain", f"`{card.domain}`, family {plan['domain']}"
    yield "predicates", ", ".join(f"`{r.name}/{r.arity}`" for r in card.vocabulary.relations)
    inequalities, settings = SETTING[plan.get("neq")]
    yield "goals", f"conjunctions of {', '.join(f'`{name}`' for name in card.goals)}, {inequalities}"
    yield (
        "network",
        f"relational GNN, {card.network.layers} layers, width {card.network.width}, preset `{preset}`{changed}",
    )
    data = f"{runs[0]['pairs']:,} pairs of the set train, seed {plan['seed']}, checksum `{runs[0]['dataset'][:16]}`"
    yield "data", f"{data}; {min(sizes)}-{max(sizes)} {THINGS[plan['domain']]}, 1-4 variables, {settings}"
    yield "data mix", describe_mix(plan["mix"])
    if "measured" in training:
        yield "measured", f"on tasks with up to {training['measured']} objects"
    seeds = ", ".join(str(run["seed"]) for run in runs)
    yield "training", f"{len(runs)} run{'s' * (len(runs) > 1)}, seed {seeds}; shipped: seed {runs[0]['seed']}"
    yield "GPU time", f"{', '.join(str(run['seconds']) for run in runs)} s on {record['gpu']}"
    # Where a run's weights were chosen otherwise than by its recipe, its record says how.
    yield "checkpoint", record.get("checkpoint") or SELECTED[training["recipe"]["select"]]
    yield "licence", "GPL-3.0-or-later"


def describe_rater(rater: Model) -> list[str]:
    """What a card says of the network that rates for its model."""
    training, record = rater.card.training, load_record(rater)
    (run,) = record["runs"]
    head = training["validation"]["larger"]["head"]
    effort = f"seed {run['seed']}, {run['pairs']:,} pairs, checkpoint at step {run['steps']:,}, {run['seconds']} s on"
    quality = f"Alone it makes V/V* {head['ratio']:.4f} and coverage {head['coverage']:.4f}"
    text = f"""## The network that rates

`rater` is a second network with a head, which rates all bindings of a goal in one pass. `skolem plan` lets it choose
the few bindings of a variable that this model then compares. It was trained for its head: {effort}
{record["gpu"]}. {quality} on the larger
validation tasks.
"""
    return [*text.splitlines(), ""]


SELECTED = {
    "head": "the best by V/V* of the head's choices on validation tasks larger than those of training",
    "ratio": "the best by the greedy policy's V/V* on validation tasks larger than those of training",
    "loss": "the best by the loss on validation tasks",
}


def describe_mix(mix: Mapping[str, Any]) -> str:
    """The mix of a dataset in words."""
    named = mix.get("named", 0)
    source = f"{mix['colourings']} colourings and {mix['states']} states of every layout"
    if not mix.get("walks", True):
        return f"single goals, of which a random number of variables is bound to random objects; {source}"
    return (
        f"sibling groups of at most {mix['group']} bindings, at most {mix['useless']:.0%} of them unreachable, along "
        f"walks that bind the best pair in {mix['good']:.0%} of the steps, an unreachable one in {mix['bad']:.0%}, "
        f"else a random reachable one; {source}, "
        f"{mix['goals']} goals of every colouring" + f"; goals name up to {named} objects more" * bool(named)
    )


def tabulate_runs(runs: Sequence[Run]) -> Iterator[str]:
    """One row for each run, and their mean and spread, on the validation tasks."""
    yield "Validation: loss and choices (share of sibling decisions that are best) at training sizes; greedy V/V* and"
    yield "coverage on larger tasks, where a binding without a listed cost counts as not covered."
    yield ""
    yield "| seed | checkpoint at step | GPU s | loss | choices | V/V* | coverage |"
    yield "|---|---|---|---|---|---|---|"
    columns: list[list[float]] = []
    for run in runs:
        small, larger = run["validation"]["validation"], run["validation"].get("larger") or {}
        grade = larger.get("grade") or {"ratio": float("nan"), "coverage": float("nan")}
        values = [small["loss"], small["accuracy"], grade["ratio"], grade["coverage"]]
        columns.append(values)
        shown = " | ".join(f"{value:.4f}" for value in values)
        yield f"| {run['seed']} | {run['steps']:,} | {run['seconds']} | {shown} |"
    if len(runs) > 1:
        spread = " | ".join(format_spread(values) for values in zip(*columns, strict=True))
        yield f"| mean (least to most) of {len(runs)} | | | {spread} |"


def tabulate_optimal(runs: Sequence[Run]) -> list[str]:
    """One row for each setting and configuration that was measured on the optimal sets: mean and spread over runs."""
    groups: dict[tuple[str, bool, str], list[Mapping[str, Any]]] = {}
    for run in runs:
        for cell in run["optimal"]:
            groups.setdefault((cell["family"], cell["neq"], cell["configuration"]), []).append(cell)
    if not groups:
        return []
    lines = ["| setting | grounder | instances | runs | coverage | V/V* | paper |", "|---|---|---|---|---|---|---|"]
    for (family, neq, words), cells in sorted(groups.items()):
        ratios = [cell["ratio"] for cell in cells if cell["ratio"] is not None]
        paper = OPTIMAL[family, neq]
        row = ["with inequality" if neq else "without inequality", words, str(min(cell["count"] for cell in cells))]
        row += [str(len(cells)), format_spread([cell["coverage"] for cell in cells])]
        row += [format_spread(ratios) if ratios else "-", f"{paper.coverage:.3f} / {paper.ratio:.3f}"]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def format_spread(values: Sequence[float]) -> str:
    """A mean, and from what to what the values go.

    >>> format_spread([1.0, 1.5]), format_spread([1.25])
    ('1.2500 (1.0000 to 1.5000)', '1.2500')
    """
    mean = f"{fmean(values):.4f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.4f} to {max(values):.4f})"


USE = """\
Meant for choosing the objects of quantified goals over the predicates above, in tasks of this domain. Goals over
other predicates are refused. It predicts costs and proves nothing: plans are validated, and bindings that cannot be
reached are followed by others and by the exact route. Trained on small tasks with at most four variables and six
colours: larger tasks and more variables are extrapolation, measured on the test sets only up to their sizes. Costs are
numbers of steps; it knows nothing of action costs. Which objects a goal describes is decided before the network sees
it: any static predicates that no action reads, and any types, may describe them."""


def write_cards() -> None:
    """Writes the cards of all shipped models; a rater is described in that of its model."""
    for name, model in list_shipped().items():
        write_text(model.path / "README.md", write_card(name, model))


def main(arguments: Sequence[str] | None = None) -> None:
    """Installs models, adds measurements, and writes the cards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("install", "install-learned", "measure", "write"))
    parser.add_argument("items", nargs="*", metavar="NAME=RUN,RUN... | NAME=MODEL | FILE")
    parser.add_argument("--gpu", default="one GPU", help="what the runs were trained on")
    parser.add_argument("--note", action="append", default=[], help="a sentence for the cards that are installed")
    parser.add_argument("--measured", type=int, help="the most objects of the tasks that the model is measured on")
    given = parser.parse_args(arguments)
    if given.task == "install":
        for item in given.items:
            name, _, runs = item.partition("=")
            install(name, [Path(run) for run in runs.split(",")], given.gpu, given.note, given.measured)
    elif given.task == "install-learned":
        for item in given.items:
            name, _, source = item.partition("=")
            install_learned(name, Path(source), given.gpu, given.note)
    elif given.task == "measure":
        print(f"{measure([Path(item) for item in given.items])} cells belong to shipped models")
    write_cards()


if __name__ == "__main__":
    main()
