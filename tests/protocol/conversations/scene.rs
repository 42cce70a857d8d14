//! Two agents that come from outside and talk when a test says so, and a browser that watches.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    client::Client,
    server::TestServer,
};

/// The server, the agents, and the person who looks on.
pub(super) struct Scene {
    pub(super) server: TestServer,
    pub(super) browser: Browser,
    pub(super) look: Look,
    pub(super) haru: Agent,
    pub(super) natsu: Agent,
}

/// An agent with a program of its own.
pub(super) struct Agent {
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
    pub(super) async fn comes(&mut self, id: &str) {
        let who = json!({ "agent_id": id, "passkey": self.passkey, "project_id": "demo" });
        let output = self.client.output("authenticate", who).await;
        self.token = output["session_token"].as_str().expect("it may").to_owned();
    }

    /// Calls a tool in its session.
    pub(super) async fn does(&self, tool: &str, arguments: Value) -> Value {
        self.client.output(tool, self.with_token(arguments)).await
    }

    /// Calls a tool that refuses.
    pub(super) async fn is_refused(&self, tool: &str, arguments: Value) -> Value {
        self.client.failure(tool, self.with_token(arguments)).await
    }

    fn with_token(&self, mut arguments: Value) -> Value {
        arguments["session_token"] = self.token.as_str().into();
        arguments
    }

    /// Says something to another agent.
    pub(super) async fn says(&self, to: &str, content: &str) {
        self.does("send_message", json!({ "target_agent_id": to, "content": content })).await;
    }
}

impl Scene {
    /// Both agents are known, neither is there; the browser is at the list.
    pub(super) async fn with(look: Look) -> Self {
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
    pub(super) async fn asks(&mut self, purpose: &str) -> String {
        self.haru.comes("haru").await;
        let wanted = json!({ "target_agent_id": "natsu", "purpose": purpose });
        let started = self.haru.does("start_conversation", wanted).await;
        started["conversation_id"].as_str().expect("it is begun").to_owned()
    }

    /// The two talk, and the browser is there.
    pub(super) async fn talking(look: Look) -> (Self, String) {
        let mut scene = Self::with(look).await;
        let id = scene.asks("しりとり").await;
        scene.natsu.comes("natsu").await;
        scene.watch(&id).await;
        (scene, id)
    }

    /// Goes to a conversation.
    pub(super) async fn watch(&self, id: &str) {
        self.browser.go(&format!("#/conversations/{id}")).await;
        self.browser.find(".talk-log").await;
    }

    /// Waits until the station of that state is the one where the conversation is.
    pub(super) async fn is_now(&self, state: &str) {
        let css = format!(".talk-station[aria-current=step][data-state={state}]");
        self.browser.find(&css).await;
    }

    /// The numbers of the messages that are drawn.
    pub(super) async fn numbers(&self) -> Vec<u64> {
        let script = "return [...document.querySelectorAll('.talk-log [data-number]')]
            .map(it => Number(it.dataset.number))";
        serde_json::from_value(self.browser.script(script).await).expect("they are numbers")
    }

    /// Axe is content, and nothing is wider than the window.
    pub(super) async fn sound(&self, what: &str) {
        assert_eq!(self.browser.serious_faults().await, Vec::<String>::new(), "{what}");
        assert!(!self.browser.overflows().await, "{what} is wider than the window");
    }

    pub(super) async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}
