// How long one call takes with an ordinary keep-alive client: Node's fetch, one call after another.
//
//   node latency.mjs URL plain|modern|legacy CALLS TOOL ARGUMENTS
//
// `plain` posts the arguments themselves. Prints one line: {"p50_ms", "p99_ms", "calls"}.

import { performance } from "node:perf_hooks";

const [url, era, calls, tool, json] = process.argv.slice(2);
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function post(body) {
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return { response, text };
}

function request(method, params, id = 1) {
  return { jsonrpc: "2.0", id, method, params };
}

async function body() {
  const params = { name: tool, arguments: JSON.parse(json) };
  if (era === "plain") return params.arguments;
  if (era === "modern") {
    Object.assign(headers, { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": tool });
    const meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": { name: "latency", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    return request("tools/call", { ...params, _meta: meta });
  }
  const hello = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "latency", version: "1.0.0" } };
  const { response } = await post(request("initialize", hello));
  const session = response.headers.get("mcp-session-id");
  if (session) headers["mcp-session-id"] = session;
  headers["mcp-protocol-version"] = LEGACY;
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return request("tools/call", params, 2);
}

const call = await body();
const times = [];
const warmUp = 50;
for (let n = 0; n < Number(calls) + warmUp; n++) {
  const begun = performance.now();
  const { text } = await post(call);
  if (n >= warmUp) times.push(performance.now() - begun);
  if (n === 0 && (text.includes('"isError":true') || text.includes('"error":'))) throw new Error(text);
}
times.sort((a, b) => a - b);
const at = (share) => times[Math.floor(times.length * share)];
console.log(JSON.stringify({ p50_ms: at(0.5), p99_ms: at(0.99), calls: times.length }));
