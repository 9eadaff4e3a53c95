"""The pipeline: which route answers, what happens when one fails, and what the user is told."""

import json
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest
from tests.planning.pddl_examples import read_household

from skolem import grounders, rival
from skolem import solve as pipeline
from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import generate_problem
from skolem.grounders import BEAM_WIDTH, MANY_OBJECTS, MANY_VARIABLES, make_grounder
from skolem.grounding import policy
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import MODELS, Model
from skolem.grounding.protocol import Grounding
from skolem.pddl.reading import read_task, read_task_text
from skolem.pddl.writing import format_formula
from skolem.planning import exact as exact_routes
from skolem.planning.exact import RouteResult
from skolem.planning.fast_downward import PlannerResult, run_planner
from skolem.planning.limits import Clock, Limits, leave_reserve
from skolem.planning.rewriting import Rewriting
from skolem.planning.translator_pool import keep_translator
from skolem.planning.validation import validate
from skolem.request import Effort, Request
from skolem.solve import ground, solve
from skolem.support.errors import ExitCode, InputError, LimitError, UnsupportedError
from skolem.task.model import Source, Task

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(autouse=True)
def one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """One route after the other, unless a test says otherwise: another test may have left a translator at hand."""
    monkeypatch.setattr(rival, "count_processors", lambda: 1)


