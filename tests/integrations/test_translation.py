"""What a goal means is the same in unified-planning and in the task that its problem becomes."""

from typing import Any

from benchmarks.up_problems import C, Cup, Errands, P, Place, Q, Thing, X, Y
from hypothesis import given, settings
from hypothesis import strategies as st
from unified_planning.shortcuts import And, Equals, Exists, Forall, Iff, Implies, Not, Or, SequentialSimulator

from skolem.integrations.unified_planning.translation import translate
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.satisfaction import satisfy

VARIABLES = (X, Y, C, P, Q)


@st.composite
def draw_goal(draw: st.DrawFn) -> tuple[Errands, Any]:
    """A world, and any goal about it without free variables."""
    world = Errands("random", draw(st.integers(3, 4)), draw(st.integers(1, 4)))

    def pick(kinds: tuple[Any, ...], bound: tuple[Any, ...]) -> Any:
        objects = [obj for obj in (*world.places, *world.things) if obj.type in kinds]
        return draw(st.sampled_from([v for v in bound if v.type in kinds] + objects))

    def draw_atom(bound: tuple[Any, ...]) -> Any:
        thing, place = pick((Thing, Cup), bound), pick((Place,), bound)
        atoms = [
            world.at(thing, place),
            world.red(thing),
            world.shelf(place),
            world.at_robot(place),
            world.next(place, pick((Place,), bound)),
            Equals(thing, pick((Thing, Cup), bound)),
            world.free(),
        ]
        return draw(st.sampled_from(atoms))

    def draw_formula(depth: int, bound: tuple[Any, ...]) -> Any:
        kind = draw(st.sampled_from(["atom", "and", "or", "not", "imply", "iff", "exists", "forall", "exists"]))
        if depth == 0 or kind == "atom":
            return draw_atom(bound)
        if kind in ("exists", "forall"):
            own = tuple(draw(st.lists(st.sampled_from(VARIABLES), min_size=1, max_size=2, unique=True)))
            body = draw_formula(depth - 1, (*(v for v in bound if v not in own), *own))
            return (Exists if kind == "exists" else Forall)(body, *own)
        left = draw_formula(depth - 1, bound)
        if kind == "not":
            return Not(left)
        right = draw_formula(depth - 1, bound)
        return {"and": And, "or": Or, "imply": Implies, "iff": Iff}[kind](left, right)

    return world, draw_formula(3, ())


@settings(max_examples=60, deadline=None)
@given(draw_goal())
def test_a_goal_is_true_in_both_or_in_neither(drawn: tuple[Errands, Any]) -> None:
    world, goal = drawn
    problem = world.aim(goal)
    translation = translate(problem)
    task = translation.task
    with SequentialSimulator(problem) as simulator:
        expected = simulator.is_goal(simulator.get_initial_state())
    assert (satisfy(task, task.init) is not None) == expected
    # And back again: the alternatives together say what the goal said.
    parts = [translation.read_formula(alternative.goal.formula) for alternative in list_alternatives(task)]
    problem.clear_goals()
    problem.add_goal(Or(parts) if parts else problem.environment.expression_manager.FALSE())
    with SequentialSimulator(problem) as simulator:
        assert simulator.is_goal(simulator.get_initial_state()) == expected
