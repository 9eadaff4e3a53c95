"""Standard output, whose errors are told apart from those of files."""

import sys


class OutputError(Exception):
    """Standard output cannot be written to; `reason` says why."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


def write_output(text: str) -> None:
    """Writes text to standard output at once; an OutputError where that is impossible."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise OutputError(error) from error
