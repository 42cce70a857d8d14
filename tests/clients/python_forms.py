"""The Python SDK asks for a form (FORM-11): without a person to ask, or with one who answers.

    python_forms.py URL plain|answer|decline|cancel|url [--era auto|legacy]

Reads {"form": …, "answers": {…}} from its standard input and prints one line of JSON for each thing
that happens: what was asked for, each question, and at last how it ended. `plain` has no way to ask
anybody: it says where the form is and waits until a person has filled it in there. `answer` has one
that fills in, `answers` holding for each field what to choose or to type, one after another where a
field is asked for in several rounds. `url` goes where it is sent.
"""

import argparse
import asyncio
import json
import sys

from mcp import Client
from mcp.types import ElicitResult

ROUNDS_MAX = 30


def say(**what):
    print(json.dumps(what, ensure_ascii=False), flush=True)


def text_of(result):
    return [it.text for it in result.content if it.type == "text"]


def summary(result):
    return {
        "error": bool(result.is_error),
        "structured": result.structured_content,
        "meta": result.meta,
        "text": text_of(result),
    }


def choice(schema, wanted):
    """The option that says what is wanted, or what is wanted itself where nothing is to choose."""
    if "items" in schema:
        return [choice(schema["items"], it) for it in wanted]
    options = schema.get("oneOf") or schema.get("anyOf")
    if options:
        named = [it["const"] for it in options if str(wanted) in (it["const"], it["title"])]
        named += [it["const"] for it in options if str(wanted) in it["title"]]
        return named[0]
    if "enum" in schema:
        names = schema.get("enumNames", schema["enum"])
        named = [value for value, name in zip(schema["enum"], names) if str(wanted) in (value, name)]
        named += [value for value, name in zip(schema["enum"], names) if str(wanted) in name]
        return named[0]
    return wanted


def person(how, answers):
    """What a person answers to each question."""
    left = {name: it if isinstance(it, list) else [it] for name, it in answers.items()}

    async def answer(context, params):
        url = getattr(params, "url", None)
        schema = getattr(params, "requested_schema", None)
        say(asked=params.message, mode=params.mode, url=url, schema=schema)
        if how in ("decline", "cancel"):
            return ElicitResult(action=how)
        if url:
            return ElicitResult(action="accept")
        content = {}
        for name, property in schema["properties"].items():
            if left.get(name):
                content[name] = choice(property, left[name].pop(0))
        return ElicitResult(action="accept", content=content)

    return answer


async def run(arguments, given):
    options = {"mode": arguments.era, "input_required_max_rounds": ROUNDS_MAX}
    if arguments.how != "plain":
        options["elicitation_callback"] = person(arguments.how, given.get("answers", {}))
    async with Client(arguments.url, **options) as client:
        result = await client.call_tool("request_form", {"form_schema": given["form"]})
        say(requested=summary(result))
        if arguments.how != "plain":
            return
        handle = result.meta["forms/form"]["handle"]
        wait = {"handle": handle, "timeout_seconds": 30}
        answer = await client.call_tool("get_form_submission", wait)
        say(answered=summary(answer))


def main():
    parser = argparse.ArgumentParser(description="the Python SDK asks for a form")
    parser.add_argument("url")
    parser.add_argument("how", choices=["plain", "answer", "decline", "cancel", "url"])
    parser.add_argument("--era", default="auto")
    arguments = parser.parse_args()
    asyncio.run(run(arguments, json.load(sys.stdin)))


if __name__ == "__main__":
    sys.exit(main())
