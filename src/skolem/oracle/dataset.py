"""Labelled goals on disk: what the oracle writes and training reads, with numpy alone (docs/dataset.md)."""

import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from skolem.support.errors import InputError, Place
from skolem.support.files import replacing, write_text
from skolem.task.query import CodedAtom, Query, Relations
from skolem.task.relation import Relation as Relation

FORMAT = "skolem-dataset"
MANIFEST = "dataset.json"
VERSION = 2
PARTS = ("train", "validation", "larger", "odd")

Ints = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Shard:
    """Tasks, states, goals, partly bound goals (nodes) and labelled pairs as flat arrays.

    T tasks, S states, G root goals, N nodes, P pairs, B complete bindings, R relations, K variables at most.
    A `counts` array says how many tuples each relation has, its `args` array holds their arguments in the
    order (row, relation, tuple, argument). Goal arguments are objects, or ~i for variable i.
    """

    objects: Ints  # (T,) number of objects
    static_counts: Ints  # (T, R)
    static_args: Ints
    state_task: Ints  # (S,)
    state_counts: Ints  # (S, R), fluents only
    state_args: Ints
    goal_task: Ints  # (G,)
    goal_variables: Ints  # (G,)
    goal_counts: Ints  # (G, R)
    goal_args: Ints
    denied_counts: Ints  # (G, R) goal atoms that must be false
    denied_args: Ints
    unequal_counts: Ints  # (G,)
    unequal_args: Ints
    node_goal: Ints  # (N,)
    node_state: Ints  # (N,)
    node_binding: Ints  # (N, K), -1 while unbound
    pair_node: Ints  # (P,)
    pair_variable: Ints  # (P,) the variable bound next, -1 for the node itself
    pair_object: Ints  # (P,) the object it is bound to, -1 for the node itself
    pair_cost: Ints  # (P,) meaningless where not reachable
    pair_reachable: npt.NDArray[np.bool_]
    pair_bound: npt.NDArray[np.bool_]  # (P,) whether the cost is only known to be at least that
    complete_node: Ints  # (B,) a root node whose complete bindings are listed
    complete_objects: Ints  # (B, K)
    complete_cost: Ints
    complete_reachable: npt.NDArray[np.bool_]


# The index arrays of a shard, and the array whose rows they count.
_POINTS_TO = {
    "state_task": "objects",
    "goal_task": "objects",
    "node_goal": "goal_task",
    "node_state": "state_task",
    "pair_node": "node_goal",
    "complete_node": "node_goal",
}


class ShardReader:
    """Tasks, states and queries of a shard, one at a time."""

    def __init__(self, relations: Sequence[Relation], shard: Shard) -> None:
        self.relations = relations
        self.shard = shard
        arity = np.array([r.arity for r in relations], dtype=np.int64)
        self._static = _offsets(shard.static_counts, arity)
        self._state = _offsets(shard.state_counts, arity)
        self._goal = _offsets(shard.goal_counts, arity)
        self._denied = _offsets(shard.denied_counts, arity)
        self._unequal = np.concatenate([[0], np.cumsum(2 * shard.unequal_counts.astype(np.int64))])

    def statics(self, task: int) -> Relations:
        """The static relations of a task."""
        shard = self.shard
        rows = self._rows(shard.static_counts[task], shard.static_args, self._static[task])
        return {r.name: rows[i] for i, r in enumerate(self.relations) if r.static}

    def fluents(self, state: int) -> Relations:
        """The fluent relations of a state."""
        shard = self.shard
        rows = self._rows(shard.state_counts[state], shard.state_args, self._state[state])
        return {r.name: rows[i] for i, r in enumerate(self.relations) if not r.static}

    def goal(self, goal: int) -> Query:
        """A root goal."""
        shard = self.shard
        atoms = self._atoms(shard.goal_counts[goal], shard.goal_args, self._goal[goal])
        denied = self._atoms(shard.denied_counts[goal], shard.denied_args, self._denied[goal])
        pairs = shard.unequal_args[self._unequal[goal] : self._unequal[goal + 1]].reshape(-1, 2)
        unequal = tuple((int(a), int(b)) for a, b in pairs)
        return Query(int(shard.goal_variables[goal]), atoms, unequal=unequal, denied=denied)

    def node(self, node: int) -> Query:
        """The partly bound goal of a node."""
        root = self.goal(int(self.shard.node_goal[node]))
        return replace(root, binding=tuple(int(o) for o in self.shard.node_binding[node, : root.variables]))

    def _atoms(self, counts: Ints, args: Ints, start: int) -> tuple[CodedAtom, ...]:
        rows = self._rows(counts, args, start)
        return tuple((r.name, tuple(map(int, row))) for i, r in enumerate(self.relations) for row in rows[i])

    def _rows(self, counts: Ints, args: Ints, start: int) -> list[npt.NDArray[np.int32]]:
        rows = []
        for count, relation in zip(counts.tolist(), self.relations, strict=True):
            end = start + count * relation.arity
            rows.append(args[start:end].astype(np.int32).reshape(count, relation.arity))
            start = end
        return rows


