"""Types: which objects are of a type, and which types can share objects."""

from tests.task.household import house

from skolem.task.types import overlap


def test_an_object_is_of_its_types_and_their_supertypes() -> None:
    task = house()
    assert [name for name in task.objects if task.has_type(name, ("cup",))] == ["cup1", "cup2", "vase"]
    assert [name for name in task.objects if task.has_type(name, ("plate", "room"))] == [
        *("kitchen", "hall", "attic", "dish", "vase")
    ]
    assert all(task.has_type(name, ("object",)) for name in task.objects)


def test_types_overlap_where_a_common_subtype_is_declared() -> None:
    supertypes = house().domain.supertypes
    assert overlap(supertypes, ("cup",), ("plate",)), "china is both"
    assert overlap(supertypes, ("object",), ("cup",))
    assert not overlap(supertypes, ("room",), ("cup", "plate"))
