"""Which choices of the preset `skolem` matter: one of them undone at a time, trained alike, judged on validation tasks.

Run from the root of the repository, with torch, numpy and safetensors alone:

    python -m benchmarks.ablations run blocks:large=DATASET blocks:small=DATASET blocks:objects=DATASET ... \\
        --device cuda --minutes 3 --parallel 6 --budget 570 -o runs/ablations
    python -m benchmarks.ablations collect -o runs/ablations

`large` and `small` are datasets of one family with many and few pairs, `objects` is the small one with its colours as
objects (tools/colours_as_objects.py), `unnamed` one like `large` but made without `--named`. `print` shows the
commands instead. Runs that are done are left alone, interrupted ones go on.
"""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.results import write

DATA = ("large", "small", "objects", "unnamed")


@dataclass(frozen=True)
class Variant:
    """A change to the preset: the data it is trained on, and the switches of the trainer."""

    name: str
    data: str
    switches: tuple[str, ...]
    meaning: str


VARIANTS = (
    Variant("skolem", "large", (), "the preset"),
    Variant("bindings-all", "large", ("--bindings", "all"), "every object is a possible binding"),
    Variant("readout-sum", "large", ("--readout", "sum"), "readout over all objects"),
    Variant("paper-input", "large", ("--bindings", "all", "--readout", "sum"), "both of these, as in the paper"),
    Variant("no-marks", "large", ("--no-marks",), "no mark on the object bound last"),
    Variant("unnamed", "unnamed", (), "no goals that name objects in place of further variables"),
    Variant("layers-12", "large", ("--layers", "12"), "12 layers instead of 30"),
    Variant("head", "large", ("--head",), "with a head that rates bindings"),
    Variant("few-pairs", "small", (), "fewer training pairs"),
    Variant("few-pairs-all", "small", ("--bindings", "all"), "fewer pairs, every object a possible binding"),
    Variant("objects-static", "objects", (), "fewer pairs, colours as objects"),
    Variant("objects-all", "objects", ("--bindings", "all"), "fewer pairs, colours as objects, every object possible"),
)


@dataclass(frozen=True)
class Run:
    """One training run of the ablation."""

    family: str
    variant: Variant
    seed: int
    dataset: Path
    folder: Path

    def command(self, switches: Sequence[str]) -> list[str]:
        """The command that starts the run, or goes on with it."""
        command = [sys.executable, "-m", "skolem.cli", "train", str(self.dataset), "-o", str(self.folder)]
        command += ["--preset", "skolem", "--seed", str(self.seed), *self.variant.switches, *switches]
        return command + ["--resume"] * (self.folder / "training.safetensors").exists()

    @property
    def done(self) -> bool:
        """Whether its budget is used up."""
        events = list(read_events(self.folder))
        return any(e["event"] == "train" and e["progress"] >= 1 for e in events) and events[-1]["event"] == "validation"


def list_runs(datasets: Mapping[tuple[str, str], Path], seeds: Sequence[int], output: Path) -> list[Run]:
    """The runs for which there is a dataset, in the order of the variants."""
    return [
        Run(family, variant, seed, path, output / f"{family}-{variant.name}-s{seed}")
        for seed in seeds
        for variant in VARIANTS
        for (family, data), path in datasets.items()
        if data == variant.data
    ]


