"""The pages are built from stores alone, open with what is not explained, and say in words what the figures say."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.records import make_record, make_table

from skolem.cli import main
from skolem.evaluation.lama import summarise
from skolem.evaluation.report import build_report
from skolem.evaluation.verdicts import judge_cells, judge_families
from skolem.support.errors import InputError


def write_store(path: Path, records: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"key": str(number), "record": record}) for number, record in enumerate(records)]
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


def make_scaling() -> list[dict[str, Any]]:
    place: dict[str, Any] = {"group": "scaling-size", "family": "visitall"}
    return [make_record("learned", 5, size=size, index=size, **place) for size in (16, 100, 400)]


def test_the_pages_show_the_tables_plots_and_commands(tmp_path: Path) -> None:
    environment: dict[str, Any] = {"group": "environment", "of": "lama", "command": "skolem evaluate lama"}
    environment |= {"python": "3.12.1", "packages": {"torch": "2.11"}, "system": "Linux", "processor": "fast"}
    environment |= {"cores": 16, "jobs": 8, "threads": 1, "time_limit": 60.0, "memory_limit": 4000}
    write_store(tmp_path / "stores" / "lama.jsonl.gz", [*make_table(), environment])
    write_store(tmp_path / "stores" / "scaling.jsonl.gz", make_scaling())
    (tmp_path / "optimal.md").write_text("# Optimal\n")
    files = build_report(tmp_path / "stores", tmp_path)
    assert all(path.stat().st_size > 0 for path in files)
    lama = (tmp_path / "lama.md").read_text()
    assert "| gripper | no | 4 | 75.0%" in lama
    assert "    skolem evaluate lama\n" in lama
    assert "![solved over time](lama-cactus.svg)" in lama
    assert "visitall with 400 objects" in (tmp_path / "scaling.md").read_text()
    assert "(optimal.md)" in (tmp_path / "index.md").read_text()
    first = {path: path.read_bytes() for path in files}
    build_report(tmp_path / "stores", tmp_path)
    assert {path: path.read_bytes() for path in files} == first


def test_a_page_opens_with_what_is_not_explained(tmp_path: Path) -> None:
    odd = {**make_record("end", None), "status": "unsolvable", "exit_code": 11, "reason": "proven"}
    write_store(tmp_path / "stores" / "lama.jsonl.gz", [make_record("learned", 4), odd])
    build_report(tmp_path / "stores", tmp_path / "pages")
    page = (tmp_path / "pages" / "lama.md").read_text().split("\n\n")
    assert page[1] == "**1 results are not explained:**"
    assert page[2] == "- gripper, instance 0, end: unsolvable (proven)"


def test_the_words_follow_the_figures() -> None:
    lines = judge_cells(summarise(make_table()))
    assert lines[0] == "`skolem plan` solves 4 of 4 instances, all of every cell."
    assert lines[1].endswith("in 0 of 1; not in gripper (75.0%).")
    assert lines[2].endswith("in 0 of 1; not in gripper (1.100).")
    assert lines[3].endswith("in 0 of 1; not in gripper (1.111).")
    assert "cost 1.108 to 1.108 times those of lama-first" in lines[4]
    assert lines[4].endswith("and were not compared with those of anytime LAMA.")


def test_a_speed_up_is_told_over_all_tasks_before_any_part_of_them() -> None:
    *_, whole, typical, part = judge_cells(summarise(make_table()))
    assert whole.startswith("Over all 2 tasks that both solve")
    assert whole.endswith("in 0 of 1; not in gripper (10.00).")
    assert typical.endswith("it is 10.00 to 10.00: lama-first alone is faster in 0 of 1.")
    assert part.startswith("Over a part only, the 4 of 4 tasks")
    assert part.endswith("in 0 of 1; not in gripper (1.43).")


def test_what_was_not_measured_is_said_with_the_command_for_it(tmp_path: Path) -> None:
    write_store(tmp_path / "stores" / "lama.jsonl.gz", make_table())
    write_store(tmp_path / "stores" / "scaling.jsonl.gz", make_scaling())
    build_report(tmp_path / "stores", tmp_path)
    for experiment in ("lama", "scaling"):
        page = (tmp_path / f"{experiment}.md").read_text()
        assert "| not measured | not measured |" in page
        assert f"    skolem evaluate {experiment} --route lama-anytime " in page


def test_the_better_choice_is_named() -> None:
    rewriting = {"end": (4, 0.5), "miniscope": (9, 0.5), "bind-axiom": (9, 0.5)}
    records = [make_record(route, *found) for route, found in rewriting.items()]
    dear, _ = judge_families([*records, make_record("auto", 4, 1.0)])
    assert "the exact rewriting `end` is the better choice" in dear[-1]
    slow, _ = judge_families([*records, make_record("auto", 4, 0.4)])
    assert "as good as `end` in cost or dearer, but faster" in slow[-1]
    cheap, _ = judge_families([*records, make_record("auto", 3, 2.0)])
    assert cheap[0].endswith("in all 1 measured.")
    assert cheap[1].endswith("in 0 of 1; not in gripper (4.00).")
    assert "learned grounding wins" in cheap[-1]


def test_stores_without_results_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no stores"):
        build_report(tmp_path, tmp_path)
    write_store(tmp_path / "other.jsonl.gz", [{"cost": 3}])
    assert main(["report", "--stores", str(tmp_path), "-o", str(tmp_path), "-q"]) == 31
