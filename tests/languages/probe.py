"""What tests ask of a component in Python: all that the kit offers, and what is not to be done."""

import random
import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from madoguchi import (Conflict, Invalid, Refused, Text, User, blobs, caller, configured, example, files, fresh_id, http, log,
                       migration, progress, setting, sql, tool)


def declared(name: str):
    text = lambda en: Text(f"{en}（日本語）", en)
    return tool(name=f"py_{name}", title=text(name), description=text(f"Does {name}."), additive=True)


migration("notes", "CREATE TABLE notes (body TEXT NOT NULL UNIQUE, weight REAL, data BLOB)")


@dataclass
class Seat:
    row: Annotated[str, Text("列", "The row"), {"pattern": "^[A-Z]$"}]
    number: Annotated[int, {"minimum": 1, "maximum": 20}] = 1


@dataclass
class Seats:
    rows: list[str]
    kind: str


@declared("seats")
def seats(seats: Annotated[list[Seat], {"minItems": 1, "maxItems": 3}], kind: Literal["adult", "child"] = "adult") -> Seats:
    return Seats([f"{it.row}{it.number}" for it in seats], kind)


@declared("note")
def note(body: str) -> dict:
    try:
        added, (row,) = sql.transact(("INSERT INTO notes VALUES ($1, $2, $3)", body, 0.5, bytes([1, 2, 255])),
                                     "SELECT count(*) AS n, max(weight) AS w FROM notes")
    except Conflict as conflict:
        raise Refused("taken", 409, "There is such a note.", {"of": conflict.constraint}) from conflict
    assert added.changes == 1
    kept = sql.query("SELECT data FROM notes WHERE body = $1", body)[0]["data"]
    big = sql.query("SELECT 9007199254740991 AS big")[0]["big"]
    return {"count": row["n"], "weight": row["w"], "bytes": len(kept) + kept[2], "big": big}


@declared("wrong_sql")
def wrong_sql() -> dict:
    return {"it": sql.query("SELECT * FROM nowhere")}


@dataclass
class Name:
    name: str


@declared("ask")
def ask(user: User) -> dict:
    user.remember({"round": ((user.remembered() or {}).get("round") or 0) + 1})
    name = user.ask("name", "お名前は？" if user.language == "ja" else "What is your name?", Name).name
    user.confirm(f"Greet {name}?")
    hello = "こんにちは" if user.language == "ja" else "Hello"
    user.show(hello)
    user.tell("probe/round", user.remembered()["round"])
    return {"text": f"{hello} {name}", "began": int(user.first_called_at.timestamp() * 1000)}


@declared("who")
def who() -> dict:
    progress(1, 2, "half")
    log.info("asked who", {"by": caller.principal()})
    print("printed")
    return {"name": caller.principal(), "locale": caller.locale() or "", "scopes": len(caller.scopes())}


@dataclass
class Size:
    size: Literal["small", "large"]


@declared("choose")
def choose(user: User) -> Size:
    return user.ask("size", "Which size?", Size)


@declared("blank")
def blank(must: str, note: str | None = None, size: Literal["small", "large"] = "small", none: str | None = "") -> dict:
    return {"given": {"must": must, "size": size, "none": none} | ({} if note is None else {"note": note})}


@dataclass
class Found:
    title: str | None
    pair: tuple[str, int]
    note: str | None = None


@declared("find")
def find(title: str | None, pair: tuple[str, int] = ("a", 1), is_there: bool = True) -> Found | None:
    return Found(title, pair) if is_there else None


@declared("set")
def set_() -> dict[str, Any]:
    return {"value": setting("colour")}


@declared("fetch")
def fetch(url: str) -> dict:
    answer = http(url, method="POST", json={"a": "é"},
                  headers={"x-probe": "1", "Content-Type": "application/probe+json"})
    return {"status": answer.status, "text": answer.successful().text()}


@declared("roll")
def roll() -> dict:
    return {"one": random.random(), "id": fresh_id("p")}


@configured
def check():
    if setting("colour") == "mauve":
        raise Invalid("/colour", "must be no mauve")


# ---- What goes wrong ----


def broken(it: list):
    return it[3]


class Routes:
    def routes(self):
        from wit_world.exports.routes import Route

        return [Route("GET", path, [], 0, False) for path in ("none", "broken")]

    def handle(self, request):
        if request.route == "none":
            raise Refused("no_such", 404, "There is none.")
        return broken([])


class Endpoints:
    def get(self, request):
        if request.path == "look/none":
            raise Refused("no_such", 404, "There is none.")
        return broken([])


@declared("size")
def size() -> dict:
    return {"size": files.size("book")}


@declared("photo")
def photo() -> dict:
    return {"size": blobs.stat("00").size}


@declared("fail")
def fail() -> dict:
    return broken([])


@declared("refuse")
def refuse(status: int) -> dict:
    raise Refused("unfit", status, "The status is none of an error.")


@declared("keep_much")
def keep_much() -> dict:
    return {"it": sql.query("SELECT $1 AS it", 2**63)}


@declared("half")
def half() -> dict:
    return {"it": "\ud83d"}


@declared("clock")
def clock() -> dict:
    return {"now": int(time.time() * 1000)}


@declared("spin")
def spin() -> dict:
    while True:
        pass


@declared("hoard")
def hoard() -> dict:
    held = []
    while True:
        held.append(bytearray(1 << 20))


@declared("bloat")
def bloat() -> dict:
    return {"text": "x" * (9 << 20)}


@declared("recurse")
def recurse() -> dict:
    def down(it: int) -> int:
        return 1 + down(it + 1)

    return {"it": down(0)}


example("seats have rows", "py_seats", {"seats": [{"row": "A"}]}).gives({"rows": ["A1"]})
example("no seat is no call", "py_seats", {"seats": []}).refuses_the_arguments()
example("it asks", "py_ask", {}).asks()
