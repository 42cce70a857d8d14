//! Projects and agents, defined on the page.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    client::Client,
    server::TestServer,
};

/// The place, open in a browser.
pub(super) struct AgentsPage {
    pub(super) server: TestServer,
    pub(super) browser: Browser,
}

impl AgentsPage {
    /// A server with the demo's project, and a browser on the list.
    pub(super) async fn with(look: Look) -> Self {
        let server = TestServer::with(&["conversations", "assistant"]).await;
        let browser = Browser::open_at(&server.url(), "#/agents", look).await;
        browser.says("h2", "窓口デモ").await;
        Self { server, browser }
    }

    /// An agent from outside, and its passkey.
    pub(super) async fn outsider(&self, id: &str, name: &str) -> String {
        let agent = json!({ "agent_id": id, "name": name, "type": "ai", "project_ids": ["demo"] });
        let defined = self.server.client().output("define_agent", agent).await;
        defined["passkey"].as_str().expect("it comes from outside").to_owned()
    }

    /// A session of an agent from outside.
    pub(super) async fn authenticate(&self, id: &str, passkey: &str) -> Value {
        let who = json!({ "agent_id": id, "passkey": passkey, "project_id": "demo" });
        self.server.client().output("authenticate", who).await
    }

    /// Whether a text is nowhere but on the page: in no address, in no storage.
    pub(super) async fn keeps_nothing_of(&self, secret: &str) {
        let kept = "return JSON.stringify([location.href, {...localStorage}, {...sessionStorage}])";
        let kept = self.browser.script(kept).await;
        assert!(!kept.as_str().unwrap().contains(secret), "{kept}");
    }

    pub(super) async fn sound(&self, what: &str) {
        assert_eq!(self.browser.serious_faults().await, Vec::<String>::new(), "{what}");
        assert!(!self.browser.overflows().await, "{what} is wider than the window");
    }

