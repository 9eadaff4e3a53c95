"""The time of learning: shared out, and counted over all attempts."""

from pathlib import Path

import pytest

from skolem.learning.schedule import Shares, open_schedule
from skolem.support.errors import InputError


@pytest.mark.parametrize("minutes", [0.5, 2, 4, 15, 120])
def test_the_stages_follow_each_other_and_a_model_comes_within_the_first_minute(minutes: float) -> None:
    shares = Shares.of(minutes)
    ends = [shares.first_labels, shares.first_model, shares.labels, shares.training, shares.end]
    assert ends == sorted(ends)
    assert shares.end == 60 * minutes
    assert shares.first_model < 60
    # Without a first model the main one begins early.
    assert shares.first_model or shares.labels < 40


@pytest.mark.parametrize("minutes", [0.5, 2, 15])
def test_with_rounds_there_is_time_for_a_first_and_a_second_model(minutes: float) -> None:
    shares = Shares.of(minutes, rounds=True)
    ends = [shares.first_labels, shares.first_model, shares.second_labels, shares.second_model, shares.labels]
    ends += [shares.training, shares.end]
    assert ends == sorted(set(ends))
    assert shares.training - shares.labels > 0.3 * shares.end


def test_time_is_counted_over_all_attempts(tmp_path: Path) -> None:
    first = open_schedule(tmp_path, {"seed": 1}, 10, resume=False)
    first.spent = 100.0
    first.save("train")
    second = open_schedule(tmp_path, {"seed": 1}, 10, resume=True)
    assert second.stage == "train"
    assert second.used >= 100
    assert second.left is not None
    assert second.left <= 500


def test_another_or_a_broken_run_is_not_continued(tmp_path: Path) -> None:
    open_schedule(tmp_path, {"seed": 1, "labels": "exact"}, 10, resume=False).save()
    with pytest.raises(InputError, match=r"other settings \(labels\)"):
        open_schedule(tmp_path, {"seed": 1, "labels": "self"}, 10, resume=True)
    with pytest.raises(InputError, match="already holds a learning run"):
        open_schedule(tmp_path, {"seed": 1}, 10, resume=False)
    (tmp_path / "learn.json").write_text("{")
    with pytest.raises(InputError, match="not a readable record"):
        open_schedule(tmp_path, {"seed": 1}, 10, resume=True)
