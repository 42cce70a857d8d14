// The kit that tools are written with. Tools, examples, migrations and the rest are declared by calling a function;
// `kit/build.mjs` leaves out what a component does not use, so that its file imports what it uses and no more.

import * as rawBlobs from "madoguchi:tool/blobs@0.1.0";
import * as rawCaller from "madoguchi:tool/caller@0.1.0";
import * as rawCalls from "madoguchi:tool/calls@0.1.0";
import * as rawEvents from "madoguchi:tool/events@0.1.0";
import * as rawFiles from "madoguchi:tool/files@0.1.0";
import * as rawLog from "madoguchi:tool/log@0.1.0";
import * as rawProgress from "madoguchi:tool/progress@0.1.0";
import * as rawSettings from "madoguchi:tool/settings@0.1.0";
import * as rawSql from "madoguchi:tool/sql@0.1.0";
import * as rawHandler from "wasi:http/outgoing-handler@0.2.12";
import * as rawHttp from "wasi:http/types@0.2.12";
import { insecureSeed } from "wasi:random/insecure-seed@0.2.12";
import { getRandomBytes } from "wasi:random/random@0.2.12";

/** @typedef {{ ja: string, en: string }} Text The same in Japanese and in English. */
/**
 * @typedef {Record<string, any>} Schema A JSON Schema; its `description` is a string or a `Text`, and the name of a type does
 * for a schema under `properties` and `items`.
 */
/** @typedef {string | Schema} Field The name of a JSON type, or a schema. */

const all = { tools: new Map(), examples: [], migrations: [], configured: [], schedules: [] };

// ---- Stops: why a call ends without its output ----

/** Ends a call; the contract's `stop` is in `stop`. */
class Stop extends Error {
  constructor(tag, val, message) {
    super(message);
    this.stop = { tag, val };
  }
}

const written = (value) => (value === undefined ? undefined : JSON.stringify(value));

/**
 * The world says no: `throw refused("seat_taken", 409, "Seat A2 is taken.", { seat: "A2" })`.
 * @param {string} code For programs. @param {number} status The HTTP status that says the same.
 * @param {string} message For people: what would be right. @param {object} [data] What it is about.
 */
export function refused(code, status, message, data) {
  if (typeof code !== "string" || !Number.isInteger(status) || status < 400 || status > 599 || typeof message !== "string")
    throw new TypeError("refused(code, status, message): a string, an HTTP status from 400 to 599 and a string are needed");
  return new Stop("refused", { code, message, status, details: written(data) }, message);
}

/** The caller must correct the value at `pointer`, a JSON pointer into the arguments: `throw invalid("/seat", "must …")`. */
export const invalid = (pointer, message) => new Stop("invalid-arguments", [{ pointer, message }], message);

/** Something that the tool needs has failed; the same call may succeed later. */
export const unavailable = (message, retryAfterMs) => new Stop("unavailable", { message, retryAfterMs }, message);

/** Nothing to say yet: the host calls again, from the top, when one of `events` is published or at `until`, a Date. */
export const wait = (events, until) => new Stop("wait", { events, until: datetime(until) }, "waits");

const datetime = (date) => {
  const ms = Math.max(0, date.getTime());
  return { seconds: Math.floor(ms / 1000), nanoseconds: Math.floor(ms % 1000) * 1_000_000 };
};

// ---- Declarations ----

/**
 * Declares a tool.
 * @param {string} name Verb first, `[A-Za-z0-9_.-]`.
 * @param {{
 *   title: Text, description: Text,
 *   input?: Record<string, Field>, output?: Record<string, Field>,
 *   hints?: { readOnly?: boolean, destructive?: boolean, idempotent?: boolean, openWorld?: boolean },
 *   view?: string, app?: string, meta?: object,
 *   run: (input: any, user: User) => any,
 * }} it `input` and `output` are the fields of an object, `name?` may be left out; or each a whole schema of an object.
 *   A tool without `hints` is taken to be destructive; `{}` is one that adds something. `run` is called again from the
 *   top each time the user has answered, so what comes before a question must have no lasting effect.
 */
export function tool(name, it) {
  if (all.tools.has(name)) throw new TypeError(`two tools are called ${name}`);
  const needed = (what) => new TypeError(`tool ${JSON.stringify(name)}: ${what}`);
  if (typeof it?.run !== "function") throw needed("run, a function, is needed");
  if (isAsync(it.run)) throw needed(UNAWAITED("run"));
  const stray = Object.keys(it.hints ?? {}).find((hint) => !HINTS.includes(hint));
  if (stray) throw needed(`hints: ${stray} is none of ${HINTS.join(", ")}`);
  const [title, description] = ["title", "description"].map((key) => bilingual(it[key], `tool ${JSON.stringify(name)}: ${key}`));
  const english = { title: title.en, description: description.en, arguments: {} };
  const input = object(it.input ?? {}, english.arguments, "");
  const meta = { "madoguchi/text": { ja: { title: title.ja }, en: english }, ...it.meta };
  if (it.app) meta.ui = { ...meta.ui, resourceUri: it.app };
  const definition = {
    name,
    title: title.ja,
    description: description.ja,
    inputSchema: JSON.stringify(input),
    outputSchema: it.output && JSON.stringify(object(it.output, {}, "")),
    annotations: { readOnly: false, destructive: !it.hints, idempotent: false, openWorld: false, ...it.hints },
    view: it.view,
    meta: JSON.stringify(meta),
  };
  all.tools.set(name, { definition, input, run: it.run });
}

