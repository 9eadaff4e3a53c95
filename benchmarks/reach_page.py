"""The figures of `benchmarks.reach`: one row per family and kind of task, what was asked of it, and a page of all."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.reach_attributes import CHANGES
from benchmarks.reach_tasks import LONGEST

from skolem.evaluation.store import Record
from skolem.evaluation.tables import Table, estimate_mean, estimate_ratio, round_figures

Row = dict[str, Any]
"""The figures of one row; `ok` says whether they are as asked, None where nothing is asked of it."""
Found = tuple[str, str, Record]
"""The family and the kind of a task, and its record."""
ALL = "all"
SAME = 0.005
MOST_BELOW = 0.001
MOST = {"mazes": 1.03, "negated": 1.02}
MOST_LARGE, MOST_VARIABLES, MOST_PLAN = 1.05, 1.10, 1.02
TITLES = {
    "attributes": "Attributes nobody trained on",
    "distance": "The nearer of two objects",
    "mazes": "Mazes and walled grids",
    "below-zero": "Predictions below zero",
    "negated": "Negated literals beside the goal",
    "scale": "Large tasks and many variables",
}


def summarise(part: str, found: Sequence[Found]) -> list[Row]:
    """The rows of a part."""
    groups = group(found)
    if part == "attributes":
        return [row for (family, _), records in groups.items() for row in _compare_changes(family, records)]
    if part == "distance":
        return [_summarise_distance(family, shape, records) for (family, shape), records in groups.items()]
    if part == "below-zero":
        return _summarise_below(groups)
    if part == "scale":
        return [_summarise_scale(family, step, records) for (family, step), records in groups.items()]
    return [
        {"family": family, "row": kind, **(q := measure_quality(records)), "ok": is_good(q, MOST[part])}
        for (family, kind), records in groups.items()
    ]


def group(found: Iterable[Found]) -> dict[tuple[str, str], list[Record]]:
    """The records by family and kind, in the order in which these come."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for family, kind, record in found:
        groups.setdefault((family, kind), []).append(record)
    return groups


def measure_quality(records: Sequence[Record]) -> Row:
    """Coverage, and V/V* of what is covered as the mean of ratios and as the ratio of sums, with intervals."""
    known = [r for r in records if r["v_star"] is not None]
    covered = [r for r in known if r["cost"] is not None]
    mean = estimate_mean(r["cost"] / r["v_star"] for r in covered)
    sums = estimate_ratio((r["cost"], r["v_star"]) for r in covered)
    figures: Row = {
        "tasks": len(records),
        "undecided": len(records) - len(known),
        "coverage": len(covered) / len(known) if known else None,
        "ratio": mean.value,
        "ratio_interval": mean.interval,
        "total_ratio": sums.value,
        "total_ratio_interval": sums.interval,
        "worst": max((r["cost"] / r["v_star"] for r in covered), default=None),
        "left_over": sum("residual" in r for r in records),
    }
    return dict(round_figures(figures))


def is_good(quality: Mapping[str, Any], most: float) -> bool:
    """Whether all tasks are covered and both ratios are at most what is asked."""
    ratios = quality["ratio"], quality["total_ratio"]
    return quality["coverage"] == 1 and all(ratio is not None and ratio <= most for ratio in ratios)


def _compare_changes(family: str, records: Sequence[Record]) -> list[Row]:
    """The usual colours, then every change with how much worse it is."""
    usual = measure_quality([record["usual"] for record in records])
    rows: list[Row] = [{"family": family, "row": "usual", **usual, "ok": None}]
    for change in CHANGES:
        quality = measure_quality([record[change] for record in records])
        names = "ratio", "total_ratio"
        worse = {f"{name}_change": round(quality[name] - usual[name], 6) for name in names if quality[name] is not None}
        covered = quality["coverage"] == usual["coverage"] or (quality["coverage"] or 0) > usual["coverage"]
        rows.append(
            {
                "family": family,
                "row": change,
                **quality,
                **worse,
                "fits": sum(record[change]["fits"] for record in records),
                "ok": covered and len(worse) == len(names) and max(worse.values()) <= SAME,
            }
        )
    return rows


def _summarise_distance(family: str, shape: str, records: Sequence[Record]) -> Row:
    """Up to which distance every choice is right, in both orders of the objects, and the predicted values."""
    name = "rooms" if family == "gripper" else "place"
    wrong = [r[name] for r in records if not r["right"]]
    places = sorted({r[name] for r in records})
    right = [place for place in places if place < min(wrong, default=max(places) + 1)]
    errors = [abs(r[which] - r["cost"] - extra) for r in records for which, extra in (("near", 0), ("far", 2))]
    return {
        "family": family,
        "row": shape,
        "choices": len(records),
        "wrong": len(wrong),
        "right_up_to": right[-1] if right else 0,
        "tested_up_to": places[-1],
        "wrong_at": sorted(set(wrong)),
        "largest_error": round(max(errors), 3),
        "values": [[r[name], r["cost"], r["near"], r["far"], r["right"]] for r in records],
        "ok": not wrong and places[-1] >= LONGEST[family],
    }


