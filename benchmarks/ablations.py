"""Which choices of the preset `skolem` and of its input matter: one undone at a time, judged on validation sizes.

Run from the root of the repository, with torch, numpy and safetensors alone:

    python -m benchmarks.ablations run blocks delivery --device cuda --jobs 16 --seconds 570
    python -m benchmarks.ablations collect

`run` labels and trains side by side; after `--seconds` it is stopped, and the same command goes on. Every variant is
trained with two seeds on as many pairs for as many steps, and validated on the goals of the preset, whatever it was
trained on. `collect` writes the page of what is finished.
"""

import argparse
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.results import write
from tools.train_models import DONE, Plan, Training, add_options, work_off

from skolem.families.registry import FAMILIES
from skolem.network.model_folder import load_card
from skolem.oracle.dataset import PARTS, Dataset, read_dataset, write_manifest
from skolem.oracle.labelling import DatasetRecipe, label, plan_family

FEW = 16
"""How many times fewer the few pairs are."""
ALMOST_NEVER = 1e-9
"""Not never: the made-up attributes stay relations of the dataset, as its validation goals have them."""

DATA: dict[str, Mapping[str, Any]] = {
    "usual": {},
    "usual-layouts": {"layouts": "paper"},
    "unbalanced": {"balanced": False},
    "colours": {"masks": ALMOST_NEVER},
    "unnegated": {"negated": 0.0},
    "plain": {"negated": 0.0},
    "unnamed": {"named": 0},
    "unrepeated": {"repeated": False},
    "few": {},
}
"""What datasets have in place of the preset's, in the recipe or in its mix."""
OWN = ("usual", "plain")
"""Those with validation goals of their own; the others have those of the usual one."""


@dataclass(frozen=True)
class Variant:
    """A choice undone: the data it is trained on, and the options of the trainer."""

    name: str
    meaning: str
    data: str = "usual"
    options: tuple[str, ...] = ()
    families: tuple[str, ...] = tuple(FAMILIES)


SHIPPED: Mapping[str, tuple[str, ...]] = {
    "blocks": ("--readout", "sum"),
    "blocks-c": ("--readout", "sum"),
    "delivery": ("--readout", "sum"),
}
"""How the shipped model of a family is trained otherwise than by the preset."""
VARIANTS = (
    Variant("skolem", "the preset"),
    Variant(
        "all-inequalities", "true inequalities are shown too, as in version 0.1", options=("--inequalities", "all")
    ),
    Variant("plain", "no negated goals, not even in validation: to compare the next with", "plain"),
    Variant(
        "predicates", "the same with attributes as predicates in the input", "plain", ("--attributes", "predicates")
    ),
    Variant("usual-layouts", "usual layouts only: no corridors, mazes, walls, rings and tall towers", "usual-layouts"),
    Variant("unbalanced", "costs as they come, frequent ones more often", "unbalanced"),
    Variant("colours", "one colour each, no masks", "colours"),
    Variant("unnegated", "no negated goals in training", "unnegated"),
    Variant("unnamed", "no goals that name objects in place of further variables", "unnamed"),
    Variant("unrepeated", "siblings need not have an object that must differ", "unrepeated"),
    Variant("few-pairs", f"one pair for {FEW}", "few"),
    Variant("bindings-all", "every object is a possible binding", options=("--bindings", "all")),
    Variant(
        "readout-goal",
        "readout over the goal's objects instead of all",
        options=("--readout", "goal"),
        families=tuple(SHIPPED),
    ),
    Variant(
        "readout-sum",
        "readout over all objects instead of the goal's",
        options=("--readout", "sum"),
        families=tuple(family for family in FAMILIES if family not in SHIPPED),
    ),
    Variant("no-marks", "no mark on the object bound last", options=("--no-marks",)),
    Variant("layers-12", "12 layers instead of 30", options=("--layers", "12")),
    Variant("no-residual", "updates replace embeddings", options=("--no-residual",)),
    Variant("squared", "squared errors instead of Huber's", options=("--loss", "squared")),
    Variant("adamw", "AdamW instead of Muon", options=("--optimiser", "adamw", "--rate", "0.001", "--decay", "0.01")),
    Variant("constant-rate", "no schedule", options=("--schedule", "constant", "--warmup", "0")),
    Variant("no-clip", "gradients of any norm", options=("--clip", "none")),
    Variant("no-average", "the last weights, not their average", options=("--average", "none")),
    Variant("no-calm", "large first updates", options=("--no-calm",)),
)


