"""A task read from PDDL and the same task read from a dataset are encoded identically."""

from pathlib import Path
from typing import Literal

import pytest
import torch

from skolem.network.encoding import StateEncoder
from skolem.network.graphs import Graphs
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import ShardBuilder, ShardReader
from skolem.oracle.training_tasks import list_attributes, list_relations
from skolem.pddl.reading import read_task
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import merge_equal
from skolem.training.samples import encode_pairs

EXAMPLES = Path(__file__).parents[2] / "examples"
PROBLEMS = sorted(path for path in EXAMPLES.glob("*/*.pddl") if path.name != "domain.pddl")


@pytest.mark.parametrize(("bindings", "decided"), [("all", False), ("static", True)])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_pddl_and_dataset_give_the_same_graphs(
    problem: Path, bindings: Literal["all", "static"], decided: bool
) -> None:
    task = read_task(problem.parent / "domain.pddl", problem)
    relations = list_relations([task])
    vocabulary = Vocabulary.of(relations, attributes=list_attributes([task], relations) if decided else None)
    vocabulary.check_task(task)
    query = merge_equal(task.query).query
    choices = [(-1, -1), *((v, obj) for v in query.unbound for obj in range(len(task.objects)))]
    bound = [query if v < 0 else query.bind(v, obj) for v, obj in choices]
    statics = index_relations(task.statics, len(task.objects))
    direct = Graphs.of(vocabulary, [StateEncoder(vocabulary, task.init, statics, bindings).encode(bound)])

    builder = ShardBuilder(relations)
    static = {r.name for r in relations if r.static}
    number = builder.add_task(len(task.objects), {n: rows for n, rows in task.statics.items() if n in static})
    state = builder.add_state(number, {n: rows for n, rows in task.init.items() if n not in static})
    node = builder.add_node(builder.add_goal(number, query), state, query.binding)
    for variable, obj in choices:
        builder.add_pair(node, variable, obj, 1)
    stored = encode_pairs(ShardReader(relations, builder.build()), vocabulary, bindings).graphs
    assert torch.equal(direct.nodes, stored.nodes)
    assert torch.equal(direct.counts, stored.counts)
    assert torch.equal(direct.goal, stored.goal)
    assert torch.equal(direct.args, stored.args)
