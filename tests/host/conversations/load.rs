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

use futures::future::{join_all, select_all};
use serde_json::{Value, json};
use tests::{
    client::{Client, MODERN},
    component_bytes,
    fixtures::{agents_toml, credentials},
    process::Process,
    rebuilt,
    server::{Folders, TestServer},
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
    std::fs::write(&config, agents_toml("load", &agents)).unwrap();
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

// Races between both agents of a conversation: the first wins, and both get the same result once.

/// Pairs that race, each a race of its own.
const PAIRS: usize = 12;

/// A server with pairs of agents.
struct Arena {
    server: TestServer,
}

/// An agent with a session.
#[derive(Clone)]
struct Rival {
    client: Client,
    id: String,
    token: String,
}

impl Arena {
    async fn open() -> Self {
        let folders = Folders::new();
        folders.put("conversations", &component_bytes("conversations"));
        let ids = (0..PAIRS).flat_map(|it| [format!("a{it}"), format!("b{it}")]);
        let agents: Vec<_> = ids.map(|id| (id.clone(), id.to_uppercase())).collect();
        let config = folders.config_with(&agents_toml("arena", &agents));
        Self { server: TestServer::start(folders, |it| *it = config).await }
    }

    async fn enter(&self, id: String) -> Rival {
        let client = self.server.client();
        let session = client.output("authenticate", credentials(&id, "arena")).await;
        let token = session["session_token"].as_str().unwrap().to_owned();
        Rival { client, id, token }
    }

    /// Both of each pair.
    async fn pairs(&self) -> Vec<[Rival; 2]> {
        let pair =
            async |it| [self.enter(format!("a{it}")).await, self.enter(format!("b{it}")).await];
        join_all((0..PAIRS).map(pair)).await
    }

    async fn until_waiting(&self, calls: usize) {
        tests::until("all wait", async || {
            let catalog = self.server.server().calls.registry.catalog();
            catalog.component("conversations").unwrap().waiting() == calls
        })
        .await;
    }

    async fn see(&self, talk: &Value) -> Value {
        let arguments = json!({ "conversation_id": talk });
        self.server.client().output("get_conversation", arguments).await
    }
}

impl Rival {
    async fn call(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["session_token"] = self.token.clone().into();
        self.client.call(tool, arguments).await
    }

    /// The output of a call that must succeed.
    async fn output(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{} {tool}: {result}", self.id);
        result["structuredContent"].clone()
    }

    async fn next(&self, seconds: u32) -> Value {
        self.output("get_next_action", json!({ "timeout_seconds": seconds })).await
    }

    /// Waits for the first notice.
    async fn first_notice(self) -> Value {
        loop {
            let notice = self.next(45).await;
            if notice["action"] != "wait_for_messages" {
                return notice;
            }
        }
    }

    async fn start(&self, other: &Self) -> Value {
        self.output("start_conversation", json!({ "target_agent_id": other.id })).await
            ["conversation_id"]
            .clone()
    }
}

fn code(result: &Value) -> &Value {
    &result["_meta"]["madoguchi/error"]["error"]
}

fn states(answer: &Value) -> Vec<&str> {
    answer["steps"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_simultaneous_ends_one_counts_and_both_get_same_report() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Rival; 2]| {
        let talk = a.start(&b).await;
        assert_eq!(b.next(0).await["action"], "conversation_request");
        let named = json!({ "conversation_id": talk });
        let ends = [&a, &b].map(|it| it.output("end_conversation", named.clone()));
        let ends = join_all(ends).await;
        for end in &ends {
            assert_eq!((&end["conversation_id"], &end["status"]), (&talk, &json!("terminating")));
        }
        let [notice_a, notice_b] = [a.next(0).await, b.next(0).await];
        assert_eq!(notice_a, notice_b);
        let by = notice_a["ended_by"].as_str().unwrap();
        let reason = if by == a.id { "initiator_ended" } else { "participant_ended" };
        assert_eq!(notice_a["reason"], reason, "{notice_a}");
        for agent in [&a, &b] {
            assert_eq!(agent.next(0).await["action"], "wait_for_messages", "once");
        }
        let conversation = arena.see(&talk).await;
        assert_eq!(states(&conversation), ["pending", "active", "terminating", "ended"]);
        assert_eq!(conversation["conversation"]["ended_by"], by);
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}

/// Many callers end a conversation without naming it.
#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_unnamed_ends_counts_others_find_nothing() {
    let arena = Arena::open().await;
    let [a, b] = arena.pairs().await.remove(0);
    let talk = a.start(&b).await;
    b.next(0).await;
    let calls = (0..16).map(|it| if it % 2 == 0 { &a } else { &b });
    let ends = join_all(calls.map(|it| it.call("end_conversation", json!({})))).await;
    let (ended, none): (Vec<_>, Vec<_>) = ends.into_iter().partition(|it| it["isError"] != true);
    assert!(!ended.is_empty());
    assert!(ended.iter().all(|it| it["structuredContent"]["conversation_id"] == talk), "{ended:?}");
    assert!(none.iter().all(|it| code(it) == "no_active_conversation"), "{none:?}");
    assert_eq!(states(&arena.see(&talk).await), ["pending", "active", "terminating"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_simultaneous_starts_wins() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Rival; 2]| {
        let starts = (0..8).map(|it| if it % 2 == 0 { (&a, &b) } else { (&b, &a) });
        let start = async |(from, to): (&Rival, &Rival)| {
            from.call("start_conversation", json!({ "target_agent_id": to.id })).await
        };
        let (won, lost): (Vec<_>, Vec<_>) =
            join_all(starts.map(start)).await.into_iter().partition(|it| it["isError"] != true);
        assert_eq!(won.len(), 1, "{won:?}");
        for refusal in &lost {
            assert_eq!(code(refusal), "conversation_already_active", "CONV-30, check 5: {refusal}");
            assert_eq!(refusal["_meta"]["madoguchi/error"]["status"], 409);
        }
        let list = json!({ "project_id": "arena", "agent_id": a.id });
        let list = arena.server.client().output("list_conversations", list).await;
        assert_eq!(list["conversations"].as_array().unwrap().len(), 1, "CONV-95: {list}");
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_notice_reaches_one_of_many_simultaneous_calls() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Rival; 2]| {
        let talk = a.start(&b).await;
        let calls = async |it: &Rival| join_all((0..6).map(|_| it.next(0))).await;
        let count = |all: &[Value], action: &str| {
            all.iter().filter(|it| it["action"] == action && it["conversation_id"] == talk).count()
        };
        assert_eq!(count(&calls(&b).await, "conversation_request"), 1, "CONV-51");
        b.output("end_conversation", json!({})).await;
        for agent in [&a, &b] {
            assert_eq!(
                count(&calls(agent).await, "conversation_ended"),
                1,
                "CONV-52, {}",
                agent.id
            );
        }
        assert_eq!(states(&arena.see(&talk).await).last(), Some(&"ended"));
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_notice_reaches_one_of_many_waiting_calls() {
    const CALLS: usize = 3;
    let arena = Arena::open().await;
    let pairs: Vec<_> = arena.pairs().await.into_iter().take(4).collect();
    let wait = |[_, b]: &[Rival; 2]| {
        let calls = (0..CALLS).map(|_| {
            let agent = b.clone();
            tokio::spawn(agent.first_notice())
        });
        calls.collect::<Vec<_>>()
    };
    let waits: Vec<_> = pairs.iter().map(wait).collect();
    arena.until_waiting(CALLS * waits.len()).await;
    // Had another got the same notice, the next would not come.
    let race = async |([a, b], mut waiting): ([Rival; 2], Vec<JoinHandle<Value>>)| {
        let mut next_notice = async || {
            let (notice, _, rest) = select_all(std::mem::take(&mut waiting)).await;
            waiting = rest;
            let notice = notice.unwrap();
            (notice["action"].clone(), notice["conversation_id"].clone())
        };
        let talk = a.start(&b).await;
        assert_eq!(next_notice().await, (json!("conversation_request"), talk.clone()), "CONV-51");
        b.output("end_conversation", json!({})).await;
        assert_eq!(next_notice().await, (json!("conversation_ended"), talk), "CONV-52");
        assert_eq!(a.next(0).await["action"], "conversation_ended");
        let next = a.start(&b).await;
        assert_eq!(next_notice().await, (json!("conversation_request"), next), "CONV-51");
    };
    join_all(pairs.into_iter().zip(waits).map(race)).await;
}

/// The program of the earlier call has been replaced by another.
#[tokio::test(flavor = "multi_thread")]
async fn later_of_two_waiting_calls_gets_the_notice() {
    let arena = Arena::open().await;
    let a = arena.enter("a0".to_owned()).await;
    let [abandoned, current] =
        [arena.enter("b0".to_owned()).await, arena.enter("b0".to_owned()).await];
    let mut waits = Vec::new();
    for agent in [&abandoned, &current] {
        let agent = agent.clone();
        waits.push(tokio::spawn(async move { agent.next(45).await }));
        arena.until_waiting(waits.len()).await;
    }
    let talk = a.start(&current).await;
    let notices: Vec<_> = join_all(waits).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(notices[0]["action"], "wait_for_messages");
    assert_eq!(notices[1]["action"], "conversation_request");
    assert_eq!(notices[1]["conversation_id"], talk);
    let answer = json!({ "target_agent_id": a.id, "content": "はい" });
    let answered = current.output("respond_chat", answer).await;
    assert_eq!(answered["conversation_id"], talk, "its session has not ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_concurrent_messages_gaplessly_and_stores_each_once() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Rival; 2]| {
        let talk = a.start(&b).await;
        b.next(0).await;
        let sends = (0..12).map(|number| {
            let (from, to) = if number % 2 == 0 { (&a, &b) } else { (&b, &a) };
            // Each is sent three times, as by a client that gets no answer.
            let message = json!({
                "target_agent_id": to.id, "content": format!("{number}"),
                "client_message_id": format!("m{number}"),
            });
            join_all((0..3).map(move |_| from.output("send_message", message.clone())))
        });
        for same in join_all(sends).await {
            assert!(same.iter().all(|it| it["message_id"] == same[0]["message_id"]), "{same:?}");
        }
        let conversation = arena.see(&talk).await;
        let messages = conversation["messages"].as_array().unwrap();
        let numbers: Vec<_> = messages.iter().map(|it| it["sequence"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
        let mut contents: Vec<_> = messages.iter().map(|it| it["content"].to_string()).collect();
        contents.sort();
        contents.dedup();
        assert_eq!(contents.len(), 12);
        // Two simultaneous reads share the messages.
        let reads = join_all((0..3).map(|_| b.output("get_pending_messages", json!({})))).await;
        let read = reads.iter().flat_map(|it| it["pending_messages"].as_array().unwrap());
        assert_eq!(read.count(), 6, "{reads:?}");
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}
