// The seats of one showing: chosen, held and reserved by the cinema's tools; and the ticket that comes of it.
// What is chosen is kept by the cinema (keep_choice), so that a frame that is loaded again goes on where it was.
{
  const t = app.words({
    seats: ["座席", "Seats"], screen: ["スクリーン", "Screen"], loading: ["読み込んでいます…", "Loading…"],
    free: ["空席", "Free"], picked: ["選択中", "Chosen"], taken: ["予約済み", "Taken"], held: ["ほかの方が仮押さえ中", "Held for another"],
    mine: ["仮押さえ中", "Held for you"], lost: ["先に取られました", "Taken just now"],
    premium: ["プレミアム", "Premium"], wheelchair: ["車椅子スペース", "Wheelchair place"], companion: ["同伴者席", "Companion’s seat"],
    pair: ["ペアシート", "Pair seat"], legend: ["座席の種類", "What the seats mean"], seat: ["{0}列 {1}番", "Row {0}, seat {1}"],
    row: ["{0}列", "Row {0}"], grid: ["座席表。矢印キーで移動し、Enterで選択します。", "Seats. Arrow keys move, Enter chooses."],
    pick: ["座席を選んでください（{0}席まで）。", "Choose your seats, {0} at most."], none: ["この上映の座席情報はありません。", "There is no seat plan for this showing."],
    chosen: ["{0}席を選択中：{1}", "{0} chosen: {1}"], total: ["合計 {0}", "{0} in all"], name: ["お名前（利用者ID）", "Who it is for"],
    nameHint: ["予約する方のお名前かIDです。", "The name or id of the person the seats are for."], nameMissing: ["お名前を入力してください。", "Say who the seats are for."],
    hold: ["仮押さえする", "Hold these seats"], holdAgain: ["この座席を仮押さえし直す", "Hold these instead"], release: ["仮押さえをやめる", "Let the hold go"],
    heldUntil: ["{0}を{1}まで仮押さえしています。", "{0} held for you until {1}."], holdOver: ["仮押さえの時間が過ぎました。座席を選び直してください。", "The hold is over. Choose your seats again."],
    next: ["予約へ進む", "Go on to reserve"], sure: ["この内容で予約しますか？", "Reserve these seats?"], reserve: ["予約を確定する", "Reserve"], back: ["座席を選び直す", "Change the seats"],
    nowPicked: ["{0}を選びました。{1}席です。", "{0} chosen; {1} in all."], unpicked: ["{0}をやめました。{1}席です。", "{0} let go; {1} in all."],
    isTaken: ["{0}は予約済みです。", "{0} is taken."], isHeld: ["{0}はほかの方が仮押さえ中です。", "{0} is held for another."], tooMany: ["一度に選べるのは{0}席までです。", "At most {0} seats at once."],
    otherFaster: ["{0}は先に予約されました。ほかの座席を選んでください。", "Another was faster with {0}. Choose other seats."],
    otherHolds: ["{0}はほかの方が仮押さえ中です。ほかの座席を選んでください。", "{0} is held for another. Choose other seats."],
    closed: ["この上映は予約できません。", "This showing can no longer be booked."], begun: ["この上映はすでに始まっています。", "This showing has begun."],
    gone: ["この上映は見つかりません。", "There is no such showing."], failed: ["できませんでした。もう一度お試しください。", "That did not work. Try again."],
    tooManyHeld: ["一度に仮押さえできる席数を超えています。", "That is more than one person may hold at once."],
    free_: ["残り {0}席／全{1}席", "{0} of {1} free"], reserved: ["予約が完了しました", "Reserved"], ticket: ["予約", "Reservation"], cancelled: ["キャンセル済み", "Cancelled"],
    transferred: ["譲渡済み", "Given to another"], confirmed: ["予約確定", "Confirmed"], number: ["予約番号", "Number"], for: ["お名前", "For"], at: ["予約日時", "Reserved at"],
    totalPaid: ["合計", "Total"], code: ["予約番号のQRコード", "The reservation’s QR code"], cancel: ["予約をキャンセル", "Cancel the reservation"], cancelSure: ["この予約をキャンセルしますか？元に戻せません。", "Cancel this reservation? It cannot be undone."],
    cancelDo: ["キャンセルする", "Cancel it"], cancelNot: ["やめる", "Keep it"], again: ["ほかの座席を予約する", "Reserve other seats"], large: ["大きく表示", "Enlarge"], small: ["元の大きさに戻す", "Back to the chat"],
    refresh: ["最新の状態にする", "Refresh"], stopped: ["呼び出しは取り消されました。", "The call was cancelled."],
  });
  const POLL_MS = 20_000;
  const IDLE_MS = 600_000;
  const MARKS = {
    picked: "M5 12.5l4.5 4.5L19 7.5", taken: "M7.5 7.5l9 9M16.5 7.5l-9 9", held: "M12 6.5v6l4 2.5", lost: "M12 6v7.5M12 17v.5",
    wheelchair: "M10 4.5v.1M10 8v6h5l2 5M10 10.5h4M8 12a4.5 4.5 0 1 0 6 6",
  };

  let map = null; // What list_available_seats put out.
  let ticket = null; // A reservation, in place of the seats.
  let showtime = "";
  let view = "";
  let rows = [];
  let cursor = "";
  let picks = new Set();
  let lost = new Set();
  let name = "";
  let hold = null; // { token, until, user }
  let key = null; // Under which these seats are reserved once.
  let step = "pick";
  let problem = null;
  let isBusy = false;
  let isFresh = false;
  let code = "";
  let touched = Date.now();

  // --- What is known ------------------------------------------------------------------------------------------------

  const seats = () => map?.seats ?? [];
  const found = (id) => seats().find((it) => it.seat_id === id);
  const max = () => map?.seats_max ?? 10;
  const isOthers = (seat) => seat.is_held && !seat.is_mine;
  const isFree = (seat) => !seat.is_reserved && !isOthers(seat);
  const stateOf = (seat) =>
    picks.has(seat.seat_id) ? "picked" : lost.has(seat.seat_id) ? "lost" : seat.is_reserved ? "taken" : isOthers(seat) ? "held" : "free";
  const chosen = () => seats().filter((it) => picks.has(it.seat_id)).map((it) => it.seat_id);
  const list = (ids) => ids.join(app.isJapanese() ? "、" : ", ");
  const seatName = (seat) => t("seat", seat.row, seat.number);
  const place = (seat) => Math.min(80, Math.max(1, seat.column ?? seat.number));

  const money = ({ currency, amount }) => {
    try {
      const format = new Intl.NumberFormat(app.locale(), { style: "currency", currency });
      return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
    } catch {
      return `${amount} ${currency}`;
    }
  };
  const priceOf = (seat) => {
    const prices = map?.prices;
    return prices && { currency: prices.currency, amount: prices[seat.kind ?? "standard"] ?? prices.standard };
  };
  const total = () => {
    if (!map?.prices || !picks.size) return null;
    const amount = seats().filter((it) => picks.has(it.seat_id)).reduce((sum, it) => sum + priceOf(it).amount, 0);
    return money({ currency: map.prices.currency, amount });
  };
  const moment = (text, options = { dateStyle: "medium", timeStyle: "short" }) => {
    const date = new Date(`${text ?? ""}Z`);
    if (Number.isNaN(date.getTime())) return text ?? "";
    return new Intl.DateTimeFormat(app.locale(), { ...options, timeZone: "UTC" }).format(date);
  };
  const title = (it, own, english) => (app.isJapanese() ? it[own] : (it[english] ?? it[own])) ?? "";

  // --- Talking with the cinema --------------------------------------------------------------------------------------

  const choice = () => ({
    user_id: name.slice(0, 200), seat_ids: chosen(),
    ...(hold && { hold_token: hold.token, held_until: hold.until }),
    ...(key && { idempotency_key: key }),
    ...(ticket && isFresh && { reservation_id: ticket.reservation_id }),
  });
  const keep = async () => {
    if (view) await app.call("keep_choice", { view, choice: choice() }).catch(() => {});
  };
  const keepSoon = after(400, keep, false);

  const refresh = async () => {
    if (!showtime) return;
    const arguments_ = { showtime_id: showtime, include_reserved: true, ...(hold && { hold_token: hold.token }) };
    const { structuredContent } = await app.call("list_available_seats", arguments_);
    take(structuredContent);
  };
  const quietly = async (work) => {
    try {
      await work();
    } catch (error) {
      explain(error);
    }
  };

  /** The seats as they are now: what was chosen and is another's is lost. */
  const take = (hall) => {
    map = hall;
    const gone = [...picks].filter((id) => !found(id) || !isFree(found(id)));
    for (const id of gone) {
      picks.delete(id);
      lost.add(id);
    }
    for (const id of [...lost]) if (found(id) && isFree(found(id)) && !gone.includes(id)) lost.delete(id);
    if (hold && !seats().some((it) => it.is_mine)) {
      hold = null;
      problem ??= ["warning", t("holdOver")];
    }
    if (gone.length) {
      problem = ["warning", t("otherFaster", list(gone))];
      app.announce(problem[1]);
      step = "pick";
      keepSoon();
    }
    draw();
  };

  const explain = (error) => {
    const ids = error.data?.seat_ids ?? [];
    if (error.code === "seat_already_reserved" || error.code === "seat_held") {
      for (const id of ids) {
        picks.delete(id);
        lost.add(id);
      }
      key = null;
    }
    const explained = {
      seat_already_reserved: () => t("otherFaster", list(ids)), seat_held: () => t("otherHolds", list(ids)),
      seats_against_rules: () => (app.isJapanese() ? error.data.message_ja : error.message),
      sales_closed: () => t("closed"), showtime_closed: () => t("begun"), showtime_not_found: () => t("gone"),
      seat_data_unavailable: () => t("none"), too_many_held: () => t("tooManyHeld"),
      hold_expired: () => t("holdOver"), hold_not_found: () => t("holdOver"),
    }[error.code];
    if (error.code?.startsWith("hold_")) hold = null;
    const text = explained?.() ?? `${t("failed")} ${error.message ?? ""}`;
    problem = ["grave", text];
    step = "pick";
    draw();
  };

  /** Something that changes something: one at a time. */
  const act = async (work) => {
    if (isBusy) return;
    touched = Date.now();
    isBusy = true;
    problem = null;
    draw();
    await quietly(work);
    if (lost.size) await refresh().catch(() => {});
    isBusy = false;
    draw();
  };
  const needsName = () => {
    if (name.trim()) return false;
    problem = ["warning", t("nameMissing")];
    draw();
    document.getElementById("name")?.focus();
    return true;
  };

  const holdSeats = () => {
    if (needsName()) return;
    act(async () => {
      const order = { user_id: name.trim(), showtime_id: showtime, seat_ids: chosen() };
      // What was held before is given up once these are held, and not before.
      const { structuredContent: it } = await app.call("hold_seats", { ...order, ...(hold && { hold_token: hold.token }) });
      hold = { token: it.hold_token ?? it.hold_id, until: it.expires_at, user: it.user_id };
      app.announce(t("heldUntil", list(chosen()), moment(hold.until, { timeStyle: "short" })));
      await keep();
      await refresh();
    });
  };
  const releaseHold = () =>
    act(async () => {
      const { token } = hold;
      hold = null;
      await app.call("release_hold", { hold_token: token });
      await keep();
      await refresh();
    });

  const reserve = () =>
    act(async () => {
      const user_id = name.trim();
      // A hold for another name does no good.
      if (hold && hold.user !== user_id) {
        await app.call("release_hold", { hold_token: hold.token }).catch(() => {});
        hold = null;
      }
      key ??= crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
      // The same order goes out under the same key, even if this frame is loaded again before its answer is here.
      await keep();
      const order = { user_id, showtime_id: showtime, seat_ids: chosen(), idempotency_key: key };
      const { structuredContent } = await app.call("reserve_seats", { ...order, ...(hold && { hold_token: hold.token }) });
      [ticket, isFresh, hold, key, step] = [structuredContent, true, null, null, "pick"];
      picks.clear();
      app.announce(t("reserved"));
      app.tell(`The person reserved ${list(ticket.seats.map((it) => it.seat_id))} in the view: reservation ${ticket.reservation_id}.`, ticket);
      await keep();
      showCode();
    });
  const cancel = () =>
    act(async () => {
      const { reservation_id, user_id } = ticket;
      ticket = (await app.call("cancel_reservation", { reservation_id, user_id })).structuredContent;
      step = "pick";
      app.announce(t("cancelled"));
      app.tell(`The person cancelled reservation ${reservation_id} in the view.`, ticket);
    });
  const startAgain = () =>
    act(async () => {
      showtime ||= ticket.showtime_id;
      [ticket, isFresh] = [null, false];
      await keep();
      await refresh();
    });

  const showCode = async () => {
    code = "";
    if (!ticket || ticket.status !== "confirmed") return;
    const uri = `cinema://reservations/${encodeURIComponent(ticket.reservation_id)}/code`;
    const svg = await app.read(uri).catch(() => null);
    if (svg?.text) code = `data:image/svg+xml,${encodeURIComponent(svg.text)}`;
    draw();
  };

  // --- Choosing -----------------------------------------------------------------------------------------------------

  const toggle = (seat) => {
    touched = Date.now();
    problem = null;
    const halves = [seat, map.rules?.pairs_together && seat.pair_with ? found(seat.pair_with) : null].filter(Boolean);
    const name = seatName(seat);
    if (picks.has(seat.seat_id)) {
      for (const it of halves) picks.delete(it.seat_id);
      app.announce(t("unpicked", name, picks.size));
    } else if (seat.is_reserved || lost.has(seat.seat_id)) return app.announce(t("isTaken", name));
    else if (isOthers(seat)) return app.announce(t("isHeld", name));
    else {
      const more = halves.filter((it) => isFree(it) && !lost.has(it.seat_id) && !picks.has(it.seat_id));
      if (picks.size + more.length > max()) {
        problem = ["warning", t("tooMany", max())];
        app.announce(problem[1]);
        return draw();
      }
      for (const it of more) picks.add(it.seat_id);
      app.announce(t("nowPicked", name, picks.size));
    }
    key = null;
    step = "pick";
    keepSoon();
    draw();
  };

  const move = (event) => {
    const at = rows.findIndex((row) => row.some((it) => it.seat_id === cursor));
    if (at < 0) return;
    const row = rows[at];
    const index = row.findIndex((it) => it.seat_id === cursor);
    const nearest = (to) => {
      const column = place(row[index]);
      return rows[to].reduce((best, it) => (Math.abs(place(it) - column) < Math.abs(place(best) - column) ? it : best));
    };
    const last = rows.length - 1;
    const to = {
      ArrowLeft: () => row[Math.max(0, index - 1)], ArrowRight: () => row[Math.min(row.length - 1, index + 1)],
      ArrowUp: () => nearest(Math.max(0, at - 1)), ArrowDown: () => nearest(Math.min(last, at + 1)),
      PageUp: () => nearest(0), PageDown: () => nearest(last),
      Home: () => (event.ctrlKey ? rows[0][0] : row[0]), End: () => (event.ctrlKey ? rows[last].at(-1) : row.at(-1)),
    }[event.key];
    if (!to || event.altKey || event.metaKey) return;
    event.preventDefault();
    const before = document.getElementById(`seat-${cursor}`);
    cursor = to().seat_id;
    const now = document.getElementById(`seat-${cursor}`);
    if (before) before.tabIndex = -1;
    now.tabIndex = 0;
    now.focus();
    now.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  // --- Drawing ------------------------------------------------------------------------------------------------------

  const mark = (state, seat) => {
    const path = MARKS[state] ?? (seat.kind === "wheelchair" ? MARKS.wheelchair : null);
    if (!path) return h("span", { "aria-hidden": "true" }, String(seat.number));
    return s("svg", { class: "mark", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: path }));
  };
  const seatClass = (state, kind) => `seat is-${state} kind-${kind ?? "standard"}`;

  const seatButton = (seat) => {
    const state = stateOf(seat);
    const price = priceOf(seat);
    const label = [seatName(seat), t(seat.is_mine && state !== "picked" ? "mine" : state), seat.kind && seat.kind !== "standard" ? t(seat.kind) : "", price ? money(price) : ""];
    return h("button", {
      class: seatClass(state, seat.kind), id: `seat-${seat.seat_id}`, role: "gridcell", "data-seat": seat.seat_id,
      tabindex: seat.seat_id === cursor ? "0" : "-1", "aria-selected": String(state === "picked"),
      "aria-disabled": state === "free" || state === "picked" ? null : "true", "aria-colindex": place(seat) + 1,
      "aria-label": label.filter(Boolean).join(app.isJapanese() ? "、" : ", "), style: { "grid-column": String(place(seat) + 1) },
      onclick: () => {
        cursor = seat.seat_id;
        toggle(seat);
      },
    }, mark(state, seat));
  };

  const hall = () => {
    const by = new Map();
    for (const seat of seats().slice(0, 4000)) by.set(seat.row, [...(by.get(seat.row) ?? []), seat]);
    const order = [...by.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    rows = order.map((it) => by.get(it).sort((a, b) => place(a) - place(b)));
    const columns = Math.max(1, ...seats().map(place));
    if (!found(cursor)) cursor = (seats().find(isFree) ?? rows[0][0]).seat_id;
    return h("div", { class: "hall", "data-scroll": "hall", style: { "--columns": String(columns) } },
      h("div", { class: "plan" },
        h("div", { class: "screen", "aria-hidden": "true" }, t("screen")),
        h("div", { role: "grid", class: "grid", "aria-label": t("grid"), "aria-multiselectable": "true", onkeydown: move },
          rows.map((row) => h("div", { role: "row", class: "seats" },
            h("span", { role: "rowheader", class: "row-name", "aria-label": t("row", row[0].row) }, row[0].row), row.map(seatButton))))));
  };

  const legend = () => {
    const has = (test) => seats().some(test);
    const entry = (state, kind, label) => h("li", {}, h("span", { class: seatClass(state, kind), "aria-hidden": "true" }, mark(state, { kind, number: 1 })),
      label, state === "free" && map.prices ? h("span", { class: "soft" }, ` ${money(priceOf({ kind }))}`) : null);
    return h("ul", { class: "legend", "aria-label": t("legend") },
      entry("free", "standard", t("free")), entry("picked", "standard", t("picked")), entry("taken", "standard", t("taken")),
      has(isOthers) ? entry("held", "standard", t("held")) : null,
      ["premium", "pair", "wheelchair", "companion"].filter((kind) => has((it) => it.kind === kind)).map((kind) => entry("free", kind, t(kind))));
  };

  const head = () => {
    const it = map.showtime ?? {};
    const free = seats().filter(isFree).length;
    return h("header", { class: "head" },
      h("div", {}, h("h1", {}, title(it, "movie_title", "movie_title_en") || t("seats")),
        h("p", { class: "soft" }, [moment(it.start_time), title(it, "theater_name", "theater_name_en"), t("free_", it.available_seats_count ?? free, it.total_seats_count ?? seats().length)].filter(Boolean).join(" · "))),
      app.fullscreen(t("large"), t("small")));
  };

  const checkout = () => {
    const ids = chosen();
    const sum = total();
    const isHeld = hold && ids.length > 0 && ids.every((id) => found(id)?.is_mine);
    const input = h("input", {
      id: "name", value: name, maxlength: "200", autocomplete: "name", "aria-describedby": "name-hint",
      oninput: (event) => {
        name = event.target.value;
        key = null;
        touched = Date.now();
        keepSoon();
      },
    });
    return h("section", { class: "checkout" },
      h("p", { class: "number", id: "picked" }, ids.length ? t("chosen", ids.length, list(ids)) : t("pick", max()), sum ? ` · ${t("total", sum)}` : ""),
      problem && notice(problem[0], problem[1]),
      hold && notice("good", h("p", {}, t("heldUntil", list(seats().filter((it) => it.is_mine).map((it) => it.seat_id)), moment(hold.until, { timeStyle: "short" }))),
        h("div", {}, h("button", { class: "quiet", id: "release", onclick: releaseHold, "aria-disabled": isBusy || null }, t("release")))),
      step === "confirm"
        ? h("div", { class: "notice is-warning", role: "group", "aria-labelledby": "sure" },
            h("p", { class: "label", id: "sure", tabindex: "-1" }, t("sure")),
            h("p", {}, [list(ids), name.trim(), sum].filter(Boolean).join(" · ")),
            h("div", { class: "row" },
              h("button", { id: "reserve", onclick: reserve, "aria-disabled": isBusy || null }, t("reserve")),
              h("button", { class: "quiet", id: "back", onclick: () => { step = "pick"; draw(); document.getElementById(`seat-${cursor}`)?.focus(); } }, t("back"))))
        : h("div", { class: "checkout-form" },
            h("div", {}, h("label", { class: "label", for: "name" }, t("name")), input, h("p", { class: "soft small", id: "name-hint" }, t("nameHint"))),
            ids.length > 0 && h("div", { class: "row" },
              h("button", {
                id: "next", "aria-disabled": isBusy || null,
                onclick: () => {
                  if (isBusy || needsName()) return;
                  [step, problem] = ["confirm", null];
                  draw();
                  document.getElementById("sure").focus();
                },
              }, t("next")),
              !isHeld && h("button", { class: "quiet", id: "hold", onclick: holdSeats, "aria-disabled": isBusy || null }, hold ? t("holdAgain") : t("hold")))));
  };

  const drawTicket = () => {
    const it = ticket;
    const isVoid = it.status !== "confirmed";
    const film = title(it, "movie_title", "movie_title_en");
    const fact = (label, value) => value && h("div", {}, h("dt", { class: "soft small" }, label), h("dd", {}, value));
    app.draw(app.root,
      h("article", { class: `ticket${isVoid ? " is-void" : ""}`, "data-reservation": it.reservation_id },
        h("p", { class: "status" }, t(it.status)),
        h("h1", { id: "ticket", tabindex: "-1" }, isFresh && !isVoid ? t("reserved") : film || t("ticket")),
        isFresh && !isVoid && h("h2", {}, film),
        h("p", { class: "soft" }, [moment(it.start_time), title(it, "theater_name", "theater_name_en")].filter(Boolean).join(" · ")),
        h("ul", { class: "row", "aria-label": t("seats") }, (it.seats ?? []).map((seat) => h("li", { class: "chip" }, seat.seat_id))),
        h("dl", { class: "facts" }, fact(t("number"), it.reservation_id), fact(t("for"), it.user_id), fact(t("at"), moment(it.reserved_at)), fact(t("totalPaid"), it.total && money(it.total))),
        code && !isVoid && h("img", { class: "code", src: code, alt: t("code") })),
      problem && notice(problem[0], problem[1]),
      step === "cancel"
        ? h("div", { class: "notice is-warning", role: "group", "aria-labelledby": "sure" }, h("p", { class: "label", id: "sure", tabindex: "-1" }, t("cancelSure")),
            h("div", { class: "row" }, h("button", { class: "is-grave", id: "cancel-do", onclick: cancel, "aria-disabled": isBusy || null }, t("cancelDo")),
              h("button", { class: "quiet", id: "cancel-not", onclick: () => { step = "pick"; draw(); document.getElementById("cancel")?.focus(); } }, t("cancelNot"))))
        : h("div", { class: "row" },
            !isVoid && !it.checked_in_at && h("button", { class: "quiet is-grave", id: "cancel", onclick: () => { step = "cancel"; draw(); document.getElementById("sure").focus(); } }, t("cancel")),
            (map || it.showtime_id) && h("button", { class: "quiet", id: "again", onclick: startAgain, "aria-disabled": isBusy || null }, t("again"))));
  };

  const draw = () => {
    if (ticket) return drawTicket();
    if (!map) return app.draw(app.root, problem ? notice(problem[0], problem[1]) : h("p", { class: "soft" }, t("loading")));
    if (!seats().length) return app.draw(app.root, head(), notice("info", t("none")));
    const isFirst = !document.querySelector(".hall");
    app.draw(app.root, head(), hall(), legend(), checkout());
    // A hall too wide for the frame begins with its middle, where people like to sit.
    const wide = document.querySelector(".hall");
    if (isFirst) wide.scrollLeft = (wide.scrollWidth - wide.clientWidth) / 2;
  };

  // --- Beginning ----------------------------------------------------------------------------------------------------

  const restore = async () => {
    const kept = view ? (await app.call("keep_choice", { view }).catch(() => null))?.structuredContent?.choice : null;
    if (kept) {
      picks = new Set(kept.seat_ids ?? []);
      name = kept.user_id ?? "";
      key = kept.idempotency_key ?? null;
      hold = kept.hold_token ? { token: kept.hold_token, until: kept.held_until, user: name.trim() } : null;
      if (kept.reservation_id) {
        const { structuredContent } = await app.call("get_reservation", { reservation_id: kept.reservation_id });
        [ticket, isFresh] = [structuredContent, true];
        return showCode();
      }
    }
    await refresh();
  };

  app.start({
    input(given) {
      showtime = given.showtime_id ?? showtime;
      name ||= given.user_id ?? "";
      draw();
    },
    result(result, given) {
      if (result.isError) return explain(app.refusal(result));
      const output = result.structuredContent ?? {};
      if (output.reservation_id) {
        ticket = output;
        showtime = output.showtime_id ?? "";
        draw();
        quietly(async () => {
          ticket = (await app.call("get_reservation", { reservation_id: output.reservation_id })).structuredContent;
          await showCode();
          draw();
        });
        return;
      }
      map = output;
      showtime = output.showtime?.showtime_id ?? given.showtime_id ?? "";
      view = result._meta?.["cinema/view"] ?? "";
      draw();
      quietly(restore);
    },
    cancelled() {
      problem = ["warning", t("stopped")];
      draw();
    },
    context: () => draw(),
    end: () => keepSoon.now(),
  });

  const lookAgain = () => {
    if (!map || ticket || isBusy || document.hidden || Date.now() - touched > IDLE_MS) return;
    refresh().catch(() => {});
  };
  setInterval(lookAgain, POLL_MS);
  document.addEventListener("visibilitychange", () => (document.hidden ? keepSoon.now() : lookAgain()));
}