const HINTS = ["readOnly", "destructive", "idempotent", "openWorld"];

/** The same in both languages, or what is wrong, which `where` has. */
function bilingual(it, where) {
  if (typeof it?.ja === "string" && typeof it?.en === "string") return it;
  throw new TypeError(`${where}: { ja, en } is needed`);
}

const TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"];
const isObject = (it) => typeof it === "object" && it !== null && !Array.isArray(it);

/** The schema of an object of these fields; their English goes to `english`, by dotted paths. */
function object(fields, english, path) {
  const wrong = (what, it) => new TypeError(`${what} is needed, and not ${typeof it === "function" ? "a function" : JSON.stringify(it)}`);
  if (!isObject(fields)) throw wrong("an object of fields, such as { name: \"string\" },", fields);
  if (fields.type === "object" && typeof fields.properties === "object") return texts(fields, english, path);
  const names = Object.keys(fields);
  const properties = {};
  for (const name of names) {
    const bare = name.replace(/\?$/, "");
    const field = whole(fields[name]);
    // `true` is the schema of anything.
    const isSchema = field === fields[name] ? isObject(field) || field === true : TYPES.includes(field.type);
    if (!isSchema)
      throw wrong(`the field ${bare}: a schema, or one of ${TYPES.join(", ")},`, fields[name]);
    properties[bare] = texts(field, english, path ? `${path}.${bare}` : bare);
  }
  const required = names.filter((it) => !it.endsWith("?"));
  return { type: "object", properties, ...(required.length ? { required } : {}), additionalProperties: false };
}

/** The schema of a field, which may be the name of a type. */
const whole = (field) => (typeof field === "string" ? { type: field } : field);

/** The schema with its texts in Japanese alone; the English ones go to `english`. */
function texts(schema, english, path) {
  if (Array.isArray(schema)) return schema.map((it) => texts(it, english, path));
  if (typeof schema !== "object" || schema === null) return schema;
  // Forms of MCP know no choice without this type.
  const isChoice = schema.type === undefined && Array.isArray(schema.enum) && schema.enum.every((it) => typeof it === "string");
  const plain = isChoice ? { type: "string" } : {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" && typeof value === "object") {
      const { ja, en } = bilingual(value, `${path || "the schema"}: description`);
      plain.description = ja;
      english[path] = en;
    } else if (key === "properties") {
      const inner = (name) => (path ? `${path}.${name}` : name);
      plain.properties = Object.fromEntries(Object.entries(value).map(([name, it]) => [name, texts(whole(it), english, inner(name))]));
    } else if (key === "items") {
      plain.items = texts(whole(value), english, path);
    } else {
      if (key === "pattern" && typeof value === "string") readable(value, path);
      plain[key] = ["default", "const", "enum", "examples"].includes(key) ? value : texts(value, english, path);
    }
  }
  return plain;
}

/** Throws where a pattern of a schema is no regular expression. */
function readable(pattern, path) {
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    throw new TypeError(`${path || "the schema"}: the pattern ${pattern} is no regular expression: ${error.message}`);
  }
}

/**
 * Declares an example: the host calls it on a database that is thrown away, without settings and at
 * 2027-01-01T00:00:00Z, before a new version serves. `name` is a sentence that says what it shows.
 */
export function example(name, of, input) {
  const it = { name, tool: of, arguments: JSON.stringify(input), expected: undefined };
  all.examples.push(it);
  const ends = (tag) => (val) => {
    if (it.expected) throw new TypeError(`example ${JSON.stringify(name)}: it says twice how it ends`);
    it.expected = { tag, val };
  };
  return {
    /** It puts out an object that has all that `output` has, and may have more. */
    gives: (output) => ends("output")(JSON.stringify(output)),
    /** It is refused with that code. */
    refuses: ends("refused"),
    /** The arguments must be corrected. */
    refusesTheArguments: () => ends("invalid-arguments")(undefined),
    /** The user is asked. */
    asks: () => ends("input-required")(undefined),
  };
}

/** Throws where a declaration lacks what it needs of another; the build calls it once the modules have run. */
export function complete() {
  for (const { name, tool, expected } of all.examples) {
    const wrong = (what) => new TypeError(`example ${JSON.stringify(name)}: ${what}`);
    if (!expected) throw wrong("it expects nothing: .gives(…), .refuses(CODE), .refusesTheArguments() or .asks() is needed behind it");
    if (!all.tools.has(tool)) throw wrong(`there is no tool ${tool}; there are: ${[...all.tools.keys()].join(", ") || "none"}`);
  }
}

/** Declares the next step of the database's shape. Once released it never changes; it only adds. */
export const migration = (name, ...statements) =>
  void all.migrations.push({ number: all.migrations.length + 1, name, statements });

/** Declares what prepares the component from its settings, all or nothing; it throws `invalid("/setting", …)`. */
export const configured = (run) => void all.configured.push(plainly("configured", run));

/** Declares what is run at the interval that the operator sets. */
export const schedule = (run) => void all.schedules.push(plainly("schedule", run));

