//! Load: many agents talk, each waiting in `get_next_action`, while the component is swapped and the power
//! fails. No message is lost or duplicated, and each conversation keeps its order.
//!
//! 40 agents exchange 2,000 messages; `MADOGUCHI_LOAD=full` makes it 200 agents in 100 conversations,
//! 20,000 messages, 200 a second. How long a delivery took is printed and nothing is asserted of it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    client::{Client, MODERN},
    component_bytes,
    conversations::{credentials, toml},
    process::Process,
    rebuilt,
    server::Folders,
};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinHandle,
};

/// Messages that are sent in a second.
const MESSAGES_PER_S: u32 = 200;

/// Maximum time until all messages have arrived after the last is sent.
const PATIENCE: Duration = tests::PATIENCE;

/// The size of the test.
#[derive(Clone, Copy)]
struct Load {
    conversations: usize,
    messages: usize,
}

impl Load {
    fn wanted() -> Self {
        match std::env::var("MADOGUCHI_LOAD").as_deref() {
            Ok("full") => Self { conversations: 100, messages: 20_000 },
            _ => Self { conversations: 20, messages: 2_000 },
        }
    }

    fn per_conversation(self) -> usize {
        self.messages / self.conversations
    }
}

/// The number of due messages, and whether the power has failed.
#[derive(Default)]
struct Progress {
    due: AtomicUsize,
    failed: Notify,
}

