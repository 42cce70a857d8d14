//! Conversations in the browser.

mod staff;

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    client::Client,
    server::TestServer,
};

// Two agents that come from outside and talk when a test says so, and a browser that watches.

/// The server, the agents, and the person who looks on.
struct Scene {
    server: TestServer,
    browser: Browser,
    look: Look,
    haru: Agent,
    natsu: Agent,
}

/// An agent with a program of its own.
struct Agent {
    client: Client,
    passkey: String,
    token: String,
}

impl Agent {
    async fn of(server: &TestServer, id: &str, name: &str) -> Self {
        let agent = json!({ "agent_id": id, "name": name, "type": "ai", "project_ids": ["demo"] });
        let defined = server.client().output("define_agent", agent).await;
        let passkey = defined["passkey"].as_str().expect("it comes from outside").to_owned();
        Self { client: server.client(), passkey, token: String::new() }
    }

    /// Opens a session for the agent `id`.
    async fn comes(&mut self, id: &str) {
        let who = json!({ "agent_id": id, "passkey": self.passkey, "project_id": "demo" });
        let output = self.client.output("authenticate", who).await;
        self.token = output["session_token"].as_str().expect("it may").to_owned();
    }

    /// Calls a tool in its session.
    async fn does(&self, tool: &str, arguments: Value) -> Value {
        self.client.output(tool, self.with_token(arguments)).await
    }

    /// Calls a tool that refuses.
    async fn is_refused(&self, tool: &str, arguments: Value) -> Value {
        self.client.failure(tool, self.with_token(arguments)).await
    }

    fn with_token(&self, mut arguments: Value) -> Value {
        arguments["session_token"] = self.token.as_str().into();
        arguments
    }

    /// Says something to another agent.
    async fn says(&self, to: &str, content: &str) {
        self.does("send_message", json!({ "target_agent_id": to, "content": content })).await;
    }
}

impl Scene {
    /// Both agents are known, neither is there; the browser is at the list.
    async fn with(look: Look) -> Self {
        let server = TestServer::with(&["conversations", "assistant"]).await;
        let haru = Agent::of(&server, "haru", "春").await;
        let natsu = Agent::of(&server, "natsu", "夏").await;
        let browser = Browser::open_at(&server.url(), "#/conversations", look).await;
        let title = if look.language == "ja" {
            "エージェントの会話"
        } else {
            "Conversations between agents"
        };
        browser.role("heading", title).await;
        Self { server, browser, look, haru, natsu }
    }

    /// Haru asks for a conversation; Natsu has not come.
    async fn asks(&mut self, purpose: &str) -> String {
        self.haru.comes("haru").await;
        let wanted = json!({ "target_agent_id": "natsu", "purpose": purpose });
        let started = self.haru.does("start_conversation", wanted).await;
        started["conversation_id"].as_str().expect("it is begun").to_owned()
    }

    /// The two talk, and the browser is there.
    async fn talking(look: Look) -> (Self, String) {
        let mut scene = Self::with(look).await;
        let id = scene.asks("しりとり").await;
        scene.natsu.comes("natsu").await;
        scene.watch(&id).await;
        (scene, id)
    }

    /// Goes to a conversation.
    async fn watch(&self, id: &str) {
        self.browser.go(&format!("#/conversations/{id}")).await;
        self.browser.find(".talk-log").await;
    }

    /// Waits until the station of that state is the one where the conversation is.
    async fn is_now(&self, state: &str) {
        let css = format!(".talk-station[aria-current=step][data-state={state}]");
        self.browser.find(&css).await;
    }

    /// The numbers of the messages that are drawn.
    async fn numbers(&self) -> Vec<u64> {
        let script = "return [...document.querySelectorAll('.talk-log [data-number]')]
            .map(it => Number(it.dataset.number))";
        serde_json::from_value(self.browser.script(script).await).expect("they are numbers")
    }

    /// Axe is content, and nothing is wider than the window.
    async fn sound(&self, what: &str) {
        assert_eq!(self.browser.serious_faults().await, Vec::<String>::new(), "{what}");
        assert!(!self.browser.overflows().await, "{what} is wider than the window");
    }