/** Whether it is an `async` function. */
const isAsync = (run) => run?.constructor?.name === "AsyncFunction";
const UNAWAITED = (what) => `${what} is async, and nothing here waits for a promise: write it without async`;

/** The function of a declaration, which nothing waits for. */
function plainly(what, run) {
  if (typeof run !== "function") throw new TypeError(`${what}: a function is needed`);
  if (isAsync(run)) throw new TypeError(UNAWAITED(`the function of ${what}`));
  return run;
}

// ---- What the component exports ----

const promised = (what) => new TypeError(`${what} gives a promise, and nothing here waits for one: write it without async`);

/** Runs `run`; what it throws becomes the contract's error. */
function guarded(what, run) {
  try {
    const given = run();
    if (typeof given?.then === "function") throw promised(what);
    return given;
  } catch (error) {
    // The host knows better which limit that is, and ends the call by its name.
    if (error?.message === "out of memory") throw error;
    throw stopOf(what, error);
  }
}

function stopOf(what, error) {
  if (error instanceof Stop) return error.stop;
  const { message, stack, at } = fault(error);
  rawLog.write("error", `${what}: ${message}`, JSON.stringify({ stack: stack.slice(0, FRAMES_MAX) }));
  return {
    tag: "refused",
    val: { code: "exception", message: at ? `${message} (${at})` : message, status: 500, details: at && JSON.stringify({ at }) },
  };
}

/** Places of a stack that are logged. */
const FRAMES_MAX = 16;

/** What was thrown: its message, and where, by the author's own files and lines. */
function fault(error) {
  const isError = error instanceof Error;
  const plain = (_, it) => (typeof it === "bigint" ? Number(it) : it);
  // An error of the contract carries its case, and no sentence.
  const isPlain = isError && error.payload === undefined;
  const message = isPlain ? `${error.name}: ${error.message}${instead(error)}` : `thrown: ${JSON.stringify(error?.payload ?? error, plain)}`;
  const located = (file, line) => {
    const map = globalThis.madoguchiLines?.[file];
    return map ? `${map.files[map.lines[line - 1]?.[0]] ?? "?"}:${map.lines[line - 1]?.[1] ?? 0}` : `${file}:${line}`;
  };
  const frames = [...String(error?.stack ?? "").matchAll(/at (\S+)?.*?(bundle\.js|<input>):(\d+)/g)];
  const places = frames.map(([, name, file, line]) => `${located(file, line)}${name && !name.includes("/") && !name.startsWith("<") ? ` in ${name}` : ""}`);
  const mine = places.find((it) => !/^(kit\/|\?|madoguchi:)/.test(it));
  return { message, stack: places, at: mine?.split(" in ")[0] };
}

/** What browsers and Node.js have, and what is right here. */
const INSTEAD = [
  [/^fetch$/, "`http` of the kit sends requests"],
  [/^process$/, "`setting` of the kit has what the operator sets"],
  [/^(require|module|__dirname|__filename)$/, "`import` at the top of the file is right"],
  [/^(setTimeout|setInterval|setImmediate)$/, "there are no timers: a tool ends with `throw wait(events, until)` where it has to wait"],
  [/^crypto$/, "`freshId` of the kit makes ids that cannot be guessed"],
  [/^(Buffer|Intl|URL|URLSearchParams|TextEncoder|TextDecoder|structuredClone)$/, "a package that needs neither Node.js nor a browser has it"],
];

/** How to do without what is not there. */
function instead({ name, message }) {
  const [, what] = /^(\w+) is not defined$/.exec(name === "ReferenceError" ? message : "") ?? [];
  const found = what && INSTEAD.find(([names]) => names.test(what));
  return found ? `; ${found[1]}` : "";
}

/**
 * An interface of the contract that the author exports as `name`, with `functions`: each function's type of error, or
 * null. What a function throws becomes that error; where it has none, the log says what was thrown and where.
 */
export function exported(name, it, functions) {
  const missing = Object.keys(functions).find((of) => typeof it?.[of] !== "function");
  if (missing) throw new TypeError(`src/tools exports ${name} without the function ${missing}, which wit/ has`);
  const waiting = Object.keys(functions).find((of) => isAsync(it[of]));
  if (waiting) throw new TypeError(UNAWAITED(`${name}.${waiting}`));
  const run = (of) => (...given) => {
    try {
      const gives = it[of](...given);
      if (typeof gives?.then === "function") throw promised(`${name}.${of}`);
      return gives;
    } catch (error) {
      // What is no `Error` is the contract's own.
      if (!(error instanceof Error) || error.message === "out of memory") throw error;
      const stop = stopOf(`${name}.${of}`, error);
      const ends = { stop, failure: failureOf(stop), string: stop.val?.message ?? error.message };
      throw ends[functions[of]] ?? error;
    }
  };
  return Object.fromEntries(Object.keys(functions).map((of) => [of, run(of)]));
}

/** A stop as look-ups know it. */
const failureOf = ({ tag, val }) =>
  tag === "invalid-arguments" ? { tag: "invalid", val } : tag === "unavailable" ? { tag, val: val.message } : { tag: "refused", val };