def make_plan(
    families: Sequence[str], names: Sequence[str], seeds: Sequence[int], pairs: int, options: Sequence[str]
) -> Plan:
    """The datasets and trainings of some variants, all variants with the first seed first."""
    trainings = [
        Training(
            f"{family}-{variant.name}-s{seed}",
            f"{family}-{variant.data}",
            # What comes last counts.
            ("--select", "loss", *SHIPPED.get(family, ()), "--seed", str(seed), *options, *variant.options),
        )
        for seed in seeds
        for variant in VARIANTS
        for family in families
        if variant.name in names and family in variant.families
    ]
    needed = dict.fromkeys((f, v.data) for v in VARIANTS for f in families if v.name in names)
    # The usual one first: others take its validation goals.
    datasets = {
        f"{family}-{data}": ("benchmarks.ablations", "label", family, "--data", data, "--pairs", str(pairs))
        for family, data in [*((family, "usual") for family in families), *needed]
    }
    return Plan(datasets, tuple(trainings))


def plan_data(family: str, data: str, pairs: int) -> DatasetRecipe:
    """The recipe of a dataset with other training pairs than the usual ones."""
    usual = plan_family(family, "skolem", pairs // FEW if data == "few" else pairs)
    of_mix = {name: value for name, value in DATA[data].items() if name in asdict(usual.mix)}
    others = {name: value for name, value in DATA[data].items() if name not in of_mix}
    return replace(usual, mix=replace(usual.mix, **of_mix), **others)


def label_data(plan: DatasetRecipe, data: str, folder: Path, jobs: int, backend: str) -> Dataset:
    """Labels a dataset; one without validation goals of its own takes those of the usual one beside it."""
    if data in OWN:
        return label(plan, folder, jobs=jobs, backend=backend)
    usual = read_dataset(folder.with_name(f"{plan.domain}-usual"))
    dataset = label(replace(plan, validation=0, larger=0, odd=0), folder, jobs=jobs, backend=backend)
    others = {part: shards for part, shards in usual.parts.items() if part != PARTS[0]}
    for shard in (shard for shards in others.values() for shard in shards):
        shutil.copyfile(usual.path / shard.file, folder / shard.file)
    whole = replace(dataset, parts={**dataset.parts, **others})
    write_manifest(whole)
    return whole


def read_events(folder: Path) -> Iterator[dict[str, Any]]:
    """The events in a run's log; a line that was not finished is left out."""
    path = folder / "log.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            return


def collect(output: Path) -> list[dict[str, Any]]:
    """For every finished run its kept checkpoint, by what was measured when it was validated."""
    rows = []
    for done in sorted((output / "models").glob(f"*/{DONE}")):
        family, variant, seed = split_name(done.parent.name)
        training = load_card(done.parent).training
        rows.append(
            {
                "family": family,
                "variant": variant.name,
                "meaning": variant.meaning,
                "seed": seed,
                "pairs": training["dataset"]["pairs"],
                "dataset": training["dataset"]["checksum"],
                "steps": training["budget"]["steps"],
                "kept_at_step": training["steps"],
                "parts": training["validation"],
            }
        )
    order = [variant.name for variant in VARIANTS]
    return sorted(rows, key=lambda row: (row["family"], order.index(row["variant"]), row["seed"]))


def split_name(name: str) -> tuple[str, Variant, int]:
    """Family, variant and seed of a run's folder."""
    rest, _, seed = name.rpartition("-s")
    variant = max((v for v in VARIANTS if rest.endswith(f"-{v.name}")), key=lambda v: len(v.name))
    return rest.removesuffix(f"-{variant.name}"), variant, int(seed)


def format_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line in Markdown for every family and variant, with the figures of its seeds side by side."""
    parts = ("validation", "larger", "odd")
    columns = ["family", "variant", "seeds", "pairs", "steps", *(f"loss, {part}" for part in parts)]
    columns += [f"choices, {part}" for part in parts] + [f"V/V*, {part}" for part in parts[1:]]
    columns += [f"coverage, {part}" for part in parts[1:]]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["family"], f"{row['variant']}: {row['meaning']}"), []).append(row)
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for names, seeds in groups.items():
        cells = [*names, _join(str(row["seed"]) for row in seeds), f"{seeds[0]['pairs']:,}", f"{seeds[0]['steps']:,}"]
        cells += [_join(f"{row['parts'][part]['loss']:.3f}" for row in seeds) for part in parts]
        cells += [_join(f"{row['parts'][part]['accuracy']:.2%}" for row in seeds) for part in parts]
        cells += [_join(f"{row['parts'][part]['grade']['ratio']:.4f}" for row in seeds) for part in parts[1:]]
        cells += [_join(f"{row['parts'][part]['grade']['coverage']:.0%}" for row in seeds) for part in parts[1:]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _join(figures: Iterator[str]) -> str:
    return " / ".join(figures)


HEAD = """# Ablations

Networks of the preset `skolem` with one choice undone at a time, trained alike and judged on validation goals, never on
the test sets; the figures of the seeds stand side by side. `validation` has training sizes, `larger` larger tasks,
`odd` larger tasks with long distances. Choices: the share of decisions between sibling bindings in which the least
predicted cost is a best one. V/V* and coverage are those of the greedy policy, where a binding without a listed cost
counts as not covered. The goals are the same for all variants of a family, but that those of `plain` and `predicates`
at training sizes are others, without negated atoms. Of each run the checkpoint is the one with the least validation
loss. Made by `python -m benchmarks.ablations run` and `collect`.

"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the ablation, collects its results, or labels one of its datasets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    run = tasks.add_parser("run", help="label and train")
    run.add_argument("families", nargs="+", choices=tuple(FAMILIES), metavar="FAMILY")
    run.add_argument("--only", nargs="+", choices=[v.name for v in VARIANTS], metavar="VARIANT", help="default all")
    run.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    run.add_argument("--pairs", type=int, default=320_000, help="of each training (default 320000)")
    run.add_argument("--steps", type=int, default=6_000, help="of each training (default 6000)")
    run.add_argument("--batch", type=int, default=1_024, help="pairs of a step (default 1024)")
    add_options(run)
    one = tasks.add_parser("label", help="label one dataset, as `run` does")
    one.add_argument("family", choices=tuple(FAMILIES))
    one.add_argument("--data", choices=tuple(DATA), required=True)
    one.add_argument("--pairs", type=int, required=True)
    one.add_argument("--jobs", type=int, default=1)
    one.add_argument("--backend", default="spawn")
    for each in (run, one, tasks.add_parser("collect", help="write the page")):
        each.add_argument("-o", "--output", type=Path, default=Path("build/ablations"))
    given = parser.parse_args(arguments)
    if given.task == "label":
        recipe = plan_data(given.family, given.data, given.pairs)
        label_data(recipe, given.data, given.output, given.jobs, given.backend)
        return 0
    if given.task == "run":
        names = given.only or [variant.name for variant in VARIANTS]
        options = ("--steps", str(given.steps), "--batch", str(given.batch), "--validations", "4")
        plan = make_plan(given.families, names, given.seeds, given.pairs, options)
        return work_off(plan, given.output, given)
    rows = collect(given.output)
    write("ablations", rows, HEAD + format_table(rows))
    print(format_table(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
