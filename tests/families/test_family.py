"""The parts that all families share: shares, colours, goals as queries, PDDL text."""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from skolem.families.family import (
    COLOURS,
    GoalSpec,
    Layout,
    Shares,
    index_atoms,
    pick_by_colour,
    require_distinct,
    weigh_colours,
    write_problem,
)
from skolem.task.query import Query

GOAL = GoalSpec(("?x1", "?x2"), (("red", "?x1"), ("on", "?x1", "?x2"), ("on", "?x2", "b")))


def test_even_quotas_take_values_by_their_shares() -> None:
    shares = Shares({1: 3, 2: 1, 5: 1})
    assert Counter(shares.pick(i / 10) for i in range(10)) == {1: 6, 2: 2, 5: 2}


def test_shares_leave_out_values_that_are_too_large() -> None:
    assert Counter(Shares({1: 3, 2: 1, 5: 1}).pick(i / 8, most=2) for i in range(8)) == {1: 6, 2: 2}
    assert Shares({4: 1, 5: 1}).pick(0.5, most=3) == 3


@given(st.lists(st.sampled_from(COLOURS), min_size=1, max_size=12), st.data())
def test_picking_by_colour_repeats_no_colour_before_all_were_taken(colours: list[str], data: st.DataObject) -> None:
    colouring = {f"o{i}": colour for i, colour in enumerate(colours)}
    count = data.draw(st.integers(0, len(colours)))
    picked = pick_by_colour(Random(data.draw(st.integers(0, 9))), colouring, count)
    assert len(picked) == len(set(picked)) == count
    first = [colouring[name] for name in picked[: len(set(colours))]]
    assert len(set(first)) == len(first)


def test_weighted_colours_have_a_common_and_a_rare_one() -> None:
    names = tuple(f"o{i}" for i in range(1000))
    colours = weigh_colours(Random(1), Layout(names, (), names), 4)
    common, *_, rare = Counter(colours.values()).most_common()
    assert 3 * rare[1] < common[1]


def test_a_goal_becomes_a_query_over_numbered_objects() -> None:
    assert require_distinct(GOAL).to_query(["a", "b"]) == Query(
        2, (("red", (~0,)), ("on", (~0, ~1)), ("on", (~1, 1))), unequal=((~0, ~1),)
    )


def test_atoms_become_arrays() -> None:
    relations = index_atoms(["a", "b"], [("handempty",), ("on", "b", "a"), ("on", "a", "b")])
    assert relations["handempty"].shape == (1, 0)
    assert relations["on"].tolist() == [[1, 0], [0, 1]]


def test_problems_are_written_as_pddl() -> None:
    text = write_problem("p", "blocks", ["a", "b"], [("handempty",), ("red", "a")], require_distinct(GOAL))
    assert " ".join(text.split()) == (
        "(define (problem p) (:domain blocks) (:objects a b) (:init (handempty) (red a)) (:goal (exists (?x1 ?x2) "
        "(and (red ?x1) (on ?x1 ?x2) (on ?x2 b) (not (= ?x1 ?x2))))))"
    )
