"""What can go wrong, and the exit code each outcome has: the whole contract is in this file."""

from dataclasses import dataclass
from enum import IntEnum

SHOWN_COLUMNS = 160


class ExitCode(IntEnum):
    """Exit codes of the command line; they are Fast Downward's where it has one."""

    SUCCESS = 0
    UNSOLVABLE = 11
    UNSOLVED_INCOMPLETE = 12
    TRANSLATE_OUT_OF_MEMORY = 20
    TRANSLATE_OUT_OF_TIME = 21
    SEARCH_OUT_OF_MEMORY = 22
    SEARCH_OUT_OF_TIME = 23
    SEARCH_OUT_OF_MEMORY_AND_TIME = 24
    TRANSLATE_CRITICAL_ERROR = 30
    INPUT_ERROR = 31
    SEARCH_CRITICAL_ERROR = 32
    UNSUPPORTED = 34
    DRIVER_CRITICAL_ERROR = 35
    USAGE_ERROR = 36
    INVALID_PLAN = 40


@dataclass(frozen=True)
class Place:
    """A place in a source file: line and column count from 1, `text` is that whole line."""

    path: str
    line: int = 1
    column: int = 1
    text: str = ""


class SkolemError(Exception):
    """An error that ends the command with its exit code; with a place, the line is shown with a caret."""

    exit_code = ExitCode.DRIVER_CRITICAL_ERROR

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.others: tuple[SkolemError, ...] = ()
        """Further errors of the same file, shown below this one."""

    def __str__(self) -> str:
        return "\n".join((self._describe(), *map(str, self.others)))

    def _describe(self) -> str:
        if self.place is None:
            return self.message
        place = self.place
        head = f"{place.path}:{place.line}:{place.column}: {self.message}"
        if not place.text.strip():
            return head
        # Only the part of a long line around the column is shown, and nothing that could upset a terminal.
        first = max(0, place.column - 1 - SHOWN_COLUMNS // 2)
        shown = "".join(c if c.isprintable() or c == "\t" else "?" for c in place.text[first : first + SHOWN_COLUMNS])
        # Tabs are kept before the caret so that it stays below its column on every terminal.
        before = "".join("\t" if c == "\t" else " " for c in shown[: place.column - 1 - first])
        return f"{head}\n  {shown}\n  {before}^"


class Stopped(KeyboardInterrupt):
    """A signal asked this process to stop; Ctrl-C is one of them."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.exit_code = 128 + number


class UsageError(SkolemError):
    """A command line that cannot be understood."""

    exit_code = ExitCode.USAGE_ERROR


class LimitError(SkolemError):
    """A limit on time, memory or effort was reached; the message says which one."""

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.SEARCH_OUT_OF_TIME) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class UnsupportedError(SkolemError):
    """A correct input that the chosen route cannot take."""

    exit_code = ExitCode.UNSUPPORTED


class InputError(SkolemError):
    """A mistake in an input file."""

    exit_code = ExitCode.INPUT_ERROR
