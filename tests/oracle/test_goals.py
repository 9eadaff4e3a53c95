from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest
from tests.oracle.reference import draw_case, holds, search

from skolem.families.registry import generate_problem
from skolem.oracle.bindings import View, find_columns, list_valid
from skolem.oracle.goals import find_cost, find_costs, find_goal_states
from skolem.oracle.ground import ground
from skolem.oracle.space import Space, SpaceLimits, expand
from skolem.pddl.reading import read_task_text
from skolem.support.errors import LimitError
from skolem.task.model import Source, Task
from skolem.task.query import Query


def open_space(task: Task) -> Space:
    return expand(ground(task), SpaceLimits())


def read_visitall(cells: int, seed: int) -> Task:
    instance = generate_problem("visitall", "train", seed, 0, size=cells, variables=1)
    return read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))


def measure_grid(task: Task) -> np.ndarray:
    """Distances between all cells, by Floyd and Warshall."""
    size = len(task.objects)
    distance = np.full((size, size), 10**6)
    np.fill_diagonal(distance, 0)
    distance[tuple(task.init["connected"].T)] = 1
    for middle in range(size):
        distance = np.minimum(distance, distance[:, [middle]] + distance[[middle]])
    return distance


def test_costs_agree_with_brute_force() -> None:
    rng = Random(7)
    for _ in range(60):
        task, query = draw_case(rng, 0.3)
        space, objects = open_space(task), len(task.objects)
        expected = search(task, query)
        costs = find_costs(space, task.statics, objects, query)
        assert costs[0] == (-1 if expected is None else expected)
        assert find_cost(space, 0, task.statics, objects, query) == expected


def test_goal_states_and_costs_of_all_states_agree_with_brute_force() -> None:
    rng = Random(11)
    for _ in range(15):
        task, query = draw_case(rng, 0.3)
        space, objects = open_space(task), len(task.objects)
        truth = find_goal_states(space, task.statics, objects, query)
        costs = find_costs(space, task.statics, objects, query)
        arities = {n: len(t) for n, t in task.domain.predicates.items() if n not in task.domain.static}
        for state in rng.sample(range(len(space)), min(30, len(space))):
            assert truth[state] == holds({**task.statics, **space.relations(state, arities)}, objects, query)
            expected = find_cost(space, state, task.statics, objects, query)
            assert costs[state] == (-1 if expected is None else expected)


def test_costs_of_complete_bindings_explain_the_cost_of_every_partial_one() -> None:
    rng = Random(3)
    for _ in range(60):
        task, query = draw_case(rng, 0.3)
        space, objects = open_space(task), len(task.objects)
        root = replace(query, binding=(-1,) * query.variables)
        state = rng.randrange(len(space))
        bindings = list_valid(task.statics, objects, root, 10**6)
        costs = View(space, state).find_costs(find_columns(space, task.statics, root, bindings))
        fits = [all(b in (-1, o) for b, o in zip(query.binding, row, strict=True)) for row in bindings.tolist()]
        known = costs[np.array(fits, dtype=bool)]
        best = known[known >= 0].min() if (known >= 0).any() else None
        assert best == find_cost(space, state, task.statics, objects, query)


def test_visit_one_is_the_distance_to_the_nearest_cell_of_the_colour() -> None:
    for seed in range(5):
        task = read_visitall(9, seed)
        space, distance = open_space(task), measure_grid(task)
        robot = int(task.init["at-robot"][0, 0])
        for colour in ("red", "blue", "green"):
            query = Query(1, ((colour, (~0,)), ("visited", (~0,))))
            cells = task.init[colour][:, 0]
            expected = distance[robot, cells].min() if len(cells) else None
            assert find_cost(space, 0, task.statics, len(task.objects), query) == expected


def test_visit_many_is_the_least_tour_over_cells_and_orders() -> None:
    for seed in range(5):
        task = read_visitall(9, seed)
        space, distance = open_space(task), measure_grid(task)
        robot = int(task.init["at-robot"][0, 0])
        colours = [c for c in ("red", "blue", "green", "yellow", "orange", "purple") if len(task.init[c])][:3]
        colours = (colours * 3)[:3]
        atoms = [(c, (~i,)) for i, c in enumerate(colours)] + [("visited", (~i,)) for i in range(3)]
        unequal = ((~0, ~1), (~0, ~2), (~1, ~2))
        query = Query(3, tuple(atoms), unequal=unequal)
        bindings = list_valid(task.statics, len(task.objects), query, 10**6).tolist()
        tours = [
            distance[robot, a] + distance[a, b] + distance[b, c]
            for binding in bindings
            for a, b, c in permutations(binding)
        ]
        expected = min(tours, default=None)
        assert find_cost(space, 0, task.statics, len(task.objects), query) == expected


def test_valid_bindings_are_limited() -> None:
    task = read_visitall(9, 0)
    query = Query(3, tuple(("visited", (~i,)) for i in range(3)))
    assert len(list_valid(task.statics, 9, query, 729)) == 729
    with pytest.raises(LimitError, match="more than 728 valid bindings"):
        list_valid(task.statics, 9, query, 728)


def test_equalities_constants_and_contradictions() -> None:
    task = read_visitall(6, 1)
    space = open_space(task)

    def cost(query: Query) -> int | None:
        return find_cost(space, 0, task.statics, 6, query)

    robot = int(task.init["at-robot"][0, 0])
    assert cost(Query(0, (("visited", (robot,)),))) == 0
    assert cost(Query(2, (("visited", (~0,)),), equal=((~0, ~1), (~1, robot)))) == 0
    assert cost(Query(1, (("visited", (~0,)),), unequal=((~0, ~0),))) is None
    assert cost(Query(1, (("visited", (~0,)),), unequal=((~0, robot),))) == 1
    assert cost(Query(0, (("at-robot", (0,)), ("at-robot", (1,))))) is None


def test_a_view_of_a_partial_space_tells_unknown_from_unreachable() -> None:
    task = read_visitall(9, 2)
    part = expand(ground(task), SpaceLimits(40), partial=True)
    query = Query(2, (("visited", (~0,)), ("visited", (~1,))))
    bindings = list_valid(task.statics, 9, query, 81)
    whole = View(open_space(task), 0).find_costs(find_columns(open_space(task), task.statics, query, bindings))
    partial = View(part, 0).find_costs(find_columns(part, task.statics, query, bindings))
    assert (partial == -2).any()
    assert part.horizon is not None
    assert (whole[partial == -2] > part.horizon).all()
    assert (partial[partial != -2] == whole[partial != -2]).all()
    with pytest.raises(ValueError, match="initial state only"):
        View(part, 3)
