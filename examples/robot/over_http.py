"""A robot asks a server over HTTP: a mug disappears on the way, and another one is bound.

python examples/robot/over_http.py [URL]: of a running server, or else one is started for this.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

HERE = Path(__file__).parent


def ask(url: str, operation: str, **parameters: Any) -> dict[str, Any]:
    """The server's answer."""
    body = json.dumps(parameters).encode()
    request = Request(f"{url}api/{operation}", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        content: dict[str, Any] = json.load(answer)
        return content


@contextmanager
def start_server() -> Iterator[str]:
    """The address of a server that ends with this program."""
    command = [sys.executable, "-m", "skolem.cli", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = re.search(r"http://\S+", server.stderr.readline())
        try:
            yield address.group() if address else ""
        finally:
            server.terminate()


def fetch_a_mug(url: str) -> None:
    """Carries out a plan step by step; the mug that it is for is gone after the first one."""
    texts = {name: (HERE / f"{file}.pddl").read_text() for name, file in (("domain", "domain"), ("problem", "mugs"))}
    session = ask(url, "open", **texts)["session"]
    answer = ask(url, "ask", session=session)
    print("first:", answer["binding"], *answer["plan"])

    # The robot took the first step, as planned.
    answer = ask(url, "ask", session=session, remove=["(robot-at table)"], add=["(robot-at counter)"])
    print("after a step:", answer["binding"], f"kept: {answer['kept']},", answer["why"])

    # Somebody took the mug.
    gone = answer["binding"]["?m"]
    answer = ask(url, "ask", session=session, gone=[gone])
    print("after it is gone:", answer["binding"], f"kept: {answer['kept']},", answer["why"])
    print("then:", *answer["plan"])
    ask(url, "close", session=session)


if __name__ == "__main__":
    if sys.argv[1:]:
        fetch_a_mug(sys.argv[1])
    else:
        with start_server() as found:
            fetch_a_mug(found)