    async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

// The list, the live transcript and its trace.

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
    // On a phone they are folded until they are wanted.
    scene.browser.look(Look::PHONE).await;
    scene.browser.until("!document.querySelector('#talks-state').checkVisibility()").await;
    scene.browser.hit("button", "Filter").await;
    scene.browser.until("document.querySelector('#talks-state').checkVisibility()").await;
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
    scene.browser.key(Key::Down).await;
    assert_eq!(scene.browser.focused("href").await, format!("#/conversations/{first}"));
    scene.browser.key(Key::Enter).await;
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
    let lines: Vec<Value> =
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

// What the place looks like: sizes, themes, axe.

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_any_theme_or_width() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("phone-light", Look::PHONE.japanese()),
        ("narrow-dark", Look { width: 320, ..Look::PHONE.dark() }),
    ];
    for (device, look) in looks {
        let mut scene = Scene::with(look).await;
        scene.browser.find(".talks-none").await;
        scene.sound(&format!("{device} empty")).await;
        scene.browser.whole_picture(&format!("conversations-{device}-empty"), look).await;
        talk(&mut scene).await;
        let first = scene.asks("次の打ち合わせの議題を決める").await;
        scene.browser.go("#/conversations").await;
        scene.browser.until("document.querySelectorAll('.talk-row').length === 2").await;
        scene.sound(&format!("{device} list")).await;
        scene.browser.whole_picture(&format!("conversations-{device}"), look).await;
        scene.watch(&first).await;
        scene.is_now("pending").await;
        scene.sound(&format!("{device} pending")).await;
        scene.browser.whole_picture(&format!("conversation-{device}-pending"), look).await;
        scene.close().await;
    }
}

/// A whole conversation with a person's message in it, looked at on the way.
async fn talk(scene: &mut Scene) {
    let id = scene.asks("しりとり").await;
    scene.natsu.comes("natsu").await;
    scene.watch(&id).await;
    let words =
        ["しりとりをしましょう。りんご", "ごりら", "らっぱ", "ぱんだ", "だちょう", "うさぎ"];
    for (number, word) in words.into_iter().enumerate() {
        let (from, to) =
            if number % 2 == 0 { (&scene.haru, "natsu") } else { (&scene.natsu, "haru") };
        from.does("get_pending_messages", json!({})).await;
        from.says(to, word).await;
    }
    let person = json!({ "conversation_id": id, "content": "動物の名前だけで続けてください。" });
    scene.server.client().output("write_message", person).await;
    let paused = json!({ "conversation_id": id, "paused": true });
    scene.server.client().output("pause_conversation", paused).await;
    scene.browser.find("[data-number='7'].is-apart").await;
    scene.browser.find(".talk-chip.is-paused").await;
    scene.browser.click("#talk-stop").await;
    scene.browser.find("#talk-stop-reason").await;
    scene.browser.script("document.querySelector('.talk-table').open = true").await;
    scene.browser.find(".talk-table tbody tr").await;
    let device =
        if scene.look.width < 600 { scene.look.width.to_string() } else { "desktop".to_owned() };
    let light = if scene.look.dark { "dark" } else { "light" };
    scene.sound(&format!("{device} {light} active")).await;
    scene.browser.whole_picture(&format!("conversation-{device}-{light}"), scene.look).await;
    let end = json!({ "conversation_id": id, "reason_text": "この続きはまた明日" });
    scene.server.client().output("stop_conversation", end).await;
    for agent in [&scene.haru, &scene.natsu] {
        agent.does("get_next_action", json!({})).await;
    }
    scene.is_now("ended").await;
    scene.sound(&format!("{device} {light} ended")).await;
    scene.browser.whole_picture(&format!("conversation-{device}-{light}-ended"), scene.look).await;
}

// Both agents played by the built-in model, from the page's button (CONV-100).

#[tokio::test(flavor = "multi_thread")]
async fn conv_100_word_game_is_shown_from_start_to_end() {
    for (device, look) in
        [("desktop", Look::DESKTOP.japanese()), ("phone-dark", Look::PHONE.dark().japanese())]
    {
        let server = TestServer::with(&["conversations", "assistant"]).await;
        let browser = Browser::open_at(&server.url(), "#/conversations", look).await;
        browser.hit("button", "しりとりを見る").await;
        browser.says("h1", "しりとり").await;
        browser.picture(&format!("played-{device}-begins")).await;
        browser.find("[data-number='4']").await;
        browser.whole_picture(&format!("played-{device}-runs"), look).await;
        browser.find(".talk-station[aria-current=step][data-state=ended]").await;
        browser.whole_picture(&format!("played-{device}-ends"), look).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        assert!(!browser.overflows().await);
        let trace = "return [...document.querySelectorAll('.talk-station.is-reached')].map(it => it.dataset.state)";
        let trace = browser.script(trace).await;
        assert_eq!(trace, json!(["pending", "active", "terminating", "ended"]));
        played(&server, &browser).await;
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

/// How many messages the page has shown, each time that this changed, and whether the conversation had ended then.
const NOTE: &str = "
    window.noted = [];
    const note = () => {
        const count = document.querySelectorAll('.talk-log [data-number]').length;
        const ended = !!document.querySelector('.talk-station[aria-current=step][data-state=ended]');
        const last = window.noted.at(-1);
        if (!last || last[0] !== count) window.noted.push([count, ended]);
    };
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });";

