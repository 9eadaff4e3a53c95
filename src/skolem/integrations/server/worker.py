"""The process that answers questions one after another, with models and translator loaded; its server may kill it.

Questions and answers are JSON, each after its length. Standard output is not used by anything else here.
"""

import json
import os
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from skolem.planning.translator_pool import keep_translator, keep_translators
from skolem.support.errors import ExitCode
from skolem.support.guard import has_memory, limit_memory
from skolem.support.parent_death import end_with_parent

LENGTH = struct.Struct(">I")
"""How the length of a message is written before it."""
MOST_BYTES = 64 << 20
"""Of an answer."""
_WARMING = 4
"""So many examples have a model each."""


def main() -> None:
    """Answers what comes on standard input until its end; the arguments are the server's process and megabytes."""
    parent, megabytes = int(sys.argv[1]), int(sys.argv[2])
    # Ctrl-C in a terminal goes to all processes: the server says when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent, signal.SIGKILL)
    limit_memory(megabytes)
    with _take_streams() as (questions, answers), keep_translator():
        # Where the translator is lost with a job that was stopped, there is another one.
        keep_translators()
        _warm_up()
        send_message(answers, {"answer": {}, "megabytes": _measure_memory()})
        while (question := receive_message(questions)) is not None:
            send_message(answers, {"answer": _answer(question), "megabytes": _measure_memory()})


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    from skolem.integrations.server.operations import run_operation
    from skolem.planning.limits import Limits

    limits = Limits(question["seconds"], question["megabytes"])
    try:
        with _lower_memory(limits.memory_mb):
            return run_operation(question["operation"], question["parameters"], limits)
    except MemoryError:
        return describe_failure(ExitCode.TRANSLATE_OUT_OF_MEMORY, "the memory limit was reached")
    except Exception:
        if not has_memory():
            return describe_failure(ExitCode.TRANSLATE_OUT_OF_MEMORY, "the memory limit was reached")
        # For the people who run the server; whoever asked is told nothing about its inside.
        traceback.print_exc()
        return describe_failure(ExitCode.DRIVER_CRITICAL_ERROR, "internal error")


def describe_failure(code: ExitCode, message: str) -> dict[str, Any]:
    """The answer where there is none: a limit leaves a task unsolved, all else is an error."""
    status = "error" if code >= ExitCode.TRANSLATE_CRITICAL_ERROR else "unsolved"
    return {"status": status, "message": message, "exit_code": int(code)}


def send_message(stream: BinaryIO, content: dict[str, Any]) -> None:
    """Writes a message; one that is too large is an error instead."""
    data = json.dumps(content).encode()
    if len(data) > MOST_BYTES:
        failure = describe_failure(ExitCode.DRIVER_CRITICAL_ERROR, "the answer is too large")
        data = json.dumps({**content, "answer": failure}).encode()
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive_message(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message; None at the end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    content: dict[str, Any] = json.loads(stream.read(LENGTH.unpack(head)[0]))
    return content


@contextmanager
def _take_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Standard input and output for messages alone: what anything prints goes to standard error."""
    with open(os.dup(0), "rb") as questions, open(os.dup(1), "wb") as answers:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        yield questions, answers


@contextmanager
def _lower_memory(megabytes: int | None) -> Iterator[None]:
    """Holds this process to a lower limit than its own meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if megabytes is not None and (hard == resource.RLIM_INFINITY or megabytes << 20 < hard):
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _warm_up() -> None:
    """Loads models and all that planning needs, by grounding a small task for each of them."""
    from skolem.integrations.server.examples import list_examples
    from skolem.integrations.server.operations import run_operation
    from skolem.planning.limits import NO_LIMITS

    for example in list_examples()[:_WARMING]:
        run_operation("ground", {"domain": example.domain, "problem": example.problem}, NO_LIMITS)


def _measure_memory() -> int:
    """Megabytes that this process has in memory, where that can be known."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize() >> 20
    except OSError:
        return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
