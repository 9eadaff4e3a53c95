"""The commands on the way to a model: label, train.

`train` needs torch, numpy and safetensors alone.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from skolem.cli.options import LabelOptions, TrainOptions
from skolem.cli.output import Console
from skolem.support.errors import ExitCode, InputError, UnsupportedError
from skolem.support.signals import block_signals

if TYPE_CHECKING:
    from skolem.training.trainer import Listener, LogEntry

USUAL_MINUTES = 30.0
"""How long training takes if neither steps nor minutes are given."""


def run_label(console: Console, options: LabelOptions) -> int:
    """Writes a labelled dataset; an interrupted one is continued."""
    from skolem.families.registry import find_family
    from skolem.learning.survey import survey_problems
    from skolem.oracle.labelling import label, plan_family, plan_problems
    from skolem.support.progress import show_progress

    source, pairs, seed = options.source, options.pairs, options.seed
    if options.neq and (len(source) > 1 or options.preset != "paper-code"):
        raise InputError("--neq is for a family and the preset paper-code: others label both settings together")
    if options.states is not None and len(source) > 1:
        raise InputError("--states is for a family: for other domains it is found out")
    if len(source) == 1:
        plan = plan_family(find_family(source[0]).name, options.preset, pairs, seed, options.neq, options.states)
    else:
        survey = survey_problems(source[0], source[1:])
        plan = plan_problems(survey.tasks[0].domain.name, source, pairs, survey.states, seed)
    with show_progress("labelling", plan.total, "pairs", quiet=console.quiet) as report:
        dataset = label(
            plan, options.output, jobs=options.jobs, backend=options.backend, report=report, warn=console.warn
        )
    counts = {part: dataset.pairs(part) for part in dataset.parts}
    console.result({"status": "labelled", "pairs": counts, "checksum": dataset.checksum})
    console.say(f"{counts['train']} training pairs written to {options.output}, checksum {dataset.checksum}")
    console.say(f"next: skolem train {options.output} -o MODEL")
    return int(ExitCode.SUCCESS)


def run_train(console: Console, options: TrainOptions) -> int:
    """Trains a model on a dataset; the only process, or one of several that torchrun started."""
    # PyTorch aborts if it is interrupted while it is loaded.
    with block_signals():
        from skolem.training.recipe import Budget
        from skolem.training.settings import choose_settings, read_recipe
        from skolem.training.trainer import Run, train

    written = {} if options.recipe is None else read_recipe(options.recipe)
    network, recipe = choose_settings(options.preset, {**written, **options.settings})
    minutes = USUAL_MINUTES if options.steps is None and options.minutes is None else options.minutes
    run = Run(
        dataset=options.dataset,
        folder=options.output,
        network=network,
        recipe=recipe,
        budget=Budget(options.steps, minutes),
        seed=options.seed,
        device=options.device,
        validations=options.validations,
        jobs=options.jobs,
        start=options.start,
    )
    listeners = [make_printer(console)]
    if options.tensorboard:
        listeners.append(write_tensorboard(options.output))
    card = train(run, options.resume, tuple(listeners))
    if os.environ.get("RANK", "0") == "0":
        console.result({"status": "trained", "model": str(options.output), "training": dict(card.training)})
        console.say(f"the best model is in {options.output}")
        console.say(f"next: skolem plan PROBLEM --model {options.output}, or skolem models add {options.output}")
    return int(ExitCode.SUCCESS)


def make_printer(console: Console) -> "Listener":
    """A listener that shows every event as one line."""

    def show(event: "LogEntry") -> None:
        head = f"step {event['step']:>7}  {event['seconds']:7.0f} s  "
        if event["event"] == "train":
            left = f"{event['left']:.0f} s left"
            console.say(f"{head}loss {event['loss']:.4f}  {event['samples_per_second']:.0f} samples/s  {left}")
        elif event["event"] == "validation":
            for part, result in event["parts"].items():
                greedy = "".join(
                    f"  {name} V/V* {result[key]['ratio']:.4f} coverage {result[key]['coverage']:.3f}"
                    for key, name in (("grade", "greedy"), ("head", "by head"))
                    if result[key]
                )
                console.say(f"{head}{part}: loss {result['loss']:.4f} choices {result['accuracy']:.4f}{greedy}")
        else:
            console.say(f"{head}{event['event']}")

    return show


def write_tensorboard(folder: Path) -> "Listener":
    """A listener that writes TensorBoard logs."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise UnsupportedError(f"TensorBoard logs need the package tensorboard ({error})") from error
    writer = SummaryWriter(folder / "tensorboard")

    def write(event: "LogEntry") -> None:
        for name, value in event.items():
            if isinstance(value, float):
                writer.add_scalar(f"{event['event']}/{name}", value, event["step"])

    return write
