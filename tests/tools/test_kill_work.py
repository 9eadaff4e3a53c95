"""Work that is killed and started again ends with what it would have ended with."""

import random
import sys
from pathlib import Path

from tools.kill_work import Work, disturb, drop_times, read_dataset_files, start_labelling


def test_labelling_that_is_killed_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    found = disturb(Work("label", start_labelling, read_dataset_files), 2, random.Random(0), tmp_path)
    assert len(found["kills"]) == 2
    assert found["finished_runs"] >= 1
    assert found["different"] == []
    assert found["compared"] == 17


def test_what_differs_is_told(tmp_path: Path) -> None:
    work = Work("nothing", lambda folder: [sys.executable, "-c", ""], lambda folder: {"same": 1, "name": folder.name})
    assert disturb(work, 0, random.Random(0), tmp_path)["different"] == ["run 0: name"]


def test_times_are_not_compared() -> None:
    assert drop_times({"cost": 3, "seconds": 1.5, "parts": [{"left": 2, "loss": 1}]}) == {
        "cost": 3,
        "parts": [{"loss": 1}],
    }