def read_tower(goal: str = "") -> Task:
    task = read_task(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl")
    if not goal:
        return task
    start, end = task.goal_span
    return read_task_text(task.domain.source, Source("p", task.source.text[:start] + goal + task.source.text[end:]))


def test_a_goal_that_is_true_needs_no_plan() -> None:
    solution = solve(read_tower("(:goal (exists (?x ?y) (and (blue ?x) (on ?x ?y))))"), Request())
    assert (solution.status, solution.plan, solution.cost, solution.route) == ("solved", (), 0, "initial-state")


@pytest.mark.parametrize("grounder", ["auto", "exact", "end"])
def test_what_no_action_can_make_true_is_named(grounder: str) -> None:
    task = read_household("(exists (?r - room ?c - cup) (and (robot-at ?r) (wet-floor ?r) (clean ?c)))")
    solution = solve(task, Request(grounder=grounder))
    assert solution.status == "unsolvable"
    assert "no action can make (robot-at ?r) true" in solution.message


def test_a_goal_without_candidates_is_proven_unsolvable() -> None:
    solution = solve(read_tower("(:goal (exists (?x) (and (green ?x) (clear ?x))))"), Request())
    assert (solution.status, solution.exit_code) == ("unsolvable", ExitCode.UNSOLVABLE)


def test_a_shipped_model_answers_first() -> None:
    solution = solve(read_tower(), Request())
    assert (solution.status, solution.route, solution.valid) == ("solved", "learned", True)


def test_a_fixed_order_lets_a_second_network_rate() -> None:
    task = read_task(EXAMPLES / "visitall" / "domain.pddl", next((EXAMPLES / "visitall").glob("[!d]*.pddl")))
    quick, thorough = (make_grounder(task, Request("learned", order=order)) for order in ("fixed", None))
    assert isinstance(quick, LearnedGrounder)
    assert isinstance(thorough, LearnedGrounder)
    assert (quick.scores, quick.rater is None) == ("both", False)
    assert (thorough.scores, thorough.rater) == ("full", None)
    assert quick.ground(task).binding == thorough.ground(task).binding


def test_a_goal_that_no_model_knows_goes_to_the_exact_route_with_a_word_why() -> None:
    solution = solve(read_tower("(:goal (exists (?x) (and (blue ?x) (ontable ?x))))"), Request())
    assert solution.status == "solved"
    assert solution.route != "learned"
    assert "never trained on goals with ontable" in solution.message


def test_a_negated_atom_does_not_send_the_goal_to_the_planner_as_it_is() -> None:
    solution = solve(read_tower("(:goal (exists (?x) (and (blue ?x) (not (clear ?x)) (ontable ?x))))"), Request())
    assert (solution.status, solution.route) == ("solved", "miniscope")


BLOCKS = "(blue ?x1) (red ?x2) (blue ?x3) (red ?x4) (red ?x5)"
TOWER = f"{BLOCKS} (on ?x1 ?x2) (on ?x2 ?x3) (on ?x3 ?x4) (on ?x4 ?x5)"


def describe_tower(more: str = "") -> str:
    return f"(exists (?x1 ?x2 ?x3 ?x4 ?x5) (and {TOWER} {more}))"


@pytest.mark.parametrize("grounder", ["auto", "learned", "beam"])
@pytest.mark.parametrize(
    "goal",
    [
        describe_tower("(not (holding ?x1))"),
        describe_tower("(not (on ?x5 b))"),
        f"(and {describe_tower()} (forall (?b) (not (holding ?b))))",
        f"(and {describe_tower()} (forall (?b) (imply (blue ?b) (not (holding ?b)))))",
        f"(or {describe_tower()} {describe_tower('(not (clear ?x1))')})",
    ],
)
def test_a_conjunct_beside_a_description_costs_nothing(goal: str, grounder: str) -> None:
    task = read_tower(f"(:goal {goal})")
    solution = solve(task, Request(grounder))
    assert (solution.status, solution.cost, solution.residual) == ("solved", 9, None)
    assert solution.route in ("learned", "learned+lama", "beam")
    assert validate(task, solution.plan or ()).valid
    assert [*(solution.binding or {})] == [f"?x{i}" for i in range(1, 6)]


def test_many_negated_atoms_do_not_explode_in_the_planner() -> None:
    example = read_instance(generate_problem("gripper", "lama", 1, 0))
    start, end = example.goal_span
    goal = f"(:goal (and {format_formula(example.goal.formula)} (forall (?b ?g) (not (carry ?b ?g)))))"
    text = example.source.text[:start] + goal + example.source.text[end:]
    solution = solve(read_task_text(example.domain.source, Source("p", text)), Request(limits=Limits(60.0, 4000)))
    assert (solution.status, solution.route, solution.cost) == ("solved", "learned", solve(example, Request()).cost)


def test_the_alternative_with_the_cheapest_binding_comes_first() -> None:
    simple = "(exists (?p ?q) (and (red ?p) (blue ?q) (on ?p ?q) (not (on ?q h)) (not (clear g))))"
    for goal in (f"(or {simple} {describe_tower()})", f"(or {describe_tower()} {simple})"):
        solution = solve(read_tower(f"(:goal {goal})"), Request("learned"))
        assert (solution.status, solution.cost) == ("solved", 1)
        assert set(solution.binding or {}) == {"?p", "?q"}


def test_literals_that_no_model_knows_are_left_to_the_planner() -> None:
    task = read_tower("(:goal (exists (?x ?y) (and (blue ?x) (blue ?y) (on ?x ?y) (not (= ?x e)) (clear ?x))))")
    for request in (Request(), Request("learned"), Request(model=MODELS / "blocks")):
        solution = solve(task, request)
        assert (solution.status, solution.residual, solution.valid) == ("solved", "(clear ?x)", True)
        why = "the model blocks was never trained on goals with clear"
        assert solution.message == f"partly left to the planner: {why}"


@pytest.mark.parametrize("planner", ["lama-first", "seq-opt-lmcut"])
def test_variables_that_no_model_knows_stay_quantified(planner: str) -> None:
    table = "(exists (?z) (and (blue ?z) (ontable ?z)))"
    task = read_tower(f"(:goal (and (exists (?x ?y) (and (red ?x) (red ?y) (on ?x ?y))) {table}))")
    solution = solve(task, Request("learned", planner))
    assert (solution.status, solution.residual, solution.valid) == ("solved", table, True)
    assert set(solution.binding or {}) == {"?x", "?y"}
    assert validate(task, solution.plan or ()).cost == solution.cost


def test_more_variables_than_models_are_trusted_with_take_the_exact_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounders, "MOST_VARIABLES", 4)
    for request in (Request(), Request(model=MODELS / "blocks")):
        solution = solve(read_tower(), request)
        assert (solution.status, solution.route) == ("solved", "miniscope")
        assert solution.message == "exact route: 5 variables are to be bound, and models are trusted with 4"
    assert solve(read_tower(), Request("learned")).route == "learned"


