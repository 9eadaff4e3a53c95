"""Every command of the tutorial does what it says, from an empty folder on; only learning is cut short."""

import os
import re
import subprocess
import sys
from pathlib import Path

from skolem.grounding.models import DATA

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.md"
BLOCK = re.compile(r"(?:^<!-- (?P<notes>[^\n]*) -->\n)?^```sh\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
SHORT = "--steps 4 --pairs 300 --goals 3 --device cpu --jobs 1"


def test_from_an_empty_folder_to_a_plan_with_a_model_of_ones_own(tmp_path: Path) -> None:
    programs = Path(sys.executable).parent
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, DATA: str(tmp_path / "data")}
    outputs = {}
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        script = block["text"].replace("--minutes 15", SHORT)
        command = ["bash", "-euo", "pipefail", "-c", script]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        expected = re.search(r"fails: (\d+)", block["notes"] or "")
        assert done.returncode == (int(expected[1]) if expected else 0), f"{script}\n{done.stdout}{done.stderr}"
        outputs[script.splitlines()[0]] = done.stdout
    assert len(outputs) == 11
    assert "no errors, no warnings" in outputs["skolem check library.pddl monday.pddl"]
    assert "the goal is true already" in outputs["skolem plan library.pddl monday.pddl"]
    assert "my-library would be used" in outputs["skolem models add my-library"]
    assert "objects chosen by the model my-library" in outputs["skolem plan library.pddl tuesday.pddl"]
    # After four steps of training a model promises no cheap plan, only a right one.
    assert outputs["skolem plan library.pddl tuesday.pddl"].count("valid for the quantified goal") == 2