def _summarise_below(groups: Mapping[tuple[str, str], Sequence[Record]]) -> list[Row]:
    """Every family, and all of them."""
    listed = [(family, "", list(records)) for (family, _), records in groups.items()]
    listed.append((ALL, "", [record for _, _, records in listed for record in records]))
    rows = []
    for family, kind, records in listed:
        predictions, below = (sum(r[name] for r in records) for name in ("predictions", "below"))
        rows.append(
            {
                "family": family,
                "row": kind,
                "tasks": len(records),
                "predictions": predictions,
                "below": below,
                "share": round(below / predictions, 6),
                "least": min(r["least"] for r in records),
                "ok": below <= MOST_BELOW * predictions,
            }
        )
    return rows


def _summarise_scale(family: str, step: str, records: Sequence[Record]) -> Row:
    """The learned binding and `plan`, each over V* or, where that is not known, over the best of all other routes."""
    row: Row = {"family": family, "row": step, "tasks": len(records)}
    for route, other in (("learned", "plan"), ("plan", "learned")):
        pairs = []
        for record in records:
            others = [cost for cost in (*record["others"].values(), record[other]) if cost is not None]
            reference = min(others, default=None) if record["v_star"] is None else record["v_star"]
            if record[route] is not None and reference is not None:
                pairs.append((record[route], reference))
        # A route that beats all others on some tasks must not hide by that what it loses on the others.
        row[f"{route}_best_ratio"] = estimate_mean(max(1.0, a / b) for a, b in pairs).value
        mean, sums = estimate_mean(a / b for a, b in pairs), estimate_ratio(pairs)
        row |= {f"{route}_solved": sum(r[route] is not None for r in records), f"{route}_compared": len(pairs)}
        row |= {f"{route}_ratio": mean.value, f"{route}_total_ratio": sums.value, f"{route}_interval": mean.interval}
    row["by_v_star"] = sum(record["v_star"] is not None for record in records)
    row["proven"] = sum(record["learned_proven"] for record in records)
    most = MOST_VARIABLES if "variables" in step else MOST_LARGE
    good = [
        row[f"{route}_solved"] == row[f"{route}_compared"] == len(records)
        and max(row[f"{route}_ratio"], row[f"{route}_total_ratio"]) <= limit
        for route, limit in (("learned", most), ("plan", MOST_PLAN))
    ]
    row["learned_ok"], row["plan_ok"] = good
    return {**dict(round_figures(row)), "ok": all(good)}