def test_a_policy_must_know_all_of_the_goal() -> None:
    task = read_tower("(:goal (exists (?x ?y) (and (red ?x) (red ?y) (on ?x ?y) (clear ?x))))")
    with pytest.raises(UnsupportedError, match="must know all of the goal"):
        solve(task, Request("learned", "policy"))
    solution = solve(read_tower(f"(:goal {describe_tower('(not (holding ?x1))')})"), Request("learned", "policy"))
    assert (solution.status, solution.route) == ("solved", "learned+policy")


@pytest.mark.parametrize("grounder", ["auto", "learned"])
def test_alternatives_that_are_all_impossible_are_proven_unsolvable(grounder: str) -> None:
    green = "(exists (?x ?y) (and (green ?x) (on ?x ?y) (not (clear ?x))))"
    contradiction = "(exists (?x ?y) (and (on ?x ?y) (not (on ?x ?y))))"
    for goal in (contradiction, f"(or {green} {contradiction})", f"(and {green} (forall (?b) (not (holding ?b))))"):
        solution = solve(read_tower(f"(:goal {goal})"), Request(grounder))
        assert (solution.status, solution.exit_code) == ("unsolvable", ExitCode.UNSOLVABLE)


def test_a_binding_without_a_plan_proves_nothing_about_the_others() -> None:
    task = read_tower("(:goal (exists (?x ?y) (and (red ?x) (blue ?y) (on ?x ?y) (ontable ?x))))")
    assert solve(task, Request("learned")).exit_code == ExitCode.UNSOLVED_INCOMPLETE
    assert solve(task, Request()).exit_code == ExitCode.UNSOLVABLE


@pytest.mark.parametrize("damage", ["delete", "truncate"])
def test_a_damaged_model_is_told_and_the_exact_route_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    shutil.copytree(MODELS / "blocks", tmp_path / "blocks")
    weights = tmp_path / "blocks" / "model.safetensors"
    if damage == "delete":
        weights.unlink()
    else:
        weights.write_bytes(weights.read_bytes()[:500])
    monkeypatch.setattr(grounders, "list_folders", lambda paper: (tmp_path,))
    solution = solve(read_tower(), Request())
    assert (solution.status, solution.valid) == ("solved", True)
    assert "model.safetensors" in solution.message


class Stubborn:
    """A grounder that puts blocks on themselves, which is statically valid."""

    name = "stubborn"
    predicts = False
    doubt = ""
    model = None

    def ground(self, task: Task) -> Grounding:
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        for block in "abdf":
            yield Grounding("grounded", {"?x": block, "?y": block}, 1.0, (), self.name)


def test_unreachable_bindings_are_followed_by_the_exact_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "make_grounder", lambda task, request: Stubborn())
    task = read_tower("(:goal (exists (?x ?y) (and (red ?x) (red ?y) (on ?x ?y))))")
    bound = solve(task, Request("learned"))
    assert (bound.status, bound.exit_code) == ("unsolved", ExitCode.UNSOLVED_INCOMPLETE)
    solution = solve(task, Request(limits=Limits(60.0, 4000)))
    assert (solution.status, solution.valid) == ("solved", True)
    assert solution.route not in ("learned", "stubborn")
    assert solution.message == "3 learned bindings gave no plan"