/** Says in the log what keeps tools from being loaded, and where. */
export function unloadable(error) {
  const { message, stack, at } = fault(error);
  rawLog.write("error", `the tools do not load: ${message}${at ? ` (${at})` : ""}`, undefined);
  // The engine prints it, too.
  if (error instanceof Error) error.stack = stack.map((it) => `    at ${it}\n`).join("");
  return error;
}

export const tools = {
  definitions: () => [...all.tools.values()].map((it) => it.definition),
  call(invocation) {
    const { name } = invocation;
    return guarded(name, () => {
      const found = all.tools.get(name);
      if (!found) throw invalid("", `This component has no tool named ${name}.`);
      const input = withoutBlanks(found.input, JSON.parse(invocation.arguments));
      const problems = [];
      check(found.input, input, "", problems);
      if (problems.length) throw new Stop("invalid-arguments", problems, "invalid arguments");
      const user = new User(invocation);
      let output;
      try {
        output = found.run(input, user);
      } catch (error) {
        throw user.stopped(error);
      }
      if (typeof output?.then === "function") return output;
      const meta = Object.keys(user.told).length ? JSON.stringify(user.told) : undefined;
      return { structured: structured(name, output), content: user.shown, meta };
    });
  },
};

/** What a tool gave, as JSON. */
function structured(name, output) {
  try {
    return written(output ?? undefined);
  } catch (error) {
    if (error instanceof TypeError) error.message = `what ${name} gives cannot be written as JSON: ${error.message}`;
    throw error;
  }
}

export const examples = { examples: () => all.examples };
export const migrations = { migrations: () => all.migrations };
export const configuredExport = {
  configured() {
    const problems = [];
    for (const run of all.configured) {
      try {
        run();
      } catch (error) {
        const { tag, val } = stopOf("configured", error);
        problems.push(...(tag === "invalid-arguments" ? val : [{ pointer: "", message: val.message ?? tag }]));
      }
    }
    if (problems.length) throw problems;
  },
};
export const scheduleExport = {
  run() {
    try {
      all.schedules.forEach((run) => run());
    } catch (error) {
      const { val, tag } = stopOf("schedule", error);
      throw val.message ?? tag;
    }
  },
};

// ---- Arguments held against their schema ----

const typeOf = (it) => (it === null ? "null" : Array.isArray(it) ? "array" : typeof it);
const isA = (kind, it) => (kind === "integer" ? Number.isInteger(it) : typeOf(it) === kind);
const kinds = (schema) => (schema.type === undefined ? [] : [schema.type].flat());
const article = (kind) => `${/^[aio]/.test(kind) ? "an" : "a"} ${kind}`;
const escaped = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const shown = (it) => ({ array: "an array", object: "an object" })[typeOf(it)] ?? (it?.length > 40 ? "a string" : JSON.stringify(it));
const choicesOf = (schema) =>
  schema.enum ?? ("const" in schema ? [schema.const] : schema.oneOf?.every((it) => "const" in it) ? schema.oneOf.map((it) => it.const) : undefined);
const variantsOf = (schema) => (schema.anyOf ?? schema.oneOf)?.filter((it) => it.type !== "null");
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** What a schema expects, as text; empty where it says nothing. */
function expected(schema) {
  const choices = choicesOf(schema);
  if (choices) return `one of ${choices.filter((it) => it !== null).map((it) => JSON.stringify(it)).join(", ")}`;
  const variants = variantsOf(schema);
  if (variants) return variants.map(expected).filter(Boolean).join(" or ");
  const of = kinds(schema).filter((it) => it !== "null").map(article).join(" or ");
  const range = (least, most, unit) =>
    least !== undefined && least === most ? ` of ${least}${unit.of}`
    : least !== undefined && most !== undefined ? ` ${unit.from} ${least} to ${most}${unit.of}`
    : least !== undefined ? ` of ${least}${unit.of} or more`
    : most !== undefined ? ` of ${most}${unit.of} or less` : "";
  const characters = { from: "of", of: " characters" };
  return of
    + range(schema.minimum, schema.maximum, { from: "from", of: "" })
    + range(schema.minLength, schema.maxLength, characters)
    + range(schema.minItems, schema.maxItems, { from: "of", of: " items" })
    + (schema.pattern ? ` that fits ${schema.pattern}` : "");
}

const within = (it, least, most) => it >= (least ?? -Infinity) && it <= (most ?? Infinity);

function fits(schema, value) {
  if (kinds(schema).length && !kinds(schema).some((kind) => isA(kind, value))) return false;
  if (typeof value === "number") return within(value, schema.minimum, schema.maximum);
  if (typeof value === "string")
    return within([...value].length, schema.minLength, schema.maxLength) && (!schema.pattern || new RegExp(schema.pattern, "u").test(value));
  return !Array.isArray(value) || within(value.length, schema.minItems, schema.maxItems);
}

