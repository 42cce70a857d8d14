"""Greets people: one tool, to begin with."""

from dataclasses import dataclass
from typing import Annotated

from madoguchi import Refused, Text, example, tool


@dataclass
class Greeted:
    """What the tool answers: clients get its schema."""

    text: str


@tool(title=Text("挨拶", "Greet"), description=Text("名前を呼んで挨拶する。", "Greets someone by name."), read_only=True)
def greeting(
    name: Annotated[str, Text("相手の名前", "Their name, 1 to 100 characters"), {"minLength": 1, "maxLength": 100}],
) -> Greeted:
    if not name.strip():
        # A refusal has a code for programs and a sentence that says what would be right.
        raise Refused("no_name", 400, "The name is blank: send at least one letter.")
    return Greeted(f"Hello, {name}!")


# The host calls these on a database that is thrown away, before it serves a new version.
example("greets by name", "greeting", {"name": "花子"}).gives({"text": "Hello, 花子!"})
example("a blank name is refused", "greeting", {"name": " "}).refuses("no_name")
example("a name is needed", "greeting", {}).refuses_the_arguments()
