"""Mutated PDDL files through the reader or the command line: only a task, a clean error or nothing may come out.

python -m tools.fuzz_reader --count 1000000 --jobs 2      the reader, in worker processes
python -m tools.fuzz_reader --cli 2000 --jobs 2           the command line, one process each

Every file depends on the seed and its number alone. A run can be stopped at any time and goes on where it was.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from skolem.pddl.reading import read_task_text
from skolem.pddl.writing import write_grounded
from skolem.planning.successors import Simulator
from skolem.support.errors import ExitCode, InputError, UnsupportedError
from skolem.task.model import Source

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
STORE = Path("build/fuzz")
CHUNKS = {"reader": 1000, "cli": 20}
"""Files that are done, and kept, together."""
SLOW_SECONDS = 60
CLEAN = re.compile("Task|InputError|UnsupportedError|exit code [0-9]+")

DOMAIN = """(define (domain house)
  (:requirements :adl :typing :derived-predicates :action-costs)
  (:types room thing - object cup plate - thing china - (either cup plate))
  (:constants kitchen - room)
  (:predicates (at ?t - thing ?r - room) (robot ?r - room) (clean ?t - thing) (door ?a ?b - room) (handy ?t) (quiet))
  (:functions (total-cost) - number (far ?a ?b - room) - number)
  (:derived (handy ?t - thing) (exists (?r - room) (and (at ?t ?r) (robot ?r))))
  (:action go :parameters (?a ?b - room) :precondition (and (robot ?a) (or (door ?a ?b) (door ?b ?a)))
    :effect (and (robot ?b) (not (robot ?a)) (increase (total-cost) (far ?a ?b))
                 (forall (?t - cup) (when (and (at ?t ?a) (clean ?t)) (and (at ?t ?b) (not (at ?t ?a)))))))
  (:action wash :parameters (?t - thing)
    :precondition (and (handy ?t) (not (clean ?t)) (exists (?r - room) (and (robot ?r) (= ?r kitchen))))
    :effect (and (clean ?t) (increase (total-cost) 2)))
  (:action rest :effect (quiet)))
"""
PROBLEM = """(define (problem evening) (:domain house)
  (:objects hall attic - room cup1 cup2 - cup dish - plate vase - china lamp)
  (:init (robot hall) (door hall kitchen) (door attic hall) (at cup1 hall) (at cup2 kitchen) (at dish kitchen)
         (clean cup1) (= (total-cost) 0) (= (far hall kitchen) 3) (= (far kitchen hall) 3) (= (far hall attic) 1)
         (= (far attic hall) 1)) ; facts
  (:goal %s)
  (:metric minimize (total-cost)))
"""
GOALS = [
    "(exists (?t - cup ?r - room) (and (clean ?t) (at ?t ?r) (not (= ?r kitchen))))",
    "(and (quiet) (exists (?a - (either cup plate)) (exists (?b) (and (clean ?a) (clean ?b) (not (= ?a ?b))))))",
    "(or (forall (?t - cup) (clean ?t)) (exists (?t) (imply (handy ?t) (not (quiet)))))",
    "(and (robot attic) (at cup1 kitchen))",
]
WORDS = """and or not imply exists forall when = increase either object - ?x ?t ?a :goal :init :objects :types
    :predicates :action :derived :effect :precondition :parameters :functions :constants :requirements :metric :domain
    define total-cost number 0 7 -1 2.5 1e9 cup cup1 hall kitchen quiet clean handy at far preference > <="""
ODD = [
    "",
    "(",
    ")",
    "()",
    "((",
    "))",
    ";",
    "?",
    "\0",
    "\r",
    "\t",
    "\n",
    "\u00e9",
    "\u2028",
    "\x1b[31m",
    "'",
    "\\",
    "9" * 400,
]
OPENINGS = ["(and ", "(not ", "(or ", "(exists (?x) ", "(forall (?x) ", "(imply (quiet) ", "(", "(when (quiet) "]
WORD = re.compile(r"[^\s();]+")

Texts = tuple[str, str]


def list_seeds() -> list[Texts]:
    """Correct pairs of domain and problem: built-in ones, the families' domains and the examples."""
    seeds = [(DOMAIN, PROBLEM % goal) for goal in GOALS]
    for problem in sorted((ROOT / "examples").rglob("*.pddl")):
        domain = problem.with_name("domain.pddl")
        if problem.name != "domain.pddl" and domain.exists():
            seeds.append((domain.read_text(encoding="utf-8"), problem.read_text(encoding="utf-8")))
    return seeds


def mutate(rng: random.Random, seeds: list[Texts]) -> Texts:
    """A seed with one to four changes in its goal, its problem or its domain."""
    domain, problem = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        where = rng.random()
        if where < 0.4:
            start = max(problem.find("(:goal"), 0)
            problem = problem[:start] + change(rng, problem[start:], seeds)
        elif where < 0.7:
            problem = change(rng, problem, seeds)
        else:
            domain = change(rng, domain, seeds)
    return (problem, domain) if rng.random() < 0.005 else (domain, problem)