function check(schema, value, at, found) {
  if (typeof schema !== "object" || schema === null) return;
  const unfit = () => void found.push({ pointer: at, message: `must be ${expected(schema)}, not ${shown(value)}` });
  const choices = choicesOf(schema);
  if (choices) return choices.some((it) => same(it, value)) ? undefined : unfit();
  const variants = variantsOf(schema);
  if (variants) {
    if (value === null && (schema.anyOf ?? schema.oneOf).length > variants.length) return;
    const problems = variants.map((it) => {
      const inner = [];
      check(it, value, at, inner);
      return inner;
    });
    if (problems.some((it) => !it.length)) return;
    return problems.length === 1 ? void found.push(...problems[0]) : unfit();
  }
  if (!fits(schema, value)) return unfit();
  if (Array.isArray(value)) return value.forEach((it, index) => check(schema.items, it, `${at}/${index}`, found));
  if (typeOf(value) !== "object") return;
  const known = schema.properties ?? {};
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) {
      const kind = known[name] ? expected(known[name]) : "";
      found.push({ pointer: `${at}/${escaped(name)}`, message: `is required${kind && ": "}${kind}` });
    }
  for (const [name, it] of Object.entries(value)) {
    const pointer = `${at}/${escaped(name)}`;
    if (Object.hasOwn(known, name)) check(known[name], it, pointer, found);
    else if (schema.additionalProperties === false)
      found.push({ pointer, message: `is not known here; known are: ${Object.keys(known).join(", ") || "nothing"}` });
    else check(schema.additionalProperties, it, pointer, found);
  }
}

/** The value without fields that are null where they may be left out and cannot be null: many clients write them so. */
function withoutBlanks(schema, value) {
  if (Array.isArray(value)) value.forEach((it) => withoutBlanks(schema?.items, it));
  else if (typeOf(value) === "object")
    for (const [name, of] of Object.entries(schema?.properties ?? {})) {
      if (!Object.hasOwn(value, name)) continue;
      const unfit = [];
      if (value[name] === null && !schema.required?.includes(name)) check(of, null, "", unfit);
      if (unfit.length) delete value[name];
      else withoutBlanks(of, value[name]);
    }
  return value;
}

// ---- The person behind a call ----

/** The person behind a call, who can be asked and shown something, with what they have answered so far. */
class User {
  constructor({ answers, state, meta, firstCalledAt }) {
    this.answers = answers;
    this.state = state;
    /** The request's `_meta`, less what the host keeps to itself. */
    this.meta = JSON.parse(meta || "{}");
    /** When the first round of this call began; the same in every repeat. */
    this.firstCalledAt = new Date(Number(firstCalledAt.seconds) * 1000 + Math.floor(firstCalledAt.nanoseconds / 1e6));
    this.shown = [];
    this.told = {};
    this.asked = undefined;
  }

  /** What the user fills into a form of these fields; the call stops until they have. */
  ask(key, message, fields) {
    const form = object(fields, {}, "");
    const given = withoutBlanks(form, this.put({ key, message, ask: { tag: "form", val: JSON.stringify(form) } }));
    const problems = [];
    if (given !== undefined) check(form, given, "", problems);
    if (problems.length) {
      const [{ pointer, message: why }] = problems;
      throw invalid("", `The answer to ${JSON.stringify(key)} does not fit: ${pointer.slice(1).replaceAll("/", ".") || "it"} ${why}.`);
    }
    return given;
  }

  /** Goes on only once the user agrees to `message`; to another message they agree anew. */
  confirm(message) {
    let hash = 0xcbf29ce484222325n;
    for (const byte of utf8(message)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    this.ask(`confirm-${hash.toString(16).padStart(16, "0")}`, message, {});
  }

  /** Goes on once the user has been sent to the page at `url`, and agreed. */
  visit(key, message, url) {
    this.put({ key, message, ask: { tag: "url", val: url } });
  }

  /** What the client's model answers to `prompt`: `{ model, content, text }`. */
  sample(key, prompt, tokensMax) {
    const messages = [{ role: "user", content: { type: "text", text: prompt } }];
    const given = this.put({ key, message: "A model is to answer.", ask: { tag: "sampling", val: JSON.stringify({ messages, maxTokens: tokensMax }) } });
    const text = [given?.content].flat().find((it) => typeof it?.text === "string")?.text ?? "";
    return given && { ...given, text };
  }

  /** The folders that the client works on: `[{ uri, name }]`. */
  roots(key) {
    return this.put({ key, message: "Which folders are open?", ask: { tag: "roots" } })?.roots;
  }

  /** Asks all that `questions`, functions, ask in one round; their answers. */
  together(...questions) {
    this.asked = [];
    const answers = questions.map((it) => it());
    const asked = this.asked;
    this.asked = undefined;
    if (asked.length) throw new Stop("input-required", { questions: asked, state: undefined }, "asks");
    return answers;
  }

  /** The answer to a question of the contract; the call stops until there is one. */
  put(question) {
    const answer = this.answers.find((it) => it.key === question.key);
    if (!answer && this.asked) return void this.asked.push({ meta: undefined, ...question });
    if (!answer) throw new Stop("input-required", { questions: [{ meta: undefined, ...question }], state: undefined }, "asks");
    if (answer.action === "decline") throw refused("declined", 403, "The user declined.");
    if (answer.action === "cancel") throw refused("declined", 403, "The user closed the question.");
    return JSON.parse(answer.content ?? "{}");
  }

  /** Remembers something for the rounds to come: it goes out, sealed by the host, with the next questions. */
  remember(what) {
    this.state = JSON.stringify(what);
  }

  /** What an earlier round remembered; undefined in the first. */
  remembered() {
    return this.state === undefined || this.state === null ? undefined : JSON.parse(this.state);
  }

  /** Shows a text, or a piece of content of the contract, beside the output. */
  show(it) {
    this.shown.push(typeof it === "string" ? { tag: "text", val: { text: it, annotations: undefined, meta: undefined } } : it);
  }

  /** Puts an entry into the result's `_meta`, for the client rather than its model: `tell("forms/handle", …)`. */
  tell(name, value) {
    this.told[name] = value;
  }

  /** Whether the caller wants notifications of how the call gets on. */
  get wantsProgress() {
    return this.meta.progressToken !== undefined;
  }

  /** The language of who reads the answer: `ja`, or `en` for any other. */
  get language() {
    const named = this.meta["madoguchi/locale"] ?? rawCaller.locale() ?? "";
    return String(named).toLowerCase().split("-")[0] === "ja" ? "ja" : "en";
  }

  stopped(error) {
    if (error instanceof Stop && error.stop.tag === "input-required") error.stop.val.state ??= this.state ?? undefined;
    return error;
  }
}

const utf8 = (text) => {
  const bytes = [];
  for (const it of encodeURIComponent(text).matchAll(/%(..)|./g)) bytes.push(it[1] ? parseInt(it[1], 16) : it[0].charCodeAt(0));
  return Uint8Array.from(bytes);
};
const fromUtf8 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096)
    text += Array.from(bytes.subarray(at, at + 4096), (it) => `%${it.toString(16).padStart(2, "0")}`).join("");
  return decodeURIComponent(text);
};
/** A header's value: UTF-8, or else Latin-1, as older servers send it. */
const headerText = (bytes) => {
  try {
    return fromUtf8(bytes);
  } catch {
    return Array.from(bytes, (it) => String.fromCharCode(it)).join("");
  }
};

