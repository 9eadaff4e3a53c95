"""Made-up attributes and negated literals: what they describe, and that labels stay exact with them."""

from random import Random

import numpy as np
import pytest

from skolem.families.registry import FAMILIES
from skolem.oracle.bindings import View
from skolem.oracle.costs import SpaceCache
from skolem.oracle.goals import find_cost
from skolem.oracle.labels import BindingCosts
from skolem.oracle.masks import MASKS, PAIRS, deny_atoms, draw_masks, draw_pairs, measure_distances
from skolem.oracle.space import SpaceLimits
from skolem.oracle.training_tasks import FamilyOrigin, Variety
from skolem.support.errors import LimitError
from skolem.task.constraints.candidates import find_candidates

CHAIN = {"next": np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32), "top": np.array([[0]], dtype=np.int32)}


def test_distances_follow_facts_of_two_objects_both_ways() -> None:
    assert measure_distances(CHAIN, 5, 2).tolist() == [2, 1, 0, 1, 6]


def test_every_described_object_has_a_mask_and_masks_overlap() -> None:
    sizes, shared = set(), 0
    for seed in range(200):
        masks = draw_masks(Random(seed), [0, 1, 2, 3], CHAIN, 5)
        members = [set(masks[name][:, 0].tolist()) for name in MASKS]
        assert set().union(*members) == {0, 1, 2, 3}
        sizes |= {len(m) for m in members}
        shared += sum(map(len, members)) > 4
    assert sizes == {0, 1, 2, 3, 4}
    assert shared > 100


def test_kinds_are_partners_of_every_described_object() -> None:
    pairs = draw_pairs(Random(1), [0, 1, 2], CHAIN, 4, [4, 5])
    assert pairs[PAIRS[-1]][:, 0].tolist() == [0, 1, 2]
    assert set(pairs[PAIRS[-1]][:, 1].tolist()) <= {4, 5}
    assert len(draw_pairs(Random(1), [0, 1, 2], CHAIN, 4, ())[PAIRS[-1]]) == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_labels_are_exact_with_masks_kinds_odd_layouts_and_negated_literals(family: str) -> None:
    rng = Random(family)
    origin = FamilyOrigin(FAMILIES[family], "train", 6, variety=Variety(odd=0.7, masks=1.0))
    spaces = SpaceCache(SpaceLimits(3_000))
    arities = {r.name: r.arity for r in origin.relations if not r.static}
    checked = joined = kinds = 0
    while checked < 30 or not joined or not kinds:
        for scene in origin.draw_tasks(rng, "train", spaces):
            state = rng.randrange(len(scene.space))
            query = scene.draw_goal(rng)
            allowed = find_candidates(query, scene.statics, scene.objects)
            query = deny_atoms(rng, query, scene.space.relations(state, arities), scene.space.atoms, allowed)
            try:
                costs = BindingCosts(View(scene.space, state), scene.statics, scene.objects, query, 5_000)
            except LimitError:
                continue
            assert costs.best == find_cost(scene.space, state, scene.statics, scene.objects, query)
            checked += 1
            joined += any(name in PAIRS for name, _ in query.atoms)
            kinds += len(scene.statics[PAIRS[-1]]) > 0