    pub(super) async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conv_80_agent_signs_in_by_passkey_shown_once() {
    let page = AgentsPage::with(Look::DESKTOP).await;
    page.browser.hit("button", "Add an agent").await;
    page.browser.hit("button", "Define").await;
    page.browser.describes("Agent ID", "This is needed.").await;
    page.browser.until("document.activeElement.id === 'new-agent-agent_id'").await;
    page.browser.fill("Agent ID", "作業").await;
    page.browser.fill("Name", "Outside Worker").await;
    page.browser.fill("Skills", "しりとり、要約").await;
    page.browser.hit("button", "Define").await;
    page.browser.describes("Agent ID", "beginning with a letter").await;
    page.browser.fill("Agent ID", "worker-a").await;
    page.browser.hit("button", "Define").await;
    page.browser.describes("Agent ID", "taken").await;
    page.browser.fill("Agent ID", "worker-c").await;
    page.browser.hit("button", "Define").await;
    page.browser.until("document.querySelector('#passkey-value')").await;
    let passkey = page.browser.text("#passkey-value").await;
    page.browser.says(".passkey", "shown once").await;
    page.sound("a passkey").await;
    page.browser.whole_picture("agents-passkey", Look::DESKTOP).await;
    assert_eq!(page.authenticate("worker-c", &passkey).await["success"], true);
    // It is online now, and the page is notified of it.
    page.browser.until("[...document.querySelectorAll('.agent')].some(it => it.textContent.includes('Outside Worker') && it.querySelector('.agent-badges .is-connected'))").await;
    page.keeps_nothing_of(&passkey).await;
    page.browser.hit("button", "I have kept it").await;
    page.browser.until("!document.body.innerText.includes('shown once')").await;
    page.browser.reload().await;
    page.browser.says("main", "Outside Worker").await;
    assert!(!page.browser.text("body").await.contains(&passkey));
    page.close().await;
}

/// The passkey stands in it only where it was just made.
#[tokio::test(flavor = "multi_thread")]
async fn invitation_is_complete_for_an_outside_agent() {
    let page = AgentsPage::with(Look::DESKTOP).await;
    page.outsider("worker-c", "Outside Worker").await;
    page.browser.hit("button", "Invite Outside Worker").await;
    page.browser
        .until("document.querySelector('#invite-prompt')?.value.includes('worker-c')")
        .await;
    let line = page.browser.text("#invite-line").await;
    assert!(line.contains(&format!("{}/mcp", page.server.url())), "{line}");
    page.sound("an invitation").await;
    page.browser.whole_picture("agents-invite", Look::DESKTOP).await;
    page.browser.hit("button", "Close").await;
    page.browser.hit("button", "A new passkey for Outside Worker").await;
    page.browser.hit("button", "Make a new one").await;
    page.browser.until("document.querySelector('#passkey-value')").await;
    let passkey = page.browser.text("#passkey-value").await;
    page.browser.script("document.querySelector('.passkey [aria-expanded]').click()").await;
    page.browser
        .until(&format!("document.querySelector('#invite-prompt')?.value.includes('{passkey}')"))
        .await;
    page.keeps_nothing_of(&passkey).await;
    assert_eq!(page.authenticate("worker-c", &passkey).await["success"], true);
    page.close().await;
}

/// An agent retires after one question; what is configured cannot be retired on the page.
#[tokio::test(flavor = "multi_thread")]
async fn defines_project_retires_agent_and_keeps_configured_ones() {
    let page = AgentsPage::with(Look::DESKTOP.japanese()).await;
    page.browser.hit("button", "プロジェクトを追加").await;
    page.browser.fill("プロジェクト ID", "second").await;
    page.browser.fill("名前", "二つめ").await;
    page.browser.hit("button", "登録する").await;
    page.browser.until("document.querySelectorAll('.project').length === 2").await;
    page.outsider("worker-c", "外の人").await;
    // Another caller defined it: the page is notified of that too.
    page.browser.role("button", "外の人 を引退させる").await;
    // What stands in the configuration is shown as such, and cannot be retired here.
    assert!(page.browser.roles("button", "Analysis Worker を引退させる").await.is_empty());
    page.browser.says("#project-demo + code + .hint, .project-head", "設定ファイル").await;
    page.browser.hit("button", "外の人 を引退させる").await;
    page.browser.until("document.activeElement.id === 'ask-no'").await;
    page.browser.hit("button", "やめる").await;
    page.browser.until("document.activeElement.id === 'retire-demo-worker-c'").await;
    page.browser.hit("button", "外の人 を引退させる").await;
    page.browser.click("#ask-yes").await;
    page.browser.no_role("button", "外の人 を引退させる").await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn starts_conversation_from_form_with_fault_messages() {
    let page = AgentsPage::with(Look::DESKTOP).await;
    page.browser.hit("button", "Start a conversation").await;
    page.browser.pick("With whom", "Analysis Worker").await;
    page.browser.fill("Turns at most", "0").await;
    page.browser.hit("button", "Start").await;
    page.browser
        .until("document.querySelector('#begin-target_agent_id').ariaInvalid === 'true'")
        .await;
    page.browser.describes("Turns at most", "from 1 to 1000").await;
    page.sound("the form of a conversation").await;
    page.browser.whole_picture("agents-begin", Look::DESKTOP).await;
    page.browser.pick("With whom", "Writing Worker").await;
    page.browser.fill("Turns at most", "2").await;
    page.browser.fill("Purpose", "しりとり").await;
    page.browser.script("document.querySelector('.agents-form [type=submit]').click()").await;
    page.browser.until("location.hash.startsWith('#/conversations/conv_')").await;
    let all = page.server.client().output("list_conversations", json!({})).await;
    let begun = &all["conversations"][0];
    assert_eq!((&begun["purpose"], &begun["max_turns"]), (&json!("しりとり"), &json!(2)));
    assert_eq!(begun["begun_by"], "operator");
    page.close().await;
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_on_the_list_in_any_theme() {
    let narrow = Look { width: 320, height: 640, dark: false, language: "ja" };
    let looks = [
        ("desktop", Look::DESKTOP),
        ("desktop-dark", Look::DESKTOP.dark().japanese()),
        ("phone", Look::PHONE.japanese()),
        ("phone-dark", Look::PHONE.dark()),
        ("narrow", narrow),
    ];
    for (device, look) in looks {
        let page = AgentsPage::with(look).await;
        page.outsider("worker-c", "Outside Worker").await;
        page.browser.says("main", "worker-c").await;
        page.sound(device).await;
        page.browser.whole_picture(&format!("agents-{device}"), look).await;
        page.browser.click("#define-demo").await;
        page.browser.find("#new-agent-agent_id").await;
        page.sound(&format!("{device}, defining")).await;
        page.browser.whole_picture(&format!("agents-define-{device}"), look).await;
        page.close().await;
    }
}

// A person's chat with an agent.

/// A chat with an agent from outside, open in a browser; the test plays the agent.
struct Chat {
    page: AgentsPage,
    passkey: String,
}

/// A session of the agent's.
struct Agent {
    client: Client,
    token: Value,
}

impl Agent {
    async fn next_action(&self) -> Value {
        let arguments = json!({ "session_token": self.token, "timeout_seconds": 150 });
        self.client.output("get_next_action", arguments).await
    }

    /// What it has not read; it has read it then.
    async fn reads(&self) -> Vec<String> {
        let arguments = json!({ "session_token": self.token });
        let pending = self.client.output("get_pending_messages", arguments).await;
        let messages = pending["pending_messages"].as_array().cloned().unwrap_or_default();
        messages.iter().map(|it| it["content"].as_str().unwrap().to_owned()).collect()
    }

    async fn says(&self, content: &str) {
        let arguments = json!({ "session_token": self.token, "content": content });
        self.client.output("respond_chat", arguments).await;
    }
}

impl Chat {
    async fn with(look: Look) -> Self {
        let page = AgentsPage::with(look).await;
        let passkey = page.outsider("worker-c", "Outside Worker").await;
        page.browser.go("#/agents/demo/worker-c").await;
        page.browser.says("h1", "Outside Worker").await;
        page.browser.find("#agent-input").await;
        page.browser.until("document.querySelector('.agent-log').ariaBusy === 'false'").await;
        Self { page, passkey }
    }

    /// Writes something, and sends it with Enter.
    async fn write(&self, text: &str) {
        self.page.browser.focus("#agent-input").await;
        self.page.browser.press(text).await;
        self.page.browser.key(Key::Enter).await;
    }

    /// The agent comes in.
    async fn agent(&self) -> Agent {
        let session = self.page.authenticate("worker-c", &self.passkey).await;
        assert_eq!(session["success"], true, "{session}");
        Agent { client: self.page.server.client(), token: session["session_token"].clone() }
    }

    async fn texts(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('.agent-text')].map(it => it.textContent)";
        serde_json::from_value(self.page.browser.script(script).await).unwrap()
    }
}

/// An agent from outside answers a person, and the end of the chat sends it away.
#[tokio::test(flavor = "multi_thread")]
async fn conv_4_6_outside_agent_answers_until_the_chat_ends() {
    let chat = Chat::with(Look::DESKTOP).await;
    let browser = &chat.page.browser;
    browser.says("#agent-status", "is not connected").await;
    chat.write("こんにちは").await;
    browser.says("#agent-status", "is being called").await;
    browser.until("document.querySelectorAll('.agent-message').length === 1").await;
    browser.says(".agent-receipt", "Sent").await;
    let agent = chat.agent().await;
    browser.says("#agent-status", "is connected").await;
    assert_eq!(agent.next_action().await["action"], "get_pending_messages");
    assert_eq!(agent.reads().await, ["こんにちは"]);
    browser.says(".agent-receipt", "Read").await;
    agent.says("はい、何でしょう。").await;
    browser.until("document.querySelectorAll('.agent-message').length === 2").await;
    browser
        .until("document.querySelector('[role=status]').textContent.includes('何でしょう')")
        .await;
    chat.page.sound("a chat").await;
    browser.picture("agent-chat").await;
    browser.hit("button", "End the chat").await;
    assert_eq!(agent.next_action().await["action"], "exit");
    browser.says("#agent-status", "is not connected").await;
    assert_eq!(chat.texts().await, ["こんにちは", "はい、何でしょう。"]);
    chat.page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_unseen_messages_until_they_are_seen() {
    let chat = Chat::with(Look::DESKTOP).await;
    let browser = &chat.page.browser;
    // A page of the chat is read by being asked for (CONV 4.6): none may be on its way when no person looks.
    let count = "const real = window.fetch; window.open_pages = 0;
        window.fetch = (input, init) => {
            const answer = real(input, init);
            if (!(input.url ?? String(input)).includes('chat/messages')) return answer;
            window.open_pages++;
            return answer.finally(() => window.open_pages--);
        };";
    browser.script(count).await;
    chat.write("起きたら教えて").await;
    browser.says(".agent-receipt", "Sent").await;
    let agent = chat.agent().await;
    agent.reads().await;
    browser.says(".agent-receipt", "Read").await;
    browser.go("#/agents").await;
    browser.says("h2", "窓口デモ").await;
    browser.until("window.open_pages === 0").await;
    agent.says("起きました").await;
    agent.says("もう一度").await;
    browser.role("link", "Chat with Outside Worker, 2 unread").await;
    browser.hit("link", "Chat with Outside Worker").await;
    browser.says(".agent-mark", "Unread from here").await;
    browser.until("document.querySelectorAll('.agent-message').length === 3").await;
    browser.hit("link", "All agents").await;
    browser.no_role("link", "Chat with Outside Worker, 2 unread").await;
    chat.page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn survives_leaving_a_chat_before_the_next_frame() {
    let chat = Chat::with(Look::DESKTOP).await;
    let browser = &chat.page.browser;
    let hold = "window.held = []; window.requestAnimationFrame = it => held.push(it);";
    browser.script(hold).await;
    chat.write("起きたら教えて").await;
    chat.agent().await.says("起きました").await;
    browser.says(".agent-log", "起きました").await;
    browser.until("held.length > 0").await;
    browser.go("#/agents").await;
    browser.says("h2", "窓口デモ").await;
    browser.script("held.splice(0).forEach(it => it(performance.now()))").await;
    chat.page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_unsent_message_and_delivers_it_once() {
    let chat = Chat::with(Look::DESKTOP).await;
    let browser = &chat.page.browser;
    // The host takes it, and the answer is lost on the way back.
    let lose = "const real = window.fetch; let lost = 0; window.sent = [];
        window.fetch = async (input, init) => {
            const request = new Request(input, init);
            if (!request.url.endsWith('/mcp') || request.method !== 'POST') return real(request);
            const text = await request.clone().text();
            if (!text.includes('send_chat')) return real(request);
            window.sent.push(JSON.parse(text).params.arguments.client_message_id);
            const answer = await real(request);
            if (lost++ === 0) { await answer.text(); throw new TypeError('lost'); }
            return answer;
        };";
    browser.script(lose).await;
    chat.write("一度だけ").await;
    browser.says(".is-failed", "Not sent").await;
    assert!(browser.serious_faults().await.is_empty());
    browser.picture("agent-chat-failed").await;
    browser.hit("button", "Send again").await;
    browser.until("!document.querySelector('.is-failed')").await;
    browser.until("window.sent.length === 2 && window.sent[0] === window.sent[1]").await;
    let agent = chat.agent().await;
    assert_eq!(agent.reads().await, ["一度だけ"]);
    browser.says(".agent-receipt", "Read").await;
    assert_eq!(chat.texts().await, ["一度だけ"]);
    chat.page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conv_65_keeps_and_counts_draft_and_ime_sends_nothing() {
    let chat = Chat::with(Look::DESKTOP.japanese()).await;
    let browser = &chat.page.browser;
    let put = "const input = document.querySelector('#agent-input');
        input.focus(); input.value = arguments[0];
        input.dispatchEvent(new Event('input', { bubbles: true }));";
    browser.ask(put, vec![json!("👨‍👩‍👧".repeat(801))]).await;
    browser.says("#agent-count", "4,005").await;
    browser.key(Key::Enter).await;
    browser.says("#agent-fault", "4,000文字以内").await;
    browser.says("#agent-fault", "5 文字超過").await;
    assert!(chat.texts().await.is_empty());
    browser.ask(put, vec![json!("書きかけ")]).await;
    let keys = "const input = document.querySelector('#agent-input');
        for (const how of [{ isComposing: true }, { keyCode: 229 }, { shiftKey: true }]) {
            input.dispatchEvent(new KeyboardEvent('keydown',
                { key: 'Enter', bubbles: true, cancelable: true, ...how }));
        }";
    browser.script(keys).await;
    assert!(chat.texts().await.is_empty());
    browser.reload().await;
    browser.until("document.querySelector('#agent-input')?.value === '書きかけ'").await;
    // Another chat has a draft of its own.
    browser.go("#/agents/demo/worker-a").await;
    browser.until("document.querySelector('#agent-input')?.value === ''").await;
    // The host answers for it at any time.
    browser.says("#agent-status", "メッセージを送ると応答します").await;
    chat.page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loads_older_messages_on_request() {
    let chat = Chat::with(Look::DESKTOP).await;
    let browser = &chat.page.browser;
    let client = chat.page.server.client();
    browser.go("#/agents").await;
    for number in 1..=70 {
        let message = json!({ "project_id": "demo", "agent_id": "worker-c",
            "content": format!("message {number}") });
        client.output("send_chat", message).await;
    }
    browser.go("#/agents/demo/worker-c").await;
    browser.says(".agent-log", "message 70").await;
    browser.until("document.querySelectorAll('.agent-message').length === 50").await;
    browser.hit("button", "Show older messages").await;
    browser.until("document.querySelectorAll('.agent-message').length === 70").await;
    browser.says(".agent-begins", "where it begins").await;
    let texts = chat.texts().await;
    assert_eq!((&*texts[0], &*texts[69]), ("message 1", "message 70"));
    chat.page.close().await;
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_a_chat_in_any_theme() {
    let looks = [
        ("desktop-dark", Look::DESKTOP.dark()),
        ("phone", Look::PHONE.japanese()),
        ("phone-dark", Look::PHONE.dark()),
        ("narrow", Look { width: 320, height: 640, dark: false, language: "en" }),
    ];
    for (device, look) in looks {
        let chat = Chat::with(look).await;
        chat.write("しりとりをしましょう。りんご").await;
        chat.page.browser.until("document.querySelector('.agent-message time')").await;
        let agent = chat.agent().await;
        agent.reads().await;
        agent.says("ごりら。\n次は「ら」です。").await;
        chat.page.browser.says(".agent-log", "ごりら").await;
        chat.page.sound(device).await;
        chat.page.browser.picture(&format!("agent-chat-{device}")).await;
        chat.page.close().await;
    }
}
