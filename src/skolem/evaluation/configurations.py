"""What is measured: a request, and the model that it uses for a family's tasks."""

from dataclasses import dataclass, fields, replace
from functools import cached_property

from skolem.grounding.models import MODELS, PAPER_MODELS, find_model, open_model
from skolem.solve import Request
from skolem.task.model import Task

LEARNED = ("auto", "learned", "beam")


@dataclass(frozen=True)
class Configuration:
    """A request and a short checksum of its model's weights, empty where it uses none."""

    request: Request
    model: str = ""

    @cached_property
    def label(self) -> str:
        """The configuration for people: the grounder and every field of the request that is not as usual."""
        usual = Request()
        parts = [self.request.grounder]
        for name in (field.name for field in fields(Request) if field.name != "grounder"):
            value = getattr(self.request, name)
            if value != getattr(usual, name):
                parts.append(name if value is True else f"{name}={self.model if name == 'model' else value}")
        return " ".join(parts)

    @property
    def key(self) -> str:
        """The configuration in the keys of a store, with the seed and the model even if they are the usual ones."""
        usual = replace(self.request, model=None, seed=Request().seed)
        return f"{Configuration(usual).label}/{self.model or '-'}/seed={self.request.seed}".replace(" ", ",")


def configure(request: Request, task: Task) -> Configuration:
    """The configuration of a request for tasks like the given one."""
    if request.grounder not in LEARNED:
        return Configuration(request)
    folder = PAPER_MODELS if request.paper else MODELS
    model = find_model(task, folder) if request.model is None else open_model(request.model)
    return Configuration(request, model.identify(rated=request.choose_scores(model.rates) != "full"))
