"""Costs of plans of two versions on the same tasks."""

import gzip
import json
from pathlib import Path

from tools.compare_plans import main


def write_store(path: Path, costs: dict[str, int | None]) -> None:
    lines = [
        {
            "key": task,
            "record": {
                "group": "lama",
                "route": "auto",
                "family": "blocks",
                "neq": False,
                "task": task,
                "cost": cost,
                "valid": cost is not None,
            },
        }
        for task, cost in costs.items()
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)


def test_costs_are_summed_over_tasks_that_both_versions_solve(tmp_path: Path) -> None:
    write_store(tmp_path / "old.jsonl.gz", {"a": 10, "b": 8, "c": None, "gone": 3})
    write_store(tmp_path / "new.jsonl", {"a": 8, "b": 9, "c": 4, "added": 5})
    assert main([str(tmp_path / "old.jsonl.gz"), str(tmp_path / "new.jsonl"), "-o", str(tmp_path)]) == 0
    row, everything = json.loads((tmp_path / "plan_costs.json").read_text())["rows"]
    assert (row["family"], row["tasks"], row["solved_before"], row["solved"]) == ("blocks", 3, 2, 3)
    assert (row["cost_before"], row["cost"], row["cheaper"], row["dearer"]) == (18, 17, 1, 1)
    assert {**everything, "family": "blocks", "neq": False} == row
    assert "| blocks | no | 3 | 2 | 3 | 18 | 17 | 0.944 | 1 | 1 |" in (tmp_path / "plan_costs.md").read_text()