// ---- What a component uses ----

const cell = (it) =>
  it === null || it === undefined ? { tag: "null" }
  : typeof it === "string" ? { tag: "text", val: it }
  : typeof it === "boolean" ? { tag: "integer", val: it ? 1 : 0 }
  // The engine carries numbers alone over the border.
  : typeof it === "bigint" && Number.isSafeInteger(Number(it)) ? { tag: "integer", val: Number(it) }
  : typeof it === "bigint" ? unkept(it, "beyond 2^53, which the engine does not carry exactly; keep it as a string")
  : Number.isSafeInteger(it) ? { tag: "integer", val: it }
  : typeof it === "number" ? { tag: "real", val: it }
  : ArrayBuffer.isView(it) || Array.isArray(it) ? { tag: "blob", val: it }
  : unkept(it);
const unkept = (it, why = "") => {
  const kind = typeof it === "object" ? it.constructor?.name ?? "object" : typeof it;
  throw new TypeError(`SQL keeps no ${kind}${why && ` ${why}`}: null, a string, a number, a bigint, a boolean or a Uint8Array is right`);
};
const plainCell = ({ tag, val }) =>
  tag === "null" ? null : typeof val === "bigint" && Number.isSafeInteger(Number(val)) ? Number(val) : val;
const statement = (it) => {
  const [sql, ...parameters] = typeof it === "string" ? [it] : it;
  return { sql, parameters: parameters.map(cell), expect: it.expect };
};
const rowsOf = ({ columns, rows, changes }) =>
  Object.assign(rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, plainCell(row[at])]))), { changes: Number(changes) });
const sqlRun = (run, statements) => {
  const made = statements.map(statement);
  let found;
  try {
    found = run(made);
  } catch (error) {
    const { tag, val } = error?.payload ?? error;
    switch (tag) {
      case "constraint":
        throw new Conflict(val.kind, val.name, val.statement);
      case "unexpected-count":
        throw new Conflict("count", `${val.found} rows, not ${val.expected}`, val.statement);
      case "invalid":
        throw new Error(`SQL: ${val.message}`);
      case "limit-exceeded":
      case "unavailable":
        throw unavailable(`The database failed: ${val}`);
    }
    throw error;
  }
  return found.map(rowsOf);
};

/**
 * A constraint, or an expected count of rows, did not hold, and nothing of the batch does. `kind` is `unique`,
 * `foreign-key`, `check`, `not-null`, `other` or `count`; `constraint` is `table.column`, or a CHECK's name.
 */
export class Conflict extends Error {
  constructor(kind, constraint, statement) {
    super(`statement ${statement}: ${kind} ${constraint}`);
    Object.assign(this, { kind, constraint, statement });
  }
}

/**
 * The component's own database, with `$1` for the first parameter; needs the grant `sql`. Integers are exact up to 2^53, in both
 * directions; what may be larger is kept as a text.
 */
export const sql = {
  /** The rows of one statement, as objects: `sql.query("SELECT … WHERE id = $1", id)`. */
  query: (text, ...parameters) => sqlRun(rawSql.query, [[text, ...parameters]])[0],
  /**
   * Several statements that hold together or not at all, each a text or `[text, ...parameters]`, or `sql.expect(rows,
   * text, ...parameters)`; the rows of each, with `changes`. Throws a `Conflict` where a constraint or an expected count
   * does not hold.
   */
  transact: (...statements) => sqlRun(rawSql.transact, statements),
  /** A statement that rolls everything back unless it changes, or returns, so many rows. */
  expect: (rows, ...it) => Object.assign(it, { expect: rows }),
};

