"""Every route on tasks of many kinds: the plans are valid, the optimal costs are those of an exhaustive search."""

from collections.abc import Callable
from itertools import combinations
from random import Random

import pytest
from tests.planning.pddl_examples import (
    read_blocks,
    read_circuit,
    read_clashing,
    read_household,
    read_logistics,
)

from skolem.planning import end
from skolem.planning.exact import ROUTES, plan_exact
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import Limits
from skolem.planning.successors import Simulator
from skolem.task import alternatives, expansion
from skolem.task.model import Task
from skolem.task.satisfaction import satisfy

LIMITS = Limits(60.0, 4000)

# The reader, the goal, and the cost of a cheapest plan.
CASES: dict[str, tuple[Callable[[str], Task], str, int | None]] = {
    "two red blocks": (read_blocks, "(exists (?x ?y) (and (red ?x) (red ?y) (not (= ?x ?y)) (on ?x ?y)))", 2),
    "interchangeable": (
        read_blocks,
        "(exists (?x ?y) (and (blue ?x) (blue ?y) (not (= ?x ?y)) (clear ?x) (clear ?y)))",
        5,
    ),
    "an object named": (read_blocks, "(and (exists (?x) (and (on ?x d) (blue ?x))) (exists (?x) (on ?x e)))", 8),
    "unreachable": (read_blocks, "(exists (?x ?y) (and (on ?x ?y) (on ?y ?x)))", None),
    "subtypes and a constant": (
        read_logistics,
        """(exists (?p ?q - package ?a - airport)
             (and (fragile ?p) (at ?p ?a) (at ?q ?a) (not (= ?p ?q)) (not (= ?a hub))))""",
        3,
    ),
    "either": (read_logistics, "(exists (?v - (either truck plane) ?p - package) (and (in ?p ?v) (at ?v hub)))", 1),
    "types that exclude each other": (read_logistics, "(exists (?x - airport) (and (at p1 ?x) (= ?x c1)))", None),
    "action costs": (
        read_household,
        "(exists (?c - cup ?r - room) (and (clean ?c) (in ?c ?r) (robot-at ?r) (not (= ?r kitchen))))",
        12,
    ),
    "equal variables": (read_household, "(exists (?c ?d - item) (and (= ?c ?d) (held ?c) (clean ?d)))", 1),
    "no way to a wet floor": (read_household, "(exists (?r - room) (and (robot-at ?r) (wet-floor ?r)))", None),
    "axioms in the domain": (read_circuit, "(exists (?x ?y) (and (lamp ?x) (closed ?x) (closed ?y) (fuse ?y)))", 2),
    "names taken": (read_clashing, "(exists (?v0 ?v1) (and (before ?v0 ?v1) (not (= ?v0 ?v1)) (ended)))", 4),
    "no variables": (read_blocks, "(and (on a e) (clear b))", 2),
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("case", CASES)
def test_plans_are_valid_and_optimal_search_is_optimal(route: str, case: str) -> None:
    reader, goal, cost = CASES[case]
    task = reader(goal)
    assert task.goal.outside is None
    result = plan_exact(task, route, "astar(blind())", LIMITS)
    assert (result.status, result.cost) == (("solved", cost) if cost is not None else ("unsolvable", None))
    assert (result.binding is None) == (cost is None)


@pytest.mark.parametrize("route", ROUTES)
def test_dummies_leave_no_trace(route: str) -> None:
    task = read_blocks("(exists (?x ?y) (and (red ?x) (blue ?y) (on ?x ?y) (ontable ?y)))")
    rewriting = ROUTES[route](task)
    planned = run_planner(rewriting.domain_text, rewriting.problem_text)
    assert planned.plan is not None
    plan = rewriting.restore(planned.plan)
    assert {step.strip("()").split()[0] for step in plan} <= {"pick-up", "put-down", "stack", "unstack"}
    assert planned.cost == len(plan) + rewriting.dummy_cost


def test_dummies_are_free_where_actions_have_costs() -> None:
    assert ROUTES["end"](read_household("(exists (?c - cup) (held ?c))")).dummy_cost == 0
    assert ROUTES["end"](read_household("(exists (?c - cup) (held ?c))", metric=False)).dummy_cost == 1


ANY_FORM: list[tuple[Callable[[str], Task], str, int]] = [
    (read_blocks, "(or (on a e) (exists (?x) (and (blue ?x) (clear ?x) (not (on ?x c)))))", 2),
    (read_blocks, "(forall (?x) (imply (blue ?x) (not (ontable ?x))))", 7),
    (read_blocks, "(exists (?x) (and (red ?x) (not (ontable ?x)) (forall (?y) (not (on ?x ?y)))))", 1),
    (read_logistics, "(forall (?v - (either truck plane)) (exists (?p - package) (in ?p ?v)))", 3),
    (read_circuit, "(exists (?x) (and (lamp ?x) (live ?x)))", 1),
]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("reader", "goal", "cost"), ANY_FORM)
def test_goals_of_any_form(reader: Callable[[str], Task], goal: str, cost: int, route: str) -> None:
    task = reader(goal)
    assert task.goal.outside is not None
    result = plan_exact(task, route, "astar(blind())", LIMITS)
    assert (result.status, result.cost) == ("solved", cost)
    assert (str(task.goal.outside) in result.message) == (route == "dnf")


def test_alternatives_compare_by_the_users_actions_alone() -> None:
    """The second alternative needs fewer actions of the user's and more dummies."""
    tower = "(and (on ?x ?y) (on ?y ?z))"
    goal = f"(or (exists (?x) (and (blue ?x) (clear ?x) (ontable ?x) (on a e))) (exists (?x ?y ?z) {tower}))"
    task = read_blocks(goal)
    costs = {route: plan_exact(task, route, "astar(blind())", LIMITS).cost for route in ROUTES}
    assert set(costs.values()) == {find_optimum(task)}


