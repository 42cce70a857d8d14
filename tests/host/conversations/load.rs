//! Load: many agents talk, each waiting in `get_next_action`, while the component is swapped and the power
//! fails. No message is lost or duplicated, and each conversation keeps its order.
//!
//! 40 agents exchange 2,000 messages; `MADOGUCHI_LOAD=full` makes it 200 agents in 100 conversations,
//! 20,000 messages, 200 a second. How long a delivery took is printed and nothing is asserted of it.

mod agent;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use agent::{Agent, Line};
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    client::Client, component_bytes, conversations::toml, process::Process, rebuilt,
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
