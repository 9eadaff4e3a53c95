"""What random walks find: upper bounds only, exact where everything was found, and no word on what was not."""

from random import Random

import numpy as np
import pytest
from tests.oracle.test_space import read_instance, read_toy

from skolem.oracle.bindings import View
from skolem.oracle.exploration import explore
from skolem.oracle.ground import ground
from skolem.oracle.ground_task import GroundTask
from skolem.oracle.space import SpaceLimits, expand


def assert_bounded(task: GroundTask, limit: int) -> int:
    """Compares the costs of all pairs of atoms from the initial state; how many of them are exact."""
    found, whole = explore(task, SpaceLimits(limit), Random(1)), expand(task, SpaceLimits())
    atoms = len(whole.atoms)
    wanted = np.array([(a, b) for a in range(atoms) for b in range(a, atoms)], dtype=np.int32)
    upper, true = View(found, 0).find_costs(wanted), View(whole, 0).find_costs(wanted)
    if found.is_sample:
        assert not (upper == -1).any()
    else:
        assert (upper == true).all()
    assert (true[upper >= 0] >= 0).all()
    assert (upper[upper >= 0] >= true[upper >= 0]).all()
    assert len(found) <= limit
    return int((upper == true).sum() + ((upper == -2) & (true == -1)).sum())


@pytest.mark.parametrize("limit", [4, 20, 60])
def test_costs_are_upper_bounds(limit: int) -> None:
    assert assert_bounded(ground(read_instance("blocks", 4)), limit) > 0
    assert assert_bounded(ground(read_toy()), limit) > 0


def test_where_everything_was_found_costs_are_exact() -> None:
    task = ground(read_instance("blocks", 3))
    atoms = len(task.atoms)
    found = explore(task, SpaceLimits(1_000), Random(1))
    assert len(found) == 22
    assert not found.is_sample
    assert assert_bounded(task, 1_000) == atoms * (atoms + 1) // 2
