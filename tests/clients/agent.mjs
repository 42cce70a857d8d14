// An agent that plays shiritori (CONV-100), with the TypeScript SDK v1.
//
//   node agent.mjs URL PART
//
// What PART is, and what is printed, stands in agent.py, which does the same.

import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

// Calls of get_next_action at most.
const MOST = 60;

const [url, text] = process.argv.slice(2);
const { agent_id, passkey, project_id, target, purpose, words = [], ...part } = JSON.parse(text);
const client = new Client({ name: "agent", version: "1.0.0" });
let session_token;

async function call(tool, given = {}) {
  const answered = await client.callTool({ name: tool, arguments: { ...given, session_token } });
  if (answered.isError) throw new Error(`${tool}: ${JSON.stringify(answered)}`);
  const answer = answered.structuredContent;
  console.log(JSON.stringify({ tool, answer }));
  return answer;
}

async function line() {
  const lines = createInterface({ input: process.stdin });
  for await (const _ of lines) break;
  lines.close();
}

/** The next word; the starter sends it, the other one responds with it. */
async function say(to) {
  const content = words.shift();
  if (target) await call("send_message", { target_agent_id: to, content });
  else await call("respond_chat", { content });
  if (!words.length && !target && part.ends) await call("end_conversation");
}

async function begin() {
  const { session_token: token } = await call("authenticate", { agent_id, passkey, project_id });
  session_token = token;
  if (!target) return;
  await call("start_conversation", { target_agent_id: target, purpose });
  if (part.waits) await line();
  if (words.length) await say(target);
}

async function hear() {
  for (const { senderId } of (await call("get_pending_messages")).pending_messages) {
    if (words.length) await say(senderId);
    else if (part.goodbye) {
      await call("send_message", { target_agent_id: senderId, content: part.goodbye });
      delete part.goodbye;
      await call("end_conversation");
    }
  }
}

async function live() {
  await begin();
  let over = false;
  for (let calls = 0; calls < MOST; calls += 1) {
    const { action, pending_messages: last } =
      await call("get_next_action", { timeout_seconds: over ? 0 : 10 });
    if (["conversation_request", "get_pending_messages"].includes(action)) await hear();
    else if (["conversation_ended", "conversation_expired"].includes(action)) {
      over = true;
      // What was said last needs no answer.
      if (last) await call("get_pending_messages");
    }
    else if (action !== "wait_for_messages" || over) return;
  }
  throw new Error("the conversation never ends");
}

await client.connect(new StreamableHTTPClientTransport(new URL(url)));
await live();
await client.close();