/** Who calls. */
export const caller = {
  /** The caller's name; `anonymous` where no token is needed. */
  principal: () => rawCaller.principal(),
  /** What the caller may do. */
  scopes: () => rawCaller.scopes(),
  /** The caller's language as a BCP 47 tag, if the request names one. */
  locale: () => rawCaller.locale() ?? undefined,
  /** Where this server's page is, without a slash at the end. */
  page: () => rawCaller.page() ?? undefined,
  /** The client's capabilities, as MCP has them. */
  clientCapabilities: () => JSON.parse(rawCaller.clientCapabilities()),
};

/** Tells the caller how far along a long call is: so much is done of `total`, if that is known. */
export const progress = (done, total, message) => rawProgress.report(done, total, message);

/** Lines for the operator's log: `log.info("…", { data })`. */
export const log = {
  debug: (message, data) => rawLog.write("debug", message, written(data)),
  info: (message, data) => rawLog.write("info", message, written(data)),
  notice: (message, data) => rawLog.write("notice", message, written(data)),
  warning: (message, data) => rawLog.write("warning", message, written(data)),
  error: (message, data) => rawLog.write("error", message, written(data)),
};

const printed = (level) => (...it) =>
  rawLog.write(level, it.map((one) => (typeof one === "string" ? one : JSON.stringify(one) ?? String(one))).join(" "), undefined);
globalThis.console = { log: printed("info"), info: printed("info"), debug: printed("debug"), warn: printed("warning"), error: printed("error") };

/** The setting `name`, as the operator set it or has it from the environment; undefined without one. Grant: `settings`. */
export const setting = (name) => {
  const json = rawSettings.get(name);
  return json === undefined || json === null ? undefined : JSON.parse(json);
};

/** Publishes that what is at `uri` has changed, after the change is stored; needs the grant `events`. */
export const publish = (uri) => rawEvents.publish(uri);

/** What `run` gives; a case of the contract's error becomes the stop that `stops` has for it. */
function stopping(stops, run) {
  try {
    return run();
  } catch (error) {
    const { tag, val } = error?.payload ?? error ?? {};
    throw stops[tag]?.(val) ?? error;
  }
}

const BLOB_STOPS = {
  unknown: () => refused("unknown_blob", 404, "There is no such file, or none any more; upload it again."),
  "limit-exceeded": (what) => unavailable(`Too large to keep: ${what}`),
  unavailable: (why) => unavailable(`The store failed: ${why}`),
};
const FILE_STOPS = {
  "not-granted": (name) => unavailable(`The operator has not granted the file ${name}.`),
  "limit-exceeded": (what) => unavailable(`Too much of a file at once: ${what}`),
  unavailable: (why) => unavailable(`A file cannot be read: ${why}`),
};

/** Files that callers exchange, by the SHA-256 of their content; needs the grant `blobs`. One that is not there is refused. */
export const blobs = {
  stat: (id) => stopping(BLOB_STOPS, () => rawBlobs.stat(id)),
  read: (id, offset, length) => stopping(BLOB_STOPS, () => rawBlobs.read(id, offset, length)),
  put: (data, mimeType) => stopping(BLOB_STOPS, () => rawBlobs.put(data, mimeType)),
};

/** Single files that the operator granted by name; needs the grant `files`. One that is not there is unavailable. */
export const files = {
  size: (name) => stopping(FILE_STOPS, () => Number(rawFiles.size(name))),
  read: (name, offset, length) => stopping(FILE_STOPS, () => rawFiles.read(name, offset, length)),
};

/**
 * Calls tools on the caller's behalf, each `{ name, arguments, reason? }`; needs the grant `calls`. Gives a list of
 * `{ tag: "done", val: result }`, `{ tag: "held", val: id }` and `{ tag: "failed", val: failure }`.
 */
export const call = (...requests) =>
  rawCalls
    .call(requests.map((it) => ({ name: it.name, arguments: JSON.stringify(it.arguments ?? {}), meta: undefined, reason: it.reason })))
    .map(({ tag, val }) => ({ tag, val: tag === "held" ? val : JSON.parse(val) }));

/** `prefix-` and sixteen letters that cannot be guessed; needs the grant `random`. */
export const freshId = (prefix) =>
  `${prefix}-${Array.from(getRandomBytes(16), (it) => "0123456789abcdefghjkmnpqrstvwxyz"[it & 31]).join("")}`;

