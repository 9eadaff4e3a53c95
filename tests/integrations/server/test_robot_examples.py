"""The scripts for robots do what they say."""

import subprocess
import sys

import pytest
from tests.integrations.server.servers import EXAMPLES, PATIENCE, Running

KEPT = "after a step: {'?m': 'mug1'} kept: True, the plan goes on as foreseen"


def run_script(name: str, *arguments: str) -> str:
    """What a script prints."""
    command = [sys.executable, str(EXAMPLES / "robot" / f"{name}.py"), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.mark.parametrize("name", ["over_http", "over_lines", "over_mcp"])
def test_another_mug_is_bound_when_one_disappears(name: str) -> None:
    said = run_script(name)
    assert "first: {'?m': 'mug1'}" in said
    assert "kept: False, mug1 is gone" in said
    assert ("a cheaper" in said or "something cheaper came" in said) == (name == "over_lines")


def test_a_running_server_will_do(server: Running) -> None:
    assert KEPT in run_script("over_http", server.url)
