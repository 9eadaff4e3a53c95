"""Shipped and trained models: which there are, and which one fits a task."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from skolem.support.errors import InputError, Place, SkolemError, UnsupportedError
from skolem.task.model import Task
from skolem.task.schemas import describe_actions, uses_metric

if TYPE_CHECKING:
    from skolem.network.engine.choice import Kind
    from skolem.network.engine.protocol import Engine
    from skolem.network.model_folder import ModelCard

MODELS = Path(__file__).parent.parent / "models"
PAPER_MODELS = MODELS / "paper"
RATER = "rater"
"""The folder of the network that rates bindings, in that of its model."""


@dataclass(frozen=True)
class Model:
    """A model's folder and what it is."""

    path: Path
    card: "ModelCard" = field(repr=False)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    def check(self, task: Task) -> None:
        """An UnsupportedError that says why the model cannot be used for a task."""
        self.card.vocabulary.check_task(task)
        self.card.vocabulary.check_query(task.query, task.statics)
        unseen = self.list_unseen(task)
        if unseen:
            raise UnsupportedError(self.describe_unseen(unseen))

    def list_unseen(self, task: Task) -> tuple[str, ...]:
        """The goal's literals, such as "on" and "not on", that the model was never trained on."""
        # What is static is decided before the network sees a goal, if the network is one of those.
        decided = task.statics if self.card.vocabulary.decided else {}
        literals = {name for name, _ in task.query.atoms if name not in decided}
        literals |= {f"not {name}" for name, _ in task.query.denied if name not in decided}
        return tuple(sorted(literals - set(self.card.goals)))

    def describe_unseen(self, unseen: Sequence[str]) -> str:
        """The sentence that says so."""
        return f"the model {self.name} was never trained on goals with {', '.join(unseen)}"

    def list_differences(self, task: Task) -> tuple[str, ...]:
        """How the task's actions differ from those that the model was trained on; empty if they do not."""
        differences = []
        if describe_actions(task) != self.card.actions:
            differences.append(f"the model {self.name} was trained on other actions than those of {task.domain.name}")
        if uses_metric(task) != self.card.metric:
            unit = "the costs of actions" if self.card.metric else "steps"
            differences.append(f"the model {self.name} counts {unit}")
        return tuple(differences)

    def fits(self, task: Task) -> bool:
        """Whether the model was trained on the task's actions, whatever the attributes of its objects are."""
        try:
            self.card.vocabulary.check_task(task)
        except UnsupportedError:
            return False
        return not self.list_differences(task)

    def load(self) -> "Engine":
        """The network, run by the engine in use; as it may be in use already, it is not to be changed."""
        from skolem.network.engine.choice import choose_engine

        files = [self.path / name for name in ("config.json", "model.safetensors")]
        versions = ((s.st_mtime_ns, s.st_size) for file in files if (s := _find_stat(file)))
        return _load_network(self.path, choose_engine(), *versions)

    def identify(self, rated: bool) -> str:
        """A short checksum of the weights, those of a rater included if it takes part."""
        from hashlib import sha256

        files = [self.path / "model.safetensors", self.path / RATER / "model.safetensors"][: 1 + rated]
        return sha256(b"".join(file.read_bytes() for file in files if file.exists())).hexdigest()[:12]

    @property
    def rater(self) -> "Model | None":
        """The model that comes with this one for its head alone, if there is one."""
        path = self.path / RATER
        return open_model(path) if (path / "config.json").exists() else None

    @property
    def rates(self) -> bool:
        """Whether there is a network whose head scores all bindings in one pass."""
        return self.card.network.head or self.rater is not None

    def load_rater(self) -> "Engine | None":
        """The network of the rater; an InputError if it cannot rate for this model."""
        rater = self.rater
        if rater is None:
            return None
        if rater.card.vocabulary != self.card.vocabulary or not rater.card.network.head:
            raise InputError("this network cannot rate for its model", Place(str(rater.path)))
        return rater.load()


@lru_cache(maxsize=32)
def _load_network(path: Path, kind: "Kind", *versions: tuple[int, int]) -> "Engine":
    """A network, read once as long as its files stay the same."""
    from skolem.network.engine.choice import build_engine
    from skolem.network.model_folder import load_card, load_weights

    card = load_card(path)
    return build_engine(kind, card.network, card.vocabulary, load_weights(path, card))


def _find_stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None


def list_models(folder: Path = MODELS) -> Iterator[Model | SkolemError]:
    """Every model in a folder, or why one of them cannot be read."""
    for path in sorted(folder.glob("*/config.json")):
        try:
            yield open_model(path.parent)
        except SkolemError as error:
            yield error


def open_model(path: Path) -> Model:
    """The model in a folder; an InputError if there is none."""
    from skolem.network.model_folder import load_card

    return Model(path, load_card(path))


def list_fitting(task: Task, folder: Path = MODELS) -> Iterator[Model | SkolemError]:
    """The models of a folder that were trained on the task's actions, and why others cannot be read."""
    return (model for model in list_models(folder) if isinstance(model, SkolemError) or model.fits(task))


def find_model(task: Task, folder: Path = MODELS) -> Model:
    """The model that fits the task's domain and goal; an UnsupportedError that says why there is none."""
    reasons = []
    for model in list_fitting(task, folder):
        if isinstance(model, SkolemError):
            reasons.append(str(model).splitlines()[0])
            continue
        try:
            model.check(task)
            return model
        except UnsupportedError as error:
            reasons.append(str(error))
    raise UnsupportedError("; ".join(reasons) or f"there is no learned model for the domain {task.domain.name}")
