"""A language model's program calls Skolem's tools over MCP: a mistake is repaired, a mug disappears, another is bound.

python examples/robot/over_mcp.py
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

HERE = Path(__file__).parent


async def fetch_a_mug() -> None:
    """Calls the tools as a model would."""
    command = ["-m", "skolem.cli", "serve", "--mcp", "--workers", "1"]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as client:
        await client.initialize()

        async def call(tool: str, **arguments: Any) -> Any:
            return (await client.call_tool(tool, arguments)).structured_content

        texts = {
            name: (HERE / f"{file}.pddl").read_text() for name, file in (("domain", "domain"), ("problem", "mugs"))
        }
        wrong = {**texts, "problem": texts["problem"].replace("(clean ?m)", "(cleen ?m)")}
        print("a mistake:", (await call("check", **wrong))["message"])

        session = (await call("session_open", **texts))["session"]
        answer = await call("session_ask", session=session)
        print("first:", answer["binding"], *answer["plan"])
        answer = await call("session_ask", session=session, gone=[answer["binding"]["?m"]])
        print("after it is gone:", answer["binding"], f"kept: {answer['kept']},", answer["why"])
        explained = await call("explain", **texts, why={"?m": "plate1"})
        print("why not the plate:", explained["forced"][0]["text"])


if __name__ == "__main__":
    asyncio.run(fetch_a_mug())