def write_page(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of all parts that were measured."""
    text = [
        "# How far the learned bindings reach",
        "Tasks that are unlike those of training, bound greedily by the learned route (`--grounder learned`). V is the "
        "exact cost of the binding, V* that of the goal; the mean is that of the ratios V/V*, sums is the ratio of "
        "the sums, both with 95% intervals; undecided tasks, whose V* or V was not found in time, are in neither. "
        "Whether a row is as asked stands in its last column.",
    ]
    for part, found in parts.items():
        versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
        models = ", ".join(f"{name} {checksum}" for name, checksum in found["models"].items())
        text += [
            f"## {TITLES[part]}",
            INTRODUCTIONS[part],
            TABLES[part](found["rows"]).to_markdown(),
            f"Made by `{found['command']}` with {versions}; models by the checksums of their weights: {models}.",
        ]
    return "\n\n".join(text) + "\n"


INTRODUCTIONS = {
    "attributes": "Tasks of the sizes of the optimal sets, 1 to 4 variables, every second one with inequalities. "
    "Renamed colours, colours as objects (`(brand ?x b-red)`) and colours and kinds as types describe the same tasks "
    "as the usual colours; twelve colours and two attributes for every object come with goals of their own on the same "
    f"layouts. Change: how much V/V* is above that with the usual colours; asked: at most {SAME}, by the mean and by "
    "sums. Model found: in how many tasks the model is chosen without being named.",
    "distance": "Two objects fit the goal, one of them two steps farther than the other; every pair is tried with the "
    "objects in both orders. The distance is the number of steps to the nearer one (visitall, delivery), of blocks "
    "above it (blocks-c), or of rooms in the ring (gripper, all pairs of neighbouring rooms). Asked: right up to "
    f"{LONGEST['visitall']} steps in visitall and delivery, {LONGEST['blocks-c']} blocks, rings of "
    f"{LONGEST['gripper']} rooms. Largest error: of the predicted costs of both objects.",
    "mazes": "Visitall with 25 to 64 cells (1 to 4 variables) and delivery with 27 to 45 objects (1 to 3), half of "
    f"them with inequalities. Asked: at most {MOST['mazes']}.",
    "below-zero": "Paths, rings, mazes, walls and tall towers beyond the sizes of training: the network's values, as "
    "they are, of goals that are false at the start and of each of their bindings of one variable. Asked: at most 1 "
    "in 1,000 below zero.",
    "negated": "Tasks with one or two negated literals beside the goal, which can be reached: 8 blocks, 13 objects in "
    "gripper, 10 to 14 in delivery, 9 to 13 cells in visitall. Left over: tasks of which a literal was left "
    f"to the planner. Asked: at most {MOST['negated']}.",
    "scale": "The tasks of the scaling series. The learned binding is planned for by an optimal planner, or where "
    "that does not end in time by anytime LAMA; it and `plan` are compared with V* where that is known, else with the "
    "best of all other routes (the exact route, also anytime, the stored ones, and `plan` or the learned binding). "
    "Best known: the mean over the best of all routes, its own included, so that no ratio is below 1. "
    f"Asked: the learned binding at most {MOST_LARGE} (400 and 407 objects) and {MOST_VARIABLES:.2f} (9-12 "
    f"variables), `plan` at most {MOST_PLAN}.",
}


def _tabulate_quality(rows: Sequence[Row]) -> Table:
    columns = ("family", "kind", "tasks", "coverage", "mean", "sums", "worst", "undecided", "left over", "as asked")
    return Table(
        "",
        columns,
        [
            (r["family"], r["row"], str(r["tasks"]), *_show_quality(r), str(r["left_over"]), _show_verdict(r["ok"]))
            for r in rows
        ],
    )


def _tabulate_attributes(rows: Sequence[Row]) -> Table:
    columns = ("family", "attributes", "tasks", "coverage", "mean", "sums", "worst", "undecided", "change: mean")
    shown = []
    for r in rows:
        changes = [f"{r[name]:+.4f}" if name in r else "-" for name in ("ratio_change", "total_ratio_change")]
        found = str(r["fits"]) if "fits" in r else "-"
        first = r["family"], r["row"], str(r["tasks"])
        shown.append((*first, *_show_quality(r), *changes, found, _show_verdict(r["ok"])))
    return Table("", (*columns, "sums", "model found", "as asked"), shown)


def _tabulate_distance(rows: Sequence[Row]) -> Table:
    columns = ("family", "pairs", "choices", "right up to", "tested up to", "wrong", "wrong at", "largest error")
    shown = []
    for r in rows:
        numbers = [r["choices"], r["right_up_to"], r["tested_up_to"], r["wrong"]]
        wrong = " ".join(map(str, r["wrong_at"])) or "-"
        last = wrong, f"{r['largest_error']:.2f}", _show_verdict(r["ok"])
        shown.append((r["family"], r["row"], *map(str, numbers), *last))
    return Table("", (*columns, "as asked"), shown)


def _tabulate_below(rows: Sequence[Row]) -> Table:
    columns = ("family", "tasks", "predictions", "below zero", "share", "least", "as asked")
    shown = []
    for r in rows:
        numbers = str(r["tasks"]), f"{r['predictions']:,}", str(r["below"]), f"{r['share']:.2%}", f"{r['least']:.2f}"
        shown.append((r["family"], *numbers, _show_verdict(r["ok"])))
    return Table("", columns, shown)


def _tabulate_scale(rows: Sequence[Row]) -> Table:
    columns = ("family", "step", "tasks", "V* known", "learned: mean", "sums", "best known", "solved", "as asked")
    shown = []
    for r in rows:
        cells = [r["family"], r["row"], str(r["tasks"]), str(r["by_v_star"])]
        for route in ("learned", "plan"):
            ratios = [_show_ratio(r[f"{route}_{name}"]) for name in ("ratio", "total_ratio", "best_ratio")]
            cells += [*ratios, str(r[f"{route}_solved"]), _show_verdict(r[f"{route}_ok"])]
        shown.append(tuple(cells))
    return Table("", (*columns, "plan: mean", "sums", "best known", "solved", "as asked"), shown)


def _show_quality(row: Row) -> tuple[str, ...]:
    coverage = "-" if row["coverage"] is None else f"{row['coverage']:.1%}"
    mean, sums = (_show_ratio(row[name], row[f"{name}_interval"]) for name in ("ratio", "total_ratio"))
    return coverage, mean, sums, _show_ratio(row["worst"]), str(row["undecided"])


def _show_ratio(value: float | None, interval: Sequence[float] | None = None) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def _show_verdict(ok: bool | None) -> str:
    return "" if ok is None else "yes" if ok else "**no**"


TABLES = {
    "attributes": _tabulate_attributes,
    "distance": _tabulate_distance,
    "mazes": _tabulate_quality,
    "below-zero": _tabulate_below,
    "negated": _tabulate_quality,
    "scale": _tabulate_scale,
}
