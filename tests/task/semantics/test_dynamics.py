"""What actions and axioms do, by hand-made examples and against the textbook."""

from collections.abc import Callable
from itertools import product
from random import Random

import pytest
from tests.planning.pddl_examples import read
from tests.task.household import house
from tests.task.semantics.random_tasks import draw_task, write_formula
from tests.task.semantics.textbook import Facts, Textbook

from skolem.pddl.reading import read_task_text
from skolem.support.errors import InputError
from skolem.task.model import Source, Task
from skolem.task.query import CodedAtom
from skolem.task.semantics.dynamics import Dynamics, State, Step


def name_atoms(task: Task, atoms: frozenset[CodedAtom]) -> Facts:
    return frozenset((name, *(task.objects[o] for o in row)) for name, row in atoms)


def name_step(task: Task, step: Step) -> str:
    return f"({' '.join((step.operator.action.name, *(task.objects[o] for o in step.objects)))})"


def list_steps(task: Task, state: State | None = None) -> list[str]:
    dynamics = Dynamics(task)
    return [name_step(task, step) for step, _ in dynamics.list_steps(dynamics.start if state is None else state)]


def take(task: Task, *steps: str) -> Facts:
    """The state after some steps, each of which must be listed and applicable."""
    dynamics = Dynamics(task)
    state = dynamics.start
    for text in steps:
        (found,) = [(step, after) for step, after in dynamics.list_steps(state) if name_step(task, step) == text]
        assert dynamics.apply(state, found[0]) == found[1]
        state = found[1]
    return name_atoms(task, state)


def show(task: Task, predicate: str, state: State | None = None) -> set[tuple[str, ...]]:
    dynamics = Dynamics(task)
    rows = dynamics.describe(dynamics.start if state is None else state)[predicate].tolist()
    return {tuple(task.objects[i] for i in row) for row in rows}


FLAGS = "(define (domain d) (:predicates (l) (r) (t) (done) (x)) {} (:action a :precondition {} :effect {}))"
TABLES: dict[str, Callable[[bool, bool, bool], bool]] = {
    "(and (or (l) (r)) (or (not (l)) (not (r))))": lambda a, b, c: a != b,
    "(and (or (l) (not (r))) (or (not (l)) (r)))": lambda a, b, c: a == b,
    "(and (or (not (t)) (l)) (or (t) (r)))": lambda a, b, c: a if c else b,
    "(and (imply (t) (l)) (imply (not (t)) (r)))": lambda a, b, c: a if c else b,
    "(or (and (l) (not (r))) (and (not (l)) (r)))": lambda a, b, c: a != b,
    "(or (and (l) (l)) (l))": lambda a, b, c: a,
    "(imply (l) (r))": lambda a, b, c: not a or b,
    "(not (imply (l) (and (r) (t))))": lambda a, b, c: a and not (b and c),
    "(not (or (l) (not (r))))": lambda a, b, c: not a and b,
    "(and)": lambda a, b, c: True,
    "(or)": lambda a, b, c: False,
    "(forall (?x) (l))": lambda a, b, c: a,
    "(exists (?x ?y) (not (= ?x ?y)))": lambda a, b, c: True,
}


@pytest.mark.parametrize("condition", TABLES)
@pytest.mark.parametrize("values", list(product([False, True], repeat=3)))
def test_truth_tables(condition: str, values: tuple[bool, bool, bool]) -> None:
    facts = " ".join(f"({name})" for name, true in zip("lrt", values, strict=True) if true)
    expected = TABLES[condition](*values)
    precondition = read(FLAGS.format("", condition, "(done)"), "o1 o2", facts, "(done)")
    assert list_steps(precondition) == (["(a)"] if expected else [])
    effect = read(FLAGS.format("", "()", f"(when {condition} (done))"), "o1 o2", facts, "(done)")
    assert (("done",) in take(effect, "(a)")) == expected
    axiom = read(FLAGS.format(f"(:derived (x) {condition})", "(x)", "(done)"), "o1 o2", facts, "(done)")
    assert len(axiom.init["x"]) == expected
    assert list_steps(axiom) == (["(a)"] if expected else [])
    goal = read(FLAGS.format("", "()", "(done)"), "o1 o2", facts, condition)
    dynamics = Dynamics(goal)
    assert dynamics.holds(dynamics.start, goal.goal.formula) == expected


AXIOMS = ("(:derived (blocked) (not (on)))", "(:derived (blocked) (and (on) (override)))", "(:derived (on) (power))")


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (2, 0, 1), (0, 2, 1), (1, 2, 0)])
@pytest.mark.parametrize(
    ("facts", "blocked"), [("", True), ("(power)", False), ("(power) (override)", True), ("(override)", True)]
)
def test_axioms_with_positive_and_negative_dependence(order: tuple[int, ...], facts: str, blocked: bool) -> None:
    rules = " ".join(AXIOMS[i] for i in order)
    domain = f"(define (domain d) (:predicates (on) (blocked) (power) (override)) {rules})"
    assert len(read(domain, "", facts, "(blocked)").init["blocked"]) == blocked


