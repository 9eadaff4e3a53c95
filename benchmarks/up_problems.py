"""Fifteen problems of unified-planning with quantified goals: read from PDDL, and built in Python."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from unified_planning.io import PDDLReader
from unified_planning.model import Fluent, FNode, InstantaneousAction, Object, Problem, Variable
from unified_planning.model.metrics import MinimizeActionCosts, MinimizeSequentialPlanLength
from unified_planning.shortcuts import And, BoolType, Equals, Exists, Forall, Implies, Int, IntType, Not, Or, UserType

EXAMPLES = Path(__file__).parents[1] / "examples"

Place, Thing = UserType("place"), UserType("thing")
Cup = UserType("cup", Thing)


def read_example(family: str, name: str) -> Problem:
    """An example of this repository, by unified-planning's own reader."""
    folder = EXAMPLES / family
    return PDDLReader().parse_problem(str(folder / "domain.pddl"), str(folder / f"{name}.pddl"))


class Errands:
    """A robot that carries things between places in a row; some are red, some places are shelves."""

    def __init__(self, name: str, places: int = 4, things: int = 4, hyphenated: bool = True) -> None:
        spell = str if hyphenated else lambda word: word.replace("-", " ").title()
        self.problem = Problem(name)
        self.at_robot = Fluent(spell("at-robot"), BoolType(), place=Place)
        self.at = Fluent(spell("at-place"), BoolType(), thing=Thing, place=Place)
        self.held = Fluent(spell("held"), BoolType(), thing=Thing)
        self.free = Fluent(spell("free-hand"), BoolType())
        self.next = Fluent(spell("next-to"), BoolType(), one=Place, other=Place)
        self.red = Fluent(spell("red-thing"), BoolType(), thing=Thing)
        self.shelf = Fluent(spell("shelf"), BoolType(), place=Place)
        for fluent in (self.at_robot, self.at, self.held, self.free, self.next, self.red, self.shelf):
            self.problem.add_fluent(fluent, default_initial_value=False)
        self.places = [Object(spell(f"place-{i}"), Place) for i in range(places)]
        # Every second one is a cup.
        self.things = [Object(spell(f"thing-{i}"), Cup if i % 2 else Thing) for i in range(things)]
        self.problem.add_objects([*self.places, *self.things])
        self._add_actions(spell)
        for one, other in zip(self.places, self.places[1:], strict=False):
            self.problem.set_initial_value(self.next(one, other), True)
            self.problem.set_initial_value(self.next(other, one), True)
        self.problem.set_initial_value(self.at_robot(self.places[0]), True)
        self.problem.set_initial_value(self.free, True)
        shelves = (self.places[1], self.places[-1])
        floor = [place for place in self.places if place not in shelves]
        for shelf in shelves:
            self.problem.set_initial_value(self.shelf(shelf), True)
        for number, thing in enumerate(self.things):
            self.problem.set_initial_value(self.at(thing, floor[number % len(floor)]), True)
            self.problem.set_initial_value(self.red(thing), number >= things // 2)

    def _add_actions(self, spell: Callable[[str], str]) -> None:
        self.move = InstantaneousAction(spell("move-to"), start=Place, goal=Place)
        start, goal = self.move.parameter("start"), self.move.parameter("goal")
        self.move.add_precondition(self.at_robot(start))
        self.move.add_precondition(self.next(start, goal))
        self.move.add_effect(self.at_robot(start), False)
        self.move.add_effect(self.at_robot(goal), True)
        self.take = InstantaneousAction(spell("take"), thing=Thing, place=Place)
        self.put = InstantaneousAction(spell("put"), thing=Thing, place=Place)
        for action, taking in ((self.take, True), (self.put, False)):
            thing, place = action.parameter("thing"), action.parameter("place")
            action.add_precondition(self.at_robot(place))
            action.add_precondition(self.free if taking else self.held(thing))
            if taking:
                action.add_precondition(self.at(thing, place))
            action.add_effect(self.at(thing, place), not taking)
            action.add_effect(self.held(thing), taking)
            action.add_effect(self.free, not taking)
        self.problem.add_actions([self.move, self.take, self.put])

    def aim(self, goal: FNode) -> Problem:
        """The problem with a goal."""
        self.problem.add_goal(goal)
        return self.problem


X, Y, C = Variable("x", Thing), Variable("y", Thing), Variable("c", Cup)
P, Q = Variable("p", Place), Variable("q", Place)


def build_typed() -> Problem:
    """A cup on a shelf: only half of the things are cups."""
    world = Errands("typed")
    return world.aim(Exists(And(world.at(C, P), world.shelf(P)), C, P))


def build_costs() -> Problem:
    """Moving is dear, so that the nearest red thing and shelf are wanted."""
    world = Errands("costs", 6, 6)
    costs = {world.move: Int(5), world.take: Int(1), world.put: Int(1)}
    world.problem.add_quality_metric(MinimizeActionCosts(costs))
    return world.aim(Exists(And(world.red(X), world.at(X, P), world.shelf(P)), X, P))


def build_distances() -> Problem:
    """Costs that static fluents give."""
    world = Errands("distances", 5, 5)
    far = Fluent("far", IntType(), one=Place, other=Place)
    world.problem.add_fluent(far, default_initial_value=1)
    for number, (one, other) in enumerate(zip(world.places, world.places[1:], strict=False)):
        world.problem.set_initial_value(far(one, other), 1 + 3 * number)
    start, goal = world.move.parameter("start"), world.move.parameter("goal")
    costs = {world.move: far(start, goal), world.take: Int(0), world.put: Int(0)}
    world.problem.add_quality_metric(MinimizeActionCosts(costs))
    return world.aim(Exists(And(world.red(X), world.at(X, P), world.shelf(P)), X, P))


def build_length() -> Problem:
    """The shortest plan is asked for."""
    world = Errands("length")
    world.problem.add_quality_metric(MinimizeSequentialPlanLength())
    return world.aim(Exists(And(world.held(X), world.red(X)), X))


def build_nested() -> Problem:
    """Quantifiers below one another, one with a constant."""
    world = Errands("nested")
    inner = Exists(And(world.at(X, P), world.red(X)), X)
    return world.aim(Exists(And(world.shelf(P), inner, world.at_robot(P)), P))


def build_shared() -> Problem:
    """Two quantifiers that share a variable, which may stand for two things."""
    world = Errands("shared")
    first = Exists(And(world.red(X), world.at(X, world.places[0])), X)
    return world.aim(And(first, Exists(And(world.at(X, world.places[1]), Not(world.red(X))), X)))


def build_forall() -> Problem:
    """All red things on one shelf, and the robot free."""
    world = Errands("forall", 3, 4)
    every = Forall(Implies(world.red(X), world.at(X, P)), X)
    return world.aim(Exists(And(world.shelf(P), every, world.free), P))


def build_different() -> Problem:
    """Two different red things on the same shelf."""
    world = Errands("different", 4, 6)
    both = And(world.red(X), world.red(Y), Not(Equals(X, Y)), world.at(X, P), world.at(Y, P), world.shelf(P))
    return world.aim(Exists(both, X, Y, P))


def build_either() -> Problem:
    """One of two wishes."""
    world = Errands("either")
    cup = Exists(And(world.held(C), world.red(C)), C)
    return world.aim(Or(cup, Exists(And(world.at(X, P), world.shelf(P), world.red(X)), X, P)))


def build_spaces() -> Problem:
    """Names that PDDL cannot write: spaces and capitals."""
    world = Errands("Errands With Names", hyphenated=False)
    thing, place = Variable("Some Thing", Thing), Variable("Some Place", Place)
    return world.aim(Exists(And(world.red(thing), world.at(thing, place), world.shelf(place)), thing, place))


def build_without_objects() -> Problem:
    """Nothing fits the description: no place is beside itself."""
    world = Errands("without-objects")
    return world.aim(Exists(And(world.shelf(P), world.next(P, P), world.at_robot(P)), P))


def build_unreachable() -> Problem:
    """Objects fit, but the robot has one hand."""
    world = Errands("unreachable", 3, 4)
    return world.aim(Exists(And(world.held(X), world.held(Y), Not(Equals(X, Y))), X, Y))


def build_wide(variables: int) -> Problem:
    """As many different red things as there are variables, each on a shelf: twenty things, ten of them red."""
    world = Errands(f"wide-{variables}", 5, 20)
    own = [Variable(f"x{i}", Thing) for i in range(variables)]
    apart = [Not(Equals(one, other)) for i, one in enumerate(own) for other in own[:i]]
    placed = [And(world.red(x), Exists(And(world.at(x, P), world.shelf(P)), P)) for x in own]
    return world.aim(Exists(And(placed + apart), *own))


PROBLEMS: Mapping[str, Callable[[], Problem]] = {
    "tower": lambda: read_example("blocks", "tower"),
    "rooms": lambda: read_example("gripper", "rooms"),
    "tour": lambda: read_example("visitall", "tour"),
    "typed": build_typed,
    "costs": build_costs,
    "distances": build_distances,
    "length": build_length,
    "nested": build_nested,
    "shared": build_shared,
    "forall": build_forall,
    "different": build_different,
    "either": build_either,
    "spaces": build_spaces,
    "without-objects": build_without_objects,
    "unreachable": build_unreachable,
}
WIDE: Mapping[str, Callable[[], Problem]] = {f"wide-{n}": partial(build_wide, n) for n in range(1, 5)}
UNSOLVABLE = ("without-objects", "unreachable")
