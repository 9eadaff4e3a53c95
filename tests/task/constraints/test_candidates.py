from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from tests.task.random_structures import cases, list_solutions

from skolem.support.errors import LimitError
from skolem.task.constraints.candidates import (
    find_candidates,
    find_valid_candidates,
    iterate_valid,
    sample_valid,
    solve_static,
)
from skolem.task.constraints.relations_index import MOST_PAIRED, RelationsIndex
from skolem.task.query import Query, Relations

Case = tuple[Query, Relations, int]


def rows(*tuples: tuple[int, ...]) -> np.ndarray:
    return np.array(tuples, dtype=np.int32)


def differ(*variables: int) -> tuple[tuple[int, int], ...]:
    return tuple((~x, ~y) for x, y in combinations(variables, 2))


def listed(table: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in table]


def color(edges: list[tuple[int, int]], colors: int) -> tuple[Query, Relations, int]:
    """Graph colouring as the paper writes it: neighbours get different colours."""
    vertices = 1 + max(v for edge in edges for v in edge)
    atoms = tuple(("color", (~v,)) for v in range(vertices))
    unequal = tuple((~u, ~v) for u, v in edges)
    return Query(vertices, atoms, unequal=unequal), {"color": rows(*((c,) for c in range(colors)))}, colors


PETERSEN = (
    [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)] + [(i + 5, (i + 2) % 5 + 5) for i in range(5)]
)


def test_types_and_static_atoms_select_objects() -> None:
    statics = {"type:block": rows((0,), (1,), (2,)), "red": rows((1,), (2,), (3,))}
    query = Query(2, (("type:block", (~0,)), ("red", (~0,)), ("on", (~0, ~1))))
    assert listed(find_candidates(query, statics, 4)) == [[1, 2], [0, 1, 2, 3]]


def test_a_binding_reaches_the_other_variables() -> None:
    statics = {"next": rows((0, 1), (1, 2), (2, 3))}
    query = Query(3, (("next", (~0, ~1)), ("next", (~1, ~2))))
    assert listed(find_candidates(query, statics, 4)) == [[0, 1], [1, 2], [2, 3]]
    assert listed(find_candidates(query.bind(1, 2), statics, 4)) == [[1], [2], [3]]


def test_a_bound_object_is_no_candidate_of_a_different_variable() -> None:
    query = Query(2, (), unequal=((~0, ~1), (~1, 2)))
    assert listed(find_candidates(query.bind(0, 1), {}, 4)) == [[1], [0, 3]]


def test_ternary_atoms_are_joined() -> None:
    statics = {"link": rows((0, 1, 2), (1, 1, 3), (2, 0, 0))}
    query = Query(3, (("link", (~0, ~1, ~2)),))
    assert listed(find_candidates(query.bind(1, 1), statics, 4)) == [[0, 1], [1], [2, 3]]


@pytest.mark.parametrize(
    "query",
    [
        Query(2, (("red", (~0,)), ("flag", ()))),
        Query(2, (("red", (~0,)), ("next", (1, 1)))),
        Query(2, (), unequal=((~1, ~1),)),
        Query(2, (), unequal=((3, 3),)),
        Query(2, (), equal=((2, 3),)),
        Query(2, (), equal=((~0, ~1),), unequal=((~1, ~0),)),
        Query(2, (), equal=((~0, 1),), binding=(2, -1)),
        Query(2, (("red", (~0,)),), binding=(0, -1)),
        Query(2, (("next", (~1, ~1)),)),
    ],
    ids=str,
)
def test_a_contradiction_leaves_no_candidates_at_all(query: Query) -> None:
    statics = {"red": rows((1,)), "next": rows((0, 1)), "flag": np.zeros((0, 0), dtype=np.int32)}
    assert not find_candidates(query, statics, 4).any()
    validity = find_valid_candidates(query, statics, 4)
    assert validity.unsolvable
    assert not validity.candidates.any()


