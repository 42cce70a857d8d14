"""What tests ask of a component in Python whose calls await, as WASI 0.3 has it, and what is not to be done."""

import asyncio

from madoguchi import Refused, Text, User, example, sleep, sql, tool


def declared(name: str):
    return tool(name=f"await_{name}", title=Text(name, name), description=Text(f"{name}。", f"Does {name}."), additive=True)


@declared("naps")
async def naps(each_ms: list[int]) -> dict:
    order = []

    async def nap(ms: int):
        await sleep(ms / 1000)
        order.append(ms)

    await asyncio.gather(*map(nap, each_ms))
    return {"order": order, "sum": sql.query("SELECT 40 + $1 AS sum", len(order))[0]["sum"]}


@declared("plain")
def plain(text: str) -> dict:
    return {"text": text}


@declared("late")
async def late() -> dict:
    await sleep(0.001)
    raise Refused("too_late", 409, "It is too late.")


@declared("broken")
async def broken() -> dict:
    await sleep(0.001)
    return [][3]


@declared("unending")
async def unending() -> dict:
    await sleep(3600)


@declared("handles")
async def handles() -> dict:
    await asyncio.gather(*(sleep(3600) for _ in range(1000)))


@declared("whirl")
async def whirl() -> dict:
    await sleep(0.001)
    while True:
        pass


@declared("swell")
async def swell() -> dict:
    await sleep(0.001)
    kept = []
    while True:
        kept.append(bytes(1 << 20))


@declared("confirm")
async def confirm(user: User) -> dict:
    await sleep(0.001)
    user.confirm("Really?")
    return {"is": "confirmed"}


example("what awaits nothing answers too", "await_plain", {"text": "a"}).gives({"text": "a"})
