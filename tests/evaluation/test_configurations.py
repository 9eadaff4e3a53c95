"""Results of different configurations never share a key, and a command says how to get them again."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from skolem.evaluation.configurations import Configuration, Selection, configure, list_requests
from skolem.grounding.models import MODELS
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.support.errors import InputError, SkolemError


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
        replace(request, revise=False),
    ]
    assert len({Configuration(r).key for r in (request, *others)}) == 1 + len(others)


def test_a_model_is_known_by_its_weights() -> None:
    shipped = configure(Request("learned"), "gripper")
    assert len(shipped.model) == 12
    assert configure(Request("beam", model=MODELS / "gripper"), "gripper").model == shipped.model
    assert configure(Request("learned", model=MODELS / "blocks"), "gripper").model != shipped.model
    assert configure(Request("random"), "gripper").model == ""


def test_a_model_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SkolemError):
        configure(Request("learned", model=tmp_path), "gripper")


def test_a_rater_is_part_of_the_model_where_it_takes_part() -> None:
    plain, fixed = configure(Request("learned"), "visitall"), configure(Request("learned", order="fixed"), "visitall")
    assert plain.model != fixed.model == configure(Request("auto"), "visitall").model


def test_each_grounder_reads_its_own_options() -> None:
    base = Request(seed=2, width=4, scores="head")
    learned = Request("learned", seed=2, scores="head")
    assert list_requests(["random", "learned", "beam", "paper", "random"], base) == (
        Request("random", seed=2),
        learned,
        replace(learned, grounder="beam", width=4),
        replace(learned, paper=True),
    )


def test_a_command_names_what_was_chosen() -> None:
    beam = Request("beam", width=4, paper=True)
    assert Selection("optimal", (beam,)).spell(beam, 2) == "skolem evaluate optimal --grounder beam --paper --width 4"
    plain = Request("learned", revise=False)
    assert Selection("optimal", (plain,)).spell(plain, 2) == "skolem evaluate optimal --grounder learned --no-revise"
    timed = Request("learned", order="fixed", limits=Limits(60.0, 4000))
    selection = Selection("lama", (timed,), ("blocks",), True, 5, 3, ("end", "lama"))
    assert selection.spell(timed, 2) == (
        "skolem evaluate lama --family blocks --neq --count 5 --peers-count 3 --route end --route lama --order fixed "
        "--time-limit 60 --jobs 2"
    )


def test_a_folder_of_models_may_have_one_for_each_setting(tmp_path: Path) -> None:
    shutil.copytree(MODELS / "gripper", tmp_path / "gripper")
    shutil.copytree(MODELS / "paper" / "gripper", tmp_path / "gripper-neq")
    shutil.copytree(MODELS / "blocks", tmp_path / "blocks")
    request = Request("learned", model=tmp_path, paper=True)
    plain, different = (configure(request, "gripper", neq) for neq in (False, True))
    assert plain.request.model == tmp_path / "gripper"
    assert different.request.model == tmp_path / "gripper-neq"
    assert plain.model != different.model
    assert plain.label == different.label == f"learned model={tmp_path.name} paper"
    assert configure(request, "blocks", True).request.model == tmp_path / "blocks"
    with pytest.raises(InputError, match="there is no model of delivery"):
        configure(request, "delivery")
    by_name = configure(Request("learned", model=Path("paper")), "blocks")
    assert by_name.request.model == MODELS / "paper" / "blocks"
