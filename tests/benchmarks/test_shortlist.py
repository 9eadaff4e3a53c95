"""The benchmark of the rater's shortlist in miniature."""

from pathlib import Path

import pytest

from benchmarks import shortlist


def test_every_shortlist_has_a_row_and_all_objects_are_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortlist, "SIZES", {"visitall": (16, 25)})
    assert shortlist.main(["--tasks", "1", "-o", str(tmp_path)]) == 0
    rows = [line for line in (tmp_path / "shortlist.md").read_text().splitlines() if line.startswith("| visitall")]
    assert len(rows) == len(shortlist.SHORTLISTS)
    assert "| all | all | all |" in rows[-1]
