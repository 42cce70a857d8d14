// What every TypeScript client does against the host, and what must come of it (SYS-8).
//
//   node CLIENT.mjs URL [--listen SECONDS]
//   node CLIENT.mjs --stdio PROGRAM [ARGUMENT…]
//
// Prints one line of JSON with what the client saw; ends with 1 where that is not what it should be.
// With --listen a line {"ready":true} comes first; the client then waits for the seconds or for the
// first notice of changed tools, whichever is earlier.

import assert from "node:assert/strict";

const SIX = [
  "get_conversation_history",
  "list_available_seats",
  "list_movies",
  "list_showtimes",
  "record_conversation",
  "reserve_seats",
];

export function options(argv = process.argv.slice(2)) {
  if (argv[0] === "--stdio") return { stdio: { command: argv[1], args: argv.slice(2) } };
  const listen = argv.indexOf("--listen");
  return { url: new URL(argv[0]), listenMs: listen < 0 ? 0 : Number(argv[listen + 1]) * 1000 };
}

/** Lists, calls, is refused; `connected` is a client of either SDK with its handshake behind it. */
export async function play(connected) {
  const { tools } = await connected.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of SIX) assert.ok(names.includes(name), `tools/list lacks ${name}: ${names}`);
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, "object", `${tool.name}: its input is an object`);
    assert.ok(tool.description, `${tool.name} says what it does`);
  }

  const listed = await connected.callTool({ name: "list_movies", arguments: {} });
  assert.ok(!listed.isError, `list_movies: ${JSON.stringify(listed)}`);
  assert.ok(listed.structuredContent.movies.length > 0, "there are films");
  assert.deepEqual(JSON.parse(listed.content[0].text), listed.structuredContent, "text and structure agree");

  const refused = await connected.callTool({
    name: "reserve_seats",
    arguments: { user_id: "client", showtime_id: "no-such-showtime", seat_ids: ["A1"] },
  });
  const refusal = refused._meta?.["madoguchi/error"];
  assert.equal(refused.isError, true, `reserve_seats: ${JSON.stringify(refused)}`);
  assert.equal(refused.structuredContent, undefined, "a refusal has no structuredContent");
  assert.equal(refusal?.error, "showtime_not_found");
  assert.equal(refusal?.status, 404);
  assert.deepEqual(JSON.parse(refused.content[0].text), refusal, "text and _meta agree");

  return { tools: names, movies: listed.structuredContent.movies.length, refusal };
}

/** What a person who says yes to everything answers to a form; the SDKs call it with the request. */
export function answer({ params }) {
  const fields = Object.entries(params.requestedSchema.properties ?? {});
  const value = ({ type }) => (type === "boolean" ? true : type === "string" ? "花子" : 1);
  return { action: "accept", content: Object.fromEntries(fields.map(([name, it]) => [name, value(it)])) };
}

/**
 * Is asked once and twice, hears of progress, and gives a call up that would take seconds.
 * `call(params, options)` is `callTool` of either SDK; the client answers questions with `answer`.
 */
export async function talk(call) {
  const greeted = await call({ name: "greet", arguments: {} });
  assert.equal(greeted.structuredContent?.greeting, "Hello, 花子!", JSON.stringify(greeted));
  const again = await call({ name: "greet_twice", arguments: {} });
  assert.equal(again.structuredContent?.greeting, "Hello, 花子!", JSON.stringify(again));

  let notes = 0;
  const slow = { name: "count_slowly", arguments: { steps: 500 } };
  const counted = await call(slow, { onprogress: ({ progress, total }) => (notes += progress <= total) });
  assert.equal(counted.structuredContent?.counted, 500, JSON.stringify(counted));
  assert.ok(notes > 0, "there is progress");

  const enough = new AbortController();
  const given = { name: "count_slowly", arguments: { steps: 20000 } };
  const options = { signal: enough.signal, onprogress: () => enough.abort("enough") };
  await assert.rejects(call(given, options), "a call that is given up ends");
  // It has the only place there is: answered once the one that was given up has left it.
  const after = await call({ name: "echo", arguments: { value: { after: true } } });
  assert.deepEqual(after.structuredContent, { value: { after: true } });
  return { greeting: again.structuredContent.greeting, notes };
}

/** Lists and reads what there is to read and the prompts. */
export async function browse(connected) {
  const { resources } = await connected.listResources();
  assert.ok(resources.some(({ uri }) => uri === "library://cover"), JSON.stringify(resources));
  const { resourceTemplates } = await connected.listResourceTemplates();
  assert.ok(resourceTemplates.some((it) => it.uriTemplate === BOOKS), JSON.stringify(resourceTemplates));
  const { contents } = await connected.readResource({ uri: BOOK });
  assert.equal(contents[0].text, `The text of ${BOOK}.`);
  const { prompts } = await connected.listPrompts();
  assert.ok(prompts.some(({ name }) => name === "recommend"), JSON.stringify(prompts));
  const { messages } = await connected.getPrompt({ name: "recommend", arguments: { topic: "tea" } });
  assert.equal(messages[0].content.text, "A book on tea for any mood, please.");
  return { read: contents[0].text };
}

export const BOOK = "library://books/7";
const BOOKS = "library://books/{number}";

/** What comes within a quarter of a minute, which is long. */
export async function soon(event) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no word of the change came")), 15_000);
  });
  const first = await Promise.race([event, late]);
  clearTimeout(timer);
  return first;
}

/** Waits until `event` comes, at most so long; says whether it was. */
export async function wait(event, ms) {
  console.log(JSON.stringify({ ready: true }));
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, false)));
  const changed = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return changed;
}

/** Runs a client to its end: one line and 0, or the reason and 1. */
export async function main(client) {
  try {
    console.log(JSON.stringify(await client(options())));
    process.exit(0);
  } catch (error) {
    console.error(error.stack ?? String(error));
    process.exit(1);
  }
}
