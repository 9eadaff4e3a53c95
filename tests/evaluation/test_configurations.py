"""Results of different configurations never share a key."""

from dataclasses import replace
from pathlib import Path

import pytest

from skolem.evaluation.configurations import Configuration, configure
from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import generate_problem
from skolem.grounding.models import MODELS
from skolem.solve import Request
from skolem.support.errors import SkolemError

TASK = read_instance(generate_problem("gripper", "train", 0, 0))


def test_a_label_names_what_is_unusual() -> None:
    assert Configuration(Request("random-valid")).label == "random-valid"
    assert Configuration(Request("beam", width=4, seed=3)).label == "beam seed=3 width=4"
    assert Configuration(Request("learned", paper=True), "abc").label == "learned paper"
    assert Configuration(Request("learned", model=Path("mine")), "abc").label == "learned model=abc"


def test_a_key_has_no_spaces_and_always_the_seed_and_the_model() -> None:
    assert Configuration(Request("random")).key == "random/-/seed=0"
    request = Request("beam", width=4, seed=3, model=Path("mine"))
    assert Configuration(request, "abc").key == "beam,width=4/abc/seed=3"


def test_every_field_of_a_request_makes_another_key() -> None:
    request = Request("learned")
    others = [
        replace(request, grounder="beam"),
        replace(request, planner="lama"),
        replace(request, seed=1),
        replace(request, paper=True),
        replace(request, width=2),
        replace(request, scores="head"),
        replace(request, order="fixed"),
    ]
    assert len({Configuration(r).key for r in (request, *others)}) == 1 + len(others)


def test_a_model_is_known_by_its_weights() -> None:
    shipped = configure(Request("learned"), TASK)
    assert len(shipped.model) == 12
    assert configure(Request("beam", model=MODELS / "gripper"), TASK).model == shipped.model
    assert configure(Request("learned", model=MODELS / "blocks"), TASK).model != shipped.model
    assert configure(Request("random"), TASK).model == ""


def test_a_model_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SkolemError):
        configure(Request("learned", model=tmp_path), TASK)
