"""Figures with their intervals, and how they are written."""

from hypothesis import given
from hypothesis import strategies as st

from skolem.evaluation.tables import Table, counted, estimate_mean, estimate_ratio, number, percent


@given(st.lists(st.floats(0.1, 100.0), min_size=1, max_size=30))
def test_intervals_lie_within_the_values(values: list[float]) -> None:
    found = estimate_mean(values)
    low, high = found.interval
    assert low is not None
    assert high is not None
    slack = 1e-9 * max(values)
    assert min(values) - slack <= low <= high <= max(values) + slack
    assert found.interval == estimate_mean(values).interval


def test_a_ratio_is_over_the_pairs_that_have_both() -> None:
    found = estimate_ratio([(3, 2), (None, 5), (3, 1), (4, None)])
    assert (found.value, found.count) == (2.0, 2)


def test_nothing_gives_no_figure() -> None:
    found = estimate_ratio([])
    assert (found.value, found.interval, found.count) == (None, (None, None), 0)
    assert (percent(found), number(found, interval=True), counted(found)) == ("-", "-", "- (0)")


def test_figures_of_ours_and_of_the_paper_are_written_alike() -> None:
    ours = estimate_mean([1.0, 1.0])
    assert (number(ours, 1), number(1.0, 1), number(None)) == ("1.0", "1.0", "-")
    assert (percent(ours), percent(1.0)) == ("100.0%", "100.0%")
    assert number(ours, 1, interval=True) == "1.0 [1.0, 1.0]"
    assert counted(ours, 3) == "1.000 (2)"


def test_a_table_is_written_as_markdown() -> None:
    assert Table("t", ("a", "b"), [("1", "2")]).to_markdown() == "| a | b |\n| --- | --- |\n| 1 | 2 |"
