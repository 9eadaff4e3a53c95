"""A robot's program starts Skolem for itself and talks to it in JSON lines: a mug disappears, and another one is bound.

python examples/robot/over_lines.py
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Skolem:
    """A process that answers lines; `with` ends it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "skolem.cli", "serve", "--stdio", "--workers", "1"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._read()

    def __enter__(self) -> "Skolem":
        return self

    def __exit__(self, *stop: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def ask(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """The answer to one question."""
        assert self._process.stdin is not None
        print(json.dumps({"id": 1, "do": operation, **parameters}), file=self._process.stdin, flush=True)
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def fetch_a_mug(skolem: Skolem) -> None:
    """Asks for a plan; then the mug that it is for is gone."""
    texts = {name: (HERE / f"{file}.pddl").read_text() for name, file in (("domain", "domain"), ("problem", "mugs"))}
    session = skolem.ask("open", **texts)["session"]
    answer = skolem.ask("ask", session=session)
    print("first:", answer["binding"], *answer["plan"])
    answer = skolem.ask("ask", session=session, gone=[answer["binding"]["?m"]])
    print("after it is gone:", answer["binding"], f"kept: {answer['kept']},", answer["why"])

    # A clean mug comes, nearer than the one that is to be washed.
    came = {"objects": {"mug4": "mug"}, "add": ["(on mug4 counter)", "(clean mug4)"]}
    answer = skolem.ask("ask", session=session, **came)
    print("after another came:", answer["binding"], f"kept: {answer['kept']},", answer["why"])


if __name__ == "__main__":
    with Skolem() as skolem:
        fetch_a_mug(skolem)
