"""Random small structures and goals, and what they mean by brute force."""

from itertools import product

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from skolem.task.query import Query, Relations

STATIC = {"type:a": 1, "red": 1, "flag": 0, "next": 2, "near": 2, "link": 3}
FLUENT = {"on": 2, "clear": 1}


@st.composite
def relations(draw: st.DrawFn, arities: dict[str, int], objects: int) -> dict[str, npt.NDArray[np.int32]]:
    """Random tuples for every relation."""
    state = {}
    for name, arity in arities.items():
        tuples = list(product(range(objects), repeat=arity))
        # Dense relations too, so that goals with several atoms are often satisfiable.
        chosen = draw(st.sets(st.sampled_from(tuples), max_size=len(tuples)))
        if draw(st.booleans()):
            chosen = set(tuples) - chosen
        state[name] = np.array(sorted(chosen), dtype=np.int32).reshape(len(chosen), arity)
    return state


@st.composite
def queries(draw: st.DrawFn, arities: dict[str, int], objects: int) -> Query:
    """Random goals with constants, repeated variables, denied atoms, (in)equalities and a partial binding."""
    variables = draw(st.integers(0, 4))
    variable = st.integers(0, max(variables - 1, 0)).map(lambda i: ~i)
    constant = st.integers(0, objects - 1)
    term = constant if not variables else st.one_of(variable, variable, variable, constant)
    atom = st.sampled_from(sorted(arities)).flatmap(
        lambda name: st.tuples(st.just(name), st.tuples(*[term] * arities[name]))
    )
    pairs = st.lists(st.tuples(term, term), max_size=4)
    binding = draw(st.tuples(*[st.one_of(st.just(-1), st.just(-1), constant)] * variables))
    return Query(
        variables,
        tuple(draw(st.lists(atom, max_size=5))),
        equal=tuple(draw(st.one_of(st.just([]), st.lists(st.tuples(term, term), max_size=2)))),
        unequal=tuple(draw(pairs)),
        binding=binding,
        denied=tuple(draw(st.lists(atom, max_size=3))),
    )


@st.composite
def cases(draw: st.DrawFn, fluents: bool = False) -> tuple[Query, Relations, int]:
    """A goal, relations and the number of objects; with `fluents` the relations include the fluent ones."""
    objects = draw(st.integers(1, 4))
    everything = STATIC | FLUENT
    query = draw(queries(everything, objects))
    return query, draw(relations(everything if fluents else STATIC, objects)), objects


def list_solutions(query: Query, known: Relations, objects: int) -> list[tuple[int, ...]]:
    """All complete bindings that satisfy the atoms of the known relations, by trying every one."""
    tuples = {name: {tuple(row) for row in rows.tolist()} for name, rows in known.items()}

    def holds(binding: tuple[int, ...]) -> bool:
        def value(argument: int) -> int:
            return argument if argument >= 0 else binding[~argument]

        return (
            all(b < 0 or b == o for b, o in zip(query.binding, binding, strict=True))
            and all(tuple(map(value, args)) in tuples[name] for name, args in query.atoms if name in tuples)
            and not any(tuple(map(value, args)) in tuples[name] for name, args in query.denied if name in tuples)
            and all(value(a) == value(b) for a, b in query.equal)
            and all(value(a) != value(b) for a, b in query.unequal)
        )

    return [b for b in product(range(objects), repeat=query.variables) if holds(b)]
