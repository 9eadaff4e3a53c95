"""Labelled datasets: shards made independently of each other, in parallel, and resumed after an interruption."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import joblib

from skolem.dataset import Dataset, InputError, Place, ShardBuilder, ShardFile, hash_file, write_manifest, write_shard
from skolem.domains.registry import find_family, open_stream
from skolem.errors import LimitError, SkolemError
from skolem.oracle.bindings import View
from skolem.oracle.labels import BindingCosts, Mix, label_root
from skolem.oracle.sources import FamilyOrigin, Origin, ProblemOrigin, Scene, SpaceCache
from skolem.oracle.space import SpaceLimits
from skolem.task.query import Query
from skolem.task.reading import read_task

Report = Callable[[int], None]


@dataclass(frozen=True)
class Plan:
    """Everything that the content of a dataset depends on."""

    domain: str
    """The family's name, or the name of the user's domain."""
    problems: tuple[tuple[str, str], ...] = ()
    """The domain file and each problem file; empty for a family."""
    pairs: int = 40_000
    validation: int = 2_000
    larger: int = 150
    """How many root goals of larger tasks have the costs of all their bindings listed."""
    seed: int = 0
    mix: Mix = field(default_factory=Mix)
    states: int = 1_000_000
    """The most states of a space; larger training tasks are left out."""
    shard: int = 10_000
    """The pairs of a shard."""
    larger_shard: int = 10
    """The root goals of a shard of larger tasks."""
    most_listed: int = 2_000
    """The most complete bindings listed for a goal of a larger task."""
    variables: int = 4
    """The most variables of a goal lifted from a user's problems."""

    @property
    def fingerprint(self) -> str:
        """A checksum of the plan and of its input files."""
        files = [hash_file(Path(file)) for pair in self.problems for file in pair]
        return hashlib.sha256(json.dumps([asdict(self), files]).encode()).hexdigest()

    def jobs(self) -> list[tuple[str, int, int]]:
        """Part, number and amount of every shard."""
        parts = (("train", self.pairs, self.shard), ("validation", self.validation, self.shard))
        parts += (("larger", 0 if self.problems else self.larger, self.larger_shard),)
        return [(p, i, min(step, total - i * step)) for p, total, step in parts for i in range(-(-total // step))]


def label(
    plan: Plan, out: Path, *, jobs: int = 1, backend: str = "loky", report: Report = lambda done: None
) -> Dataset:
    """Writes the dataset of a plan; shards that an interrupted run left behind are kept."""
    out.mkdir(parents=True, exist_ok=True)
    _claim(plan, out)
    origin = open_origin(plan, "train")
    work = plan.jobs()
    files: dict[tuple[str, int], ShardFile] = {}
    for part, number, _ in work:
        if (kept := _find_finished(out, part, number)) is not None:
            files[part, number] = kept
    done = sum(f.pairs for f in files.values())
    report(done)
    missing = [job for job in work if job[:2] not in files]
    with _choose_backend(backend, jobs):
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
        for key, file in parallel(joblib.delayed(make_shard)(plan, out, *job) for job in missing):
            files[key] = file
            done += file.pairs
            report(done)
    parts: dict[str, tuple[ShardFile, ...]] = {}
    for part, number, _ in work:
        parts[part] = (*parts.get(part, ()), files[part, number])
    dataset = Dataset(out, plan.domain, origin.relations, {"plan": asdict(plan)}, parts)
    write_manifest(dataset)
    for part, number, _ in work:
        _sidecar(out, part, number).unlink(missing_ok=True)
    return dataset


def open_origin(plan: Plan, part: str) -> Origin:
    """Where the scenes of a part come from."""
    if plan.problems:
        return ProblemOrigin([read_task(domain, problem) for domain, problem in plan.problems], plan.variables)
    family = find_family(plan.domain)
    return FamilyOrigin(family, "validation", 1) if part == "larger" else FamilyOrigin(family, "train", 4)


def make_shard(plan: Plan, out: Path, part: str, number: int, amount: int) -> tuple[tuple[str, int], ShardFile]:
    """Writes one shard, a function of the plan, the part and the number alone."""
    origin = open_origin(plan, part)
    rng = open_stream("label", plan.domain, plan.seed, part, number)
    builder = ShardBuilder(origin.relations)
    spaces = SpaceCache(SpaceLimits(plan.states, seconds=600.0), partial=part == "larger")
    fill = _list_bindings if part == "larger" else _label_scenes
    fill(plan, part, amount, origin, rng, builder, spaces)
    path = out / f"{part}-{number:04d}.npz"
    file = write_shard(path, builder.build())
    _sidecar(out, part, number).write_text(f"{file.sha256} {file.pairs}\n", encoding="utf-8")
    return (part, number), file


def _label_scenes(
    plan: Plan, part: str, amount: int, origin: Origin, rng: Random, builder: ShardBuilder, spaces: SpaceCache
) -> None:
    """Adds the amount of pairs: from every layout a few states, from each of them goals of several colourings."""
    arities = {r.name: r.arity for r in origin.relations if not r.static}
    idle = 0
    while builder.pairs < amount:
        before = builder.pairs
        scenes = origin.draw_scenes(rng, part, spaces)
        views = [View(scenes[0].space, state) for state in _draw_states(rng, scenes[0])] if scenes else []
        for scene in scenes:
            task = builder.add_task(scene.objects, scene.statics)
            numbers = [builder.add_state(task, v.space.relations(v.state, arities)) for v in views]
            for _ in range(4):
                at = rng.randrange(len(views))
                query = scene.draw_goal(rng)
                try:
                    costs = BindingCosts(views[at], scene.statics, scene.objects, query, plan.mix.most_bindings)
                except LimitError:
                    continue
                if costs.best == 0 and rng.random() >= plan.mix.solved:
                    continue
                label_root(builder, rng, plan.mix, query, costs, builder.add_goal(task, query), numbers[at])
        idle = 0 if builder.pairs > before else idle + 1
        if idle > 1000:
            raise LimitError(f"no task of {plan.domain} could be labelled with at most {plan.states} states")


def _draw_states(rng: Random, scene: Scene) -> list[int]:
    """The initial state, and others at random distances from it."""
    depth = scene.space.depth
    layers = [0, *(int(i) for i in (depth[1:] != depth[:-1]).nonzero()[0] + 1), len(depth)]
    states = [scene.initial]
    for _ in range(2):
        layer = rng.randrange(len(layers) - 1)
        states.append(rng.randrange(layers[layer], layers[layer + 1]))
    return states


def _list_bindings(
    plan: Plan, part: str, amount: int, origin: Origin, rng: Random, builder: ShardBuilder, spaces: SpaceCache
) -> None:
    """Adds root goals of larger tasks, seen from their initial states, with the costs of their complete bindings."""
    arities = {r.name: r.arity for r in origin.relations if not r.static}
    goals = 0
    while goals < amount:
        scenes = origin.draw_scenes(rng, part, spaces)
        for scene in scenes:
            view = View(scene.space, scene.initial)
            task = builder.add_task(scene.objects, scene.statics)
            state = builder.add_state(task, scene.space.relations(scene.initial, arities))
            for query in _draw_roots(plan, rng, scene, view):
                costs = BindingCosts(view, scene.statics, scene.objects, query, plan.most_listed)
                goal = builder.add_goal(task, query)
                root = label_root(builder, rng, plan.mix, query, costs, goal, state)
                for binding, cost in zip(costs.bindings.tolist(), costs.costs.tolist(), strict=True):
                    if cost > -2:
                        builder.add_complete(root, binding, None if cost < 0 else cost)
                goals += 1


def _draw_roots(plan: Plan, rng: Random, scene: Scene, view: View) -> list[Query]:
    """A few goals that are reachable, not yet true, and have few enough bindings."""
    found: list[Query] = []
    for _ in range(20):
        query = scene.draw_goal(rng)
        try:
            costs = BindingCosts(view, scene.statics, scene.objects, query, plan.most_listed)
        except LimitError:
            continue
        if costs.best:
            found.append(query)
        if len(found) == 5:
            break
    return found


def _claim(plan: Plan, out: Path) -> None:
    """Marks the folder as the plan's; an InputError where it holds another plan's shards."""
    mark = out / "plan.sha256"
    if mark.exists() and mark.read_text(encoding="utf-8").strip() != plan.fingerprint:
        raise InputError("the folder holds a dataset of another plan: choose another one or empty it", Place(str(out)))
    mark.write_text(plan.fingerprint + "\n", encoding="utf-8")


def _find_finished(out: Path, part: str, number: int) -> ShardFile | None:
    """A shard that an earlier run finished."""
    path = out / f"{part}-{number:04d}.npz"
    try:
        sha256, pairs = _sidecar(out, part, number).read_text(encoding="utf-8").split()
        return ShardFile(path.name, sha256, int(pairs)) if hash_file(path) == sha256 else None
    except (OSError, ValueError):
        return None


def _sidecar(out: Path, part: str, number: int) -> Path:
    return out / f"{part}-{number:04d}.done"


def _choose_backend(backend: str, jobs: int) -> Any:
    if backend == "ray":
        try:
            from ray.util.joblib import register_ray
        except ImportError:
            raise SkolemError("the ray backend needs ray: install skolem[cluster]") from None
        register_ray()
    return joblib.parallel_config(backend=backend)
