// A program that shows MCP Apps, made of the official packages as the reference host of ext-apps is: its client calls a
// tool, its AppBridge talks with the frame, and the frame lies in a sandbox at another origin (sandbox.html).

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";

const asked = new URLSearchParams(location.search);
const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } };
const mode = asked.get("era") === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
const client = new Client({ name: "apps-host", version: "1.0.0" }, { capabilities, ...mode });

/** What has come of it, for the test that looks. */
const seen = { said: [], told: [], opened: [], sizes: 0, logged: [] };
let context = { theme: "light", locale: "en", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"], timeZone: "Asia/Tokyo" };
let shown = null; // { tool, input, result, html, csp }
let bridge = null;

/** A frame around `html`, which talks with a bridge of its own. */
async function show() {
  bridge = null;
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.title = "app";
  const ready = new Promise((resolve) => {
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.method !== "ui/notifications/sandbox-proxy-ready") return;
      removeEventListener("message", hear);
      resolve();
    };
    addEventListener("message", hear);
  });
  frame.src = asked.get("sandbox");
  document.body.append(frame);
  await ready;
  const host = { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, updateModelContext: { text: {} }, message: { text: {} } };
  const now = new AppBridge(client, { name: "apps-host", version: "1.0.0" }, host, { hostContext: context });
  const initialized = new Promise((resolve) => (now.oninitialized = resolve));
  now.onsizechange = ({ height }) => {
    seen.sizes += 1;
    if (height) frame.style.height = `${height}px`;
  };
  now.onmessage = async (it) => (seen.said.push(it.content[0].text), {});
  now.onopenlink = async (it) => (seen.opened.push(it.url), {});
  now.onupdatemodelcontext = async (it) => (seen.told.push(it.content?.[0]?.text), {});
  now.onrequestdisplaymode = async (it) => {
    change({ displayMode: it.mode });
    return { mode: it.mode };
  };
  await now.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await now.sendSandboxResourceReady({ html: shown.html, csp: shown.csp });
  await initialized;
  bridge = now;
  await now.sendToolInput({ arguments: shown.input });
  await now.sendToolResult(shown.result);
}

/** Calls a tool as a model would, and shows the app that its definition names. */
async function call(name, input) {
  const { tools } = await client.listTools();
  const tool = tools.find((it) => it.name === name);
  const uri = getToolUiResourceUri(tool);
  if (!uri) throw new Error(`${name} names no app`);
  const { contents } = await client.readResource({ uri });
  const [{ text: html, mimeType, _meta }] = contents;
  if (mimeType !== RESOURCE_MIME_TYPE) throw new Error(`${uri} is ${mimeType}`);
  const result = await client.callTool({ name, arguments: input });
  shown = { tool, input, result, html, csp: _meta?.ui?.csp };
  await show();
  return result;
}

/** The program looks otherwise from now on. */
function change(more) {
  context = { ...context, ...more };
  document.documentElement.style.colorScheme = context.theme;
  bridge?.setHostContext(context);
}

await client.connect(new StreamableHTTPClientTransport(new URL(asked.get("server"))));
window.apps = {
  seen,
  call,
  change,
  reload: show,
  teardown: () => bridge.teardownResource({}),
  tool: (name, input) => client.callTool({ name, arguments: input }),
  protocol: () => client.getNegotiatedProtocolVersion?.(),
};
