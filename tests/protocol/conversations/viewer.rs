//! The list, the live transcript and its trace.

use serde_json::json;
use tests::browser::Look;

use super::scene::Scene;

/// What a row of the list says, without looking at it again and again.
const ROW: &str = ".talk-row";

#[tokio::test(flavor = "multi_thread")]
async fn conversation_appears_in_the_list_and_goes_on_there_unasked() {
    let mut it = Scene::with(Look::DESKTOP).await;
    it.browser.says(".talks-none", "There are no conversations yet").await;
    it.browser.role("button", "Watch a word game").await;
    let id = it.asks("しりとりをする").await;
    it.browser.says(ROW, "Pending").await;
    it.browser.says(ROW, "しりとりをする").await;
    it.browser.says(ROW, "Nothing has been said yet").await;
    // What has not begun cannot be held up.
    it.watch(&id).await;
    it.is_now("pending").await;
    assert!(it.browser.roles("button", "Pause").await.is_empty());
    it.browser.go("#/conversations").await;
    it.natsu.comes("natsu").await;
    it.browser.says(ROW, "Active").await;
    it.haru.says("natsu", "りんご").await;
    it.browser.says(ROW, "りんご").await;
    it.browser.says(ROW, "0 turns · 1 message").await;
    it.haru.does("end_conversation", json!({ "conversation_id": id })).await;
    it.browser.says(ROW, "Ending").await;
    // Both names with a sign and a colour each, and not the same.
    let looks = "return new Set([...document.querySelectorAll('.talk-row .talk-avatar')]
        .map(it => it.className + it.querySelector('path').getAttribute('d'))).size";
    assert_eq!(it.browser.script(looks).await, 2);
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_filtered_and_searched_and_its_address_says_how() {
    let mut it = Scene::with(Look::DESKTOP).await;
    it.asks("議事録をまとめる").await;
    it.haru.says("natsu", "要点は三つです").await;
    it.browser.says(ROW, "要点は三つです").await;
    it.browser.pick("State", "Ended").await;
    it.browser.says(".talks", "No conversation fits.").await;
    it.browser.until("location.hash === '#/conversations?state=ended'").await;
    it.browser.pick("State", "Pending").await;
    it.browser.says(ROW, "議事録をまとめる").await;
    it.browser.fill("Search", "要点").await;
    it.browser.until("location.hash.includes('q=')").await;
    it.browser.says(ROW, "議事録をまとめる").await;
    it.browser.fill("Search", "どこにもない").await;
    it.browser.says(".talks", "No conversation fits.").await;
    it.browser.hit("button", "Clear").await;
    it.browser.says(ROW, "議事録をまとめる").await;
    it.browser.until("location.hash === '#/conversations'").await;
    it.browser.pick("Agent", "Analysis Worker").await;
    it.browser.says(".talks", "No conversation fits.").await;
    it.browser.go("#/conversations?agent=natsu&project=demo").await;
    it.browser.says(ROW, "議事録をまとめる").await;
    assert_eq!(it.browser.content("Agent").await, "natsu");
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_walked_by_keys() {
    let mut it = Scene::with(Look::DESKTOP).await;
    let first = it.asks("一つ目").await;
    it.haru.does("end_conversation", json!({ "conversation_id": first })).await;
    it.asks("二つ目").await;
    it.browser.until("document.querySelectorAll('.talk-row').length === 2").await;
    it.browser.script("document.querySelector('.talk-row').focus()").await;
    it.browser.key(fantoccini::key::Key::Down).await;
    assert_eq!(it.browser.focused("href").await, format!("#/conversations/{first}"));
    it.browser.key(fantoccini::key::Key::Enter).await;
    it.browser.says("h1", "一つ目").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_arrive_as_said_with_the_trace_and_who_caused_each_step() {
    let mut it = Scene::with(Look::DESKTOP).await;
    let id = it.asks("しりとり").await;
    it.watch(&id).await;
    it.is_now("pending").await;
    it.browser.says(".talk-log", "Nothing has been said yet.").await;
    it.haru.says("natsu", "しりとりをしましょう。りんご").await;
    it.browser.says(".talk-log", "りんご").await;
    it.natsu.comes("natsu").await;
    it.is_now("active").await;
    it.browser.says("[data-number='1']", "unread").await;
    it.natsu.does("get_pending_messages", json!({})).await;
    it.browser.says("[data-number='1']", "✓ read").await;
    it.natsu.does("respond_chat", json!({ "content": "ごりら" })).await;
    it.browser.says("[data-number='2']", "ごりら").await;
    let ended =
        json!({ "conversation_id": id, "final_message": "ここまで", "reason_text": "時間です" });
    it.haru.does("end_conversation", ended).await;
    it.is_now("terminating").await;
    it.natsu.does("get_next_action", json!({})).await;
    it.is_now("ended").await;
    let causes = [("pending", "春"), ("active", "夏"), ("terminating", "春"), ("ended", "夏")];
    for (state, cause) in causes {
        it.browser.says(&format!(".talk-station[data-state={state}]"), cause).await;
    }
    it.browser.says(".talk-head", "ended by the initiator").await;
    it.browser.says(".talk-head", "時間です").await;
    it.browser.says("[data-number='3']", "ここまで").await;
    let article = it.browser.find("[data-number='2'] article").await;
    let (role, name) = it.browser.computed(&article).await;
    assert_eq!((role.as_str(), name.as_str()), ("article", "夏, 2/3"));
    let apart = "return document.querySelector('[data-number=\"1\"]').className
        !== document.querySelector('[data-number=\"2\"]').className";
    assert_eq!(it.browser.script(apart).await, true);
    assert_eq!(it.browser.roles("button", "Pause").await.len(), 0, "it is over");
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_has_a_lane_for_each_and_the_same_as_a_table() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    it.haru.says("natsu", "りんご").await;
    it.natsu.says("haru", "ごりら").await;
    it.browser.until("document.querySelectorAll('.talk-lane-mark').length === 2").await;
    let picture = it.browser.find(".talk-lanes-svg").await;
    let (_, name) = it.browser.computed(&picture).await;
    assert_eq!(name, "春: 1 message, 夏: 1 message");
    it.browser.hit("button", "As a table").await;
    it.browser.says(".talk-table tbody tr:nth-child(2)", "ごりら").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_agents_write_is_text_and_runs_nowhere() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    let evil =
        "<img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script>\n**太字** {{x}}";
    it.haru.says("natsu", evil).await;
    it.browser.says("[data-number='1']", "<img src=x onerror=\"window.hurt=1\">").await;
    let within = "return document.querySelectorAll('.talk-text *').length";
    assert_eq!(it.browser.script(within).await, 0);
    assert_eq!(it.browser.script("return window.hurt ?? null").await, json!(null));
    it.close().await;
}

/// What is being read stays where it is.
#[tokio::test(flavor = "multi_thread")]
async fn older_messages_load_on_demand_and_new_ones_move_nothing() {
    let (it, id) = Scene::talking(Look::DESKTOP).await;
    it.browser.go("#/counter").await;
    for number in 1..=110 {
        it.haru.says("natsu", &format!("ことば {number}")).await;
    }
    it.watch(&id).await;
    it.browser.says("[data-number='110']", "ことば 110").await;
    assert_eq!(it.numbers().await, (11..=110).collect::<Vec<_>>());
    let end = "(log => log.scrollHeight - log.clientHeight - log.scrollTop)(document.querySelector('.talk-log'))";
    it.browser.until(&format!("{end} < 5")).await;
    // A person who looks at the end sees what comes.
    it.haru.says("natsu", "見えています").await;
    it.browser.says("[data-number='111']", "見えています").await;
    it.browser.until(&format!("{end} < 5")).await;
    // A person who looks further up stays there.
    it.browser.script("document.querySelector('.talk-log').scrollTop = 0").await;
    it.browser.role("button", "To the latest").await;
    it.browser.hit("button", "Show what came before").await;
    it.browser.find("[data-number='1']").await;
    assert_eq!(it.numbers().await, (1..=111).collect::<Vec<_>>());
    let top = "return document.querySelector('[data-number=\"11\"]').getBoundingClientRect().top
        - document.querySelector('.talk-log').getBoundingClientRect().top";
    it.browser.until(&format!("(() => {{ {top} }})() > 0 && (() => {{ {top} }})() < 200")).await;
    let before = it.browser.script(top).await;
    it.haru.says("natsu", "新しい").await;
    it.haru.says("natsu", "もっと新しい").await;
    it.browser.role("button", "New: 2").await;
    assert_eq!(it.browser.script(top).await, before, "nothing has moved");
    it.browser.hit("button", "New: 2").await;
    it.browser.until(&format!("{end} < 5")).await;
    it.browser.no_role("button", "New: 2").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_an_offline_time_are_there_once_network_returns() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    it.haru.says("natsu", "一つ目").await;
    it.browser.says("[data-number='1']", "一つ目").await;
    it.browser.offline(true).await;
    for text in ["二つ目", "三つ目"] {
        it.haru.says("natsu", text).await;
    }
    it.browser.offline(false).await;
    it.browser.says("[data-number='3']", "三つ目").await;
    assert_eq!(it.numbers().await, [1, 2, 3], "none left out, none twice");
    it.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_saved_as_markdown_and_as_lines() {
    let (it, id) = Scene::talking(Look::DESKTOP).await;
    it.haru.says("natsu", "りんご").await;
    it.natsu.says("haru", "ごりら").await;
    it.browser.says("[data-number='2']", "ごりら").await;
    let keep = "window.saved = []; const make = URL.createObjectURL.bind(URL);
        URL.createObjectURL = it => { it.text().then(text => window.saved.push(text)); return make(it); }";
    it.browser.script(keep).await;
    it.browser.hit("button", "Save as Markdown").await;
    it.browser.until("window.saved.length === 1").await;
    it.browser.hit("button", "Save as JSONL").await;
    it.browser.until("window.saved.length === 2").await;
    let saved = it.browser.script("return window.saved").await;
    assert!(saved[0].as_str().unwrap().contains("りんご"), "{saved}");
    let lines: Vec<serde_json::Value> =
        saved[1].as_str().unwrap().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[1]["senderId"], &lines[1]["conversationId"]), (&json!("natsu"), &json!(id)));
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_not_there_is_said_to_be_so() {
    let it = Scene::with(Look::DESKTOP).await;
    it.browser.go("#/conversations/conv_nowhere").await;
    it.browser.says("h1", "There is no such conversation").await;
    it.browser.says("[role=alert]", "Please check its id").await;
    // The code is among the details.
    let code = "document.querySelector('[role=alert] details:not([open]) code')?.textContent";
    it.browser.until(&format!("{code}.startsWith('conversation_not_found')")).await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_drawn_at_the_counter_small_and_live() {
    let (it, id) = Scene::talking(Look::DESKTOP).await;
    it.browser.go("#/counter/get_conversation").await;
    it.browser.says(".tool-head", "get_conversation").await;
    it.browser.click("[id$='conversation_id']").await;
    it.browser.press(&id).await;
    it.browser.hit("button", "Call").await;
    it.browser.says(".talk-inline", "Active").await;
    it.haru.says("natsu", "りんご").await;
    it.browser.says(".talk-inline", "りんご").await;
    it.browser.hit("link", "See all of it").await;
    it.browser.says("h1", "しりとり").await;
    it.browser.go("#/counter/list_conversations").await;
    it.browser.hit("button", "Call").await;
    it.browser.says(".answer .talk-row", "しりとり").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sys_11_token_is_hidden_at_the_counter_until_asked_for() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    let agent = json!({ "agent_id": "aki", "name": "秋", "type": "ai", "project_ids": ["demo"] });
    let defined = it.server.client().output("define_agent", agent).await;
    it.browser.go("#/counter/authenticate").await;
    it.browser.says(".tool-head", "authenticate").await;
    let passkey = defined["passkey"].as_str().unwrap();
    for (name, text) in [("agent_id", "aki"), ("passkey", passkey), ("project_id", "demo")] {
        it.browser.click(&format!("[id$='{name}']")).await;
        it.browser.press(text).await;
    }
    let kind = it.browser.find("[id$='passkey']").await.attr("type").await.unwrap();
    assert_eq!(kind.as_deref(), Some("password"));
    it.browser.hit("button", "Call").await;
    it.browser.says(".answer", "••••••").await;
    let all = "return document.querySelector('.answer').textContent";
    let value = it.browser.script(all).await;
    assert!(!value.as_str().unwrap().contains("sess_"), "{value}");
    it.browser.hit("button", "Show secret values").await;
    it.browser.says(".answer", "sess_").await;
    it.browser.hit("button", "Hide secret values").await;
    it.browser.says(".answer", "••••••").await;
    it.close().await;
}

/// Ten windows would have to share six connections, and each listens.
#[tokio::test(flavor = "multi_thread")]
async fn ten_windows_on_a_conversation_are_all_live_over_one_stream() {
    let (it, id) = Scene::talking(Look::DESKTOP).await;
    let watched = format!("#/conversations/{id}");
    let first = it.browser.this_window().await;
    let mut windows = Vec::new();
    // It leads before there is another that could.
    it.browser.hears().await;
    for _ in 1..10 {
        windows.push(it.browser.counting_window(&watched).await);
        it.browser.find(".talk-log").await;
    }
    it.haru.says("natsu", "りんご").await;
    for window in &windows {
        it.browser.to(window).await;
        it.browser.says(".talk-log", "りんご").await;
        assert_eq!(it.browser.script("return window.listening").await, 0, "the first one leads");
    }
    // The one that leads is closed: another takes over, and nothing is missed.
    it.browser.to(&first).await;
    it.browser.close_window().await;
    it.natsu.says("haru", "ごりら").await;
    let mut leading = 0;
    for window in &windows {
        it.browser.to(window).await;
        it.browser.says(".talk-log", "ごりら").await;
        leading += it.browser.script("return window.listening").await.as_u64().unwrap();
    }
    assert_eq!(leading, 1, "one listens for all");
    it.close().await;
}

/// As where the page came over HTTP from another machine.
#[tokio::test(flavor = "multi_thread")]
async fn without_locks_a_window_listens_for_itself() {
    let (it, id) = Scene::talking(Look::DESKTOP).await;
    let without = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });";
    it.browser.window(&format!("#/conversations/{id}")).await;
    it.browser.begins_with(without).await;
    it.browser.hears().await;
    it.haru.says("natsu", "りんご").await;
    it.browser.says(".talk-log", "りんご").await;
    it.close().await;
}
