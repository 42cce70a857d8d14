// The TypeScript SDK v1: opens with `initialize`, as most clients in the field still do.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { BOOK, answer, browse, main, play, soon, talk, wait } from "./scenario.mjs";

/** Subscribes to a book, has the bell rung, and hears of it. */
async function hear(client) {
  const updated = new Promise((resolve) =>
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)),
  );
  await client.subscribeResource({ uri: BOOK });
  await client.callTool({ name: "ring", arguments: { uri: BOOK } });
  const uri = await soon(updated);
  await client.unsubscribeResource({ uri: BOOK });
  return uri;
}

await main(async ({ url, stdio, listenMs }) => {
  const client = new Client({ name: "sdk-v1", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, answer);
  const changes = new Promise((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, resolve),
  );
  const transport = stdio ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  const played = await play(client);
  const talked = await talk((params, options) => client.callTool(params, undefined, options));
  const browsed = await browse(client);
  const updated = await hear(client);
  const changed = listenMs ? await wait(changes, listenMs) : undefined;
  const tools = changed ? (await client.listTools()).tools.map((tool) => tool.name) : played.tools;
  await client.close();
  const { protocolVersion: protocol } = transport;
  return { client: "sdk-v1", era: "legacy", protocol, ...played, ...talked, ...browsed, updated, tools, changed };
});
