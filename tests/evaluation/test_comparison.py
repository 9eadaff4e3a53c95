"""Figures and outcomes of the records of several routes, worked out by hand."""

import pytest
from tests.evaluation.records import Record, make_record, make_table

from skolem.evaluation.comparison import (
    compare,
    compare_peers,
    find_cold_starts,
    find_outcome,
    list_rows,
    list_unexplained,
    tabulate_outcomes,
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


def test_costs_are_compared_by_the_mean_of_ratios_and_by_the_ratio_of_sums() -> None:
    figures = compare(list_rows(make_table()))
    assert figures["learned_star_ratio"].value == pytest.approx((4 / 4 + 6 / 5 + 5 / 5) / 3)
    assert figures["learned_total_star_ratio"].value == pytest.approx((4 + 6 + 5) / (4 + 5 + 5))
    assert figures["learned_total_ratio"].value == pytest.approx((4 + 6) / (4 + 5))


def test_the_median_of_a_speed_up_is_that_of_single_tasks() -> None:
    times = [("lama", 1.0, 0), ("lama", 2.0, 1), ("lama", 90.0, 2), *(("learned", 1.0, i) for i in range(3))]
    figures = compare(list_rows([make_record(route, 4, seconds, index) for route, seconds, index in times]))
    assert (figures["speedup"].value, figures["speedup"].median) == (31.0, 2.0)


def test_the_best_known_counts_only_where_something_else_could_have_been_better() -> None:
    costs: dict[str, list[int | None]] = {
        "auto": [5, 5, 5, 5],
        "learned": [5, 7, 5, 5],
        "bind-axiom": [9, 5, 4, None],
        "v-star": [5, None, None, None],
    }
    found = compare(list_rows([make_record(r, c, 1.0, i) for r, costs in costs.items() for i, c in enumerate(costs)]))
    # The last task only its own routes solve: that nothing better is known says nothing.
    assert (found["auto_contested"].count, found["auto_best_cost"].count) == (3, 4)
    assert found["auto_contested"].value == pytest.approx((5 + 5 + 5) / (5 + 5 + 4))
    assert found["learned_contested"].value == pytest.approx((5 + 7 + 5 + 5) / (5 + 5 + 4 + 5))


def test_instances_without_all_rewritings_are_not_compared_with_the_cheapest() -> None:
    extra = [make_record(route, 3, index=9) for route in ("learned", "auto", "bind-axiom")]
    assert compare(list_rows([*make_table(), *extra]))["auto_exact_cost"].count == 4


def test_every_route_stands_by_itself() -> None:
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


def test_the_last_record_of_a_route_counts() -> None:
    (row,) = list_rows([make_record("auto", 5), make_record("auto", 4)])
    assert row["auto"]["cost"] == 4


def name_outcome(record: Record) -> str | None:
    outcome = find_outcome(record)
    return None if outcome is None else outcome.name


def test_limits_and_bindings_out_of_reach_are_explained() -> None:
    unreachable = {"exit_code": int(ExitCode.UNSOLVED_INCOMPLETE), "reason": "this binding cannot be reached"}
    assert name_outcome(make_record("learned", None)) == "out of time"
    assert name_outcome({**make_record("learned paper", None), **unreachable}) == "out of reach"
    assert name_outcome({**make_record("lama", None), "exit_code": 20}) == "out of memory"
    assert name_outcome({**make_record("end", None), **unreachable}) is None
    assert name_outcome({**make_record("end", None), "status": "unsolvable", "exit_code": 11}) is None
    assert name_outcome({**make_record("lama", None), "reason": ""}) is None


def test_a_plan_below_the_optimum_is_not_explained() -> None:
    rows = list_rows([make_record("v-star", 5), make_record("lama", 4), make_record("end", 5)])
    assert list_unexplained(rows) == ["gripper, instance 0, lama: cost 4 is below V* = 5"]
    known = list_rows([{**make_record("random", 3), "v_star": 4}])
    assert list_unexplained(known) == ["gripper, instance 0, random: cost 3 is below V* = 4"]


def test_outcomes_are_counted_with_their_meaning() -> None:
    odd = {**make_record("end", None, index=7), "status": "error", "exit_code": 35, "reason": "internal error"}
    found = {name: count for name, count, _ in tabulate_outcomes(list_rows([*make_table(), odd])).rows}
    assert found == {"solved": "24", "out of time": "4", "out of memory": "0", "out of reach": "0"} | {
        "not explained": "1"
    }
