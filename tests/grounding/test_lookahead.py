"""Looking ahead: goals whose every binding is impossible are recognised before all variables are bound."""

from itertools import product

import pytest

from skolem.families.registry import generate_problem
from skolem.grounding import lookahead
from skolem.grounding.lookahead import LookAhead
from skolem.pddl.reading import read_task_text
from skolem.task.constraints.candidates import iterate_valid
from skolem.task.model import Source, Task
from skolem.task.proofs.reachability import Refuter
from skolem.task.query import Query


def read_tower() -> Task:
    """?c must not be b2, on which ?t stands; neither object of ?m shows it."""
    goal = "(exists (?c ?m ?t) (and (blue ?c) (red ?m) (orange ?t) (on ?t b2) (on ?m ?c)))"
    domain = generate_problem("blocks", "train", 0, 0).domain_text
    problem = f"""(define (problem p) (:domain blocks) (:objects b1 b2 b3 b4 b5)
      (:init (handempty) (ontable b1) (clear b1) (ontable b2) (on b3 b2) (clear b3) (ontable b4) (clear b4)
             (ontable b5) (clear b5) (blue b1) (blue b2) (red b3) (red b4) (orange b5))
      (:goal {goal}))"""
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def look_ahead(task: Task) -> LookAhead:
    return LookAhead(Refuter(task), task.statics, len(task.objects))


def test_a_choice_that_rules_out_every_later_one_is_seen_at_once() -> None:
    task = read_tower()
    b1, b2 = task.index["b1"], task.index["b2"]
    assert not Refuter(task).refutes(task.query.bind(0, b2))
    assert not look_ahead(task).remain(task.query.bind(0, b2))
    assert look_ahead(task).remain(task.query.bind(0, b1))
    assert look_ahead(task).remain(task.query)


@pytest.mark.parametrize("family", ["blocks", "gripper", "delivery"])
def test_bindings_remain_where_some_binding_is_not_refuted(family: str) -> None:
    for index in range(3):
        made = generate_problem(family, "train", 3, index, size=6 if family == "blocks" else 9)
        task = read_task_text(Source("d", made.domain_text), Source("p", made.problem_text))
        refuter, looking = Refuter(task), look_ahead(task)
        for binding in product(range(-1, len(task.objects)), repeat=min(task.query.variables, 2)):
            query = task.query
            for variable, obj in enumerate(binding):
                query = query if obj < 0 else query.bind(variable, obj)
            completions = iterate_valid(query, task.statics, len(task.objects))
            bound = (bind_all(query, objects) for objects in completions)
            assert looking.remain(query) == any(not refuter.refutes(goal) for goal in bound)


def bind_all(query: Query, objects: tuple[int, ...]) -> Query:
    for variable, obj in enumerate(objects):
        query = query.bind(variable, obj)
    return query


def test_the_question_is_left_open_when_the_effort_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookahead, "EFFORT", 1)
    task = read_tower()
    assert look_ahead(task).remain(task.query.bind(0, task.index["b2"]))


def test_a_tall_tower_of_objects_that_are_all_different_is_found_at_once() -> None:
    # Nothing says that the blocks differ, but a block in two places of a tower could never be reached.
    goal = " ".join(f"(on ?x{i} ?x{i + 1})" for i in range(7))
    blocks = [f"b{i}" for i in range(1, 10)]
    domain = generate_problem("blocks", "train", 0, 0).domain_text
    problem = f"""(define (problem p) (:domain blocks) (:objects {" ".join(blocks)})
      (:init (handempty) {" ".join(f"(ontable {b}) (clear {b})" for b in blocks)})
      (:goal (exists ({" ".join(f"?x{i}" for i in range(8))}) (and {goal} (on b9 ?x0)))))"""
    task = read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))
    looking = look_ahead(task)
    assert looking.remain(task.query.bind(3, task.index["b2"]), effort=1)
    assert looking.sure


def test_an_answer_for_want_of_effort_is_a_guess() -> None:
    task = read_tower()
    looking = look_ahead(task)
    hopeless = task.query.bind(0, task.index["b2"])
    assert looking.remain(hopeless, effort=1)
    assert not looking.sure
    assert not looking.remain(hopeless)
    assert looking.sure
