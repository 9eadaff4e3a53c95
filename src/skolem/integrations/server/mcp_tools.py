"""Tools for language models, over the Model Context Protocol on standard input and output."""

import asyncio
import json
from typing import Any

import mcp.types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from skolem import __version__
from skolem.integrations.server.catalogue import OPERATIONS
from skolem.integrations.server.fields import ParameterError, describe_fields
from skolem.integrations.server.pool import Answer, RefusedError
from skolem.integrations.server.service import Service, Settings
from skolem.integrations.server.sessions import TooManySessionsError, UnknownSessionError

TOOLS = {
    "check": "check",
    "plan": "plan",
    "explain": "explain",
    "validate": "validate",
    "session_open": "open",
    "session_change": "change",
    "session_ask": "ask",
    "session_show": "show",
    "session_close": "close",
}
"""Every tool and the operation behind it."""
INSTRUCTIONS = """\
Skolem plans for goals that describe objects instead of naming them: "a red block on a blue block" is
(exists (?x ?y) (and (red ?x) (blue ?y) (on ?x ?y))). It chooses the objects, then finds a plan with them.
Domains and problems are classical PDDL texts: STRIPS and ADL, types, action costs, axioms; no numbers that change,
no time. Call `check` after writing PDDL and repair what it lists, then `plan`. `explain` says why objects were chosen
or ruled out. For a world that changes while a plan is carried out, open a session, tell it what changed, and ask
again: the objects chosen are kept while they are good."""
_CHANGING = ("open", "change", "ask", "close")


def run_tools(settings: Settings) -> None:
    """Offers the tools until standard input ends."""
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    service = Service(settings)
    await service.pool.start()
    try:
        async with stdio_server() as (reader, writer):
            server = make_server(service)
            await server.run(reader, writer, server.create_initialization_options())
    finally:
        await service.pool.close()


def make_server(service: Service) -> Server[Any]:
    """The server of the protocol for a service."""

    async def list_tools(
        context: ServerRequestContext[Any], given: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[describe_tool(name) for name in TOOLS])

    async def call_tool(context: ServerRequestContext[Any], given: types.CallToolRequestParams) -> types.CallToolResult:
        if given.name not in TOOLS:
            return make_result({"status": "error", "message": f"expected one of {', '.join(TOOLS)}"})
        try:
            return make_result(await service.answer(TOOLS[given.name], given.arguments or {}))
        except (ParameterError, UnknownSessionError, TooManySessionsError, RefusedError) as error:
            return make_result({"status": "error", "message": str(error)})
        except (OSError, RuntimeError):
            return make_result({"status": "error", "message": "no worker could be started: call again later"})

    return Server(
        "skolem",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def describe_tool(name: str) -> types.Tool:
    """A tool as a language model is told of it."""
    operation = OPERATIONS[TOOLS[name]]
    hints = types.ToolAnnotations(
        read_only_hint=operation.name not in _CHANGING, destructive_hint=False, open_world_hint=False
    )
    return types.Tool(
        name=name,
        description=operation.purpose,
        input_schema=describe_fields(operation.fields),
        annotations=hints,
    )


def make_result(answer: Answer) -> types.CallToolResult:
    """An answer as the result of a tool; one that is to be repaired is an error."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=json.dumps(answer))],
        structured_content=answer,
        is_error=answer.get("status") in ("error", "wrong"),
    )