impl Progress {
    /// Waits until so many messages are due.
    async fn until(&self, many: usize) {
        while self.due.load(Ordering::Relaxed) < many {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// A conversation and its sides.
type Pair = (String, [Arc<Agent>; 2]);

fn start(folders: &Folders, load: Load) -> Process {
    let config = folders.data().with_file_name("madoguchi.toml");
    let ids = (0..load.conversations).flat_map(|it| [format!("a{it}"), format!("b{it}")]);
    let agents: Vec<_> = ids.map(|id| (id.clone(), id.to_uppercase())).collect();
    std::fs::write(&config, toml("load", &agents)).unwrap();
    let mut command = tests::process::command(folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    Process::from({
        command.arg("--config").arg(config);
        command
    })
}

/// One conversation: both sides, of which the first one started it.
async fn pair(line: &Line, number: usize) -> (String, [Arc<Agent>; 2]) {
    let [a, b] = [format!("a{number}"), format!("b{number}")];
    let [a, b] = [Agent::enter(line, a).await, Agent::enter(line, b).await];
    let talk = a.start(&b.id).await;
    let request = b.call("get_next_action", json!({})).await;
    assert_eq!(request["action"], "conversation_request", "{request}");
    (
        talk.clone(),
        [a, b].map(|mut agent| {
            agent.talk = talk.clone();
            Arc::new(agent)
        }),
    )
}

/// Sends what is due, conversation by conversation and side by side, at the rate `MESSAGES_PER_S`; each side one
/// message after the other.
async fn send_at_rate(pairs: &[Pair], load: Load, progress: &Progress) -> Vec<JoinHandle<()>> {
    let mut senders = Vec::new();
    let mut tasks = Vec::new();
    for (_, [a, b]) in pairs {
        for (from, to) in [(a, b), (b, a)] {
            let (sender, mut due) = mpsc::unbounded_channel::<usize>();
            let (from, to) = (from.clone(), to.id.clone());
            senders.push(sender);
            tasks.push(tokio::spawn(async move {
                while let Some(number) = due.recv().await {
                    from.send(&to, number).await;
                }
            }));
        }
    }
    let mut clock = tokio::time::interval(Duration::from_secs(1) / MESSAGES_PER_S);
    for message in 0..load.messages {
        clock.tick().await;
        if message == load.messages * 5 / 6 {
            // However slow the machine is, the power fails before all are sent.
            progress.failed.notified().await;
        }
        progress.due.store(message, Ordering::Relaxed);
        let (talk, round) = (message % pairs.len(), message / pairs.len());
        senders[talk * 2 + round % 2].send(round).unwrap();
    }
    tasks
}

/// Another build of the component takes its place.
async fn swap(folders: &Folders, url: &str) {
    let build = rebuilt(&component_bytes("conversations"), 1);
    let digest = host::digest::digest(&build);
    folders.put("conversations", &build);
    let client = Client::new(url);
    let serving = async || -> bool {
        let health: Value = client.get("/api/health").await.json().await.unwrap();
        health["components"]["conversations"]["digest"] == digest
    };
    let began = Instant::now();
    while !serving().await {
        assert!(began.elapsed() < tests::PATIENCE, "the new build does not serve");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Checks the stored messages: each once, without gaps, in the order of each sender.
async fn is_whole(client: &Client, talk: &str, load: Load) {
    let arguments = json!({ "conversation_id": talk, "limit": 200 });
    let conversation = client.output("get_conversation", arguments).await;
    let messages = conversation["messages"].as_array().unwrap();
    assert_eq!(messages.len(), load.per_conversation(), "{talk}: none lost, none twice");
    let mut last = BTreeMap::new();
    for (at, message) in messages.iter().enumerate() {
        assert_eq!(message["sequence"], at + 1, "{talk}: without gaps");
        assert!(message["readAt"].is_string(), "{talk}: each is read: {message}");
        let number: i64 = message["content"].as_str().unwrap().parse().unwrap();
        let before = last.insert(message["senderId"].to_string(), number).unwrap_or(-1);
        assert!(before < number, "{talk}: {number} after {before}");
    }
}

fn print_delays(mut times: Vec<Duration>, what: &str) {
    times.sort();
    let at = |part: usize| times.get(times.len() * part / 1000).copied().unwrap_or_default();
    eprintln!(
        "{what}: {} deliveries to a waiting get_next_action, median {:?}, p99 {:?}, p99.9 {:?}",
        times.len(),
        at(500),
        at(990),
        at(999),
    );
}

/// None is lost and none comes twice.
#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_messages_arrive_once_through_swap_and_power_cut() {
    let load = Load::wanted();
    let folders = Folders::new();
    folders.put("conversations", &component_bytes("conversations"));
    let mut process = start(&folders, load);
    let line = Line::new(&process.url);
    let pairs = join_all((0..load.conversations).map(|it| pair(&line, it))).await;
    let times = Arc::new(Mutex::new(Vec::new()));
    let each = load.per_conversation() / 2;
    let agents = pairs.iter().flat_map(|it| &it.1);
    let listeners: Vec<_> = agents
        .map(|agent| {
            let (agent, times) = (agent.clone(), times.clone());
            tokio::spawn(async move { agent.listen(each, &times).await })
        })
        .collect();
    let progress = Arc::new(Progress::default());
    let sending = {
        let (pairs, progress) = (pairs.clone(), progress.clone());
        tokio::spawn(async move { send_at_rate(&pairs, load, &progress).await })
    };
    progress.until(load.messages / 3).await;
    swap(&folders, &process.url).await;
    progress.until(load.messages * 2 / 3).await;
    process.kill();
    progress.failed.notify_one();
    let (folders, process) = tokio::task::spawn_blocking(move || {
        let process = start(&folders, load);
        (folders, process)
    })
    .await
    .unwrap();
    line.moved(&process.url);
    for sender in sending.await.unwrap() {
        sender.await.unwrap();
    }
    let event = tokio::time::timeout(PATIENCE, join_all(listeners)).await.expect("all arrive");
    let mut late = 0;
    for entry in event {
        late += entry.unwrap();
    }
    let client = Client::new(&process.url);
    for (talk, _) in &pairs {
        is_whole(&client, talk, load).await;
    }
    let away = line.failures();
    assert!(away > 0, "the power cut was noticed");
    eprintln!("{} messages, {away} calls again, {late} found in the history", load.messages);
    print_delays(std::mem::take(&mut times.lock().unwrap()), "through swap and power cut");
    drop(folders);
}

// An agent that waits for messages, and retries while the server does not answer.

/// How long an agent waits at a time.
const WAIT_S: u32 = 20;

/// Maximum number of retries, and the pause between them.
const TRIES: usize = 600;

const PAUSE: Duration = Duration::from_millis(100);

/// The server's current URL, and the number of failed calls.
#[derive(Clone)]
struct Line(Arc<Shared>);

struct Shared {
    http: reqwest::Client,
    url: RwLock<String>,
    failures: AtomicUsize,
    /// When each message was sent last, by its sender and its number.
    sent: Mutex<HashMap<String, Instant>>,
}

/// An agent with a session.
struct Agent {
    line: Line,
    id: String,
    token: String,
    talk: String,
}

impl Line {
    fn new(url: &str) -> Self {
        let http = tests::client::http().build().expect("no options that can fail");
        let (url, failures, sent) =
            (RwLock::new(url.to_owned()), AtomicUsize::new(0), Mutex::default());
        Self(Arc::new(Shared { http, url, failures, sent }))
    }

    /// Changes the server's URL.
    fn moved(&self, url: &str) {
        url.clone_into(&mut self.0.url.write().unwrap());
    }

    fn failures(&self) -> usize {
        self.0.failures.load(Ordering::Relaxed)
    }

    /// Makes one call over MCP; returns none if the server does not answer.
    async fn once(&self, tool: &str, arguments: &Value) -> Option<Value> {
        let url = self.0.url.read().unwrap().clone();
        let params = json!({ "name": tool, "arguments": arguments, "_meta": Client::meta() });
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
    async fn enter(line: &Line, id: String) -> Self {
        let session = line.call("authenticate", &credentials(&id, "load")).await;
        let token = session["session_token"].as_str().expect("it comes in").to_owned();
        Self { line: line.clone(), id, token, talk: String::new() }
    }

    async fn start(&self, other: &str) -> String {
        let started = self.call("start_conversation", json!({ "target_agent_id": other })).await;
        started["conversation_id"].as_str().expect("it starts").to_owned()
    }

    fn arguments(&self, mut arguments: Value) -> Value {
        arguments["session_token"] = self.token.clone().into();
        arguments
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.line.call(tool, &self.arguments(arguments)).await
    }

    /// Sends a message with its number as text, and repeats it under the same id until it is accepted.
    async fn send(&self, to: &str, number: usize) {
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
    async fn listen(&self, many: usize, times: &Mutex<Vec<Duration>>) -> usize {
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