def _offsets(counts: Ints, arity: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts.astype(np.int64) @ arity)])


@dataclass
class ShardBuilder:
    """Collects labelled goals and packs them into a shard."""

    relations: Sequence[Relation]
    _columns: dict[str, list[Any]] = field(default_factory=lambda: {f.name: [] for f in fields(Shard)})

    def add_task(self, objects: int, statics: Relations) -> int:
        """The number of the new task."""
        self._columns["objects"].append(objects)
        self._add_rows("static", statics, static=True)
        return len(self._columns["objects"]) - 1

    def add_state(self, task: int, fluents: Relations) -> int:
        """The number of the new state."""
        self._columns["state_task"].append(task)
        self._add_rows("state", fluents, static=False)
        return len(self._columns["state_task"]) - 1

    def add_goal(self, task: int, query: Query) -> int:
        """The number of the new root goal; equalities must have been merged away."""
        assert not query.equal, "equalities are not stored"
        columns = self._columns
        columns["goal_task"].append(task)
        columns["goal_variables"].append(query.variables)
        for kind, literals in (("goal", query.atoms), ("denied", query.denied)):
            rows: dict[str, list[tuple[int, ...]]] = {r.name: [] for r in self.relations}
            for name, args in literals:
                rows[name].append(args)
            columns[f"{kind}_counts"].append([len(rows[r.name]) for r in self.relations])
            columns[f"{kind}_args"].extend(a for r in self.relations for row in rows[r.name] for a in row)
        columns["unequal_counts"].append(len(query.unequal))
        columns["unequal_args"].extend(a for pair in query.unequal for a in pair)
        return len(columns["goal_task"]) - 1

    def add_node(self, goal: int, state: int, binding: Sequence[int]) -> int:
        """The number of the new partly bound goal."""
        self._columns["node_goal"].append(goal)
        self._columns["node_state"].append(state)
        self._columns["node_binding"].append(tuple(binding))
        return len(self._columns["node_goal"]) - 1

    def add_pair(self, node: int, variable: int, obj: int, cost: int | None, bound: bool = False) -> None:
        """Labels the node with one more variable bound (variable -1: the node itself); None is unreachable.

        A `bound` is a cost of which only that is known that it is not less.
        """
        self._add(("pair_node", node), ("pair_variable", variable), ("pair_object", obj))
        self._add(("pair_cost", cost or 0), ("pair_reachable", cost is not None), ("pair_bound", bound))

    def add_complete(self, node: int, objects: Sequence[int], cost: int | None) -> None:
        """The exact cost of one complete binding of a root node; None is unreachable."""
        self._add(("complete_node", node), ("complete_objects", tuple(objects)))
        self._add(("complete_cost", cost or 0), ("complete_reachable", cost is not None))

    @property
    def pairs(self) -> int:
        """How many pairs were added."""
        return len(self._columns["pair_node"])

    def build(self) -> Shard:
        """The shard of everything added so far."""
        columns = dict(self._columns)
        width = max((len(b) for b in columns["node_binding"]), default=0)
        for name in ("node_binding", "complete_objects"):
            columns[name] = [(*row, *(-1,) * (width - len(row))) for row in columns[name]]
        arrays: dict[str, Any] = {}
        for name, values in columns.items():
            if name.endswith(("_reachable", "_bound")):
                arrays[name] = np.array(values, dtype=np.bool_)
                continue
            array = np.array(values, dtype=np.int64)
            if not len(values) and name in ("node_binding", "complete_objects"):
                array = array.reshape(0, width)
            elif not len(values) and name in ("static_counts", "state_counts", "goal_counts", "denied_counts"):
                array = array.reshape(0, len(self.relations))
            arrays[name] = shrink(array)
        return Shard(**arrays)

    def _add(self, *values: tuple[str, Any]) -> None:
        for column, value in values:
            self._columns[column].append(value)

    def _add_rows(self, kind: str, rows: Relations, *, static: bool) -> None:
        used = [rows[r.name] if r.static == static else None for r in self.relations]
        self._columns[f"{kind}_counts"].append([0 if r is None else len(r) for r in used])
        for array in used:
            if array is not None:
                self._columns[f"{kind}_args"].extend(array.ravel().tolist())


def shrink(array: Ints) -> Ints:
    """The same integers in the smallest type that holds them."""
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    types: tuple[type[np.integer[Any]], ...] = (np.uint8, np.int8, np.uint16, np.int16, np.int32)
    for dtype in types:
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return array.astype(dtype)
    return array