// The engine's own would give the same numbers in each call: it was seeded when the component was built.
let seed;
Math.random = () => {
  seed ??= insecureSeed().reduce((all, it) => all ^ BigInt(it), 0n);
  seed = BigInt.asUintN(64, seed + 0x9e3779b97f4a7c15n);
  let it = seed;
  it = BigInt.asUintN(64, (it ^ (it >> 30n)) * 0xbf58476d1ce4e5b9n);
  it = BigInt.asUintN(64, (it ^ (it >> 27n)) * 0x94d049bb133111ebn);
  return Number((it ^ (it >> 31n)) >> 11n) / 2 ** 53;
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
const BODY_BYTES_MAX = 4 << 20;

/**
 * Sends a request to a host that the operator granted, and reads the whole answer; needs the grant `http`. Secrets are the
 * operator's: the host adds them on the way out.
 * @param {string} url `http` or `https`.
 * @param {{ method?: string, headers?: Record<string, string>, body?: string | Uint8Array, json?: any,
 *   timeoutMs?: number, bodyBytesMax?: number }} [it]
 * @returns {{ status: number, headers: Record<string, string>, body: Uint8Array, text(): string, json(): any, successful(): any }}
 */
export function http(url, it = {}) {
  const parts = /^(https?):\/\/([^/?#]+)([^#]*)/.exec(url);
  const wrong = (what) => refused("http_invalid", 400, `An outgoing request failed: ${what}.`);
  if (!parts) throw wrong(`${JSON.stringify(url)} is not an http or https URL`);
  const [, scheme, authority, rest] = parts;
  const text = it.json === undefined ? it.body : JSON.stringify(it.json);
  const body = typeof text === "string" ? utf8(text) : text ?? new Uint8Array();
  const headers = Object.entries(it.headers ?? {});
  const isNamed = headers.some(([name]) => name.toLowerCase() === "content-type");
  if (it.json !== undefined && !isNamed) headers.push(["content-type", "application/json"]);
  if (body.length) headers.push(["content-length", String(body.length)]);
  try {
    const fields = rawHttp.Fields.fromList(headers.map(([name, value]) => [name, utf8(String(value))]));
    const request = new rawHttp.OutgoingRequest(fields);
    const method = (it.method ?? "GET").toUpperCase();
    request.setMethod(METHODS.includes(method) ? { tag: method.toLowerCase() } : { tag: "other", val: method });
    request.setScheme({ tag: scheme.toUpperCase() });
    request.setAuthority(authority);
    request.setPathWithQuery(rest.startsWith("/") ? rest : `/${rest}`);
    let options;
    if (it.timeoutMs) {
      options = new rawHttp.RequestOptions();
      options.setFirstByteTimeout(it.timeoutMs * 1_000_000);
      options.setBetweenBytesTimeout(it.timeoutMs * 1_000_000);
    }
    const outgoing = body.length ? request.body() : undefined;
    const coming = rawHandler.handle(request, options);
    if (outgoing) send(outgoing, body);
    const ready = coming.subscribe();
    ready.block();
    ready[Symbol.dispose]();
    return answered(coming.get(), it.bodyBytesMax ?? BODY_BYTES_MAX);
  } catch (error) {
    if (error instanceof Stop || error instanceof TypeError) throw error;
    throw httpStop(error?.payload ?? error);
  }
}

function send(outgoing, bytes) {
  try {
    const stream = outgoing.write();
    for (let at = 0; at < bytes.length; at += 4096) stream.blockingWriteAndFlush(bytes.slice(at, at + 4096));
    stream[Symbol.dispose]();
    rawHttp.OutgoingBody.finish(outgoing, undefined);
  } catch {
    // Where the host takes no more of it, the answer says why.
  }
}

function answered(coming, bytesMax) {
  const opened = (it) => {
    if (it?.tag === "err") throw it.val;
    return it?.tag === "ok" ? it.val : it;
  };
  const response = opened(opened(coming));
  const [status, headers] = [response.status(), {}];
  for (const [name, value] of response.headers().entries()) headers[name.toLowerCase()] ??= headerText(Uint8Array.from(value));
  const [incoming, pieces] = [response.consume(), []];
  const stream = incoming.stream();
  let length = 0;
  for (;;) {
    let piece;
    try {
      piece = stream.blockingRead(65_536);
    } catch (error) {
      if ((error?.payload ?? error)?.tag === "closed") break;
      throw unavailable("An outgoing request failed: it broke off.");
    }
    length += piece.length;
    if (length > bytesMax) throw unavailable("An outgoing request failed: the answer is too large.");
    pieces.push(piece);
  }
  for (const it of [stream, incoming, response]) it[Symbol.dispose]();
  const body = new Uint8Array(length);
  pieces.reduce((at, it) => (body.set(it, at), at + it.length), 0);
  const read = (what, run) => {
    try {
      return run();
    } catch {
      throw unavailable(`An outgoing request failed: the answer cannot be read: it is not ${what}.`);
    }
  };
  const text = () => read("UTF-8", () => fromUtf8(body));
  const answer = { status, headers, body, text, json: () => read("JSON", () => JSON.parse(fromUtf8(body))) };
  answer.successful = () => {
    if (status >= 200 && status < 300) return answer;
    throw unavailable(`An outgoing request failed: the host answered with status ${status}.`);
  };
  return answer;
}

function httpStop(code) {
  const name = code?.tag ?? String(code?.message ?? code);
  if (/request-denied|ip-prohibited/i.test(name))
    return refused("http_denied", 403, "An outgoing request failed: the operator has not granted this request.");
  if (/uri-invalid|method-invalid|invalid-syntax|forbidden/i.test(name))
    return refused("http_invalid", 400, `An outgoing request failed: ${name}.`);
  if (/response-timeout|read-timeout/i.test(name)) return unavailable("An outgoing request failed: the host answers too late.");
  return unavailable(`An outgoing request failed: ${name}.`);
}