def change(rng: random.Random, text: str, seeds: list[Texts]) -> str:
    """The text with one change: of characters, of whole words or of whole lists."""
    kind = rng.randrange(3)
    return (change_characters, change_word, change_list)[kind](rng, text, rng.choice(rng.choice(seeds)))


def change_characters(rng: random.Random, text: str, other: str) -> str:
    """The text with some characters removed, repeated, inserted or nested."""
    i = rng.randrange(len(text) + 1)
    j = min(len(text), i + rng.choice((1, 2, 5, 20, 100)))
    match rng.randrange(5):
        case 0:
            return text[:i] + text[j:]
        case 1:
            return text[:i] + rng.choice(ODD) + text[i:]
        case 2:
            return text[:i] + text[i:j] * rng.choice((2, 3, 50)) + text[j:]
        case 3:
            k = rng.randrange(len(other))
            return text[:i] + other[k : k + rng.choice((5, 30, 200))] + text[j:]
        case _:
            opening, depth = draw_nesting(rng, text)
            return text[:i] + opening * depth + text[i:j] + ")" * (depth - rng.choice((0, 0, 0, 1))) + text[j:]


def draw_nesting(rng: random.Random, text: str) -> tuple[str, int]:
    """An opening of a list and how often to repeat it."""
    opening, depth = rng.choice(OPENINGS), rng.choice((1, 1, 2, 30, 150, 400))
    # In a domain every quantifier multiplies the work of any planner by the number of objects.
    return opening, min(depth, 2) if "?x" in opening and "(domain" in text else depth


def change_word(rng: random.Random, text: str, other: str) -> str:
    """The text with one word replaced, removed or written twice."""
    words = list(WORD.finditer(text))
    if not words:
        return text
    old = rng.choice(words)
    new = rng.choice(WORD.findall(rng.choice((text, text, other, WORDS))) or [""])
    new = rng.choice((new, new, "", f"{old.group()} {new}", f"{old.group()} {old.group()}", old.group().upper()))
    return text[: old.start()] + new + text[old.end() :]


def change_list(rng: random.Random, text: str, other: str) -> str:
    """The text with one parenthesised list replaced, removed, repeated or nested."""
    spans = list_spans(text)
    if not spans:
        return text
    start, end = rng.choice(spans)
    old = text[start:end]
    begin, stop = rng.choice(list_spans(other) or [(0, 0)])
    opening, depth = draw_nesting(rng, text)
    mine, behind = rng.choice(spans)
    new = rng.choice(
        (
            other[begin:stop],
            text[mine:behind],
            "",
            old + old,
            old + text[mine:behind],
            opening * depth + old + ")" * depth,
        )
    )
    return text[:start] + new + text[end:]


def list_spans(text: str) -> list[tuple[int, int]]:
    """Where the parenthesised lists of a text stand."""
    opened, spans = [], []
    for match in re.finditer("[()]", text):
        if match.group() == "(":
            opened.append(match.start())
        elif opened:
            spans.append((opened.pop(), match.end()))
    return spans


def read_once(texts: Texts) -> str:
    """What reading a pair of texts gives: its kind, or the unexpected error."""
    try:
        task = read_task_text(Source("domain.pddl", texts[0]), Source("problem.pddl", texts[1]))
        if task.goal.outside is None and task.objects:
            write_grounded(task, {v.name: task.objects[0] for v in task.goal.variables})
        simulator = Simulator(task)
        for successor in islice(simulator.list_successors(simulator.start), 5):
            simulator.read(successor.state)
    except (InputError, UnsupportedError) as error:
        head = str(error).partition("\n")[0]
        placed = error.place is not None and head.startswith(f"{error.place.path}:{error.place.line}:")
        return type(error).__name__ if placed and "expected" in head else f"unclear message: {head}"
    except Exception as error:
        return f"unexpected {type(error).__name__}: {error}"
    return "Task"


