// What tests ask of a component in JavaScript: all that the kit offers, and what is not to be done.

import { Conflict, blobs, caller, configured, example, files, freshId, http, invalid, log, migration, progress, refused, setting, sql, tool } from "../kit/madoguchi.js";

const text = (en) => ({ ja: `${en}（日本語）`, en });
const declared = (name, input, output, run, more = {}) =>
  tool(`js_${name}`, { title: text(name), description: text(`Does ${name}.`), input, output, run, hints: {}, ...more });

migration("notes", "CREATE TABLE notes (body TEXT NOT NULL UNIQUE, weight REAL, data BLOB)");

declared("seats", {
  seats: {
    type: "array", minItems: 1, maxItems: 3,
    items: {
      type: "object", required: ["row"], additionalProperties: false,
      properties: { row: { type: "string", pattern: "^[A-Z]$", description: text("The row") }, number: { type: "integer", minimum: 1, maximum: 20 } },
    },
  },
  "kind?": { enum: ["adult", "child"] },
}, { rows: { type: "array", items: { type: "string" } }, kind: "string" }, ({ seats, kind }) => ({ rows: seats.map((it) => `${it.row}${it.number ?? 1}`), kind: kind ?? "adult" }));

declared("note", { body: "string" }, { count: "integer", weight: "number", bytes: "integer", big: "integer" }, ({ body }) => {
  const data = new Uint8Array([1, 2, 255]);
  let added, row;
  try {
    [added, [row]] = sql.transact(["INSERT INTO notes VALUES ($1, $2, $3)", body, 0.5, data], "SELECT count(*) AS n, max(weight) AS w FROM notes");
  } catch (error) {
    if (error instanceof Conflict) throw refused("taken", 409, "There is such a note.", { of: error.constraint });
    throw error;
  }
  if (added.changes !== 1) throw new Error("it changed nothing");
  const [{ data: kept }] = sql.query("SELECT data FROM notes WHERE body = $1", body);
  const [{ big }] = sql.query("SELECT $1 AS big", 9007199254740991n);
  return { count: row.n, weight: row.w, bytes: kept.length + kept[2], big };
});

declared("wrong_sql", {}, {}, () => sql.query("SELECT * FROM nowhere"));

declared("ask", {}, { text: "string", began: "integer" }, (_, user) => {
  user.remember({ round: (user.remembered()?.round ?? 0) + 1 });
  const { name } = user.ask("name", user.language === "ja" ? "お名前は？" : "What is your name?", { name: "string" });
  user.confirm(`Greet ${name}?`);
  user.show(user.language === "ja" ? "こんにちは" : "Hello");
  user.tell("probe/round", user.remembered().round);
  return { text: `${user.language === "ja" ? "こんにちは" : "Hello"} ${name}`, began: user.firstCalledAt.getTime() };
});

declared("who", {}, { name: "string", locale: "string", scopes: "integer" }, () => {
  progress(1, 2, "half");
  log.info("asked who", { by: caller.principal() });
  console.log("printed");
  return { name: caller.principal(), locale: caller.locale() ?? "", scopes: caller.scopes().length };
});

declared("choose", {}, { size: "string" }, (_, user) => user.ask("size", "Which size?", { size: { enum: ["small", "large"] } }));

declared("blank", { must: "string", "note?": "string", "size?": { enum: ["small", "large"] }, "none?": { type: ["string", "null"] } }, { given: {} }, (given) => ({ given }));

declared("set", {}, { value: {} }, () => ({ value: setting("colour") ?? null }));
declared("fetch", { url: "string" }, { status: "integer", text: "string" }, ({ url }) => {
  const answer = http(url, { method: "POST", json: { a: "é" }, headers: { "x-probe": "1", "Content-Type": "application/probe+json" } });
  return { status: answer.status, text: answer.successful().text() };
});
declared("roll", {}, { one: "number", id: "string" }, () => ({ one: Math.random(), id: freshId("p") }));

configured(() => {
  if (setting("colour") === "mauve") throw invalid("/colour", "must be no mauve");
});

export const routes = {
  routes: () => ["none", "broken"].map((path) => ({ method: "GET", path, tools: [], bodyBytesMax: 0, streams: false })),
  handle({ route }) {
    if (route === "none") throw refused("no_such", 404, "There is none.");
    return broken({});
  },
};

export const endpoints = {
  get({ path }) {
    if (path === "look/none") throw refused("no_such", 404, "There is none.");
    return broken({});
  },
};

// ---- What goes wrong ----

function broken(list) {
  return list.first.second;
}
declared("fail", {}, {}, () => broken({}));
declared("size", {}, { size: "integer" }, () => ({ size: files.size("book") }));
declared("photo", {}, { size: "integer" }, () => ({ size: Number(blobs.stat("00").size) }));
declared("keep_date", {}, {}, () => sql.query("SELECT $1 AS it", new Date(0)));
declared("keep_big", {}, {}, () => sql.query("SELECT $1 AS it", 2n ** 60n));
declared("promise", {}, {}, () => Promise.resolve({}));
declared("refuse", { status: true }, {}, ({ status }) => {
  throw refused("unfit", status, "The status is none of an error.");
});
declared("clock", {}, { now: "integer" }, () => ({ now: Date.now() }));
declared("spin", {}, {}, () => {
  for (;;);
});
declared("hoard", {}, {}, () => {
  const all = [];
  for (;;) all.push(new Uint8Array(1 << 20));
});
declared("bloat", {}, { text: "string" }, () => ({ text: "x".repeat(9 << 20) }));
declared("recurse", {}, {}, () => {
  const down = (it) => 1 + down(it + 1);
  return { it: down(0) };
});

example("seats have rows", "js_seats", { seats: [{ row: "A" }] }).gives({ rows: ["A1"] });
example("no seat is no call", "js_seats", { seats: [] }).refusesTheArguments();
example("it asks", "js_ask", {}).asks();
