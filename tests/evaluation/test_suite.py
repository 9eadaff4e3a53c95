"""The experiment on the suite: its sets, its trials, and figures worked out by hand."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.records import make_record

from skolem.evaluation import configurations, suite
from skolem.evaluation.configurations import Selection
from skolem.evaluation.evaluate import evaluate
from skolem.evaluation.report import build_suite
from skolem.evaluation.routes import Settings, Spec, SuiteSpec, Trial, hash_text, run_trial
from skolem.evaluation.store import Runner, Store
from skolem.evaluation.suite_sets import COUNT, build_suite_set, load_suite_set, save_suite_set
from skolem.families.suite import NAMES
from skolem.grounding.models import MODELS
from skolem.grounding.random import RandomValidGrounder
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.support.errors import InputError

REQUEST = Request("learned", limits=Limits(30.0, 4000))


@pytest.mark.parametrize("name", NAMES)
def test_the_published_set_is_what_the_generator_gives(name: str) -> None:
    published = load_suite_set(name)
    texts = {instance.problem_text for instance in published.instances()}
    assert len(texts) == len(published.costs) == COUNT
    assert all(cost is None or cost > 0 for cost in published.costs)


def test_most_of_the_exact_costs_are_known() -> None:
    costs = [cost for name in NAMES for cost in load_suite_set(name).costs]
    assert sum(cost is not None for cost in costs) >= 0.75 * len(costs)


def test_another_generator_does_not_pass_for_the_published_one() -> None:
    with pytest.raises(InputError, match="no longer gives the published test set"):
        replace(load_suite_set("ferry"), sha256="0").instances()


def test_a_set_is_built_again_as_it_was(tmp_path: Path) -> None:
    made = build_suite_set("ferry", count=2)
    assert made.costs == load_suite_set("ferry").costs[:2]
    save_suite_set(made, tmp_path)
    assert (tmp_path / "suite-ferry.json").read_text().startswith('{"family": "ferry", "seed": 2024, "costs": [')


def list_routes(request: Request, **options: Any) -> list[str]:
    trials = suite.list_trials(Selection("suite", (request,), count=1, **options), "ferry", Settings(request))
    return [trial.route for trial in trials]


def test_the_learned_route_is_tried_where_there_is_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = list_routes(replace(REQUEST, model=MODELS / "blocks"))
    assert [route for route in given if route.startswith("learned")] == ["learned", "learned-optimal"]
    monkeypatch.setattr(configurations, "list_folders", lambda paper: (tmp_path,))
    monkeypatch.setattr(configurations, "identify_model", configurations.identify_model.__wrapped__)
    monkeypatch.setattr(suite, "identify_model", configurations.identify_model)
    assert list_routes(REQUEST) == [
        *("auto", "exact", "lama", "random-valid", "bind-axiom", "end", "miniscope", "unified-planning"),
    ]
    assert list_routes(REQUEST, routes=("learned", "lama")) == ["lama"]


def test_a_folder_of_models_has_one_for_each_domain(tmp_path: Path) -> None:
    shutil.copytree(MODELS / "blocks", tmp_path / "ferry")
    request = replace(REQUEST, model=tmp_path)
    chosen = configurations.choose_model(request, "ferry")
    assert chosen.model == tmp_path / "ferry"
    assert configurations.choose_model(request, "depots").model is None
    alone = replace(REQUEST, model=MODELS / "blocks")
    assert configurations.choose_model(alone, "depots") == alone


def make_rows() -> list[dict[str, Any]]:
    """Records of the first two instances of ferry, the second of which only LAMA solves, at V* and one more."""
    published = load_suite_set("ferry")
    first, second = published.instances()[:2]
    v_star = published.costs[0]
    assert v_star is not None
    places = [
        {"group": "suite", "family": "ferry", "task": hash_text(instance.problem_text)} for instance in (first, second)
    ]
    model = {"depends_on": "0a1b2c3d4e5f-usual-best", "by": "learned+lama"}
    return [
        make_record("auto", v_star, 2.0, 0, **places[0], **model),
        make_record("auto", None, 60.0, 1, **places[1], **model),
        make_record("exact", v_star + 2, 1.0, 0, **places[0]),
        make_record("lama", v_star + 1, 1.0, 0, **places[0]),
        make_record("lama", published.costs[1], 1.0, 1, **places[1]),
        make_record("lama", 1, 1.0, 0, **{**places[0], "task": "of an older generator"}),
    ]


def test_figures_compare_with_v_star() -> None:
    records = suite.add_optima(make_rows())
    assert len(records) == 5
    (cell,) = suite.summarise(records)
    v_star = load_suite_set("ferry").costs[0] or 0
    assert cell.peers["auto"]["coverage"].value == 0.5
    assert cell.peers["auto"]["ratio"].value == 1.0
    assert cell.peers["lama"]["ratio"].value == pytest.approx(((v_star + 1) / v_star + 1) / 2)
    assert cell.peers["auto"]["seconds"].value == pytest.approx(31.0)
    described = suite.describe(cell)
    assert (described["family"], described["count"], described["coverage"]) == ("ferry", 2, 0.5)
    assert set(described["peers"]) == {"auto", "exact", "lama"}
    assert (described["totals"]["auto"], described["totals"]["exact"]) == (v_star, v_star + 2)
    assert described["answers"] == {"learned+lama": 1}
    for table in suite.tabulate([cell]):
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_the_page_has_every_domain_and_its_notes() -> None:
    page = build_suite(make_rows())["suite.md"].decode()
    assert "| ferry | 2 |" in page
    assert all(f"- {name}: " in page for name in NAMES)
    assert "| all | 1 |" in page
    assert "- ferry: `0a1b2c3d4e5f`" in page


def test_an_evaluation_is_continued_from_its_store(tmp_path: Path) -> None:
    selection = Selection("suite", (REQUEST,), ("ferry",), count=1, routes=("auto", "exact", "random-valid"))
    found = evaluate(selection, Runner(Store(tmp_path / "suite.jsonl")))
    assert not found.unexplained
    (described,) = found.described
    assert described["peers"]["exact"]["coverage"]["value"] == 1.0
    size = (tmp_path / "suite.jsonl").stat().st_size
    assert evaluate(selection, Runner(Store(tmp_path / "suite.jsonl"))).described == found.described
    assert (tmp_path / "suite.jsonl").stat().st_size == size


@pytest.mark.parametrize("family", ["gripper", "miconic"])
def test_a_learned_binding_is_worth_its_cheapest_plan(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if family == "miconic":
        # There is no model for it yet; its conditional effects are what the first optimal planner refuses.
        monkeypatch.setattr("skolem.solve.make_grounder", lambda task, request: RandomValidGrounder(0))
    spec = Spec(family, False, 0, 15, 2) if family == "gripper" else SuiteSpec(family, False, 0)
    trials = [Trial("lama", spec, route, Settings(REQUEST)) for route in ("learned", "learned-optimal")]
    quick, cheapest = map(run_trial, trials)
    assert (quick["status"], cheapest["status"]) == ("solved", "solved")
    assert quick["binding"] == cheapest["binding"]
    assert cheapest["cost"] <= quick["cost"]
    assert quick["depends_on"] == cheapest["depends_on"]


def test_only_domains_of_the_suite_are_measured() -> None:
    with pytest.raises(InputError, match="blocks is no domain of the suite"):
        suite.measure(Selection("suite", (REQUEST,), ("blocks",)), Runner())