def test_a_plan_that_costs_more_than_predicted_is_improved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "run_planner", find_detour_first)
    solution = solve(read_tower(), Request())
    assert (solution.route, solution.cost, solution.valid) == ("learned+lama", 9, True)
    assert validate(read_tower(), solution.plan or ()).valid
    by_planner = solve(read_tower(), Request(grounder="learned"))
    assert (by_planner.route, by_planner.cost) == ("learned", 13)


def test_a_plan_far_above_the_prediction_is_compared_with_the_exact_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "run_planner", never_improve)
    monkeypatch.setattr(rival, "find_spare", lambda *given: Limits(20.0))
    solution = solve(read_tower(), Request())
    assert solution.cost is not None
    assert solution.cost < 13
    assert solution.message == "cheaper than the plan of cost 13 for the learned binding"


class Doubtful(Stubborn):
    """A grounder that says itself that its prediction is not to be trusted."""

    predicts = True

    def groundings(self, task: Task) -> Iterator[Grounding]:
        yield Grounding("grounded", {"?x": "b", "?y": "d"}, 1_000.0, (), self.name, doubt="both are far away")


@pytest.mark.parametrize(("effort", "route"), [("default", "exact"), ("fast", "stubborn")])
def test_a_doubtful_binding_is_compared_with_the_exact_route(
    effort: Effort, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = RouteResult("solved", (), 1, {}, "exact", ExitCode.SUCCESS, 0.1, "")
    monkeypatch.setattr(pipeline, "make_grounder", lambda task, request: Doubtful())
    monkeypatch.setattr(rival, "plan_exact", lambda *given: exact)
    task = read_tower(
        "(:goal (exists (?x ?y) (and (red ?x) (red ?y) (clear ?x) (clear ?y) (ontable ?x) (ontable ?y))))"
    )
    assert solve(task, Request(effort=effort)).route == route


def test_a_goal_with_many_variables_is_compared_with_the_exact_route(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = RouteResult("solved", (), 1, {}, "exact", ExitCode.SUCCESS, 0.1, "")
    monkeypatch.setattr(rival, "plan_exact", lambda *given: exact)
    few, many = (
        read_tower(f"(:goal (exists ({' '.join(names)}) (and {' '.join(f'(on {v} a)' for v in names)})))")
        for names in (["?x"], [f"?x{i}" for i in range(7)])
    )
    assert [solve(task, Request()).route for task in (few, many)] == ["learned", "exact"]
    assert solve(many, Request(effort="fast")).route == "learned"


def test_a_task_far_larger_than_those_of_training_is_compared_with_the_exact_route(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = RouteResult("solved", (), 1, {}, "exact", ExitCode.SUCCESS, 0.1, "")
    monkeypatch.setattr(rival, "plan_exact", lambda *given: exact)
    task = read_tower("(:goal (exists (?x) (on ?x a)))")
    monkeypatch.setattr(Model, "is_exceeded", lambda model, task: True)
    assert solve(task, Request()).route == "exact"
    assert solve(task, Request(effort="fast")).route == "learned"
    grounding = make_grounder(task, Request()).ground(task)
    assert grounding.doubt == MANY_OBJECTS
    beam, greedy = (make_grounder(task, Request("learned", revise=revise)) for revise in (True, False))
    assert isinstance(beam, LearnedGrounder)
    assert isinstance(greedy, LearnedGrounder)
    assert (beam.width, greedy.width) == (BEAM_WIDTH, 1)
    assert "3 times the objects of training" in grounding.doubt


class Backwards(Stubborn):
    """A grounder whose second binding is the better one, and that knows that it may err."""

    predicts = True

    def groundings(self, task: Task) -> Iterator[Grounding]:
        found = list(islice(make_grounder(task, Request("learned")).groundings(task), 10))
        dear = max(found, key=lambda grounding: grounding.predicted_cost or 0.0)
        return (replace(grounding, doubt=MANY_VARIABLES) for grounding in (dear, found[0]))


def test_with_many_variables_two_bindings_are_compared_by_their_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_tower()
    dear, cheap = Backwards().groundings(task)
    monkeypatch.setattr(Backwards, "groundings", lambda grounder, task: iter([dear, cheap]))
    monkeypatch.setattr(pipeline, "make_grounder", lambda task, request: Backwards())
    unsolved = RouteResult("unsolved", None, None, None, "exact", ExitCode(12), 0.1, "")
    monkeypatch.setattr(rival, "plan_exact", lambda *given: unsolved)
    assert solve(task, Request(effort="fast")).binding == dear.binding
    assert solve(task, Request()).binding == cheap.binding


@pytest.fixture
def translator() -> Iterator[None]:
    """A translator at hand, so that one planner can work beside another."""
    with keep_translator():
        yield


@pytest.mark.usefixtures("translator")
def test_the_exact_route_works_beside_the_learned_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival, "count_processors", lambda: 2)
    monkeypatch.setattr(rival, "LEAST_SECONDS", 20.0)
    # It is not asked afterwards: it has been at work all the time.
    monkeypatch.setattr(rival, "plan_exact", lambda *given: pytest.fail("asked afterwards"))
    assert solve(read_tower(), Request()).route == "learned"
    monkeypatch.setattr(pipeline, "run_planner", never_improve)
    solution = solve(read_tower(), Request(limits=Limits(60.0)))
    assert (solution.route, solution.cost, solution.valid) == ("miniscope", 9, True)
    assert solution.message == "cheaper than the plan of cost 13 for the learned binding"
    assert validate(read_tower(), solution.plan or ()).valid


@pytest.mark.usefixtures("translator")
def test_the_exact_route_that_ran_out_of_its_share_of_memory_is_asked_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = RouteResult("solved", ("(stack a b)",), 1, {}, "exact", ExitCode.SUCCESS, 0.1, "")
    monkeypatch.setattr(rival, "count_processors", lambda: 2)
    monkeypatch.setattr(rival, "LEAST_SECONDS", 20.0)
    monkeypatch.setattr(rival, "RIVAL_MEMORY", 0.001)
    monkeypatch.setattr(rival, "plan_exact", lambda *given: exact)
    monkeypatch.setattr(pipeline, "run_planner", never_improve)
    assert solve(read_tower(), Request(limits=Limits(60.0, 4000))).route == "exact"


@pytest.mark.usefixtures("translator")
def test_what_the_exact_route_cannot_take_is_no_harm_beside_the_learned_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(task: Task) -> Rewriting:
        raise UnsupportedError("too large to be written out")

    monkeypatch.setattr(rival, "count_processors", lambda: 2)
    monkeypatch.setattr(exact_routes, "ROUTES", dict.fromkeys(exact_routes.ROUTES, refuse))
    solution = solve(read_tower(), Request())
    assert (solution.route, solution.cost) == ("learned", 9)


class Unreachable(Stubborn):
    """A grounder for four variables that puts blocks on themselves, and expects much of it."""

    predicts = True

    def groundings(self, task: Task) -> Iterator[Grounding]:
        for block in "abdf":
            yield Grounding("grounded", {v.name: block for v in task.goal.variables}, 50.0, (), self.name)


@pytest.mark.usefixtures("translator")
@pytest.mark.parametrize("processors", [1, 2])
def test_a_plan_of_the_exact_route_is_taken_where_no_binding_has_one(
    processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rival, "count_processors", lambda: processors)
    monkeypatch.setattr(pipeline, "make_grounder", lambda task, request: Unreachable())
    task = read_tower(
        "(:goal (exists (?x ?y ?z ?u) (and (red ?x) (blue ?y) (on ?x ?y) (on ?y ?z) (red ?z) (on ?z ?u))))"
    )
    solution = solve(task, Request(limits=Limits(60.0, 4000)))
    assert (solution.status, solution.valid) == ("solved", True)
    assert "learned bindings gave no plan" in solution.message


@pytest.mark.usefixtures("translator")
def test_a_binding_without_a_plan_is_given_up_for_one_of_the_exact_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival, "count_processors", lambda: 2)
    asked = list[float | None]()

    def wait_to_be_stopped(domain: str, problem: str, planner: str, given: Limits, stop: Stop = None) -> PlannerResult:
        end = time.monotonic() + 60
        while stop is not None and not stop(None) and time.monotonic() < end:
            time.sleep(0.01)
        asked.append(given.memory_mb)
        return PlannerResult("unsolved", None, None, ExitCode.SEARCH_OUT_OF_MEMORY, 1.0, "")

    monkeypatch.setattr(pipeline, "run_planner", wait_to_be_stopped)
    solution = solve(read_tower(), Request(limits=Limits(120.0, 400_000_000)))
    assert (solution.route, solution.cost) == ("miniscope", 9)
    # Both together have no more memory than is allowed, and no other binding is tried.
    assert asked == [300_000_000]


def test_a_plan_is_not_compared_where_no_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "run_planner", never_improve)
    monkeypatch.setattr(rival, "find_spare", lambda *given: None)
    assert solve(read_tower(), Request()).cost == 13


