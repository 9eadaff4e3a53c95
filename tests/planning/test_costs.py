"""Action costs: several increases of one action are summed for the planner, and what it cannot count is refused."""

import re

import pytest
from tests.planning.pddl_examples import read

from skolem.planning.exact import plan_exact
from skolem.planning.limits import Limits
from skolem.planning.rewriting import Rewriter
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import ExitCode, InputError, UnsupportedError
from skolem.task.costs import LARGEST_COST
from skolem.task.formulas import And
from skolem.task.model import Task

ROADS = """(define (domain roads)
  (:requirements :typing :action-costs)
  (:types place car)
  (:constants home - place)
  (:predicates (at ?c - car ?p - place) (road ?a ?b - place) (goal))
  (:functions (total-cost) - number (toll ?p - place) - number (far ?a ?b - place) - number (fee) - number)
  (:action drive :parameters (?c - car ?a ?b - place) :precondition (and (at ?c ?a) (road ?a ?b))
    :effect (and (at ?c ?b) (not (at ?c ?a)) EFFECT)))"""
OBJECTS = "c - car shore hill peak - place"
INIT = """(at c home) (road home shore) (road shore peak) (road home hill) (road hill peak) (= (total-cost) 0)
  (= (fee) 7) (= (far home shore) 1) (= (far shore peak) 1) (= (far home hill) 2) (= (far hill peak) 2)
  (= (toll home) 0) (= (toll shore) 9) (= (toll hill) 1) (= (toll peak) 3)"""
GOAL = "(exists (?c - car) (at ?c peak))"
OPTIMAL = "astar(blind())"


def read_roads(effect: str, init: str = INIT, metric: bool = True) -> Task:
    return read(ROADS.replace("EFFECT", effect), OBJECTS, init, GOAL, metric)


@pytest.mark.parametrize("route", ["dnf", "end", "bind-axiom", "miniscope"])
@pytest.mark.parametrize(
    ("amounts", "cost"),
    [
        (["(far ?a ?b)"], 2),
        # By the shore 2 + 12, by the hill 4 + 4: of the two Fast Downward itself would take one.
        (["(far ?a ?b)", "(toll ?b)"], 8),
        (["(toll ?b)", "(far ?a ?b)"], 8),
        (["(toll ?a)", "(toll ?b)", "5", "(fee)"], 1 + 4 + 2 * 12),
        (["3", "4"], 14),
        (["(fee)", "(toll home)", "1"], 16),
        ([], 0),
    ],
)
def test_several_increases_are_summed(amounts: list[str], cost: int, route: str) -> None:
    task = read_roads(" ".join(f"(increase (total-cost) {amount})" for amount in amounts))
    result = plan_exact(task, route, OPTIMAL, Limits(60.0, 2000))
    assert (result.status, result.cost) == ("solved", cost)


def test_the_planner_sees_one_cost_for_each_action_and_none_without_a_metric() -> None:
    effect = "(increase (total-cost) (far ?a ?b)) (increase (total-cost) (toll ?b))"
    text = Rewriter(read_roads(effect)).finish(And(())).domain_text
    assert re.findall(r"\(increase [^)]*\) [^)]*\)", text) == ["(increase (total-cost) (cost-drive ?a ?b)"]
    text = Rewriter(read_roads(effect, metric=False)).finish(And(())).domain_text
    assert "increase" not in text
    assert ":functions" not in text


@pytest.mark.parametrize(("amounts", "cost"), [(["(far ?a ?b)"], 4), (["(far ?a ?b)", "1", "(toll ?b)"], 10)])
def test_actions_without_a_value_are_not_taken(amounts: list[str], cost: int) -> None:
    effect = " ".join(f"(increase (total-cost) {amount})" for amount in amounts)
    result = plan_exact(read_roads(effect, INIT.replace("(= (far home shore) 1)", "")), "end", OPTIMAL)
    assert (result.status, result.cost) == ("solved", cost)


