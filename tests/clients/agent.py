"""An agent that plays shiritori (CONV-100), with the Python SDK.

    python agent.py URL PART

PART is a JSON object: agent_id, passkey and project_id; target and purpose where it is the one to
start; words, one for each that it hears (the starter says the first unasked); goodbye, said when they
are used up; ends, whether it ends the conversation then; waits, whether it says its first word only
when a line comes in. Prints a line of JSON for every call: the tool, and what it answered.
"""

import asyncio
import json
import sys

from mcp import Client

# Calls of get_next_action at most.
MOST = 60


class Agent:
    def __init__(self, client, part):
        self.client, self.part, self.token = client, part, None
        self.words = list(part.get("words", []))

    async def call(self, tool, **arguments):
        if self.token:
            arguments["session_token"] = self.token
        answered = await self.client.call_tool(tool, arguments)
        if answered.is_error:
            raise SystemExit(f"agent: {tool}: {answered}")
        answer = answered.structured_content
        print(json.dumps({"tool": tool, "answer": answer}, ensure_ascii=False), flush=True)
        return answer

    async def begin(self):
        who = {name: self.part[name] for name in ("agent_id", "passkey", "project_id")}
        self.token = (await self.call("authenticate", **who))["session_token"]
        if "target" not in self.part:
            return
        asked = {"target_agent_id": self.part["target"], "purpose": self.part["purpose"]}
        await self.call("start_conversation", **asked)
        if self.part.get("waits"):
            await asyncio.to_thread(sys.stdin.readline)
        if self.words:
            await self.say(self.part["target"])

    async def say(self, to):
        """The next word; the starter sends it, the other one responds with it."""
        word = self.words.pop(0)
        if "target" in self.part:
            await self.call("send_message", target_agent_id=to, content=word)
        else:
            await self.call("respond_chat", content=word)
        if not self.words and "target" not in self.part and self.part.get("ends"):
            await self.call("end_conversation")

    async def hear(self):
        for message in (await self.call("get_pending_messages"))["pending_messages"]:
            if self.words:
                await self.say(message["senderId"])
            elif "goodbye" in self.part:
                goodbye = self.part.pop("goodbye")
                await self.call("send_message", target_agent_id=message["senderId"], content=goodbye)
                await self.call("end_conversation")

    async def live(self):
        await self.begin()
        over = False
        for _ in range(MOST):
            timeout = 0 if over else 10
            event = await self.call("get_next_action", timeout_seconds=timeout)
            action = event["action"]
            if action in ("conversation_request", "get_pending_messages"):
                await self.hear()
            elif action in ("conversation_ended", "conversation_expired"):
                over = True
                # What was said last needs no answer.
                if event.get("pending_messages"):
                    await self.call("get_pending_messages")
            elif action != "wait_for_messages" or over:
                return
        raise SystemExit("agent: the conversation never ends")


async def main(url, part):
    async with Client(url, mode="auto") as client:
        await Agent(client, part).live()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
