// `npm run build`: makes a component of `src/tools.js`, or `src/tools.ts`, and what it imports.
//
// What is not used is left out: the component imports what the tools use and exports what they declare, so that its file
// says what it can touch.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { componentize } from "componentize-qjs";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kit = join(root, "kit/madoguchi.js");
const author = ["src/tools.js", "src/tools.ts"].map((it) => join(root, it)).find(existsSync);
if (!author) throw new Error("there is no src/tools.js and no src/tools.ts");
const component = join(root, /^component = "(.+)"$/m.exec(readFileSync(join(root, "madoguchi.toml"), "utf8"))[1]);

/** What is exported where the tools call this function of the kit, and what the kit calls it. */
const DECLARED = {
  example: ["examples", "examples"],
  migration: ["migrations", "migrations"],
  configured: ["configured", "configuredExport"],
  schedule: ["schedule", "scheduleExport"],
};
const interfaces = (source) => /^(madoguchi|wasi):/.test(source);

/** One file of all modules, with these exports of the kit beside those of the author. */
async function bundled(exported) {
  const list = exported.map(([name, of]) => `${of} as ${name}`).join(", ");
  const entry = `export * from ${JSON.stringify(author)};\nexport { tools, ${list} } from ${JSON.stringify(kit)};`;
  const bundle = await rolldown({
    input: "madoguchi:entry",
    external: (it) => interfaces(it) && it !== "madoguchi:entry",
    platform: "neutral",
    resolve: { mainFields: ["module", "main"] },
    treeshake: { moduleSideEffects: (_, isExternal) => !isExternal },
    plugins: [{ name: "entry", resolveId: (it) => (it === "madoguchi:entry" ? it : null), load: (it) => (it === "madoguchi:entry" ? entry : null) }],
  });
  const { output } = await bundle.generate({ format: "esm", sourcemap: true, file: join(root, "build/bundle.js"), codeSplitting: false });
  return output[0];
}

const first = await bundled([]);
const used = new Set(Object.entries(first.modules).find(([id]) => id === kit)?.[1].renderedExports);
const declared = Object.keys(DECLARED).filter((it) => used.has(it));
const { code, map, exports } = await bundled(declared.map((it) => DECLARED[it]));

// From a line of the bundle to the author's file and line, for errors.
const found = new SourceMap(JSON.parse(map.toString()));
const files = [];
const lines = code.split("\n").map((_, line) => {
  const { originalSource, originalLine } = found.findEntry(line, 10_000);
  if (!originalSource) return 0;
  const file = relative(root, resolve(root, "build", originalSource.replace(/^file:\/\//, "")));
  if (!files.includes(file)) files.push(file);
  return [files.indexOf(file), originalLine + 1];
});
const source = `${code}\nglobalThis.madoguchiLines = ${JSON.stringify({ files, lines })};\n`;

// The compiler has streams of its own while it runs the modules once, and takes no others beside them. So those of `http` bear
// another name until it is done: of the same length, and of another version than the engine's.
const elsewhere = (text) => text.replace(/wasi:(io|clocks|http)(\/[\w-]+)?@0\.2\.12/g, "wasj:$1$2@0.2.11");
function home(bytes) {
  for (let at = bytes.indexOf("wasj:"); at >= 0; at = bytes.indexOf("wasj:", at)) bytes.write("wasi:", at);
  return bytes;
}

// The world: what is imported, and what is exported.
const kebab = (name) => name.replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`);
const world = [
  ...Array.from(code.matchAll(/^import .*"(.+)";$/gm), ([, it]) => `    import ${it};`),
  ...exports.map((it) => `    export madoguchi:tool/${kebab(it)}@0.1.0;`),
];
const wit = join(root, "build/wit");
rmSync(wit, { recursive: true, force: true });
mkdirSync(join(wit, "deps"), { recursive: true });
mkdirSync(dirname(component), { recursive: true });
cpSync(join(root, "wit"), join(wit, "deps/madoguchi"), { recursive: true });
writeFileSync(join(wit, "deps/wasi.wit"), elsewhere(readFileSync(join(root, "kit/wasi.wit"), "utf8")));
writeFileSync(join(wit, "world.wit"), elsewhere(`package made:here;\n\nworld component {\n${world.join("\n")}\n}\n`));
const jsPath = join(root, "build/bundle.js");
writeFileSync(jsPath, elsewhere(source));

const made = await componentize({ witPath: wit, jsSource: elsewhere(source), jsPath, world: "component", sync: true });
writeFileSync(component, Buffer.concat([home(made.component), section("madoguchi:defaults", readFileSync(join(root, "defaults.toml")))]));

/** A section that travels in the file of the component. */
function section(name, data) {
  const length = (count) => (count < 128 ? [count] : [(count & 127) | 128, ...length(count >> 7)]);
  const content = Buffer.concat([Buffer.from([...length(name.length)]), Buffer.from(name), data]);
  return Buffer.concat([Buffer.from([0, ...length(content.length)]), content]);
}
