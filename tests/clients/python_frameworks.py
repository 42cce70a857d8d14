"""Frameworks that stand between models and servers: each lists, calls, is refused, reads a resource and is
asked, where it has a way to be, and ends its session without a word of complaint.

    python python_frameworks.py URL fastmcp|langchain|openai

Prints one line of JSON with what the framework saw; ends with 1 where that is not what it should be.
"""

import asyncio
import json
import logging
import sys
import warnings

BOOK = "library://books/7"
UNKNOWN = {"user_id": "client", "showtime_id": "no-such-showtime", "seat_ids": ["A1"]}


def check(holds, message):
    if not holds:
        raise SystemExit(f"python_frameworks: {message}")


class Complaints(logging.Handler):
    """What is logged as a warning or worse, by any logger."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(f"{record.name}: {record.getMessage()}")


async def with_fastmcp(url):
    from fastmcp import Client
    from fastmcp.exceptions import ToolError

    async def answer(message, response_type, params, context):
        return response_type(name="花子")

    async with Client(url, elicitation_handler=answer) as client:
        tools = [it.name for it in await client.list_tools()]
        listed = await client.call_tool("list_movies", {})
        try:
            await client.call_tool("reserve_seats", UNKNOWN)
            refusal = {}
        except ToolError as error:
            refusal = json.loads(str(error))
        greeted = await client.call_tool("greet", {})
        text = (await client.read_resource(BOOK))[0].text
        return {
            "tools": tools,
            "movies": len(listed.structured_content["movies"]),
            "refusal": refusal["error"],
            "read": text,
            "greeting": greeted.structured_content["greeting"],
        }


async def with_langchain(url):
    from langchain_mcp_adapters.callbacks import Callbacks
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from mcp.types import ElicitResult

    async def answer(context, params, callback_context):
        return ElicitResult(action="accept", content={"name": "花子"})

    counter = {"counter": {"url": url, "transport": "http"}}
    client = MultiServerMCPClient(counter, callbacks=Callbacks(on_elicitation=answer))
    tools = {it.name: it for it in await client.get_tools()}

    async def call(name, arguments):
        tool_call = {"name": name, "args": arguments, "id": "1", "type": "tool_call"}
        return await tools[name].ainvoke(tool_call)

    def text(message):
        content = message.content
        return content if isinstance(content, str) else content[0]["text"]

    refused = await call("reserve_seats", UNKNOWN)
    check(refused.status == "error", f"reserve_seats: {refused}")
    blobs = await client.get_resources("counter", uris=[BOOK])
    return {
        "tools": list(tools),
        "movies": len(json.loads(text(await call("list_movies", {})))["movies"]),
        "refusal": json.loads(text(refused))["error"],
        "read": blobs[0].as_string(),
        "greeting": json.loads(text(await call("greet", {})))["greeting"],
    }


async def with_openai(url):
    from agents.mcp import MCPServerStreamableHttp

    # By itself it gives up after five seconds, which a busy machine may take.
    async with MCPServerStreamableHttp(
        params={"url": url}, client_session_timeout_seconds=60, name="counter"
    ) as server:
        tools = [it.name for it in await server.list_tools()]
        listed = await server.call_tool("list_movies", {})
        refused = await server.call_tool("reserve_seats", UNKNOWN)
        check(getattr(refused, "isError", None) or refused.is_error, f"reserve_seats: {refused}")
        read = await server.read_resource(BOOK)
        return {
            "tools": tools,
            "movies": len(json.loads(listed.content[0].text)["movies"]),
            "refusal": json.loads(refused.content[0].text)["error"],
            "read": read.contents[0].text,
        }


def main():
    url, framework = sys.argv[1:]
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    frameworks = {"fastmcp": with_fastmcp, "langchain": with_langchain, "openai": with_openai}
    # What frameworks say of their own libraries is not said of us.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = asyncio.run(frameworks[framework](url))
    print(json.dumps({**report, "complaints": complaints.lines}, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