def run_command(texts: Texts) -> str:
    """How `skolem plan` ends on a pair of texts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
        command = [sys.executable, "-m", "skolem.cli", "plan", *map(str, paths), "--time-limit", "5", "--json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SLOW_SECONDS)
        except subprocess.TimeoutExpired:
            return f"slower than {SLOW_SECONDS} s"
    if "Traceback" in done.stderr or "Traceback" in done.stdout:
        return f"traceback: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'in stdout'}"
    if done.returncode not in set(ExitCode) - {ExitCode.DRIVER_CRITICAL_ERROR, ExitCode.INVALID_PLAN}:
        return f"unexpected exit code {done.returncode}: {done.stderr.strip()[-200:]}"
    return f"exit code {done.returncode}"


Record = dict[str, Any]
"""What a chunk of files gave: how often each outcome, and the files whose outcome is not clean."""


def judge_chunk(kind: str, seed: int, numbers: range, known: dict[int, str], current: Any) -> Record:
    """The record of some files; those whose outcome is known are not judged again."""
    seeds = list_seeds()
    judge = read_once if kind == "reader" else run_command
    outcomes: Counter[str] = Counter()
    failures = []
    start = sum(os.times()[:4])
    for number in numbers:
        current.value = number
        texts = mutate(random.Random(f"{seed} {number}"), seeds)
        outcome = known.get(number) or judge(texts)
        clean = CLEAN.fullmatch(outcome) is not None
        outcomes[outcome if clean else "failure"] += 1
        if not clean:
            failures.append({"number": number, "outcome": outcome, "domain": texts[0], "problem": texts[1]})
    # CPU time, that of finished children included.
    seconds = round(sum(os.times()[:4]) - start, 2)
    return {"first": numbers[0], "count": len(numbers), "seconds": seconds, "outcomes": outcomes, "failures": failures}


class Chunk:
    """A process that judges some files, and tells by a number in shared memory which one it is at."""

    def __init__(self, kind: str, seed: int, numbers: range, known: dict[int, str]) -> None:
        self.numbers, self.known = numbers, known
        context = multiprocessing.get_context("fork")
        self._current = context.Value("q", -1)
        self.connection, other = context.Pipe()
        self._process = context.Process(
            target=_send_record, args=(other, kind, seed, numbers, known, self._current), daemon=True
        )
        self._process.start()
        other.close()
        self._last, self._since = -1, time.monotonic()

    def look(self) -> Record | str | None:
        """The record, or what happened to the process that should have sent it; None while it is at work."""
        if self.connection.poll():
            try:
                record: Record = self.connection.recv()
            except EOFError:
                return self._end("crash")
            self._process.join()
            return record
        if self._current.value != self._last:
            self._last, self._since = self._current.value, time.monotonic()
        return self._end(f"slower than {SLOW_SECONDS} s") if time.monotonic() > self._since + SLOW_SECONDS else None

    def _end(self, outcome: str) -> str:
        self._process.kill()
        self._process.join()
        self.known[self._current.value] = outcome
        return outcome


def _send_record(connection: Connection, *arguments: Any) -> None:
    connection.send(judge_chunk(*arguments))


def judge_files(kind: str, seed: int, chunks: Iterator[range], jobs: int) -> Iterator[Record]:
    """The record of every chunk, as they come; what ends a process is a failure of the file it was at."""
    running = [Chunk(kind, seed, numbers, {}) for numbers in islice(chunks, jobs)]
    while running:
        wait([chunk.connection for chunk in running], timeout=1.0)
        for chunk in list(running):
            found = chunk.look()
            if found is None:
                continue
            running.remove(chunk)
            if isinstance(found, str):
                running.append(Chunk(kind, seed, chunk.numbers, chunk.known))
                continue
            running += [Chunk(kind, seed, numbers, {}) for numbers in islice(chunks, 1)]
            yield found


def read_records(path: Path) -> list[Record]:
    """The complete records of a store; a last line that was cut off is left out."""
    records: list[Record] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def run(kind: str, seed: int, count: int, jobs: int, store: Path) -> list[Record]:
    """The records of so many files, from the store as far as it has them."""
    store.mkdir(parents=True, exist_ok=True)
    path = store / f"{kind}-{seed}.jsonl"
    known = {(record["first"], record["count"]): record for record in read_records(path)}
    chunks = [range(i, min(i + CHUNKS[kind], count)) for i in range(0, count, CHUNKS[kind])]
    records = [known[chunk[0], len(chunk)] for chunk in chunks if (chunk[0], len(chunk)) in known]
    missing = (chunk for chunk in chunks if (chunk[0], len(chunk)) not in known)
    with path.open("w", encoding="utf-8") as file:
        # Written again first, so that what follows does not end up behind half a line.
        for record in known.values():
            file.write(json.dumps(record) + "\n")
        for record in judge_files(kind, seed, missing, jobs):
            file.write(json.dumps(record) + "\n")
            file.flush()
            records.append(record)
            for failure in record["failures"]:
                print(f"{failure['number']}: {failure['outcome'][:300]}", file=sys.stderr, flush=True)
    return records


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 if every outcome was clean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="how many files go through the reader")
    parser.add_argument("--cli", type=int, default=0, help="how many go through the command line instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path, default=STORE, help="where files that were done are kept")
    parser.add_argument("-o", "--output", type=Path, help="where the summary goes")
    options = parser.parse_args(arguments)
    kind, count = ("cli", options.cli) if options.cli else ("reader", options.count)
    records = run(kind, options.seed, count, options.jobs, options.store)
    outcomes: Counter[str] = Counter()
    for record in records:
        outcomes.update(record["outcomes"])
    failures = [failure for record in records for failure in record["failures"]]
    summary = {
        "what": "skolem plan" if kind == "cli" else "reader",
        "count": count,
        "seed": options.seed,
        "seconds": round(sum(record["seconds"] for record in records), 1),
        "outcomes": dict(outcomes.most_common()),
        "failures": failures[:20],
    }
    output = options.output or RESULTS / f"fuzz_{kind}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({**summary, "failures": len(failures)}, indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