def concatenate(shards: Sequence[Shard]) -> Shard:
    """One shard with everything the given ones hold, in their order."""
    width = max((s.node_binding.shape[1] for s in shards), default=0)
    arrays: dict[str, Any] = {}
    for column in (f.name for f in fields(Shard)):
        parts, start = [], 0
        for shard in shards:
            part = getattr(shard, column)
            if column in _POINTS_TO:
                part = part.astype(np.int64) + start
                start += len(getattr(shard, _POINTS_TO[column]))
            elif column in ("node_binding", "complete_objects"):
                part = np.pad(part.astype(np.int32), ((0, 0), (0, width - part.shape[1])), constant_values=-1)
            parts.append(part)
        joined = np.concatenate(parts)
        arrays[column] = joined if joined.dtype == np.bool_ else shrink(joined)
    return Shard(**arrays)


@dataclass(frozen=True)
class ShardFile:
    """A shard on disk."""

    file: str
    sha256: str
    pairs: int


@dataclass(frozen=True)
class Dataset:
    """A folder of shards and what they were made from."""

    path: Path
    domain: str
    relations: tuple[Relation, ...]
    origin: dict[str, Any]
    """Family or problem files, seed, sizes, mix: whatever is needed to make it again."""
    parts: dict[str, tuple[ShardFile, ...]]
    attributes: tuple[str, ...] = ()
    """The static relations that no action and no axiom reads, and types that all objects have."""
    actions: tuple[str, ...] = ()
    """The actions and axioms of the domain in canonical text (`skolem.task.schemas`)."""
    metric: bool = False
    """Whether the costs are those of the metric; otherwise they are steps."""

    @property
    def checksum(self) -> str:
        """One checksum over all shards."""
        sums = [shard.sha256 for part in PARTS for shard in self.parts.get(part, ())]
        return hashlib.sha256("".join(sums).encode()).hexdigest()

    def pairs(self, part: str) -> int:
        """How many pairs a part holds."""
        return sum(shard.pairs for shard in self.parts.get(part, ()))

    def load(self, part: str) -> ShardReader:
        """All shards of a part, joined, after checking their checksums."""
        shards = [read_shard(self.path / shard.file, shard.sha256) for shard in self.parts.get(part, ())]
        return ShardReader(self.relations, concatenate(shards or [ShardBuilder(self.relations).build()]))


def write_shard(path: Path, shard: Shard) -> ShardFile:
    """Writes a shard atomically; the same shard always gives the same bytes."""
    with replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **{f.name: getattr(shard, f.name) for f in fields(Shard)})
    return ShardFile(path.name, hash_file(path), len(shard.pair_node))


def read_shard(path: Path, sha256: str | None = None) -> Shard:
    """A shard from its file; an InputError if the file is damaged or is not the one with that checksum."""
    try:
        if sha256 is not None and hash_file(path) != sha256:
            raise InputError("the file does not match its checksum: label again or restore it", Place(str(path)))
        with np.load(path, allow_pickle=False) as arrays:
            # Datasets from before there were bounds have none.
            absent: dict[str, Any] = {"pair_bound": np.zeros(len(arrays["pair_node"]), dtype=np.bool_)}
            return Shard(**{f.name: arrays[f.name] if f.name in arrays else absent[f.name] for f in fields(Shard)})
    except (OSError, KeyError, ValueError, EOFError, BadZipFile, zlib.error) as error:
        raise InputError(f"not a readable dataset shard ({error})", Place(str(path))) from error


def write_manifest(dataset: Dataset) -> None:
    """Writes `dataset.json` atomically."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "domain": dataset.domain,
        "relations": [vars(r) for r in dataset.relations],
        "attributes": list(dataset.attributes),
        "actions": list(dataset.actions),
        "metric": dataset.metric,
        "origin": dataset.origin,
        "parts": {part: [vars(s) for s in shards] for part, shards in dataset.parts.items()},
        "checksum": dataset.checksum,
    }
    write_text(dataset.path / MANIFEST, json.dumps(content, indent=1) + "\n")


def read_dataset(path: Path) -> Dataset:
    """The dataset in a folder; its shards are read by `load`."""
    manifest = path / MANIFEST
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise InputError(f"expected format {FORMAT} version {VERSION}", Place(str(manifest)))
        return Dataset(
            path=path,
            domain=content["domain"],
            relations=tuple(Relation(**r) for r in content["relations"]),
            origin=content["origin"],
            parts={part: tuple(ShardFile(**s) for s in shards) for part, shards in content["parts"].items()},
            attributes=tuple(content["attributes"]),
            actions=tuple(content["actions"]),
            metric=bool(content["metric"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"not a dataset ({error})", Place(str(manifest))) from error


def hash_file(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
