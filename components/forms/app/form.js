// A form that was asked for: filled in here, kept as a draft while it is typed, checked and sent by the forms' own tools.
{
  const t = app.words({
    loading: ["読み込んでいます…", "Loading…"], submit: ["送信", "Send"], cancel: ["キャンセル", "Cancel"], required: ["必須", "required"],
    choose: ["選択してください", "Choose"], askedBy: ["{0} からの依頼", "Asked by {0}"], saving: ["下書きを保存中…", "Saving the draft…"], saved: ["下書きを保存しました", "Draft saved"],
    notSaved: ["下書きを保存できませんでした。{0}", "The draft could not be saved. {0}"], wrong: ["入力内容を確認してください（{0}件）。", "Please look at what is filled in ({0})."],
    sent: ["送信しました", "Sent"], cancelled: ["キャンセルしました", "Cancelled"], declined: ["回答を辞退しました", "Declined"], reopen: ["もう一度入力する", "Take it up again"],
    cancelSure: ["入力をやめますか？", "Leave this form?"], cancelDo: ["やめる", "Leave it"], cancelNot: ["入力を続ける", "Go on"], failed: ["できませんでした。{0}", "That did not work. {0}"],
    conflict: ["別の画面で新しい下書きが保存されています。", "A newer draft was saved from another window."], theirs: ["新しい下書きを使う", "Use the newer one"], mine: ["この内容で上書きする", "Keep what is here"],
    secret: ["パスワードやカード番号などの秘密は入力しないでください。", "Do not type passwords, card numbers or other secrets."], type: ["入力して検索", "Type to search"], min: ["{0}文字以上入力すると検索します。", "Type {0} or more characters to search."],
    searching: ["検索中…", "Searching…"], nothing: ["合う候補はありません。", "Nothing fits."], options: ["候補 {0} 件", "Options: {0}"], lookupFailed: ["候補を読み込めませんでした。", "The options could not be loaded."], again: ["再試行", "Try again"],
    first: ["先に「{0}」を選んでください", "Choose “{0}” first"], remove: ["{0} を外す", "Take out {0}"], removed: ["{0} を外しました。", "{0} taken out."], chosen: ["{0} を選びました。", "{0} chosen."], full: ["{0}件まで選べます。", "At most {0}."],
    picked: ["{0} 件選択", "{0} chosen"], file: ["ファイルはフォームのページで添付できます。入力した内容はそのまま引き継がれます。", "Files are attached on the form’s own page. What is filled in here goes along."], openPage: ["フォームのページを開く", "Open the form’s page"], noPage: ["ここではファイルを添付できません。", "Files cannot be attached here."],
    files: ["添付済み：{0}", "Attached: {0}"], suggestions: ["候補:", "Suggestions:"], answers: ["回答", "Answers"], noAnswer: ["（未入力）", "(empty)"], yes: ["はい", "Yes"], no: ["いいえ", "No"], large: ["大きく表示", "Enlarge"], small: ["元の大きさに戻す", "Back to the chat"],
    noHandle: ["このフォームの情報が届いていません。", "What this form is did not arrive."], checked: ["入力内容に問題はありません。", "Everything is filled in well."], stopped: ["呼び出しは取り消されました。", "The call was cancelled."],
  });
  const OPTIONS_MAX = 2000; // More are cut off, and what is chosen may be among them.
  const EMPTY = (value) => value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);

  let handle = "";
  let page = "";
  let form = null; // What open_form put out.
  let values = {};
  let labels = {}; // What people read of values that were looked up.
  let touched = new Set();
  let errors = {};
  let loaded = {}; // Options by field: { parent, choices, failed }
  let revision = 0;
  let saving = "";
  let problem = null;
  let conflict = null;
  let isAsking = false;
  let isBusy = false;
  let isDirty = false;
  const boxes = new Map(); // Each field's element, by its name.

  const fields = () => (Array.isArray(form?.schema?.fields) ? form.schema.fields : []);
  const isInput = (it) => it.type !== "divider" && it.type !== "heading";
  const labelOf = (it) => String(it.label || it.text || it.name || "");
  const idOf = (it) => `field-${fields().indexOf(it)}`;
  const fieldNamed = (name) => fields().find((it) => isInput(it) && it.name === name);
  const optionsOf = (it) =>
    (it.options ?? [])
      .map((o) => (o !== null && typeof o === "object" ? { value: o.value, label: String(o.label || o.value) } : { value: o, label: String(o) }))
      .filter((o) => !EMPTY(o.value));
  /** So many days from today, where the reader is. */
  const today = (days = 0) => {
    const now = new Date();
    now.setDate(now.getDate() + days);
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((it) => String(it).padStart(2, "0")).join("-");
  };
  /** A default; one of a day may count from today. */
  const atFirst = ({ type, default: given }) => {
    if (!["date", "datetime"].includes(type)) return given;
    if (type === "datetime" && /T\d\d:\d\d:\d\d$/.test(given)) return given.slice(0, 16);
    const text = String(given).replaceAll(" ", "").toLowerCase();
    const [, sign, number, unit] = /^(?:today)?([+-])(\d+)(d|w)/.exec(text) ?? [];
    const counted = { today: 0, tomorrow: 1, yesterday: -1 }[text] ?? (unit ? Number(sign + number) * (unit === "w" ? 7 : 1) : null);
    return counted === null ? given : type === "date" ? today(counted) : `${today(counted)}T00:00`;
  };

  // --- Which fields are shown ------------------------------------------------------------------------------------------

  const same = (one, other) =>
    Array.isArray(one) && Array.isArray(other) ? one.length === other.length && one.every((it, at) => same(it, other[at])) : one === other;
  const equals = (value, wanted) => {
    if (EMPTY(value)) return EMPTY(wanted);
    if (Array.isArray(value) && !Array.isArray(wanted)) return value.length === 1 && same(value[0], wanted);
    return same(value, wanted);
  };
  const passes = (test, of) => {
    if (Array.isArray(test)) return test.every((it) => passes(it, of));
    if (Array.isArray(test?.all)) return test.all.every((it) => passes(it, of));
    if (Array.isArray(test?.any)) return test.any.some((it) => passes(it, of));
    const value = of(test?.field);
    const tests = {
      equals: (wanted) => equals(value, wanted), value: (wanted) => equals(value, wanted), notEquals: (wanted) => !equals(value, wanted),
      in: (wanted) => wanted.some((it) => equals(value, it)),
      contains: (part) => (Array.isArray(value) ? value.some((it) => same(it, part)) : typeof value === "string" && typeof part === "string" && value.includes(part)),
      filled: (wanted) => (!EMPTY(value) && value !== false) === wanted,
    };
    return Object.entries(test ?? {}).every(([name, wanted]) => !Object.hasOwn(tests, name) || tests[name](wanted));
  };
  const valueOf = (it, all = values) => (it.type === "hidden" ? (it.value ?? it.default) : it.type === "checkbox" ? (all[it.name] ?? false) : all[it.name]);
  const visible = () => {
    const settled = new Map();
    const isShown = (it) => {
      if (settled.has(it)) return settled.get(it);
      settled.set(it, true); // A form that was read has no circles.
      const of = (name) => {
        const other = fieldNamed(name);
        return other && isShown(other) ? valueOf(other) : undefined;
      };
      const parent = it.type === "cascading-select" ? fieldNamed(it.dependsOn) : null;
      settled.set(it, (!parent || isShown(parent)) && (!it.showIf || passes(it.showIf, of)));
      return settled.get(it);
    };
    return fields().filter(isShown);
  };

  const defaults = () => {
    const all = {};
    for (const it of fields().filter(isInput)) {
      if (it.type === "checkbox") all[it.name] = it.default ?? false;
      else if (it.type === "range") all[it.name] = it.default ?? it.min ?? 0;
      else if (it.type !== "hidden" && !EMPTY(it.default)) all[it.name] = atFirst(it);
    }
    // One among the options of another value is taken once that value is there.
    const isEarly = (it) => it.type === "cascading-select" && it.name in all && EMPTY(valueOf(fieldNamed(it.dependsOn) ?? {}, all));
    for (let early = fields().filter(isEarly); early.length; early = fields().filter(isEarly)) early.forEach((it) => delete all[it.name]);
    return all;
  };
  /** What goes out: what is shown and filled in. */
  const filled = () => {
    const all = {};
    for (const it of visible().filter(isInput)) if (it.type !== "hidden" && !EMPTY(valueOf(it))) all[it.name] = valueOf(it);
    return all;
  };

  // --- Talking with the forms ------------------------------------------------------------------------------------------

  const load = async () => {
    form = (await app.call("open_form", { handle })).structuredContent;
    revision = form.revision ?? 0;
    values = form.draft ?? defaults();
    labels = form.labels ?? {};
    loaded = {};
    draw();
  };

  // One at a time: each follows the one before by its number.
  let lastSave = Promise.resolve();
  const save = () => (lastSave = lastSave.then(saveNow));
  const saveNow = async () => {
    if (!isDirty || !form || form.status !== "waiting" || conflict) return;
    isDirty = false;
    saving = t("saving");
    status();
    try {
      const drafted = await app.call("save_form_draft", { handle, values, labels, revision });
      revision = drafted.structuredContent.revision;
      // What was typed meanwhile is saved next.
      saving = isDirty ? "" : t("saved");
    } catch (error) {
      isDirty = true;
      saving = "";
      if (error.code === "draft_conflict") {
        conflict = error.data;
        draw();
      } else if (error.code === "already_answered") await load().catch(() => {});
      else saving = t("notSaved", error.message ?? "");
    }
    status();
  };
  const saveSoon = after(700, save, false);

  const check = async () => {
    const { structuredContent } = await app.call("validate_form_submission", { handle, values: filled(), today: today() });
    return Object.fromEntries((structuredContent.errors ?? []).map((it) => [it.field, it.message]));
  };
  const checkSoon = after(350, async () => {
    const found = await check().catch(() => null);
    if (!found) return;
    errors = Object.fromEntries(Object.entries(found).filter(([name]) => touched.has(name)));
    showErrors();
  });

  const submit = async () => {
    if (isBusy) return;
    isBusy = true;
    problem = null;
    saveSoon.stop();
    checkSoon.stop();
    try {
      errors = await check();
      const count = Object.keys(errors).length;
      for (const name of Object.keys(errors)) touched.add(name);
      if (count) {
        problem = t("wrong", count);
        return;
      }
      const { structuredContent } = await app.call("submit_form", { handle, values: filled(), labels, today: today() });
      settled(structuredContent);
    } catch (error) {
      if (error.code === "already_answered") await load().catch(() => {});
      problem = t("failed", error.message ?? "");
    } finally {
      isBusy = false;
      draw();
      const first = visible().find((it) => errors[it.name]);
      if (form.status === "waiting" && first) document.getElementById(idOf(first))?.focus();
    }
  };
  const settled = (submission) => {
    form = { ...form, ...submission };
    isDirty = false;
    app.announce(t(form.status === "submitted" ? "sent" : form.status));
    if (!submission.message) return;
    if (app.can().message) app.say(submission.message);
    else app.tell(submission.message, submission.values);
  };
  const close = async (action) => {
    if (isBusy) return;
    isBusy = true;
    isAsking = false;
    saveSoon.stop();
    try {
      if (action === "cancel") await save();
      const { structuredContent } = await app.call("close_form", { handle, action });
      if (action === "reopen") await load();
      else settled(structuredContent);
    } catch (error) {
      problem = t("failed", error.message ?? "");
    }
    isBusy = false;
    draw();
  };

  /** What was chosen among the options of another value is none of these, nor is what follows from it in turn. */
  const emptyBelow = (it) => {
    for (const child of fields()) {
      if (child.type !== "cascading-select" || child.dependsOn !== it.name) continue;
      delete values[child.name];
      delete loaded[child.name];
      emptyBelow(child);
    }
  };
  const change = (it, value, isFinal = true) => {
    if (EMPTY(value)) delete values[it.name];
    else values[it.name] = value;
    touched.add(it.name);
    isDirty = true;
    saving = "";
    status();
    emptyBelow(it);
    saveSoon();
    if (isFinal) checkSoon();
    arrange();
  };

  // --- Options that come from elsewhere --------------------------------------------------------------------------------

  const lookUp = async (it, typed) => {
    const parent = it.dependsOn ? valueOf(fieldNamed(it.dependsOn) ?? {}) : undefined;
    const query = [["typed", typed], ["parent", parent === undefined ? "" : JSON.stringify(parent)]]
      .filter(([, value]) => value)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join("&");
    const uri = `form://${encodeURIComponent(handle)}/options/${encodeURIComponent(it.name)}${query ? `?${query}` : ""}`;
    const read = await app.read(uri);
    return JSON.parse(read?.text ?? "{}").choices ?? [];
  };
  const readable = (it, value) => {
    const option = (labels[it.name] ?? []).find((o) => same(o.value, value)) ?? loaded[it.name]?.choices?.find((o) => same(o.value, value)) ?? optionsOf(it).find((o) => same(o.value, value));
    return option?.label ?? String(value);
  };
  const learn = (it, choice) => {
    labels[it.name] = [...(labels[it.name] ?? []).filter((o) => !same(o.value, choice.value)), choice].slice(-100);
  };

  // --- Controls ---------------------------------------------------------------------------------------------------------

  const described = (it) => [it.description && `${idOf(it)}-hint`, `${idOf(it)}-error`].filter(Boolean).join(" ");
  const common = (it) => ({
    id: idOf(it), "aria-describedby": described(it), "aria-required": it.required ? "true" : null, "aria-invalid": errors[it.name] ? "true" : null,
    placeholder: it.placeholder || null, autocomplete: "off",
  });

  /** A suggestion as it is shown (FORM-40). */
  const short = (text) => ([...text].length > 30 ? `${[...text].slice(0, 30).join("")}...` : text);
  const textual = (it, tag, attributes, read = (text) => text) => {
    const element = h(tag, {
      ...common(it), ...attributes, value: values[it.name] === undefined ? "" : String(values[it.name]),
      oninput: () => change(it, read(element.value), false),
      onchange: () => checkSoon(),
    });
    const suggestions = Array.isArray(it.suggestions) && it.suggestions.length
      ? h("div", { class: "row", role: "group", "aria-labelledby": `${idOf(it)}-suggestions` },
          h("span", { class: "soft small", id: `${idOf(it)}-suggestions` }, t("suggestions")),
          it.suggestions.slice(0, 50).map((text) => h("button", {
            class: "quiet small", title: text,
            onclick: () => {
              element.value = text;
              change(it, text);
              element.focus();
            },
          }, short(text))))
      : null;
    return [element, suggestions];
  };

  const selectOf = (it, choices, extra = {}) => {
    const chosen = choices.findIndex((o) => same(o.value, values[it.name]));
    const element = h("select", {
      ...common(it), ...extra,
      onchange: () => {
        const choice = choices[Number(element.value)];
        if (choice && it.type !== "select") learn(it, choice);
        change(it, choice?.value);
      },
    }, h("option", { value: "" }, it.placeholder || t("choose")), choices.map((o, at) => h("option", { value: String(at), selected: at === chosen }, o.label)));
    return element;
  };

  const boxesOf = (it, type) => {
    const chosen = () => (type === "radio" ? [values[it.name]] : (values[it.name] ?? []));
    const max = type === "checkbox" ? it.maxSelect : null;
    return h("div", { class: "choices", role: type === "radio" ? "radiogroup" : "group", "aria-labelledby": `${idOf(it)}-label`, "aria-describedby": described(it), id: idOf(it), tabindex: "-1" },
      optionsOf(it).map((o, at) => h("label", { class: "choice" },
        h("input", {
          type, name: idOf(it), id: `${idOf(it)}-${at}`, checked: chosen().some((value) => same(value, o.value)),
          onchange: (event) => {
            if (type === "radio") return change(it, o.value);
            const rest = chosen().filter((value) => !same(value, o.value));
            const order = optionsOf(it).map((other) => other.value);
            const now = event.target.checked ? [...rest, o.value] : rest;
            change(it, order.filter((value) => now.some((one) => same(one, value))));
            if (max && now.length > max) app.announce(t("full", max));
          },
        }), o.label)));
  };

  /** What a field holds that is none of its options goes; one that holds nothing takes its default, if that is one. */
  const settle = (it, choices) => {
    const held = values[it.name];
    const wanted = EMPTY(held) ? it.default : held;
    const choice = choices.find((o) => same(o.value, wanted));
    if (choice) {
      values[it.name] = choice.value;
      learn(it, choice);
    } else if (!EMPTY(held) && choices.length < OPTIONS_MAX) {
      delete values[it.name];
      emptyBelow(it);
    }
  };
  /** A select whose options are loaded, anew when what they depend on changes. */
  const loadedSelect = (it) => {
    const parent = it.dependsOn ? fieldNamed(it.dependsOn) : null;
    if (parent && EMPTY(valueOf(parent))) return h("select", { ...common(it), disabled: true }, h("option", { value: "" }, t("first", labelOf(parent))));
    const state = loaded[it.name];
    if (!state) {
      const asked = (loaded[it.name] = {});
      const answer = (found) => {
        // The options of a value that has changed meanwhile are not these.
        if (loaded[it.name] !== asked) return;
        loaded[it.name] = found;
        if (found.choices) settle(it, found.choices);
        redraw(it);
        arrange();
      };
      lookUp(it, "").then((choices) => answer({ choices }), () => answer({ failed: true }));
    }
    if (state?.failed) {
      return h("div", { class: "row" }, h("p", { class: "error" }, t("lookupFailed")), h("button", { class: "quiet", id: idOf(it), onclick: () => { delete loaded[it.name]; redraw(it); } }, t("again")));
    }
    return selectOf(it, state?.choices ?? [], state?.choices ? {} : { "aria-busy": "true" });
  };

  /** A text field with a list below it (the combobox of ARIA): one choice, or several as chips. */
  const combobox = (it, isSeveral) => {
    const id = idOf(it);
    const least = it.minChars ?? 1;
    const max = isSeveral ? it.maxSelect : null;
    let found = [];
    let active = -1;
    let turn = 0;
    const chips = h("ul", { class: "row chips" });
    const info = h("p", { class: "soft small", id: `${id}-info` });
    const box = h("ul", { class: "options", role: "listbox", id: `${id}-list`, hidden: true, "aria-label": labelOf(it) });
    const list = () => (isSeveral ? (values[it.name] ?? []) : EMPTY(values[it.name]) ? [] : [values[it.name]]);
    const shown = () => (isSeveral || EMPTY(values[it.name]) ? "" : readable(it, values[it.name]));
    const hide = () => {
      box.hidden = true;
      active = -1;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const drawChips = () => {
      if (!isSeveral) return;
      chips.replaceChildren(...list().map((value) => h("li", { class: "chip" }, readable(it, value), h("button", {
        class: "quiet small", "aria-label": t("remove", readable(it, value)),
        onclick: () => {
          change(it, list().filter((other) => !same(other, value)));
          app.announce(t("removed", readable(it, value)));
          drawChips();
          input.focus();
        },
      }, "×"))));
    };
    const pick = (choice) => {
      learn(it, choice);
      if (isSeveral) {
        if (max && list().length >= max) return app.announce((info.textContent = t("full", max)));
        if (!list().some((value) => same(value, choice.value))) change(it, [...list(), choice.value]);
      } else change(it, choice.value);
      input.value = shown();
      app.announce(t("chosen", choice.label));
      drawChips();
      hide();
    };
    const mark = (at) => {
      active = at;
      [...box.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
      const option = box.children[at];
      if (!option) return input.removeAttribute("aria-activedescendant");
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    };
    const search = async () => {
      const typed = input.value.trim();
      turn += 1;
      const mine = turn;
      if ([...typed].length < least) {
        info.textContent = t("min", least);
        return hide();
      }
      info.textContent = t("searching");
      try {
        found = (await lookUp(it, typed)).slice(0, 50);
      } catch {
        found = [];
        if (mine === turn) info.textContent = t("lookupFailed");
        return hide();
      }
      if (mine !== turn) return;
      info.textContent = found.length ? t("options", found.length) : t("nothing");
      app.announce(info.textContent);
      box.replaceChildren(...found.map((choice, at) => h("li", {
        role: "option", id: `${id}-option-${at}`, "aria-selected": "false",
        onmousedown: (event) => event.preventDefault(), onclick: () => pick(choice),
      }, choice.label)));
      box.hidden = !found.length;
      input.setAttribute("aria-expanded", String(!box.hidden));
      mark(-1);
    };
    const searchSoon = after(Math.min(2000, it.debounceMs ?? 300), search);
    const input = h("input", {
      ...common(it), type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-autocomplete": "list",
      placeholder: it.placeholder || t("type"), value: shown(),
      oninput: () => {
        if (!isSeveral && !EMPTY(values[it.name])) change(it, undefined, false);
        searchSoon();
      },
      onblur: () => {
        hide();
        if (!isSeveral) input.value = shown();
        touched.add(it.name);
        checkSoon();
      },
      onkeydown: (event) => {
        if (event.isComposing) return;
        const { key } = event;
        if (key === "Escape") return hide();
        if (key === "Enter" && !box.hidden && active >= 0) pick(found[active]);
        else if (key === "Enter") searchSoon.now();
        else if (key === "ArrowDown") box.hidden ? search() : mark((active + 1) % found.length);
        else if (key === "ArrowUp" && !box.hidden) mark((active + found.length - 1 + (active < 0 ? 1 : 0)) % found.length);
        else return;
        event.preventDefault();
      },
    });
    drawChips();
    return [isSeveral ? chips : null, h("div", { class: "combobox" }, input, box), info];
  };

  const fileOf = (it) => {
    const given = [values[it.name] ?? []].flat().map((file) => file?.name ?? "").filter(Boolean);
    return h("div", { class: "notice" }, given.length ? h("p", {}, t("files", given.join(", "))) : null, h("p", {}, page ? t("file") : t("noPage")),
      page && h("div", {}, h("button", {
        class: "quiet", id: idOf(it), "aria-describedby": described(it),
        onclick: async () => {
          isDirty = true;
          await save();
          app.open(page).catch(() => {});
        },
      }, t("openPage"))));
  };

  const rangeOf = (it) => {
    const shown = h("output", { class: "number", for: idOf(it) }, String(values[it.name] ?? ""));
    const element = h("input", {
      ...common(it), type: "range", min: it.min ?? 0, max: it.max ?? 100, step: it.step ?? 1,
      oninput: () => {
        shown.textContent = element.value;
        change(it, Number(element.value));
      },
    });
    element.value = values[it.name] ?? it.min ?? 0;
    return h("div", { class: "range" }, element, it.showValue === false ? null : shown);
  };

  const day = (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text ?? "") ? text : null);
  /** A number however it is typed: full width, with a comma before every three digits. What is none stays, and is what is wrong. */
  const asNumber = (text) => {
    const narrow = text.normalize("NFKC").replace(/\s/g, "").replace(/[ー−‐–]/g, "-").replaceAll("。", ".").replaceAll("、", ",");
    const plain = narrow.replace(/^[+-]?\d{1,3}(,\d{3})+(?![\d,])/, (it) => it.replaceAll(",", ""));
    if (plain === "") return undefined;
    const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain));
    return isNumber ? Number(plain) : text;
  };
  const control = (it) =>
    ({
      text: () => textual(it, "input", { type: "text" }),
      textarea: () => textual(it, "textarea", { rows: String(it.rows ?? 3) }),
      number: () => textual(it, "input", { type: "text", inputmode: Number.isInteger(it.step ?? 0.5) && (it.min ?? -1) >= 0 ? "numeric" : "decimal" }, asNumber),
      range: () => rangeOf(it),
      date: () => textual(it, "input", { type: "date", min: day(it.minDate ?? it.min), max: day(it.maxDate ?? it.max) }),
      datetime: () => textual(it, "input", { type: "datetime-local" }),
      select: () => selectOf(it, optionsOf(it)),
      radio: () => boxesOf(it, "radio"),
      multiselect: () => boxesOf(it, "checkbox"),
      autocomplete: () => combobox(it, false),
      "multi-autocomplete": () => combobox(it, true),
      "async-select": () => loadedSelect(it),
      "cascading-select": () => loadedSelect(it),
      file: () => fileOf(it),
    })[it.type]?.() ?? textual(it, "input", { type: "text" });

  const head = (it) => {
    const mark = it.required || it.minSelect > 0 ? h("span", { class: "required" }, t("required")) : null;
    const isGroup = ["radio", "multiselect", "file"].includes(it.type);
    return h(isGroup ? "p" : "label", { class: "label", id: `${idOf(it)}-label`, for: isGroup ? null : idOf(it) }, labelOf(it), " ", mark);
  };

  const field = (it) => {
    if (it.type === "divider") return h("div", { class: "divider" }, labelOf(it) ? h("p", { class: "soft" }, labelOf(it)) : null);
    if (it.type === "heading") return h("div", {}, h(`h${Math.min(4, (it.level ?? 2) + 1)}`, {}, labelOf(it)), it.description ? h("p", { class: "soft" }, it.description) : null);
    if (it.type === "hidden") return null;
    const hint = it.description ? h("p", { class: "soft small", id: `${idOf(it)}-hint` }, it.description) : null;
    const warning = form.secrets?.includes(it.name) ? h("p", { class: "error" }, t("secret")) : null;
    const error = h("p", { class: "error", id: `${idOf(it)}-error` }, errors[it.name] ?? "");
    if (it.type === "checkbox") {
      const box = h("input", { ...common(it), type: "checkbox", checked: values[it.name] === true, onchange: () => change(it, box.checked) });
      return h("div", { class: "field" }, h("label", { class: "choice" }, box, h("span", {}, labelOf(it), " ", it.required ? h("span", { class: "required" }, t("required")) : null)), hint, error);
    }
    return h("div", { class: "field" }, head(it), hint, warning, control(it), error);
  };

  const redraw = (it) => {
    const before = boxes.get(it);
    if (!before?.isConnected) return;
    const now = field(it);
    now.dataset.parent = before.dataset.parent;
    const hasFocus = before.contains(document.activeElement);
    before.replaceWith(now);
    boxes.set(it, now);
    if (hasFocus) document.getElementById(idOf(it))?.focus();
  };

  /** Fields come and go with their conditions; those that stay keep the keyboard. */
  const arrange = () => {
    const place = document.getElementById("fields");
    if (!place) return;
    let at = null;
    for (const it of visible()) {
      const parent = it.dependsOn ? `${JSON.stringify(valueOf(fieldNamed(it.dependsOn) ?? {}))}` : "";
      if (boxes.get(it) && it.type === "cascading-select" && boxes.get(it).dataset.parent !== parent) {
        boxes.get(it).remove();
        boxes.delete(it);
      }
      if (!boxes.has(it)) {
        const made = field(it);
        if (!made) continue;
        made.dataset.parent = parent;
        boxes.set(it, made);
      }
      const element = boxes.get(it);
      if (at ? at.nextSibling !== element : place.firstChild !== element) place.insertBefore(element, at ? at.nextSibling : place.firstChild);
      at = element;
    }
    const keep = new Set(visible());
    for (const [it, element] of boxes) {
      if (keep.has(it)) continue;
      element.remove();
      boxes.delete(it);
    }
  };

  const showErrors = () => {
    for (const it of visible()) {
      const place = document.getElementById(`${idOf(it)}-error`);
      if (!place) continue;
      place.textContent = errors[it.name] ?? "";
      const element = document.getElementById(idOf(it));
      if (errors[it.name]) element?.setAttribute("aria-invalid", "true");
      else element?.removeAttribute("aria-invalid");
    }
  };
  const status = () => {
    const place = document.getElementById("draft");
    if (place) place.textContent = saving;
  };

  const answered = () => {
    const given = form.values ?? {};
    const text = (it, value) => {
      if (EMPTY(value)) return t("noAnswer");
      if (typeof value === "boolean") return t(value ? "yes" : "no");
      return [value].flat().map((one) => one?.name ?? readable(it, one)).join(app.isJapanese() ? "、" : ", ");
    };
    const isSent = form.status === "submitted";
    app.draw(app.root, h("h1", { tabindex: "-1", id: "title" }, form.schema?.title ?? form.title ?? ""), notice(isSent ? "good" : "info", h("p", { id: "outcome" }, t(isSent ? "sent" : form.status))),
      problem && notice("grave", problem),
      isSent && h("dl", { class: "answers", "aria-label": t("answers") }, fields().filter((it) => isInput(it) && it.type !== "hidden" && it.name in given).map((it) => h("div", {}, h("dt", { class: "soft small" }, labelOf(it)), h("dd", {}, text(it, given[it.name]))))),
      !isSent && h("div", {}, h("button", { class: "quiet", id: "reopen", onclick: () => close("reopen") }, t("reopen"))));
  };

  const draw = () => {
    if (!form) return app.draw(app.root, problem ? notice("grave", problem) : h("p", { class: "soft" }, t("loading")));
    if (form.status !== "waiting") return answered();
    boxes.clear();
    const schema = form.schema ?? {};
    app.draw(app.root,
      h("header", {}, h("div", { class: "row is-apart" }, h("h1", { id: "title", tabindex: "-1" }, String(schema.title ?? "")), app.fullscreen(t("large"), t("small"))),
        schema.description && h("p", {}, String(schema.description)), form.asked_by && h("p", { class: "soft small" }, t("askedBy", form.asked_by))),
      conflict && h("div", { class: "notice is-warning", role: "alert" }, h("p", {}, t("conflict")), h("div", { class: "row" },
        h("button", { id: "theirs", onclick: () => { values = conflict.draft ?? defaults(); labels = conflict.labels ?? labels; revision = conflict.revision; [conflict, isDirty] = [null, false]; draw(); } }, t("theirs")),
        h("button", { class: "quiet", id: "mine", onclick: () => { revision = conflict.revision; conflict = null; isDirty = true; draw(); save(); } }, t("mine")))),
      problem && notice("grave", h("p", { id: "problem" }, problem)),
      h("form", { novalidate: true, onsubmit: (event) => { event.preventDefault(); submit(); } },
        h("div", { class: "fields", id: "fields" }),
        isAsking
          ? h("div", { class: "notice is-warning", role: "group", "aria-labelledby": "sure" }, h("p", { class: "label", id: "sure", tabindex: "-1" }, t("cancelSure")),
              h("div", { class: "row" }, h("button", { class: "is-grave", id: "cancel-do", onclick: () => close("cancel") }, t("cancelDo")), h("button", { class: "quiet", id: "cancel-not", onclick: () => { isAsking = false; draw(); document.getElementById("cancel")?.focus(); } }, t("cancelNot"))))
          : h("div", { class: "row" }, h("button", { type: "submit", id: "submit", "aria-disabled": isBusy || null }, schema.submitLabel || t("submit")),
              h("button", { class: "quiet", id: "cancel", onclick: () => { isAsking = true; draw(); document.getElementById("sure").focus(); } }, schema.cancelLabel || t("cancel")),
              h("span", { class: "soft small", id: "draft", role: "status" }, saving))));
    arrange();
    restoreFocus();
  };
  /** The fields are drawn after the rest: the keyboard goes back to the one it was in. */
  let lastFocus = "";
  document.addEventListener("focusin", (event) => (lastFocus = event.target.id || lastFocus));
  const restoreFocus = () => {
    if (document.activeElement === document.body && lastFocus.startsWith("field-")) document.getElementById(lastFocus)?.focus({ preventScroll: true });
  };

  app.start({
    input: () => draw(),
    async result(result) {
      if (result.isError) {
        problem = app.refusal(result).message;
        return draw();
      }
      const texts = (result.content ?? []).map((it) => it.text ?? "").join("\n");
      const place = result._meta?.["forms/form"] ?? {};
      handle = place.handle ?? /^handle: (\S+)$/m.exec(texts)?.[1] ?? "";
      page = place.url ?? "";
      try {
        if (!handle) throw new Error(t("noHandle"));
        await load();
      } catch (error) {
        problem = t("failed", error.message ?? "");
        draw();
      }
    },
    cancelled() {
      problem = t("stopped");
      draw();
    },
    context: () => draw(),
    end: () => save(),
  });
  document.addEventListener("visibilitychange", () => document.hidden && saveSoon.now());
}
