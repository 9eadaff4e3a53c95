"""Learns a model for every domain of the suite, one after another: `python -m tools.learn_suite -o DIR`.

The problems are those of `skolem generate`, the command is `skolem learn`. A domain that is finished is not learned
again, and one that was interrupted is resumed, so that the same command goes on after any stop.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from skolem.families.suite import NAMES
from skolem.families.suite.registry import SUITE, generate_suite_problem
from skolem.support.files import make_folder, write_text

COUNT = 12
ANSWER = "learned.json"
"""What `skolem learn` said at its end, in the folder of the model."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Learns what is missing; the first exit code that is not 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", default=list(NAMES))
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a folder for all models")
    parser.add_argument("--count", type=int, default=COUNT, metavar="N", help="problems of each domain (default 12)")
    parser.add_argument("--seed", type=int, default=0)
    options, learning = parser.parse_known_args(arguments)
    for name in options.domains:
        folder = options.output / name
        if (folder / ANSWER).exists():
            continue
        files = write_problems(name, options.output / "problems" / name, options.count, options.seed)
        command = [sys.executable, "-m", "skolem.cli", "learn", *map(str, files), "-o", str(folder), "--json"]
        command += [*learning, "--seed", str(options.seed), *(["--resume"] if folder.exists() else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        print(f"{name}: {done.stdout.strip()}", flush=True)
        if done.returncode != 0:
            return done.returncode
        write_text(folder / ANSWER, done.stdout)
    return 0


def write_problems(name: str, folder: Path, count: int, seed: int) -> list[Path]:
    """Writes the domain and its first problems to learn from, and returns their files."""
    make_folder(folder)
    texts = {"domain.pddl": SUITE[name].domain}
    for index in range(count):
        instance = generate_suite_problem(name, "train", seed, index)
        texts[f"{instance.name}.pddl"] = instance.problem_text
    for file, text in texts.items():
        write_text(folder / file, text)
    return [folder / file for file in texts]


if __name__ == "__main__":
    sys.exit(main())
