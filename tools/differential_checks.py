"""What a random task is asked in this process: reading, truth, plans, successors, costs, proofs and rewritings.

Every check compares what the product says with the independent search of the test tree, which shares no code with it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

import numpy as np
from tests.adl.independent_search import Search, State, TooLargeError, parse
from tests.adl.random_tasks import RandomTask

from skolem.oracle.costs import Oracle
from skolem.pddl.reading import read_task_text
from skolem.pddl.writing import format_formula
from skolem.planning.exact import ROUTES
from skolem.planning.successors import Simulator
from skolem.planning.validation import validate
from skolem.support.errors import UnsupportedError
from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.formulas import Atom, Variable
from skolem.task.goals import ground_goal
from skolem.task.model import Source, Task
from skolem.task.normal_form import Conjunction, normalize
from skolem.task.proofs.reachability import Refuter
from skolem.task.query import Query, Relations
from skolem.task.satisfaction import satisfy

MOST_BINDINGS = 64
"""Goals with more bindings are not taken apart."""
REWRITTEN_STATES = 3000
"""Rewritten tasks with more states are left out."""
SUCCESSORS = 6
"""How many successors of a state are looked at, axioms included."""
STATES = 12
"""In how many states a goal is evaluated."""


@dataclass(frozen=True)
class Disagreement:
    """Two answers that differ; `defect` names the fault of another tool that explains it."""

    check: str
    detail: str
    defect: str = ""


@dataclass
class Comparison:
    """A random task, what was compared of it, and where the answers differ."""

    sample: RandomTask
    task: Task
    rng: Random
    made: Counter[str] = field(default_factory=Counter)
    """How many answers of each kind were compared."""
    refused: Counter[str] = field(default_factory=Counter)
    """What a part of the product, or another tool, does not take."""
    disagreements: list[Disagreement] = field(default_factory=list)

    def expect(self, check: str, ours: object, reference: object, about: object = "") -> None:
        """Compares two answers; of each kind the first disagreement is kept."""
        self.made[check] += 1
        if ours != reference and all(known.check != check for known in self.disagreements):
            self.disagreements.append(Disagreement(check, f"{about}: product {ours}, reference {reference}"))

    @property
    def search(self) -> Search:
        """The independent search over the same task."""
        return self.sample.space.search

    def find_cost(self, formula: str) -> int | None:
        """V* of another goal."""
        state = self.sample.space.find_cheapest(parse(formula))
        return None if state is None else self.sample.space.cost[state]


def compare(sample: RandomTask, checks: Sequence[Callable[[Comparison], None]]) -> Comparison | Disagreement:
    """All checks on a task, or what went wrong when it was read."""
    try:
        task = read(sample)
    except Exception as error:
        return Disagreement("reading", f"{type(error).__name__}: {error}")
    comparison = Comparison(sample, task, Random(f"differential {sample.seed}"))
    for check in checks:
        try:
            check(comparison)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            comparison.disagreements.append(Disagreement(check.__name__.removeprefix("check_"), words))
    return comparison


def read(sample: RandomTask) -> Task:
    """The task as the product reads it."""
    return read_task_text(Source("domain.pddl", sample.domain), Source("problem.pddl", sample.problem))


def check_reading(comparison: Comparison) -> None:
    """Objects, types and the facts of the initial state, derived ones included."""
    task, search = comparison.task, comparison.search
    comparison.expect("objects", set(task.objects), set(search.objects))
    for name in search.types:
        ours = {task.objects[i] for (i,) in task.init[f"type:{name}"].tolist()}
        comparison.expect("types", ours, {o for o, own in search.objects.items() if name in own}, name)
    facts = search.init | comparison.sample.space.atoms[search.initial]
    comparison.expect("initial state", _write_atoms(task, task.init), facts)
    static = {name for name in task.domain.predicates if name not in search.changing}
    comparison.expect("static predicates", task.domain.static, static)


def check_truth(comparison: Comparison) -> None:
    """The goal in several states, the objects that make it true, and its normal form."""
    task, search = comparison.task, comparison.search
    reference = search.make_test(search.goal)
    root, _ = normalize(task.goal.formula, task.index)
    flat = None if task.goal.outside is not None else search.make_test(parse(_flatten(task)))
    for atoms in _draw_states(comparison):
        truth = reference(atoms)
        binding = satisfy(task, _make_relations(task, search, atoms))
        comparison.expect("truth of the goal", binding is not None, truth, sorted(atoms))
        if flat is not None:
            comparison.expect("goal as a conjunction", flat(atoms), truth, sorted(atoms))
        if flat is not None and binding is not None:
            bound = search.make_test(parse(format_formula(ground_goal(task, binding))))
            comparison.expect("witness", bound(atoms), True, (binding, sorted(atoms)))
        if len(task.objects) ** _count_variables(root) <= MOST_BINDINGS**2:
            holds = _holds(root, {}, atoms, task, search)
            comparison.expect("normal form", holds, truth, sorted(atoms))


def check_bindings(comparison: Comparison) -> None:
    """Grounded goals: together they say what the goal says, and only candidates satisfy them."""
    task, search = comparison.task, comparison.search
    count = len(task.goal.variables)
    if task.goal.outside is not None or len(task.objects) ** count > MOST_BINDINGS:
        return
    candidates = find_valid_candidates(task.query, task.statics, len(task.objects)).candidates
    states = _draw_states(comparison)
    found = [False] * len(states)
    for objects in product(range(len(task.objects)), repeat=count):
        test = search.make_test(parse(format_formula(ground_goal(task, task.name_binding(objects)))))
        truth = [test(atoms) for atoms in states]
        found = [a or b for a, b in zip(found, truth, strict=True)]
        if any(truth):
            allowed = all(candidates[i, o] for i, o in enumerate(objects))
            comparison.expect("candidates", allowed, True, objects)
    goal = search.make_test(search.goal)
    comparison.expect("grounded goals", found, [goal(atoms) for atoms in states])


def check_successors(comparison: Comparison) -> None:
    """The steps of a random walk, all that could be taken beside them, and what is true after each."""
    task, search = comparison.task, comparison.search
    simulator = Simulator(task)
    state, here = search.initial, simulator.start
    for _ in range(4):
        ours = _write_atoms(task, simulator.read(here), search.changing)
        comparison.expect("state", ours, search.derive(state), sorted(state))
        reference = {action.step: (action.cost, after) for action, after in search.list_successors(state)}
        successors = {s.step: s for s in simulator.list_successors(here)}
        comparison.expect("applicable steps", set(successors), set(reference), sorted(state))
        shared = sorted(successors.keys() & reference.keys())
        if comparison.disagreements or not shared:
            return
        for step in shared:
            comparison.expect("cost of a step", successors[step].cost, reference[step][0], step)
        for step in comparison.rng.sample(shared, min(len(shared), SUCCESSORS)):
            atoms = _write_atoms(task, simulator.read(successors[step].state), search.changing)
            comparison.expect("successor", atoms, search.derive(reference[step][1]), (step, sorted(state)))
        step = comparison.rng.choice(shared)
        state, here = reference[step][1], successors[step].state


def check_plans(comparison: Comparison) -> None:
    """The validator on a cheapest plan, on a random walk, and on both with faults."""
    task, search, plan = comparison.task, comparison.search, comparison.sample.plan
    plans = [_walk(comparison)] if plan is None else [plan, _walk(comparison)]
    for sound in list(plans):
        plans += comparison.rng.sample(list(break_plan(comparison, sound)), 3)
    for tried in dict.fromkeys(plans):
        ours, reference = validate(task, tried), search.judge(tried)
        comparison.expect("validator", ours.valid, reference.valid, tried)
        comparison.made["validator: " + ("valid" if reference.valid else "invalid")] += 1
        if ours.valid and reference.valid:
            comparison.expect("cost of a plan", ours.cost, reference.cost, tried)


def check_costs(comparison: Comparison) -> None:
    """V* by the state space: of the goal, and of it with some variables bound; nothing reachable is refuted."""
    task, rng = comparison.task, comparison.rng
    oracle = Oracle()
    try:
        comparison.expect("V* by the space", oracle.find_cost_in_space(task).cost, comparison.sample.cost)
    except UnsupportedError:
        if task.goal.outside is None:
            raise
        comparison.refused["V* by the space: goals outside the fragment"] += 1
    refuter = Refuter(task)
    if task.goal.outside is None:
        for _ in range(3):
            binding = tuple(rng.randrange(len(task.objects)) if rng.random() < 0.6 else -1 for _ in task.goal.variables)
            query = replace(task.query, binding=binding)
            cost = comparison.find_cost(_flatten(task, binding))
            comparison.expect("V* of a bound goal", oracle.find_cost_in_space(task, query).cost, cost, binding)
            _expect_sound(comparison, refuter.refutes(query), cost is not None, (binding, _flatten(task, binding)))
    _check_refuted_atoms(comparison, refuter)


def _check_refuted_atoms(comparison: Comparison, refuter: Refuter) -> None:
    """Sets of ground atoms, most of them possible each on its own."""
    task, rng = comparison.task, comparison.rng
    states = list(comparison.sample.space.atoms.values())
    possible = sorted(set().union(*states))
    for _ in range(6 if possible else 0):
        atoms = rng.sample(possible, min(len(possible), rng.randint(1, 4)))
        words = [atom[1:-1].split() for atom in atoms]
        query = Query(0, tuple((name, tuple(task.index[o] for o in objects)) for name, *objects in words))
        reachable = any(all(atom in state for atom in atoms) for state in states)
        _expect_sound(comparison, refuter.refutes(query), reachable, atoms)


def _expect_sound(comparison: Comparison, refuted: bool, reachable: bool, about: object) -> None:
    comparison.made["unreachable and refuted" if refuted else "unreachable, not refuted"] += not reachable
    comparison.expect("proof of unreachability", refuted and reachable, False, about)


def check_rewritings(comparison: Comparison) -> None:
    """A rewriting of the goal, solved by the independent search: same cost, and its plan is one for the task."""
    task = comparison.task
    names = sorted(ROUTES) if task.goal.outside is None else ["dnf"]
    name = comparison.rng.choice(names)
    rewriting = ROUTES[name](task)
    rewritten = Search(rewriting.domain_text, rewriting.problem_text)
    try:
        found = rewritten.find_plan(REWRITTEN_STATES)
    except TooLargeError:
        comparison.refused["rewriting with too many states"] += 1
        return
    cost = None if found is None else rewritten.judge(found).cost - rewriting.dummy_cost
    comparison.expect(f"rewriting {name}", cost, comparison.sample.cost)
    if found is not None:
        verdict = comparison.search.judge(rewriting.restore(found))
        comparison.expect(f"plan of the rewriting {name}", (verdict.valid, verdict.cost), (True, cost), found)


CHECKS = (
    check_reading,
    check_truth,
    check_bindings,
    check_successors,
    check_plans,
    check_costs,
    check_rewritings,
)


def break_plan(comparison: Comparison, plan: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The plan with a fault of each kind; some are valid all the same."""
    rng, steps = comparison.rng, list(plan)
    objects, actions = list(comparison.search.objects), list(comparison.search.schemas)
    i = rng.randrange(len(steps)) if steps else 0
    name, *arguments = steps[i][1:-1].split() if steps else [rng.choice(actions)]
    other = [rng.choice(objects) for _ in arguments]
    yield (*steps[:i], *steps[i + 1 :])
    yield (*steps[:i], *reversed(steps[i : i + 2]), *steps[i + 2 :])
    yield (*steps[:i], f"({' '.join([name, *other])})", *steps[i + 1 :])
    yield tuple(steps[:i])
    yield (*steps[:i], f"({' '.join([rng.choice(actions), *arguments])})", *steps[i + 1 :])
    yield (*steps[:i], "(unheard-of o0)", *steps[i:])
    yield (*steps[:i], f"({' '.join([name, *arguments, 'o0'])})", *steps[i + 1 :])
    yield (*steps, f"({' '.join([name, *arguments])})")


