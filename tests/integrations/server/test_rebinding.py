"""Asking again: the objects are kept while they are good, else there are others and the reason is said."""

from random import Random

import pytest
from tests.integrations.server.servers import MUGS, read_example

from skolem.integrations.server.rebinding import Held, SessionAnswer, answer_again, hold
from skolem.integrations.server.world import Change, World, change_world, make_task, open_world
from skolem.planning.limits import Clock, Limits
from skolem.planning.successors import Simulator
from skolem.planning.validation import validate
from skolem.request import Request
from skolem.solve import solve

LIMITS = Limits(120.0)


class Robot:
    """A session as a worker has it: a world, the last answer, and what is asked next."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.world: World = open_world(texts["domain"], texts["problem"])[0]
        self.held: Held | None = None

    def ask(self, change: Change | None = None, grounder: str = "auto") -> SessionAnswer:
        """The answer after a change."""
        self.world = change_world(self.world, change or Change())
        task = make_task(self.world)
        request = Request(grounder=grounder, limits=LIMITS)
        answer = answer_again(task, self.world.goal, self.held, request, Clock.begin(LIMITS))
        if answer.solution.plan is not None:
            assert validate(task, answer.solution.plan).valid
        self.held = self.held if not answer.replanned else hold(task, self.world.goal, answer.solution)
        return answer


def test_a_robot_that_does_what_it_planned_keeps_its_mug() -> None:
    robot = Robot(MUGS)
    first = robot.ask()
    assert (first.solution.binding, first.solution.cost) == ({"?m": "mug1"}, 6)
    second = robot.ask(Change(remove=("(robot-at table)",), add=("(robot-at counter)",)))
    assert (second.kept, second.replanned, second.why) == (True, False, "the plan goes on as foreseen")
    assert second.solution.plan == (first.solution.plan or ())[1:]
    assert second.solution.cost == 5


def test_a_robot_that_was_carried_back_goes_on_from_there() -> None:
    robot = Robot(MUGS)
    first = robot.ask()
    robot.ask(Change(remove=("(robot-at table)",), add=("(robot-at counter)",)))
    back = robot.ask(Change(remove=("(robot-at counter)",), add=("(robot-at table)",)))
    assert (back.kept, back.solution.plan) == (True, first.solution.plan)


def test_another_mug_when_it_is_gone() -> None:
    robot = Robot(MUGS)
    robot.ask()
    answer = robot.ask(Change(gone=("mug1",)))
    assert (answer.kept, answer.why) == (False, "mug1 is gone")
    assert answer.solution.binding in ({"?m": "mug2"}, {"?m": "mug3"})


def test_a_cheaper_mug_came() -> None:
    robot = Robot(MUGS)
    robot.ask()
    answer = robot.ask(Change(objects={"mug4": "mug"}, add=("(on mug4 counter)", "(clean mug4)")))
    assert (answer.kept, answer.solution.binding) == (False, {"?m": "mug4"})
    assert answer.why == "something cheaper came: cost 4 instead of 6"


def test_what_does_not_matter_changes_nothing() -> None:
    robot = Robot(MUGS)
    first = robot.ask()
    answer = robot.ask(Change(remove=("(on plate1 table)",), add=("(on plate1 sink)",)))
    assert (answer.kept, answer.replanned, answer.solution.plan) == (True, False, first.solution.plan)
    assert answer.why.startswith("the plan still leads to the goal")


def test_the_goal_is_true_already() -> None:
    robot = Robot(MUGS)
    robot.ask()
    answer = robot.ask(Change(remove=("(on mug1 shelf)",), add=("(on mug1 table)",)))
    assert (answer.kept, answer.solution.cost, answer.why) == (True, 0, "the goal is true already")


def test_another_goal_is_another_question() -> None:
    robot = Robot(MUGS)
    robot.ask()
    answer = robot.ask(Change(goal="(exists (?p - plate) (held ?p))"))
    assert (answer.kept, answer.why) == (False, "the goal is another one")
    assert answer.solution.binding == {"?p": "plate1"}


def test_a_blocked_way_means_another_plan() -> None:
    robot = Robot(MUGS)
    robot.ask()
    answer = robot.ask(Change(remove=("(next-to counter shelf)",)))
    assert not answer.kept
    assert answer.replanned
    assert answer.why == "the plan cannot go on: (go counter shelf): the precondition is not satisfied"


def test_nothing_fits_and_something_fits_again() -> None:
    robot = Robot(MUGS)
    robot.ask()
    answer = robot.ask(Change(gone=("mug1", "mug2", "mug3")))
    assert (answer.solution.status, answer.kept) == ("unsolvable", False)
    answer = robot.ask(Change(objects={"cup": "mug"}, add=("(on cup sink)", "(clean cup)")))
    assert (answer.solution.binding, answer.why) == ({"?m": "cup"}, "the first question about this world")


def test_dirt_on_the_mug_makes_the_plan_fail() -> None:
    robot = Robot(MUGS)
    robot.ask()
    answer = robot.ask(Change(remove=("(clean mug1)",)))
    assert (answer.replanned, answer.why) == (True, "the plan does not lead to the goal any more")
    assert answer.solution.cost == 7


@pytest.mark.parametrize("name", ["blocks/tower", "gripper/rooms"])
def test_as_good_as_a_fresh_answer_after_random_steps(name: str) -> None:
    rng, robot = Random(name), Robot(read_example(name))
    robot.ask()
    for _ in range(4):
        task = make_task(robot.world)
        simulator = Simulator(task)
        before, state = simulator.read(simulator.start), rng.choice([*simulator.list_successors(simulator.start)]).state
        after = simulator.read(state)
        facts = [
            {f"({' '.join((p, *(task.objects[o] for o in row)))})" for p, rows in r.items() for row in rows.tolist()}
            for r in (before, after)
        ]
        answer = robot.ask(Change(remove=tuple(facts[0] - facts[1]), add=tuple(facts[1] - facts[0])))
        fresh = solve(make_task(robot.world), Request(limits=LIMITS), Clock.begin(LIMITS))
        assert answer.solution.cost is not None
        assert fresh.cost is not None
        assert answer.solution.cost <= fresh.cost + 1