def read_costly_tower() -> Task:
    """A tower in a world in which every action costs ten."""
    task = read_tower()
    domain = task.domain.source.text.replace(":strips", ":strips :action-costs")
    domain = domain.replace(":effect (and", ":effect (and (increase (total-cost) 10)")
    domain = domain.replace("(:predicates", "(:functions (total-cost) - number) (:predicates")
    problem = task.source.text.rstrip().removesuffix(")") + "(:metric minimize (total-cost)))"
    return read_task_text(replace(task.domain.source, text=domain), replace(task.source, text=problem))


@pytest.mark.parametrize("metric", [False, True])
def test_a_plan_is_compared_with_predictions_of_its_own_kind(
    metric: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(MODELS / "blocks", tmp_path / "blocks")
    card = json.loads((tmp_path / "blocks" / "config.json").read_text())
    (tmp_path / "blocks" / "config.json").write_text(json.dumps({**card, "metric": metric}))
    exact = RouteResult("solved", (), 1, {}, "exact", ExitCode.SUCCESS, 0.1, "")
    monkeypatch.setattr(rival, "plan_exact", lambda *given: exact)
    # The prediction of about nine is of actions that cost one: far from 90, if it is one of costs.
    solution = solve(read_costly_tower(), Request(model=tmp_path / "blocks", limits=Limits(30.0, 4000)))
    assert (solution.route, solution.cost) == (("exact", 1) if metric else ("learned", 90))
    steps = make_grounder(read_tower(), Request(model=tmp_path / "blocks"))
    assert steps.predicts is not metric


def test_a_planner_asked_for_by_name_is_taken_at_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "run_planner", never_improve)
    solution = solve(read_tower(), Request(planner="eager_greedy([ff()])"))
    assert (solution.route, solution.cost) == ("learned", 13)