def _walk(comparison: Comparison) -> tuple[str, ...]:
    """A random walk of one to five steps, as a plan."""
    state, steps = comparison.search.initial, []
    for _ in range(comparison.rng.randint(1, 5)):
        ahead = list(comparison.search.list_successors(state))
        if not ahead:
            break
        action, state = comparison.rng.choice(ahead)
        steps.append(action.step)
    return tuple(steps)


def _draw_states(comparison: Comparison) -> list[frozenset[str]]:
    """The initial state, the end of a cheapest plan and some others, with all that is true in them."""
    space, plan = comparison.sample.space, comparison.sample.plan
    states: list[State] = [
        space.search.initial,
        *comparison.rng.sample(list(space.atoms), min(len(space.atoms), STATES)),
    ]
    if plan is not None:
        states += [state for state in space.atoms if space.cost[state] == comparison.sample.cost][:3]
    return [space.atoms[state] for state in dict.fromkeys(states)]


def _make_relations(task: Task, search: Search, atoms: frozenset[str]) -> Relations:
    """The relations of a state, without the static ones."""
    rows: dict[str, list[list[int]]] = {name: [] for name in task.domain.predicates if name in search.changing}
    for atom in sorted(atoms):
        name, *objects = atom[1:-1].split()
        rows[name].append([task.index[o] for o in objects])
    shape = {name: (len(found), len(task.domain.predicates[name])) for name, found in rows.items()}
    return {name: np.array(found, dtype=np.int32).reshape(shape[name]) for name, found in rows.items()}