/// Two agents without a model are done before a person has read the first word: the page shows their messages one
/// after another, or all at once to a reader who asks for that.
#[tokio::test(flavor = "multi_thread")]
async fn paces_game_messages_unless_skipped() {
    let server = TestServer::with(&["conversations", "assistant"]).await;
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    let moves =
        json!({ "features": [{ "name": "prefers-reduced-motion", "value": "no-preference" }] });
    browser.devtools("Emulation.setEmulatedMedia", moves).await;
    browser.go("#/conversations").await;
    browser.script(NOTE).await;
    browser.hit("button", "Watch a word game").await;
    browser.find("[data-number='2']").await;
    browser.picture("played-phone-paced").await;
    browser.find(".talk-station[aria-current=step][data-state=ended]").await;
    let noted = browser.script("return window.noted").await;
    let noted: Vec<(u64, bool)> = serde_json::from_value(noted).unwrap();
    let shown: Vec<u64> = noted.iter().map(|it| it.0).filter(|it| *it > 0).collect();
    assert!(shown.len() >= 10, "{noted:?}");
    assert!(shown.windows(2).all(|it| it[1] == it[0] + 1), "one after another: {noted:?}");
    assert!(noted[..noted.len() - 1].iter().all(|it| !it.1), "it ends with the last: {noted:?}");
    played(&server, &browser).await;

    browser.go("#/conversations").await;
    // There is time to ask for that, on a busy machine, too.
    let slow = "const set = window.setTimeout.bind(window);
        window.setTimeout = (what, time = 0, ...given) => set(what, time === 900 ? 9000 : time, ...given);";
    browser.script(slow).await;
    browser.hit("button", "Watch a word game").await;
    browser.hit("button", "Show all of it").await;
    browser.find(".talk-station[aria-current=step][data-state=ended]").await;
    played(&server, &browser).await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// The page shows all messages: five rounds of ten messages, by turns, and a farewell.
async fn played(server: &TestServer, browser: &Browser) {
    let hash = browser.script("return location.hash").await;
    let id = hash.as_str().unwrap().strip_prefix("#/conversations/").unwrap().to_owned();
    let talk = server.client().output("get_conversation", json!({ "conversation_id": id })).await;
    let own = &talk["conversation"];
    assert_eq!((&own["purpose"], &own["begun_by"]), (&json!("しりとり"), &json!("operator")));
    let messages = talk["messages"].as_array().unwrap();
    assert!(messages.len() >= 10, "five rounds: {talk}");
    for pair in messages[..10].windows(2) {
        assert_ne!(pair[0]["senderId"], pair[1]["senderId"], "by turns: {talk}");
    }
    let drawn =
        "return [...document.querySelectorAll('.talk-log .talk-text')].map(it => it.textContent)";
    let drawn = browser.script(drawn).await;
    let contents: Vec<&Value> = messages.iter().map(|it| &it["content"]).collect();
    assert_eq!(drawn, json!(contents), "none left out, none twice, in order");
    for member in own["members"].as_array().unwrap() {
        assert_eq!(member["assistant"], "talker");
        let name = member["name"].as_str().unwrap();
        browser.says(".talk-members", name).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_draws_a_requested_conversation_live() {
    let look = Look::DESKTOP.japanese();
    let server = TestServer::with(&["conversations", "assistant"]).await;
    let browser = Browser::open_at(&server.url(), "#/chat", look).await;
    browser.until("document.querySelectorAll('.chat-who option').length > 0").await;
    browser.focus("#chat-input").await;
    browser.press("worker-aとworker-bでしりとりをして").await;
    browser.key(Key::Enter).await;
    browser.hit("button", "今回だけ許可").await;
    browser.says(".talk-inline", "しりとり").await;
    browser.says(".talk-inline .talk-chip", "終了").await;
    browser.says(".talk-inline", "11 件").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.whole_picture("played-in-chat", look).await;
    browser.hit("link", "会話の全体を見る").await;
    browser.find(".talk-station[aria-current=step][data-state=ended]").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

// Pausing, writing and ending as a person.

#[tokio::test(flavor = "multi_thread")]
async fn person_pauses_and_resumes_a_conversation() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.browser.hit("button", "Pause").await;
    scene.browser.says(".talk-step-in", "Paused by").await;
    scene.browser.says(".talk-head", "Paused").await;
    let refused = json!({ "target_agent_id": "natsu", "content": "りんご" });
    let refused = scene.haru.is_refused("send_message", refused).await;
    assert_eq!(
        (&refused["error"], &refused["status"]),
        (&json!("conversation_paused"), &json!(409))
    );
    scene.browser.hit("button", "Resume").await;
    scene.browser.role("button", "Pause").await;
    scene.haru.says("natsu", "りんご").await;
    scene.browser.says("[data-number='1']", "りんご").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn persons_message_reaches_both_and_is_distinguished() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.haru.says("natsu", "りんご").await;
    scene.browser.says("[data-number='1']", "りんご").await;
    scene.browser.fill("A message to both", "三文字の言葉だけでお願いします").await;
    scene.browser.key(Key::Enter).await;
    scene.browser.press("人より").await;
    let keys = format!("{}{}", char::from(Key::Control), char::from(Key::Enter));
    scene.browser.press(&keys).await;
    scene
        .browser
        .says("[data-number='2'].is-apart", "三文字の言葉だけでお願いします\n人より")
        .await;
    scene.browser.says("[data-number='2']", "written by a person").await;
    scene.browser.holds("A message to both", "").await;
    for agent in [&scene.haru, &scene.natsu] {
        let answer = agent.does("get_pending_messages", json!({})).await;
        assert!(answer["pending_messages"].to_string().contains("三文字の言葉"), "{answer}");
    }
    scene.browser.says("[data-number='2']", "✓ read").await;
    scene.browser.until("document.querySelectorAll('.talk-lane-names li').length === 3").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forced_end_confirms_once_and_notifies_both() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.browser.hit("button", "End by force").await;
    scene.browser.until("document.activeElement.id === 'talk-stop-reason'").await;
    scene.browser.key(Key::Escape).await;
    scene.browser.until("document.activeElement.id === 'talk-stop'").await;
    scene.is_now("active").await;
    scene.browser.hit("button", "End by force").await;
    scene.browser.fill("Reason (optional)", "話がそれました").await;
    scene.browser.hit("button", "End it").await;
    scene.is_now("terminating").await;
    scene.browser.says(".talk-head", "話がそれました").await;
    scene.browser.says(".talk-head", "ended by a person").await;
    for agent in [&scene.haru, &scene.natsu] {
        let next = agent.does("get_next_action", json!({})).await;
        assert_eq!(next["action"], "conversation_ended", "{next}");
        assert_eq!(next["reason"], "operator_ended");
    }
    scene.is_now("ended").await;
    scene.browser.until("document.activeElement.id === 'talk-log'").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn end_while_typing_keeps_the_typed_text_visible() {
    let (scene, id) = Scene::talking(Look::DESKTOP).await;
    scene.browser.fill("A message to both", "まだ言いたいことが").await;
    scene.browser.until("document.activeElement.id === 'talk-write'").await;
    scene.server.client().output("stop_conversation", json!({ "conversation_id": id })).await;
    scene.browser.says(".talk-step-in .talk-text", "まだ言いたいことが").await;
    scene.browser.says(".talk-step-in", "not known to have been sent").await;
    scene.browser.until("document.activeElement.id === 'talk-log'").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_failed_message_and_sends_it_once() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.browser.offline(true).await;
    scene.browser.fill("A message to both", "届きますか").await;
    scene.browser.hit("button", "Send to both").await;
    scene.browser.find(".talk-step-in [role=alert].notice").await;
    scene.browser.holds("A message to both", "届きますか").await;
    scene.browser.offline(false).await;
    scene.browser.hit("button", "Send to both").await;
    scene.browser.says("[data-number='1']", "届きますか").await;
    scene.browser.holds("A message to both", "").await;
    assert_eq!(scene.numbers().await, [1]);
    scene.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_too_long_message_before_sending() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    let fill = "const it = document.querySelector('#talk-write'); it.value = 'あ'.repeat(4001);
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    scene.browser.script(fill).await;
    scene.browser.says(".talk-write [role=alert]", "4,000").await;
    let button = scene.browser.role("button", "Send to both").await;
    assert!(button.attr("disabled").await.unwrap().is_some());
    scene.close().await;
}
