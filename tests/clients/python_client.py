"""The Python SDK: negotiates by itself, lists, calls, is refused (SYS-8), is asked, hears, gives up.

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
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp.types import ElicitResult, ResourceUpdatedNotification

BOOK = "library://books/7"

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


async def answer(context, params):
    """What a person who says yes to everything answers to a form."""
    kinds = {"boolean": True, "string": "花子"}
    fields = params.requested_schema.get("properties", {})
    content = {name: kinds.get(field.get("type"), 1) for name, field in fields.items()}
    return ElicitResult(action="accept", content=content)


async def talk(client):
    for tool in ("greet", "greet_twice"):
        greeted = await client.call_tool(tool, {})
        greeting = (greeted.structured_content or {}).get("greeting")
        check(greeting == "Hello, 花子!", f"{tool}: {greeted}")

    notes = []
    noted = asyncio.Event()

    async def note(progress, total, message):
        notes.append(progress)
        noted.set()

    counted = await client.call_tool("count_slowly", {"steps": 50}, progress_callback=note)
    check(counted.structured_content == {"counted": 50}, f"count_slowly: {counted}")
    # The SDK hands notes over beside the result: the first may come a moment behind it.
    await asyncio.wait_for(noted.wait(), 60)

    running = asyncio.Event()

    async def begun(progress, total, message):
        running.set()

    given = client.call_tool("count_slowly", {"steps": 20000}, progress_callback=begun)
    given = asyncio.ensure_future(given)
    await asyncio.wait_for(running.wait(), 60)
    given.cancel()
    ended = (await asyncio.gather(given, return_exceptions=True))[0]
    check(isinstance(ended, asyncio.CancelledError), f"a call that is given up ends: {ended}")
    # It has the only place there is: answered once the one that was given up has left it.
    after = await client.call_tool("echo", {"value": {"after": True}})
    check(after.structured_content == {"value": {"after": True}}, f"echo: {after}")
    return {"greeting": greeting, "notes": len(notes)}


async def browse(client):
    uris = [str(it.uri) for it in (await client.list_resources()).resources]
    check("library://cover" in uris, f"resources/list: {uris}")
    templates = (await client.list_resource_templates()).resource_templates
    check(any(it.uri_template == "library://books/{number}" for it in templates), f"{templates}")
    text = (await client.read_resource(BOOK)).contents[0].text
    check(text == f"The text of {BOOK}.", f"resources/read: {text}")
    prompts = [it.name for it in (await client.list_prompts()).prompts]
    check("recommend" in prompts, f"prompts/list: {prompts}")
    messages = (await client.get_prompt("recommend", {"topic": "tea"})).messages
    check(messages[0].content.text == "A book on tea for any mood, please.", f"{messages}")
    return {"read": text}


async def hear(client, updates):
    """Has the bell rung for a book, and hears of it, in either era."""
    if client.protocol_version >= "2026-07-28":
        async with client.listen(resource_subscriptions=[BOOK]) as events:
            await client.call_tool("ring", {"uri": BOOK})
            event = await asyncio.wait_for(anext(aiter(events)), 60)
            check(isinstance(event, ResourceUpdated), f"{event}")
            return str(event.uri)
    await client.subscribe_resource(BOOK)
    await client.call_tool("ring", {"uri": BOOK})
    return await asyncio.wait_for(updates.get(), 60)


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
    updates = asyncio.Queue()

    async def on_message(message):
        if isinstance(message, ResourceUpdatedNotification):
            updates.put_nowait(str(message.params.uri))

    options = {"mode": arguments.era, "elicitation_callback": answer, "message_handler": on_message}
    async with Client(server, **options) as client:
        played = await play(client)
        played |= await talk(client)
        played |= await browse(client)
        played["updated"] = await hear(client, updates)
        if arguments.listen:
            played["changed"] = await listen(client, arguments.listen)
        played["protocol"] = client.protocol_version
    modern = played["protocol"] >= "2026-07-28"
    check(modern != (arguments.era == "legacy"), f"negotiated {played['protocol']}")
    return {"client": "python", "era": "modern" if modern else "legacy", **played}


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