def _write_atoms(task: Task, relations: Relations, wanted: set[str] | None = None) -> frozenset[str]:
    """The atoms of some relations; by default of all predicates."""
    names = [name for name in relations if name in (task.domain.predicates if wanted is None else wanted)]
    rows = [(name, row) for name in names for row in relations[name].tolist()]
    return frozenset(f"({' '.join([name, *(task.objects[i] for i in row)])})" for name, row in rows)


def _flatten(task: Task, binding: Sequence[int] = ()) -> str:
    """The goal as the product took it apart, and with some variables equal to objects."""

    def name(term: Variable | str) -> str:
        return term if isinstance(term, str) else re.sub("@", "-", term.name)

    def write(atom: Atom) -> str:
        return f"({' '.join([atom.predicate, *map(name, atom.terms)])})"

    goal = task.goal
    parts = [write(atom) for atom in goal.atoms]
    parts += [f"(= {name(a)} {name(b)})" for a, b in goal.equalities]
    parts += [f"(not (= {name(a)} {name(b)}))" for a, b in goal.inequalities]
    bound = zip(goal.variables, binding, strict=False)
    parts += [f"(= {name(v)} {task.objects[o]})" for v, o in bound if o >= 0]
    typed = " ".join(f"{name(v)} - (either {' '.join(v.types)})" for v in goal.variables)
    return f"(exists ({typed}) (and {' '.join(parts)}))"


