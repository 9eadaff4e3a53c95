"""The scaling series: which instances they have, and what they say about them."""

from typing import Any

import pytest
from tests.evaluation.records import make_record

from skolem.evaluation.configurations import Selection
from skolem.evaluation.paper import SCALING
from skolem.evaluation.routes import Settings, Trial
from skolem.evaluation.scaling import SIZES, VARIABLES, list_trials, summarise, tabulate_series
from skolem.planning.limits import Limits
from skolem.request import Request

REQUEST = Request(limits=Limits(60.0, 4000))
FAMILIES = ("blocks", "blocks-c", "gripper", "delivery", "visitall")


def plan(*families: str, **options: Any) -> list[Trial]:
    return list_trials(Selection("scaling", (REQUEST,), families, **options), Settings(REQUEST))


def test_the_series_go_as_far_as_they_say() -> None:
    trials = plan(*FAMILIES, count=1, routes=("learned",))
    largest = {family: max(t.spec.make().size for t in trials if t.spec.family == family) for family in FAMILIES}
    assert largest == {"blocks": 50, "blocks-c": 17, "gripper": 205, "delivery": 407, "visitall": 400}
    most = {family: max(t.spec.make().variables for t in trials if t.spec.family == family) for family in FAMILIES}
    # No more than one place for each package and for the truck.
    assert most == {"blocks": 12, "blocks-c": 12, "gripper": 12, "delivery": 7, "visitall": 12}


def test_every_size_of_the_paper_has_thirty_instances_in_both_settings() -> None:
    trials = [t for t in plan(*FAMILIES, routes=("learned",)) if t.group == SIZES]
    for family, size in SCALING:
        own = [t.spec for t in trials if (t.spec.family, t.spec.size) == (family, size)]
        assert (len(own), sum(spec.neq for spec in own)) == (30, 15)


def test_lama_is_measured_on_all_instances_of_the_papers_sizes_and_on_few_others() -> None:
    trials = plan("blocks", peers_count=2, routes=("lama", "end"))
    sizes = [(t.route, t.spec.size) for t in trials if t.group == SIZES]
    assert [sizes.count(step) for step in [("lama", 17), ("end", 17), ("lama", 20)]] == [30, 2, 2]


def test_the_instances_are_all_different() -> None:
    trials = plan("visitall", count=3, peers_count=1)
    assert len({trial.key for trial in trials}) == len(trials)
    assert {t.spec.neq for t in plan("gripper", neq=True, count=2)} == {True}


def test_a_step_compares_with_the_best_known_and_with_the_paper() -> None:
    place = {"group": SIZES, "family": "visitall", "size": 100}
    records = [
        make_record("learned", 6, 2.0, 0, **place),
        make_record("learned", 5, 4.0, 1, memory=300, **place),
        make_record("lama", 5, 20.0, 0, **place),
        make_record("lama", None, 60.0, 1, **place),
        make_record("bind-axiom", 9, 1.0, 1, **place),
    ]
    (step,) = summarise(records)
    assert (step.family, step.notes["step"]) == ("visitall", 100)
    assert step.figures["learned_best_cost"].value == pytest.approx(11 / 10)
    assert step.figures["speedup"].value == pytest.approx(10.0)
    assert step.groups["stages"]["total"].value == pytest.approx(3.0)
    assert step.notes["memory"]["learned"] == 300
    table = tabulate_series([step], SIZES)
    assert len(table.columns) == len(table.rows[0])
    assert table.rows[0][table.columns.index("paper")] == "61.1%"
    assert tabulate_series([step], VARIABLES).rows == []
