"""How long grounding takes on a CPU once the model is loaded, and how good the same configurations are.

python -m benchmarks.cpu_inference --model visitall=src/skolem/models/visitall --dataset visitall=datasets/visitall
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.results import find_versions, spell_command, write

from skolem.evaluation.evaluate import name_processor
from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import generate_problem
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import open_model
from skolem.grounding.protocol import Order, Scores
from skolem.network.engine.choice import describe_engine
from skolem.network.engine.protocol import Engine
from skolem.oracle.dataset import read_dataset
from skolem.training.greedy_validation import grade, list_goals

SIZES = {"visitall": (25, 49, 100, 225, 400), "gripper": (47,), "blocks": (17,)}
VARIABLES = 6
REPETITIONS = 3
MOST_SECONDS = 30.0
"""A configuration that takes longer is measured once, and not on larger tasks."""


@dataclass(frozen=True)
class Mode:
    """How the choices of a step are compared, and which there are."""

    scores: Scores
    order: Order


MODES = (
    Mode("full", "best"),
    Mode("full", "fixed"),
    Mode("head", "best"),
    Mode("head", "fixed"),
    Mode("both", "fixed"),
)


def main() -> None:
    """Measures every mode of every model and writes cpu_inference.json and cpu_inference.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=parse_pair, action="append", required=True, metavar="FAMILY=FOLDER")
    parser.add_argument("--dataset", type=parse_pair, action="append", required=True, metavar="FAMILY=FOLDER")
    parser.add_argument("--goals", type=int, default=200, help="goals of each dataset's part `larger` (default 200)")
    parser.add_argument("--sizes", type=int, nargs="+", help="only these sizes")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.environ["SKOLEM_THREADS"] = str(given.threads)
    before = os.getloadavg()
    rows: list[dict[str, Any]] = []
    for family, folder in given.model:
        sizes = [size for size in SIZES[family] if given.sizes is None or size in given.sizes]
        rows += measure_model(family, Path(folder), Path(dict(given.dataset)[family]), sizes, given.goals, given.seed)
    about = {
        "command": spell_command("cpu_inference"),
        "threads": given.threads,
        "goals": given.goals,
        "cpu": name_processor(),
        "load": [round(before[0], 1), round(os.getloadavg()[0], 1)],
        "engine": describe_engine(),
        "versions": find_versions("skolem", "numpy"),
    }
    write("cpu_inference", {"about": about, "rows": rows}, write_report(about, rows))


def parse_pair(text: str) -> tuple[str, str]:
    """The family and the folder of FAMILY=FOLDER."""
    family, _, folder = text.partition("=")
    if family not in SIZES or not folder:
        raise argparse.ArgumentTypeError(f"{text} is not FAMILY=FOLDER with a family of {', '.join(SIZES)}")
    return family, folder


def measure_model(
    family: str, folder: Path, dataset: Path, sizes: Sequence[int], goals: int, seed: int
) -> Iterator[dict[str, Any]]:
    """One row for every mode that the model has: its quality, and its time on every task."""
    found_model = open_model(folder)
    card, model, rater = found_model.card, found_model.load(), found_model.load_rater()
    exam = list_goals(read_dataset(dataset).load("larger"), card.vocabulary, card.network.bindings, goals)
    for mode in MODES:
        if mode.scores != "full" and not found_model.rates:
            continue
        found = grade(model, exam, 0.0, mode.scores, mode.order == "fixed", rater)
        assert found is not None, "the dataset has no goals with listed bindings"
        row = {
            "family": family,
            **asdict(mode),
            "goals": found.goals,
            "coverage": found.coverage,
            "ratio": found.ratio,
            "times": [t for neq in (False, True) for t in measure_times(model, rater, mode, family, sizes, neq, seed)],
        }
        print(json.dumps(row), file=sys.stderr, flush=True)
        yield row


def measure_times(
    model: Engine,
    rater: Engine | None,
    mode: Mode,
    family: str,
    sizes: Sequence[int],
    neq: bool,
    seed: int,
) -> Iterator[dict[str, Any]]:
    """The time of grounding one task of every size, and the number of choices that were compared."""
    grounder = LearnedGrounder(model, scores=mode.scores, order=mode.order, rater=rater)
    for size in sizes:
        task = read_instance(generate_problem(family, "lama", seed, 0, size=size, variables=VARIABLES, neq=neq))
        seconds: list[float] = []
        cpu_seconds: list[float] = []
        # The first run warms up; it counts only if it is the only one.
        while len(seconds) <= REPETITIONS and sum(seconds) < MOST_SECONDS:
            start, cpu_start = time.perf_counter(), time.process_time()
            grounding = grounder.ground(task)
            seconds.append(time.perf_counter() - start)
            cpu_seconds.append(time.process_time() - cpu_start)
        yield {
            "size": size,
            "neq": neq,
            "choices": sum(len(step.ranked) for step in grounding.trace),
            "runs": max(1, len(seconds) - 1),
            "seconds": median(seconds[1:] or seconds),
            "cpu_seconds": median(cpu_seconds[1:] or cpu_seconds),
        }
        if len(seconds) == 1:
            return


def write_report(about: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """All figures as Markdown."""
    lines = [
        "# Grounding on a CPU",
        "",
        f"{about['cpu']}, {about['engine']}, load {about['load'][0]} before and {about['load'][1]} after. "
        f"Python {about['versions']['python']}, NumPy {about['versions']['numpy']}. Made by `{about['command']}`.",
        "",
        f"Seconds of grounding one task with {VARIABLES} variables, without / with inequality, the model loaded and "
        f"used before: the median of {REPETITIONS} runs, of fewer where they take more than {MOST_SECONDS:.0f} s. In "
        "brackets the processor seconds of all threads, which depend less on other load, and the choices that were "
        "compared. Coverage and V/V* (total cost over total least cost) are those of "
        "the same greedy configuration on the validation goals that are larger than any in training; the proofs that "
        "a binding cannot be reached, which need the actions, are part of the time but not of these two.",
    ]
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family]
        sizes = sorted({t["size"] for row in mine for t in row["times"]})
        lines += ["", f"## {family}", ""]
        lines.append("| scores | order | goals | coverage | V/V* | " + " | ".join(f"{n} objects" for n in sizes) + " |")
        lines.append("|---|---|---|---|---|" + "---|" * len(sizes))
        for row in mine:
            cells = [format_times([t for t in row["times"] if t["size"] == size]) for size in sizes]
            quality = f"{row['goals']} | {row['coverage']:.1%} | {row['ratio']:.4f}"
            lines.append(f"| {row['scores']} | {row['order']} | {quality} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def format_times(times: Sequence[dict[str, Any]]) -> str:
    """The times of one size without and with inequality."""
    cells = {t["neq"]: f"{t['seconds']:.2f} ({t['cpu_seconds']:.2f}, {t['choices']})" for t in times}
    return " / ".join(cells.get(neq, "-") for neq in (False, True))


if __name__ == "__main__":
    main()
