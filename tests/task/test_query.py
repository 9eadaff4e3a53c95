import numpy as np
from hypothesis import given, settings
from tests.task.random_structures import cases, list_solutions

from skolem.task.query import Query, Relations, merge_equal


def test_binding_leaves_atoms_as_they_are() -> None:
    query = Query(2, (("on", (~0, ~1)), ("red", (~1,))))
    bound = query.bind(1, 4)
    assert bound.atoms is query.atoms
    assert bound.binding == (-1, 4)
    assert bound.unbound == (0,)
    assert [bound.resolve(a) for a in (~0, ~1, 3)] == [~0, 4, 3]


def test_equal_variables_become_one() -> None:
    merged = merge_equal(Query(3, (("on", (~0, ~1)), ("on", (~2, ~1))), equal=((~0, ~2),), unequal=((~2, ~1),)))
    assert merged.query == Query(2, (("on", (~0, ~1)),), unequal=((~0, ~1),))
    assert merged.extend((7, 8)) == (7, 8, 7)


def test_a_variable_that_equals_an_object_is_bound() -> None:
    merged = merge_equal(Query(2, (("red", (~1,)),), equal=((5, ~0), (~0, ~1))))
    assert merged.query == Query(1, (("red", (~0,)),), binding=(5,))
    assert merged.extend(merged.query.binding) == (5, 5)


def test_contradictory_equalities_leave_an_inequality_that_nothing_satisfies() -> None:
    assert merge_equal(Query(0, (), equal=((1, 2),))).query.unequal == ((1, 1),)
    assert merge_equal(Query(1, (), equal=((~0, 1), (~0, 2)))).query.unequal == ((2, 2),)
    assert merge_equal(Query(1, (), equal=((3, 3), (~0, ~0)))).query == Query(1, ())


@settings(deadline=None)
@given(cases())
def test_merging_keeps_the_solutions(case: tuple[Query, Relations, int]) -> None:
    query, statics, objects = case
    merged = merge_equal(query)
    assert not merged.query.equal
    extended = {merged.extend(s) for s in list_solutions(merged.query, statics, objects)}
    assert extended == set(list_solutions(query, statics, objects))


def test_a_long_chain_of_equalities_is_merged() -> None:
    count = 100_000
    chain = tuple((~i, ~(i + 1)) for i in reversed(range(count - 1)))
    merged = merge_equal(Query(count, (), equal=chain))
    assert merged.query.variables == 1
    assert np.unique(merged.home).tolist() == [0]
