"""The parameters of a question: what each may be, as a check and as JSON Schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from skolem.pddl.faults import suggest

Kind = Literal["text", "number", "integer", "flag", "texts", "names"]
"""`texts` is a list of texts, `names` an object that gives names to names."""

MOST_CHARACTERS = 200
"""Of a name; PDDL text has limits of its own."""
MOST_TEXTS = 10_000
"""How many texts or names a parameter may have."""

_TYPES = {"text": "string", "number": "number", "integer": "integer", "flag": "boolean"}
_WORDS = {
    "text": "a text",
    "number": "a number",
    "integer": "a whole number",
    "flag": "true or false",
    "texts": "a list of texts",
    "names": "an object that gives texts to names",
}


class ParameterError(Exception):
    """Parameters that cannot be understood; the message says how to repair every one of them."""


@dataclass(frozen=True)
class Field:
    """One parameter: its name, what it may be, and what it is for."""

    name: str
    kind: Kind
    purpose: str
    required: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    """The largest number, or the longest text."""

    def describe(self) -> dict[str, Any]:
        """The JSON Schema of the parameter."""
        text: dict[str, Any] = {"type": "string", "maxLength": int(self.most or MOST_CHARACTERS)}
        if self.kind == "texts":
            return {"type": "array", "items": text, "maxItems": MOST_TEXTS, "description": self.purpose}
        if self.kind == "names":
            schema = {"type": "object", "additionalProperties": text, "maxProperties": MOST_TEXTS}
            return {**schema, "description": self.purpose}
        schema = text if self.kind == "text" else {"type": _TYPES[self.kind]}
        if self.choices:
            schema = {"type": "string", "enum": list(self.choices)}
        elif self.kind in ("number", "integer"):
            bounds = {"minimum": self.least, "maximum": self.most}
            schema.update({name: bound for name, bound in bounds.items() if bound is not None})
        return {**schema, "description": self.purpose}

    def find_fault(self, value: object) -> str | None:
        """What is wrong with a value, or None."""
        if not self._is_of_kind(value):
            return f"'{self.name}' must be {_WORDS[self.kind]}"
        if self.choices and value not in self.choices:
            return f"'{self.name}' must be one of {', '.join(self.choices)}"
        if isinstance(value, str) and not self.choices:
            return self._find_bad_text([value])
        if isinstance(value, list | dict):
            if len(value) > MOST_TEXTS:
                return f"'{self.name}' has {len(value)} entries, expected at most {MOST_TEXTS}"
            return self._find_bad_text([*value, *value.values()] if isinstance(value, dict) else value)
        if self.kind in ("number", "integer") and isinstance(value, int | float):
            if self.least is not None and not value >= self.least:
                return f"'{self.name}' must be at least {self.least:g}"
            if self.most is not None and not value <= self.most:
                return f"'{self.name}' must be at most {self.most:g}"
        return None

    def _is_of_kind(self, value: object) -> bool:
        match self.kind:
            case "text":
                return isinstance(value, str)
            case "flag":
                return isinstance(value, bool)
            case "integer":
                return isinstance(value, int) and not isinstance(value, bool)
            case "number":
                return isinstance(value, int | float) and not isinstance(value, bool)
            case "texts":
                return isinstance(value, list) and all(isinstance(part, str) for part in value)
            case "names":
                return isinstance(value, dict) and all(isinstance(part, str) for part in value.values())

    def _find_bad_text(self, texts: Sequence[str]) -> str | None:
        most = int(self.most or MOST_CHARACTERS)
        if any(not _is_unicode(text) for text in texts):
            return f"'{self.name}' has characters that are no text"
        longest = max(map(len, texts), default=0)
        return f"'{self.name}' has {longest} characters, expected at most {most}" if longest > most else None


def check_parameters(fields: Sequence[Field], given: object) -> dict[str, Any]:
    """The parameters that are given, null ones left out; a ParameterError that names all faults."""
    if not isinstance(given, dict):
        raise ParameterError("expected a JSON object with the parameters")
    known = {field.name: field for field in fields}
    faults = [_describe_unknown(name, known) for name in given if name not in known]
    values = {name: value for name, value in given.items() if name in known and value is not None}
    faults += [f"'{field.name}' is missing" for field in fields if field.required and field.name not in values]
    faults += [fault for name, value in values.items() if (fault := known[name].find_fault(value)) is not None]
    if faults:
        raise ParameterError("; ".join(faults[:10]))
    return values


def describe_fields(fields: Sequence[Field]) -> dict[str, Any]:
    """The JSON Schema of an object with these parameters."""
    return {
        "type": "object",
        "properties": {field.name: field.describe() for field in fields},
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
    }


def _is_unicode(text: str) -> bool:
    """Whether a text can be written: JSON may have halves of characters."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _describe_unknown(name: object, known: Mapping[str, Field]) -> str:
    meant = suggest(str(name), known)
    return f"unknown parameter '{str(name)[:40]}'" + f", expected {meant}" * bool(meant)
