from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.task.household import DOMAIN, house, sources

from skolem.pddl.reading import read_domain, read_task, read_task_text
from skolem.pddl.sections import read_source
from skolem.planning.exact import plan_exact
from skolem.support.errors import InputError
from skolem.task.formulas import Atom
from skolem.task.model import Source, type_relation


def names(task_rows: list[list[int]], objects: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {tuple(objects[i] for i in row) for row in task_rows}


def test_a_domain_declares_types_predicates_and_what_changes() -> None:
    domain = read_domain(Source("house.pddl", DOMAIN))
    assert domain.name == "house"
    assert tuple(domain.constants) == ("kitchen",)
    assert domain.supertypes["china"] == {"china", "cup", "plate", "thing", "object"}
    assert domain.predicates["at"] == (("thing",), ("room",))
    assert domain.static == {"door"}
    assert domain.derived == {"handy"}


def test_objects_are_constants_then_objects_in_lower_case() -> None:
    task = house()
    assert task.objects == ("kitchen", "hall", "attic", "cup1", "cup2", "dish", "vase", "lamp")
    assert task.types["hall"] == ("room",)
    assert task.types["lamp"] == ("object",)


def test_the_initial_state_holds_every_predicate_and_type() -> None:
    task = house()
    rows = {name: names(relation.tolist(), task.objects) for name, relation in task.init.items()}
    assert rows["at"] == {("cup1", "hall"), ("cup2", "kitchen"), ("dish", "kitchen")}
    assert rows["handy"] == {("cup1",)}, "derived predicates are evaluated"
    assert rows["type:cup"] == {("cup1",), ("cup2",), ("vase",)}
    assert rows["type:china"] == {("vase",)}
    assert len(rows["type:object"]) == len(task.objects)
    assert task.init["quiet"].shape == (0, 0)
    assert set(task.statics) == {"door", "named:kitchen", *(type_relation((t,)) for t in task.domain.supertypes)}


def test_costs_are_kept() -> None:
    task = house()
    assert task.has_metric
    assert task.values["far", "hall", "attic"] == 1


def test_a_union_of_types_has_its_own_relation() -> None:
    task = house("(exists (?x - (either cup room)) (and))")
    assert names(task.init["type:cup|room"].tolist(), task.objects) == {
        *(("cup1",), ("cup2",), ("vase",), ("kitchen",), ("hall",), ("attic",))
    }


def test_a_fact_without_arguments_is_one_empty_row() -> None:
    domain, problem = sources("(quiet)")
    task = read_task_text(
        domain, replace(problem, text=problem.text.replace("(robot hall)", "(robot hall) (quiet)", 1))
    )
    assert task.init["quiet"].shape == (1, 0)


def test_denied_and_repeated_facts_are_taken() -> None:
    domain, problem = sources("(quiet)")
    more = problem.text.replace("(robot hall)", "(robot hall) (robot hall) (not (robot attic))", 1)
    assert len(read_task_text(domain, replace(problem, text=more)).init["robot"]) == 1


def test_actions_without_effects_and_quantifiers_without_variables() -> None:
    domain = """(define (domain bare) (:requirements :adl) (:predicates (a) (b))
      (:action nothing :parameters ())
      (:action something :precondition (forall () (a)) :effect (forall () (b))))"""
    problem = "(define (problem p) (:domain bare) (:init (a)) (:goal (exists () (and (forall () (a)) (b)))))"
    task = read_task_text(Source("d", domain), Source("p", problem))
    nothing, something = task.domain.actions
    assert (nothing.effects, something.precondition) == ((), Atom("a", ()))
    assert plan_exact(task).plan == ("(something)",)


def test_the_goal_form_is_found_in_the_text() -> None:
    task = house("(quiet)")
    start, end = task.goal_span
    assert task.source.text[start:end] == "(:goal (quiet))"


def test_files_with_byte_order_mark_and_foreign_line_ends(tmp_path: Path) -> None:
    domain, problem = sources("(quiet)")
    (tmp_path / "d.pddl").write_bytes(b"\xef\xbb\xbf" + domain.text.replace("\n", "\r\n").encode())
    (tmp_path / "p.pddl").write_bytes(problem.text.replace("\n", "\r\n").encode())
    task = read_task(tmp_path / "d.pddl", str(tmp_path / "p.pddl"))
    assert task.source.text.count("\r\n") == problem.text.count("\n")
    assert task.goal.atoms[0].predicate == "quiet"


def test_upper_case_everywhere() -> None:
    domain, problem = sources("(EXISTS (?X - CUP) (CLEAN ?X))")
    task = read_task_text(replace(domain, text=domain.text.upper()), replace(problem, text=problem.text.upper()))
    assert task.goal.variables[0].types == ("cup",)
    assert task.objects == house().objects


def test_a_bare_task_without_optional_sections() -> None:
    domain = Source("d", "(define (domain d))")
    task = read_task_text(domain, Source("p", "(define (problem p) (:domain d) (:init) (:goal (and)))"))
    assert task.objects == ()
    assert set(task.init) == {"type:object"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: None, "cannot be read (No such file or directory), expected a PDDL file"),
        (lambda p: p.mkdir(), "this is a directory, expected a PDDL file"),
        (lambda p: p.write_bytes(b"(define\n (a \xff))"), "2:5: not UTF-8, expected PDDL text"),
        (lambda p: p.write_bytes(b""), "the file holds no definition"),
        (lambda p: p.write_bytes(bytes(range(128))), "the character with code 0"),
    ],
)
def test_unreadable_files(tmp_path: Path, make: Callable[[Path], object], message: str) -> None:
    path = tmp_path / "x.pddl"
    make(path)
    with pytest.raises(InputError) as caught:
        read_task(path, path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path) + ":")


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_source("a\0b")
