"""Retrains the shipped models from nothing, with the commands that their cards show.

Run from the root of the repository: `python -m tools.make_models train --device cuda`, or `print` for the
commands alone. Everything that a command needs is in a model's `config.json`. What is there already is kept: finished
datasets and runs are left alone, interrupted ones go on. tools/model_cards.py installs the new models.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from skolem.grounding.models import CODE_MODELS, MODELS, PAPER_MODELS, RATER, Model, list_models
from skolem.learning.learn import MOST_PAIRS
from skolem.learning.schedule import RECORD
from skolem.network.config import NetworkConfig
from skolem.oracle.labelling import plan_family
from skolem.support.errors import SkolemError, UnsupportedError
from skolem.training.recipe import PRESETS
from skolem.training.settings import SETTINGS

DATASETS = Path("datasets")
PROBLEMS = Path("build/problems")
OUTPUT = Path("build/models")

Command = list[str]


def list_shipped() -> dict[str, Model]:
    """The models that come with Skolem, by the names of their folders below `models`."""
    found = {}
    for folder in (MODELS, PAPER_MODELS, CODE_MODELS):
        for model in list_models(folder):
            if isinstance(model, SkolemError):
                raise model
            found[str(model.path.relative_to(MODELS))] = model
    return found


def list_stages(training: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The trainings that led to a model, each of which started from the weights of the one before."""
    stages = [training]
    while stages[0].get("start"):
        stages.insert(0, stages[0]["start"])
    return stages


def list_all_commands(model: Model, output: Path, device: str = "cuda") -> list[Command]:
    """The commands that make a model again and the network that rates for it, if there is one; none of them twice."""
    commands = [*list_commands(model, output, device)]
    if model.rater is not None:
        commands += list_commands(model.rater, output / RATER, device)
    return [list(command) for command in dict.fromkeys(map(tuple, commands))]


def list_commands(model: Model, output: Path, device: str = "cuda") -> Iterator[Command]:
    """The commands that make a model again in the output folder: label and train for each of its stages, or learn."""
    if "learned" in model.card.training:
        yield from list_learning(model, output)
        return
    stages = list_stages(model.card.training)
    before: Path | None = None
    for number, stage in enumerate(stages):
        last = number == len(stages) - 1
        folder = output if last else output.with_name(f"{output.name}-stage-{number + 1}")
        network = model.card.network if last else NetworkConfig(**stage["network"])
        dataset, label = spell_labelling(stage["origin"])
        yield label
        yield spell_training(network, stage, dataset, folder, device, before)
        before = folder


def list_learning(model: Model, output: Path) -> Iterator[Command]:
    """The commands that make a model of `skolem learn` again: its problems, then learning."""
    training = model.card.training
    learned, plan = training["learned"], training["origin"]["plan"]
    found = [re.fullmatch(r"(.+)-train-(\d+)-\d+\.pddl", name) for name in learned["problems"]]
    made = {(match[1], match[2]) for match in found if match is not None}
    if len(made) != 1 or None in found:
        raise UnsupportedError("the model's problems were not made by `skolem generate`")
    ((family, seed),) = made
    folder = PROBLEMS / family
    count = ["--set", "train", "--count", str(len(found)), "--seed", seed]
    yield ["skolem", "generate", family, *count, "-o", str(folder)]
    command = ["skolem", "learn", str(folder / "domain.pddl"), *(str(folder / name) for name in learned["problems"])]
    for unit in ("minutes", "steps"):
        command += [] if learned[unit] is None else [f"--{unit}", f"{learned[unit]:g}"]
    command += [] if plan["pairs"] == MOST_PAIRS[learned["device"]] else ["--pairs", str(plan["pairs"])]
    command += [] if learned["labels"] == "exact" else ["--labels", learned["labels"]]
    yield [*command, "--device", learned["device"], "--seed", str(training["seed"]), "-o", str(output)]


def spell_labelling(origin: Mapping[str, Any]) -> tuple[Path, Command]:
    """The folder of a dataset, and the command that makes it."""
    if "plan" not in origin or origin["plan"]["files"]:
        raise UnsupportedError("the model's dataset was not made by `skolem label FAMILY`")
    plan = origin["plan"]
    family, pairs, seed = plan["domain"], plan["pairs"], plan["seed"]
    neq = bool(plan.get("neq"))
    for preset, states in product(PRESETS, (None, plan["states"])):
        recipe = asdict(plan_family(family, preset, pairs, seed, neq, states))
        if _agrees(json.loads(json.dumps(recipe)), plan):
            break
    else:
        raise UnsupportedError("no preset of `skolem label` makes the model's dataset any more")
    few = [] if states is None else ["--states", str(states)]
    dataset = DATASETS / "-".join([family, preset, str(pairs), f"s{seed}", *["neq"] * neq, *few[1:]])
    command = ["skolem", "label", family, "--preset", preset, "--pairs", str(pairs), "--seed", str(seed)]
    return dataset, [*command, *["--neq"] * neq, *few, "-o", str(dataset)]


def _agrees(recipe: Any, plan: Any) -> bool:
    """Whether a recipe is that of a stored plan; settings that came after it change nothing for families."""
    if isinstance(recipe, dict) and isinstance(plan, Mapping):
        return plan.keys() <= recipe.keys() and all(_agrees(recipe[name], plan[name]) for name in plan)
    return bool(recipe == plan)


def spell_training(
    network: NetworkConfig, stage: Mapping[str, Any], dataset: Path, folder: Path, device: str, start: Path | None
) -> Command:
    """The command of one training: a preset, and what is different from it."""
    settings = {**asdict(network), **stage["recipe"]}
    preset, changes = find_preset(settings)
    command = ["skolem", "train", str(dataset), "--preset", preset, "--device", device, "--seed", str(stage["seed"])]
    for name, value in changes.items():
        command += SETTINGS[name].spell(value)
    for unit, amount in stage["budget"].items():
        command += [] if amount is None else [f"--{unit}", str(amount)]
    command += [] if start is None else ["--start", str(start)]
    return [*command, "-o", str(folder)]


def find_preset(settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The preset nearest to some settings, and those that it has otherwise."""
    found = {}
    for name, (network, recipe) in PRESETS.items():
        usual = {**asdict(network), **asdict(recipe)}
        found[name] = {key: value for key, value in settings.items() if key in usual and value != usual[key]}
    nearest = min(found, key=lambda name: len(found[name]))
    return nearest, found[nearest]


def run_command(command: Command) -> None:
    """Runs a command unless its result is there; an interrupted training goes on."""
    folder = Path(command[-1])
    if (folder / "dataset.json").exists() or (folder / ".done").exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    resume = ["--resume"] * any((folder / name).exists() for name in ("training.safetensors", RECORD))
    print(shlex.join([*command, *resume]), flush=True)
    subprocess.run([sys.executable, "-m", "skolem.cli", *command[1:], *resume], check=True)
    if (folder / "config.json").exists():
        (folder / ".done").touch()


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints or runs the commands of all shipped models, or of some."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("print", "train"))
    parser.add_argument("names", nargs="*", metavar="MODEL", help="such as blocks or paper/blocks; default all")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    given = parser.parse_args(arguments)
    shipped = list_shipped()
    unknown = sorted(set(given.names) - shipped.keys())
    if unknown:
        parser.error(f"no such model: {', '.join(unknown)}")
    for name in given.names or shipped:
        for command in list_all_commands(shipped[name], given.output / name, given.device):
            if given.task == "print":
                print(shlex.join(command))
            else:
                run_command(command)


if __name__ == "__main__":
    main()