class Optimist:
    """A grounder whose first binding is a good one, of which it expects too much."""

    name = "optimist"
    predicts = True
    doubt = ""
    model = None

    def ground(self, task: Task) -> Grounding:
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        yield Grounding("grounded", solve(task, Request("exact")).binding, 1.0, (), self.name)


@pytest.mark.parametrize(
    ("effort", "learned", "exact"),
    [("fast", ["lama-first"], []), ("default", ["lama"], ["lama"]), ("best", ["lama"], ["lama"])],
)
def test_the_effort_says_what_is_done_for_a_cheap_plan(
    effort: Effort, learned: list[str], exact: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    planners = defaultdict[ModuleType, list[str]](list)

    def note(place: ModuleType) -> Callable[..., PlannerResult]:
        def run(domain: str, problem: str, planner: str, given: Limits, stop: Stop = None) -> PlannerResult:
            planners[place].append(planner)
            return run_planner(domain, problem, "seq-opt-lmcut" if place is pipeline else "lama-first", given)

        return run

    task = read_tower()
    binding = Optimist().ground(task)
    monkeypatch.setattr(Optimist, "groundings", lambda grounder, task: iter([binding]))
    monkeypatch.setattr(pipeline, "make_grounder", lambda task, request: Optimist())
    monkeypatch.setattr(rival, "find_spare", lambda *given: Limits(20.0))
    for place in (pipeline, exact_routes):
        monkeypatch.setattr(place, "run_planner", note(place))
    assert solve(task, Request(effort=effort)).cost == 9
    assert (planners[pipeline], planners[exact_routes]) == (learned, exact)


def test_the_best_plan_is_looked_for_until_nothing_cheaper_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "BEST_SECONDS", 0.2)
    solution = solve(read_tower(), Request("exact", effort="best"))
    assert (solution.status, solution.cost) == ("solved", 9)


