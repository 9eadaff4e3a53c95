"""The command learn: a domain and a few problems in, a model out."""

import os

from skolem.cli.options import LearnOptions
from skolem.cli.output import Console
from skolem.support.errors import ExitCode, Stopped
from skolem.support.signals import block_signals


def run_learn(console: Console, options: LearnOptions) -> int:
    """Learns a model for a domain from a few problems."""
    # PyTorch aborts if it is interrupted while it is loaded.
    with block_signals():
        from skolem.learning.display import open_display
        from skolem.learning.learn import USUAL_MINUTES, Lesson, choose_device, learn

    device = options.device or choose_device()
    minutes = USUAL_MINUTES[device] if options.steps is None and options.minutes is None else options.minutes
    lesson = Lesson(
        domain=options.domain,
        problems=tuple(options.problems),
        folder=options.output,
        device=device,
        minutes=minutes,
        steps=options.steps,
        pairs=options.pairs,
        goals=options.goals,
        labels=options.labels,
        seed=options.seed,
        jobs=options.jobs or os.cpu_count() or 1,
    )
    try:
        with open_display(console.quiet) as display:
            learned = learn(lesson, options.resume, display, console.say)
    except Stopped:
        if (options.output / "config.json").exists():
            console.warn(f"the best model so far is in {options.output}; --resume goes on from here")
        else:
            console.warn("there is no model yet; --resume goes on from here")
        raise
    sentence = learned.measurement.describe()
    console.result(
        {
            "status": "learned",
            "model": str(options.output),
            "pairs": learned.pairs,
            "seconds": round(learned.seconds, 1),
            "kept": list(learned.survey.kept),
            "measurement": learned.measurement.to_json(),
        }
    )
    console.say(f"{sentence}\nthe model is in {options.output}: skolem plan DOMAIN PROBLEM --model {options.output}")
    return int(ExitCode.SUCCESS)
