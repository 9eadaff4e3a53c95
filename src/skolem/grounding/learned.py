"""The learned grounders: bind one variable at a time to the object with the least predicted cost."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from skolem.errors import UnsupportedError
from skolem.grounding.protocol import Choice, Grounding, Step
from skolem.task.model import Task
from skolem.task.query import Merged, Query, merge_equal

if TYPE_CHECKING:
    from skolem.network.rgnn import RGNN


@dataclass(frozen=True)
class LearnedGrounder:
    """The greedy policy of a value network, or a beam search over bindings where `width` is above one.

    `candidates` is "static" for objects that leave the static goal a solution, so that bindings are always
    valid, and "all" for every object, as in the paper.
    """

    model: "RGNN"
    name: str = "learned"
    width: int = 1
    candidates: Literal["static", "all"] = "static"

    def ground(self, task: Task) -> Grounding:
        """The policy's binding."""
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        """The policy's binding, then the next best ones; nothing that was scored is scored again."""
        if task.goal.outside is not None:
            raise UnsupportedError(f"the learned grounder cannot bind this goal: {task.goal.outside}")
        search = _Search(self, task)
        found = False
        for node in search.run():
            found = True
            yield search.describe(node)
        if not found:
            yield Grounding("unsolvable", None, None, (), self.name)


@dataclass(frozen=True, order=True)
class _Node:
    """A partly bound goal; nodes compare by their predicted cost, then by their binding."""

    value: float
    binding: tuple[int, ...]
    parent: "_Node | None" = None


class _Search:
    """Partly bound goals of one task, each expanded at most once."""

    def __init__(self, grounder: LearnedGrounder, task: Task) -> None:
        from skolem.network.decoding import Problem
        from skolem.network.encoding import StateEncoder
        from skolem.task.structure import prepare

        model = grounder.model
        model.vocabulary.check_task(task.init, task.statics)
        model.vocabulary.check_query(task.query)
        self.grounder = grounder
        self.task = task
        self.merged: Merged = merge_equal(task.query)
        statics = prepare(task.statics, len(task.objects))
        encoder = StateEncoder(model.vocabulary, task.init, statics, model.config.bindings)
        self.problem: Problem = Problem(encoder, self.merged.query)
        self.children: dict[tuple[int, ...], list[_Node]] = {}
        self.spare: list[_Node] = []
        self.seen: set[tuple[int, ...]] = set()

    def run(self) -> Iterator[_Node]:
        """Complete bindings: those of the beam, then one after another the best of what the beam left aside."""
        root = self.merged.query.binding
        value = self._score([self.merged.query])[0] if -1 not in root else float("inf")
        yield from self._descend([_Node(value, root)], self.grounder.width)
        while self.spare:
            node = heapq.heappop(self.spare)
            if node.binding not in self.seen:
                self.seen.add(node.binding)
                yield from self._descend([node], 1)

    def _descend(self, beam: list[_Node], width: int) -> Iterator[_Node]:
        while beam and -1 in beam[0].binding:
            reached = sorted(child for node in beam for child in self._expand(node))
            beam = []
            for child in reached:
                if child.binding in self.seen:
                    continue
                if len(beam) < width:
                    self.seen.add(child.binding)
                    beam.append(child)
                else:
                    heapq.heappush(self.spare, child)
        yield from beam

    def _expand(self, node: _Node) -> list[_Node]:
        from skolem.network.decoding import list_choices

        if node.binding not in self.children:
            query = self._bind(node.binding)
            choices = list_choices(self.problem, query, self.grounder.candidates, in_order=False)
            goals = [query.bind(*choice) for choice in choices]
            values = self._score(goals) if goals else []
            nodes = [_Node(v, g.binding, node) for v, g in zip(values, goals, strict=True)]
            self.children[node.binding] = sorted(nodes)
        return self.children[node.binding]

    def _score(self, goals: Sequence[Query]) -> Sequence[float]:
        from skolem.network.inference import predict_parts

        return predict_parts(self.grounder.model, [self.problem.encoder.encode(goals)])

    def _bind(self, binding: tuple[int, ...]) -> Query:
        root = self.merged.query
        return Query(root.variables, root.atoms, root.equal, root.unequal, binding)

    def describe(self, node: _Node) -> Grounding:
        """The grounding of a complete binding, with every choice that led to it."""
        steps: list[Step] = []
        last = node
        while last.parent is not None:
            ranked = tuple(self._choice(last.parent, child) for child in self.children[last.parent.binding])
            chosen = self._choice(last.parent, last)
            steps.append(Step(chosen.variable, chosen.object, ranked))
            last = last.parent
        binding = self.task.name_binding(self.merged.extend(node.binding))
        return Grounding("grounded", binding, node.value, tuple(reversed(steps)), self.grounder.name)

    def _choice(self, parent: _Node, child: _Node) -> Choice:
        slot = next(i for i, (a, b) in enumerate(zip(parent.binding, child.binding, strict=True)) if a != b)
        variable = self.task.goal.variables[self.merged.home.index(slot)]
        return Choice(variable.name, self.task.objects[child.binding[slot]], child.value)
