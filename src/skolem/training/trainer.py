"""From a dataset to a model: the training loop, its log, and how it continues after an interruption."""

import copy
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from skolem.network.checkpoint import (
    fill,
    hash_tensors,
    load_model,
    read_tensors,
    save_model,
    write_tensors,
)
from skolem.network.config import NetworkConfig
from skolem.network.engine.choice import choose_engine
from skolem.network.engine.native_training import NativeEmbedder
from skolem.network.gpu.fused import embed_on_gpu
from skolem.network.model_folder import ABOVE, ModelCard, load_card
from skolem.network.rgnn import RGNN
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import PARTS, Dataset, ShardReader, read_dataset
from skolem.support.errors import InputError, Place, SkolemError
from skolem.support.files import remove_unfinished, write_text
from skolem.training.cuda_graph import GraphedOptimisation
from skolem.training.distributed import Processes
from skolem.training.fixed_batches import FixedBatches
from skolem.training.greedy_validation import Result, ValidationGoals, judge, list_goals, validate
from skolem.training.optimisation import Optimisation, Watch, assemble, calm_down
from skolem.training.recipe import Budget, Recipe
from skolem.training.samples import Samples, add_parents, arrange, encode_pairs

LogEntry = Mapping[str, Any]
Listener = Callable[[LogEntry], None]

STATE = "training.safetensors"
"""The file that a run continues from."""
LOG = "log.jsonl"

_ANEW = "restore it, or remove it to train anew"
_WINDOW = 50
"""Steps between two looks at the loss."""
_SAVING_SECONDS = 60.0
"""How often a run is saved between two validations."""
_MOST_RECOVERIES = 8
_FEW = 0.998
"""The share of reachable goals that cost less than what stands for unreachable ones."""


@dataclass(frozen=True)
class Run:
    """Everything that a training run is started with."""

    dataset: Path
    folder: Path
    network: NetworkConfig
    recipe: Recipe
    budget: Budget
    seed: int = 0
    device: str = "cpu"
    validations: int = 20
    """How often the network is validated, and saved, over the whole budget."""
    goals: int = 300
    """How many goals of each part the greedy policy is validated on at most."""
    jobs: int = 1
    """Processes that encode the dataset."""
    start: Path | None = None
    """A model whose weights training starts from; what it does not have, such as a head, starts anew."""


@dataclass
class Standing:
    """Where a run stands: what is saved besides tensors."""

    step: int = 0
    seconds: float = 0.0
    validations: int = 0
    validated: int = 0
    """The step of the last validation."""
    best: tuple[float, float] | None = None
    """The least (greedy score, loss on larger tasks), or (loss, greedy score) if the loss selects."""
    lowest: float = float("inf")
    """The least mean loss of a window."""
    factor: float = 1.0
    """What the learning rate is multiplied by; halved at every recovery."""
    recoveries: int = 0
    threads: int = field(default_factory=torch.get_num_threads)


def train(run: Run, resume: bool = False, listeners: tuple[Listener, ...] = ()) -> ModelCard:
    """Trains a network and writes the best one to the run's folder; returns its card."""
    with Processes(run.device) as processes:
        _train(run, resume, listeners, processes)
        return load_card(run.folder)


def _train(run: Run, resume: bool, listeners: tuple[Listener, ...], processes: Processes) -> None:
    """Trains; the trainer, which holds their process group, ends with this function, before the group does."""
    dataset = read_dataset(run.dataset)
    check_folder(run.folder, resume)
    if processes.rank == 0 and run.folder.exists():
        remove_unfinished(run.folder)
    trainer = Trainer(run, dataset, processes, listeners)
    if resume:
        trainer.resume()
    elif processes.rank == 0:
        # What a run wrote that was killed before it was saved.
        (run.folder / LOG).unlink(missing_ok=True)
    processes.wait()
    trainer.run_to_end()
    processes.wait()


def check_folder(folder: Path, resume: bool) -> None:
    """Refuses to overwrite a run, and to continue one that is not there."""
    state = folder / STATE
    if resume and not state.exists():
        raise InputError("there is no training run to resume here", Place(str(state)))
    if not resume and state.exists():
        raise InputError("this folder already holds a training run: resume it or choose another", Place(str(state)))


