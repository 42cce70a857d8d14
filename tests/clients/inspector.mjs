// The Inspector's command line, as its users start it, in both eras and over stdio.
//
//   node inspector.mjs URL [--era modern|legacy]
//   node inspector.mjs --stdio PROGRAM [ARGUMENT…]
//
// Lists the tools with `--strict` (schemas must be portable) and calls one, lists and reads resources
// and prompts. Prints one line of JSON.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { BOOK, main } from "./scenario.mjs";

const launcher = fileURLToPath(
  new URL("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url),
);

function inspect(target, ...method) {
  const run = spawnSync(process.execPath, [launcher, "--cli", ...target, ...method], {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(run.status, 0, `inspector ${method.join(" ")}: ${run.stderr}${run.stdout}`);
  return JSON.parse(run.stdout);
}

/** The Inspector takes `--config` for its own, wherever it stands: ours goes through the environment. */
function started({ command, args }) {
  const at = args.indexOf("--config");
  if (at < 0) return [command, ...args];
  const [, file] = args.splice(at, 2);
  return [command, ...args, "-e", `MADOGUCHI_CONFIG=${file}`];
}

await main(async ({ url, stdio }) => {
  const era = process.argv.includes("modern") ? "modern" : "legacy";
  const target = stdio
    ? started(stdio)
    : [url.href, "--transport", "http", ...(era === "modern" ? ["--protocol-era", "modern"] : [])];
  const { tools } = inspect(target, "--method", "tools/list", "--strict");
  assert.ok(tools.some((tool) => tool.name === "list_movies"), "tools/list has list_movies");
  const called = inspect(target, "--method", "tools/call", "--tool-name", "list_movies");
  assert.ok(!called.isError && called.structuredContent.movies.length > 0, JSON.stringify(called));
  const { resources } = inspect(target, "--method", "resources/list");
  assert.ok(resources.some(({ uri }) => uri === "library://cover"), JSON.stringify(resources));
  const { contents } = inspect(target, "--method", "resources/read", "--uri", BOOK);
  assert.equal(contents[0].text, `The text of ${BOOK}.`);
  const { prompts } = inspect(target, "--method", "prompts/list");
  assert.ok(prompts.some(({ name }) => name === "recommend"), JSON.stringify(prompts));
  const { messages } = inspect(
    target, "--method", "prompts/get", "--prompt-name", "recommend", "--prompt-args", "topic=tea",
  );
  assert.equal(messages[0].content.text, "A book on tea for any mood, please.");
  return { client: "inspector", era: stdio ? "stdio" : era, tools: tools.map((tool) => tool.name) };
});
