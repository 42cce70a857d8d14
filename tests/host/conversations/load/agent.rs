//! An agent that waits for messages, and retries while the server does not answer.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tests::{client::MODERN, conversations::credentials};

/// How long an agent waits at a time.
const WAIT_S: u32 = 20;
/// Maximum number of retries, and the pause between them.
const TRIES: usize = 600;
const PAUSE: Duration = Duration::from_millis(100);

/// The server's current URL, and the number of failed calls.
#[derive(Clone)]
pub(super) struct Line(Arc<Shared>);

struct Shared {
    http: reqwest::Client,
    url: RwLock<String>,
    failures: AtomicUsize,
    /// When each message was sent last, by its sender and its number.
    sent: Mutex<HashMap<String, Instant>>,
}

/// An agent with a session.
pub(super) struct Agent {
    line: Line,
    pub(super) id: String,
    token: String,
    pub(super) talk: String,
}

impl Line {
    pub(super) fn new(url: &str) -> Self {
        let http = tests::client::http().build().expect("no options that can fail");
        let (url, failures, sent) =
            (RwLock::new(url.to_owned()), AtomicUsize::new(0), Mutex::default());
        Self(Arc::new(Shared { http, url, failures, sent }))
    }

    /// Changes the server's URL.
    pub(super) fn moved(&self, url: &str) {
        url.clone_into(&mut self.0.url.write().unwrap());
    }

    pub(super) fn failures(&self) -> usize {
        self.0.failures.load(Ordering::Relaxed)
    }

    /// Makes one call over MCP; returns none if the server does not answer.
    async fn once(&self, tool: &str, arguments: &Value) -> Option<Value> {
        let url = self.0.url.read().unwrap().clone();
        let params =
            json!({ "name": tool, "arguments": arguments, "_meta": tests::client::Client::meta() });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let request = self.0.http.post(format!("{url}/mcp")).json(&body);
        let request = request.header("accept", "application/json, text/event-stream");
        let request = request.header("mcp-protocol-version", MODERN);
        let request = request.header("mcp-method", "tools/call").header("mcp-name", tool);
        let text = request.send().await.ok()?.text().await.ok()?;
        // An answer that was long in coming comes as an event.
        let data = text.lines().filter_map(|it| it.strip_prefix("data:")).next_back();
        let answer: Value = serde_json::from_str(data.unwrap_or(&text).trim()).ok()?;
        let result = &answer["result"];
        if result["isError"] == true {
            let error = &result["_meta"]["madoguchi/error"];
            // It stops, or there was no place: both pass.
            let passes = error["status"].as_u64().is_some_and(|it| it >= 500);
            assert!(passes, "{tool}: {error}");
            return None;
        }
        result.get("structuredContent").cloned()
    }

    /// The same until the server answers.
    async fn call(&self, tool: &str, arguments: &Value) -> Value {
        for _ in 0..TRIES {
            if let Some(answer) = self.once(tool, arguments).await {
                return answer;
            }
            self.0.failures.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(PAUSE).await;
        }
        panic!("{tool}: nobody answers any more");
    }
}

impl Agent {
    pub(super) async fn enter(line: &Line, id: String) -> Self {
        let session = line.call("authenticate", &credentials(&id, "load")).await;
        let token = session["session_token"].as_str().expect("it comes in").to_owned();
        Self { line: line.clone(), id, token, talk: String::new() }
    }

    pub(super) async fn start(&self, other: &str) -> String {
        let started = self.call("start_conversation", json!({ "target_agent_id": other })).await;
        started["conversation_id"].as_str().expect("it starts").to_owned()
    }

    fn arguments(&self, mut arguments: Value) -> Value {
        arguments["session_token"] = self.token.clone().into();
        arguments
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.line.call(tool, &self.arguments(arguments)).await
    }

    /// Sends a message with its number as text, and repeats it under the same id until it is accepted.
    pub(super) async fn send(&self, to: &str, number: usize) {
        let message = self.arguments(json!({
            "target_agent_id": to, "content": number.to_string(),
            "client_message_id": number.to_string(),
        }));
        for _ in 0..TRIES {
            let key = format!("{} {number}", self.id);
            self.line.0.sent.lock().unwrap().insert(key, Instant::now());
            if let Some(sent) = self.line.once("send_message", &message).await {
                assert_eq!(sent["conversation_id"], *self.talk, "{sent}");
                return;
            }
            self.line.0.failures.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(PAUSE).await;
        }
        panic!("{number} of {} is not taken", self.id);
    }

    /// Waits for this many messages; returns how many it found in the history because their answer was lost.
    pub(super) async fn listen(&self, many: usize, times: &Mutex<Vec<Duration>>) -> usize {
        let (mut ids, mut late, mut last) = (BTreeSet::new(), 0, 0);
        while ids.len() < many {
            let since = Instant::now();
            let wait = self.arguments(json!({ "timeout_seconds": WAIT_S }));
            let Some(next) = self.line.once("get_next_action", &wait).await else {
                self.line.0.failures.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let began = Instant::now();
            if next["action"] == "wait_for_messages" {
                continue;
            }
            assert_eq!(next["action"], "get_pending_messages", "{}: {next}", self.id);
            let read = self.arguments(json!({}));
            let Some(read) = self.line.once("get_pending_messages", &read).await else {
                // Read, perhaps, and the answer lost: it stands in the history.
                late += self.look_up(&mut ids).await;
                continue;
            };
            for message in read["pending_messages"].as_array().expect("a list") {
                assert!(ids.insert(message["id"].to_string()), "{}: twice: {message}", self.id);
                assert_eq!(message["conversationId"], *self.talk, "{message}");
                let number: usize =
                    message["content"].as_str().and_then(|it| it.parse().ok()).expect("a number");
                assert!(last <= number, "{}: {number} after {last}", self.id);
                last = number;
                let sender = message["senderId"].as_str().expect("a sender");
                let sent = self.line.0.sent.lock().unwrap().remove(&format!("{sender} {number}"));
                let waited = sent.filter(|it| since < *it).map(|it| began.duration_since(it));
                times.lock().unwrap().extend(waited);
            }
        }
        late
    }

    /// Every message to it that is stored, read or not.
    async fn look_up(&self, ids: &mut BTreeSet<String>) -> usize {
        self.line.0.failures.fetch_add(1, Ordering::Relaxed);
        let arguments = json!({ "conversation_id": self.talk, "limit": 200 });
        let history = self.call("get_conversation_messages", arguments).await;
        let messages = history["messages"].as_array().expect("a list");
        let mine = messages.iter().filter(|it| it["recipientId"] == *self.id);
        // Unread messages arrive the usual way.
        let read = mine.filter(|it| it["readAt"].is_string());
        read.filter(|it| ids.insert(it["id"].to_string())).count()
    }
}
