"""How good models of suite domains are by the number of problems they were learned from, or by anything else.

    python -m tools.learn_suite ferry miconic depots -o build/counts --counts 3 6 12 24 --jobs 12 --minutes 9
    python -m tools.learn_problems build/counts

Every finished model below the folder (`NAME` or `NAME-COUNT`) is measured on the test set of its domain: the share of
goals whose learned binding can be reached, and what the cheapest plan for it costs, against V*. What was measured is
kept in `measured.jsonl` there, and another call goes on. The table goes to results/learn_problems.md and .json.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.learn_suite import ANSWER

from skolem.evaluation.configurations import Selection
from skolem.evaluation.routes import BEST_FOR_LEARNED, Settings, run_trials
from skolem.evaluation.store import Runner, Store
from skolem.evaluation.suite import add_optima, list_trials, summarise
from skolem.evaluation.tables import Table, counted, number, percent, round_figures
from skolem.families.suite import NAMES
from skolem.grounding.models import open_model
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.support.files import write_text
from skolem.support.progress import show_progress

ROOT = Path(__file__).parent.parent
LIMITS = Limits(60.0, 4000)
ROUTES = ("learned", BEST_FOR_LEARNED)

Result = dict[str, Any]


def find_models(folder: Path) -> list[tuple[str, Path]]:
    """The finished models with their domains, in the order of the suite and of the number of problems."""
    found = []
    for path in (answer.parent for answer in folder.glob(f"*/{ANSWER}")):
        domain = next((name for name in NAMES if path.name == name or path.name.startswith(f"{name}-")), None)
        if domain is not None:
            found.append((domain, path))
    return sorted(found, key=lambda entry: (NAMES.index(entry[0]), _count_problems(entry[1]), entry[1].name))


def _count_problems(path: Path) -> int:
    return len(open_model(path).card.training["learned"]["problems"])


def measure_model(domain: str, path: Path, count: int | None, runner: Runner) -> Result:
    """What is known of a model: how it was learned, and its figures on the test set."""
    request = Request("learned", limits=LIMITS, model=path)
    selection = Selection("suite", (request,), (domain,), count=count, routes=ROUTES)
    trials = list_trials(selection, domain, Settings(request, runner.jobs))
    (cell,) = summarise(add_optima(run_trials(path.name, trials, runner)))
    card = open_model(path).card
    learned = card.training["learned"]
    return {
        "domain": domain,
        "problems": len(learned["problems"]),
        "device": learned["device"],
        "minutes": learned["minutes"],
        "labels": learned["labels"],
        "pairs": card.training["dataset"]["pairs"],
        "steps": card.training["steps"],
        "own": learned["measurement"]["routes"],
        "coverage": cell.peers["learned"]["coverage"],
        "ratio": cell.peers[BEST_FOR_LEARNED]["ratio"],
        "plan_ratio": cell.peers["learned"]["ratio"],
    }


def tabulate(results: Sequence[Result]) -> Table:
    """One row for each model."""
    rows = [
        (
            found["domain"],
            str(found["problems"]),
            f"{found['device']}, {'-' if found['minutes'] is None else format(found['minutes'], 'g')}",
            found["labels"],
            f"{found['pairs']:,}",
            f"{found['steps']:,}",
            percent(found["coverage"], True),
            counted(found["ratio"], 3, True),
            number(found["plan_ratio"], 3),
        )
        for found in results
    ]
    columns = (
        "domain",
        "problems",
        "device, minutes",
        "labels",
        "pairs",
        "steps",
        "coverage",
        "V/V* (n)",
        "lama-first",
    )
    return Table("learned models", columns, rows)


def tabulate_means(results: Sequence[Result]) -> Table:
    """Means over the domains, one row for each number of problems."""
    rows = []
    for problems in sorted({found["problems"] for found in results}):
        chosen = [found for found in results if found["problems"] == problems]
        ratios = [found["ratio"].value for found in chosen if found["ratio"].value is not None]
        covered = [found["coverage"].value for found in chosen]
        mean = sum(ratios) / len(ratios) if ratios else None
        rows.append(
            (
                str(problems),
                str(len(chosen)),
                percent(sum(covered) / len(covered)),
                number(mean, 3),
                number(max(ratios, default=None), 3),
            )
        )
    return Table("means over the domains", ("problems", "models", "coverage", "V/V*", "largest V/V*"), rows)


def write_page(title: str, results: Sequence[Result], notes: Sequence[str] = ()) -> str:
    """The page, with some paragraphs more."""
    return "\n\n".join(
        (
            f"# {title}",
            "Models of `skolem learn` on the test sets of the suite. Coverage: goals whose learned binding can be "
            "reached. V/V*: the cost of the cheapest plan for that binding, by an optimal planner within 60 s, against "
            "that of the goal; n: instances where both are known. The last column is the cost of lama-first's plan for "
            "the binding against V*. Brackets: 95% bootstrap intervals.",
            tabulate_means(results).to_markdown(),
            tabulate(results).to_markdown(),
            *notes,
            "Learned by `skolem learn`, all at once by `python -m tools.learn_suite`; measured by "
            "`python -m tools.learn_problems`.\n",
        )
    )


def describe(found: Mapping[str, Any]) -> Result:
    """A result as JSON."""
    figures = {name: found[name].describe() for name in ("coverage", "ratio", "plan_ratio")}
    return {name: round_figures(value) for name, value in {**found, **figures}.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures what is missing, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of the models")
    parser.add_argument("--count", type=int, metavar="N", help="only the first instances of each test set")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--title", default="Learned models by the number of problems")
    parser.add_argument("--note", action="append", default=[], help="a paragraph for the page")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "learn_problems", metavar="NAME")
    given = parser.parse_args(arguments)
    models = find_models(given.folder)
    if not models:
        parser.error(f"no finished models in {given.folder}")
    store = Store(given.folder / "measured.jsonl")
    runner = Runner(store, given.jobs, progress=show_progress)
    try:
        results = [measure_model(domain, path, given.count, runner) for domain, path in models]
    finally:
        store.close()
    write_text(given.output.with_suffix(".md"), write_page(given.title, results, given.note))
    write_text(given.output.with_suffix(".json"), json.dumps([describe(found) for found in results], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
