from pathlib import Path
from random import Random

import pytest
from tests.task.household import house
from tests.task.random_domains import make_task, open_world

from skolem.families.registry import FAMILIES, generate_problem
from skolem.pddl.domain import read_domain
from skolem.pddl.reading import read_task, read_task_text
from skolem.task.model import Domain, Source
from skolem.task.proofs.invariants import Invariant, find_invariants, list_events

EXAMPLES = Path(__file__).parents[3] / "examples"


def read_actions(*actions: str) -> Domain:
    predicates = "(flag) (p ?x) (q ?x) (r ?x ?y) (s ?x ?y) (static ?x)"
    text = f"(define (domain d) (:types a none) (:constants c d) (:predicates {predicates}) {' '.join(actions)})"
    return read_domain(Source("domain.pddl", text))


def write_action(precondition: str, effect: str, parameters: str = "?x ?y ?z", name: str = "act") -> str:
    return f"(:action {name} :parameters ({parameters}) :precondition (and {precondition}) :effect (and {effect}))"


def spell(domain: Domain, invariant: Invariant) -> str:
    parts = []
    for part in invariant.parts:
        terms = ["_"] * len(domain.predicates[part.predicate])
        for number, position in enumerate(part.keys):
            terms[position] = "kmn"[number]
        parts.append(" ".join([part.predicate, *terms]))
    return ", ".join(parts)


def spell_all(domain: Domain) -> set[str]:
    return {spell(domain, invariant) for invariant in find_invariants(domain)}


EXPECTED = {
    "blocks": {
        "handempty, holding _",
        "clear k, holding k, on _ k",
        "holding k, on k _, ontable k",
        "clear _, holding _, on _ _",
        "holding _, on _ _, ontable _",
    },
    "gripper": {"at-robby _", "at k _, carry k _", "carry _ k, free k", "at _ _, carry _ _", "carry _ _, free _"},
    "delivery": {
        "at k _, carrying _ k",
        "carrying k _, empty k",
        "at _ _, carrying _ _",
        "carrying _ _, empty _",
    },
    "visitall": {"at-robot _"},
}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_invariants_of_the_families(family: str) -> None:
    domain = read_domain(Source("domain.pddl", FAMILIES[family].domain_text))
    assert spell_all(domain) == EXPECTED[FAMILIES[family].domain]


def test_invariants_with_types_and_constants() -> None:
    domain = read_task(EXAMPLES / "household" / "domain.pddl", EXAMPLES / "household" / "breakfast.pddl").domain
    assert spell_all(domain) == {"robot-in _", "hand-free, held _", "held k, in k _, on k _", "held _, in _ _, on _ _"}


def test_a_quantified_conditional_move_is_understood() -> None:
    # The robot takes all clean cups of a room with it.
    assert {"at k _", "robot _"} <= spell_all(house().domain)


def test_derived_and_static_predicates_are_never_covered() -> None:
    domain = house().domain
    covered = {part.predicate for invariant in find_invariants(domain) for part in invariant.parts}
    assert covered.isdisjoint(domain.derived | domain.static)


def test_a_domain_without_actions_has_no_invariants() -> None:
    assert find_invariants(read_actions()) == ()


def test_keys_of_two_objects_in_any_order() -> None:
    swap = write_action("(r ?x ?y)", "(not (r ?x ?y)) (s ?y ?x)", name="there")
    back = write_action("(s ?x ?y)", "(not (s ?x ?y)) (r ?y ?x)", name="back")
    assert "r k m, s m k" in spell_all(read_actions(swap, back))