def test_too_many_sums_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.task.costs.MOST_SUMS", 15)
    task = read_roads("(increase (total-cost) (toll ?a)) (increase (total-cost) (toll ?b))")
    with pytest.raises(UnsupportedError, match="'drive' has more than 15 values"):
        Rewriter(task).finish(And(()))


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        ("2147483648", "'2147483648' as a number is not supported, expected a whole number from 0 to 2147483647"),
        ("99999999999999999999", "as a number is not supported"),
        ("2.5", "'2.5' as a number is not supported, expected a whole number"),
        ("-1", "'-1' as a number is not supported"),
        ("(+ 1 (fee))", "'(+ ...)' as a cost is not supported, expected a number or a term of another function"),
        ("(* 2 (fee))", "'(* ...)' as a cost is not supported"),
        ("(total-cost)", "'(total-cost ...)' as a cost is not supported"),
    ],
)
def test_costs_that_the_planner_cannot_take(amount: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=re.escape(message)) as caught:
        read_roads(f"(increase (total-cost) {amount})")
    assert (caught.value.exit_code, str(caught.value)[:16]) == (ExitCode.UNSUPPORTED, "domain.pddl:8:69")


@pytest.mark.parametrize("value", ["2147483648", "1.5", "-3"])
def test_values_that_the_planner_cannot_take(value: str) -> None:
    with pytest.raises(UnsupportedError, match="as a number is not supported") as caught:
        read_roads("(increase (total-cost) (fee))", INIT.replace("(= (fee) 7)", f"(= (fee) {value})"))
    assert str(caught.value).startswith("problem.pddl:2:")


def test_sums_of_one_action_that_the_planner_cannot_count() -> None:
    effect = "(increase (total-cost) (far ?a ?b)) (increase (total-cost) (toll ?b))"
    large = INIT.replace("(= (far home shore) 1)", "(= (far home shore) 2147483647)")
    with pytest.raises(UnsupportedError, match="the action 'drive' can cost 2147483656, expected at most") as caught:
        read_roads(effect, large)
    assert str(caught.value).startswith("domain.pddl:7:3: ")
    # The same without a metric is never summed.
    assert read_roads(effect, large, metric=False).values["far", "home", "shore"] == LARGEST_COST
    # The largest values of two functions need not meet in one action.
    apart = large.replace("(= (toll shore) 9)", "(= (toll shore) 0)")
    assert plan_exact(read_roads(effect, apart), "end", OPTIMAL).cost == 8


@pytest.mark.parametrize("grounder", ["end", "random"])
def test_a_plan_that_the_planner_cannot_count_is_refused(grounder: str) -> None:
    task = read_roads("(increase (total-cost) 2000000000)")
    with pytest.raises(UnsupportedError, match="the planner's plan costs 4000000000, expected at most 2147483647"):
        solve(task, Request(grounder=grounder))


@pytest.mark.parametrize("planner", ["lama-first", OPTIMAL])
def test_costs_beyond_counting_are_no_proof_that_there_is_no_plan(planner: str) -> None:
    # Fast Downward leaves out what costs 2147483647, and then says that there is no plan.
    result = plan_exact(read_roads("(increase (total-cost) 2147483647)"), "end", planner)
    assert (result.status, result.exit_code) == ("error", ExitCode.UNSUPPORTED)
    assert result.message == (
        "the planner finds no plan that costs less than 2147483647, but there are others: it counts no further"
    )
    closed = INIT.replace("(road shore peak)", "").replace("(road hill peak)", "")
    result = plan_exact(read_roads("(increase (total-cost) 2147483647)", closed), "end", planner)
    assert (result.status, result.exit_code) == ("unsolvable", ExitCode.UNSOLVABLE)


@pytest.mark.parametrize("amount", [1073741824, 2147483647])
def test_landmark_cuts_are_not_asked_to_add_up_what_they_cannot(amount: int) -> None:
    # Fast Downward's would go on for ever: the cost of two such actions is negative to them.
    result = plan_exact(read_roads(f"(increase (total-cost) {amount})"), "end", "seq-opt-lmcut", Limits(60.0))
    assert (result.status, result.exit_code) == ("error", ExitCode.UNSUPPORTED)
    assert f"adds up costs, here to as much as {4 * amount}, expected less than 2147483647" in result.message
    result = plan_exact(read_roads("(increase (total-cost) 500000000)"), "end", "seq-opt-lmcut", Limits(60.0))
    assert (result.status, result.cost) == ("solved", 1000000000)


def test_a_cost_of_an_unknown_function() -> None:
    with pytest.raises(InputError, match="unknown function 'tolls', expected 'toll'"):
        read_roads("(increase (total-cost) (tolls ?a))")
