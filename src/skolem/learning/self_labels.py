"""A model as the guide of walks, by which the labels of its successor are found."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from skolem.grounding.models import open_model
from skolem.network.encoding import StateEncoder
from skolem.oracle.dataset import hash_file
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import Query, Relations


@dataclass(frozen=True)
class ModelGuide:
    """The model in a folder."""

    folder: Path

    @cached_property
    def checksum(self) -> str:
        """The checksum of its weights."""
        return hash_file(self.folder / "model.safetensors")

    def predict(self, statics: Relations, objects: int, asked: Sequence[tuple[Relations, Query]]) -> list[float]:
        """The costs of goals, each from a state of one task."""
        engine = open_model(self.folder).load()
        index = index_relations(statics, objects)
        encoders: dict[int, StateEncoder] = {}
        parts = []
        for state, query in asked:
            if id(state) not in encoders:
                relations = {**index, **state}
                encoders[id(state)] = StateEncoder(engine.vocabulary, relations, index, engine.config.bindings)
            parts.append(encoders[id(state)].encode([query]))
        return engine.predict(parts)
