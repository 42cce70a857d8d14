"""The Python SDK: negotiates by itself, lists, calls, is refused (SYS-8).

    python python_client.py URL [--era auto|legacy|2026-07-28] [--listen SECONDS]
    python python_client.py --stdio PROGRAM [ARGUMENT…]

Prints one line of JSON with what the client saw; ends with 1 where that is not what it should be.
With --listen a line {"ready": true} comes first; the client then waits for the first notice of
changed tools, at most so many seconds.
"""

import argparse
import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.subscriptions import ToolsListChanged

SIX = {
    "get_conversation_history",
    "list_available_seats",
    "list_movies",
    "list_showtimes",
    "record_conversation",
    "reserve_seats",
}


def check(holds, message):
    if not holds:
        raise SystemExit(f"python_client: {message}")


async def play(client):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    check(SIX <= set(tools), f"tools/list lacks {sorted(SIX - set(tools))}")

    listed = await client.call_tool("list_movies", {})
    check(not listed.is_error, f"list_movies: {listed}")
    movies = listed.structured_content["movies"]
    check(movies, "there are films")
    check(json.loads(listed.content[0].text) == listed.structured_content, "text and structure agree")

    unknown = {"user_id": "client", "showtime_id": "no-such-showtime", "seat_ids": ["A1"]}
    refused = await client.call_tool("reserve_seats", unknown)
    refusal = (refused.meta or {}).get("madoguchi/error", {})
    check(refused.is_error, f"reserve_seats: {refused}")
    check(refused.structured_content is None, "a refusal has no structured content")
    check(refusal.get("error") == "showtime_not_found", f"the refusal's code: {refusal}")
    check(refusal.get("status") == 404, f"the refusal's status: {refusal}")
    check(json.loads(refused.content[0].text) == refusal, "text and _meta agree")
    return {"tools": tools, "movies": len(movies), "refusal": refusal}


async def listen(client, seconds):
    async def first():
        async with client.listen(tools_list_changed=True) as events:
            print(json.dumps({"ready": True}), flush=True)
            async for event in events:
                if isinstance(event, ToolsListChanged):
                    return True
        return False

    try:
        return await asyncio.wait_for(first(), seconds)
    except asyncio.TimeoutError:
        return False


async def run(arguments):
    if arguments.stdio:
        server = StdioServerParameters(command=arguments.stdio[0], args=arguments.stdio[1:])
    else:
        server = arguments.url
    async with Client(server, mode=arguments.era) as client:
        seen = await play(client)
        if arguments.listen:
            seen["changed"] = await listen(client, arguments.listen)
        seen["protocol"] = client.protocol_version
    modern = seen["protocol"] >= "2026-07-28"
    check(modern != (arguments.era == "legacy"), f"negotiated {seen['protocol']}")
    return {"client": "python", "era": "modern" if modern else "legacy", **seen}


def main():
    parser = argparse.ArgumentParser(description="the Python SDK against the host")
    parser.add_argument("url", nargs="?")
    parser.add_argument("--era", default="auto")
    parser.add_argument("--listen", type=float)
    parser.add_argument("--stdio", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if bool(arguments.url) == bool(arguments.stdio):
        parser.error("give a URL, or --stdio PROGRAM")
    print(json.dumps(asyncio.run(run(arguments)), ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
