from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from skolem.task.constraints.all_different import find_cliques, has_matching


@settings(deadline=None)
@given(st.lists(st.integers(1, 31), max_size=5))
def test_a_matching_exists_exactly_if_brute_force_finds_one(domains: list[int]) -> None:
    members = [[bit for bit in range(5) if domain >> bit & 1] for domain in domains]
    assert has_matching(domains) == any(len(set(choice)) == len(domains) for choice in product(*members))


@settings(deadline=None)
@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] < pair[1])))
def test_cliques_differ_pairwise_and_share_no_member(edges: set[tuple[int, int]]) -> None:
    unequal = [[b for b in range(7) if (a, b) in edges or (b, a) in edges] for a in range(7)]
    cliques = find_cliques(unequal)
    members = [member for clique in cliques for member in clique]
    assert len(members) == len(set(members))
    assert all(len(clique) > 2 for clique in cliques)
    assert all(b in unequal[a] for clique in cliques for a in clique for b in clique if a != b)


def test_one_large_clique_is_found_whole() -> None:
    assert find_cliques([[b for b in range(9) if b != a] for a in range(9)]) == [list(range(9))]
