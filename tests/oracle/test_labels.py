from dataclasses import replace
from random import Random

import numpy as np
import pytest
from tests.oracle.reference import draw_case

from skolem.oracle.ball import grow_ball
from skolem.oracle.bindings import View
from skolem.oracle.costs import expand_task
from skolem.oracle.dataset import ShardBuilder, ShardReader
from skolem.oracle.goals import find_cost
from skolem.oracle.ground import ground
from skolem.oracle.labels import BindingCosts, Mix, choose_group, label_root
from skolem.oracle.space import SpaceLimits
from skolem.oracle.training_tasks import list_relations


def draw_root(rng: Random) -> tuple[ShardReader, BindingCosts]:
    """A shard that holds one walk from a random goal, and the costs it was made from."""
    task, query = draw_case(rng, 0.3)
    root = replace(query, binding=(-1,) * query.variables)
    view = View(expand_task(task, SpaceLimits()), 0)
    costs = BindingCosts(view, task.statics, len(task.objects), root, 10_000)
    builder = ShardBuilder(list_relations([task]))
    number = builder.add_task(len(task.objects), task.statics)
    arities = {r.name: r.arity for r in builder.relations if not r.static}
    state = builder.add_state(number, view.space.relations(0, arities))
    label_root(builder, rng, Mix(), root, costs, builder.add_goal(number, root), state)
    return ShardReader(builder.relations, builder.build()), costs


def test_every_label_is_the_exact_cost_of_its_bound_goal() -> None:
    rng = Random(5)
    for _ in range(25):
        task, query = draw_case(rng, 0.3)
        root = replace(query, binding=(-1,) * query.variables)
        space, objects = expand_task(task, SpaceLimits()), len(task.objects)
        costs = BindingCosts(View(space, 0), task.statics, objects, root, 10_000)
        assert costs.best == find_cost(space, 0, task.statics, objects, root)
        siblings = costs.tabulate(root.binding)
        for choice in rng.sample(siblings.list(siblings.unbound), 5) if siblings.unbound.sum() >= 5 else []:
            assert siblings.cost(choice) == find_cost(space, 0, task.statics, objects, root.bind(*choice))


def test_groups_hold_the_best_sibling_and_stay_in_one_node() -> None:
    rng = Random(9)
    for _ in range(40):
        reader, costs = draw_root(rng)
        shard = reader.shard
        assert (np.diff(shard.pair_node.astype(int)) >= 0).all()
        assert len(shard.pair_node) <= (1 + len(shard.node_goal) * Mix().group)
        for node in range(len(shard.node_goal)):
            siblings = costs.tabulate(reader.node(node).binding)
            here = (shard.pair_node == node) & (shard.pair_variable != -1)
            pairs = list(zip(shard.pair_variable[here].tolist(), shard.pair_object[here].tolist(), strict=True))
            assert len(set(pairs)) == len(pairs)
            known = shard.pair_cost[here & shard.pair_reachable]
            variables = {v for v, _ in pairs}
            reachable = siblings.list(siblings.reachable)
            rivals = reachable if len(variables) > 1 else [c for c in reachable if c[0] in variables]
            if rivals:
                assert known.min() == min(siblings.table[c] for c in rivals)


def test_walks_bind_well_and_badly() -> None:
    rng = Random(1)
    depths, ends = set(), set()
    for _ in range(100):
        reader, costs = draw_root(rng)
        for node in range(len(reader.shard.node_goal)):
            binding = reader.node(node).binding
            depths.add(sum(o >= 0 for o in binding))
            ends.add(bool(costs.tabulate(binding).list(costs.tabulate(binding).reachable)))
    assert depths >= {0, 1, 2}
    assert ends == {True, False}


@pytest.mark.parametrize("full", [True, False])
def test_unreachable_siblings_do_not_crowd_out_the_others(full: bool) -> None:
    rng = Random(2)
    for _ in range(40):
        _, costs = draw_root(rng)
        siblings = costs.tabulate((-1,) * costs.bindings.shape[1])
        group = choose_group(rng, Mix(), siblings, full=full)
        reachable = [c for c in group if siblings.reachable[c]]
        assert len(group) <= Mix().group
        assert len(group) - len(reachable) <= max(2, round(2 * Mix().useless * len(siblings.list(siblings.reachable))))


def test_what_lies_beyond_a_ball_gets_a_bound_and_no_label() -> None:
    rng, bounds = Random(2), 0
    for _ in range(40):
        task, query = draw_case(rng)
        root = replace(query, binding=(-1,) * query.variables)
        whole, objects = expand_task(task, SpaceLimits()), len(task.objects)
        view = View(grow_ball(ground(task), SpaceLimits(len(whole) // 3 + 1)), 0)
        costs = BindingCosts(view, task.statics, objects, root, 10_000)
        builder = ShardBuilder(list_relations([task]))
        number = builder.add_task(objects, task.statics)
        state = builder.add_state(
            number, whole.relations(0, {r.name: r.arity for r in builder.relations if not r.static})
        )
        label_root(builder, rng, Mix(bounds=3), root, costs, builder.add_goal(number, root), state)
        shard = builder.build()
        reader = ShardReader(builder.relations, shard)
        for pair, node in enumerate(shard.pair_node.tolist()):
            goal = reader.node(node)
            if shard.pair_variable[pair] >= 0:
                goal = goal.bind(int(shard.pair_variable[pair]), int(shard.pair_object[pair]))
            true = find_cost(whole, 0, task.statics, objects, goal)
            cost = int(shard.pair_cost[pair]) if shard.pair_reachable[pair] else None
            if shard.pair_bound[pair]:
                assert cost is not None
                assert cost == view.bound
                assert true is None or true >= cost
                bounds += 1
            else:
                assert cost == true
    assert bounds > 10
