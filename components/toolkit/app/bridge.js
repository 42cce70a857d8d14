"use strict";
// What the apps of components stand on: MCP Apps (2026-01-26) over postMessage, and elements that are made of texts.
//
// app.start({ result(result, input), input(arguments, isWhole), cancelled(reason), context(), end() }) begins; each is
// optional. app.call(tool, arguments) gives a tool's result or throws a Refusal. Nothing here reads HTML: whatever comes
// from outside becomes a text node or the value of an attribute.

/** Why a tool has no output: its code, what it says of it, and a sentence. */
class Refusal extends Error {
  constructor(code, message, data = {}) {
    super(message);
    Object.assign(this, { code, data });
  }
}

const app = (() => {
  const host = window.parent;
  const root = document.getElementById("app");
  const said = document.getElementById("said");
  const waiting = new Map();
  const context = {};
  let can = {};
  let view = {};
  let number = 0;
  let input = {};
  let size = "";

  // --- The wire ---------------------------------------------------------------------------------------------------

  const send = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params = {}) => send({ method, params });
  const request = (method, params = {}) =>
    new Promise((resolve, reject) => {
      number += 1;
      waiting.set(number, { resolve, reject });
      send({ id: number, method, params });
    });

  const settle = ({ id, result, error }) => {
    const asked = waiting.get(id);
    if (!asked) return;
    waiting.delete(id);
    if (error) asked.reject(new Refusal(`rpc${error.code ?? ""}`, String(error.message ?? "")));
    else asked.resolve(result ?? {});
  };

  const hears = {
    "ui/notifications/tool-input-partial": (it) => view.input?.((input = it.arguments ?? {}), false),
    "ui/notifications/tool-input": (it) => view.input?.((input = it.arguments ?? {}), true),
    "ui/notifications/tool-result": (it) => view.result?.(it, input),
    "ui/notifications/tool-cancelled": (it) => view.cancelled?.(it.reason),
    "ui/notifications/host-context-changed": (it) => adopt(it),
  };

  const answer = async ({ id, method }) => {
    if (method === "ui/resource-teardown") await view.end?.();
    if (method === "ui/resource-teardown" || method === "ping") return send({ id, result: {} });
    send({ id, error: { code: -32601, message: `An app has no method ${method}.` } });
  };

  const receive = ({ source, data }) => {
    // The one window that is asked and heard is the one around this.
    if (source !== host || source === window || data?.jsonrpc !== "2.0") return;
    if (typeof data.method !== "string") return settle(data);
    if (data.id !== undefined) return answer(data);
    if (Object.hasOwn(hears, data.method)) hears[data.method](data.params ?? {});
  };

  // --- What is around -----------------------------------------------------------------------------------------------

  const locale = () => {
    const named = context.locale || navigator.language || "en";
    return /^[A-Za-z0-9-]{1,35}$/.test(named) ? named : "en";
  };
  const isJapanese = () => locale().toLowerCase().split("-")[0] === "ja";

  const adopt = (more) => {
    Object.assign(context, more);
    const page = document.documentElement;
    page.lang = isJapanese() ? "ja" : "en";
    page.style.colorScheme = context.theme === "dark" || context.theme === "light" ? context.theme : "light dark";
    page.dataset.mode = context.displayMode ?? "inline";
    for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
      if (/^--[a-z0-9-]+$/.test(name) && typeof value === "string") page.style.setProperty(name, value);
    }
    for (const side of ["top", "right", "bottom", "left"]) {
      const inset = Number(context.safeAreaInsets?.[side]) || 0;
      page.style.setProperty(`--inset-${side}`, `${Math.max(0, inset)}px`);
    }
    view.context?.();
  };

  const measure = () => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const now = { width: Math.ceil(width), height: Math.ceil(height) };
    if (size !== (size = `${now.width} ${now.height}`)) notify("ui/notifications/size-changed", now);
  };

  // --- For apps -----------------------------------------------------------------------------------------------------

  const start = async (handlers) => {
    view = handlers;
    if (host === window) return;
    window.addEventListener("message", receive);
    const begun = await request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: document.title, version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    can = begun.hostCapabilities ?? {};
    adopt(begun.hostContext ?? {});
    notify("ui/notifications/initialized");
    new ResizeObserver(measure).observe(document.documentElement);
  };

  const call = async (name, args) => {
    const _meta = { "madoguchi/locale": locale() };
    const result = await request("tools/call", { name, arguments: args, _meta });
    if (!result.isError) return result;
    throw refusal(result);
  };

  /** What a result that is an error says; its texts where it is not one of this server's. */
  const refusal = (result) => {
    const texts = (result.content ?? []).filter((it) => it.type === "text").map((it) => it.text);
    const { error, message, ...data } = result._meta?.["madoguchi/error"] ?? parsed(texts[0]);
    return new Refusal(error ?? "refused", message ?? texts.join("\n"), { ...data, ...data.data });
  };

  const parsed = (text) => {
    try {
      return Object(JSON.parse(text));
    } catch {
      return {};
    }
  };

  const read = async (uri) => (await request("resources/read", { uri })).contents?.[0];

  /** Says something to the model's next turn, and nothing to anybody now. */
  const tell = (text, structuredContent) => {
    if (!can.updateModelContext) return;
    const content = [{ type: "text", text }];
    request("ui/update-model-context", { content, ...(structuredContent && { structuredContent }) }).catch(() => {});
  };

  /** Says something in the person's name, where the program has that. */
  const say = (text) => {
    if (!can.message) return;
    request("ui/message", { role: "user", content: [{ type: "text", text }] }).catch(() => {});
  };

  const open = (url) => request("ui/open-link", { url });

  /** A button that makes the frame as large as the window, and back; nothing where the program has no such thing. */
  const fullscreen = (large, small) => {
    if (!context.availableDisplayModes?.includes("fullscreen")) return null;
    const isLarge = context.displayMode === "fullscreen";
    const mode = isLarge ? "inline" : "fullscreen";
    const onclick = async () => {
      const set = await request("ui/request-display-mode", { mode }).catch(() => null);
      if (set?.mode) adopt({ displayMode: set.mode });
    };
    return h("button", { class: "quiet", id: "fullscreen", onclick }, isLarge ? small : large);
  };

  /** Keeps a trifle of the view in this browser, where the frame may: what matters is the component's. */
  const keep = (name, value) => {
    try {
      localStorage.setItem(`app.${name}`, JSON.stringify(value));
    } catch {}
  };
  const kept = (name) => {
    try {
      return JSON.parse(localStorage.getItem(`app.${name}`));
    } catch {
      return null;
    }
  };

  /** Texts in two languages: { name: ["日本語", "English"] }; `{0}` stands for what is given along. */
  const words = (all) => (name, ...given) =>
    all[name][isJapanese() ? 0 : 1].replace(/\{(\d)\}/g, (_, at) => String(given[at] ?? ""));

  const announce = (text) => {
    said.textContent = said.textContent === text ? `${text}\u00a0` : text;
  };

  // A word of Japanese is typed in pieces: its field stays until it is whole.
  let isComposing = false;
  let isLate = false;
  document.addEventListener("compositionstart", () => (isComposing = true));
  document.addEventListener("compositionend", () => {
    isComposing = false;
    if (isLate) setTimeout(() => view.context?.());
    isLate = false;
  });

  /** Puts new elements in place of those of `parent`; the keyboard and the cursor stay where they were. */
  const draw = (parent, ...children) => {
    if (isComposing) return (isLate = true);
    const { activeElement: active } = document;
    const id = parent.contains(active) ? active.id : "";
    const cursor = id && "selectionStart" in active ? [active.selectionStart, active.selectionEnd] : null;
    const scrolls = [...parent.querySelectorAll("[data-scroll]")].map((it) => [it.dataset.scroll, it.scrollTop, it.scrollLeft]);
    parent.replaceChildren(...children.flat(9).filter((it) => it !== null && it !== undefined && it !== false));
    for (const [name, top, left] of scrolls) {
      const again = [...parent.querySelectorAll("[data-scroll]")].find((it) => it.dataset.scroll === name);
      if (again) [again.scrollTop, again.scrollLeft] = [top, left];
    }
    const again = id && document.getElementById(id);
    if (!again) return;
    again.focus({ preventScroll: true });
    try {
      if (cursor && cursor[0] !== null) again.setSelectionRange(...cursor);
    } catch {}
  };

  return {
    root, context, start, call, read, tell, say, open, fullscreen, keep, kept, words, announce, draw, refusal,
    locale, isJapanese, can: () => can,
  };
})();

/** An element: h("button", { class: "quiet", onclick: run }, "Text", child, …). */
const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** The same of SVG. */
const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else if (name === "style") for (const [key, it] of Object.entries(value)) element.style.setProperty(key, it);
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
  if (tagged(element) && !element.hasAttribute("type")) element.type = "button";
  for (const it of children.flat(9)) if (it !== null && it !== undefined && it !== false) element.append(it);
  return element;
};

const tagged = (element) => element.localName === "button";

/** A sentence in a box: "info", "good", "warning" or "grave". */
const notice = (kind, ...children) =>
  h("div", { class: `notice is-${kind}`, role: kind === "grave" ? "alert" : null }, ...children);

/** Runs `later` once nothing has called for so many milliseconds, or that long after the first call where it does not
    start anew; `.now()` runs what waits. */
const after = (milliseconds, later, startsAnew = true) => {
  let timer = 0;
  const run = () => {
    clearTimeout(timer);
    timer = 0;
    return later();
  };
  const begin = () => {
    if (timer && !startsAnew) return;
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
  begin.now = () => (timer ? run() : undefined);
  begin.stop = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return begin;
};
