"""Random small tasks of all kinds of actions, and the truth about their reachable states."""

from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt

from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task
from skolem.task.proofs.invariants import find_invariants
from skolem.task.proofs.reachability import Refuter
from skolem.task.query import CodedAtom, Query
from skolem.task.semantics.dynamics import Dynamics

ARITIES = {"flag": 0, "p": 1, "q": 1, "r": 2, "near": 2}
FLUENTS = ("flag", "p", "q", "r")


def make_task(rng: Random) -> Task:
    """A task with types, a constant, inequality, negation, disjunction, conditional and quantified effects."""
    actions = "\n".join(_write_action(rng, f"act{i}") for i in range(rng.randint(1, 4)))
    domain = f"""(define (domain random) (:types a b none) (:constants c - a)
      (:predicates (flag) (p ?x) (q ?x) (r ?x ?y) (near ?x ?y) (both ?x))
      (:derived (both ?x) (and (p ?x) (q ?x)))
      {actions})"""
    objects = ["c", "d", "e"]
    atoms = {_write(rng, objects, name) for name in rng.choices(list(ARITIES), k=rng.randint(2, 12))}
    problem = f"""(define (problem random) (:domain random) (:objects d - {rng.choice("ab")} e - (either a b))
      (:init {" ".join(sorted(atoms))}) (:goal (flag)))"""
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def _write(rng: Random, terms: list[str], name: str) -> str:
    return f"({' '.join([name, *(rng.choice(terms) for _ in range(ARITIES[name]))])})"


def _write_action(rng: Random, name: str) -> str:
    variables = ["?x", "?y", "?z"][: rng.randint(0, 3)]
    terms = [*variables, *variables, "c"]
    needed = [_write(rng, terms, rng.choice(FLUENTS)) for _ in range(rng.randint(0, 3))]
    # Most actions move things: what they demand goes away, so that many invariants hold.
    gone = [atom for atom in needed if rng.random() < 0.7]
    new = [_write(rng, terms, rng.choice(FLUENTS)) for _ in range(rng.randint(1, 2))]
    more, effects = [], [*new, *(f"(not {atom})" for atom in gone)]
    if len(variables) > 1 and rng.random() < 0.3:
        more.append("(not (= ?x ?y))")
    if rng.random() < 0.2:
        more.append(_write(rng, terms, "near"))
    if rng.random() < 0.2:
        more.append(f"(not {_write(rng, terms, rng.choice(FLUENTS))})")
    if rng.random() < 0.1:
        more.append(f"(or {_write(rng, terms, 'p')} {_write(rng, terms, 'q')})")
    if rng.random() < 0.1:
        more.append(f"(both {rng.choice(terms)})")
    if rng.random() < 0.3:
        effects.append(_write_conditional(rng, terms))
    if rng.random() < 0.3:
        kind = rng.choice(["", "- a", "- b", "- none"])
        effects.append(f"(forall (?w {kind}) {_write_conditional(rng, [*terms, '?w', '?w'])})")
    typed = " ".join(f"{v} - {rng.choice(['a', 'b', 'object', 'object'])}" for v in variables)
    return f"""(:action {name} :parameters ({typed}) :precondition (and {" ".join(needed + more)})
      :effect (and {" ".join(rng.sample(effects, len(effects)))}))"""


def _write_conditional(rng: Random, terms: list[str]) -> str:
    condition = _write(rng, terms, rng.choice(FLUENTS))
    gone = condition if rng.random() < 0.7 else _write(rng, terms, rng.choice(FLUENTS))
    parts = [f"(not {gone})", _write(rng, terms, rng.choice(FLUENTS))]
    if rng.random() < 0.2:
        condition = f"(or {condition} {_write(rng, terms, rng.choice(FLUENTS))})"
    effect = f"(and {' '.join(rng.sample(parts, rng.randint(1, 2)))})"
    return f"(when {condition} {effect})" if rng.random() < 0.7 else effect


@dataclass(frozen=True, eq=False)
class World:
    """A task, and in which of its reachable states each atom holds; the initial state is the first."""

    task: Task
    truth: dict[CodedAtom, npt.NDArray[np.bool_]]
    """Atoms that are left out never hold."""

    def is_reachable(self, atoms: tuple[CodedAtom, ...]) -> bool:
        """Whether the atoms hold together in some state."""
        if not all(atom in self.truth for atom in atoms):
            return False
        return bool(np.all([self.truth[atom] for atom in atoms], axis=0).any())

    def draw_atoms(self, rng: Random) -> tuple[CodedAtom, ...]:
        """One to four atoms, possible ones and any others."""
        domain = self.task.domain
        names = sorted(domain.predicates.keys() - domain.static)
        possible = list(self.truth)

        def draw() -> CodedAtom:
            if possible and rng.random() < 0.7:
                return rng.choice(possible)
            name = rng.choice(names)
            return name, tuple(rng.randrange(len(self.task.objects)) for _ in domain.predicates[name])

        return tuple(draw() for _ in range(rng.randint(1, 4)))

    def check_invariants(self) -> None:
        """Checks that no count of at most one rises in any state."""
        for invariant in find_invariants(self.task.domain):
            counts: dict[tuple[int, ...], npt.NDArray[np.int64]] = {}
            for (name, args), states in self.truth.items():
                for part in invariant.parts:
                    if part.predicate == name:
                        key = tuple(args[i] for i in part.keys)
                        counts[key] = counts.get(key, 0) + states.astype(np.int64)
            for key, count in counts.items():
                assert count[0] > 1 or count.max() <= count[0], (invariant, key, self.task.domain.source.text)

    def check_refuter(self, rng: Random, rounds: int) -> tuple[int, int]:
        """Checks that nothing reachable is refuted; how many random goals were unreachable and how many refuted."""
        refuter = Refuter(self.task)
        unreachable = refuted = 0
        for _ in range(rounds):
            atoms = self.draw_atoms(rng)
            reachable, refutes = self.is_reachable(atoms), refuter.refutes(Query(0, atoms))
            assert not (reachable and refutes), (atoms, self.task.domain.source.text, self.task.source.text)
            unreachable += not reachable
            refuted += refutes
        return unreachable, refuted


def open_world(task: Task, limit: int = 3000) -> World:
    """The task with its reachable states; about as many as the limit where there are more."""
    dynamics = Dynamics(task)
    names = task.domain.predicates.keys() - task.domain.static
    frontier = [dynamics.start]
    seen = {dynamics.start}
    states: list[set[CodedAtom]] = []
    while frontier and len(states) < limit:
        state = frontier.pop()
        relations = dynamics.describe(state)
        states.append({(name, tuple(row)) for name in names for row in relations[name].tolist()})
        for _, after in dynamics.list_steps(state):
            if after not in seen:
                seen.add(after)
                frontier.append(after)
    return World(task, {atom: np.array([atom in state for state in states]) for atom in sorted(set().union(*states))})
