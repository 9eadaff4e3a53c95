"""What `benchmarks.reach` measures: its tasks are what they are said to be, and a run goes on where it ended."""

import json
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from random import Random

import pytest
from benchmarks.reach import list_jobs, parse_model
from benchmarks.reach_attributes import CHANGES, KINDS, draw_changes, write_typed_domain
from benchmarks.reach_measures import Job, find_cost, measure
from benchmarks.reach_page import measure_quality, summarise
from benchmarks.reach_scale import list_specs
from benchmarks.reach_tasks import (
    LONGEST,
    MAZE_SIZES,
    SHAPES,
    draw_maze,
    draw_negated,
    draw_odd,
    list_pairs,
    read_texts,
)

from benchmarks import reach
from skolem.evaluation.store import Record
from skolem.families.registry import FAMILIES
from skolem.grounding.models import MODELS, open_named
from skolem.oracle.costs import Oracle
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.satisfaction import satisfy

SMALL = {"blocks": 4, "blocks-c": 4, "gripper": 9, "delivery": 9, "visitall": 6}
MODEL_FOLDERS = {name: MODELS / name for name in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_task_costs_the_same_with_other_words_for_its_attributes(family: str) -> None:
    rng, kind = Random(1), FAMILIES[family]
    layout = kind.sample_layout(rng, SMALL[family], 2)
    changes = draw_changes(rng, kind, layout, 2, neq=True)
    assert changes[0].change == "usual"
    assert {each.change for each in changes} == {"usual", *CHANGES}
    for each in changes:
        task = read_texts(each.texts)
        assert open_named(MODEL_FOLDERS[family]).fits(task)
        assert find_cost(each.texts) == find_cost(each.plain)
        assert satisfy(task, task.init) is None


@pytest.mark.parametrize("family", KINDS)
def test_a_typed_domain_has_no_kinds_as_predicates(family: str) -> None:
    text = write_typed_domain(FAMILIES[family])
    assert not any(f"({kind} ?" in text for kind in KINDS[family])
    assert " - object red blue green" in text


@pytest.mark.parametrize(("family", "longest"), [("visitall", 3), ("delivery", 2), ("blocks-c", 2), ("gripper", 6)])
def test_the_objects_of_a_pair_differ_by_two_steps(family: str, longest: int) -> None:
    pairs = list_pairs(family, longest)
    assert len({pair.name for pair in pairs}) == len(pairs)
    oracle = Oracle()
    for pair in pairs:
        task = read_texts(pair.texts)
        for name, cost in ((pair.near, pair.cost), (pair.far, pair.cost + 2)):
            assert oracle.find_cost(task, task.query.bind(0, task.index[name])).cost == cost


@pytest.mark.parametrize("family", LONGEST)
def test_every_pair_comes_in_both_orders(family: str) -> None:
    orders: dict[str, set[bool]] = {}
    for pair in list_pairs(family):
        places = [pair.layout.objects.index(name) for name in (pair.near, pair.far)]
        orders.setdefault(pair.name.removesuffix("-turned"), set()).add(places[0] < places[1])
    assert all(order == {False, True} for order in orders.values())
    assert max(pair.rooms or pair.place for pair in list_pairs(family)) == LONGEST[family]


@pytest.mark.parametrize("family", MAZE_SIZES)
def test_mazes_have_no_loops_and_walls_have_doors(family: str) -> None:
    name = "connected" if family == "visitall" else "adjacent"
    for shape in SHAPES:
        task = read_texts(draw_maze(Random(5), family, shape))
        doors = len(task.init[name]) // 2
        cells = len({cell for pair in task.init[name].tolist() for cell in pair})
        assert len(task.objects) in MAZE_SIZES[family]
        assert doors == cells - 1 if shape == "maze" else doors >= cells


@pytest.mark.parametrize("family", FAMILIES)
def test_goals_are_false_at_the_start(family: str) -> None:
    for seed in range(3):
        for draw in (draw_odd, draw_negated):
            task = read_texts(draw(Random(seed), family))
            assert satisfy(task, task.init) is None
        (alternative,) = list_alternatives(task)
        assert alternative.goal.denied


@pytest.mark.parametrize("part", ["distance", "below-zero", "negated", "mazes"])
def test_a_job_of_every_part_is_measured(part: str) -> None:
    record = measure(list_jobs(part, MODEL_FOLDERS, 1)[0])
    if part == "distance":
        assert record["right"]
        assert record["near"] < record["far"]
    elif part == "below-zero":
        assert 0 <= record["below"] <= record["predictions"]
    else:
        assert record["cost"] >= record["v_star"] > 0


def test_a_run_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "PARTS", ("mazes", "below-zero"))
    monkeypatch.setattr(sys, "argv", ["reach", "--count", "1", "-o", str(tmp_path)])
    reach.main()
    first = json.loads((tmp_path / "reach.json").read_text())
    assert list(first) == ["mazes", "below-zero"]
    assert [row["tasks"] for row in first["mazes"]["rows"]] == [1] * 4
    page = (tmp_path / "reach.md").read_text()
    assert "## Mazes and walled grids" in page
    assert str(tmp_path) not in page

    def refuse(job: Job) -> dict[str, object]:
        raise AssertionError(f"{job.name} was measured again")

    monkeypatch.setattr(reach, "measure", refuse)
    reach.main()
    assert json.loads((tmp_path / "reach.json").read_text()) == first


def test_a_choice_is_right_up_to_the_first_wrong_one() -> None:
    records = [
        {"place": place, "cost": place, "right": place != 3, "near": place, "far": place + 2, "turned": False}
        for place in range(1, 6)
    ]
    (row,) = summarise("distance", [("visitall", "visit", record) for record in records])
    assert (row["right_up_to"], row["tested_up_to"], row["wrong_at"], row["ok"]) == (2, 5, [3], False)


def test_tasks_without_a_binding_are_not_covered() -> None:
    records: list[Record] = [{"v_star": 4, "cost": 5}, {"v_star": 2, "cost": None}, {"v_star": None, "cost": None}]
    quality = measure_quality(records)
    assert (quality["coverage"], quality["ratio"], quality["undecided"]) == (0.5, 1.25, 1)


def test_large_tasks_are_compared_with_the_optimum_or_the_best_of_the_others() -> None:
    known = {"v_star": 10, "learned": 10, "learned_proven": True, "plan": 11, "others": {"exact": 12}}
    unknown = {"v_star": None, "learned": 9, "learned_proven": False, "plan": 8, "others": {"exact": 10, "end": None}}
    (row,) = summarise("scale", [("visitall", "400 objects", record) for record in (known, unknown)])
    assert row["learned_ratio"] == pytest.approx((10 / 10 + 9 / 8) / 2)
    assert row["plan_ratio"] == pytest.approx((11 / 10 + 8 / 9) / 2)
    assert row["by_v_star"] == 1


def test_the_large_tasks_are_those_of_the_scaling_series() -> None:
    from skolem.evaluation.configurations import Selection
    from skolem.evaluation.routes import make_settings
    from skolem.evaluation.scaling import list_trials
    from skolem.request import Request

    trials = list_trials(Selection("scaling", (Request(),)), make_settings(Request(), 1))
    assert {spec for _, spec in list_specs(2)} <= {trial.spec for trial in trials}


@pytest.mark.parametrize("text", ["blocks", "towers=folder", "blocks="])
def test_a_wrong_model_argument_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="expected FAMILY=FOLDER"):
        parse_model(text)
