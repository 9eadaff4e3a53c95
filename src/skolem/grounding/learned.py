"""The learned grounders: bind one variable at a time to the object with the least predicted cost."""

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from skolem.grounding.lookahead import LookAhead
from skolem.grounding.protocol import LEVEL_DOUBT, Candidates, Choice, DeadEndError, Grounding, Order, Scores, Step
from skolem.network.ties import is_near, settle
from skolem.support.errors import UnsupportedError
from skolem.task.cost_relations import find_cost_relations
from skolem.task.model import Task
from skolem.task.proofs.reachability import Refuter
from skolem.task.query import Merged, Query, merge_equal

if TYPE_CHECKING:
    from skolem.network.engine.protocol import Engine

MOST_DEAD_ENDS = 50
"""How often in a row the search may end with nothing but unreachable bindings before it is given up."""
NEGATIVE = -0.5
"""Below this a predicted cost is no rounding of zero."""
GAIN = 0.3
"""How much cheaper another object for one variable must seem before it takes the place of the one chosen."""
LEVEL, TIED = 0.7, 0.1
"""From this share of the farthest trained cost on, two objects that seem to cost the same may just both be far away."""


@dataclass(frozen=True)
class LearnedGrounder:
    """The greedy policy of a value network, or a beam search over bindings where `width` is above one.

    `candidates` is "static" for objects that leave the static goal a solution, so that bindings are always
    valid, and "all" for every object, as in the paper; with "static" no object is chosen that is proven to leave
    no reachable binding. Choices are compared by the cost of the bound goal ("full"), by the network's head in one
    pass ("head"), or in full among the head's best ("both"), where the head is that of `rater` if there is one; `order`
    is "best" for the choices of all variables, as in the paper, and "fixed" for those of the first unbound one.

    With `revise`, "static", "full" and "best" every choice is looked at once more when the others are known: a network
    is surest of goals without variables.
    """

    model: "Engine"
    name: str = "learned"
    width: int = 1
    candidates: Candidates = "static"
    scores: Scores = "full"
    order: Order = "best"
    rater: "Engine | None" = None
    revise: bool = True
    farthest: float = inf
    """The largest cost that the network was trained on."""
    predicts: bool = True
    """Whether what the network predicts is what plans of the task are compared by."""
    note: str = ""
    """What is said with every binding."""
    doubt: str = ""
    """Why none of its predictions is to be trusted."""

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
        if not found and search.spare:
            raise DeadEndError(f"the learned grounder gave up after {MOST_DEAD_ENDS} dead ends")
        if not found:
            yield Grounding("unsolvable", None, None, (), self.name)


@dataclass(frozen=True)
class _Node:
    """A partly bound goal, and its predicted cost."""

    binding: tuple[int, ...]
    value: float
    parent: "_Node | None" = None

    @property
    def place(self) -> tuple[tuple[int, ...], ...]:
        """What decides between nodes of the same cost: the binding, then what was bound before."""
        return (self.binding,) if self.parent is None else (self.binding, self.parent.binding)


def _arrange(nodes: Sequence[_Node]) -> list[_Node]:
    """The nodes by predicted cost, rounding apart, then by their place."""
    ranks = settle([node.value for node in nodes])
    return [nodes[i] for i in sorted(range(len(nodes)), key=lambda i: (ranks[i], nodes[i].place))]


