"""Values of functions as relations: every value in one range, and known ones in their own."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.test_space import TOY_PROBLEM, read_toy

from skolem.task.cost_relations import MOST_RANGES, find_cost_relations, list_cost_relations
from skolem.task.model import Task

PAIRS = [("length", a, b) for a in "abc" for b in "abc"]
VALUES = st.dictionaries(st.sampled_from(PAIRS), st.integers(0, 1000), min_size=2)


def give(values: Mapping[tuple[str, ...], int]) -> Task:
    return replace(read_toy(), values=dict(values))


def test_the_names_of_the_ranges_say_what_they_hold() -> None:
    relations = list_cost_relations([read_toy()])
    assert [r.name for r in relations] == ["cost:length::1", "cost:length:2:4", "cost:length:5:"]
    rows = find_cost_relations(read_toy(), relations)
    assert {name: found.tolist() for name, found in rows.items()} == {
        "cost:length::1": [[1, 0]],
        "cost:length:2:4": [[1, 2]],
        "cost:length:5:": [[0, 1]],
    }


def test_without_a_metric_there_are_none() -> None:
    assert list_cost_relations([read_toy(TOY_PROBLEM.replace("(:metric minimize (total-cost))", ""))]) == ()


@given(VALUES, VALUES)
def test_every_pair_with_a_value_is_in_exactly_one_range(
    known: dict[tuple[str, ...], int], other: dict[tuple[str, ...], int]
) -> None:
    relations = list_cost_relations([give(known)])
    assert len(relations) <= MOST_RANGES
    assert bool(relations) == (len(set(known.values())) > 1)
    for values in (known, other):
        task = give(values)
        found = [tuple(row) for rows in find_cost_relations(task, relations).values() for row in rows.tolist()]
        pairs = [tuple(task.index[o] for o in key[1:]) for key in values]
        assert sorted(found) == (sorted(pairs) if relations else [])
