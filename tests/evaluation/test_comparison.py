"""Figures over the records of several ways, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.records import make_record, make_table

from skolem.evaluation.comparison import (
    compare,
    compare_peers,
    estimate_mean,
    estimate_ratio,
    find_cold_starts,
    find_oddities,
    is_explained,
    list_rows,
    number,
    percent,
)
from skolem.support.errors import ExitCode


def test_the_papers_figures() -> None:
    figures = compare(list_rows(make_table()))
    assert figures["coverage"].value == 0.75
    assert figures["lama_coverage"].value == 0.75
    assert figures["v_lama"].value == pytest.approx((4 + 5 + 8) / 3)
    assert figures["learned_ratio"].value == pytest.approx((4 / 4 + 6 / 5) / 2)
    assert figures["learned_ratio"].count == 2
    assert figures["speedup"].value == pytest.approx(20.0 / 2.0)


def test_time_outs_count_at_the_limit_where_there_are_many_bindings() -> None:
    figures = compare(list_rows(make_table()))
    assert figures["speedup_large"].value == pytest.approx((10 + 10 + 60 + 10) / (1 + 1 + 1 + 60))
    few = [{**record, "bindings": 99_999} for record in make_table()]
    assert compare(list_rows(few))["speedup_large"].count == 0
    assert figures["speedup_many"].count == 0
    many = [{**record, "candidate_bindings": 100_000} for record in make_table()]
    assert compare(list_rows(many))["speedup_many"] == figures["speedup_large"]


def test_the_cheapest_rewriting_of_each_instance_is_what_counts() -> None:
    figures = compare(list_rows(make_table()))
    assert figures["auto_exact_cost"].value == pytest.approx((4 + 6 + 5 + 9) / (4 + 5 + 5 + 8))
    assert figures["learned_exact_cost"].value == pytest.approx((4 + 6 + 5) / (4 + 5 + 5))
    assert figures["learned_time"].value == pytest.approx((1 + 1 + 1 + 60) / (0.5 * 4))


def test_instances_without_all_rewritings_are_not_compared_with_the_cheapest() -> None:
    extra = [make_record(route, 3, index=9) for route in ("learned", "auto", "bind-axiom")]
    assert compare(list_rows([*make_table(), *extra]))["auto_exact_cost"].count == 4


def test_every_way_stands_by_itself() -> None:
    peers = compare_peers(list_rows(make_table()))
    assert set(peers) == {"learned", "auto", "lama", "bind-axiom", "end", "miniscope", "v-star"}
    assert peers["end"]["seconds"].value == pytest.approx((2 + 2 + 2 + 60) / 4)
    assert peers["bind-axiom"]["cost"].value == pytest.approx((6 + 6 + 7) / (4 + 6 + 5))


def test_cold_starts_are_what_a_fresh_process_adds() -> None:
    rows = list_rows(make_table())
    cold = [
        {"group": "cold", "family": "gripper", "route": "learned", "task": "task0", "status": "solved"}
        | {"times": {"wall": wall}}
        for wall in (4.0, 3.0, 9.0)
    ]
    assert find_cold_starts(cold, rows) == {("gripper", "learned"): 3.0}
    assert compare(rows, {("gripper", "learned"): 3.0})["speedup_cold"].value == pytest.approx(20.0 / 8.0)


def test_the_last_record_of_a_way_counts() -> None:
    (row,) = list_rows([make_record("auto", 5), make_record("auto", 4)])
    assert row["auto"]["cost"] == 4


def test_limits_and_bindings_out_of_reach_are_explained() -> None:
    unreachable = {"exit_code": int(ExitCode.UNSOLVED_INCOMPLETE), "reason": "this binding cannot be reached"}
    assert is_explained(make_record("learned", None))
    assert is_explained({**make_record("learned", None), **unreachable})
    assert not is_explained({**make_record("end", None), **unreachable})
    assert not is_explained({**make_record("end", None), "status": "unsolvable", "exit_code": 11})
    assert not is_explained({**make_record("lama", None), "reason": ""})


def test_a_plan_below_the_optimum_is_not_explained() -> None:
    rows = list_rows([make_record("v-star", 5), make_record("lama", 4), make_record("end", 5)])
    assert find_oddities(rows) == ["gripper, instance 0, lama: cost 4 is below V* = 5"]


@given(st.lists(st.floats(0.1, 100.0), min_size=1, max_size=30))
def test_intervals_lie_within_the_values(values: list[float]) -> None:
    found = estimate_mean(values)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    slack = 1e-9 * max(values)
    assert min(values) - slack <= found.low <= found.high <= max(values) + slack
    assert found == estimate_mean(values)


def test_nothing_gives_no_figure() -> None:
    found = estimate_ratio([], [])
    assert (found.value, found.count) == (None, 0)
    assert (percent(found), number(found)) == ("-", "-")
    assert number(estimate_mean([1.0, 1.0]), 1, interval=True) == "1.0 [1.0, 1.0]"
