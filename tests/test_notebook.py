"""The notebook runs from top to bottom."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_notebook_runs_and_what_it_shows_has_a_picture() -> None:
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    code += "\nassert '<svg' in task._repr_svg_()\nassert '<svg' in solution._repr_html_()"
    code += "\nprint(solution.cost, best.cost)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "9 4"
    assert "'clena'" in done.stdout
