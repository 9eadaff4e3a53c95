"""Which tasks fit a vocabulary."""

from random import Random

import numpy as np
import pytest
from tests.network.worlds import RELATIONS, make_state

from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation
from skolem.support.errors import UnsupportedError

VOCABULARY = Vocabulary.of(RELATIONS)
STATE = make_state(Random(0), 3)
STATICS = VOCABULARY.select_statics(STATE)


def test_names_and_arities_of_a_graph() -> None:
    small = Vocabulary.of([Relation("type:object", 1, True), Relation("on", 2, False), Relation("raining", 0, False)])
    assert small.names == ("on", "raining", "Constant", "on_G", "raining_G", "Variable", "PossibleBinding", "Neq_G")
    assert small.arities == (2, 1, 1, 2, 1, 1, 2, 2)
    assert small.by_arity == {1: (1, 2, 4, 5), 2: (0, 3, 6, 7)}


def test_the_signature_tells_vocabularies_apart() -> None:
    changed = [Relation(r.name, r.arity, not r.static) for r in RELATIONS]
    assert Vocabulary.of(RELATIONS).signature == VOCABULARY.signature
    assert len({VOCABULARY.signature, Vocabulary.of(changed).signature, Vocabulary.of(RELATIONS[1:]).signature}) == 3


def test_a_task_of_the_domain_fits_even_without_a_colour() -> None:
    VOCABULARY.check_task(STATE, STATICS)
    fewer = {name: rows for name, rows in STATE.items() if name != "blue"}
    everything = {"type:object": np.arange(3, dtype=np.int32)[:, None]}
    VOCABULARY.check_task({**fewer, **everything}, {**VOCABULARY.select_statics(fewer), **everything})


def test_other_tasks_are_refused_by_name() -> None:
    wet = {**STATE, "wet": np.zeros((0, 2), dtype=np.int32), "on": np.zeros((0, 3), dtype=np.int32)}
    del wet["clear"]
    with pytest.raises(UnsupportedError) as refusal:
        VOCABULARY.check_task(wet, STATICS)
    assert str(refusal.value) == (
        "the model was trained on another domain: on has 3 arguments instead of 2; wet/2 is unknown to it; "
        "clear/1 is missing"
    )


def test_predicates_that_change_elsewhere_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="red is changed by actions"):
        VOCABULARY.check_task(STATE, {name: rows for name, rows in STATICS.items() if name != "red"})
    with pytest.raises(UnsupportedError, match="clear is changed by no action"):
        VOCABULARY.check_task(STATE, {**STATICS, "clear": STATE["clear"]})
