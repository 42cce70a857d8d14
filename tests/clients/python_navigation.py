"""The Python SDK asks the way (NAV-20, NAV-25, NAV-30).

    python_navigation.py URL [--era auto|legacy]

Reads [{"name": …, "arguments": {…}}, …] from its standard input, and prints one line of JSON: the list
of tools as it sees them, and then one for each call.
"""

import argparse
import asyncio
import json
import sys

from mcp import Client


def say(**what):
    print(json.dumps(what, ensure_ascii=False), flush=True)


async def run(arguments, calls):
    async with Client(arguments.url, mode=arguments.era) as client:
        tools = (await client.list_tools()).tools
        say(tools=[
            {"name": it.name, "description": it.description, "inputSchema": it.input_schema}
            for it in tools
        ])
        for call in calls:
            result = await client.call_tool(call["name"], call["arguments"])
            say(
                error=bool(result.is_error),
                structured=result.structured_content,
                meta=result.meta,
                text=[it.text for it in result.content if it.type == "text"],
            )


def main():
    parser = argparse.ArgumentParser(description="the Python SDK asks the way")
    parser.add_argument("url")
    parser.add_argument("--era", default="auto")
    arguments = parser.parse_args()
    asyncio.run(run(arguments, json.load(sys.stdin)))


if __name__ == "__main__":
    sys.exit(main())
