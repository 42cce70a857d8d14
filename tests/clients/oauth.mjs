// A client of the TypeScript SDK that knows an address and nothing else, and gets its tokens by the SDK's OAuth flow.
//
//   node oauth.mjs URL v1|v2 [ISSUER]
//
// Prints lines of JSON: {"open": URL} for what a person has to open, {"called": …} when its calls were answered. Then
// it waits for a line, calls once more, and prints {"out": …}: whether it was out, and how much it took.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [url, version, issuer = new URL(url).origin] = process.argv.slice(2);
const parts = ["index", "streamableHttp", "auth"].map((it) => `@modelcontextprotocol/sdk/client/${it}.js`);
const modules = version === "v1" ? parts : ["@modelcontextprotocol/client"];
const sdk = Object.assign({}, ...(await Promise.all(modules.map((it) => import(it)))));
const say = (it) => console.log(JSON.stringify(it));

// Where the person comes back to.
const came = [];
const server = createServer((request, response) => {
  response.end("You may close this page.");
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  if (pathname === "/callback") came.push(searchParams);
  server.emit("back");
}).listen(0, "127.0.0.1");
await once(server, "listening");
const back = async () => {
  while (!came.length) await once(server, "back");
  return came.shift();
};

let requests = 0;
let lacking;
const counted = async (...all) => {
  requests += 1;
  const response = await fetch(...all);
  if (response.status === 403) lacking = sdk.extractWWWAuthenticateParams(response);
  return response;
};
const redirectUrl = `http://127.0.0.1:${server.address().port}/callback`;
const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: `TypeScript SDK ${version}`,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "tool:echo tool:whoami",
  },
  state: () => (kept.state = randomUUID()),
  clientInformation: () => kept.client,
  saveClientInformation: (it) => (kept.client = it),
  tokens: () => kept.tokens,
  saveTokens: (it) => (kept.tokens = it),
  redirectToAuthorization: (it) => say({ open: it.href }),
  saveCodeVerifier: (it) => (kept.verifier = it),
  codeVerifier: () => kept.verifier,
  invalidateCredentials: (what) => {
    if (what === "tokens" || what === "all") delete kept.tokens;
  },
};

const make = () => {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { authProvider, fetch: counted });
  const client = new sdk.Client({ name: `oauth-${version}`, version: "1.0.0" }, { capabilities: {} });
  return { client, transport, connect: () => client.connect(transport) };
};
let made = make();

/** Does `work`; where the person has to be asked first, asks and does it once more. */
async function allowed(work, again = work) {
  try {
    return await work();
  } catch (error) {
    // Version 1 has its token renewed, which brings no more, and leaves it to its user to ask the person.
    if (version === "v1" && error.code === 403) {
      delete kept.tokens;
      assert.equal(await sdk.auth(authProvider, { serverUrl: url, ...lacking }), "REDIRECT");
    } else if (!(error instanceof sdk.UnauthorizedError)) throw error;
  }
  const answer = await back();
  assert.equal(answer.get("state"), kept.state);
  assert.equal(answer.get("iss"), issuer);
  await made.transport.finishAuth(version === "v1" ? answer.get("code") : answer);
  return again();
}
const call = (name) => () => made.client.callTool({ name, arguments: {} });

const began = Date.now();
await allowed(
  () => made.connect(),
  () => {
    made = make();
    return made.connect();
  },
);
const who = (await call("whoami")()).structuredContent;
const before = (await made.client.listTools()).tools.map((it) => it.name);
const films = (await allowed(call("list_movies"))).structuredContent;
const still = !(await made.client.callTool({ name: "echo", arguments: { value: {} } })).isError;
const { scope } = kept.tokens;
say({ called: { who, before, films: films.movies.length, still, scope, requests, ms: Date.now() - began } });

const lines = createInterface({ input: process.stdin });
await once(lines, "line");
const out = await call("whoami")().then(
  () => false,
  (error) => error instanceof sdk.UnauthorizedError,
);
say({ out });
process.exit(0);
