"""Explanations of goals: what rules objects out, and what is proven unreachable."""

import json
from itertools import chain
from pathlib import Path

import pytest
from tests.task.household import house

from skolem.families.registry import FAMILIES, generate_problem
from skolem.grounding.explanation import Explanation, Ruling, VariableExplanation, explain_goal
from skolem.oracle.costs import Oracle
from skolem.pddl.reading import read_task, read_task_text
from skolem.request import Request
from skolem.solve import ground
from skolem.task.model import Source, Task

EXAMPLES = Path(__file__).parents[2] / "examples"
SIZES = {"blocks": 4, "blocks-c": 5, "gripper": 9, "delivery": 9, "visitall": 6}


def read_example(name: str) -> Task:
    return read_task(EXAMPLES / name.split("/")[0] / "domain.pddl", EXAMPLES / f"{name}.pddl")


def find(explanation: Explanation, variable: str) -> VariableExplanation:
    return next(v for goal in explanation.goals for v in goal.variables if v.variable == variable)


def read_blocks(goal: str) -> Task:
    problem = f"""(define (problem p) (:domain blocks) (:objects a b c)
      (:init (ontable a) (ontable b) (ontable c) (clear a) (clear b) (clear c) (handempty) (red a) (red b) (blue c))
      (:goal {goal}))"""
    return read_task_text(Source("domain.pddl", FAMILIES["blocks"].domain_text), Source("problem.pddl", problem))


def test_one_literal_rules_out_what_it_is_false_of() -> None:
    found = find(explain_goal(read_example("blocks/tower")), "?x1")
    assert found.possible == ("c", "e", "g", "h")
    assert found.ruled_out == (Ruling(("(blue ?x1)",), ("a", "b", "d", "f")),)


def test_literals_that_rule_out_together_are_told_together() -> None:
    found = find(explain_goal(read_example("household/breakfast")), "?s")
    assert found.possible == ("table", "bench", "shelf")
    assert found.ruled_out[0].literals == ("?s - surface",)
    assert found.ruled_out[1] == Ruling(("(inside ?s ?r)", "(not (= ?r kitchen))"), ("sink", "counter"))


def test_a_description_without_a_solution_is_cut_down_to_what_contradicts_itself() -> None:
    explanation = explain_goal(read_example("colouring/clique"))
    (goal,) = explanation.goals
    assert explanation.status == "unsolvable"
    assert all("neq" in literal for literal in goal.conflict)
    assert len(goal.conflict) == 6


def test_an_unreachable_object_comes_with_the_invariant() -> None:
    # Two blocks on one: no state has that.
    explanation = explain_goal(read_blocks("(exists (?x) (and (red ?x) (on a ?x) (on c b)))"))
    found = find(explanation, "?x")
    assert {dead.object for dead in found.unreachable} == {"a", "b"}
    proofs = {dead.object: dead for dead in found.unreachable}
    assert proofs["b"].atoms == ("(on a b)", "(on c b)")
    assert "(on _ b)" in proofs["b"].invariant
    assert "at most one of" in proofs["b"].proof


def test_every_alternative_is_explained_and_the_chosen_one_is_marked() -> None:
    task = house("(or (exists (?t - cup) (clean ?t)) (exists (?p - plate) (and (clean ?p) (at ?p kitchen))))")
    explanation = explain_goal(task, ground(task, Request()))
    assert len(explanation.goals) == 2
    assert [goal.chosen for goal in explanation.goals].count(True) == 1


def test_the_choices_of_a_model_have_their_predicted_costs() -> None:
    task = read_example("blocks/tower")
    explanation = explain_goal(task, ground(task, Request("learned")))
    assert explanation.binding is not None
    assert len(explanation.steps) == 5
    assert explanation.predicted_cost == pytest.approx(9, abs=1)
    assert find(explanation, "?x5").chosen == explanation.binding["?x5"]


def test_an_explanation_is_ready_for_json() -> None:
    task = read_example("household/breakfast")
    explanation = explain_goal(task, ground(task, Request()))
    assert json.loads(json.dumps(explanation.to_dict())) == explanation.to_dict()


@pytest.mark.parametrize("family", FAMILIES)
def test_objects_are_told_once_and_what_is_said_to_be_impossible_is(family: str) -> None:
    oracle = Oracle()
    for index in range(4):
        instance = generate_problem(family, "train", 7, index, size=SIZES[family], neq=bool(index % 2))
        texts = Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text)
        task = read_task_text(*texts)
        (goal,) = explain_goal(task).goals
        for place, variable in enumerate(goal.variables):
            ruled_out = list(chain.from_iterable(ruling.objects for ruling in variable.ruled_out))
            excluded = [*ruled_out, *(dead.object for dead in variable.unreachable)]
            assert sorted([*variable.possible, *excluded]) == sorted(task.objects)
            for name in excluded:
                query = task.query.bind(place, task.index[name])
                assert oracle.find_cost_in_space(task, query).status == "unreachable"


def read_chain(length: int) -> Task:
    """A tower of so many red blocks, described from the top in nested scopes; half of the blocks are red."""
    goal = "(and)"
    for number in reversed(range(length)):
        on = f"(on ?x{number} ?x{number - 1})" if number else ""
        goal = f"(exists (?x{number}) (and (red ?x{number}) {on} {goal}))"
    blocks = [f"b{number}" for number in range(2 * length)]
    facts = " ".join(f"(ontable {b}) (clear {b}) ({('red', 'blue')[n % 2]} {b})" for n, b in enumerate(blocks))
    problem = f"""(define (problem p) (:domain blocks) (:objects {" ".join(blocks)})
      (:init (handempty) {facts}) (:goal {goal}))"""
    return read_task_text(Source("domain.pddl", FAMILIES["blocks"].domain_text), Source("problem.pddl", problem))


def test_a_goal_of_very_many_variables_is_explained_as_far_as_the_effort_goes() -> None:
    (goal,) = explain_goal(read_chain(250)).goals
    assert not goal.proven
    assert goal.variables[249].ruled_out == (Ruling(("(red ?x249)",), tuple(f"b{n}" for n in range(1, 500, 2))),)


def test_reasons_that_the_effort_does_not_single_out_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.grounding.explanation.MOST_JOINED", 0)
    (goal,) = explain_goal(read_example("colouring/clique")).goals
    assert len(goal.conflict) > 6
    assert all(set(v.ruled_out[-1].literals) >= set(goal.conflict) for v in goal.variables)