Stop = Callable[[float | None], bool] | None


def find_detour_first(domain: str, problem: str, planner: str, given: Limits, stop: Stop = None) -> PlannerResult:
    """An optimal plan, found after one in which the last block is taken up and put back twice."""
    detour = never_improve(domain, problem, planner, given)
    if stop is None or stop(detour.cost or 0):
        return detour
    return replace(run_planner(domain, problem, "seq-opt-lmcut", given), first_cost=detour.cost)


def never_improve(domain: str, problem: str, planner: str, given: Limits, stop: Stop = None) -> PlannerResult:
    """An optimal plan, after which the last block is taken up and put back twice."""
    result = run_planner(domain, problem, "seq-opt-lmcut", given)
    plan = result.plan or ()
    _, block, below = plan[-1].strip("()").split()
    steps = (*plan, *(f"(unstack {block} {below})", f"(stack {block} {below})") * 2)
    return replace(result, plan=steps, cost=len(steps), first_cost=len(steps))


def test_a_policy_acts_without_a_planner() -> None:
    solution = solve(read_tower(), Request("learned", "policy"))
    assert (solution.status, solution.route, solution.valid) == ("solved", "learned+policy", True)


def test_a_policy_that_fails_is_followed_by_the_exact_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "STEPS_PER_COST", 0)
    monkeypatch.setattr(policy, "SPARE_STEPS", 1)
    bound = solve(read_tower(), Request("learned", "policy"))
    assert (bound.status, bound.message) == ("unsolved", "the policy did not reach the goal in 1 steps")
    solution = solve(read_tower(), Request("auto", "policy"))
    assert (solution.status, solution.valid) == ("solved", True)
    assert solution.message.endswith("the policy did not reach the goal in 1 steps; exact route with lama-first")


def test_a_policy_without_a_model_goes_to_the_exact_route_with_a_word_why() -> None:
    task = read_tower("(:goal (exists (?x) (and (blue ?x) (ontable ?x))))")
    solution = solve(task, Request("auto", "policy"))
    assert solution.message.startswith("exact route with lama-first: the model blocks was never trained")
    with pytest.raises(UnsupportedError, match="never trained"):
        solve(task, Request("learned", "policy"))


@pytest.mark.parametrize("grounder", ["exact", "random-valid"])
def test_a_policy_needs_a_grounder_with_a_model(grounder: str) -> None:
    with pytest.raises(UnsupportedError, match=f"must be auto, learned or beam, not {grounder}"):
        solve(read_tower(), Request(grounder, "policy"))


def test_an_optimal_planner_plans_for_the_whole_goal() -> None:
    solution = solve(read_tower(), Request(planner="seq-opt-lmcut"))
    assert (solution.cost, solution.route) == (9, "end")


