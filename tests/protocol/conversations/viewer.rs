//! The list, the live transcript and its trace.

use serde_json::json;
use tests::browser::Look;

use super::scene::Scene;

/// What a row of the list says, without looking at it again and again.
const ROW: &str = ".talk-row";

#[tokio::test(flavor = "multi_thread")]
async fn list_shows_new_conversation_and_updates_live() {
    let mut scene = Scene::with(Look::DESKTOP).await;
    scene.browser.says(".talks-none", "There are no conversations yet").await;
    scene.browser.role("button", "Watch a word game").await;
    let id = scene.asks("しりとりをする").await;
    scene.browser.says(ROW, "Pending").await;
    scene.browser.says(ROW, "しりとりをする").await;
    scene.browser.says(ROW, "Nothing has been said yet").await;
    // What has not begun cannot be held up.
    scene.watch(&id).await;
    scene.is_now("pending").await;
    assert!(scene.browser.roles("button", "Pause").await.is_empty());
    scene.browser.go("#/conversations").await;
    scene.natsu.comes("natsu").await;
    scene.browser.says(ROW, "Active").await;
    scene.haru.says("natsu", "りんご").await;
    scene.browser.says(ROW, "りんご").await;
    scene.browser.says(ROW, "0 turns · 1 message").await;
    scene.haru.does("end_conversation", json!({ "conversation_id": id })).await;
    scene.browser.says(ROW, "Ending").await;
    // Both names with a sign and a colour each, and not the same.
    let looks = "return new Set([...document.querySelectorAll('.talk-row .talk-avatar')]
        .map(it => it.className + it.querySelector('path').getAttribute('d'))).size";
    assert_eq!(scene.browser.script(looks).await, 2);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn list_filters_and_search_are_in_the_address() {
    let mut scene = Scene::with(Look::DESKTOP).await;
    scene.asks("議事録をまとめる").await;
    scene.haru.says("natsu", "要点は三つです").await;
    scene.browser.says(ROW, "要点は三つです").await;
    scene.browser.pick("State", "Ended").await;
    scene.browser.says(".talks", "No conversation fits.").await;
    scene.browser.until("location.hash === '#/conversations?state=ended'").await;
    scene.browser.pick("State", "Pending").await;
    scene.browser.says(ROW, "議事録をまとめる").await;
    scene.browser.fill("Search", "要点").await;
    scene.browser.until("location.hash.includes('q=')").await;
    scene.browser.says(ROW, "議事録をまとめる").await;
    scene.browser.fill("Search", "どこにもない").await;
    scene.browser.says(".talks", "No conversation fits.").await;
    scene.browser.hit("button", "Clear").await;
    scene.browser.says(ROW, "議事録をまとめる").await;
    scene.browser.until("location.hash === '#/conversations'").await;
    scene.browser.pick("Agent", "Analysis Worker").await;
    scene.browser.says(".talks", "No conversation fits.").await;
    scene.browser.go("#/conversations?agent=natsu&project=demo").await;
    scene.browser.says(ROW, "議事録をまとめる").await;
    scene.browser.holds("Agent", "natsu").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn list_is_navigable_by_keys() {
    let mut scene = Scene::with(Look::DESKTOP).await;
    let first = scene.asks("一つ目").await;
    scene.haru.does("end_conversation", json!({ "conversation_id": first })).await;
    scene.asks("二つ目").await;
    scene.browser.until("document.querySelectorAll('.talk-row').length === 2").await;
    scene.browser.focus(".talk-row").await;
    scene.browser.key(fantoccini::key::Key::Down).await;
    assert_eq!(scene.browser.focused("href").await, format!("#/conversations/{first}"));
    scene.browser.key(fantoccini::key::Key::Enter).await;
    scene.browser.says("h1", "一つ目").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_arrive_live_with_trace_and_causes() {
    let mut scene = Scene::with(Look::DESKTOP).await;
    let id = scene.asks("しりとり").await;
    scene.watch(&id).await;
    scene.is_now("pending").await;
    scene.browser.says(".talk-log", "Nothing has been said yet.").await;
    scene.haru.says("natsu", "しりとりをしましょう。りんご").await;
    scene.browser.says(".talk-log", "りんご").await;
    scene.natsu.comes("natsu").await;
    scene.is_now("active").await;
    scene.browser.says("[data-number='1']", "unread").await;
    scene.natsu.does("get_pending_messages", json!({})).await;
    scene.browser.says("[data-number='1']", "✓ read").await;
    scene.natsu.does("respond_chat", json!({ "content": "ごりら" })).await;
    scene.browser.says("[data-number='2']", "ごりら").await;
    let ended =
        json!({ "conversation_id": id, "final_message": "ここまで", "reason_text": "時間です" });
    scene.haru.does("end_conversation", ended).await;
    scene.is_now("terminating").await;
    scene.natsu.does("get_next_action", json!({})).await;
    scene.is_now("ended").await;
    let causes = [("pending", "春"), ("active", "夏"), ("terminating", "春"), ("ended", "夏")];
    for (state, cause) in causes {
        scene.browser.says(&format!(".talk-station[data-state={state}]"), cause).await;
    }
    scene.browser.says(".talk-head", "ended by the initiator").await;
    scene.browser.says(".talk-head", "時間です").await;
    scene.browser.says("[data-number='3']", "ここまで").await;
    let article = scene.browser.find("[data-number='2'] article").await;
    let (role, name) = scene.browser.computed(&article).await;
    assert_eq!((role.as_str(), name.as_str()), ("article", "夏, 2/3"));
    let apart = "return document.querySelector('[data-number=\"1\"]').className
        !== document.querySelector('[data-number=\"2\"]').className";
    assert_eq!(scene.browser.script(apart).await, true);
    assert_eq!(scene.browser.roles("button", "Pause").await.len(), 0, "it is over");
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn timeline_has_a_lane_per_agent_and_an_equal_table() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.haru.says("natsu", "りんご").await;
    scene.natsu.says("haru", "ごりら").await;
    scene.browser.until("document.querySelectorAll('.talk-lane-mark').length === 2").await;
    let picture = scene.browser.find(".talk-lanes-svg").await;
    let (_, name) = scene.browser.computed(&picture).await;
    assert_eq!(name, "春: 1 message, 夏: 1 message");
    scene.browser.hit("button", "As a table").await;
    scene.browser.says(".talk-table tbody tr:nth-child(2)", "ごりら").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_messages_are_text_and_never_run() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    let evil =
        "<img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script>\n**太字** {{x}}";
    scene.haru.says("natsu", evil).await;
    scene.browser.says("[data-number='1']", "<img src=x onerror=\"window.hurt=1\">").await;
    let within = "return document.querySelectorAll('.talk-text *').length";
    assert_eq!(scene.browser.script(within).await, 0);
    assert_eq!(scene.browser.script("return window.hurt ?? null").await, json!(null));
    scene.close().await;
}

/// What is being read stays where it is.
#[tokio::test(flavor = "multi_thread")]
async fn loads_older_messages_and_new_ones_move_nothing() {
    let (scene, id) = Scene::talking(Look::DESKTOP).await;
    scene.browser.go("#/counter").await;
    for number in 1..=110 {
        scene.haru.says("natsu", &format!("ことば {number}")).await;
    }
    scene.watch(&id).await;
    scene.browser.says("[data-number='110']", "ことば 110").await;
    assert_eq!(scene.numbers().await, (11..=110).collect::<Vec<_>>());
    let end = "(log => log.scrollHeight - log.clientHeight - log.scrollTop)(document.querySelector('.talk-log'))";
    scene.browser.until(&format!("{end} < 5")).await;
    // A person who looks at the end sees what comes.
    scene.haru.says("natsu", "見えています").await;
    scene.browser.says("[data-number='111']", "見えています").await;
    scene.browser.until(&format!("{end} < 5")).await;
    // A person who looks further up stays there.
    scene.browser.script("document.querySelector('.talk-log').scrollTop = 0").await;
    scene.browser.role("button", "To the latest").await;
    scene.browser.hit("button", "Show what came before").await;
    scene.browser.find("[data-number='1']").await;
    assert_eq!(scene.numbers().await, (1..=111).collect::<Vec<_>>());
    let top = "return document.querySelector('[data-number=\"11\"]').getBoundingClientRect().top
        - document.querySelector('.talk-log').getBoundingClientRect().top";
    scene.browser.until(&format!("(() => {{ {top} }})() > 0 && (() => {{ {top} }})() < 200")).await;
    let before = scene.browser.script(top).await;
    scene.haru.says("natsu", "新しい").await;
    scene.haru.says("natsu", "もっと新しい").await;
    scene.browser.role("button", "New: 2").await;
    assert_eq!(scene.browser.script(top).await, before, "nothing has moved");
    scene.browser.hit("button", "New: 2").await;
    scene.browser.until(&format!("{end} < 5")).await;
    scene.browser.no_role("button", "New: 2").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_sent_while_offline_arrive_on_reconnect() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.haru.says("natsu", "一つ目").await;
    scene.browser.says("[data-number='1']", "一つ目").await;
    scene.browser.offline(true).await;
    for text in ["二つ目", "三つ目"] {
        scene.haru.says("natsu", text).await;
    }
    scene.browser.offline(false).await;
    scene.browser.says("[data-number='3']", "三つ目").await;
    assert_eq!(scene.numbers().await, [1, 2, 3], "none left out, none twice");
    scene.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn saves_conversation_as_markdown_and_json_lines() {
    let (scene, id) = Scene::talking(Look::DESKTOP).await;
    scene.haru.says("natsu", "りんご").await;
    scene.natsu.says("haru", "ごりら").await;
    scene.browser.says("[data-number='2']", "ごりら").await;
    let keep = "window.saved = []; const make = URL.createObjectURL.bind(URL);
        URL.createObjectURL = it => { it.text().then(text => window.saved.push(text)); return make(it); }";
    scene.browser.script(keep).await;
    scene.browser.hit("button", "Save as Markdown").await;
    scene.browser.until("window.saved.length === 1").await;
    scene.browser.hit("button", "Save as JSONL").await;
    scene.browser.until("window.saved.length === 2").await;
    let saved = scene.browser.script("return window.saved").await;
    assert!(saved[0].as_str().unwrap().contains("りんご"), "{saved}");
    let lines: Vec<serde_json::Value> =
        saved[1].as_str().unwrap().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[1]["senderId"], &lines[1]["conversationId"]), (&json!("natsu"), &json!(id)));
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_missing_conversation() {
    let scene = Scene::with(Look::DESKTOP).await;
    scene.browser.go("#/conversations/conv_nowhere").await;
    scene.browser.says("h1", "There is no such conversation").await;
    scene.browser.says("[role=alert]", "Please check its id").await;
    // The code is among the details.
    let code = "document.querySelector('[role=alert] details:not([open]) code')?.textContent";
    scene.browser.until(&format!("{code}.startsWith('conversation_not_found')")).await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_view_draws_a_small_live_conversation() {
    let (scene, id) = Scene::talking(Look::DESKTOP).await;
    scene.browser.go("#/counter/get_conversation").await;
    scene.browser.says(".tool-head", "get_conversation").await;
    scene.browser.click("[id$='conversation_id']").await;
    scene.browser.press(&id).await;
    scene.browser.hit("button", "Call").await;
    scene.browser.says(".talk-inline", "Active").await;
    scene.haru.says("natsu", "りんご").await;
    scene.browser.says(".talk-inline", "りんご").await;
    scene.browser.hit("link", "See all of it").await;
    scene.browser.says("h1", "しりとり").await;
    scene.browser.go("#/counter/list_conversations").await;
    scene.browser.hit("button", "Call").await;
    scene.browser.says(".answer .talk-row", "しりとり").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sys_11_tools_view_hides_token_until_revealed() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    let agent = json!({ "agent_id": "aki", "name": "秋", "type": "ai", "project_ids": ["demo"] });
    let defined = scene.server.client().output("define_agent", agent).await;
    scene.browser.go("#/counter/authenticate").await;
    scene.browser.says(".tool-head", "authenticate").await;
    let passkey = defined["passkey"].as_str().unwrap();
    for (name, text) in [("agent_id", "aki"), ("passkey", passkey), ("project_id", "demo")] {
        scene.browser.click(&format!("[id$='{name}']")).await;
        scene.browser.press(text).await;
    }
    let kind = scene.browser.find("[id$='passkey']").await.attr("type").await.unwrap();
    assert_eq!(kind.as_deref(), Some("password"));
    scene.browser.hit("button", "Call").await;
    scene.browser.says(".answer", "••••••").await;
    let all = "return document.querySelector('.answer').textContent";
    let value = scene.browser.script(all).await;
    assert!(!value.as_str().unwrap().contains("sess_"), "{value}");
    scene.browser.hit("button", "Show secret values").await;
    scene.browser.says(".answer", "sess_").await;
    scene.browser.hit("button", "Hide secret values").await;
    scene.browser.says(".answer", "••••••").await;
    scene.close().await;
}

/// Ten windows would have to share six connections, and each listens.
#[tokio::test(flavor = "multi_thread")]
async fn ten_windows_share_one_live_stream() {
    let (scene, id) = Scene::talking(Look::DESKTOP).await;
    let watched = format!("#/conversations/{id}");
    let first = scene.browser.this_window().await;
    let mut windows = Vec::new();
    // It leads before there is another that could.
    scene.browser.reload_until_listening().await;
    for _ in 1..10 {
        windows.push(scene.browser.counting_window(&watched).await);
        scene.browser.find(".talk-log").await;
    }
    scene.haru.says("natsu", "りんご").await;
    for window in &windows {
        scene.browser.to(window).await;
        scene.browser.says(".talk-log", "りんご").await;
        assert_eq!(scene.browser.script("return window.listening").await, 0, "the first one leads");
    }
    // The one that leads is closed: another takes over, and nothing is missed.
    scene.browser.to(&first).await;
    scene.browser.close_window().await;
    scene.natsu.says("haru", "ごりら").await;
    let mut leading = 0;
    for window in &windows {
        scene.browser.to(window).await;
        scene.browser.says(".talk-log", "ごりら").await;
        leading += scene.browser.script("return window.listening").await.as_u64().unwrap();
    }
    assert_eq!(leading, 1, "one listens for all");
    scene.close().await;
}

/// As where the page came over HTTP from another machine.
#[tokio::test(flavor = "multi_thread")]
async fn window_without_locks_opens_its_own_stream() {
    let (scene, id) = Scene::talking(Look::DESKTOP).await;
    let without = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });";
    scene.browser.window(&format!("#/conversations/{id}")).await;
    scene.browser.begins_with(without).await;
    scene.browser.reload_until_listening().await;
    scene.haru.says("natsu", "りんご").await;
    scene.browser.says(".talk-log", "りんご").await;
    scene.close().await;
}
