"""Learns a model for every domain of the suite: `python -m tools.learn_suite -o DIR --jobs 4 --minutes 9`.

The problems are those of `skolem generate`, the command is `skolem learn`; what it says goes to `DIR/NAME.log`. Domains
are learned side by side in `--jobs` processes, and one that fails does not stop the others. A domain that is finished
is not learned again, and one that was interrupted is resumed, so that the same command goes on after any stop. With
`--counts 3 6 12 24` each domain is learned from its first 3, 6, 12 and 24 problems, in the folders `DIR/NAME-3` to
`DIR/NAME-24`, which `python -m tools.learn_problems` compares.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from skolem.families.suite import NAMES
from skolem.families.suite.registry import SUITE, generate_suite_problem
from skolem.learning.schedule import RECORD
from skolem.support.files import make_folder, write_text
from skolem.support.parent_death import end_with_parent

COUNT = 12
ANSWER = "learned.json"
"""What `skolem learn` said at its end, in the folder of the model."""
PASSED_ON = ("--minutes", "--steps", "--pairs", "--goals", "--device", "--labels")
"""Options of `skolem learn`."""
GRACE_SECONDS = 10.0
"""How long runs may take to save where they stand."""


@dataclass(frozen=True)
class Lesson:
    """A domain that is learned from its first problems, in a folder."""

    domain: str
    count: int
    folder: Path

    @property
    def is_done(self) -> bool:
        """Whether its model is finished."""
        return (self.folder / ANSWER).exists()


def list_lessons(output: Path, domains: Sequence[str], counts: Sequence[int] | None, count: int) -> list[Lesson]:
    """One lesson for each domain, or one for each domain and number of problems."""
    if counts is None:
        return [Lesson(name, count, output / name) for name in domains]
    return [Lesson(name, number, output / f"{name}-{number}") for name in domains for number in counts]


class Work:
    """The lessons that run, wait and failed."""

    def __init__(self, lessons: Sequence[Lesson], jobs: int, seed: int, options: Sequence[str]) -> None:
        self.waiting = [lesson for lesson in lessons if not lesson.is_done]
        self.jobs = max(1, min(jobs, len(self.waiting)))
        self.seed = seed
        self.options = options
        self.running: dict[Lesson, subprocess.Popen[bytes]] = {}
        self.failed: list[Lesson] = []

    def advance(self) -> bool:
        """Takes what has ended and starts what can be started; whether there is anything to wait for."""
        for lesson, process in list(self.running.items()):
            if process.poll() is not None:
                del self.running[lesson]
                self._take(lesson, process.returncode)
        while self.waiting and len(self.running) < self.jobs:
            lesson = self.waiting.pop(0)
            self.running[lesson] = self._start(lesson)
        return bool(self.running)

    def stop(self) -> None:
        """Ends everything that runs; the next call goes on with it."""
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        end = time.monotonic() + GRACE_SECONDS
        for process in self.running.values():
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, lesson: Lesson) -> subprocess.Popen[bytes]:
        folder = lesson.folder
        files = write_problems(lesson.domain, folder.parent / "problems" / lesson.domain, lesson.count, self.seed)
        # The processes of all lessons together are as many as there are cores.
        share = str(max(1, (os.cpu_count() or 1) // self.jobs))
        command = [sys.executable, "-m", "skolem.cli", "learn", *map(str, files), "-o", str(folder), "--json"]
        command += [*self.options, "--seed", str(self.seed), "--jobs", share]
        command += ["--resume"] * (folder / RECORD).exists()
        environment = {"OMP_NUM_THREADS": share, **os.environ}
        with _name(lesson, "out").open("wb") as out, _name(lesson, "log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                env=environment,
                # Otherwise the next call would learn into the same folders beside what a kill has left running.
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),
            )

    def _take(self, lesson: Lesson, code: int) -> None:
        answer = _name(lesson, "out")
        text = answer.read_text(encoding="utf-8")
        answer.unlink()
        if code == 0:
            write_text(lesson.folder / ANSWER, text)
            print(f"{lesson.folder.name}: {text.strip()}", flush=True)
        else:
            self.failed.append(lesson)
            print(f"{lesson.folder.name}: exit {code}, see {_name(lesson, 'log')}: {text.strip()}", flush=True)


def _name(lesson: Lesson, kind: str) -> Path:
    """A file of a lesson beside its folder."""
    return lesson.folder.with_name(f"{lesson.folder.name}.{kind}")


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Learns what is missing; 1 if something failed or was not finished."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", metavar="DOMAIN", help="domains of the suite (default: all)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a folder for all models")
    parser.add_argument("--count", type=int, default=COUNT, metavar="N", help="problems of each domain (default 12)")
    parser.add_argument("--counts", type=int, nargs="+", metavar="N", help="a model for each number of problems")
    parser.add_argument("--jobs", type=int, default=1, help="domains at the same time (default 1)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long; the next call goes on")
    parser.add_argument("--seed", type=int, default=0)
    for option in PASSED_ON:
        parser.add_argument(option, help="passed on to `skolem learn`")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.domains) - set(NAMES))
    if unknown:
        parser.error(f"{', '.join(unknown)}: no domain of the suite, expected some of {', '.join(NAMES)}")
    values = {option: getattr(given, option[2:]) for option in PASSED_ON}
    options = [word for option, value in values.items() if value is not None for word in (option, value)]
    make_folder(given.output)
    lessons = list_lessons(given.output, given.domains or NAMES, given.counts, given.count)
    work = Work(lessons, given.jobs, given.seed, options)
    end = time.monotonic() + given.seconds
    try:
        while work.advance() and time.monotonic() < end:
            time.sleep(0.2)
    finally:
        work.stop()
    print(f"{sum(lesson.is_done for lesson in lessons)} of {len(lessons)} learned, {len(work.failed)} failed")
    return int(not all(lesson.is_done for lesson in lessons))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
