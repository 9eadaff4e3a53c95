"""What is said of a task without solving it."""

import json
from pathlib import Path

from tests.task.household import house, sources

from skolem.checking import check_files, check_task
from skolem.pddl.reading import read_task

EXAMPLES = Path(__file__).parents[1] / "examples"


def check_example(name: str) -> dict[str, object]:
    return check_files(str(EXAMPLES / name.split("/")[0] / "domain.pddl"), str(EXAMPLES / f"{name}.pddl")).to_dict()


def test_a_learned_task_names_its_model_and_why_not_others() -> None:
    found = check_task(read_task(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl"))
    assert found.goal.startswith("some ?x1, ?x2, ?x3, ?x4, and ?x5 such that ?x1 is blue, ?x2 is red,")
    assert (found.bindings, found.counted, found.combinations) == (4**5, True, 8**5)
    assert found.route == "learned, by the model blocks"
    reasons = {model.name: model.reason for model in found.models}
    assert reasons["blocks"] == "it knows all of the goal"
    assert reasons["blocks-c"] == "the model blocks-c was never trained on goals with on"
    assert reasons["gripper"].startswith("the model was trained on another domain")


def test_another_domain_takes_the_exact_route() -> None:
    found = check_example("household/breakfast")
    assert str(found["route"]).startswith("exact (miniscope, then bind-axiom): there is no learned model")
    assert found["bindings"] == 48


def test_a_description_that_nothing_fits_is_the_answer() -> None:
    found = check_example("colouring/clique")
    assert found["bindings"] == 0
    assert str(found["route"]).startswith("none")


def test_the_normal_form_has_one_line_for_each_alternative() -> None:
    found = check_task(house("(or (exists (?t - cup) (clean ?t)) (forall (?p - plate) (at ?p attic)))"))
    assert len(found.normal_form) == 2
    assert "some cup ?t such that ?t is Clean" in found.goal


def test_what_no_action_can_make_true_is_told() -> None:
    # Only clean cups follow the robot, and the plate is in the kitchen for ever.
    found = check_task(house("(exists (?p - plate) (and (at ?p attic) (quiet)))"))
    assert found.impossible == ("(at ?p attic)",)
    assert found.unsolvable


def test_errors_of_both_files_are_told_together(tmp_path: Path) -> None:
    domain, problem = (tmp_path / name for name in ("domain.pddl", "problem.pddl"))
    texts = sources("(quiet)")
    domain.write_text(texts[0].text.replace(":parameters (?t - thing)", ":parametrs (?t - thing)"))
    problem.write_text(texts[1].text.replace("(:init", "(:innit"))
    found = check_files(str(domain), str(problem))
    assert [error.splitlines()[0].split(": ")[1] for error in found.errors] == [
        "':parametrs' found, expected ':parameters'",
        "':innit' found, expected ':init'",
    ]
    assert found.to_dict()["status"] == "error"


def test_a_domain_alone_can_be_checked() -> None:
    found = check_files(str(EXAMPLES / "blocks" / "domain.pddl"))
    assert not found.errors
    assert len(found.summary) == 1
    assert json.loads(json.dumps(found.to_dict()))["status"] == "checked"
