"""Grounders that take turns."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from skolem.grounding.protocol import DeadEndError, Grounding
from skolem.grounding.turns import TurnsGrounder
from skolem.pddl.reading import read_task
from skolem.task.model import Task

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@dataclass(frozen=True)
class Listing:
    """A grounder that binds one variable to some objects, and then comes to a dead end."""

    objects: str
    predicts: bool = True
    doubt: str = ""
    name: str = "listing"
    model: None = None

    def ground(self, task: Task) -> Grounding:
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        for obj in self.objects:
            yield Grounding("grounded", {"?x": obj}, 1.0, (), self.name)
        raise DeadEndError("no object is left")


def read_tower() -> Task:
    return read_task(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl")


def list_objects(grounder: TurnsGrounder, count: int) -> list[str]:
    return [(g.binding or {})["?x"] for g in islice(grounder.groundings(read_tower()), count)]


def test_bindings_come_in_turns_and_once_each() -> None:
    assert list_objects(TurnsGrounder(Listing("abc"), Listing("bad")), 4) == ["a", "b", "c", "d"]


def test_the_first_grounder_goes_on_where_the_other_finds_nothing() -> None:
    assert list_objects(TurnsGrounder(Listing("abc"), Listing("")), 3) == ["a", "b", "c"]


def test_it_passes_for_the_first_one() -> None:
    grounder = TurnsGrounder(Listing("abc"), Listing("bad", predicts=False))
    assert (grounder.name, grounder.model, grounder.predicts) == ("listing", None, False)
    assert grounder.ground(read_tower()).binding == {"?x": "a"}
