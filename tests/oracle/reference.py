"""An independent oracle to compare with: breadth-first search with pymimir's own successors and naive evaluation."""

from dataclasses import replace
from itertools import product
from random import Random

from tests.oracle.mimir import list_after, open_problem, read_relations

from skolem.families.registry import FAMILIES, generate_problem
from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task
from skolem.task.query import CodedAtom, Query, Relations

SMALL = {"blocks": (2, 4), "blocks-c": (2, 4), "gripper": (9, 9), "delivery": (6, 8), "visitall": (2, 7)}
SHARES = {"blocks": 5, "blocks-c": 5, "gripper": 1, "delivery": 5, "visitall": 5}
"""The smallest gripper tasks take the brute force longest."""


def holds(relations: Relations, objects: int, query: Query) -> bool:
    """Whether some completion of the binding satisfies every condition."""
    facts = {name: set(map(tuple, rows.tolist())) for name, rows in relations.items()}
    for binding in product(*(range(objects) if o < 0 else (o,) for o in query.binding)):
        bound = Query(query.variables, (), binding=binding)
        if (
            all(tuple(map(bound.resolve, args)) in facts.get(name, ()) for name, args in query.atoms)
            and not any(tuple(map(bound.resolve, args)) in facts.get(name, ()) for name, args in query.denied)
            and all(bound.resolve(a) == bound.resolve(b) for a, b in query.equal)
            and all(bound.resolve(a) != bound.resolve(b) for a, b in query.unequal)
        ):
            return True
    return False


def search(task: Task, query: Query) -> int | None:
    """The length of a shortest plan, None where there is no plan."""
    layer = [open_problem(task)]
    seen = {layer[0].get_index()}
    depth = 0
    while layer:
        following = []
        for state in layer:
            if holds(read_relations(task, state), len(task.objects), query):
                return depth
            for successor in list_after(state):
                if successor.get_index() not in seen:
                    seen.add(successor.get_index())
                    following.append(successor)
        layer, depth = following, depth + 1
    return None


def draw_case(rng: Random, negated: float = 0.0) -> tuple[Task, Query]:
    """A small random task of any family with a goal of its own, partly bound at random, sometimes badly.

    A share of the goals has random atoms that must be false.
    """
    family = FAMILIES[rng.choices(list(SHARES), list(SHARES.values()))[0]]
    size = rng.randint(*SMALL[family.name])
    variables = rng.randint(1, min(3, family.most_variables(size)))
    seed = rng.randrange(10**9)
    instance = generate_problem(family.name, "train", seed, 0, size=size, variables=variables, neq=rng.random() < 0.5)
    task = read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))
    query = task.query
    for variable in range(query.variables):
        if rng.random() < 0.3:
            query = query.bind(variable, rng.randrange(len(task.objects)))
    if rng.random() < negated:
        query = replace(query, denied=tuple(_draw_atom(rng, task, query) for _ in range(rng.randint(1, 2))))
    return task, query


def _draw_atom(rng: Random, task: Task, query: Query) -> CodedAtom:
    name = rng.choice(sorted(task.domain.predicates))
    terms = [*range(len(task.objects)), *(~v for v in range(query.variables)), *(~v for v in range(query.variables))]
    return name, tuple(rng.choice(terms) for _ in task.domain.predicates[name])
