import numpy as np
import pytest

from skolem.task.constraints.bitsets import pack, split, unpack
from skolem.task.constraints.candidates import find_candidates
from skolem.task.constraints.relations_index import MOST_PAIRED, RelationsIndex, index_relations
from skolem.task.query import Query

RELATIONS = {
    "flag": np.zeros((1, 0), dtype=np.int32),
    "red": np.array([[0], [2]], dtype=np.int32),
    "next": np.array([[0, 1], [1, 1], [2, 0]], dtype=np.int32),
    "link": np.array([[0, 1, 2], [2, 1, 2], [0, 0, 0]], dtype=np.int32),
}


def test_a_structure_is_still_its_relations() -> None:
    structure = RelationsIndex(RELATIONS, 3)
    assert dict(structure) == RELATIONS
    assert len(structure) == 4
    assert index_relations(structure, 3) is structure
    assert index_relations(RELATIONS, 3).relations is RELATIONS


def test_atoms_without_variables_are_true_or_false() -> None:
    structure = RelationsIndex(RELATIONS, 3)
    assert [structure.select("next", args) for args in ((0, 1), (1, 0))] == [1, 0]
    assert [structure.select("flag", (), positive) for positive in (True, False)] == [1, 0]


def test_atoms_with_one_variable_are_sets_of_objects() -> None:
    structure = RelationsIndex(RELATIONS, 3)
    assert structure.select("red", (~0,)) == 0b101
    assert structure.select("red", (~0,), positive=False) == 0b010
    assert structure.select("next", (~0, 1)) == 0b011
    assert structure.select("next", (~0, ~0)) == 0b010
    assert structure.select("link", (~0, 1, 2)) == 0b101


def test_atoms_with_two_variables_are_partners() -> None:
    structure = RelationsIndex(RELATIONS, 3)
    assert structure.select("next", (~0, ~1)) == ({1: 2, 2: 2, 4: 1}, {2: 3, 1: 4})
    assert structure.select("next", (~0, ~1), positive=False) == ({1: 5, 2: 5, 4: 6}, {1: 3, 2: 4, 4: 7})
    assert structure.select("link", (~0, ~1, ~0)) == ({1: 1, 4: 2}, {1: 1, 2: 4})


def test_larger_atoms_are_rows() -> None:
    rows = RelationsIndex(RELATIONS, 3).select("link", (~0, ~1, ~2))
    assert isinstance(rows, np.ndarray)
    assert rows.tolist() == RELATIONS["link"].tolist()
    wide = RelationsIndex(RELATIONS, MOST_PAIRED + 1).select("next", (~0, ~1))
    assert isinstance(wide, np.ndarray)


def test_what_is_remembered_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.task.constraints.relations_index._MOST_CACHED", 2)
    monkeypatch.setattr("skolem.task.constraints.solver._MOST_JOINS", 2)
    structure = RelationsIndex(RELATIONS, 3)
    for obj, successor in ((0, 1), (1, 1), (2, 0), (0, 1)):
        found = find_candidates(Query(1, (("next", (obj, ~0)),)), structure, 3)
        assert np.flatnonzero(found[0]).tolist() == [successor]
        assert len(structure.joins) <= 2


def test_sets_are_packed_and_unpacked() -> None:
    mask = pack(np.array([1, 700]), 1000)
    assert mask == 1 << 1 | 1 << 700
    assert split(mask) == [1 << 1, 1 << 700]
    assert np.flatnonzero(unpack([mask], 1000)[0]).tolist() == [1, 700]
    assert unpack([], 10).shape == (0, 10)
