import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skolem.oracle.ground_task import (
    FALSE,
    TRUE,
    Condition,
    GroundAction,
    GroundEffect,
    Words,
    conjoin,
    disjoin,
    negate,
)

BITS = (0, 5, 63, 64, 100)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3) -> Condition:
    kind = draw(st.sampled_from(["bit", "true", "false"] if depth == 0 else ["bit", "and", "or", "not"]))
    parts = st.lists(conditions(depth - 1), max_size=3) if depth else st.just([])
    match kind:
        case "bit":
            bit = 1 << draw(st.sampled_from(BITS))
            return Condition(bit) if draw(st.booleans()) else Condition(0, bit)
        case "and":
            return conjoin(draw(parts))
        case "or":
            return disjoin(draw(parts))
        case "not":
            return negate(draw(conditions(depth - 1)))
        case _:
            return TRUE if kind == "true" else FALSE


def all_states() -> Words:
    """Every combination of the bits, as columns."""
    states = [[0, 0] for _ in range(2 ** len(BITS))]
    for number, state in enumerate(states):
        for i, bit in enumerate(BITS):
            state[bit // 64] |= (number >> i & 1) << bit % 64
    return np.array(states, dtype=np.uint64).T


@given(st.lists(conditions(), max_size=4))
def test_conditions_are_combined_as_their_truth_is(parts: list[Condition]) -> None:
    states = all_states()
    truth = [part.holds(states) for part in parts]
    every = np.ones(states.shape[1], dtype=np.bool_)
    assert (conjoin(parts).holds(states) == np.logical_and.reduce([every, *truth])).all()
    assert (disjoin(parts).holds(states) == np.logical_or.reduce([~every, *truth])).all()
    for part, true in zip(parts, truth, strict=True):
        assert (negate(part).holds(states) == ~true).all()


def test_effects_read_the_state_before_and_additions_win() -> None:
    def row(mask: int) -> Words:
        return np.array([mask], dtype=np.uint64)

    swap = GroundAction(
        TRUE,
        (
            GroundEffect(Condition(1), row(2), row(1)),
            GroundEffect(Condition(2), row(1), row(2)),
            GroundEffect(TRUE, row(4), row(4)),
        ),
        1,
    )
    states = np.array([[0, 1, 2, 3]], dtype=np.uint64)
    assert swap.apply(states).tolist() == [[4, 6, 5, 7]]
    assert states.tolist() == [[0, 1, 2, 3]]
