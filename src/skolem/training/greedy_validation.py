"""How good a network is on goals that it was not trained on: its loss, its choices, and the greedy policy's costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from skolem.network.decoding import Problem, decode_greedily
from skolem.network.engine.choice import build_engine, choose_engine
from skolem.network.engine.protocol import Engine
from skolem.network.engine.torch_engine import TorchEngine
from skolem.network.rgnn import RGNN
from skolem.network.scoring import Mode, make_score
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import ShardReader
from skolem.training.samples import NodeEncoder, Samples, measure_errors

Tensor = torch.Tensor


@dataclass(frozen=True)
class ValidationGoals:
    """Goals with the cost of every valid binding; bindings that are not listed cannot be reached."""

    problems: tuple[Problem, ...]
    costs: tuple[dict[tuple[int, ...], int], ...]


@dataclass(frozen=True)
class Grade:
    """The greedy policy's result: the share of goals it grounds reachably, and cost over V* on those.

    `score` is what checkpoints are compared by: unreachable groundings count as the constant for unreachable goals.
    """

    goals: int
    coverage: float
    ratio: float
    score: float


def list_goals(
    reader: ShardReader, vocabulary: Vocabulary, bindings: Literal["all", "static"], most: int
) -> ValidationGoals:
    """The first goals of a part whose complete bindings are listed and which need at least one step."""
    shard = reader.shard
    encoder = NodeEncoder(reader, vocabulary, bindings)
    tables: dict[int, dict[tuple[int, ...], int]] = {}
    for node, objects, cost, reachable in zip(
        shard.complete_node.tolist(),
        shard.complete_objects.tolist(),
        shard.complete_cost.tolist(),
        shard.complete_reachable.tolist(),
        strict=True,
    ):
        table = tables.setdefault(node, {})
        if reachable:
            table[tuple(objects[: int(shard.goal_variables[shard.node_goal[node]])])] = cost
    chosen = [node for node, table in tables.items() if table and min(table.values()) > 0][:most]
    problems = tuple(Problem(encoder.prepare_state(node), reader.node(node)) for node in chosen)
    return ValidationGoals(problems, tuple(tables[node] for node in chosen))


def grade(
    model: Engine,
    goals: ValidationGoals,
    unreachable: float,
    mode: Mode = "full",
    in_order: bool = False,
    rater: Engine | None = None,
) -> Grade | None:
    """How the greedy policy does on some goals, over all variables or in their order; None without goals."""
    if not goals.problems:
        return None
    bindings = decode_greedily(goals.problems, make_score(model, mode, rater), model.config.bindings, in_order)
    found = [None if b is None else costs.get(b) for b, costs in zip(bindings, goals.costs, strict=True)]
    best = np.array([min(costs.values()) for costs in goals.costs])
    covered = np.array([cost is not None for cost in found])
    cost = np.array([unreachable if c is None else c for c in found])
    # An unreachable grounding is never better than a reachable one that is twice as costly as V*.
    penalised = np.where(covered, cost, np.maximum(cost, 2 * best))
    return Grade(
        goals=len(best),
        coverage=float(covered.mean()),
        ratio=float(cost[covered].sum() / best[covered].sum()) if covered.any() else float("inf"),
        score=float(penalised.sum() / best.sum()),
    )


@dataclass(frozen=True)
class Result:
    """How a network does on one part of a dataset."""

    loss: float
    accuracy: float
    """The share of nodes with an open choice at which the least predicted cost is a best one."""
    grade: Grade | None
    head: Grade | None
    """The same with choices by the head."""


def run_model(model: RGNN) -> Engine:
    """The engine that validates a network in training: the native one on a CPU, if it was built."""
    weights = model.state_dict()
    if choose_engine() == "native" and all(value.device.type == "cpu" for value in weights.values()):
        arrays = {name: value.numpy() for name, value in weights.items()}
        return build_engine("native", model.config, model.vocabulary, arrays)
    return TorchEngine(model)


def validate(model: RGNN, samples: Samples, goals: ValidationGoals, unreachable: float) -> Result:
    """The result on one part."""
    targets = samples.aim(unreachable)
    engine = run_model(model)
    predicted = torch.tensor(engine.predict([samples.graphs.encoded]))
    choices, right = measure_choices(predicted, targets.abs(), samples.groups)
    loss = float(measure_errors(predicted, targets).square().mean())
    full = grade(engine, goals, unreachable)
    head = grade(engine, goals, unreachable, "head") if model.config.head else None
    return Result(loss, right / choices if choices else 1.0, full, head)


def measure_choices(predicted: Tensor, targets: Tensor, groups: Tensor) -> tuple[int, int]:
    """How many groups of siblings with different costs there are, and in how many the least prediction is best."""
    inside = groups >= 0
    _, group = groups[inside].unique(return_inverse=True)  # type: ignore[no-untyped-call]
    if not len(group):
        return 0, 0
    scores, wanted = predicted[inside], targets[inside]
    count = int(group.max()) + 1
    best = wanted.new_full((count,), torch.inf).scatter_reduce(0, group, wanted, "amin")
    worst = wanted.new_full((count,), -torch.inf).scatter_reduce(0, group, wanted, "amax")
    least = scores.new_full((count,), torch.inf).scatter_reduce(0, group, scores, "amin")
    # Of several least predictions the worst counts, so that a network that cannot tell siblings apart gains nothing.
    taken = torch.where(scores <= least[group], wanted, -torch.inf)
    chosen = wanted.new_full((count,), -torch.inf).scatter_reduce(0, group, taken, "amax")
    open_choice = best < worst
    return int(open_choice.sum()), int((open_choice & (chosen <= best)).sum())


def judge(results: Mapping[str, Result], by_head: bool = False) -> tuple[float, float]:
    """The mean loss and the mean score of the greedy policy over all parts; infinite if nothing was graded."""
    grades = [result.head if by_head else result.grade for result in results.values()]
    scores = [each.score for each in grades if each is not None]
    loss = sum(result.loss for result in results.values()) / len(results)
    return loss, sum(scores) / len(scores) if scores else float("inf")
