"""Goals in plain words."""

import pytest
from tests.task.household import house

from skolem.pddl.wording import word_formula
from skolem.pddl.writing import spell_as_written


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("(quiet)", "quiet"),
        ("(exists (?t - cup) (clean ?t))", "some cup ?t such that ?t is Clean"),
        ("(exists (?Mug - cup) (clean ?MUG))", "some cup ?Mug such that ?Mug is Clean"),
        ("(forall (?t - cup) (at ?t hall))", "for every cup ?t: ?t at Hall"),
        ("(or (quiet) (not (clean dish)))", "quiet or not (dish is Clean)"),
        (
            "(exists (?a ?b ?c - room) (and (door ?a ?b) (not (= ?a ?b)) (not (= ?b ?c)) (not (= ?a ?c))))",
            "some room ?a, ?b, and ?c such that ?a door ?b and ?a, ?b, and ?c all differ",
        ),
        ("(and (quiet) (exists (?t) (= ?t lamp)))", "quiet and (some ?t such that ?t is lamp)"),
    ],
)
def test_a_goal_reads_as_a_sentence(goal: str, words: str) -> None:
    task = house(goal)
    assert word_formula(task.goal.formula, spell_as_written(task)) == words
