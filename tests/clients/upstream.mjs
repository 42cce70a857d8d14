// A server by the TypeScript SDK v1, for the host to have behind its counter: over HTTP with
// sessions, over the deprecated HTTP+SSE, or over its standard streams.
//
//   node upstream.mjs http|sse PORT      prints {"port": N} once it listens; TOKEN asks for a bearer
//   node upstream.mjs stdio

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const [mode, port = "0"] = process.argv.slice(2);

function server() {
  const server = new McpServer({ name: "upstream", version: "1.0.0" });
  const sum = { title: "Add", description: "Adds two numbers.", inputSchema: { a: z.number(), b: z.number() } };
  server.registerTool(
    "add",
    { ...sum, outputSchema: { sum: z.number() }, annotations: { readOnlyHint: true } },
    ({ a, b }) => ({
      content: [{ type: "text", text: `${a + b}` }],
      structuredContent: { sum: a + b },
      _meta: { "example.com/by": mode },
    }),
  );
  server.registerTool("environment", { description: "Names what it sees of the environment." }, () => ({
    content: [{ type: "text", text: Object.keys(process.env).sort().join(" ") }],
  }));
  server.registerPrompt("hello", { description: "Says hello." }, () => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello from ${mode}` } }],
  }));
  server.registerResource("note", `note://${mode}/1`, { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, text: `a note of ${mode}` }],
  }));
  return server;
}

const sessions = new Map();

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
}

async function overHttp(request, response) {
  const session = sessions.get(request.headers["mcp-session-id"]);
  const message = request.method === "POST" ? await body(request) : undefined;
  if (session) return session.handleRequest(request, response, message);
  if (message?.method !== "initialize") {
    // As the SDK's own examples do.
    const error = { code: -32000, message: "Bad Request: No valid session ID provided" };
    response.writeHead(400, { "content-type": "application/json" });
    return response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server().connect(transport);
  return transport.handleRequest(request, response, message);
}

async function overSse(request, response) {
  const url = new URL(request.url, "http://127.0.0.1");
  if (request.method === "GET" && url.pathname === "/sse") {
    const transport = new SSEServerTransport("/messages", response);
    sessions.set(transport.sessionId, transport);
    return server().connect(transport);
  }
  const session = sessions.get(url.searchParams.get("sessionId"));
  if (request.method === "POST" && url.pathname === "/messages" && session) {
    return session.handlePostMessage(request, response);
  }
  return response.writeHead(request.method === "POST" && url.pathname === "/sse" ? 405 : 404).end();
}

if (mode === "stdio") {
  await server().connect(new StdioServerTransport());
} else {
  const answer = mode === "sse" ? overSse : overHttp;
  const listener = createServer((request, response) => {
    const token = process.env.TOKEN;
    if (token && request.headers.authorization !== `Bearer ${token}`) {
      return response.writeHead(401).end();
    }
    return answer(request, response).catch((error) => response.destroy(error));
  });
  listener.listen(Number(port), "127.0.0.1", () => console.log(JSON.stringify({ port: listener.address().port })));
}
