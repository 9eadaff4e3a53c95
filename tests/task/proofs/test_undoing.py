"""Whether whatever is done can be undone."""

from tests.task.proofs.test_pairs import FORK, LAMPS
from tests.task.proofs.test_reachability import BLOCKS, DELIVERY, GRIPPER, VISITALL, read_family, read_text

from skolem.task.proofs.undoing import can_be_undone


def test_in_the_families_everything_can_be_undone() -> None:
    assert all(map(can_be_undone, (BLOCKS, GRIPPER, DELIVERY, VISITALL)))


def test_not_where_ways_lead_in_one_direction() -> None:
    assert not can_be_undone(read_family("visitall", "c1 c2", "(connected c1 c2) (at-robot c1) (visited c1)"))


def test_not_where_something_is_used_up() -> None:
    assert not can_be_undone(read_text(FORK, "hall left right attic m", f"{LAMPS} (match m)"))


def test_not_where_it_depends_on_more_than_the_objects_of_an_action() -> None:
    toggle = "(:action act :parameters (?x) :effect (and (when (p ?x) (not (p ?x))) (when (not (p ?x)) (p ?x))))"
    assert not can_be_undone(read_text(f"(define (domain d) (:predicates (p ?x)) {toggle})", "a", "(p a)"))
