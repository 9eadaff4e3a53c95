"""Processes that end with the one that started them, even where that one is killed.

Run as a script, `python parent_death.py PARENT SCRIPT ARGUMENT...` runs a Python script like that, with all that it
starts in its process group: nothing has to be forked from a process with threads for it.
"""

import ctypes
import os
import runpy
import signal
import sys
from types import FrameType

_SET_PARENT_DEATH_SIGNAL = 1


def end_with_parent(parent: int, number: int) -> None:
    """Asks for the signal to be sent to this process when the thread that started it ends; only Linux can do that.

    Where the parent has gone already, the signal is sent at once.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def main() -> None:
    """Runs a script that ends with its parent, and with it the whole process group."""

    def end_group(number: int, frame: FrameType | None) -> None:
        os.killpg(os.getpgrp(), signal.SIGKILL)

    parent, script = int(sys.argv[1]), sys.argv[2]
    signal.signal(signal.SIGTERM, end_group)
    end_with_parent(parent, signal.SIGTERM)
    sys.argv = sys.argv[2:]
    sys.path[0] = os.path.dirname(script)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
