"""The description of the HTTP interface, made from the list of what can be asked for."""

from typing import Any

from skolem.integrations.server.catalogue import OPERATIONS, Operation
from skolem.integrations.server.fields import describe_fields

STATUSES = {
    "400": "The request is no JSON object, or its parameters are wrong; `message` says what to repair.",
    "403": "The request comes from another page, or for another host.",
    "404": "There is no such operation or session.",
    "408": "The request did not arrive in time.",
    "413": "The request is too large.",
    "415": "The request is not application/json.",
    "422": "The PDDL is wrong; `errors` lists every mistake with source, line and column.",
    "429": "No further session can be kept.",
    "500": "Something went wrong inside; asking again may help.",
    "503": "Too many questions wait, or the server is stopping; Retry-After says when to ask again.",
}
"""What every status but 200 means. A task without a plan or beyond a limit is an answer like others."""

_ERROR = {
    "type": "object",
    "required": ["status", "message"],
    "properties": {
        "status": {"type": "string", "enum": ["error", "wrong", "unsolved"]},
        "message": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "source": {"type": ["string", "null"], "description": "domain, problem, plan, goal, add[0], ..."},
                    "line": {"type": ["integer", "null"]},
                    "column": {"type": ["integer", "null"]},
                    "message": {"type": "string"},
                },
            },
        },
    },
}


def describe_api(version: str) -> dict[str, Any]:
    """The OpenAPI document."""
    paths = {f"/api/{operation.name}": _describe_path(operation) for operation in OPERATIONS.values()}
    paths["/api/health"] = _describe_plain("Whether the server answers, and how busy it is.")
    paths["/api/version"] = _describe_plain("The version of the program.")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Skolem",
            "version": version,
            "description": "Grounds existentially quantified planning goals: finds the objects, then plans.",
        },
        "paths": paths,
        "components": {"schemas": {"Error": _ERROR}},
    }


def _describe_path(operation: Operation) -> dict[str, Any]:
    if operation.reads:
        return _describe_plain(operation.purpose)
    body = {"required": True, "content": {"application/json": {"schema": describe_fields(operation.fields)}}}
    return {"post": {**_describe_call(operation.name, operation.purpose), "requestBody": body}}


def _describe_plain(purpose: str) -> dict[str, Any]:
    return {"get": _describe_call("", purpose)}


def _describe_call(name: str, purpose: str) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    answers: dict[str, Any] = {
        "200": {"description": "The answer.", "content": {"application/json": {"schema": {"type": "object"}}}}
    }
    answers |= {code: {"description": meaning, "content": error} for code, meaning in STATUSES.items()}
    return {**({"operationId": name} if name else {}), "summary": purpose, "responses": answers}
