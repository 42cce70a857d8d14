// One conversation of agents: who says what, as it goes on; a person may write into it, hold it up and end it.
{
  const t = app.words({
    loading: ["読み込んでいます…", "Loading…"], title: ["会話", "Conversation"], pending: ["開始待ち", "Pending"], active: ["進行中", "Active"], terminating: ["終了中", "Ending"], ended: ["終了", "Ended"], expired: ["応答なし", "Expired"],
    paused: ["一時停止中", "Paused"], pausedBy: ["{0} が一時停止しています。エージェントは発言できません。", "Held up by {0}: the agents cannot say anything."], messages: ["{0} 件", "Messages: {0}"], turns: ["{0} ターン", "Turns: {0}"], turnsOf: ["{0}/{1} ターン", "Turns: {0} of {1}"],
    noPurpose: ["目的なし", "No purpose given"], log: ["やり取り", "What is said"], nothing: ["まだ発言はありません", "Nothing was said yet"], older: ["前のやり取りを表示", "Show what came before"], newer: ["最新へ", "To the latest"], person: ["人からの書き込み", "Written by a person"], both: ["両者へ", "to both"],
    read: ["既読", "read"], unread: ["未読", "unread"], write: ["両者への書き込み", "A message to both"], hint: ["書いた内容は両方のエージェントに届きます。Ctrl＋Enterでも送れます。", "Both agents get what you write. Ctrl+Enter sends it, too."], send: ["両者に送る", "Send to both"], sent: ["両者に送りました。", "Sent to both."], long: ["4,000文字以内で入力してください。", "At most 4,000 characters."],
    pause: ["一時停止", "Pause"], resume: ["再開", "Resume"], isPaused: ["会話を一時停止しました。", "The conversation is paused."], isResumed: ["会話を再開しました。", "The conversation goes on."], stop: ["会話を終わらせる", "End the conversation"], stopSure: ["この会話を終わらせますか？", "End this conversation?"],
    stopHint: ["両方のエージェントに終了が伝わります。元に戻せません。", "Both agents will be told. This cannot be undone."], reason: ["理由（任意）", "Why (may be left out)"], stopDo: ["終わらせる", "End it"], stopNot: ["続けさせる", "Let it go on"], stopped: ["会話を終わらせました。", "The conversation is ended."],
    endedBy: ["{0} が終了（{1}）", "Ended by {0} ({1})"], initiator_ended: ["開始者が終了", "by the initiator"], participant_ended: ["参加者が終了", "by the participant"], timeout: ["やり取りが途絶えた", "nothing was said for too long"], session_expired: ["セッション有効期限切れ", "a session expired"], max_turns: ["決めたターン数に達した", "the turns agreed on were over"], operator_ended: ["人が終了させた", "by a person"],
    system: ["窓口", "the counter"], operator: ["管理者", "the operator"], newSaid: ["新しいメッセージ {0} 件", "New messages: {0}"], now: ["会話の状態：{0}", "The conversation is now: {0}"], gone: ["この会話は見つかりません。", "There is no such conversation."], failed: ["できませんでした。{0}", "That did not work. {0}"], stale: ["新しい発言を読み込めません。自動で再試行します。", "What is said now cannot be read; it is tried again."], large: ["大きく表示", "Enlarge"], small: ["元の大きさに戻す", "Back to the chat"], cancelled: ["呼び出しは取り消されました。", "The call was cancelled."],
  });
  const LETTERS_MAX = 4_000;
  const PAGE = 50;
  const SOON_MS = 4_000;
  const IDLE_MS = 1_800_000;

  let shown = null; // What get_conversation put out.
  let messages = [];
  let hasOlder = false;
  let draft = "";
  let reason = "";
  let number = null; // The id under which the message is stored once.
  let isAsking = false;
  let isBusy = false;
  let isStale = false;
  let problem = null;
  let touched = Date.now();

  const id = () => shown.conversation.conversation_id;
  const isOpen = () => ["pending", "active"].includes(shown.conversation.state);
  const isOver = () => ["ended", "expired"].includes(shown.conversation.state);
  const nameOf = (agent) => {
    const member = (shown.conversation.members ?? []).find((it) => it.agent_id === agent);
    if (member) return member.name || agent;
    return agent === "system" || agent === "madoguchi:coordinator" ? t("system") : agent === "operator" ? t("operator") : agent;
  };
  const moment = (text) => {
    const date = new Date(text ?? "");
    if (Number.isNaN(date.getTime())) return "";
    return new Intl.DateTimeFormat(app.locale(), { dateStyle: "short", timeStyle: "medium", ...(app.context.timeZone && { timeZone: app.context.timeZone }) }).format(date);
  };
  const letters = () => [...draft].length;

  // --- Talking with the conversations -----------------------------------------------------------------------------------

  const take = (now, isSay = true) => {
    const before = shown;
    shown = now;
    // Nothing is drawn anew for nothing: a text may just be marked.
    if (before && JSON.stringify(before) === JSON.stringify(now)) return;
    const all = new Map(messages.map((it) => [it.sequence, it]));
    const news = (now.messages ?? []).filter((it) => !all.has(it.sequence)).length;
    for (const it of now.messages ?? []) all.set(it.sequence, it);
    messages = [...all.values()].sort((a, b) => a.sequence - b.sequence);
    if (!before || messages[0]?.sequence === now.messages?.[0]?.sequence) hasOlder = now.has_older;
    if (before && isSay) {
      if (before.conversation.state !== now.conversation.state) app.announce(t("now", t(now.conversation.state)));
      else if (news) app.announce(t("newSaid", news));
    }
    draw();
    if (news) {
      const log = document.getElementById("log");
      if (log) log.scrollTop = log.scrollHeight;
    }
  };
  const refresh = async () => {
    // The last page: what was said since, and what has been read of what was said before.
    const { structuredContent } = await app.call("get_conversation", { conversation_id: id(), limit: PAGE });
    take(structuredContent);
    const wasStale = isStale;
    isStale = false;
    if (wasStale) draw();
  };
  const older = async () => {
    touched = Date.now();
    try {
      const { structuredContent } = await app.call("get_conversation", { conversation_id: id(), before: messages[0].sequence, limit: PAGE });
      const log = document.getElementById("log");
      const height = log.scrollHeight;
      const got = structuredContent.messages ?? [];
      messages = [...got, ...messages];
      hasOlder = structuredContent.has_older && got.length > 0;
      draw();
      const again = document.getElementById("log");
      again.scrollTop = again.scrollHeight - height;
    } catch (error) {
      explain(error);
    }
  };
  const explain = (error) => {
    problem = error.code === "not_found" || error.code === "conversation_not_found" ? t("gone") : t("failed", error.message ?? "");
    draw();
  };
  const act = async (tool, more, done) => {
    if (isBusy) return;
    touched = Date.now();
    isBusy = true;
    problem = null;
    draw();
    try {
      const { structuredContent } = await app.call(tool, { conversation_id: id(), ...more });
      done();
      take(structuredContent, false);
    } catch (error) {
      explain(error);
    }
    isBusy = false;
    draw();
  };
  const keepDraft = () => app.keep(`draft.${id()}`, draft.slice(0, LETTERS_MAX));

  const send = () => {
    const content = draft;
    if (!content.trim() || letters() > LETTERS_MAX) return;
    // The same message sent again, because it is not known whether it arrived, is the same message.
    number ??= crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    act("write_message", { content, client_message_id: number }, () => {
      if (draft === content) draft = "";
      number = null;
      keepDraft();
      app.announce(t("sent"));
    }).then(() => document.getElementById("write")?.focus());
  };
  const pause = () => {
    const paused = !shown.conversation.paused_at;
    act("pause_conversation", { paused }, () => app.announce(t(paused ? "isPaused" : "isResumed")));
  };
  const stop = () =>
    act("stop_conversation", reason.trim() ? { reason_text: reason.trim() } : {}, () => {
      isAsking = false;
      app.announce(t("stopped"));
      app.tell(`The person ended conversation ${id()} in the view.`);
    });

  // --- Drawing ----------------------------------------------------------------------------------------------------------

  const bubble = (it) => {
    const at = (shown.conversation.members ?? []).findIndex((member) => member.agent_id === it.senderId);
    const side = at < 0 ? "is-person" : at === 0 ? "is-first" : "is-second";
    return h("li", { class: `message ${side}`, "data-number": String(it.sequence) },
      h("p", { class: "by small" }, h("b", {}, nameOf(it.senderId)), at < 0 ? h("span", { class: "soft" }, t("person")) : null, it.recipientId ? null : h("span", { class: "soft" }, t("both"))),
      h("p", { class: "text" }, it.content),
      h("p", { class: "soft small number" }, h("time", { datetime: it.timestamp }, moment(it.timestamp)), ` · ${it.readAt ? `✓ ${t("read")}` : t("unread")}`));
  };

  const stepIn = () => {
    if (!shown.may_step_in || !isOpen()) return null;
    const { state, paused_at, paused_by } = shown.conversation;
    const isLong = letters() > LETTERS_MAX;
    const button = () => {
      const place = document.getElementById("send");
      const off = !draft.trim() || letters() > LETTERS_MAX;
      place.disabled = off;
      document.getElementById("write-error").textContent = letters() > LETTERS_MAX ? t("long") : "";
    };
    return h("section", { class: "step-in" },
      paused_at && notice("warning", t("pausedBy", nameOf(paused_by ?? "operator"))),
      h("form", { onsubmit: (event) => { event.preventDefault(); send(); } },
        h("label", { class: "label", for: "write" }, t("write")),
        h("textarea", {
          id: "write", rows: "2", value: draft, "aria-describedby": "write-hint write-error",
          oninput: (event) => {
            draft = event.target.value;
            number = null;
            touched = Date.now();
            keepDraft();
            button();
          },
          onkeydown: (event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
            event.preventDefault();
            send();
          },
        }),
        h("p", { class: "error", id: "write-error" }, isLong ? t("long") : ""),
        h("div", { class: "row is-apart" }, h("p", { class: "soft small", id: "write-hint" }, t("hint")), h("button", { type: "submit", id: "send", disabled: !draft.trim() || isLong, "aria-disabled": isBusy || null }, t("send")))),
      isAsking
        ? h("form", { class: "notice is-warning", "aria-labelledby": "sure", onsubmit: (event) => { event.preventDefault(); stop(); }, onkeydown: (event) => event.key === "Escape" && leave() },
            h("p", { class: "label", id: "sure", tabindex: "-1" }, t("stopSure")), h("p", {}, t("stopHint")),
            h("label", { class: "label", for: "reason" }, t("reason")), h("input", { id: "reason", type: "text", maxlength: "400", autocomplete: "off", value: reason, oninput: (event) => (reason = event.target.value) }),
            h("div", { class: "row" }, h("button", { type: "submit", class: "is-grave", id: "stop-do", "aria-disabled": isBusy || null }, t("stopDo")), h("button", { class: "quiet", id: "stop-not", onclick: leave }, t("stopNot"))))
        : h("div", { class: "row" },
            state === "active" && h("button", { class: "quiet", id: "pause", onclick: pause, "aria-disabled": isBusy || null }, t(paused_at ? "resume" : "pause")),
            h("button", { class: "quiet is-grave", id: "stop", onclick: () => { isAsking = true; draw(); document.getElementById("reason").focus(); } }, t("stop"))));
  };
  const leave = () => {
    isAsking = false;
    draw();
    document.getElementById("stop")?.focus();
  };

  const draw = () => {
    if (!shown) return app.draw(app.root, problem ? notice("grave", problem) : h("p", { class: "soft" }, t("loading")));
    const it = shown.conversation;
    const state = it.paused_at && isOpen() ? "paused" : it.state;
    const reasonText = it.end_reason && (["initiator_ended", "participant_ended", "timeout", "session_expired", "max_turns", "operator_ended"].includes(it.end_reason) ? t(it.end_reason) : it.end_reason);
    app.draw(app.root,
      h("header", {},
        h("div", { class: "row is-apart" }, h("p", { class: `chip is-${state}`, id: "state" }, t(state)), app.fullscreen(t("large"), t("small"))),
        h("h1", {}, it.purpose || t("noPurpose")),
        h("p", { class: "soft" }, (it.members ?? []).map((member) => member.name || member.agent_id).join(" ⇄ ")),
        h("p", { class: "soft small number" }, `${it.max_turns ? t("turnsOf", it.turns ?? 0, it.max_turns) : t("turns", it.turns ?? 0)} · ${t("messages", it.messages ?? 0)}`)),
      it.ended_by && notice("info", h("p", {}, t("endedBy", nameOf(it.ended_by), reasonText ?? "")), it.reason_text && h("p", {}, it.reason_text)),
      isStale && notice("warning", t("stale")),
      problem && notice("grave", problem),
      h("div", { class: "log", id: "log", "data-scroll": "log", tabindex: "0", role: "log", "aria-live": "off", "aria-label": t("log") },
        hasOlder && h("button", { class: "quiet small", id: "older", onclick: older }, t("older")),
        messages.length ? h("ol", {}, messages.map(bubble)) : h("p", { class: "soft" }, t("nothing"))),
      stepIn());
  };

  app.start({
    async result(result) {
      if (result.isError) return explain(app.refusal(result));
      messages = [];
      shown = null;
      take(result.structuredContent);
      draft = app.kept(`draft.${id()}`) ?? "";
      await refresh().catch(explain);
    },
    input: () => draw(),
    cancelled() {
      problem = t("cancelled");
      draw();
    },
    context: () => draw(),
  });

  const lookAgain = async () => {
    if (!shown || isOver() || isBusy || document.hidden || Date.now() - touched > IDLE_MS) return;
    await refresh().catch(() => {
      if (isStale !== (isStale = true)) draw();
    });
  };
  setInterval(lookAgain, SOON_MS);
  document.addEventListener("visibilitychange", lookAgain);
}
