// The TypeScript client v2, pinned to the modern era: no handshake, no session.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { main, play, wait } from "./scenario.mjs";

const MODERN = "2026-07-28";

await main(async ({ url, stdio, listenMs }) => {
  const client = new Client(
    { name: "client-v2", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: MODERN } } },
  );
  const heard = new Promise((resolve) =>
    client.setNotificationHandler("notifications/tools/list_changed", resolve),
  );
  await client.connect(stdio ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(url));
  const seen = await play(client);
  let { tools } = seen;
  let changed;
  if (listenMs) {
    const subscription = await client.listen({ toolsListChanged: true });
    changed = await wait(heard, listenMs);
    await subscription.close();
    if (changed) tools = (await client.listTools()).tools.map((tool) => tool.name);
  }
  const protocol = client.getNegotiatedProtocolVersion();
  await client.close();
  if (protocol !== MODERN) throw new Error(`negotiated ${protocol}`);
  return { client: "client-v2", era: "modern", protocol, ...seen, tools, changed };
});
