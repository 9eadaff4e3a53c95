"""Models, the shipped ones and the user's own: which there are, and which one fits a task.

The user's own are in the folder that `find_user_folder` names (`skolem.grounding.own_models` puts them there). They are
looked at first, so that of two models that fit a task equally well the user's is taken.
"""

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
CODE_MODELS = MODELS / "paper-code"
"""Those of the preset `paper-code`, one for each setting: FAMILY and FAMILY-neq."""
RATER = "rater"
"""The folder of the network that rates bindings, in that of its model."""
CLEARLY = 0.03
"""By how much a learned model's mean of cost over V* must be below that of the exact route to be taken for better."""
FAR_LARGER = 3
"""How many times more objects than in training a network's readout over all of them is trusted with."""
UNPROVEN = "the model was not measured to choose cheaper objects than the exact route"
DATA = "SKOLEM_DATA"
"""The environment variable that names another folder for the user's data."""


def find_user_folder() -> Path:
    """Where the user's own models are, whether there are any or not."""
    if os.environ.get(DATA):
        return Path(os.environ[DATA], "models")
    # Here and not at the top: the exact routes need no models.
    from platformdirs import user_data_path

    return user_data_path("skolem", appauthor=False) / "models"


def list_folders(paper: bool = False) -> tuple[Path, ...]:
    """The folders in which models are looked for, in this order."""
    return (PAPER_MODELS,) if paper else (find_user_folder(), MODELS)


@dataclass(frozen=True)
class Model:
    """A model's folder and what it is."""

    path: Path
    card: "ModelCard" = field(repr=False)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def shipped(self) -> bool:
        """Whether the model came with Skolem."""
        return self.path.is_relative_to(MODELS)

    def check(self, task: Task) -> None:
        """An UnsupportedError that says why the model cannot be used for a task."""
        self.card.vocabulary.check_task(task)
        self.card.vocabulary.check_query(task.query, task.statics)
        unseen = self.list_unseen(task)
        if unseen:
            raise UnsupportedError(self.describe_unseen(unseen))
        neq = self.card.training.get("origin", {}).get("plan", {}).get("neq")
        if neq is not None and len(task.query.unbound) > 1 and neq != bool(task.query.unequal):
            kind = "with" if neq else "without"
            raise UnsupportedError(f"the model {self.name} was trained on goals {kind} inequalities only")

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
        if not self.counts_as(task):
            unit = "the costs of actions" if self.card.metric else "steps"
            differences.append(f"the model {self.name} counts {unit}")
        return tuple(differences)

    def counts_as(self, task: Task) -> bool:
        """Whether its predictions and the task's plans have costs of the same kind: those of actions, or steps."""
        return uses_metric(task) == self.card.metric

    @property
    def doubt(self) -> str:
        """Why its choices are not to be taken at their word: `skolem learn` did not see that they are better.

        Empty for models of families, which are measured on test sets.
        """
        training = self.card.training
        if not training.get("learned") and not training.get("origin", {}).get("plan", {}).get("files"):
            return ""
        try:
            routes = training["learned"]["measurement"]["routes"]
            own, exact = routes["learned"], routes["exact route"]
            better = own["covered"] >= exact["covered"] and own["ratio"] <= exact["ratio"] - CLEARLY
        except (KeyError, TypeError):
            # It was stopped before it was measured, or there was no planner.
            better = False
        return "" if better else UNPROVEN

    def fits(self, task: Task) -> bool:
        """Whether the model was trained on the task's actions, whatever the attributes of its objects are."""
        try:
            self.card.vocabulary.check_task(task)
        except UnsupportedError:
            return False
        return not self.list_differences(task)

    def reaches(self, task: Task) -> bool:
        """Whether the task is not too large for it: what far more objects than in training add up to means little.

        A readout over the goal's objects, of which there are few in any task, has no such limit.
        """
        return self.card.network.readout == "goal" or not self.is_exceeded(task)

    def is_exceeded(self, task: Task) -> bool:
        """Whether the task has far more objects than those of training, where that is known, and than were measured."""
        trained: int | None = self.card.training.get("objects")
        measured: int = self.card.training.get("measured", 0)
        return trained is not None and len(task.objects) > max(FAR_LARGER * trained, measured)

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


def open_named(name: Path) -> Model:
    """The model in a folder, of the user's own or a shipped one of that name; an InputError if there is none."""
    folders = (name, *(folder / name for folder in list_folders()))
    found = next((path for path in folders if (path / "config.json").exists()), None)
    if found is not None:
        return open_model(found)
    if name.exists():
        raise InputError("not a model: there is no config.json in it", Place(str(name)))
    known = [model for folder in list_folders() for model in list_models(folder)]
    names = [model.name for model in known if isinstance(model, Model)]
    raise InputError(f"there is no model {name}: expected a folder or one of {', '.join(names)}")


def list_fitting(task: Task, *folders: Path) -> Iterator[Model | SkolemError]:
    """The models trained on the task's actions, in some folders or all known, and why others cannot be read.

    Those that the task is too large for come last.
    """
    small = []
    for folder in folders or list_folders():
        for model in list_models(folder):
            if isinstance(model, SkolemError):
                yield model
            elif model.fits(task):
                if model.reaches(task):
                    yield model
                else:
                    small.append(model)
    yield from small


def find_model(task: Task, *folders: Path) -> Model:
    """The model that fits the task's domain and goal; an UnsupportedError that says why there is none."""
    reasons = []
    for model in list_fitting(task, *folders):
        if isinstance(model, SkolemError):
            reasons.append(str(model).splitlines()[0])
            continue
        try:
            model.check(task)
            return model
        except UnsupportedError as error:
            reasons.append(str(error))
    raise UnsupportedError("; ".join(reasons) or f"there is no learned model for the domain {task.domain.name}")
