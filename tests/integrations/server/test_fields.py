"""Parameters: every fault is named with its repair."""

from typing import Any

import pytest

from skolem.integrations.server.catalogue import OPERATIONS
from skolem.integrations.server.fields import Field, ParameterError, check_parameters, describe_fields

FIELDS = (
    Field("name", "text", "A name.", required=True, most=5),
    Field("kind", "text", "A kind.", choices=("a", "b")),
    Field("width", "integer", "A width.", least=1, most=9),
    Field("seconds", "number", "A time.", least=0.5),
    Field("flag", "flag", "Yes or no."),
    Field("atoms", "texts", "Atoms."),
    Field("objects", "names", "Objects."),
)


def test_good_parameters_come_back_without_what_is_null() -> None:
    given = {"name": "x", "kind": "a", "width": 3, "seconds": 1, "flag": True, "atoms": ["p"], "objects": {"a": "b"}}
    assert check_parameters(FIELDS, {**given, "kind": None}) == {k: v for k, v in given.items() if k != "kind"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "expected a JSON object with the parameters"),
        ({}, "'name' is missing"),
        ({"name": "x", "widht": 3}, "unknown parameter 'widht', expected 'width'"),
        ({"name": 3}, "'name' must be a text"),
        ({"name": "too long"}, "'name' has 8 characters, expected at most 5"),
        ({"name": "\ud800"}, "'name' has characters that are no text"),
        ({"name": "x", "kind": "c"}, "'kind' must be one of a, b"),
        ({"name": "x", "width": True}, "'width' must be a whole number"),
        ({"name": "x", "width": 1.5}, "'width' must be a whole number"),
        ({"name": "x", "width": 0}, "'width' must be at least 1"),
        ({"name": "x", "width": 10}, "'width' must be at most 9"),
        ({"name": "x", "seconds": "1"}, "'seconds' must be a number"),
        ({"name": "x", "flag": 1}, "'flag' must be true or false"),
        ({"name": "x", "atoms": "p"}, "'atoms' must be a list of texts"),
        ({"name": "x", "atoms": [1]}, "'atoms' must be a list of texts"),
        ({"name": "x", "atoms": ["p"] * 10_001}, "'atoms' has 10001 entries, expected at most 10000"),
        ({"name": "x", "objects": {"a": 1}}, "'objects' must be an object that gives texts to names"),
        ({"kind": "c", "width": 0}, "'name' is missing; 'kind' must be one of a, b; 'width' must be at least 1"),
    ],
)
def test_what_is_wrong_is_said(given: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        check_parameters(FIELDS, given)
    assert str(caught.value) == message


def test_schema() -> None:
    schema = describe_fields(FIELDS)
    assert schema["required"] == ["name"]
    assert schema["properties"]["kind"] == {"type": "string", "enum": ["a", "b"], "description": "A kind."}
    assert schema["properties"]["width"] == {"type": "integer", "minimum": 1, "maximum": 9, "description": "A width."}
    assert schema["properties"]["atoms"]["type"] == "array"
    assert schema["properties"]["objects"]["type"] == "object"


def test_everything_that_can_be_asked_for_says_what_it_is_for() -> None:
    for operation in OPERATIONS.values():
        assert operation.purpose.endswith(".")
        assert all(field.purpose.endswith(".") for field in operation.fields)
        assert len({field.name for field in operation.fields}) == len(operation.fields)
