//! A person's chat with an agent.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{browser::Look, client::Client};

use super::staff::AgentsPage;

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
