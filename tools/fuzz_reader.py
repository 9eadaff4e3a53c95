"""Reads mutated PDDL files in a worker process: only a task, a clean error or nothing else may come out.

python tools/fuzz_reader.py --count 100000 --seed 0     the reader, in one worker
python tools/fuzz_reader.py --cli 1000 --seed 0         the command line, one process each
"""

import argparse
import json
import multiprocessing
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

from skolem.pddl.reading import read_task_text
from skolem.pddl.writing import write_grounded
from skolem.planning.successors import Simulator
from skolem.support.errors import ExitCode, InputError, UnsupportedError
from skolem.task.model import Source

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SLOW_SECONDS = 60

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


def serve(connection: Connection) -> None:
    """Reads pairs of texts until None comes."""
    while (texts := connection.recv()) is not None:
        connection.send(read_once(texts))


class Worker:
    """A process that reads; a new one takes over when it dies or takes too long."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._connection, other = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(target=serve, args=(other,), daemon=True)
        self._process.start()
        other.close()

    def read(self, texts: Texts) -> str:
        """What the worker says about the texts, or how it ended."""
        self._connection.send(texts)
        try:
            if self._connection.poll(SLOW_SECONDS):
                return str(self._connection.recv())
            outcome = f"slower than {SLOW_SECONDS} s"
        except EOFError:
            outcome = "crash"
        self._process.kill()
        self._process.join()
        self._start()
        return outcome

    def close(self) -> None:
        """Ends the process."""
        self._connection.send(None)
        self._process.join()


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


def judge(seed: int, count: int, command: bool) -> Iterator[tuple[str, Texts]]:
    """The outcome of each mutated pair."""
    rng, seeds = random.Random(seed), list_seeds()
    worker = None if command else Worker()
    for _ in range(count):
        texts = mutate(rng, seeds)
        yield (run_command(texts) if worker is None else worker.read(texts)), texts
    if worker is not None:
        worker.close()


def main() -> int:
    """The exit status: 0 if every outcome was clean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="how many files go through the reader")
    parser.add_argument("--cli", type=int, default=0, help="how many go through the command line instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, help="where the summary goes")
    options = parser.parse_args()
    command, count = options.cli > 0, options.cli or options.count
    outcomes: Counter[str] = Counter()
    failures = []
    start = time.monotonic()
    for number, (outcome, texts) in enumerate(judge(options.seed, count, command)):
        clean = outcome in ("Task", "InputError", "UnsupportedError") or outcome.startswith("exit code")
        outcomes[outcome if clean else "failure"] += 1
        if not clean:
            failures.append({"number": number, "outcome": outcome, "domain": texts[0], "problem": texts[1]})
            print(f"{number}: {outcome[:300]}", flush=True)
    summary = {
        "what": "skolem plan" if command else "reader",
        "count": count,
        "seed": options.seed,
        "seconds": round(time.monotonic() - start, 1),
        "outcomes": dict(outcomes.most_common()),
        "failures": failures[:20],
    }
    output = options.output or RESULTS / f"fuzz_{'cli' if command else 'reader'}.json"
    output.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({**summary, "failures": len(failures)}, indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
