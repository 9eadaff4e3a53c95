"""Plans are checked without the planner: every kind of mistake is named, with its step."""

import pytest
from tests.planning.pddl_examples import read, read_blocks, read_circuit, read_household

from skolem.planning.validation import format_plan, parse_plan, validate
from skolem.support.errors import InputError

GOAL = "(exists (?x ?y) (and (red ?x) (red ?y) (not (= ?x ?y)) (on ?x ?y)))"


def test_a_valid_plan_has_a_cost_and_a_witness() -> None:
    verdict = validate(read_blocks(GOAL), ["(unstack a b)", "(STACK A  E)"])
    assert verdict.valid
    assert verdict.cost == 2
    assert verdict.binding == {"?x": "a", "?y": "e"}


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (["(unstack a b)", "(fly a)"], "step 2, (fly a): the domain has no action 'fly'"),
        (["(unstack a)"], "step 1, (unstack a): 'unstack' takes 2 objects, not 1"),
        (["(unstack a z)"], "step 1, (unstack a z): the task has no object 'z'"),
        (["(pick-up e)", "(stack e b)"], "step 2, (stack e b): the precondition is not satisfied"),
        (["()"], "step 1, (): the domain has no action ''"),
        (["(unstack a b)"], "every step can be taken, but the goal is not true after the last one"),
        ([], "every step can be taken, but the goal is not true after the last one"),
    ],
)
def test_a_plan_that_fails_says_where_and_why(plan: list[str], reason: str) -> None:
    verdict = validate(read_blocks(GOAL), plan)
    assert (verdict.valid, verdict.reason, verdict.cost, verdict.binding) == (False, reason, None, None)


def test_costs_are_those_of_the_metric_if_there_is_one() -> None:
    plan = ["(walk hall kitchen)", "(take cup2 kitchen)", "(put cup2 kitchen)"]
    goal = "(exists (?c - cup) (clean ?c))"
    assert validate(read_household(goal), plan).cost == 3 + 1 + 2
    assert validate(read_household(goal, metric=False), plan).cost == 3


def test_types_of_arguments_are_checked() -> None:
    verdict = validate(read_household("(exists (?c - cup) (held ?c))"), ["(take hall hall)"])
    assert verdict.reason == "step 1, (take hall hall): 'hall' is not of type item"


def test_conditional_effects_are_replayed() -> None:
    plan = ["(take plate1 hall)", "(put plate1 hall)", "(walk hall kitchen)", "(take cup2 kitchen)"]
    assert not validate(read_household("(exists (?c - cup) (clean ?c))"), plan).valid
    assert validate(read_household("(exists (?c - cup) (clean ?c))"), [*plan, "(put cup2 kitchen)"]).valid


def test_axioms_are_evaluated_in_the_last_state() -> None:
    goal = "(exists (?x) (and (lamp ?x) (live ?x)))"
    assert validate(read_circuit(goal), ["(toggle d)"]).binding == {"?x": "d"}
    assert not validate(read_circuit(goal), ["(toggle b)"]).valid


def test_preconditions_may_have_alternatives_and_quantifiers() -> None:
    domain = """(define (domain d) (:predicates (p ?x) (q ?x) (done ?x))
      (:action any :parameters (?x) :precondition (or (p ?x) (q ?x)) :effect (done ?x))
      (:action other :parameters (?x) :precondition (exists (?y) (and (p ?y) (not (= ?x ?y)))) :effect (done ?x))
      (:action all :parameters (?x) :precondition (forall (?y) (or (p ?y) (q ?y))) :effect (done ?x)))"""
    task = read(domain, "a b c", "(p a) (q b)", "(exists (?x ?y) (and (done ?x) (done ?y) (not (= ?x ?y))))")
    assert validate(task, ["(any a)", "(any b)"]).valid
    assert validate(task, ["(other b)", "(other c)"]).valid
    assert "step 1" in validate(task, ["(other a)"]).reason
    assert "step 2" in validate(task, ["(any a)", "(any c)"]).reason
    assert "step 1" in validate(task, ["(all a)"]).reason


FLAGS = """(define (domain d) (:predicates (left) (right) (test) (done) (on) (blocked) (power) (override) (ready))
  (:derived (blocked) (not (on))) (:derived (blocked) (and (on) (override))) (:derived (on) (power))
  (:derived (ready) {condition})
  (:action try :precondition {condition} :effect (done))
  (:action push :effect (when {condition} (done)))
  (:action look :precondition (ready) :effect (done))
  (:action start :precondition (not (blocked)) :effect (done)))"""
XOR = "(and (or (left) (right)) (or (not (left)) (not (right))))"
IFF = "(and (or (left) (not (right))) (or (not (left)) (right)))"
IF = "(and (or (not (test)) (left)) (or (test) (right)))"


@pytest.mark.parametrize("step", ["(try)", "(push)", "(look)"])
@pytest.mark.parametrize(
    ("condition", "facts", "valid"),
    [
        (XOR, "", False),
        (XOR, "(left)", True),
        (XOR, "(right)", True),
        (XOR, "(left) (right)", False),
        (IFF, "", True),
        (IFF, "(left)", False),
        (IFF, "(left) (right)", True),
        (IF, "", False),
        (IF, "(right)", True),
        (IF, "(test) (right)", False),
        (IF, "(test) (left)", True),
        ("(or (and (left) (left)) (left))", "(left)", True),
        ("(or (and (left) (left)) (left))", "(right)", False),
    ],
)
def test_conditions_with_complementary_literals(step: str, condition: str, facts: str, valid: bool) -> None:
    task = read(FLAGS.format(condition=condition), "", facts, "(done)")
    assert validate(task, [step]).valid == valid


@pytest.mark.parametrize(("facts", "valid"), [("", False), ("(power)", True), ("(power) (override)", False)])
def test_axioms_that_need_a_predicate_and_its_negation(facts: str, valid: bool) -> None:
    task = read(FLAGS.format(condition="(left)"), "", facts, "(done)")
    assert validate(task, ["(start)"]).valid == valid


def test_plan_files_are_read_and_written_in_the_ipc_format() -> None:
    text = "; made by hand\n\n(Pick-Up a)  ; first\n  ( stack a   b )\n; cost = 2 (unit cost)\n"
    plan = parse_plan(text, "plan")
    assert plan == ("(pick-up a)", "(stack a b)")
    assert parse_plan(format_plan(plan, 7, unit=False), "plan") == plan
    assert format_plan(plan, 7, unit=False).endswith("; cost = 7 (general cost)\n")
    assert parse_plan("", "plan") == ()


@pytest.mark.parametrize("line", ["pick-up a", "(pick-up a", "()", "(a) (b)", "(a (b))"])
def test_junk_in_a_plan_file_is_shown_with_its_place(line: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_plan(f"(noop)\n  {line}\n", "dir/plan.txt")
    assert str(caught.value).startswith("dir/plan.txt:2:3: ")
