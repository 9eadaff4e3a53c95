import json
import os
from pathlib import Path
from random import Random

import pytest
from tools.fuzz_reader import Texts, list_seeds, main, mutate

from tools import fuzz_reader


def test_mutated_files_give_tasks_or_clean_errors(tmp_path: Path) -> None:
    output = tmp_path / "fuzz.json"
    arguments = ["--count", "1500", "--seed", "5", "--jobs", "2", "--store", str(tmp_path), "-o", str(output)]
    assert main(arguments) == 0
    first = json.loads(output.read_text())
    assert sum(first["outcomes"].values()) == 1500
    (store,) = tmp_path.glob("*.jsonl")
    kept = store.read_text()
    store.write_text(kept + '{"first": 15')
    assert main(arguments) == 0
    assert json.loads(output.read_text()) == first
    assert store.read_text() == kept


def test_what_ends_the_process_is_told_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_badly(texts: Texts) -> str:
        if texts == mutate(Random("0 3"), list_seeds()):
            os._exit(1)
        return "unexpected ValueError: no" if len(texts[0]) % 5 == 0 else "Task"

    monkeypatch.setattr(fuzz_reader, "read_once", read_badly)
    output = tmp_path / "fuzz.json"
    assert main(["--count", "30", "--store", str(tmp_path), "-o", str(output)]) == 1
    failures = {f["number"]: f["outcome"] for f in json.loads(output.read_text())["failures"]}
    assert failures.pop(3) == "crash"
    assert set(failures.values()) == {"unexpected ValueError: no"}