@settings(deadline=None)
@given(cases())
def test_candidates_keep_every_solution_and_are_consistent(case: Case) -> None:
    query, statics, objects = case
    candidates = find_candidates(query, statics, objects)
    solutions = list_solutions(query, statics, objects)
    assert candidates.shape == (query.variables, objects)
    assert all(candidates[i, o] for s in solutions for i, o in enumerate(s))
    if query.variables:
        assert candidates.any(axis=1).all() == candidates.any()
    if candidates.any() and not query.unbound:
        assert listed(candidates) == [[o] for o in query.binding]


@settings(deadline=None)
@given(cases())
def test_one_structure_serves_all_bindings_of_a_goal(case: Case) -> None:
    query, statics, objects = case
    structure = RelationsIndex(statics, objects)
    for bound in [query, *(query.bind(i, o) for i in range(query.variables) for o in range(objects))]:
        expected = find_candidates(bound, dict(statics), objects)
        assert np.array_equal(find_candidates(bound, structure, objects), expected)


@settings(deadline=None)
@given(cases())
def test_valid_candidates_are_the_objects_of_the_solutions(case: Case) -> None:
    query, statics, objects = case
    solutions = list_solutions(query, statics, objects)
    validity = find_valid_candidates(query, statics, objects)
    expected = [sorted({s[i] for s in solutions}) for i in range(query.variables)]
    assert validity.complete
    assert listed(validity.candidates) == expected
    assert validity.unsolvable == (not solutions)
    assert validity.solution is None or validity.solution in solutions
    assert (solve_static(query, statics, objects) is None) == (not solutions)


@settings(deadline=None)
@given(cases())
def test_valid_bindings_are_iterated_in_order(case: Case) -> None:
    assert list(iterate_valid(*case)) == list_solutions(*case)


@settings(deadline=None)
@given(cases())
def test_samples_are_valid_bindings(case: Case) -> None:
    query, statics, objects = case
    sample = sample_valid(query, statics, objects, Random(0))
    solutions = list_solutions(query, statics, objects)
    assert sample in solutions if solutions else sample is None


def test_relations_over_many_objects_are_joined_as_rows() -> None:
    count = MOST_PAIRED + 10
    chain = rows(*((i, i + 1) for i in range(count - 1)))
    query = Query(3, (("next", (~0, ~1)), ("next", (~1, ~2)), ("red", (~2,))))
    statics = {"next": chain, "red": rows((1,), (500,), (count - 1,))}
    assert listed(find_candidates(query, statics, count)) == [[498, count - 3], [499, count - 2], [500, count - 1]]
    assert list(iterate_valid(query, statics, count)) == [(498, 499, 500), (count - 3, count - 2, count - 1)]
    assert find_valid_candidates(query, statics, count).candidates.sum() == 6


def test_six_different_objects_need_six_candidates() -> None:
    query = Query(6, tuple(("red", (~i,)) for i in range(6)), unequal=differ(*range(6)))
    assert find_valid_candidates(query, {"red": rows(*((i,) for i in range(5)))}, 9).unsolvable
    six = find_valid_candidates(query, {"red": rows(*((i,) for i in range(6)))}, 9)
    assert listed(six.candidates) == [list(range(6))] * 6
    hundred = find_valid_candidates(query, {"red": rows(*((i,) for i in range(100)))}, 100)
    assert hundred.complete
    assert hundred.candidates.all()


def test_too_few_objects_are_noticed_without_search() -> None:
    query = Query(40, tuple(("red", (~i,)) for i in range(40)), unequal=differ(*range(40)))
    assert solve_static(query, {"red": rows(*((i,) for i in range(39)))}, 39, effort=0) is None


def test_objects_that_the_others_need_are_not_valid() -> None:
    # Two variables share two objects, which the third one must therefore leave to them.
    statics = {"few": rows((0,), (1,)), "some": rows((0,), (1,), (2,), (3,))}
    query = Query(3, (("few", (~0,)), ("few", (~1,)), ("some", (~2,))), unequal=differ(0, 1, 2))
    assert listed(find_candidates(query, statics, 5)) == [[0, 1], [0, 1], [0, 1, 2, 3]]
    assert listed(find_valid_candidates(query, statics, 5).candidates) == [[0, 1], [0, 1], [2, 3]]


