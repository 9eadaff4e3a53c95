"""Does a state satisfy a goal? By joins, with the objects that do it."""

from skolem.support.errors import LimitError
from skolem.task.constraints.relations_index import RelationsIndex, index_relations
from skolem.task.constraints.solver import Effort, get_join
from skolem.task.model import Task
from skolem.task.normal_form import normalize
from skolem.task.query import Query, Relations
from skolem.task.semantics.facts import unite_types
from skolem.task.semantics.truth import EFFORT, Evaluator


def find_witness(query: Query, relations: Relations, objects: int) -> tuple[int, ...] | None:
    """The objects of all variables with which every literal is true in the state, or None if there are none.

    Relations that the state lacks have no tuples.

    >>> import numpy as np
    >>> state = {"on": np.array([[0, 1], [1, 2]]), "red": np.array([[1]])}
    >>> find_witness(Query(2, (("on", (~0, ~1)), ("red", (~0,)))), state, 3)
    (1, 2)
    """
    if any(name not in relations for name, _ in query.atoms):
        return None
    index = index_relations(relations, objects)
    if not all(index.can_deny(args) for name, args in query.denied if name in relations):
        raise LimitError(f"a negated atom of several variables over {objects} objects, expected fewer objects")
    join = get_join(index, query, query.denied)
    domains = join.restrict(query.binding)
    solution = None if domains is None else join.search(domains, Effort(EFFORT))
    return None if solution is None else join.complete(solution)


def satisfy(task: Task, relations: Relations) -> dict[str, str] | None:
    """The objects of the goal's existential variables if the state satisfies the goal, else None.

    Static relations and types may be left out of the state. Outside the learned fragment the binding has the
    variables that are quantified under neither a negation nor `forall`, nor in alternatives that were not needed.
    """
    state = {**task.statics, **relations}
    if task.goal.outside is None and not task.goal.denied and task.goal.residual is None:
        witness = find_witness(task.query, state, len(task.objects))
        return None if witness is None else task.name_binding(witness)
    root, variables = normalize(task.goal.formula, task.index)
    state.update(unite_types(variables, state))
    found = Evaluator(RelationsIndex(state, len(task.objects))).find(root, {})
    return None if found is None else {variables[v].name: task.objects[o] for v, o in found.items()}