def _count_variables(part: Conjunction) -> int:
    """The variables on the longest way into a part."""
    inside = [*(p for choice in part.choices for p in choice), *part.exceptions]
    return len(part.variables) + max(map(_count_variables, inside), default=0)


def _holds(part: Conjunction, env: Mapping[int, int], atoms: frozenset[str], task: Task, search: Search) -> bool:
    """What a part of the normal form says, word for word."""

    def is_true(name: str, args: Sequence[int], values: Mapping[int, int]) -> bool:
        objects = [task.objects[a if a >= 0 else values[~a]] for a in args]
        if name.startswith("type:"):
            return bool(search.objects[objects[0]] & set(name.removeprefix("type:").split("|")))
        atom = f"({' '.join([name, *objects])})"
        return atom in atoms or (name not in search.changing and atom in search.init)

    def is_equal(pair: tuple[int, int], values: Mapping[int, int]) -> bool:
        left, right = (a if a >= 0 else values[~a] for a in pair)
        return left == right

    for choice in product(range(len(task.objects)), repeat=len(part.variables)):
        values = {**env, **dict(zip(part.variables, choice, strict=True))}
        if (
            all(is_true(name, args, values) for name, args in part.atoms)
            and not any(is_true(name, args, values) for name, args in part.denied)
            and all(is_equal(pair, values) for pair in part.equal)
            and not any(is_equal(pair, values) for pair in part.unequal)
            and all(any(_holds(p, values, atoms, task, search) for p in ways) for ways in part.choices)
            and not any(_holds(p, values, atoms, task, search) for p in part.exceptions)
        ):
            return True
    return False
