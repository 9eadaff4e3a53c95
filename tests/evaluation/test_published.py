"""The pages in results/ are what `skolem report` makes of the stores beside them."""

import shutil
from pathlib import Path

import pytest

from skolem.evaluation import lama, scaling
from skolem.evaluation.configurations import Selection
from skolem.evaluation.report import build_report
from skolem.evaluation.routes import Settings
from skolem.evaluation.store import Store
from skolem.planning.limits import Limits
from skolem.request import Request

RESULTS = Path(__file__).parent.parent.parent / "results"
REQUEST = Request("learned", limits=Limits(60.0, 4000))
PAGES = ("index.md", "lama.json", "lama.md", "optimal.json", "optimal.md", "scaling.json", "scaling.md", "suite.md")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    # The index names the page that people write where there is one.
    shutil.copy(RESULTS / "README.md", folder)
    build_report(RESULTS / "stores", folder)
    return folder


@pytest.mark.parametrize("name", PAGES)
def test_the_published_page_is_rebuilt_to_the_letter(rebuilt: Path, name: str) -> None:
    assert (rebuilt / name).read_text(encoding="utf-8") == (RESULTS / name).read_text(encoding="utf-8")


def test_the_plots_are_the_published_ones(rebuilt: Path) -> None:
    plots = {path.name for path in rebuilt.glob("*.svg")}
    assert plots == {path.name for path in RESULTS.glob("*.svg")}
    text = "".join(path.read_text(encoding="utf-8") for path in rebuilt.glob("*.md"))
    assert all(f"({name})" in text for name in plots)


def test_records_are_found_again_under_their_keys() -> None:
    # Without the version, and by routes that depend on no model: both may have moved on.
    routes = ("bind-axiom", "lama")
    selection = Selection("lama", (REQUEST,), count=1, routes=routes)
    trials = [trial.key for trial in lama.list_trials(selection, Settings(REQUEST))]
    series = Selection("scaling", (REQUEST,), ("visitall",), count=1, routes=("bind-axiom",))
    trials += [trial.key for trial in scaling.list_trials(series, Settings(REQUEST))]
    stores = [Store(RESULTS / "stores" / f"{name}.jsonl.gz") for name in ("lama", "scaling")]
    known = {key.rpartition("/")[0] for store in stores for key, _ in store.records()}
    assert {key.rpartition("/")[0] for key in trials} <= known
