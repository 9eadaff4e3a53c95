"""Generated tasks: the same arguments give the same text, the sets have their sizes, goals are false at the start."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skolem.families.family import COLOURS
from skolem.families.registry import FAMILIES, SETS, Instance, generate_problem
from skolem.pddl.reading import read_task_text
from skolem.planning import end
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import Limits
from skolem.support.errors import InputError
from skolem.task.model import Source, Task
from skolem.task.satisfaction import find_witness

SIZES = {
    "blocks": {"train": (2, 7), "optimal": (8, 8), "lama": (9, 17)},
    "blocks-c": {"train": (2, 7), "optimal": (8, 8), "lama": (9, 17)},
    "gripper": {"train": (9, 11), "optimal": (13, 13), "lama": (15, 47)},
    "delivery": {"train": (6, 25), "optimal": (26, 30), "lama": (31, 88)},
    "visitall": {"train": (2, 16), "optimal": (20, 20), "lama": (25, 100)},
}

families = pytest.mark.parametrize("family", FAMILIES)
instances = st.builds(
    generate_problem,
    st.sampled_from(list(FAMILIES)),
    st.sampled_from(SETS),
    st.integers(0, 2**32),
    st.integers(0, 10_000),
    neq=st.booleans(),
)


def read_instance(instance: Instance) -> Task:
    return read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))


@families
def test_the_same_arguments_give_the_same_text(family: str) -> None:
    first, second = (generate_problem(family, "optimal", 3, 5, neq=True).problem_text for _ in range(2))
    assert first == second


@families
def test_every_set_setting_seed_and_index_has_its_own_stream(family: str) -> None:
    texts = [
        generate_problem(family, set_, seed, index, size=13, variables=2, neq=neq).problem_text.split("(:domain")[1]
        for set_ in SETS
        for neq in (False, True)
        for seed in (0, 1)
        for index in (0, 1)
    ]
    assert len(set(texts)) == len(texts)


def test_a_text_once_generated_stays() -> None:
    assert generate_problem("blocks", "train", 0, 0, size=3, variables=2, neq=True).problem_text == EXPECTED


@settings(deadline=None, max_examples=80)
@given(instances)
def test_goals_describe_what_the_sets_promise(instance: Instance) -> None:
    family = FAMILIES[instance.family]
    assert instance.size == len(instance.layout.objects) == len(set(instance.layout.objects))
    assert instance.size in family.sizes[instance.set]
    assert 1 <= instance.variables <= (4 if instance.set == "train" else 6)
    assert set(instance.colours) == set(instance.layout.coloured)
    assert 1 <= len(set(instance.colours.values())) <= 6
    described = Counter(atom[1] for atom in instance.goal.atoms if atom[0] in COLOURS)
    assert described == dict.fromkeys(instance.goal.variables, 1)
    pairs = instance.variables * (instance.variables - 1) // 2
    assert len(instance.goal.unequal) == (pairs if instance.neq else 0)


@settings(deadline=None, max_examples=40)
@given(instances)
def test_the_text_reads_back_as_the_instance_with_its_goal_false(instance: Instance) -> None:
    task = read_instance(instance)
    assert set(task.objects) == set(instance.layout.objects)
    assert task.goal.outside is None
    assert len(task.query.atoms) == len(instance.goal.atoms)
    assert len(task.query.unequal) == len(instance.goal.unequal)
    assert find_witness(task.query, task.init, len(task.objects)) is None


@families
@pytest.mark.parametrize("set_", ["train", "optimal", "lama"])
def test_sets_cover_their_sizes(family: str, set_: str) -> None:
    sizes = FAMILIES[family].sizes[set_]
    assert (min(sizes), max(sizes)) == SIZES[family][set_]
    drawn = {generate_problem(family, set_, 0, index).size for index in range(40)}
    assert drawn <= set(sizes)
    assert len(drawn) > min(len(sizes), 5) - 1


@families
@pytest.mark.parametrize("neq", [False, True])
def test_every_number_of_variables_has_a_tenth_of_the_tests(family: str, neq: bool) -> None:
    count = Counter(generate_problem(family, "optimal", 0, index, neq=neq).variables for index in range(100))
    assert sorted(count) == [1, 2, 3, 4, 5, 6]
    assert min(count.values()) >= 10


@families
def test_colours_vary(family: str) -> None:
    counts = {len(set(generate_problem(family, "lama", 0, i, neq=True).colours.values())) for i in range(80)}
    assert counts >= {2, 3, 4, 5, 6}


@families
@pytest.mark.parametrize("neq", [False, True])
def test_generated_tasks_are_solvable(family: str, neq: bool) -> None:
    rewriting = end.rewrite(read_instance(generate_problem(family, "optimal", 1, 0, variables=6, neq=neq)))
    result = run_planner(rewriting.domain_text, rewriting.problem_text, "lama-first", Limits(seconds=120))
    assert result.status == "solved"


@pytest.mark.parametrize(
    ("family", "size", "variables", "words"),
    [
        ("sokoban", None, None, "expected one of blocks"),
        ("blocks", 3, 5, "size 3"),
        ("visitall", 1, 1, "the smallest is 2"),
        ("delivery", 9, 5, "5 variables"),
        ("gripper", 13, 0, "0 variables"),
    ],
)
def test_impossible_wishes_are_refused(family: str, size: int | None, variables: int | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        generate_problem(family, "train", 0, 0, size=size, variables=variables)


@families
def test_every_training_size_takes_as_many_variables_as_it_says(family: str) -> None:
    kind = FAMILIES[family]
    for size in kind.sizes["train"]:
        most = min(4, kind.most_variables(size))
        assert generate_problem(family, "train", 0, size, size=size, variables=most, neq=True).variables == most
    assert all(kind.most_variables(a) <= kind.most_variables(b) for a, b in pairwise(kind.sizes["lama"]))


EXPECTED = """\
(define (problem blocks-train-neq-0-0)
  (:domain blocks)
  (:objects b1 b2 b3)
  (:init
    (handempty)
    (ontable b2)
    (on b1 b2)
    (clear b1)
    (ontable b3)
    (clear b3)
    (orange b1)
    (yellow b2)
    (yellow b3))
  (:goal (exists (?x1 ?x2)
    (and
      (yellow ?x1)
      (orange ?x2)
      (on ?x2 ?x1)
      (on ?x1 b3)
      (not (= ?x1 ?x2))))))
"""
