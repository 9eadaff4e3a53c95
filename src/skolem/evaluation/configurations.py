"""What is measured: requests, the models they use, the instances, and the command that measures them again."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property

from skolem.evaluation.test_sets import make_sample, read_instance
from skolem.families.registry import FAMILIES
from skolem.grounding.models import MODELS, find_model, list_folders, open_named
from skolem.request import Request
from skolem.support.errors import InputError, UnsupportedError

MODEL_GROUNDERS = ("auto", "learned", "beam")
USUAL_MEGABYTES = 4000
"""The memory limit of timed experiments where none is asked for."""
SPELLED = ("seed", "model", "paper", "width", "scores", "order", "revise")
"""The fields of a request that are options of `skolem evaluate`, besides the grounder and the limits."""


@dataclass(frozen=True)
class Configuration:
    """A request and a short checksum of its model's weights, empty where it uses none."""

    request: Request
    model: str = ""
    folder: str = ""
    """The name of the folder of models that the model was chosen from, if one was asked for."""

    @cached_property
    def label(self) -> str:
        """The configuration for people: the grounder and every field of the request that is not as usual."""
        usual = Request()
        parts = [self.request.grounder]
        for name in (field.name for field in fields(Request) if field.name != "grounder"):
            value = getattr(self.request, name)
            if value != getattr(usual, name):
                shown = self.folder or self.model if name == "model" else value
                parts.append(name if value is True else f"{name}={shown}")
        return " ".join(parts)

    @property
    def key(self) -> str:
        """The configuration in the keys of a store, with the seed and the model even if they are the usual ones."""
        usual = replace(self.request, model=None, seed=Request().seed)
        return f"{Configuration(usual).label}/{self.model or '-'}/seed={self.request.seed}".replace(" ", ",")


@dataclass(frozen=True)
class Selection:
    """What an experiment is to measure; None is everything."""

    experiment: str
    requests: tuple[Request, ...]
    families: tuple[str, ...] | None = None
    neq: bool | None = None
    count: int | None = None
    """Only the first instances of each set."""
    peers_count: int | None = None
    """Only so many of them for the slower routes."""
    routes: tuple[str, ...] | None = None

    def list_places(self) -> list[tuple[str, bool]]:
        """The families in each of their settings."""
        settings = (False, True) if self.neq is None else (self.neq,)
        return [(family, neq) for family in self.families or FAMILIES for neq in settings]

    def spell(self, request: Request, jobs: int) -> str:
        """The command that gives the results of a request again; what does not change them is left out."""
        words = ["skolem", "evaluate", self.experiment]
        # The routes of a timed experiment take the place of the request's grounder.
        timed = request.limits.seconds is not None
        words += [] if timed else ["--grounder", request.grounder]
        words += [word for family in self.families or () for word in ("--family", family)]
        words += [] if self.neq is None else ["--neq" if self.neq else "--no-neq"]
        words += [] if self.count is None else ["--count", str(self.count)]
        words += [] if self.peers_count is None else ["--peers-count", str(self.peers_count)]
        words += [word for route in self.routes or () for word in ("--route", route)]
        words += spell_request(request)
        if timed:
            megabytes = request.limits.memory_mb
            words += ["--time-limit", f"{request.limits.seconds:g}"]
            words += [] if megabytes in (None, USUAL_MEGABYTES) else ["--memory-limit", str(megabytes)]
            words += ["--jobs", str(jobs)]
        return shlex.join(words)


def configure(request: Request, family: str, neq: bool = False) -> Configuration:
    """The configuration of a request for the tasks of a family in a setting, with the model that is chosen for them."""
    chosen = choose_model(request, family, neq)
    if request.model is None or chosen == request:
        return Configuration(request, identify_model(request, family))
    if chosen.model is None:
        raise InputError(f"there is no model of {family} in {request.model}")
    return Configuration(chosen, identify_model(chosen, family), request.model.name)


def choose_model(request: Request, family: str, neq: bool = False) -> Request:
    """The request with a family's own model where it names a folder of models: FAMILY-neq for inequality, or FAMILY.

    Without one where the folder has none for the family.
    """
    for folder in () if request.model is None else (request.model, MODELS / request.model):
        if (folder / "config.json").exists():
            break
        if any(folder.glob("*/config.json")):
            names = (f"{family}-neq", family) if neq else (family,)
            found = (folder / name for name in names if (folder / name / "config.json").exists())
            return replace(request, model=next(found, None))
    return request


@cache
def identify_model(request: Request, family: str) -> str:
    """A short checksum of the weights that a family's tasks are grounded with; empty where there are none."""
    if request.grounder not in MODEL_GROUNDERS:
        return ""
    if request.model is None:
        try:
            model = find_model(read_instance(make_sample(family)), *list_folders(request.paper))
        except UnsupportedError:
            return ""
    else:
        model = open_named(request.model)
    return model.identify(rated=request.choose_scores(model.rates) != "full")


def list_requests(grounders: Sequence[str], base: Request) -> tuple[Request, ...]:
    """One request per grounder, with those options of the base that it reads; `paper` is learned as in the paper."""
    requests = []
    for name in dict.fromkeys(grounders):
        if name == "beam":
            requests.append(replace(base, grounder=name))
        elif name in (*MODEL_GROUNDERS, "paper"):
            paper = base.paper or name == "paper"
            grounder = "learned" if name == "paper" else name
            requests.append(replace(base, grounder=grounder, paper=paper, width=Request().width))
        else:
            requests.append(Request(name, base.planner, base.limits, base.seed))
    return tuple(requests)


def spell_request(request: Request) -> list[str]:
    """The options of the command line by which a request differs from the usual one."""
    words = []
    for name in SPELLED:
        value = getattr(request, name)
        if value != getattr(Request(), name):
            flag = f"--{'no-' if value is False else ''}{name}"
            words += [flag] if isinstance(value, bool) else [flag, str(value)]
    return words
