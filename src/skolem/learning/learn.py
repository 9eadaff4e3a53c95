"""A domain of one's own, from a few problems to a model: read, label, train, measure.

Everything stands in the model's folder: the model itself from the first minute on, the labelled goals (`dataset`), the
models that the main one starts from (`first`, `second`), and how far learning is (`learn.json`). Without a search for
labels every model but the first learns from ways that the one before it found.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch

from skolem.families.registry import open_stream
from skolem.learning.card import write_readme
from skolem.learning.display import Display
from skolem.learning.measurement import Measurement, measure
from skolem.learning.schedule import Schedule, Shares, open_schedule
from skolem.learning.self_labels import ModelGuide
from skolem.learning.survey import Survey, survey_problems
from skolem.network.checkpoint import copy_model, write_card
from skolem.network.config import NetworkConfig
from skolem.network.gpu.fused import ARITIES
from skolem.network.model_folder import load_card
from skolem.oracle.dataset import Dataset, hash_file, read_dataset
from skolem.oracle.labelling import DatasetRecipe, label, open_origin, plan_problems
from skolem.support.files import make_folder
from skolem.training.distributed import Processes
from skolem.training.recipe import Budget, Recipe
from skolem.training.trainer import LogEntry, Run, Trainer, check_folder

Device = Literal["cpu", "cuda"]
Labels = Literal["exact", "self"]

USUAL_MINUTES: dict[Device, float] = {"cpu": 15.0, "cuda": 10.0}
MOST_PAIRS: dict[Device, int] = {"cpu": 200_000, "cuda": 1_000_000}

# Checkpoints are chosen by their loss on the problems kept apart and on larger tasks: costs of a few dozen greedy
# bindings say less.
ON_CPU = NetworkConfig(layers=12, marks=True), Recipe(batch=128, average=0.995, select="loss")
ON_GPU = NetworkConfig(layers=30, marks=True), Recipe(batch=1024, select="loss")
WITHOUT_KERNELS = NetworkConfig(layers=16, marks=True), Recipe(batch=2048, average=0.998, select="loss")
"""On a GPU where relations have more arguments than the fused kernels take: a step takes as long for a small batch."""
EARLY_SHARE = 5
"""One part in so many of pairs and steps is for each of the models before the main one, where labels need them."""
_MANY = 50_000
"""Pairs that it pays to encode by several processes."""


@dataclass(frozen=True)
class Lesson:
    """What is to be learned, and how long."""

    domain: str
    problems: tuple[str, ...]
    folder: Path
    device: Device = "cpu"
    minutes: float | None = None
    """None for a number of steps."""
    steps: int | None = None
    """Steps of training after which it ends, whatever time that takes: the result is then the same every time."""
    pairs: int | None = None
    """The most labelled pairs; None for what suits the device."""
    goals: int = 40
    """Larger goals that the greedy policy is tried on while training, and that the result is measured on."""
    labels: Labels = "exact"
    """Costs by search, or upper bounds that walks prove: random ones for the first model, then guided ones."""
    guided: bool = True
    """Whether earlier models guide the walks; otherwise they are random for the main model too."""
    seed: int = 0
    jobs: int = 1

    @property
    def rounds(self) -> bool:
        """Whether every model but the first learns from labels that the one before it helped to find."""
        return self.labels == "self" and self.guided

    @property
    def settings(self) -> dict[str, Any]:
        """What must be the same when learning is continued; the time may be another."""
        files = [hash_file(Path(file)) for file in (self.domain, *self.problems)]
        chosen = {"device": self.device, "pairs": self.most_pairs, "labels": self.labels, "seed": self.seed}
        return {"files": files, **chosen, **({"rounds": True} if self.rounds else {})}

    @property
    def most_pairs(self) -> int:
        """The most labelled pairs that are meant."""
        return self.pairs or MOST_PAIRS[self.device]

    def has_model(self, model: str) -> bool:
        """Whether a model is learned before the main one."""
        if self.rounds:
            return True
        return model == "first" and self.minutes is not None and Shares.of(self.minutes).first_model > 0

    def find_before(self, model: str) -> Path | None:
        """The model that another one goes on from; None for the first there is."""
        earlier = {"first": (), "second": ("first",), "main": ("second", "first")}[model]
        return next((self.folder / name for name in earlier if (self.folder / name / "config.json").exists()), None)

    def find_dataset(self, model: str) -> Path:
        """Where the labels for a model are: without rounds they are the same for all."""
        return self.folder / ("" if model == "main" or not self.rounds else model) / "dataset"

    def count_steps(self, model: str) -> int | None:
        """The steps of training of a model; None where only the time counts."""
        if self.steps is None or not self.rounds:
            return self.steps
        early = max(1, self.steps // EARLY_SHARE)
        return early if model != "main" else max(1, self.steps - 2 * early)

    def plan(self, survey: Survey, model: str = "main") -> DatasetRecipe:
        """What is labelled for a model."""
        files = (self.domain, *self.problems)
        pairs = self.most_pairs
        if self.rounds and model != "main":
            pairs = max(1, pairs // EARLY_SHARE)
        return plan_problems(survey.tasks[0].domain.name, files, pairs, survey.states, self.seed, self.labels)


@dataclass(frozen=True)
class Learned:
    """A finished lesson."""

    survey: Survey
    measurement: Measurement
    pairs: int
    seconds: float


def learn(lesson: Lesson, resume: bool, display: Display, say: Callable[[str], None]) -> Learned:
    """Learns a model for a domain; what was done is kept, and continued with `resume`."""
    survey = survey_problems(lesson.domain, lesson.problems)
    schedule = open_schedule(lesson.folder, lesson.settings, lesson.minutes, resume)
    for line in survey.describe():
        say(line)
    make_folder(lesson.folder)
    schedule.save()
    recipe = lesson.plan(survey)
    # A first model from little data comes soon, so that there is one whenever learning is stopped.
    for model, following in (("first", "second"), ("second", "label")):
        if schedule.stage == model:
            if lesson.has_model(model):
                dataset = _label(lesson, lesson.plan(survey, model), schedule, display, model)
                _train(lesson, schedule, display, dataset, model)
                copy_model(lesson.folder / model, lesson.folder)
            schedule.save(following)
    if schedule.stage == "label":
        _label(lesson, recipe, schedule, display, "main")
        schedule.save("train")
    dataset = read_dataset(lesson.folder / "dataset")
    if schedule.stage in ("train", "done"):
        _train(lesson, schedule, display, dataset, "main")
        schedule.save("measure")
    measurement = _measure(lesson, recipe, schedule, display)
    _finish(lesson, survey, measurement, schedule)
    return Learned(survey, measurement, dataset.pairs("train"), schedule.used)


def _label(lesson: Lesson, recipe: DatasetRecipe, schedule: Schedule, display: Display, model: str) -> Dataset:
    """Labels goals for a model until there are enough or the time for it is over."""
    shares = schedule.shares
    ends = {} if shares is None else {"first": shares.first_labels, "second": shares.second_labels}
    end = ends.get(model, None if shares is None else shares.labels)
    guide = lesson.find_before(model) if lesson.rounds else None

    def report(done: int) -> None:
        display.show("labelling goals", schedule.done, schedule.left, f"{done} pairs")

    return label(
        recipe,
        lesson.find_dataset(model),
        jobs=lesson.jobs,
        backend="spawn",
        report=report,
        is_over=lambda: end is not None and schedule.used >= end,
        guide=None if guide is None else ModelGuide(guide),
    )


def _train(lesson: Lesson, schedule: Schedule, display: Display, dataset: Dataset, model: str) -> None:
    """Trains a model on a dataset until its time is over."""
    shares = schedule.shares
    folder = lesson.folder if model == "main" else lesson.folder / model
    display.show("reading the labelled goals", schedule.done, schedule.left)
    quality = ""

    def listen(event: LogEntry) -> None:
        nonlocal quality
        if event["event"] == "validation":
            schedule.save()
            grades = [part["grade"] for part in event["parts"].values() if part["grade"]]
            quality = f", larger goals {grades[-1]['ratio']:.2f} x optimal" if grades else ""
            quality = f", kept apart {event['parts']['validation']['loss']:.2f}{quality}"
        if event["event"] == "train":
            done = event["progress"] if shares is None else schedule.done
            display.show(f"training ({model})", done, schedule.left, f"loss {event['loss']:.2f}{quality}")

    resume = (folder / "training.safetensors").exists()
    network, recipe = choose_network(lesson.device, dataset)
    run = Run(
        dataset=dataset.path,
        folder=folder,
        network=network,
        recipe=recipe,
        budget=Budget(lesson.count_steps(model), None if shares is None else 1.0),
        seed=lesson.seed,
        device=lesson.device,
        goals=lesson.goals,
        jobs=lesson.jobs if dataset.pairs("train") > _MANY else 1,
        validations=max(20, (lesson.steps or 0) // 200) if model == "main" else 1,
        start=lesson.find_before(model),
    )
    with Processes(lesson.device) as processes:
        check_folder(folder, resume)
        trainer = Trainer(run, dataset, processes, (listen,))
        if resume:
            trainer.resume()
        elif run.start is not None:
            # What there is already is the first to be beaten.
            trainer.validate()
        budget = run.budget
        if shares is not None:
            end = {"first": shares.first_model, "second": shares.second_model}.get(model, shares.training)
            seconds = trainer.standing.seconds + max(1.0, end - schedule.used)
            budget = Budget(run.budget.steps, seconds / 60)
        trainer.run_to_end(budget)


def choose_network(device: Device, dataset: Dataset) -> tuple[NetworkConfig, Recipe]:
    """The network for a dataset, and how it is trained."""
    if device == "cpu":
        return ON_CPU
    widest = max(r.arity for r in dataset.relations if r.name not in dataset.attributes)
    return ON_GPU if widest <= max(ARITIES) else WITHOUT_KERNELS


def _measure(lesson: Lesson, recipe: DatasetRecipe, schedule: Schedule, display: Display) -> Measurement:
    """Measures the model on larger tasks, as long as there is time."""
    origin = open_origin(recipe, "larger")
    rng = open_stream("measure", recipe.domain, lesson.seed)

    def report(done: int) -> None:
        display.show("measuring on larger tasks", schedule.done, schedule.left, f"{done} of {lesson.goals} goals")

    return measure(origin, lesson.folder, rng, lesson.goals, recipe.larger_states, lambda: schedule.left, report)


def _finish(lesson: Lesson, survey: Survey, measurement: Measurement, schedule: Schedule) -> None:
    """Writes what was measured into the model's card."""
    card = load_card(lesson.folder)
    learned = {
        "problems": [Path(file).name for file in lesson.problems],
        "kept": list(survey.kept),
        "minutes": lesson.minutes,
        "steps": lesson.steps,
        "device": lesson.device,
        "labels": lesson.labels,
        "measurement": measurement.to_json(),
    }
    card = replace(card, training={**card.training, "learned": learned})
    write_card(lesson.folder, card)
    write_readme(lesson.folder, card)
    schedule.save("done")


def choose_device() -> Device:
    """A GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"
