"""The command line: parser, commands, output."""

import signal
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    # Nearly nothing is imported yet: who asks to stop now is heard as soon as there is somebody to answer.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    from skolem.cli.entry import run

    return run(arguments, before)