@pytest.mark.parametrize(("edges", "colors", "solvable"), [(PETERSEN, 3, True), (PETERSEN, 2, False)])
def test_graph_colouring_is_decided(edges: list[tuple[int, int]], colors: int, solvable: bool) -> None:
    query, statics, objects = color(edges, colors)
    validity = find_valid_candidates(query, statics, objects)
    assert validity.complete
    assert validity.candidates.all() == solvable
    # Binding step by step within the valid candidates never gets stuck.
    for variable in range(query.variables if solvable else 0):
        validity = find_valid_candidates(query, statics, objects)
        query = query.bind(variable, int(np.flatnonzero(validity.candidates[variable])[-1]))
    if solvable:
        assert all(query.binding[u] != query.binding[v] for u, v in edges)


def test_at_the_limit_the_outcome_says_so() -> None:
    # Vertices of a wheel with an odd rim need four colours, which arc consistency cannot see.
    rim = 9
    wheel = [(i, (i + 1) % rim) for i in range(rim)] + [(rim, i) for i in range(rim)]
    query, statics, objects = color(wheel, 3)
    assert find_valid_candidates(query, statics, objects).unsolvable
    limited = find_valid_candidates(query, statics, objects, effort=1)
    assert not limited.complete
    assert not limited.unsolvable
    assert limited.candidates.all()
    with pytest.raises(LimitError, match="1 search steps"):
        solve_static(query, statics, objects, effort=1)


def test_an_unsolvable_part_is_not_searched_again_for_each_choice_elsewhere() -> None:
    # Twelve free variables beside an odd cycle with two colours: 30 ** 12 choices that do not matter.
    cycle = [(i, (i + 1) % 5) for i in range(5)]
    atoms = tuple(("color", (~i,)) for i in range(5)) + tuple(("next", (~i, ~(i + 1))) for i in range(5, 16))
    statics = {"color": rows((0,), (1,)), "next": rows(*((a, b) for a in range(30) for b in range(30) if a != b))}
    unequal = tuple((~u, ~v) for u, v in cycle) + differ(*range(5, 17))
    assert solve_static(Query(17, atoms, unequal=unequal), statics, 30, effort=1_000) is None


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])
def test_samples_are_uniform(edges: list[tuple[int, int]]) -> None:
    statics = {"next": rows((0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (1, 2), (3, 0))}
    query = Query(3, tuple(("next", (~a, ~b)) for a, b in edges), unequal=((~0, ~2),))
    solutions = list_solutions(query, statics, 4)
    rng = Random(1)
    drawn = [sample_valid(query, statics, 4, rng) for _ in range(300 * len(solutions))]
    assert all(200 < drawn.count(s) < 400 for s in solutions)


def color_cycle(length: int, colors: int) -> tuple[Query, Relations, int]:
    """Colourings of a cycle with one relation, which random draws rarely hit when the cycle is long."""
    other = rows(*((a, b) for a in range(colors) for b in range(colors) if a != b))
    return Query(length, tuple(("other", (~i, ~((i + 1) % length))) for i in range(length))), {"other": other}, colors


def test_rare_solutions_are_sampled_from_their_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.task.constraints.candidates._DRAWS", 0)
    query, statics, objects = color_cycle(4, 3)
    solutions = list_solutions(query, statics, objects)
    rng = Random(2)
    drawn = [sample_valid(query, statics, objects, rng) for _ in range(50 * len(solutions))]
    assert all(20 < drawn.count(s) < 80 for s in solutions)


def test_rare_solutions_among_many_are_sampled_by_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.task.constraints.candidates._DRAWS", 0)
    monkeypatch.setattr("skolem.task.constraints.candidates._MOST_LISTED", 3)
    query, statics, objects = color_cycle(7, 3)
    rng = Random(3)
    drawn = {sample_valid(query, statics, objects, rng) for _ in range(30)}
    assert drawn <= set(iterate_valid(query, statics, objects))
    assert len(drawn) > 10


@settings(max_examples=20, deadline=None)
@given(cases())
def test_the_same_seed_gives_the_same_sample(case: Case) -> None:
    query, statics, objects = case
    structure = RelationsIndex(statics, objects)
    first, second = (sample_valid(query, structure, objects, Random(7)) for _ in range(2))
    assert first == second
