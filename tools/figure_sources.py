"""Every figure of the results by a name, such as `lama.blocks.neq.speedup`: what sentences are checked against."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from skolem.evaluation.paper import LAMA, OPTIMAL
from skolem.families.registry import FAMILIES

ROOT = Path(__file__).parent.parent
Figures = dict[str, float]


def collect_figures(root: Path = ROOT) -> Figures:
    """The figures of results/, of the shipped models and of the paper."""
    results = root / "results"
    return dict(
        (
            *_name_optimal(_read(results / "optimal.json")["cells"]),
            *_name_large("lama", _read(results / "lama.json")["cells"]),
            *_name_large("scaling", _read(results / "scaling.json")["cells"]),
            *_name_suite(_read(results / "suite.json")["cells"]),
            *_name_learned("learn_cpu", _read(results / "learn_cpu.json")),
            *_name_learned("learn_problems", _read(results / "learn_problems.json")),
            *_name_plan_costs(_read(results / "plan_costs.json")["rows"]),
            *_name_bounds(_read(results / "bounds.json")["rows"]),
            ("forced.cases", _read(results / "forced_objects.json")["cases"]),
            ("forced.agrees", _read(results / "forced_objects.json")["agrees"]),
            *_name_expressivity(_read(results / "expressivity.json")),
            *_name_reach(_read(results / "reach.json")),
            *_name_self_labels(_read(results / "self_labels.json")),
            *_name_models(root / "src" / "skolem" / "models"),
            *_name_paper(),
        )
    )


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _place(family: str, neq: bool) -> str:
    return f"{family}.{'neq' if neq else 'any'}"


def _join(*words: object) -> str:
    """Words as a part of a name: lower case, without spaces and commas."""
    return ".".join(str(word).lower().replace(",", "").replace(" ", "-") for word in words)


def _name_optimal(cells: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """`optimal.GROUNDER.FAMILY.SETTING.FIGURE`."""
    for cell in cells:
        for name in ("count", "coverage", "validity", "v_star", "ratio", "total_ratio"):
            if cell[name] is not None:
                yield _join("optimal", cell["configuration"], _place(cell["family"], cell["neq"]), name), cell[name]


def _name_large(experiment: str, cells: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """`lama.FAMILY.SETTING.FIGURE`, `scaling.SERIES.FAMILY.STEP.FIGURE`; for peers a route before the figure."""
    for cell in cells:
        place = (
            _place(cell["family"], cell["neq"])
            if "neq" in cell
            else _join(cell["series"], cell["family"], cell["step"])
        )
        groups = {"": cell["figures"], **{f".{route}": figures for route, figures in cell["peers"].items()}}
        for group, figures in groups.items():
            for name, figure in figures.items():
                yield from _name_figure(f"{experiment}.{place}{group}.{name}", figure)
        for name, median in cell["medians"].items():
            if median is not None:
                yield f"{experiment}.{place}.{name}.median", median


def _name_figure(name: str, figure: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The figure itself, `.count`, its instances, and of a share `.solved`, the instances that it is the share of."""
    yield f"{name}.count", figure["count"]
    if figure["value"] is not None:
        yield name, figure["value"]
        if name.endswith("coverage"):
            yield f"{name}.solved", round(figure["value"] * figure["count"])


