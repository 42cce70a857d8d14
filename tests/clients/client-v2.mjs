// The TypeScript client v2, pinned to the modern era: no handshake, no session.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BOOK, answer, browse, main, play, soon, talk, wait } from "./scenario.mjs";

const MODERN = "2026-07-28";

/** Listens for a book, has the bell rung, and hears of it. */
async function hear(client) {
  const updated = new Promise((resolve) =>
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri)),
  );
  const subscription = await client.listen({ resourceSubscriptions: [BOOK] });
  await client.callTool({ name: "ring", arguments: { uri: BOOK } });
  const uri = await soon(updated);
  await subscription.close();
  return uri;
}

await main(async ({ url, stdio, listenMs }) => {
  const client = new Client(
    { name: "client-v2", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: MODERN } } },
  );
  client.setRequestHandler("elicitation/create", answer);
  const changes = new Promise((resolve) =>
    client.setNotificationHandler("notifications/tools/list_changed", resolve),
  );
  await client.connect(stdio ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(url));
  const played = await play(client);
  const talked = await talk((params, options) => client.callTool(params, options));
  const browsed = await browse(client);
  const updated = await hear(client);
  let { tools } = played;
  let changed;
  if (listenMs) {
    const subscription = await client.listen({ toolsListChanged: true });
    changed = await wait(changes, listenMs);
    await subscription.close();
    if (changed) tools = (await client.listTools()).tools.map((tool) => tool.name);
  }
  const protocol = client.getNegotiatedProtocolVersion();
  await client.close();
  if (protocol !== MODERN) throw new Error(`negotiated ${protocol}`);
  return { client: "client-v2", era: "modern", protocol, ...played, ...talked, ...browsed, updated, tools, changed };
});
