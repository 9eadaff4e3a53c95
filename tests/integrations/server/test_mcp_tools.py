"""Tools for language models: described so that calls can be written, and errors so that they can be repaired."""

import asyncio
import os
import sys
from typing import Any

import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.integrations.server.servers import MUGS

from skolem.integrations.server.mcp_tools import TOOLS, describe_tool


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_says_what_it_is_for_and_what_it_takes(name: str) -> None:
    tool = describe_tool(name)
    assert tool.description
    assert len(tool.description) > 10
    assert tool.input_schema["type"] == "object"
    for parameter in tool.input_schema["properties"].values():
        assert parameter["description"]


def test_a_conversation() -> None:
    async def talk() -> None:
        command = ["-m", "skolem.cli", "serve", "--mcp", "--workers", "1"]
        server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
        async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as client:
            started = await client.initialize()
            assert "exists" in (started.instructions or "")
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)

            async def call(tool: str, **arguments: Any) -> tuple[Any, bool]:
                result = await client.call_tool(tool, arguments)
                return result.structured_content, result.is_error

            answer, failed = await call("plan", **MUGS)
            assert (answer["cost"], failed) == (6, False)
            answer, failed = await call("plan", domain=MUGS["domain"])
            assert (answer["message"], failed) == ("'problem' is missing", True)
            answer, failed = await call(
                "check", **{**MUGS, "problem": MUGS["problem"].replace("(clean ?m)", "(cln ?m)")}
            )
            assert failed
            assert answer["errors"][0]["message"] == "unknown predicate 'cln', expected 'clean'"
            assert "(cln ?m)" in answer["errors"][0]["text"]
            answer, failed = await call("session_ask", session="none")
            assert failed
            assert answer["message"].startswith("there is no such session")
            answer, failed = await call("nothing")
            assert failed

    asyncio.run(talk())
