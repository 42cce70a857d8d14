// The TypeScript SDK v1: opens with `initialize`, as most clients in the field still do.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { main, play, wait } from "./scenario.mjs";

await main(async ({ url, stdio, listenMs }) => {
  const client = new Client({ name: "sdk-v1", version: "1.0.0" });
  const heard = new Promise((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, resolve),
  );
  const transport = stdio ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  const seen = await play(client);
  const changed = listenMs ? await wait(heard, listenMs) : undefined;
  const tools = changed ? (await client.listTools()).tools.map((tool) => tool.name) : seen.tools;
  await client.close();
  return { client: "sdk-v1", era: "legacy", protocol: transport.protocolVersion, ...seen, tools, changed };
});
