"""Training without the rest of Skolem: `python -m skolem.training.train_main DATASET -o MODEL` (also by torchrun)."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from skolem.network.config import NetworkConfig
from skolem.support.errors import SkolemError, UnsupportedError
from skolem.training.recipe import PRESETS, Budget, Recipe
from skolem.training.trainer import Listener, LogEntry, Run, train

_SETTINGS: dict[str, type] = {
    "layers": int,
    "width": int,
    "smoothness": float,
    "readout": str,
    "bindings": str,
    "rate": float,
    "decay": float,
    "batch": int,
    "warmup": float,
    "clip": float,
    "average": float,
    "value": float,
    "parents": float,
    "select": str,
}
"""Settings of the preset that may be replaced."""


def make_run(
    dataset: Path,
    folder: Path,
    preset: str,
    budget: Budget,
    seed: int = 0,
    device: str = "cpu",
    jobs: int = 1,
    start: Path | None = None,
    **settings: Any,
) -> Run:
    """A run by a preset with some of its settings replaced."""
    network, recipe = PRESETS[preset]
    of_network = {f.name for f in fields(NetworkConfig)} & settings.keys()
    of_recipe = {f.name for f in fields(Recipe)} & settings.keys()
    network = replace(network, **{name: settings[name] for name in of_network})
    recipe = replace(recipe, **{name: settings[name] for name in of_recipe})
    return Run(dataset, folder, network, recipe, budget, seed=seed, device=device, jobs=jobs, start=start)


def print_event(event: LogEntry) -> None:
    """Shows an event as one line."""
    head = f"step {event['step']:>7}  {event['seconds']:7.0f} s  "
    if event["event"] == "train":
        left = f"{event['left']:.0f} s left"
        print(f"{head}loss {event['loss']:.4f}  {event['samples_per_second']:.0f} samples/s  {left}", flush=True)
    elif event["event"] == "validation":
        for part, result in event["parts"].items():
            greedy = "".join(
                f"  {name} V/V* {result[key]['ratio']:.4f} coverage {result[key]['coverage']:.3f}"
                for key, name in (("grade", "greedy"), ("head", "by head"))
                if result[key]
            )
            print(f"{head}{part}: loss {result['loss']:.4f} choices {result['accuracy']:.4f}{greedy}", flush=True)
    else:
        print(f"{head}{event['event']}", flush=True)


def write_tensorboard(folder: Path) -> Listener:
    """A listener that writes TensorBoard logs."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise UnsupportedError(f"TensorBoard logs need the package tensorboard ({error})") from error
    writer = SummaryWriter(folder / "tensorboard")

    def write(event: LogEntry) -> None:
        for name, value in event.items():
            if isinstance(value, float):
                writer.add_scalar(f"{event['event']}/{name}", value, event["step"])

    return write


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains as the arguments say; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m skolem.training.train_main", description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--preset", choices=sorted(PRESETS), default="skolem")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--start", type=Path, metavar="MODEL")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--tensorboard", action="store_true")
    for name in ("residual", "head", "marks", "calm"):
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS)
    for name, kind in _SETTINGS.items():
        parser.add_argument(f"--{name}", type=kind, default=argparse.SUPPRESS)
    given = vars(parser.parse_args(arguments))
    try:
        budget = Budget(given.pop("steps"), given.pop("minutes"))
        resume, tensorboard = given.pop("resume"), given.pop("tensorboard")
        run = make_run(given.pop("dataset"), given.pop("output"), given.pop("preset"), budget, **given)
        listeners = (print_event, write_tensorboard(run.folder)) if tensorboard else (print_event,)
        train(run, resume, listeners)
    except SkolemError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