def run_all(runs: Sequence[Run], switches: Sequence[str], parallel: int, budget: float) -> None:
    """Trains so many at a time, and stops what still runs when the budget of seconds is used."""
    deadline = time.monotonic() + budget
    ahead = [run for run in runs if not run.done]
    running: dict[str, subprocess.Popen[bytes]] = {}
    threads = str(max(1, (os.cpu_count() or 1) // parallel))
    environment = {**os.environ, "OMP_NUM_THREADS": threads}
    while (ahead or running) and time.monotonic() < deadline:
        while ahead and len(running) < parallel:
            run = ahead.pop(0)
            run.folder.parent.mkdir(parents=True, exist_ok=True)
            with run.folder.with_suffix(".log").open("ab") as log:
                command = run.command(switches)
                # In a group of its own, so that the processes that encode its dataset end with it.
                running[run.folder.name] = subprocess.Popen(
                    command, stdout=log, stderr=log, env=environment, start_new_session=True
                )
            print(f"{run.folder.name} begins", flush=True)
        time.sleep(0.5)
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                print(f"{name} ended with {process.returncode}", flush=True)
    for name, process in running.items():
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        print(f"{name} was stopped", flush=True)


def read_events(folder: Path) -> Iterator[dict[str, Any]]:
    """The events in a run's log; a line that was not finished is left out."""
    path = folder / "log.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            return


def collect(output: Path) -> list[dict[str, Any]]:
    """For every run in a folder its last kept checkpoint, by what was measured when it was validated."""
    rows = []
    for folder in sorted(path for path in output.iterdir() if (path / "config.json").exists()):
        family, variant, seed = split_name(folder.name)
        kept = [e for e in read_events(folder) if e["event"] == "validation" and e["improved"]]
        if not kept:
            continue
        last = list(read_events(folder))[-1]
        training = json.loads((folder / "config.json").read_text(encoding="utf-8"))["training"]
        rows.append(
            {
                "family": family,
                "variant": variant.name,
                "meaning": variant.meaning,
                "seed": seed,
                "pairs": training["dataset"]["pairs"],
                "dataset": training["dataset"]["checksum"],
                "budget": training["budget"],
                "steps": last["step"],
                "seconds": last["seconds"],
                "kept_at_step": kept[-1]["step"],
                "parts": kept[-1]["parts"],
            }
        )
    order = [variant.name for variant in VARIANTS]
    return sorted(rows, key=lambda row: (row["family"], order.index(row["variant"]), row["seed"]))


def split_name(name: str) -> tuple[str, Variant, int]:
    """Family, variant and seed of a run's folder."""
    rest, _, seed = name.rpartition("-s")
    variant = max((v for v in VARIANTS if rest.endswith(f"-{v.name}")), key=lambda v: len(v.name))
    return rest.removesuffix(f"-{variant.name}"), variant, int(seed)


def format_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows in Markdown."""
    columns = ["family", "variant", "seed", "pairs", "steps", "s", "loss", "choices", "loss, larger", "choices, larger"]
    columns += ["V/V*", "coverage", "V/V* by head"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in rows:
        small, large = (row["parts"].get(part) for part in ("validation", "larger"))
        cells = [row["family"], f"{row['variant']}: {row['meaning']}", str(row["seed"]), f"{row['pairs']:,}"]
        cells += [f"{row['steps']:,}", f"{row['seconds']:.0f}"]
        for result in (small, large):
            cells += ["-", "-"] if result is None else [f"{result['loss']:.4f}", f"{result['accuracy']:.2%}"]
        grade, head = (large or {}).get("grade"), (large or {}).get("head")
        cells += ["-", "-"] if grade is None else [f"{grade['ratio']:.4f}", f"{grade['coverage']:.0%}"]
        cells.append("-" if head is None else f"{head['ratio']:.4f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


HEAD = """# Ablations

Networks of the preset `skolem` with one choice undone at a time, trained alike and judged on validation tasks, never on
the test sets. Loss and choices (the share of decisions between sibling bindings in which the least predicted cost is a
best one) at training sizes and on larger tasks; V/V* and coverage of the greedy policy on 150 goals of the
larger tasks, where a binding without a listed cost counts as not covered. Of each run the checkpoint is the one that
training keeps. Runs that shared one GPU took other numbers of steps in the same time.
Made by `python -m benchmarks.ablations run` and `collect`.

"""


def parse_dataset(text: str) -> tuple[tuple[str, str], Path]:
    """The family, the kind of data and the folder that `FAMILY:KIND=FOLDER` names."""
    key, equals, path = text.partition("=")
    family, colon, data = key.partition(":")
    if not equals or not colon or data not in DATA:
        raise argparse.ArgumentTypeError(f"{text}: expected FAMILY:{'|'.join(DATA)}=FOLDER")
    return (family, data), Path(path)


def main() -> None:
    """Prints, runs or collects the runs of the ablation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("print", "run", "collect"))
    parser.add_argument("datasets", nargs="*", type=parse_dataset, metavar="FAMILY:KIND=FOLDER")
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/ablations"))
    parser.add_argument("--only", nargs="+", choices=[v.name for v in VARIANTS], metavar="VARIANT")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--minutes", type=float, help="of training for each run")
    parser.add_argument("--steps", type=int, help="of each run")
    parser.add_argument("--jobs", type=int, default=2, help="processes of each run that encode its dataset")
    parser.add_argument("--parallel", type=int, default=6, help="runs at a time")
    parser.add_argument("--budget", type=float, default=570.0, help="seconds for everything (default 570)")
    given = parser.parse_args()
    if given.task == "collect":
        rows = collect(given.output)
        write("ablations", rows, HEAD + format_table(rows))
        print(format_table(rows))
        return
    if given.minutes is None and given.steps is None:
        parser.error("give --minutes or --steps")
    switches = ["--device", given.device, "--jobs", str(given.jobs)]
    switches += [] if given.minutes is None else ["--minutes", str(given.minutes)]
    switches += [] if given.steps is None else ["--steps", str(given.steps)]
    runs = list_runs(dict(given.datasets), given.seeds, given.output)
    runs = [run for run in runs if given.only is None or run.variant.name in given.only]
    if given.task == "print":
        for run in runs:
            print(shlex.join(run.command(switches)))
    else:
        run_all(runs, switches, given.parallel, given.budget)


if __name__ == "__main__":
    main()
