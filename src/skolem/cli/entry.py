"""One command from its words to its exit code, whatever happens on the way."""

import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

from skolem.cli.options import ExplainOptions, SearchOptions
from skolem.cli.output import Console, find_start, prepare_streams
from skolem.cli.parser import EXACT, Command, parse_command
from skolem.planning.translator_pool import keep_translator
from skolem.support.errors import ExitCode, InputError, SkolemError, Stopped, UsageError
from skolem.support.guard import find_age, has_memory, run_guarded
from skolem.support.signals import handle_signals, ignore_once, raise_stopped
from skolem.support.standard_output import OutputError

Handler = Callable[[Console, Any], int]

HANDLERS = {
    "plan": "skolem.cli.planning:run_plan",
    "ground": "skolem.cli.planning:run_ground",
    "explain": "skolem.cli.explaining:run_explain",
    "check": "skolem.cli.checking:run_check",
    "completion": "skolem.cli.completion:run_completion",
    "validate": "skolem.cli.planning:run_validate",
    "generate": "skolem.cli.making:run_generate",
    "draw": "skolem.cli.making:run_draw",
    "models": "skolem.cli.models:run_models",
    "learn": "skolem.cli.learn:run_learn",
    "label": "skolem.cli.learning:run_label",
    "train": "skolem.cli.learning:run_train",
    "evaluate": "skolem.cli.measuring:run_evaluate",
    "report": "skolem.cli.measuring:run_report",
    "serve": "skolem.cli.serving:run_serve",
}
"""The function of every command, imported when it is called: each command needs only its own libraries."""
EMPTY: dict[str, dict[str, Any]] = {
    "plan": {"binding": None, "cost": None, "plan": None, "valid": False, "route": None, "times": {}},
    "ground": {"binding": None, "predicted_cost": None, "trace": [], "route": None, "times": {}},
    "explain": {"binding": None, "predicted_cost": None, "goals": [], "steps": [], "forced": [], "route": None},
}
"""What an error leaves empty in a command's JSON, so that its keys are always there."""
WELCOME = """skolem plan PROBLEM    find the objects of a quantified goal, and a plan (the domain is found beside it)
skolem check PROBLEM   what is wrong with it, what its goal means, and how it would be solved
skolem --help          all commands; the --help of each ends with an example"""
EXTRAS = {
    **{"torch": "train", "joblib": "evaluate", "matplotlib": "draw", "ray": "cluster"},
    **{"starlette": "serve", "uvicorn": "serve", "mcp": "mcp"},
}
"""The extra of the installation that brings a package which only some commands need."""
_NO_MEMORY = re.compile(r"[Cc]annot (allocate|map)|failed to map segment|bad_alloc|can't start new thread")


def run(arguments: Sequence[str] | None, mask: Iterable[int]) -> int:
    """Runs one command and returns its exit code; signals are blocked, and `mask` is what they were before."""
    # A command's time begins with its process, before Python can say so.
    started = time.monotonic() - (find_age() if arguments is None else 0.0)
    words = sys.argv[1:] if arguments is None else list(arguments)
    prepare_streams()
    # A call from Python began now; a command began with its process.
    begun = find_start() if arguments is None else started
    console = Console(any(len(word) > 3 and "--json".startswith(word) for word in words), started=begun)
    with handle_signals(ignore_once):
        try:
            code = _run(console, words, mask, started)
            console.close()
        except OutputError as error:
            console.silence()
            if isinstance(error.reason, BrokenPipeError):
                # The reader of our output has gone; there is nobody to tell.
                return 128 + signal.SIGPIPE
            console.warn(f"skolem: cannot write to standard output: {error.reason.strerror}")
            return int(ExitCode.DRIVER_CRITICAL_ERROR)
        return code


def _run(console: Console, words: Sequence[str], mask: Iterable[int], started: float) -> int:
    empty = EMPTY.get(words[0], {}) if words else {}
    try:
        with handle_signals(raise_stopped):
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            if not words:
                console.say(WELCOME)
                return int(ExitCode.USAGE_ERROR)
            command = parse_command(words)
            console.as_json, console.quiet = command.json, command.quiet
            return _run_command(console, command, empty, started)
    except UsageError as error:
        return console.fail(f"skolem: {error}", error.exit_code, empty)
    except Stopped as stop:
        return console.fail(f"skolem: stopped by {signal.Signals(stop.number).name}", stop.exit_code, empty)
    except OSError as error:
        return console.fail(f"skolem: {_describe_refusal(error)}", ExitCode.DRIVER_CRITICAL_ERROR, empty)
    except SystemExit as stop:
        # The parser's way to end after --help.
        return int(stop.code or 0)


def _run_command(console: Console, command: Command, empty: dict[str, Any], started: float) -> int:
    # Before numpy is imported: on small arrays a second thread only waits, and takes memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    options = command.options
    if not isinstance(options, SearchOptions):
        return _work(console, command, empty, started)

    def work() -> int:
        code = _work(console, command, empty, started)
        console.close()
        return code

    def report(code: ExitCode, message: str) -> None:
        console.fail(f"skolem: {message}", code, empty)

    return run_guarded(work, _subtract_elapsed(options.time_limit, started), options.memory_limit, report)


def _uses_planner(name: str, options: object) -> bool:
    """Whether a command starts Fast Downward in the usual case."""
    if not isinstance(options, SearchOptions):
        return False
    asks = isinstance(options, ExplainOptions) and options.why is not None
    if name in ("ground", "explain") and options.grounder not in EXACT and not asks:
        return False
    return options.planner != "policy"


def _subtract_elapsed(seconds: float | None, started: float) -> float | None:
    """What is left of a time limit."""
    return None if seconds is None else max(0.0, seconds - (time.monotonic() - started))


def _work(console: Console, command: Command, empty: dict[str, Any], started: float) -> int:
    """The command's exit code; every error ends as one line."""
    options = command.options
    try:
        # The translator is loaded meanwhile, as long as this process is small and without threads.
        with keep_translator() if _uses_planner(command.name, options) else nullcontext():
            module, _, function = HANDLERS[command.name].partition(":")
            handler: Handler = getattr(import_module(module), function)
            if isinstance(options, SearchOptions):
                # The time that all of the imports took counts too.
                options = replace(options, time_limit=_subtract_elapsed(options.time_limit, started))
            return handler(console, options)
    except OutputError:
        raise
    except InputError as error:
        # Editors jump to lines that begin with file:line:column.
        return console.fail(str(error), error.exit_code, empty)
    except SkolemError as error:
        return console.fail(f"skolem: {error}", error.exit_code, empty)
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        message = f"skolem: {command.name} needs {error.name}: pip install 'skolem[{extra}]'"
        return console.fail(message, ExitCode.UNSUPPORTED, empty)
    except Exception as error:
        if _lacks_memory(error) or not has_memory():
            return console.fail("skolem: the memory limit was reached", ExitCode.TRANSLATE_OUT_OF_MEMORY, empty)
        if command.verbose:
            with suppress(OSError):
                traceback.print_exception(error)
        hint = "" if command.verbose else " (--verbose shows more)"
        what = _describe_refusal(error) if isinstance(error, OSError) else f"internal error: {error!r}"
        return console.fail(f"skolem: {what}{hint}", ExitCode.DRIVER_CRITICAL_ERROR, empty)


def _describe_refusal(error: OSError) -> str:
    """What the system did not allow: its disk is full, or it has no more files or processes."""
    return f"{error.strerror or error}" + (f" ({error.filename})" if error.filename else "")


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether there was no memory left; native libraries say so in words of their own."""
    while error is not None:
        if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False
