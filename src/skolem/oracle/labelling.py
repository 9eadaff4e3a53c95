"""Labelled datasets: shards made independently of each other, in parallel, and resumed after an interruption."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Literal

import numpy as np

from skolem.families.registry import find_family, open_stream
from skolem.oracle.bindings import View
from skolem.oracle.costs import SpaceCache
from skolem.oracle.dataset import (
    MANIFEST,
    Dataset,
    ShardBuilder,
    ShardFile,
    hash_file,
    read_dataset,
    write_manifest,
    write_shard,
)
from skolem.oracle.exploration import MOST_WALKED
from skolem.oracle.guided_walks import Asked, Guide, walk_to_goals
from skolem.oracle.labels import BindingCosts, Mix, label_root
from skolem.oracle.masks import deny_atoms
from skolem.oracle.space import SpaceLimits
from skolem.oracle.training_tasks import FamilyOrigin, Origin, TrainingTask, Variety
from skolem.oracle.user_tasks import ProblemOrigin
from skolem.pddl.reading import read_task
from skolem.support.errors import InputError, LimitError, Place
from skolem.support.files import make_folder, remove_unfinished, write_text
from skolem.support.parallel import run_jobs
from skolem.task.constraints.candidates import find_candidates
from skolem.task.query import Query

Report = Callable[[int], None]
Warn = Callable[[str], None]
Job = tuple[str, int, int]
"""A shard to make: its part, its number, and how much it holds."""

_UNREACHABLE_SHARE = 0.1
"""How many root goals that cannot be reached are taken where costs are balanced."""
LISTED = ("larger", "odd")
"""The parts of larger tasks, whose goals have the costs of all their bindings listed."""
_MOST_IDLE = 1000
"""Draws of tasks in a row without anything to label after which it is given up."""
SPACE_SECONDS = 3600.0
"""A guard only: what is labelled may not depend on how fast it is done."""


@dataclass(frozen=True)
class DatasetRecipe:
    """Everything that the content of a dataset depends on."""

    domain: str
    """The family's name, or the name of the user's domain."""
    files: tuple[str, ...] = ()
    """The domain file and the problem files; empty for a family."""
    pairs: int = 40_000
    validation: int | None = None
    """The pairs for validation; by default one for 64 training pairs, but at least 2,000."""
    larger: int = 150
    """How many root goals of larger tasks have the costs of all their bindings listed."""
    seed: int = 0
    mix: Mix = field(default_factory=Mix)
    states: int = 300_000
    """The most states of a space; draws of tasks with more are left out."""
    large_states: int = 4_000_000
    """The most states of a space in the draws that may be large."""
    large_share: float = 0.03
    """How many of the draws may be large."""
    shard: int = 10_000
    """The pairs of a shard."""
    larger_shard: int = 10
    """The root goals of a shard of larger tasks."""
    larger_states: int = 700_000
    """The most states of a larger task's space; of a larger space those near the initial state are used."""
    listed: int = 4_000
    """Root goals of larger tasks with more valid bindings are not taken."""
    variables: int = 4
    """The most variables of a goal lifted from a user's problems."""
    layouts: Literal["paper", "varied"] = "paper"
    """A family's layouts: as in the paper, or half of them with long distances."""
    masks: float = 0.0
    """How many tasks describe objects by random overlapping masks instead of one colour each or their own atoms."""
    negated: float = 0.0
    """How many goals have atoms that must be false."""
    balanced: bool = False
    """Whether root goals of frequent costs are taken less often, so that far goals are not rare."""
    labels: Literal["exact", "self"] = "exact"
    """Costs of a user's domain by search, or the upper bounds that walks prove."""
    variants: float = 0.0
    """How many of the tasks of a user's domain are made from the problems instead of being one of them."""
    odd: int = 0
    """How many root goals of larger tasks with long distances have the costs of all their bindings listed."""
    neq: bool | None = None
    """Whether the variables of a family's goals must differ; None for half of the goals."""

    @property
    def fingerprint(self) -> str:
        """A checksum of the plan and of its input files."""
        contents = [hash_file(Path(file)) for file in self.files]
        return hashlib.sha256(json.dumps([asdict(self), contents]).encode()).hexdigest()

    @property
    def total(self) -> int:
        """The progress that is reported at the end, in pairs."""
        return sum(_weigh(job) for job in self.jobs())

    def jobs(self) -> list[Job]:
        """Part, number and amount of every shard."""
        validation = max(2_000, self.pairs // 64) if self.validation is None else self.validation
        parts = (
            ("train", self.pairs, self.shard),
            ("validation", validation, self.shard),
            ("larger", 0 if self.files and not self.variants else self.larger, self.larger_shard),
            ("odd", 0 if self.files else self.odd, self.larger_shard),
        )
        return [(p, i, min(step, total - i * step)) for p, total, step in parts for i in range(-(-total // step))]


def plan_family(
    family: str, preset: str, pairs: int, seed: int = 0, neq: bool = False, states: int | None = None
) -> DatasetRecipe:
    """The recipe of a family's dataset for a preset of training; only `paper-code` has one for each setting.

    With a number of states, tasks have no more, and every tenth at most five times as many.
    """
    recipe = _plan_preset(family, preset, pairs, seed, neq)
    if states is None and (family, preset) == ("delivery", "skolem"):
        # All spaces of the training sizes: four packages in twenty cells have 3.8 million states.
        states = 1_000_000
    if states is None:
        return recipe
    return replace(recipe, states=states, large_states=min(5 * states, recipe.large_states), large_share=0.1)


def _plan_preset(family: str, preset: str, pairs: int, seed: int, neq: bool) -> DatasetRecipe:
    if preset == "paper":
        return DatasetRecipe(family, pairs=pairs, seed=seed)
    if preset == "paper-code":
        # Every goal has colours of its own.
        mix = Mix(walks=False, solved=1.0, colourings=16, goals=1)
        return DatasetRecipe(family, pairs=pairs, seed=seed, mix=mix, neq=neq)
    mix = Mix(named=2, repeated=True, colourings=8)
    return DatasetRecipe(
        family,
        pairs=pairs,
        validation=5_000,
        larger=100,
        odd=100,
        larger_states=300_000,
        seed=seed,
        mix=mix,
        layouts="varied",
        masks=0.5,
        negated=0.15,
        balanced=True,
    )


def plan_problems(
    domain: str,
    files: Sequence[str],
    pairs: int,
    states: int,
    seed: int = 0,
    labels: Literal["exact", "self"] = "exact",
) -> DatasetRecipe:
    """The recipe of the dataset of a user's domain: many tasks from the problems, objects described by masks.

    `states` are the most of a space; of a larger one a ball of so many is used.
    """
    return DatasetRecipe(
        domain,
        tuple(files),
        pairs=pairs,
        validation=min(2_000, max(100, pairs // 10)),
        larger=min(48, max(8, pairs // 200)),
        seed=seed,
        labels=labels,
        mix=Mix(goals=16, repeated=True, bounds=3),
        states=states,
        larger_states=3 * states,
        shard=1_000,
        larger_shard=8,
        masks=0.8,
        variants=0.8,
        negated=0.15,
        balanced=True,
    )


def label(
    plan: DatasetRecipe,
    out: Path,
    *,
    jobs: int = 1,
    backend: str = "loky",
    report: Report = lambda done: None,
    warn: Warn = lambda text: None,
    is_over: Callable[[], bool] = lambda: False,
    guide: Guide | None = None,
) -> Dataset:
    """Writes the dataset of a plan; shards that an interrupted run left behind are kept, damaged ones made again.

    `report` is told how many pairs are done, of `plan.total`, and `warn` which files were damaged. Once `is_over` says
    so and there are shards of every part, no more are made: the dataset then has fewer pairs than planned, and another
    call makes the others. With a `guide`, labels of walks are those of walks that it guides.
    """
    make_folder(out)
    _claim(plan, guide, out)
    origin = open_origin(plan, "train")
    work = plan.jobs()
    files = _find_finished(out, work, warn)
    done = sum(_weigh(job) for job in work if job[:2] in files)
    report(done)
    missing = [job for job in work if job[:2] not in files]
    # The first shards of all parts come first.
    missing.sort(key=lambda job: job[1])
    needed = {part for part, *_ in work}
    results = run_jobs(make_shard, [(plan, out, *job, guide) for job in missing], jobs, backend)
    for job, file in results:
        files[job[:2]] = file
        done += _weigh(job)
        report(done)
        if is_over() and needed == {part for part, _ in files}:
            results.close()
            break
    made = [job for job in work if job[:2] in files]
    parts: dict[str, tuple[ShardFile, ...]] = {}
    for part, number, _ in made:
        parts[part] = (*parts.get(part, ()), files[part, number])
    dataset = Dataset(
        path=out,
        domain=origin.domain,
        relations=origin.relations,
        origin={"plan": asdict(plan), **({} if guide is None else {"guide": guide.checksum})},
        parts=parts,
        attributes=origin.attributes,
        actions=origin.actions,
        metric=origin.metric,
    )
    write_manifest(dataset)
    for part, number, _ in made:
        _sidecar(_shard_path(out, part, number)).unlink(missing_ok=True)
    remove_unfinished(out)
    return dataset


def open_origin(plan: DatasetRecipe, part: str) -> Origin:
    """Where the tasks of a part come from."""
    if plan.files:
        domain, *problems = plan.files
        return _open_problems(domain, tuple(problems), plan.variables, plan.masks, plan.variants)
    family = find_family(plan.domain)
    # Few tasks of a layout make a small part more varied.
    colourings = plan.mix.colourings if part == "train" else 1
    variety = Variety(0.5 if plan.layouts == "varied" else 0.0, plan.masks)
    if part in ("larger", "odd"):
        variety = replace(variety, odd=float(part == "odd"))
        return FamilyOrigin(family, "validation", colourings, variety=variety, neq=plan.neq)
    return FamilyOrigin(family, "train", colourings, plan.mix.named, variety, plan.neq)


@lru_cache(maxsize=1)
def _open_problems(domain: str, problems: tuple[str, ...], *how: Any) -> ProblemOrigin:
    """A user's problems, read once for all shards that a process makes."""
    return ProblemOrigin([read_task(domain, problem, needs_goal=False) for problem in problems], *how)


def make_shard(
    plan: DatasetRecipe, out: Path, part: str, number: int, amount: int, guide: Guide | None = None
) -> tuple[Job, ShardFile]:
    """Writes one shard, a function of the plan, the guide, the part and the number alone."""
    origin = open_origin(plan, part)
    rng = open_stream("label", plan.domain, plan.seed, part, number)
    builder = ShardBuilder(origin.relations)
    fill = _list_bindings if part in LISTED else _label_tasks
    fill(plan, part, amount, origin, rng, builder, guide)
    path = _shard_path(out, part, number)
    file = write_shard(path, builder.build())
    write_text(_sidecar(path), f"{file.sha256} {file.pairs}\n")
    return (part, number, amount), file


def _label_tasks(
    plan: DatasetRecipe,
    part: str,
    amount: int,
    origin: Origin,
    rng: Random,
    builder: ShardBuilder,
    guide: Guide | None,
) -> None:
    """Adds the amount of pairs: from every layout a few states, from each of them goals of several colourings."""
    walks = rng if plan.labels == "self" else None
    states = plan.states if walks is None else min(plan.states, MOST_WALKED)
    small = SpaceCache(SpaceLimits(states, SPACE_SECONDS), ball=bool(plan.files), walks=walks)
    large = SpaceCache(SpaceLimits(plan.large_states, SPACE_SECONDS))
    arities = {r.name: r.arity for r in origin.relations if not r.static}
    most_unbound = plan.variables if plan.files else plan.mix.unbound
    idle, seen = 0, Counter[int | None]()
    while builder.pairs < amount:
        before = builder.pairs
        spaces = large if not plan.files and rng.random() < plan.large_share else small
        tasks = origin.draw_tasks(rng, part, spaces)
        views = [View(tasks[0].space, state) for state in _draw_states(rng, plan, tasks[0])] if tasks else []
        # One after another: what is drawn next depends on what was labelled.
        chosen: Iterable[Asked] = _choose_goals(plan, rng, tasks, views, arities, seen)
        if guide is not None:
            chosen = walk_to_goals(list(chosen), guide, rng, arities)
        writer = None
        for asked in chosen:
            if writer is None or writer.task is not asked.task:
                writer = TaskWriter(builder, asked.task)
            numbers = writer.add_root(asked.query, asked.view.state)
            label_root(builder, rng, plan.mix, asked.query, asked.costs, *numbers, most_unbound)
        idle = 0 if builder.pairs > before else idle + 1
        if idle > _MOST_IDLE:
            raise LimitError(f"no task of {plan.domain} could be labelled with at most {plan.states} states")


def _choose_goals(
    plan: DatasetRecipe,
    rng: Random,
    tasks: Sequence[TrainingTask],
    views: Sequence[View],
    arities: dict[str, int],
    seen: Counter[int | None],
) -> Iterator[Asked]:
    """Goals of tasks that share a space, each from one of some states, those that are wanted."""
    for task in tasks:
        for _ in range(plan.mix.goals):
            view = rng.choice(views)
            query = _draw_goal(plan, rng, task, view.state, arities)
            costs = _try_bindings(view, task, query, plan.mix.most_bindings)
            if costs is not None and _is_wanted(plan, rng, costs.best, seen):
                seen[costs.best] += 1
                yield Asked(task, view, query, costs)


def _draw_goal(plan: DatasetRecipe, rng: Random, task: TrainingTask, state: int, arities: dict[str, int]) -> Query:
    """A goal of the task; some have atoms that must be false."""
    query = task.draw_goal(rng)
    if plan.negated > 0 and rng.random() < plan.negated:
        allowed = find_candidates(query, task.statics, task.objects)
        return deny_atoms(rng, query, task.space.relations(state, arities), task.space.atoms, allowed)
    return query


def _is_wanted(plan: DatasetRecipe, rng: Random, cost: int | None, seen: Counter[int | None]) -> bool:
    """Whether a root goal of that cost is taken, given how often each cost was."""
    if cost == 0:
        return rng.random() < plan.mix.solved
    if not plan.balanced:
        return True
    if cost is None:
        return rng.random() < _UNREACHABLE_SHARE
    if plan.labels == "self":
        # Of far goals walks know loose bounds only: they are not to be taken more often than they come.
        return True
    # No cost is to be taken more often than the others are on average.
    return rng.random() < max(0.05, ((seen.total() + 1) / (len(seen) + 1) / (seen[cost] + 1)) ** 2)


def _draw_states(rng: Random, plan: DatasetRecipe, task: TrainingTask) -> list[int]:
    """The initial state, and others at random distances from it; nearer ones have more left to do."""
    depth = task.space.depth
    if task.space.horizon is not None:
        # Further away less is known.
        depth = depth[: int(np.searchsorted(depth, task.space.horizon // 2, side="right"))]
    layers = [0, *(int(i) for i in (depth[1:] != depth[:-1]).nonzero()[0] + 1), len(depth)]
    states = [task.initial]
    for _ in range(plan.mix.states - 1):
        layer = min(rng.randrange(len(layers) - 1) for _ in range(1 + plan.balanced))
        states.append(rng.randrange(layers[layer], layers[layer + 1]))
    return states


def _list_bindings(
    plan: DatasetRecipe,
    part: str,
    amount: int,
    origin: Origin,
    rng: Random,
    builder: ShardBuilder,
    guide: Guide | None,
) -> None:
    """Adds root goals of larger tasks, seen from their initial states, with the costs of their complete bindings."""
    walks = rng if plan.labels == "self" else None
    states = plan.larger_states if walks is None else min(plan.larger_states, MOST_WALKED)
    spaces = SpaceCache(SpaceLimits(states, SPACE_SECONDS), partial=True, ball=bool(plan.files), walks=walks)
    arities = {r.name: r.arity for r in origin.relations if not r.static}
    goals = idle = 0
    while goals < amount:
        idle += 1
        if idle > _MOST_IDLE:
            # There may be no such tasks in a user's domain.
            return
        for task in origin.draw_tasks(rng, part, spaces):
            view = View(task.space, task.initial)
            writer = TaskWriter(builder, task)
            # A user's few problems are to be seen in as many ways as possible.
            for _ in range(1 if plan.files else plan.mix.goals):
                query = task.draw_goal(rng)
                costs = _try_bindings(view, task, query, plan.listed)
                if costs is None or not costs.best:
                    continue
                if guide is not None:
                    (asked,) = walk_to_goals([Asked(task, view, query, costs)], guide, rng, arities)
                    costs = asked.costs
                root = label_root(builder, rng, plan.mix, query, costs, *writer.add_root(query, view.state))
                for binding, cost in costs.list_known():
                    builder.add_complete(root, binding, cost)
                goals += 1
                idle = 0
                if goals == amount:
                    return


class TaskWriter:
    """Adds a task, and its states once each."""

    def __init__(self, builder: ShardBuilder, task: TrainingTask) -> None:
        self.builder = builder
        self.task = task
        self.number: int | None = None
        self.states: dict[int, int] = {}

    def add_root(self, query: Query, state: int) -> tuple[int, int]:
        """The numbers of the new goal and of the state."""
        builder, task = self.builder, self.task
        if self.number is None:
            self.number = builder.add_task(task.objects, task.statics)
        if state not in self.states:
            arities = {r.name: r.arity for r in builder.relations if not r.static}
            self.states[state] = builder.add_state(self.number, task.space.relations(state, arities))
        return builder.add_goal(self.number, query), self.states[state]


def _try_bindings(view: View, task: TrainingTask, query: Query, most: int) -> BindingCosts | None:
    try:
        return BindingCosts(view, task.statics, task.objects, query, most)
    except LimitError:
        return None


def _weigh(job: Job) -> int:
    """The pairs of a shard; a goal of a larger task counts for as many pairs as it has on average."""
    part, _, amount = job
    return amount * 30 if part in LISTED else amount


def _claim(plan: DatasetRecipe, guide: Guide | None, out: Path) -> None:
    """Marks the folder as the plan's; an InputError where it holds another plan's shards."""
    mark = out / "plan.sha256"
    name = plan.fingerprint if guide is None else f"{plan.fingerprint} {guide.checksum}"
    if mark.exists() and mark.read_text(encoding="utf-8").strip() != name:
        raise InputError("the folder holds a dataset of another plan: choose another one or empty it", Place(str(out)))
    write_text(mark, name + "\n")


def _find_finished(out: Path, work: list[Job], warn: Warn) -> dict[tuple[str, int], ShardFile]:
    """The shards that an earlier run finished: those in the manifest, or else those with a sidecar."""
    found: dict[tuple[str, int], ShardFile] = {}
    listed: dict[str, ShardFile] = {}
    if (out / MANIFEST).exists():
        try:
            listed = {f.file: f for p in read_dataset(out).parts.values() for f in p}
        except InputError as error:
            warn(f"{error}: it is made again, and so are shards that nothing else vouches for")
    for part, number, _ in work:
        path = _shard_path(out, part, number)
        try:
            sha256, pairs = _sidecar(path).read_text(encoding="utf-8").split()
            file = ShardFile(path.name, sha256, int(pairs))
        except (OSError, ValueError):
            if path.name not in listed:
                continue
            file = listed[path.name]
        if not path.exists():
            warn(f"{path}: the shard is missing: it is made again")
        elif hash_file(path) != file.sha256:
            warn(f"{path}: the shard does not match its checksum: it is made again")
        else:
            found[part, number] = file
    return found


def _shard_path(out: Path, part: str, number: int) -> Path:
    return out / f"{part}-{number:04d}.npz"


def _sidecar(shard: Path) -> Path:
    return shard.with_suffix(".done")