def _name_suite(cells: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """`suite.domains`, `suite.DOMAIN.count`, `suite.DOMAIN.totals`, `suite.DOMAIN.ROUTE.FIGURE`, `suite.mean.ROUTE`."""
    yield "suite.domains", len(cells)
    ratios: dict[str, list[float]] = {}
    for cell in cells:
        yield _join("suite", cell["family"], "count"), cell["count"]
        yield _join("suite", cell["family"], "totals"), cell["totals"]["value"]
        for route, figures in cell["peers"].items():
            for name, figure in figures.items():
                if figure["value"] is not None:
                    yield _join("suite", cell["family"], route, name), figure["value"]
            if figures["ratio"]["value"] is not None:
                ratios.setdefault(route, []).append(figures["ratio"]["value"])
    for route, found in ratios.items():
        yield _join("suite", "mean", route), fmean(found)


def _name_learned(name: str, models: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """`NAME.DOMAIN.PROBLEMS.FIGURE` of models of `skolem learn`; `NAME.mean.PROBLEMS`, the mean over the domains."""
    ratios: dict[int, list[float]] = {}
    for model in models:
        place = _join(name, model["domain"], model["problems"])
        yield f"{place}.minutes", model["minutes"]
        for figure in ("coverage", "ratio"):
            yield from _name_figure(f"{place}.{figure}", model[figure])
        if model["ratio"]["value"] is not None:
            ratios.setdefault(model["problems"], []).append(model["ratio"]["value"])
    for problems, found in ratios.items():
        yield _join(name, "mean", problems), fmean(found)
        yield _join(name, "domains", problems), len(found)


def _name_plan_costs(rows: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """`plan_costs.all.FIGURE`, `plan_costs.FAMILY.SETTING.FIGURE`."""
    for row in rows:
        place = row["family"] if row["neq"] is None else _place(row["family"], row["neq"])
        for name in ("tasks", "solved_before", "solved", "cost_before", "cost", "ratio"):
            if row[name] is not None:
                yield _join("plan_costs", place, name), row[name]


def _name_bounds(rows: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """`bounds.FAMILY.SETTING.tasks`, and by seconds `bounds.FAMILY.SETTING.SECONDS.FIGURE`."""
    for row in rows:
        place = f"bounds.{_place(row['family'], row['neq'])}"
        yield f"{place}.tasks", row["tasks"]
        for seconds in ("1", "10"):
            for name in ("exceeded", "proven"):
                yield f"{place}.{seconds}.{name}", row[seconds][name]


def _name_expressivity(found: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """`expressivity.EXPERIMENT.INPUT.FIGURE`, and the costs of pairs as `expressivity.pairs.PAIR.0` and `.1`."""
    for row in found["learned"]:
        for name in ("tested", "longest", "possible", "right", "error"):
            yield _join("expressivity", row["experiment"], row["input"], name), row[name]
    for row in found["pairs"]:
        for number, cost in enumerate(row["costs"]):
            if cost is not None:
                yield _join("expressivity", "pairs", row["pair"], number), cost


def _name_reach(parts: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """`reach.PART.FAMILY.ROW.FIGURE`, without the row where a family has only one."""
    for part, found in parts.items():
        for row in found["rows"]:
            place = [word for word in ("reach", part, row["family"], row["row"]) if word]
            for name, value in row.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield _join(*place, name), value


def _name_self_labels(found: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """`self_labels.domains`, `self_labels.ARM.DOMAIN` the ratio, `self_labels.labels.KIND.DOMAIN.FIGURE`."""
    full = {domain: runs for domain, runs in found["runs"].items() if len(runs) == 3}
    yield "self_labels.domains", len(full)
    for domain, runs in full.items():
        for arm, run in runs.items():
            yield _join("self_labels", arm, domain), run["routes"]["learned"]["ratio"]
    for domain, kinds in found["labels"].items():
        for kind, row in kinds.items():
            for name in ("right", "low", "error"):
                yield _join("self_labels", "labels", kind, domain, name), row[name]


def _name_models(folder: Path) -> Iterator[tuple[str, float]]:
    """`models.FAMILY.SETTING.FIGURE` of the shipped weights, by their cards' source; also of `models.paper-code`."""
    for family in FAMILIES:
        seed = _read(folder / family / "config.json")["training"]["seed"]
        (run,) = (run for run in _read(folder / family / "runs.json")["runs"] if run["seed"] == seed)
        for cell in run.get("optimal", ()):
            for name in ("count", "coverage", "ratio"):
                yield f"models.{_place(family, cell['neq'])}.{cell['configuration']}.{name}", cell[name]
    for path in sorted((folder / "paper-code").glob("*/runs.json")):
        for cell in _read(path)["runs"][0]["optimal"]:
            for name in ("count", "coverage", "ratio"):
                place = _place(cell["family"], cell["neq"])
                yield _join("models.paper-code", place, cell["configuration"], name), cell[name]


def _name_paper() -> Iterator[tuple[str, float]]:
    """`paper.optimal.FAMILY.SETTING.FIGURE` and `paper.lama.FAMILY.SETTING.FIGURE`."""
    for (family, neq), row in OPTIMAL.items():
        yield from ((f"paper.optimal.{_place(family, neq)}.{name}", value) for name, value in asdict(row).items())
    for (family, neq), large in LAMA.items():
        yield from ((f"paper.lama.{_place(family, neq)}.{name}", value) for name, value in asdict(large).items())