class Trainer:
    """A training run in one of several processes."""

    def __init__(self, run: Run, dataset: Dataset, processes: Processes, listeners: tuple[Listener, ...]) -> None:
        self.run = run
        self.budget = run.budget
        self.dataset = dataset
        self.processes = processes
        self.listeners = listeners
        attributes = dataset.attributes if run.network.attributes == "left-out" else None
        network = run.network
        self.vocabulary = Vocabulary.of(dataset.relations, network.marks, attributes, network.inequalities)
        self.samples, self.tests = self._load()
        self.unreachable = choose_unreachable(self.samples, run.recipe)
        self.aims = self.samples.aim(self.unreachable)
        torch.manual_seed(run.seed)
        self.model = RGNN(run.network, self.vocabulary).to(processes.device)
        if processes.device.type == "cuda":
            self.model.embedder = embed_on_gpu
        elif choose_engine() == "native" and network.embeddings == "zero":
            self.model.embedder = NativeEmbedder.for_training()
        if run.recipe.calm:
            calm_down(self.model, float(self.aims.abs().mean()))
        if run.start is not None:
            take_weights(self.model, run.start)
        self.batch = min(run.recipe.batch, len(self.samples)) // processes.size * processes.size
        if not self.batch:
            raise InputError("the dataset has fewer training pairs than there are processes", Place(str(run.dataset)))
        self.graphed: GraphedOptimisation | None = None
        if processes.size == 1 and GraphedOptimisation.suits(self.model, self.samples.graphs):
            batches = FixedBatches(self.samples.graphs, self.aims, self.batch, self.samples.parents)
            self.graphed = GraphedOptimisation(self.model, run.recipe, batches)
        self.optimisation = self.graphed or Optimisation(self.model, run.recipe, processes.share(self.model))
        self.watch = Watch(spread=float(self.aims.abs().var(correction=0)))
        self.standing = Standing()
        self._started = time.monotonic()
        self._saved = self._started
        self._reserve = 0.0
        self.snapshot = self.optimisation.export()
        self._epoch: tuple[int, torch.Tensor, torch.Tensor | None] = (-1, torch.empty(0), None)

    def _load(self) -> tuple[Samples, dict[str, tuple[Samples, ValidationGoals]]]:
        """The training samples, and those of the other parts with their goals for the greedy policy."""
        run, bindings = self.run, self.run.network.bindings
        if not self.dataset.pairs("train"):
            raise InputError("the dataset has no training pairs", Place(str(run.dataset)))
        reader = self.dataset.load("train")
        if not self.vocabulary.decided and reader.shard.denied_counts.any():
            raise InputError(
                "a network with attributes as predicates knows no negated goal literals", Place(str(run.dataset))
            )
        self.goals = list_literals(reader, self.vocabulary)
        self.objects = int(reader.shard.objects.max())
        train = encode_pairs(reader, self.vocabulary, bindings, run.jobs)
        if run.network.head:
            train = add_parents(train, reader, self.vocabulary, bindings, run.jobs)
        tests = {}
        for part in PARTS[1:]:
            if self.dataset.pairs(part):
                reader = self.dataset.load(part)
                goals = list_goals(reader, self.vocabulary, bindings, run.goals)
                tests[part] = encode_pairs(reader, self.vocabulary, bindings), goals
        if not tests:
            raise InputError("the dataset has no validation pairs", Place(str(run.dataset)))
        return train.to(self.processes.device), tests

    def run_to_end(self, budget: Budget | None = None) -> None:
        """Trains until the budget, that of the run or another one, is used."""
        threads = torch.get_num_threads()
        if isinstance(self.model.embedder, NativeEmbedder):
            # What is left to PyTorch is little, and its threads would keep those of the compiled code from the cores.
            torch.set_num_threads(1)
        try:
            self._run_to_end(budget or self.budget)
        finally:
            torch.set_num_threads(threads)

    def _run_to_end(self, budget: Budget) -> None:
        self.budget = budget
        standing, self._started = self.standing, time.monotonic() - self.standing.seconds
        progress = self._progress()
        while progress < 1:
            first, began = standing.step, time.monotonic()
            loss = self._run_window(progress)
            standing.seconds = self.processes.agree(time.monotonic() - self._started)
            progress = self._progress()
            if not self.watch.accept(loss):
                self._recover(loss)
                continue
            standing.lowest = self.watch.best
            speed = self.batch * (standing.step - first) / (time.monotonic() - began)
            self._announce("train", loss=loss, progress=progress, samples_per_second=speed, left=self._left(progress))
            if progress >= (standing.validations + 1) / self.run.validations and progress < 1:
                self.validate()
            elif self.processes.agree(time.monotonic() - self._saved) > _SAVING_SECONDS:
                self.snapshot = self.optimisation.export()
                self._save_state()
        if standing.validated < standing.step or self.standing.best is None:
            self.validate()

    def _run_window(self, progress: float) -> float:
        """The mean loss of the next steps, up to the next multiple of the window's length or the end of the time."""
        standing, budget = self.standing, self.budget
        end = standing.step + _WINDOW - standing.step % _WINDOW
        end = min(end, budget.steps or end)
        losses: list[torch.Tensor] = []
        while standing.step < end and not (losses and self._is_late()):
            by_step = budget.progress(standing.step, 0.0)
            rate = self.run.recipe.rate_at(max(progress, by_step)) * standing.factor
            losses.append(self._step(rate))
            standing.step += 1
        return self.processes.average(torch.stack(losses).mean())

    def _is_late(self) -> bool:
        """Whether a process that trains alone has used its time; several look at the clock together."""
        if self.processes.size > 1:
            return False
        return self.budget.progress(0, time.monotonic() - self._started + self._reserve) >= 1

    def _step(self, rate: float) -> torch.Tensor:
        """The loss of the next step, on the part of its batch that this process takes."""
        steps = len(self.samples) // self.batch
        epoch, place = divmod(self.standing.step, steps)
        if self._epoch[0] != epoch:
            order = arrange(self.samples, self.run.seed, epoch, self.run.recipe.sampling)
            drawn = self._draw_parents(range(epoch * steps, (epoch + 1) * steps))
            self._epoch = (epoch, order.to(self.processes.device), drawn)
            if self.graphed:
                self.graphed.batches.shuffle(*self._epoch[1:])
        if self.graphed:
            return self.graphed.play(place, rate)
        _, order, drawn = self._epoch
        share = self.batch // self.processes.size
        start = place * self.batch + self.processes.rank * share
        index, parents = order[start : start + share], None if drawn is None else drawn[place]
        return self.optimisation.step(*assemble(self.samples, self.aims, index, parents), rate)

    def _draw_parents(self, steps: range) -> torch.Tensor | None:
        """The nodes whose bindings the head rates in each of the steps, in this process; None without a head."""
        if self.samples.parents is None:
            return None
        count = max(1, int(self.batch // self.processes.size * self.run.recipe.parents))
        seeds = ((self.run.seed * 1_000_003 + step) * self.processes.size + self.processes.rank for step in steps)
        return torch.stack([self.samples.parents.draw(count, seed) for seed in seeds]).to(self.processes.device)

    def _progress(self) -> float:
        return self.budget.progress(self.standing.step, self.standing.seconds + self._reserve)

    def _left(self, progress: float) -> float:
        return self.standing.seconds * (1 - progress) / progress if progress else float("inf")

    def _recover(self, loss: float) -> None:
        """Goes back to the last saved weights with half the learning rate."""
        self.standing.recoveries += 1
        if self.standing.recoveries > _MOST_RECOVERIES:
            raise SkolemError(f"training diverged {_MOST_RECOVERIES} times: try a lower rate or a smaller clip")
        self.standing.factor /= 2
        self.optimisation.restore(self.snapshot)
        self._announce("recovery", loss=loss, factor=self.standing.factor)

    def validate(self) -> None:
        """Measures the averaged weights, keeps them if they are the best so far, and saves where the run stands."""
        began = time.monotonic()
        self.standing.validations += 1
        self.standing.validated = self.standing.step
        self.snapshot = self.optimisation.export()
        if self.processes.rank == 0:
            averaged = copy.deepcopy(self.model).eval()
            averaged.load_state_dict(self.optimisation.average)
            results = {part: validate(averaged, *test, self.unreachable) for part, test in self.tests.items()}
            loss, score = judge(results, by_head=self.run.recipe.select == "head")
            # Of equal greedy scores the loss on larger tasks decides: what is learned should hold there.
            tie = results["larger"].loss if "larger" in results else loss
            pair = (loss, score) if self.run.recipe.select == "loss" else (score, tie)
            improved = self.standing.best is None or pair < self.standing.best
            if improved:
                self.standing.best = pair
                save_model(self.run.folder, self._describe(results), averaged.state_dict())
            shown = {part: asdict(result) for part, result in results.items()}
            self._announce("validation", parts=shown, loss=loss, score=score, improved=improved)
        self._save_state()
        self.processes.wait()
        # The last validation belongs to the time as well.
        self._reserve = self.processes.agree(time.monotonic() - began)

    def _describe(self, results: Mapping[str, Result]) -> ModelCard:
        run = self.run
        training = {
            "recipe": asdict(run.recipe),
            "budget": asdict(self.budget),
            "seed": run.seed,
            "start": None if run.start is None else _describe_start(load_card(run.start)),
            "steps": self.standing.step,
            "seconds": self.standing.seconds,
            "dataset": {"checksum": self.dataset.checksum, "pairs": self.dataset.pairs("train")},
            "objects": self.objects,
            "origin": self.dataset.origin,
            "validation": {part: asdict(result) for part, result in results.items()},
        }
        return ModelCard(
            network=run.network,
            vocabulary=self.vocabulary,
            domain=self.dataset.domain,
            unreachable=self.unreachable,
            goals=self.goals,
            actions=self.dataset.actions,
            metric=self.dataset.metric,
            training=training,
        )

    def _save_state(self) -> None:
        """Writes what the run continues from; one of several processes does."""
        self._saved = time.monotonic()
        if self.processes.rank:
            return
        text = {
            "settings": _settings(self.run, self.dataset),
            "standing": json.dumps(asdict(self.standing)),
        }
        tensors = self.snapshot | {"random": torch.get_rng_state()}
        write_tensors(self.run.folder / STATE, tensors, {**text, "checksum": hash_tensors(tensors)})

    def resume(self) -> None:
        """Sets everything to where the run in the folder was saved last."""
        path = self.run.folder / STATE
        try:
            tensors, text = read_tensors(path)
        except InputError as error:
            raise InputError(f"{error.message}: {_ANEW}", error.place) from error
        if text.get("checksum") != hash_tensors(tensors):
            raise InputError(f"the saved run does not match its checksum: {_ANEW}", Place(str(path)))
        if text.get("settings") != _settings(self.run, self.dataset):
            raise InputError("the run was started with other settings or another dataset", Place(str(path)))
        saved = json.loads(text["standing"])
        best = saved.pop("best")
        self.standing = Standing(**saved, best=None if best is None else tuple(best))
        self.watch.best = self.standing.lowest
        torch.set_num_threads(self.standing.threads)
        torch.set_rng_state(tensors.pop("random"))
        self.optimisation.restore(tensors)
        self.snapshot = self.optimisation.export()
        if self.processes.rank == 0:
            _cut_log(self.run.folder / LOG, self.standing.step)
        self._announce("resumed")

    def _announce(self, kind: str, **values: Any) -> None:
        if self.processes.rank:
            return
        event = {"event": kind, "step": self.standing.step, "seconds": self.standing.seconds, **values}
        self.run.folder.mkdir(parents=True, exist_ok=True)
        with (self.run.folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(event) + "\n")
        for listener in self.listeners:
            listener(event)


def _cut_log(path: Path, step: int) -> None:
    """Takes from the log what was done after the step, and is going to be done again."""
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            event = json.loads(line)
        except ValueError:
            # A run that was killed may not have finished its last line.
            break
        if event["step"] <= step:
            kept.append(line + "\n")
    write_text(path, "".join(kept))


def _describe_start(card: ModelCard) -> dict[str, Any]:
    return {**card.training, "network": asdict(card.network)}


def take_weights(model: RGNN, folder: Path) -> None:
    """Gives a network the weights of a model over the same relations; a head or marks that it lacks are kept."""
    other, _ = load_model(folder)
    given = other.state_dict()
    fitting = {name: given.get(name, value) for name, value in model.state_dict().items()}
    for name, value in model.state_dict().items():
        # The networks of one arity are one tensor, and those of the marks the last two.
        missing = len(value) - len(fitting[name])
        if name.startswith("relation.") and missing == 2 and value.shape[1:] == fitting[name].shape[1:]:
            fitting[name] = torch.cat([fitting[name].to(value.device), value[-missing:]])
    alike = {name for name in model.state_dict() if not name.startswith("head.")} <= given.keys()
    if not alike or other.vocabulary.signature != model.vocabulary.signature:
        raise InputError("training cannot start from a model of another network or domain", Place(str(folder)))
    fill(model, fitting, folder)


def list_literals(reader: ShardReader, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The literals of a part's goals that the vocabulary knows, by predicate and sign."""
    shard, names = reader.shard, [r.name for r in reader.relations]
    found = []
    for counts, sign in ((shard.goal_counts, ""), (shard.denied_counts, "not ")):
        used = np.flatnonzero(counts.any(axis=0)).tolist()
        found += [f"{sign}{names[i]}" for i in used if names[i] in vocabulary.index]
    return tuple(found)


def choose_unreachable(samples: Samples, recipe: Recipe) -> float:
    """The constant for unreachable goals: just above the largest cost, but for a few that are far above the others.

    Or twice the largest cost, if the recipe says so.
    """
    reachable = samples.costs[samples.reachable & ~samples.bounded].cpu().numpy()
    if recipe.unreachable == "twice":
        return 2 * float(reachable.max(initial=1.0))
    return ABOVE + (float(np.quantile(reachable, _FEW)) if len(reachable) else 0.0)


def _settings(run: Run, dataset: Dataset) -> str:
    """What must be the same when a run is continued; the budget, for one, may grow."""
    same = asdict(
        replace(run, dataset=Path(), folder=Path(), start=None, jobs=1, validations=1, budget=Budget(steps=1))
    )
    return json.dumps({**same, "dataset": dataset.checksum, "folder": ""}, sort_keys=True, default=str)
