"""Turns a labelled dataset into one whose colours are objects: `red(o)` becomes `has-colour(o, red)`.

Run from the root of the repository: `python -m tools.colours_as_objects DATASET OUTPUT`. Objects, goals,
bindings and costs are as they were; the colours of a task come after its objects, and goals name them as constants.
Every sibling group of the training part gets one more pair, a variable bound to a colour, which cannot be
reached: a policy over all objects compares those too.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from skolem.families.family import COLOURS
from skolem.oracle.dataset import (
    Dataset,
    Relation,
    Shard,
    ShardBuilder,
    ShardReader,
    read_dataset,
    read_shard,
    shrink,
    write_manifest,
    write_shard,
)
from skolem.support.errors import InputError
from skolem.task.constraints.candidates import find_candidates, find_valid_candidates
from skolem.task.query import Query, Relations

HAS_COLOUR = "has-colour"
SEED = 0


def convert_dataset(source: Path, output: Path) -> Dataset:
    """Writes the dataset with colours as objects into a folder."""
    dataset = read_dataset(source)
    relations = convert_relations(dataset.relations)
    output.mkdir(parents=True, exist_ok=True)
    parts = {}
    for part, files in dataset.parts.items():
        written = []
        for number, file in enumerate(files):
            reader = ShardReader(dataset.relations, read_shard(source / file.file, file.sha256))
            shard = convert_shard(reader, relations)
            if part == "train":
                shard = add_useless_pairs(shard, reader.shard, np.random.default_rng((SEED, number)))
            written.append(write_shard(output / file.file, shard))
        parts[part] = tuple(written)
    origin = {"colours": "objects", "source": dataset.checksum, **dataset.origin}
    converted = Dataset(output, dataset.domain, relations, origin, parts)
    write_manifest(converted)
    return converted


def convert_relations(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """The vocabulary without colours, and with the relation between objects and colours."""
    kept = tuple(r for r in relations if not is_colour(r))
    if len(kept) == len(relations):
        raise InputError("the dataset has no colours")
    return (*kept, Relation(HAS_COLOUR, 2, static=True))


def is_colour(relation: Relation) -> bool:
    """Whether the relation is a colour."""
    return relation.name in COLOURS and relation.arity == 1 and relation.static


def convert_shard(reader: ShardReader, relations: Sequence[Relation]) -> Shard:
    """The shard over the new vocabulary; nodes, pairs and complete bindings are as they were."""
    shard = reader.shard
    builder = ShardBuilder(relations)
    numbers = number_colours(reader)
    for task, objects in enumerate(shard.objects.tolist()):
        builder.add_task(objects + len(numbers[task]), convert_statics(reader.statics(task), numbers[task]))
    for goal, task in enumerate(shard.goal_task.tolist()):
        builder.add_goal(task, convert_goal(reader.goal(goal), numbers[task]))
    built = builder.build()
    kept = [i for i, r in enumerate(reader.relations) if not is_colour(r)]
    state_counts = np.pad(shard.state_counts[:, kept], ((0, 0), (0, 1)))
    return replace(
        shard,
        objects=built.objects,
        static_counts=built.static_counts,
        static_args=built.static_args,
        state_counts=state_counts,
        goal_counts=built.goal_counts,
        goal_args=built.goal_args,
    )


def number_colours(reader: ShardReader) -> list[dict[str, int]]:
    """For every task the colours that occur in it or in its goals, numbered after its objects."""
    shard = reader.shard
    used = shard.static_counts > 0
    np.logical_or.at(used, shard.goal_task, shard.goal_counts > 0)
    columns = [(i, r.name) for i, r in enumerate(reader.relations) if is_colour(r)]
    found = []
    for task, objects in enumerate(shard.objects.tolist()):
        names = [name for i, name in columns if used[task, i]]
        found.append({name: objects + k for k, name in enumerate(names)})
    return found


def convert_statics(statics: Relations, numbers: dict[str, int]) -> Relations:
    """The static relations with the colours of objects in one of them."""
    pairs = [(int(row[0]), number) for name, number in numbers.items() for row in statics[name]]
    kept = {name: rows for name, rows in statics.items() if name not in COLOURS}
    return {**kept, HAS_COLOUR: np.array(pairs, dtype=np.int32).reshape(len(pairs), 2)}


def convert_goal(query: Query, numbers: dict[str, int]) -> Query:
    """The goal with colours as constants."""
    atoms = [(HAS_COLOUR, (*args, numbers[name])) if name in numbers else (name, args) for name, args in query.atoms]
    return replace(query, atoms=tuple(atoms))


def add_useless_pairs(shard: Shard, original: Shard, rng: np.random.Generator) -> Shard:
    """The shard with one more pair at the end of every sibling group: its last variable bound to a random colour."""
    ends = np.append(shard.pair_node[1:] != shard.pair_node[:-1], True)
    last = np.flatnonzero(ends & (shard.pair_variable.astype(np.int64) >= 0))
    task = shard.goal_task[shard.node_goal[shard.pair_node[last]]]
    first, behind = original.objects[task].astype(np.int64), shard.objects[task].astype(np.int64)
    last, first, behind = (array[behind > first] for array in (last, first, behind))
    colours = rng.integers(first, behind)
    return replace(
        shard,
        pair_node=np.insert(shard.pair_node, last + 1, shard.pair_node[last]),
        pair_variable=np.insert(shard.pair_variable, last + 1, shard.pair_variable[last]),
        pair_object=shrink(np.insert(shard.pair_object.astype(np.int64), last + 1, colours)),
        pair_cost=np.insert(shard.pair_cost, last + 1, 0),
        pair_reachable=np.insert(shard.pair_reachable, last + 1, False),
    )


def count_differences(source: Dataset, converted: Dataset, part: str, most: int) -> tuple[int, int]:
    """How many nodes of a part were compared, and at how many the static candidates or their solvability differ."""
    before, after = source.load(part), converted.load(part)
    nodes = np.linspace(0, len(before.shard.node_goal) - 1, min(most, len(before.shard.node_goal)), dtype=int)
    different = 0
    for node in nodes.tolist():
        task = int(before.shard.goal_task[before.shard.node_goal[node]])
        objects, colours = int(before.shard.objects[task]), int(after.shard.objects[task])
        old = (before.node(node), before.statics(task), objects)
        new = (after.node(node), after.statics(task), colours)
        same = True
        for tables in (
            (find_candidates(*old), find_candidates(*new)),
            (find_valid_candidates(*old).candidates, find_valid_candidates(*new).candidates),
        ):
            same &= bool((tables[0] == tables[1][:, :objects]).all() and not tables[1][:, objects:].any())
        same &= find_valid_candidates(*old).unsolvable == find_valid_candidates(*new).unsolvable
        different += not same
    return len(nodes), different


def main() -> None:
    """Converts a dataset and compares candidates before and after on some nodes of every part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--check", type=int, default=300, metavar="N", help="nodes of each part that are compared")
    given = parser.parse_args()
    converted = convert_dataset(given.dataset, given.output)
    source = read_dataset(given.dataset)
    for part in converted.parts:
        compared, different = count_differences(source, converted, part, given.check)
        print(f"{part}: {converted.pairs(part)} pairs, candidates of {compared} nodes compared, {different} differ")


if __name__ == "__main__":
    main()