class _Search:
    """Partly bound goals of one task, each expanded at most once."""

    def __init__(self, grounder: LearnedGrounder, task: Task) -> None:
        from skolem.network.decoding import Problem
        from skolem.network.encoding import StateEncoder
        from skolem.network.scoring import make_score
        from skolem.task.constraints.relations_index import index_relations

        model = grounder.model
        model.vocabulary.check_task(task)
        model.vocabulary.check_query(task.query, task.statics)
        self.grounder = grounder
        self.task = task
        self.merged: Merged = merge_equal(task.query)
        costs = find_cost_relations(task, model.vocabulary.relations)
        statics = index_relations({**task.statics, **costs}, len(task.objects))
        encoder = StateEncoder(model.vocabulary, task.init, statics, model.config.bindings)
        self.problem: Problem = Problem(encoder, self.merged.query)
        self.score = make_score(model, grounder.scores, grounder.rater)
        looks_ahead = grounder.candidates == "static"
        self.look_ahead = LookAhead(Refuter(task), statics, len(task.objects)) if looks_ahead else None
        self.children: dict[tuple[int, ...], list[_Node]] = {}
        self.values: dict[tuple[int, ...], float] = {}
        self.spare: list[_Node] = []
        """What the beam left aside, by cost."""
        self.seen: set[tuple[int, ...]] = set()
        self.found = False
        """Whether there was a complete binding."""

    def run(self) -> Iterator[_Node]:
        """Complete bindings: those of the beam, then one after another the best of what the beam left aside.

        Something is left aside at the end only if the search was given up.
        """
        root = self.merged.query.binding
        self._leave(_Node(root, 0.0 if -1 in root else self._evaluate(root)))
        width, dead_ends = self.grounder.width, 0
        while self.spare:
            node = self._take()
            if self._enter(node):
                if node.value == inf:
                    node = replace(node, value=self._evaluate(node.binding))
                found = self._descend([node], width)
                if found and not self.found:
                    found = [self._look_again(found[0]), *found[1:]]
                self.found = self.found or bool(found)
                yield from found
                width, dead_ends = 1, 0 if found else dead_ends + 1
                if dead_ends == MOST_DEAD_ENDS:
                    return

    def _descend(self, beam: list[_Node], width: int) -> list[_Node]:
        """The complete bindings at the end of a beam; none if all that is left is proven to be unreachable."""
        while beam and -1 in beam[0].binding:
            self._expand(beam)
            reached = _arrange([child for node in beam for child in self.children[node.binding]])
            beam, guessed = [], list[_Node]()
            for child in reached:
                # A choice that was not evaluated waits until there is no other one left.
                if len(beam) == width or child.value == inf:
                    self._leave(child)
                elif self._enter(child):
                    (beam if self.look_ahead is None or self.look_ahead.sure else guessed).append(child)
            # What was neither found to have a binding nor proven to have none is followed where there is nothing else.
            beam, left = (beam, guessed) if beam else (guessed[:width], guessed[width:])
            for child in left:
                self.seen.remove(child.binding)
                self._leave(child)
        return beam

    def _look_again(self, node: _Node) -> _Node:
        """The binding after one variable at a time was given another object, as long as that seems to be cheaper.

        What is replaced is left aside, so that it comes later.
        """
        grounder, replaced = self.grounder, list[_Node]()
        how = (grounder.candidates, grounder.scores, grounder.order)
        if not grounder.revise or how != ("static", "full", "best"):
            return node
        better: _Node | None = node
        while better is not None:
            node = better
            better = next((child for child in self._list_better(node) if self._enter(child)), None)
            if better is not None:
                replaced.append(node)
        for old in replaced:
            self.seen.remove(old.binding)
            self._leave(old)
        return node

    def _list_better(self, node: _Node) -> list[_Node]:
        """The bindings that differ in one variable and seem to be cheaper, first where the difference is largest."""
        binding = node.binding
        # What the goal itself says a variable is stays.
        slots = self.merged.query.unbound
        opened = [_Node((*binding[:i], -1, *binding[i + 1 :]), node.value, node) for i in slots]
        self._expand(opened)
        gains = []
        for parent in opened:
            children = _arrange(self.children[parent.binding])
            own = next(child.value for child in children if child.binding == binding)
            gains.append((own - children[0].value, children[0]))
        return [child for gain, child in sorted(gains, key=lambda found: -found[0]) if gain > GAIN]

    def _leave(self, node: _Node) -> None:
        """Leaves a goal aside."""
        insort(self.spare, node, key=lambda other: other.value)

    def _take(self) -> _Node:
        """Takes the best of the goals that were left aside, of those with the same cost the first."""
        tied = 1
        while tied < len(self.spare) and is_near(self.spare[tied].value, self.spare[tied - 1].value):
            tied += 1
        return self.spare.pop(min(range(tied), key=lambda i: self.spare[i].place))

    def _enter(self, node: _Node) -> bool:
        """Whether a goal is met for the first time, and may have a reachable binding."""
        if node.binding in self.seen:
            return False
        self.seen.add(node.binding)
        return self.look_ahead is None or self.look_ahead.remain(self._bind(node.binding))

    def _expand(self, nodes: Sequence[_Node]) -> None:
        """Finds the children of some goals."""
        from skolem.network.decoding import Decision, list_choices

        in_order = self.grounder.order == "fixed"
        steps, new = [], []
        for node in nodes:
            query = self._bind(node.binding)
            choices = list_choices(self.problem, query, self.grounder.candidates, in_order)
            steps.append(Decision(self.problem, query, choices))
            unknown = [choice for choice in choices if self._key(query, choice) not in self.values]
            self.values.update(dict.fromkeys((self._key(query, choice) for choice in unknown), inf))
            if unknown:
                new.append(Decision(self.problem, query, unknown))
        for step, costs in zip(new, self.score(new) if new else [], strict=True):
            self.values.update(zip((self._key(step.query, choice) for choice in step.choices), costs, strict=True))
        for node, step in zip(nodes, steps, strict=True):
            costs = [self.values[self._key(step.query, choice)] for choice in step.choices]
            self.children[node.binding] = [
                _Node(step.query.bind(*choice).binding, cost, node)
                for choice, cost in zip(step.choices, costs, strict=True)
            ]

    def _key(self, query: Query, choice: tuple[int, int]) -> tuple[int, ...]:
        """What the value after a choice depends on: the bound goal, by the head and with marks also what was bound."""
        variable, obj = choice
        bound = (*query.binding[:variable], obj, *query.binding[variable + 1 :])
        if self.grounder.scores == "full" and not self.grounder.model.config.marks:
            return bound
        return query.binding + bound

    def _evaluate(self, binding: tuple[int, ...]) -> float:
        """The network's value of a goal."""
        return self.grounder.model.predict([self.problem.encoder.encode([self._bind(binding)])])[0]

    def _bind(self, binding: tuple[int, ...]) -> Query:
        return replace(self.merged.query, binding=binding)

    def describe(self, node: _Node) -> Grounding:
        """The grounding of a complete binding, with every choice that led to it."""
        steps: list[Step] = []
        last = node
        while (parent := last.parent) is not None:
            # Nothing was chosen where a variable of a complete binding was opened again.
            if -1 in parent.binding:
                siblings = [last if child.binding == last.binding else child for child in self.children[parent.binding]]
                ranked = tuple(self._choice(parent, child) for child in _arrange(siblings) if child.value < inf)
                chosen = self._choice(parent, last)
                steps.append(Step(chosen.variable, chosen.object, ranked))
            last = parent
        binding = self.task.name_binding(self.merged.extend(node.binding))
        compared = [[choice.value for choice in step.ranked] for step in steps]
        doubt = self.grounder.doubt or find_doubt(compared, self.grounder.farthest)
        return Grounding(
            status="grounded",
            binding=binding,
            predicted_cost=node.value,
            trace=tuple(reversed(steps)),
            route=self.grounder.name,
            message=self.grounder.note,
            doubt=doubt,
        )

    def _choice(self, parent: _Node, child: _Node) -> Choice:
        slot = next(i for i, (a, b) in enumerate(zip(parent.binding, child.binding, strict=True)) if a != b)
        variable = self.task.goal.variables[self.merged.home.index(slot)]
        return Choice(variable.name, self.task.objects[child.binding[slot]], child.value)


def find_doubt(compared: Sequence[Sequence[float]], farthest: float) -> str:
    """Why choices between these costs, the least first, are not to be trusted; empty if nothing speaks against them."""
    if any(costs[0] < NEGATIVE for costs in compared):
        return "a predicted cost is negative"
    if any(costs[0] > farthest for costs in compared):
        return "predicted costs are beyond those of training"
    if any(len(costs) > 1 and costs[0] > LEVEL * farthest and costs[1] - costs[0] < TIED for costs in compared):
        return LEVEL_DOUBT
    return ""