@pytest.mark.parametrize(
    ("action", "wrong"),
    [
        pytest.param(write_action("(r ?x ?y)", "(r ?x ?z)"), "r k _", id="nothing deleted"),
        pytest.param(write_action("", "(r ?x ?z) (not (r ?x ?y))"), "r k _", id="deleted atom need not be true"),
        pytest.param(write_action("(r ?x ?y)", "(r ?x ?z) (not (r ?y ?x))"), "r k _", id="another key deleted"),
        pytest.param(write_action("(r ?x c)", "(r ?x ?z) (not (r ?x d))"), "r k _", id="another constant deleted"),
        pytest.param(write_action("(r ?x ?y)", "(r ?x c) (r ?x d) (not (r ?x ?y))"), "r k _", id="two for one"),
        pytest.param(
            write_action("(r ?x ?y) (r ?z ?y)", "(r ?x c) (r ?z d) (not (r ?x ?y)) (not (r ?z ?y))"),
            "r k _",
            id="two parameters that may be equal",
        ),
        pytest.param(
            write_action("(r ?x ?y)", "(r ?x ?z) (when (flag) (not (r ?x ?y)))"), "r k _", id="deleted on a condition"
        ),
        pytest.param(
            write_action("(r ?x ?y)", "(r ?x ?z) (when (or (flag) (flag)) (not (r ?x ?y)))"),
            "r k _",
            id="deleted on a disjunction",
        ),
        pytest.param(
            write_action("(r ?x ?y)", "(r ?x ?z) (forall (?w - none) (not (r ?x ?y)))"),
            "r k _",
            id="deleted for all of a type without objects",
        ),
        pytest.param(
            write_action("(p ?x)", "(not (p ?x)) (forall (?w) (r ?x ?w))"), "p k, r k _", id="added for all objects"
        ),
        pytest.param(
            write_action("(or (r ?x ?y) (flag))", "(r ?x ?z) (not (r ?x ?y))"), "r k _", id="disjunctive precondition"
        ),
        pytest.param(
            write_action("(r ?x ?y) (p c)", "(r ?x ?z) (not (r ?x ?y)) (when (q ?x) (r ?x c))"),
            "r k _",
            id="more added on a condition",
        ),
        pytest.param(
            write_action("(r c ?y) (r c ?z) (not (= ?y ?z)) (p ?x)", "(r ?x ?y)"),
            "r k _",
            id="impossible for another key only",
        ),
        pytest.param(write_action("(r ?x ?y) (r ?x ?z)", "(r ?x c)"), "r k _", id="demanded atoms that may be equal"),
        pytest.param(write_action("(not (r ?x ?y))", "(r ?x ?z) (not (r ?x ?y))"), "r k _", id="demanded to be false"),
    ],
)
def test_what_is_not_invariant_is_not_claimed(action: str, wrong: str) -> None:
    assert wrong not in spell_all(read_actions(action))


@pytest.mark.parametrize(
    ("action", "right"),
    [
        pytest.param(write_action("(r ?x ?y)", "(r ?x ?z) (not (r ?x ?y))"), "r k _", id="moved"),
        pytest.param(
            write_action("(r ?x ?y)", "(when (flag) (and (r ?x ?z) (not (r ?x ?y))))"), "r k _", id="same condition"
        ),
        pytest.param(
            write_action("", "(forall (?w) (when (r ?w ?x) (and (r ?w ?y) (not (r ?w ?x)))))"),
            "r k _",
            id="moved for all objects",
        ),
        pytest.param(
            write_action("(r ?x ?y) (r ?z ?y) (not (= ?x ?z))", "(r ?x c) (r ?z d) (not (r ?x ?y)) (not (r ?z ?y))"),
            "r k _",
            id="two parameters that differ",
        ),
        pytest.param(
            write_action("(p ?x) (q ?z)", "(q ?x) (p ?z) (not (p ?x)) (not (q ?z))"),
            "p k, q k",
            id="equal parameters are impossible",
        ),
        pytest.param(write_action("(p c)", "(not (p c)) (q c)"), "p k, q k", id="constants"),
        pytest.param(write_action("(p ?x)", "(p ?x)"), "p k", id="nothing new"),
    ],
)
def test_what_an_action_keeps_is_found(action: str, right: str) -> None:
    assert right in spell_all(read_actions(action))


def test_events_say_what_must_hold_and_what_goes() -> None:
    action = write_action(
        "(p ?x) (not (q ?x)) (not (= ?x ?y))", "(when (flag) (and (r ?x ?y) (not (flag)))) (not (p ?x))"
    )
    ((event,),) = list_events(read_actions(action))
    assert [a.predicate for a in event.holds] == ["p", "flag"]
    assert [a.predicate for a in event.denied] == ["q"]
    assert [a.predicate for a in event.deleted] == ["flag", "p"]
    assert len(event.unequal) == 1


@pytest.mark.parametrize(
    ("family", "size"), [("blocks", 4), ("blocks-c", 5), ("gripper", 9), ("delivery", 9), ("visitall", 8)]
)
def test_invariants_hold_in_every_state_of_the_families(family: str, size: int) -> None:
    for seed in range(3):
        instance = generate_problem(family, "train", seed, 0, size=size)
        domain, problem = Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text)
        open_world(read_task_text(domain, problem)).check_invariants()


def test_invariants_hold_in_every_state_of_random_tasks() -> None:
    for seed in range(100):
        open_world(make_task(Random(seed))).check_invariants()
