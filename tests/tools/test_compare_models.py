"""Models are compared on tasks that are not those of the optimal sets."""

import pytest
from tools.compare_models import SEED, draw_tasks, main

from skolem.evaluation.test_sets import load_optimal_set


def test_the_tasks_are_new_and_have_a_cost() -> None:
    tasks = draw_tasks("visitall", False, 3)
    assert len(tasks) == 3
    assert load_optimal_set("visitall", False).seed != SEED
    assert all(cost > 0 for _, cost in tasks)


def test_the_table_has_a_row_for_each_model_and_setting(capsys: pytest.CaptureFixture[str]) -> None:
    main(["visitall", "src/skolem/models/visitall", "--count", "2"])
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[:3] for row in rows] == [["| visitall", "no", "2"], ["| visitall", "yes", "2"]]
    assert all("100.0%" in row for row in rows)
