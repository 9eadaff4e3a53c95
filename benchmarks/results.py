"""Where measurements are written, and what each of them says about itself."""

import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results"


def spell_command(name: str) -> str:
    """The command of this process, which is that of a benchmark."""
    return " ".join(["python", "-m", f"benchmarks.{name}", *sys.argv[1:]])


def find_versions(*packages: str) -> dict[str, str]:
    """The versions of Python and of some packages."""
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def read(name: str) -> Any:
    """What a benchmark has written so far; empty if nothing."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(name: str, content: Any, page: str | None = None) -> None:
    """Writes the figures of a benchmark, and its page where it has one."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if page is not None:
        (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
