"""Several ways to bind the same goal, which take turns."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skolem.grounding.protocol import DeadEndError, Grounder, Grounding
from skolem.task.model import Task

if TYPE_CHECKING:
    from skolem.network.engine.protocol import Engine


@dataclass(frozen=True)
class TurnsGrounder:
    """The bindings of a grounder and of another one in turns, each binding once; the other may find none."""

    first: Grounder
    other: Grounder

    @property
    def name(self) -> str:
        """The name of the first one."""
        return self.first.name

    @property
    def predicts(self) -> bool:
        """Whether both predict what plans cost."""
        return self.first.predicts and self.other.predicts

    @property
    def doubt(self) -> str:
        """The doubt of either of them, if there is one."""
        return self.first.doubt or self.other.doubt

    @property
    def model(self) -> "Engine | None":
        """The network of the first one."""
        return self.first.model

    def ground(self, task: Task) -> Grounding:
        """The binding of the first one."""
        return self.first.ground(task)

    def groundings(self, task: Task) -> Iterator[Grounding]:
        """The first one's binding, then the other's, and so on; nothing is looked for before it is asked for."""
        streams = [self.first.groundings(task), _end_early(self.other.groundings(task))]
        seen = set[tuple[tuple[str, str], ...]]()
        while streams:
            for stream in list(streams):
                found = next(stream, None)
                if found is None:
                    streams.remove(stream)
                    continue
                binding = tuple((found.binding or {}).items())
                if binding not in seen:
                    seen.add(binding)
                    yield found


def _end_early(stream: Iterator[Grounding]) -> Iterator[Grounding]:
    """The bindings of a stream up to a dead end."""
    with suppress(DeadEndError):
        yield from (found for found in stream if found.binding is not None)