# More negated atoms than one conjunction has as they are.
MANY_DENIED = {
    "without variables": "(and (exists (?x) (and (blue ?x) (clear ?x))) (forall (?a ?b) (not (on ?a ?b))))",
    "with variables": "(exists (?x) (and (blue ?x) (forall (?a) (and (not (on ?a ?x)) (not (on ?x ?a))))))",
}


@pytest.mark.parametrize("route", [route for route in ROUTES if route != "dnf"])
@pytest.mark.parametrize("case", MANY_DENIED)
@pytest.mark.parametrize("most_steps", [0, 64])
def test_many_negated_atoms(case: str, route: str, most_steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end, "MOST_STEPS", most_steps)
    task = read_blocks(MANY_DENIED[case])
    assert plan_exact(task, route, "astar(blind())", LIMITS).cost == find_optimum(task)


def test_optimal_planners_take_many_negated_atoms_without_axioms() -> None:
    task = read_blocks("(and (exists (?x) (and (blue ?x) (clear ?x))) (forall (?a ?b) (not (on ?a ?b))))")
    result = plan_exact(task, "exact", "seq-opt-lmcut", LIMITS)
    assert (result.status, result.route, result.cost) == ("solved", "end", find_optimum(task))


COUNTS = ["(exists-n 3 (?x) (clear ?x))", "(exists-n 2 (?x ?y) (on ?x ?y))", "(forn (4) (?x) (clear ?x))"]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("goal", COUNTS)
def test_counts_are_exact_in_any_order(goal: str, route: str) -> None:
    task = read_blocks(goal)
    assert plan_exact(task, route, "astar(blind())", LIMITS).cost == find_optimum(task)


def test_optimal_planners_take_disjunctions_without_axioms() -> None:
    task = read_blocks("(exists (?x) (and (red ?x) (clear ?x) (or (on a e) (holding b)) (not (ontable ?x))))")
    result = plan_exact(task, "exact", "seq-opt-lmcut", LIMITS)
    assert (result.status, result.cost) == ("solved", find_optimum(task))


def find_optimum(task: Task) -> int | None:
    """The least number of steps to the goal, by breadth-first search over all states."""
    simulator = Simulator(task)
    layer, seen, steps = [simulator.start], {simulator.start}, 0
    while layer:
        if any(satisfy(task, simulator.read(state)) is not None for state in layer):
            return steps
        successors = [after.state for state in layer for after in simulator.list_successors(state)]
        layer = [state for state in dict.fromkeys(successors) if state not in seen]
        seen.update(layer)
        steps += 1
    return None


def draw_goal(rng: Random) -> str:
    """A random goal about blocks."""
    names = [f"?x{i}" for i in range(rng.randint(2, 4))]
    terms = [*names, rng.choice("abcde")]
    parts = [f"(on {rng.choice(terms)} {rng.choice(terms)})" for _ in range(rng.randint(1, 2))]
    parts += [f"({rng.choice(('clear', 'ontable'))} {rng.choice(terms)})" for _ in range(rng.randint(1, 3))]
    parts += [f"({rng.choice(('red', 'blue'))} {name})" for name in names if rng.random() < 0.7]
    parts += [f"(not (= {v} {w}))" for v, w in combinations(names, 2) if rng.random() < 0.6]
    return f"(exists ({' '.join(names)}) (and {' '.join(parts)}))"


@pytest.mark.parametrize("seed", range(8))
def test_all_routes_agree_with_exhaustive_search(seed: int) -> None:
    task = read_blocks(draw_goal(Random(seed)))
    cost = find_optimum(task)
    for route in ROUTES:
        assert plan_exact(task, route, "astar(blind())", LIMITS).cost == cost, route
    optimal = plan_exact(task, "end", "seq-opt-lmcut", LIMITS)
    assert (optimal.status, optimal.cost) == (("solved", cost) if cost is not None else ("unsolvable", None))


def draw_any_goal(rng: Random, scope: tuple[str, ...] = (), depth: int = 3) -> str:
    """A random goal about blocks, of any form."""
    terms = [*scope, *scope, "a", "b"]
    if depth == 0 or rng.random() < 0.1:
        kind = rng.choice(["on", "on", "clear", "ontable", "holding", "red", "="])
        atom = f"({kind} {' '.join(rng.choice(terms) for _ in range(1 + (kind in ('on', '='))))})"
        return atom if rng.random() < 0.7 else f"(not {atom})"
    kind = rng.choice(["and", "and", "or", "not", "imply", "exists", "exists", "forall", "exists-n 2", "forn 1"])
    if kind in ("and", "or", "not", "imply"):
        parts = {"not": 1, "imply": 2}.get(kind, rng.randint(1, 3))
        return f"({kind} {' '.join(draw_any_goal(rng, scope, depth - 1) for _ in range(parts))})"
    name = f"?x{len(scope)}"
    return f"({kind} ({name}) {draw_any_goal(rng, (*scope, name), depth - 1)})"


@pytest.mark.parametrize("bounds", [None, (1, 2)])
@pytest.mark.parametrize("seed", range(8))
def test_goals_of_any_form_agree_with_exhaustive_search(
    seed: int, bounds: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if bounds is not None:
        monkeypatch.setattr(expansion, "MOST_INSTANCES", bounds[0])
        monkeypatch.setattr(alternatives, "MOST_ALTERNATIVES", bounds[1])
    task = read_blocks(draw_any_goal(Random(seed)))
    cost = find_optimum(task)
    for route in ("bind-axiom", "end", "miniscope"):
        assert plan_exact(task, route, "astar(blind())", LIMITS).cost == cost, route