def test_axioms_that_depend_on_their_own_negation_are_shown() -> None:
    domain = """(define (domain d) (:predicates (a) (b) (c))
      (:derived (a) (b))
      (:derived (b) (not (exists (?x) (and (a) (= ?x ?x)))))
      (:derived (c) (not (b))))"""
    with pytest.raises(InputError, match=r"domain.pddl:3:7: a derived predicate depends on its own negation, expected"):
        read(domain, "o", "", "(c)")


def test_recursive_axioms() -> None:
    domain = """(define (domain d) (:predicates (edge ?x ?y) (reach ?x ?y) (apart ?x ?y) (hub ?x))
      (:derived (apart ?x ?y) (not (reach ?x ?y)))
      (:derived (hub ?x) (forall (?y) (or (= ?x ?y) (reach ?x ?y))))
      (:derived (reach ?x ?y) (or (edge ?x ?y) (exists (?z) (and (reach ?x ?z) (reach ?z ?y)))))
      (:action cut :parameters (?x ?y) :precondition (edge ?x ?y) :effect (not (edge ?x ?y))))"""
    task = read(domain, "a b c d", "(edge a b) (edge b c) (edge c a) (edge c d)", "(hub d)")
    assert show(task, "hub") == {("a",), ("b",), ("c",)}
    assert show(task, "apart") == {("d", x) for x in "abcd"}
    after = next(s for step, s in Dynamics(task).list_steps(Dynamics(task).start) if step.objects == (2, 0))
    assert show(task, "reach", after) == {("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")}


def test_conditions_are_read_before_anything_changes_and_additions_win() -> None:
    domain = """(define (domain d) (:predicates (p ?x) (q ?x) (on))
      (:action swap :effect (and (forall (?x) (when (p ?x) (and (q ?x) (not (p ?x)))))
                                 (forall (?x) (when (q ?x) (and (p ?x) (not (q ?x)))))))
      (:action both :precondition (on) :effect (and (on) (not (on))))
      (:action also :parameters (?x ?y) :precondition (p ?x) :effect (and (not (p ?x)) (p ?y))))"""
    task = read(domain, "a b", "(p a) (q b) (on)", "(p b)")
    assert take(task, "(swap)") == {("q", "a"), ("p", "b"), ("on",)}
    assert take(task, "(both)") == {("p", "a"), ("q", "b"), ("on",)}
    assert take(task, "(also a a)") == {("p", "a"), ("q", "b"), ("on",)}
    assert take(task, "(also a b)") == {("p", "b"), ("q", "b"), ("on",)}


def test_types_subtypes_unions_and_empty_types() -> None:
    domain = """(define (domain d) (:types a b none - object c - a) (:constants k - c)
      (:predicates (p ?x) (all) (some))
      (:action sub :parameters (?x - a) :precondition (not (p ?x)) :effect (p ?x))
      (:action either :parameters (?x - (either b c)) :effect (p ?x))
      (:action every :precondition (forall (?x - none) (p ?x)) :effect (forall (?y - (either b none)) (p ?y)))
      (:action any :precondition (exists (?x - none) (= ?x ?x)) :effect (some)))"""
    task = read(domain, "m - a n - b", "(p m)", "(all)")
    assert list_steps(task) == ["(sub k)", "(either k)", "(either n)", "(every)"]
    assert take(task, "(every)") == {("p", "m"), ("p", "n")}


def test_equal_parameters() -> None:
    domain = """(define (domain d) (:constants b) (:predicates (r ?x ?y))
      (:action same :parameters (?x ?y) :precondition (= ?x ?y) :effect (r ?x ?y))
      (:action named :parameters (?x ?y) :precondition (and (= ?x b) (not (= ?y ?x))) :effect (r ?x ?y)))"""
    task = read(domain, "a", "", "(r a b)")
    assert list_steps(task) == ["(same b b)", "(same a a)", "(named b a)"]


def test_a_task_without_objects() -> None:
    domain = """(define (domain d) (:predicates (p ?x) (on))
      (:action a :precondition (forall (?x) (p ?x)) :effect (on))
      (:action b :precondition (exists (?x) (not (p ?x))) :effect (on)))"""
    assert list_steps(read(domain, "", "", "(on)")) == ["(a)"]


def test_plans_can_be_replayed() -> None:
    task = house()
    assert list_steps(task) == ["(go hall kitchen)", "(go hall attic)", "(rest)"]
    after = take(task, "(go hall kitchen)")
    assert {f for f in after if f[0] in ("robot", "at")} == {
        ("robot", "kitchen"),
        ("at", "cup1", "kitchen"),
        ("at", "cup2", "kitchen"),
        ("at", "dish", "kitchen"),
    }
    assert ("clean", "dish") in take(task, "(go hall kitchen)", "(wash dish)")