def test_an_anytime_planner_keeps_the_cheapest_plan_of_several_bindings() -> None:
    solution = solve(read_tower(), Request(planner="lama", limits=Limits(8.0, 4000)))
    assert (solution.status, solution.cost) == ("solved", 9)


def test_a_plan_in_hand_is_the_answer_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    left, asked = leave_reserve, list[Clock]()

    def run_out_of_time(clock: Clock) -> Limits:
        asked.append(clock)
        if len(asked) > 1:
            raise LimitError("no time is left")
        return left(clock)

    monkeypatch.setattr(pipeline, "leave_reserve", run_out_of_time)
    solution = solve(read_tower(), Request(planner="lama", limits=Limits(20.0, 4000)))
    assert (solution.status, solution.valid, len(asked)) == ("solved", True, 3)


def test_no_time_left_is_said_at_once() -> None:
    clock = Clock(Limits(1.0, None), Clock.begin(Limits()).start - 5)
    with pytest.raises(LimitError, match="before planning began"):
        solve(read_tower(), Request("exact", limits=Limits(1.0, None)), clock)


@pytest.mark.parametrize("grounder", ["auto", "learned", "exact", "random"])
def test_grounding_begins_with_a_look_at_the_initial_state(grounder: str) -> None:
    found = ground(read_tower("(:goal (exists (?x ?y) (and (blue ?x) (on ?x ?y))))"), Request(grounder))
    assert (found.status, found.predicted_cost, found.route) == ("grounded", 0.0, "initial-state")
    none = ground(read_tower("(:goal (exists (?x) (and (green ?x) (clear ?x))))"), Request(grounder))
    assert (none.status, none.binding, none.route) == ("unsolvable", None, "candidates")


def test_a_detour_of_ground_is_told() -> None:
    found = ground(read_tower("(:goal (exists (?x) (and (blue ?x) (ontable ?x))))"), Request())
    assert found.message.startswith("exact route: the model blocks was never trained on goals with ontable")


def test_a_model_that_was_asked_for_is_never_passed_by() -> None:
    task = read_tower("(:goal (exists (?x) (and (blue ?x) (ontable ?x))))")
    for request in (Request(model=MODELS / "blocks"), Request(model=MODELS / "blocks", planner="seq-opt-lmcut")):
        with pytest.raises(InputError, match="never trained on goals with ontable"):
            solve(task, request)


def test_random_grounders_cannot_bind_goals_outside_the_fragment() -> None:
    task = read_tower("(:goal (or (clear a) (clear b)))")
    with pytest.raises(UnsupportedError, match="no grounder can bind this goal"):
        ground(task, Request("random"))


def test_a_domain_with_either_types_is_planned_for_by_a_bound_goal() -> None:
    domain = """(define (domain yard) (:types car bike - object) (:predicates (wet ?x - (either car bike)) (big ?x))
      (:action rain :parameters (?x - (either car bike)) :effect (wet ?x)))"""
    problem = """(define (problem p) (:domain yard) (:objects c - car b - bike)
      (:init (big c)) (:goal (exists (?x - (either car bike)) (and (big ?x) (wet ?x)))))"""
    task = read_task_text(Source("d", domain), Source("p", problem))
    solution = solve(task, Request("random-valid"))
    assert (solution.plan, solution.binding) == (("(rain c)",), {"?x": "c"})


def test_only_goals_of_up_to_six_variables_have_their_objects_looked_at_again() -> None:
    def revises(count: int, request: Request) -> bool:
        names = [f"?x{i}" for i in range(count)]
        goal = f"(:goal (exists ({' '.join(names)}) (and {' '.join(f'(clear {name})' for name in names)})))"
        grounder = make_grounder(read_tower(goal), request)
        assert isinstance(grounder, LearnedGrounder)
        return grounder.revise

    assert revises(6, Request("learned"))
    assert not revises(7, Request("learned"))
    assert not revises(6, Request("learned", revise=False))
