"""One task of each part of `benchmarks.reach`, measured: what is learned is compared with exact costs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from benchmarks.reach_attributes import Texts, draw_changes
from benchmarks.reach_scale import measure_scale
from benchmarks.reach_tasks import Pair, draw_maze, draw_negated, draw_odd, read_texts

from skolem.evaluation.routes import Spec
from skolem.evaluation.store import Record
from skolem.evaluation.test_sets import find_exact_cost, open_oracle
from skolem.families.registry import FAMILIES, open_stream
from skolem.grounding.models import open_named
from skolem.network.decoding import Decision, Problem, list_choices
from skolem.network.encoding import StateEncoder
from skolem.request import Request
from skolem.solve import ground
from skolem.support.errors import LimitError, SkolemError
from skolem.task.constraints.candidates import solve_static
from skolem.task.constraints.relations_index import index_relations
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.query import Query


@dataclass(frozen=True)
class Job:
    """One task of a part, and the model that is to bind it."""

    part: str
    family: str
    model: Path
    index: int
    group: str = ""
    """The row of the part's table that it belongs to, beside the family."""
    subject: Pair | Spec | None = field(default=None, repr=False)
    """The task, where it is not drawn."""
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """What tells the job from all others of its model."""
        subject = f"/{self.subject.name}" if isinstance(self.subject, Pair) else ""
        limit = f"/{self.seconds:g}s" if self.seconds else ""
        return f"{self.part}/{self.family}/{self.group}/{self.index}{subject}{limit}"


def measure(job: Job) -> Record:
    """The record of a job."""
    return MEASURES[job.part](job)


def measure_attributes(job: Job) -> Record:
    """One layout with the usual colours and with every change; sizes are those of the optimal sets."""
    family = FAMILIES[job.family]
    rng = open_stream("reach", job.part, job.family, job.index)
    size = rng.choice(list(family.sizes["optimal"]))
    variables = rng.randint(1, min(4, family.most_variables(size)))
    layout = family.sample_layout(rng, size, variables)
    changes = draw_changes(rng, family, layout, variables, neq=job.index % 2 == 1)
    return {each.change: judge(each.texts, each.plain, job.model) for each in changes}


def measure_distance(job: Job) -> Record:
    """Which of two objects is chosen, and the two predicted values."""
    pair = job.subject
    assert isinstance(pair, Pair)
    found = ground(read_texts(pair.texts), Request("learned", model=job.model))
    values = {choice.object: round(choice.value, 3) for choice in found.trace[0].ranked}
    assert found.binding is not None
    chosen = found.binding["?x"]
    return {
        "place": pair.place,
        "rooms": pair.rooms,
        "turned": pair.turned,
        "cost": pair.cost,
        "right": chosen == pair.near,
        "near": values[pair.near],
        "far": values[pair.far],
    }


def measure_maze(job: Job) -> Record:
    """One maze or walled grid."""
    texts = draw_maze(open_stream("reach", job.part, job.family, job.group, job.index), job.family, job.group)
    return judge(texts, texts, job.model)


def measure_negated(job: Job) -> Record:
    """One task with negated literals that can be reached."""
    rng = open_stream("reach", job.part, job.family, job.index)
    while True:
        texts = draw_negated(rng, job.family)
        # A planner would search for long where a goal cannot be reached.
        if find_cost(texts, in_space=True) is not None:
            return judge(texts, texts, job.model, in_space=True)


def measure_below_zero(job: Job) -> Record:
    """How many raw predictions of a goal and of all its bindings of one variable there are, and how many below zero."""
    task = read_texts(draw_odd(open_stream("reach", job.part, job.family, job.index), job.family))
    engine = open_named(job.model).load()
    statics = index_relations(task.statics, len(task.objects))
    encoder = StateEncoder(engine.vocabulary, task.init, statics, engine.config.bindings)
    problem = Problem(encoder, task.query)
    step = Decision(problem, task.query, list_choices(problem, task.query, "static", False))
    # The goal is false at the start, so that none of its bindings is satisfied either.
    values = engine.predict([step.encode(), step.encode_choices(range(len(step.choices)))])
    return {"predictions": len(values), "below": sum(v < 0 for v in values), "least": round(min(values), 3)}


def measure_large(job: Job) -> Record:
    """One task of the scaling series."""
    assert isinstance(job.subject, Spec)
    return measure_scale(job.subject, job.model, job.seconds)


MEASURES: Mapping[str, Callable[[Job], Record]] = {
    "attributes": measure_attributes,
    "distance": measure_distance,
    "mazes": measure_maze,
    "below-zero": measure_below_zero,
    "negated": measure_negated,
    "scale": measure_large,
}


def judge(texts: Texts, plain: Texts, model: Path, in_space: bool = False) -> Record:
    """The cost of the greedy learned binding of a task and V*, both found in the plain words of the same task."""
    task = read_texts(texts)
    record: Record = {"v_star": None, "cost": None, "fits": open_named(model).fits(task)}
    try:
        grounding = ground(task, Request("learned", model=model))
    except SkolemError as error:
        return {**record, "v_star": find_cost(plain, in_space=in_space), "reason": error.message}
    if grounding.residual is not None:
        record["residual"] = grounding.residual
    try:
        binding = tuple(sorted((grounding.binding or {}).items()))
        cost = find_cost(plain, binding, in_space) if binding else None
        return {**record, "v_star": find_cost(plain, in_space=in_space), "cost": cost}
    except LimitError as error:
        return {**record, "reason": error.message}


@lru_cache(maxsize=64)
def find_cost(texts: Texts, binding: tuple[tuple[str, str], ...] = (), in_space: bool = False) -> int | None:
    """The exact cost of a task's goal, or of it with variables bound; None if that cannot be reached.

    `in_space` finds it over all states.
    """
    # A goal with negated literals is read as what it is resolved into.
    (task,) = list_alternatives(read_texts(texts))
    query: Query = task.query
    names = [variable.name for variable in task.goal.variables]
    for variable, chosen in binding:
        query = query.bind(names.index(variable), task.index[chosen])
    if solve_static(query, task.statics, len(task.objects)) is None:
        return None
    return open_oracle().find_cost_in_space(task, query).cost if in_space else find_exact_cost(task, query)