def test_costs_are_summed_and_a_step_without_a_cost_cannot_be_taken() -> None:
    domain = """(define (domain d) (:predicates (on)) (:functions (total-cost) - number (far ?x) - number)
      (:action a :parameters (?x) :effect (and (increase (total-cost) 2) (on) (increase (total-cost) (far ?x))))
      (:action b :effect (on)))"""
    task = read(domain, "m n", "(= (far m) 4)", "(on)", metric=True)
    dynamics = Dynamics(task)
    first, last = (step for step, _ in dynamics.list_steps(dynamics.start))
    assert (dynamics.find_cost(first), dynamics.find_cost(last)) == (6, 0)
    with pytest.raises(InputError, match=r"gives \(far n\) no value"):
        dynamics.find_cost(Step(first.operator, (1,)))
    plain = Dynamics(read(domain, "m n", "", "(on)"))
    assert [plain.find_cost(step) for step, _ in plain.list_steps(plain.start)] == [1, 1, 1]


def test_odd_names_and_hidden_variables() -> None:
    domain = """(define (domain 2nd.try) (:predicates (P.1 ?x) (q ?x) (type ?x)) (:types object type - object)
      (:action 1go :parameters (?x! - type)
        :precondition (and (p.1 ?x!) (exists (?x!) (not (p.1 ?x!))) (forall (?x!) (imply (q ?x!) (exists (?y) (q ?y)))))
        :effect (and (forall (?x!) (when (p.1 ?x!) (and (q ?x!) (not (p.1 ?x!))))) (type ?x!))))"""
    task = read(domain, "1 a.b - type", "(p.1 a.b)", "(q 1)")
    assert take(task, "(1go a.b)") == {("q", "a.b"), ("type", "a.b")}


def test_preconditions_with_many_variables() -> None:
    size = 10
    cells = [f"c{i}-{j}" for i, j in product(range(size), repeat=2)]
    links = [f"(link c{i}-{j} c{i + 1}-{j})" for i, j in product(range(size - 1), range(size))]
    links += [f"(link c{i}-{j} c{i}-{j + 1})" for i, j in product(range(size), range(size - 1))]
    path = " ".join(f"(link ?x{i} ?x{i + 1})" for i in range(5))
    domain = f"""(define (domain d) (:predicates (link ?x ?y) (end ?x) (on ?x))
      (:action a :parameters (?x5) :precondition (exists (?x0 ?x1 ?x2 ?x3 ?x4) (and {path} (not (end ?x0))))
        :effect (on ?x5)))"""
    task = read(domain, " ".join(cells), " ".join((*links, "(end c0-0)")), "(on c9-9)")
    # Every cell that is at least six steps from the corner.
    assert len(list_steps(task)) == 79


def test_deep_conditions() -> None:
    deep = "(on)"
    for i in range(45):
        deep = f"(exists (?x{i}) (and (p ?x{i}) (or (not (on)) {deep})))"
    domain = f"""(define (domain d) (:predicates (on) (p ?x) (q))
      (:derived (q) {deep}) (:action a :precondition {deep} :effect (when (not {deep}) (on))))"""
    task = read(domain, "o", "(on) (p o)", "(q)")
    assert len(task.init["q"]) == 1
    assert take(task, "(a)") == {("on",)}


@pytest.mark.parametrize("seed", range(150))
def test_random_tasks_mean_what_the_textbook_says(seed: int) -> None:
    rng = Random(seed)
    task = draw_task(rng)
    textbook, dynamics = Textbook(task), Dynamics(task)
    static = {fact for fact in textbook.start if fact[0] in task.domain.static}
    states, ahead = {dynamics.start: textbook.start}, [dynamics.start]
    while ahead and len(states) < 12:
        state = ahead.pop(0)
        plain = states[state]
        facts = textbook.derive(plain)
        relations = dynamics.describe(state)
        assert (
            name_atoms(task, frozenset((n, tuple(r)) for n in task.domain.predicates for r in relations[n].tolist()))
            == facts
        )
        for _ in range(3):
            goal = read_task_text(task.domain.source, Source("goal.pddl", _set_goal(task, write_formula(rng, []))))
            formula = goal.goal.formula
            assert dynamics.holds(state, formula) == textbook.holds(formula, facts, {})
        found = [(name_step(task, step), after) for step, after in dynamics.list_steps(state)]
        expected = [(f"({' '.join((a.name, *o))})", after) for a, o, after in textbook.list_successors(plain)]
        assert [(step, name_atoms(task, after) | static) for step, after in found] == expected
        for (_, after), (_, plain_after) in zip(found, expected, strict=True):
            if after not in states:
                states[after] = plain_after
                ahead.append(after)


def _set_goal(task: Task, goal: str) -> str:
    start, end = task.goal_span
    return f"{task.source.text[:start]}(:goal {goal}){task.source.text[end:]}"
