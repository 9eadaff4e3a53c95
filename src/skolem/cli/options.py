"""The options of every command, as the parser fills them in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class TaskOptions:
    """Which task is meant."""

    domain: str | None
    """None for the file beside the problem that defines its domain."""
    problem: str


@dataclass(frozen=True)
class GroundingOptions:
    """How objects are chosen; None for what suits the grounder."""

    model: Path | None
    paper: bool
    width: int
    scores: Literal["full", "head", "both"] | None
    order: Literal["best", "fixed"] | None
    revise: bool
    seed: int


@dataclass(frozen=True)
class SearchOptions(GroundingOptions, TaskOptions):
    """How a task is solved, and within which limits."""

    grounder: str
    planner: str
    time_limit: float | None
    """Wall-clock seconds for the whole command."""
    memory_limit: int | None
    """In megabytes."""


@dataclass(frozen=True)
class PlanOptions(SearchOptions):
    """`skolem plan`."""

    effort: Literal["fast", "default", "best"]
    plan_file: Path | None
    bound: float | None
    """Seconds for a lower bound on the cost."""


@dataclass(frozen=True)
class GroundOptions(SearchOptions):
    """`skolem ground`."""

    output: Path | None
    explain: bool


@dataclass(frozen=True)
class ExplainOptions(SearchOptions):
    """`skolem explain`."""

    why: list[str] | None
    """Questions such as "x=mug1" or "x=mug1,y=shelf"."""
    output: Path | None


@dataclass(frozen=True)
class CompletionOptions:
    """`skolem completion`."""

    shell: Literal["bash", "zsh", "fish"]


@dataclass(frozen=True)
class CheckOptions:
    """`skolem check`."""

    domain: str
    problem: str | None


@dataclass(frozen=True)
class ValidateOptions(TaskOptions):
    """`skolem validate`."""

    plan: Path


@dataclass(frozen=True)
class DrawOptions(TaskOptions):
    """`skolem draw`."""

    binding: str | None
    """As JSON."""
    plan: Path | None
    animate: bool
    output: Path


@dataclass(frozen=True)
class GenerateOptions:
    """`skolem generate`."""

    family: str
    set_: str
    size: int | None
    variables: int | None
    neq: bool
    count: int
    output: Path
    seed: int


@dataclass(frozen=True)
class LabelOptions:
    """`skolem label`."""

    source: list[str]
    """A family, or a domain file and problem files."""
    pairs: int
    preset: str
    neq: bool
    states: int | None
    jobs: int
    backend: str
    output: Path
    seed: int


@dataclass(frozen=True)
class TrainOptions:
    """`skolem train`."""

    dataset: Path
    output: Path
    preset: str
    recipe: Path | None
    """A TOML file with settings in place of the preset's."""
    settings: Mapping[str, Any]
    """Settings of the network and the recipe in place of those."""
    steps: int | None
    minutes: float | None
    validations: int
    device: str
    jobs: int
    start: Path | None
    resume: bool
    tensorboard: bool
    seed: int


@dataclass(frozen=True)
class LearnOptions:
    """`skolem learn`."""

    domain: str
    problems: list[str]
    output: Path
    minutes: float | None
    steps: int | None
    pairs: int | None
    goals: int
    device: Literal["cpu", "cuda"] | None
    labels: Literal["exact", "self"]
    jobs: int | None
    resume: bool
    seed: int


@dataclass(frozen=True)
class EvaluateOptions(GroundingOptions):
    """`skolem evaluate`; its limits hold for each instance."""

    set_: str
    family: list[str] | None
    neq: bool | None
    grounder: list[str] | None
    count: int | None
    jobs: int
    backend: str
    store: Path | None
    output: Path | None
    peers_count: int | None
    route: list[str] | None
    seconds: float
    megabytes: int


@dataclass(frozen=True)
class ReportOptions:
    """`skolem report`."""

    stores: Path
    output: Path


@dataclass(frozen=True)
class ModelsOptions:
    """`skolem models`."""

    action: str
    words: list[str]
    """A model's folder, a name, or a domain and a problem, as the action wants it."""
    name: str | None


@dataclass(frozen=True)
class ServeOptions:
    """`skolem serve`."""

    host: str
    port: int
    allow_host: list[str]
    workers: int
    queue: int
    time_limit: float
    """The most seconds that a question may take."""
    memory_limit: int
    """The most megabytes that a question may take."""
    stdio: bool
    mcp: bool
