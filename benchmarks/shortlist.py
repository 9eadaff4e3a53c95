"""How many of the objects that a rater likes are worth an evaluation: quality and time by the shortlist's size.

    python -m benchmarks.shortlist --tasks 24 -o results

Tasks are like those of the LAMA sets, of another seed. Quality is the value that the model itself gives to the complete
binding: what is left out by the shortlist can only be lost there.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal
from unittest.mock import patch

from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import generate_problem
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import MODELS, find_model
from skolem.network import scoring
from skolem.network.scoring import Shortlist
from skolem.support.files import make_folder, write_text

SEED = 8801
SIZES = {"delivery": (40, 90), "visitall": (50, 100)}
SHORTLISTS = (
    Shortlist(most=4, share=0.0),
    Shortlist(most=8, share=0.0),
    Shortlist(most=8, share=0.15),
    Shortlist(most=8, share=0.25),
    Shortlist(most=12, share=0.25),
    Shortlist(most=16, share=0.0),
    Shortlist(most=16, share=0.25),
    None,
)
"""None: all objects are evaluated."""


def measure(family: str, tasks: int) -> Iterator[dict[str, Any]]:
    """A row for each shortlist."""
    rng = Random(SEED)
    sizes = [(rng.randint(*SIZES[family]), rng.randint(3, 6)) for _ in range(tasks)]
    made = [
        read_instance(generate_problem(family, "lama", SEED, i, size=size, variables=variables, neq=bool(i % 2)))
        for i, (size, variables) in enumerate(sizes)
    ]
    for shortlist in SHORTLISTS:
        predicted, seconds = 0.0, 0.0
        for task in made:
            model = find_model(task, MODELS)
            scores: Literal["full", "both"] = "full" if shortlist is None else "both"
            grounder = LearnedGrounder(model.load(), order="fixed", scores=scores, rater=model.load_rater())
            # The setting is no option of a grounder: nobody needs another one.
            with patch.object(scoring, "score_best", partial(_score, shortlist or Shortlist())):
                began = time.process_time()
                predicted += grounder.ground(task).predicted_cost or 0.0
                seconds += time.process_time() - began
        chosen = None if shortlist is None else asdict(shortlist)
        yield {"family": family, "tasks": tasks, "shortlist": chosen, "predicted": predicted, "seconds": seconds}


_score_best = scoring.score_best


def _score(shortlist: Shortlist, model: Any, rater: Any, _: Shortlist, steps: Any) -> list[list[float]]:
    return _score_best(model, rater, shortlist, steps)


def write_page(rows: Sequence[dict[str, Any]], command: str) -> str:
    """The table."""
    lines = [
        "# The rater's shortlist",
        "",
        "Objects are compared one variable at a time. Of those that the rater puts within a margin of its best one",
        "(steps, or a share of the best one's rating where that is more), at most some are evaluated. Predicted: the",
        "summed costs that the model gives to the complete bindings. Seconds: processor time of all groundings. Tasks",
        f"like those of the LAMA sets, of another seed; made by `{command}`.",
        "",
        "| family | tasks | steps | share | at most | predicted | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        chosen = row["shortlist"]
        setting = ("all",) * 3 if chosen is None else (chosen["margin"], chosen["share"], chosen["most"])
        cells = [row["family"], row["tasks"], *setting, f"{row['predicted']:.1f}", f"{row['seconds']:.2f}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes shortlist.json and shortlist.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args(arguments)
    rows = [row for family in SIZES for row in measure(family, given.tasks)]
    make_folder(given.output)
    write_text(given.output / "shortlist.json", json.dumps({"rows": rows}, indent=1) + "\n")
    command = f"python -m benchmarks.shortlist --tasks {given.tasks}"
    write_text(given.output / "shortlist.md", write_page(rows, command))
    return 0


if __name__ == "__main__":
    sys.exit(main())
