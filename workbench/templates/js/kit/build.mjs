// `npm run build`: makes a component of `src/tools.js`, or `src/tools.ts`, and what it imports.
//
// What is not used is left out: the component imports what the tools use and exports what they declare, so that its file
// says what it can touch.
//
// With `--quick`, as `madoguchi dev` calls it, the kit is compiled once and the tools travel beside it: a build takes no time,
// and each call runs them first. What is handed on is made without.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A package that `package.json` names. */
const installed = (name) =>
  import(name).catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    console.error(`${name} is not installed: run \`npm install\` in this folder first`);
    process.exit(1);
  });
const { componentize } = await installed("componentize-qjs");
const { rolldown } = await installed("rolldown");

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kit = join(root, "kit/madoguchi.js");
const author = ["src/tools.js", "src/tools.ts"].map((it) => join(root, it)).find(existsSync);
if (!author) throw new Error("there is no src/tools.js and no src/tools.ts");
const isQuick = process.argv.includes("--quick");
const text = (file) => readFileSync(join(root, file), "utf8");
const component = join(root, named());

/** Where the component is to lie: what the manifest says for `madoguchi dev`, or for what is handed on. */
function named() {
  const parts = text("madoguchi.toml").split(/^\s*\[\s*dev\s*\].*$/m);
  const found = /^\s*component\s*=\s*(["'])(.+?)\1/m.exec(parts[Number(isQuick)] ?? "");
  if (found) return found[2];
  console.error(`madoguchi.toml: component = "PATH.wasm" is missing${isQuick ? " under [dev]" : " before [dev]"}; it is read here as one line`);
  process.exit(1);
}

/** What is exported where the tools call this function of the kit, and what the kit calls it. */
const DECLARED = {
  example: ["examples", "examples"],
  migration: ["migrations", "migrations"],
  configured: ["configured", "configuredExport"],
  schedule: ["schedule", "scheduleExport"],
};
/** What is said of a module that is neither in the bundle nor an interface. */
const ABSENT = " is not there: components run without Node.js, and on what package.json installs and kit/madoguchi.js offers";
const interfaces = (source) => /^(madoguchi|wasi):/.test(source);

/** A build that takes more of the processor does not end: the modules are run in it, once. */
const CPU_SECONDS_MAX = 60;

/** Ends the build with what `error` says, and where; the stack would be this file's. */
function told(error) {
  console.error(error.message.replace(/^: /, ""));
  if (/top-level await/i.test(error.message)) console.error("nothing here waits for a promise: write it without await");
  process.exit(1);
}

/** One file of all modules that `entry` needs, less those that are `outside`. */
async function bundled(entry, format = "esm", outside = () => false) {
  const bundle = await rolldown({
    input: "madoguchi:entry",
    external: (it, from) => (interfaces(it) && it !== "madoguchi:entry") || outside(it, from),
    platform: "neutral",
    resolve: { mainFields: ["module", "main"] },
    treeshake: { moduleSideEffects: (_, isExternal) => !isExternal },
    plugins: [{ name: "entry", resolveId: (it) => (it === "madoguchi:entry" ? it : null), load: (it) => (it === "madoguchi:entry" ? entry : null) }],
  });
  const made = bundle.generate({ format, sourcemap: true, file: join(root, "build/bundle.js"), codeSplitting: false });
  const { output } = await made.catch(told);
  return output[0];
}

/** The functions of an interface of the contract, each with the type of its error, or null. */
function functionsOf(name) {
  const [body] = contract.split(`interface ${kebab(name)} {`)[1].split(/^}/m);
  const found = body.matchAll(/^ {4}%?([\w-]+): func\([^;]*?\)(?: -> (?:result<[^;]*, ([\w-]+|list<[\w-]+>)>|[^;]*))?;/gm);
  const camel = (it) => it.replace(/-./g, ([, letter]) => letter.toUpperCase());
  return Object.fromEntries(Array.from(found, ([, of, error]) => [camel(of), error ?? null]));
}

/** What the code of a bundle imports. */
function importsOf(code) {
  return Array.from(code.matchAll(/^import .*"(.+)";$/gm), ([, it]) => it);
}

/** From a line of the bundle to the author's file and line, for errors. */
function linesOf({ code, map }, before = 0) {
  const found = new SourceMap(JSON.parse(map.toString()));
  const files = [];
  const lines = code.split("\n").map((_, line) => {
    const { originalSource, originalLine } = found.findEntry(line, 10_000);
    if (!originalSource) return 0;
    const file = relative(root, resolve(root, "build", originalSource.replace(/^file:\/\//, "")));
    if (!files.includes(file)) files.push(file);
    return [files.indexOf(file), originalLine + 1];
  });
  return { files, lines: [...Array(before).fill(0), ...lines] };
}

/** What the compiler says of the bundle, by the author's files and lines. */
function placed(error, bundle) {
  const { files, lines } = linesOf(bundle);
  const place = (whole, line) => (lines[line - 1] ? `${files[lines[line - 1][0]]}:${lines[line - 1][1]}` : whole);
  const message = error.message.replace(/[^\s(]*bundle\.js:(\d+)(?::\d+)?/g, place);
  return new Error(message.replace(/^.*JavaScript module evaluation: (Error: )?/, "the tools do not load: "));
}

const own = `export * from ${JSON.stringify(author)};`;
const first = await bundled(`${own}\nexport { tools } from ${JSON.stringify(kit)};`);
const theirs = first.exports.filter((it) => it !== "tools");
const kebab = (name) => name.replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`);
const contract = readdirSync(join(root, "wit")).filter((it) => it.endsWith(".wit")).map((it) => text(`wit/${it}`)).join("\n");
const stray = theirs.find((it) => !contract.includes(`interface ${kebab(it)} {`));
if (stray) {
  console.error(`${relative(root, author)} exports ${stray}, of which the contract in wit/ knows nothing: leave \`export\` away there`);
  process.exit(1);
}
const exported = (name, it) => `exported(${JSON.stringify(name)}, ${it}, ${JSON.stringify(functionsOf(name))})`;
const used = Object.entries(first.modules).find(([id]) => id === kit)?.[1].renderedExports ?? [];
if (![...Object.keys(DECLARED), "tool"].some((it) => used.includes(it)) && theirs.length === 0) {
  console.error(`${relative(root, author)} declares no tool: call tool(NAME, { … }) of kit/madoguchi.js there`);
  process.exit(1);
}
const declared = Object.keys(DECLARED).filter((it) => used.includes(it)).map((it) => DECLARED[it]);
const list = ["tools", ...declared.map(([name, of]) => `${of} as ${name}`)].join(", ");
// A package may import what only a part of it needs that is not used: it is left out with it.
const imported = importsOf(first.code);
const outside = first.imports.find((it) => !interfaces(it) && imported.includes(it));
if (outside) {
  console.error(`${relative(root, author)}, or what it imports, imports ${outside}, which${ABSENT}`);
  process.exit(1);
}
// The author's own code, without the kit.
const tools = isQuick && (await bundled(own, "cjs", (it, from) => resolve(dirname(from ?? author), it) === kit));
const whole = isQuick ? await quick() : await bundled(`
  import * as theirs from ${JSON.stringify(author)};
  import { complete, exported } from ${JSON.stringify(kit)};
  complete();
  ${theirs.map((it) => `export const ${it} = ${exported(it, `theirs.${it}`)};`).join("\n")}
  export { ${list} } from ${JSON.stringify(kit)};`);
const { code, exports } = whole;

/** What is compiled with `--quick`: what the tools use of the kit, and nothing of theirs. */
function quick() {
  const foreign = Array.from(tools.code.matchAll(/require\("([^"]+)"\)/g), ([, it]) => it).filter((it, at, all) => interfaces(it) && all.indexOf(it) === at);
  const later = (name, of) => `export const ${name} = later(() => ${of});`;
  return bundled(`
    import { getEnvironment } from "wasi:cli/environment@0.2.12";
    import { ${[...new Set([...used, ...declared.map(([, of]) => of), "tools", "complete", "unloadable", "exported"])].map((it) => `${it} as kit_${it}`).join(", ")} } from ${JSON.stringify(kit)};
    ${foreign.map((it, at) => `import * as foreign_${at} from ${JSON.stringify(it)};`).join("\n")}
    const kit = { ${used.map((it) => `${it}: kit_${it}`).join(", ")} };
    const all = { ${foreign.map((it, at) => `${JSON.stringify(it)}: foreign_${at}`).join(", ")} };
    let theirs;
    const own = {};
    function loaded() {
      if (theirs) return theirs;
      const { code, lines } = JSON.parse(Object.fromEntries(getEnvironment()).MADOGUCHI_SOURCES);
      globalThis.madoguchiLines["<input>"] = lines;
      const module = { exports: {} };
      try {
        const required = (it) => {
          const found = all[it] ?? (it.endsWith("kit/madoguchi.js") ? kit : undefined);
          if (found) return found;
          throw new Error(it + ${JSON.stringify(ABSENT)});
        };
        new Function("require", "module", "exports", code)(required, module, module.exports);
        kit_complete();
        ${theirs.map((it) => `own.${it} = kit_${exported(it, `module.exports.${it}`)};`).join("\n")}
      } catch (error) {
        throw kit_unloadable(error);
      }
      return (theirs = module.exports);
    }
    const later = (of) => new Proxy({}, { get: (_, name) => (...given) => (loaded(), of()[name](...given)) });
    ${[["tools", "tools"], ...declared].map(([name, of]) => later(name, `kit_${of}`)).join("\n")}
    ${theirs.map((it) => later(it, `own.${it}`)).join("\n")}`);
}

// The compiler has streams of its own while it runs the modules once, and takes no others beside them. So those of `http` bear
// another name until it is done: of the same length, and of another version than the engine's.
const elsewhere = (text) => text.replace(/wasi:(io|clocks|http|cli)(\/[\w-]+)?@0\.2\.12/g, "wasj:$1$2@0.2.11");
function home(bytes) {
  for (let at = bytes.indexOf("wasj:"); at >= 0; at = bytes.indexOf("wasj:", at)) bytes.write("wasi:", at);
  return bytes;
}

// The world: what is imported, and what is exported.
const world = [
  ...new Set(importsOf(code).map((it) => `    import ${it};`)),
  ...exports.map((it) => `    export madoguchi:tool/${kebab(it)}@0.1.0;`),
];
const wit = join(root, "build/wit");

async function compiled() {
  rmSync(wit, { recursive: true, force: true });
  mkdirSync(join(wit, "deps"), { recursive: true });
  cpSync(join(root, "wit"), join(wit, "deps/madoguchi"), { recursive: true });
  writeFileSync(join(wit, "deps/wasi.wit"), elsewhere(text("kit/wasi.wit")));
  writeFileSync(join(wit, "world.wit"), elsewhere(`package made:here;\n\nworld component {\n${world.join("\n")}\n}\n`));
  const source = `${code}\nglobalThis.madoguchiLines = ${JSON.stringify({ "bundle.js": linesOf(whole) })};\n`;
  const jsPath = join(root, "build/bundle.js");
  writeFileSync(jsPath, elsewhere(source));
  const made = componentize({ witPath: wit, jsSource: elsewhere(source), jsPath, world: "component", sync: true });
  const endless = setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (user + system < CPU_SECONDS_MAX * 1e6) return;
    told(new Error(`not built in ${CPU_SECONDS_MAX} s: ${relative(root, author)} and what it imports are run once, and do not come to their end; look for a loop outside of functions; on a slow machine, raise CPU_SECONDS_MAX in kit/build.mjs`));
  }, 200);
  const { component } = await made.catch((error) => told(placed(error, whole)));
  clearInterval(endless);
  return home(component);
}

/** The same, where it was made before. */
async function kept() {
  const { version } = JSON.parse(text("node_modules/componentize-qjs/package.json"));
  const parts = [code, world, text("kit/wasi.wit"), text("kit/build.mjs"), version];
  const folder = dirname(component);
  const file = `${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16)}.base`;
  if (!existsSync(join(folder, file))) {
    const made = await compiled();
    readdirSync(folder).filter((it) => it.endsWith(".base")).forEach((it) => rmSync(join(folder, it)));
    written(join(folder, file), made);
  }
  return readFileSync(join(folder, file));
}

function written(file, bytes) {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}

mkdirSync(dirname(component), { recursive: true });
const parts = [isQuick ? await kept() : await compiled(), section("madoguchi:defaults", readFileSync(join(root, "defaults.toml")))];
if (isQuick) {
  // Two lines stand before it where it is run.
  const sources = JSON.stringify({ code: tools.code, lines: linesOf(tools, 2) });
  parts.push(section("madoguchi:environment", Buffer.from(JSON.stringify({ MADOGUCHI_SOURCES: sources }))));
}
written(component, Buffer.concat(parts));

/** A section that travels in the file of the component. */
function section(name, data) {
  const length = (count) => (count < 128 ? [count] : [(count & 127) | 128, ...length(count >> 7)]);
  const content = Buffer.concat([Buffer.from([...length(name.length)]), Buffer.from(name), data]);
  return Buffer.concat([Buffer.from([0, ...length(content.length)]), content]);
}
