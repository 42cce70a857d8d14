//! UC016 end to end over MCP, by two independent programs (CONV-100 to CONV-104).

use std::{
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use Language::{Python, TypeScript};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fixtures::{PASSKEY, agents_toml},
    process::Process,
    root,
    server::Folders,
};

const FIRST: [&str; 5] =
    ["しりとりをしましょう。りんご", "らっぱ", "だちょう", "ぎんこう", "まくら"];

const SECOND: [&str; 5] = ["ごりら", "ぱんだ", "うさぎ", "うま", "らいおん"];

const GOODBYE: &str = "5ターン完了。終了します";

/// A server where two agents play and a person watches.
struct Game {
    process: Process,
    watcher: Client,
    _folders: Folders,
}

impl Game {
    /// With these variables in its environment.
    fn open(environment: &[(&str, &str)]) -> Self {
        let folders = Folders::new();
        folders.put("conversations", &component_bytes("conversations"));
        let agents = [("worker-a", "Analysis Worker"), ("worker-b", "Writing Worker")];
        let agents = agents.map(|(id, name)| (id.to_owned(), name.to_owned()));
        let config = folders.data().with_file_name("madoguchi.toml");
        std::fs::write(&config, agents_toml("games", &agents)).unwrap();
        let mut command = tests::process::command(&folders);
        command.envs(environment.iter().copied()).arg("--config").arg(config);
        command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        let process = Process::from(command);
        let watcher = Client::new(&process.url);
        Self { process, watcher, _folders: folders }
    }

    fn url(&self) -> &str {
        &self.process.url
    }

    /// The conversation as a person sees it.
    async fn see(&self, id: &Value) -> Value {
        self.watcher.output("get_conversation", json!({ "conversation_id": id })).await
    }

    async fn state(&self, id: &Value) -> Value {
        self.see(id).await["conversation"]["state"].clone()
    }
}

/// Each state with its author.
fn trace(answer: &Value) -> Vec<(&str, &str)> {
    let steps = answer["steps"].as_array().unwrap().iter();
    steps.map(|it| (it["state"].as_str().unwrap(), it["caused_by"].as_str().unwrap())).collect()
}

/// Senders and contents of the messages.
fn senders_and_contents(answer: &Value) -> Vec<(&str, &str)> {
    let messages = answer["messages"].as_array().unwrap().iter();
    messages.map(|it| (it["senderId"].as_str().unwrap(), it["content"].as_str().unwrap())).collect()
}

/// CONV-100, with these two.
async fn five_round_trips(a: Language, b: Language) {
    let game = Game::open(&[]);
    let mut part = starter(&FIRST);
    part["goodbye"] = GOODBYE.into();
    let mut a = Agent::start(a, game.url(), "worker-a", part);
    let started = a.until("start_conversation", |_| true);
    let id = &started["conversation_id"];
    assert_eq!(started["status"], "pending");
    assert_eq!(
        started["instruction"],
        "会話リクエストを送信しました。send_messageでメッセージを送信できます。相手がオンラインになると会話が開始されます。"
    );
    assert_eq!(game.state(id).await, "pending");

    let mut b = Agent::start(b, game.url(), "worker-b", json!({ "words": SECOND }));
    assert_eq!(b.until("authenticate", |_| true)["purpose"], "chat", "CONV-82");
    let request = b.until("get_next_action", |_| true);
    let wanted = json!({
        "action": "conversation_request", "conversation_id": id, "from_agent_id": "worker-a",
        "from_agent_name": "Analysis Worker", "purpose": "しりとり", "state": "conversation_active",
        "instruction": "Analysis Workerから会話リクエストがあります。get_pending_messagesでメッセージを確認し、respond_chatで応答してください。",
    });
    for (name, value) in wanted.as_object().unwrap() {
        assert_eq!(request[name], *value, "CONV-51, {name}: {request}");
    }
    assert_eq!(game.state(id).await, "active");
    a.go();
    a.end();
    b.end();

    for (who, agent) in [("worker-a", &a), ("worker-b", &b)] {
        let ended = agent.notice("conversation_ended");
        assert_eq!(
            (&ended["conversation_id"], &ended["ended_by"]),
            (id, &json!("worker-a")),
            "{who}"
        );
        assert_eq!(ended["reason"], "initiator_ended", "{who}");
        assert_eq!(
            ended["instruction"],
            "会話が終了しました。get_next_actionで次の指示を確認してください。"
        );
        assert_eq!(agent.actions().last(), Some(&"wait_for_messages"), "{who}");
        assert!(
            agent.read().iter().all(|it| it["conversationId"] == *id),
            "{who}: one conversation"
        );
    }
    let contents: Vec<_> =
        b.read().iter().map(|it| it["content"].as_str().unwrap().to_owned()).collect();
    assert_eq!(contents, [&FIRST[..], &[GOODBYE]].concat());
    let conversation = game.see(id).await;
    let turns = FIRST.iter().zip(&SECOND).flat_map(|(a, b)| [("worker-a", *a), ("worker-b", *b)]);
    let expected: Vec<_> = turns.chain([("worker-a", GOODBYE)]).collect();
    assert_eq!(senders_and_contents(&conversation), expected);
    let wanted = [
        ("pending", "worker-a"),
        ("active", "worker-b"),
        ("terminating", "worker-a"),
        ("ended", "worker-b"),
    ];
    assert_eq!(trace(&conversation), wanted, "{:#}", conversation["steps"]);
    assert_eq!(conversation["conversation"]["turns"], 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_play_five_round_trips_of_shiritori_conv_100() {
    five_round_trips(Python, TypeScript).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_play_with_languages_exchanged_conv_100() {
    five_round_trips(TypeScript, Python).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn target_agent_may_end_the_conversation_conv_101() {
    let game = Game::open(&[]);
    let mut a = Agent::start(TypeScript, game.url(), "worker-a", starter(&["だちょう"]));
    let id = a.until("start_conversation", |_| true)["conversation_id"].clone();
    let part = json!({ "words": ["うどん"], "ends": true });
    let mut b = Agent::start(Python, game.url(), "worker-b", part);
    b.until("get_next_action", |it| it["action"] == "conversation_request");
    a.go();
    a.end();
    b.end();
    let ended = a.notice("conversation_ended");
    assert_eq!(
        (&ended["ended_by"], &ended["reason"]),
        (&json!("worker-b"), &json!("participant_ended"))
    );
    let conversation = game.see(&id).await;
    assert_eq!(
        senders_and_contents(&conversation),
        [("worker-a", "だちょう"), ("worker-b", "うどん")]
    );
    assert_eq!(trace(&conversation)[2..], [("terminating", "worker-b"), ("ended", "worker-a")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unanswered_request_expires_for_its_sender_conv_102() {
    let game = Game::open(&[("CONVERSATION_PENDING_TIMEOUT_SECONDS", "2")]);
    let part = json!({ "target": "worker-b", "purpose": "しりとり" });
    let mut a = Agent::start(Python, game.url(), "worker-a", part);
    let id = a.until("start_conversation", |_| true)["conversation_id"].clone();
    a.end();
    let expired = a.notice("conversation_expired");
    assert_eq!((&expired["conversation_id"], &expired["target"]), (&id, &json!("worker-b")));
    assert_eq!(a.actions().last(), Some(&"wait_for_messages"), "once");
    let conversation = game.see(&id).await;
    assert_eq!(trace(&conversation), [("pending", "worker-a"), ("expired", "system")]);
    assert!(conversation["conversation"]["ended_at"].is_string(), "CONV-54");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_lasting_silence_to_both_and_keeps_messages_conv_103() {
    let game = Game::open(&[("CONVERSATION_ACTIVE_TIMEOUT_SECONDS", "20")]);
    let mut a = Agent::start(TypeScript, game.url(), "worker-a", starter(&["りんご"]));
    let id = a.until("start_conversation", |_| true)["conversation_id"].clone();
    let mut b = Agent::start(Python, game.url(), "worker-b", json!({ "words": ["ごりら"] }));
    b.until("get_next_action", |it| it["action"] == "conversation_request");
    a.go();
    a.end();
    b.end();
    for agent in [&a, &b] {
        let ended = agent.notice("conversation_ended");
        assert_eq!((&ended["ended_by"], &ended["reason"]), (&json!("system"), &json!("timeout")));
    }
    let conversation = game.see(&id).await;
    assert_eq!(
        senders_and_contents(&conversation),
        [("worker-a", "りんご"), ("worker-b", "ごりら")],
        "they are kept"
    );
    let states: Vec<_> = trace(&conversation).iter().map(|it| it.0).collect();
    assert_eq!(states, ["pending", "active", "terminating", "ended"]);
    assert_eq!(trace(&conversation)[2], ("terminating", "system"));
}

#[tokio::test(flavor = "multi_thread")]
async fn notifies_agent_already_there_without_new_login_conv_104() {
    let game = Game::open(&[]);
    let mut b = Agent::start(TypeScript, game.url(), "worker-b", json!({ "words": ["ごりら"] }));
    assert_eq!(b.until("authenticate", |_| true)["purpose"], "task");
    let mut part = starter(&["りんご"]);
    part["goodbye"] = GOODBYE.into();
    let mut a = Agent::start(Python, game.url(), "worker-a", part);
    let id = a.until("start_conversation", |_| true)["conversation_id"].clone();
    let request = b.until("get_next_action", |it| it["action"] == "conversation_request");
    assert_eq!(request["conversation_id"], id);
    a.go();
    a.end();
    b.end();
    assert_eq!(b.received.iter().filter(|it| it["tool"] == "authenticate").count(), 1);
    let conversation = game.see(&id).await;
    let expected = [("worker-a", "りんご"), ("worker-b", "ごりら"), ("worker-a", GOODBYE)];
    assert_eq!(senders_and_contents(&conversation), expected);
    assert_eq!(trace(&conversation)[1], ("active", "worker-b"));
}

// Agents as processes: clients of the official SDKs.

/// Maximum time until an agent's call is visible.
const SOON: Duration = tests::PATIENCE;

/// The language and SDK of an agent.
#[derive(Clone, Copy)]
enum Language {
    /// The Python SDK of the server's era.
    Python,
    /// The SDK v1 of TypeScript, which opens a session.
    TypeScript,
}

/// A running agent.
struct Agent {
    child: Child,
    lines: Receiver<Value>,
    /// Its calls so far, with their answers.
    received: Vec<Value>,
}

fn program(language: Language) -> Command {
    let folder = root().join("tests/clients");
    let (program, script): (PathBuf, _) = match language {
        Python => (root().join("target/venv/bin/python"), "agent.py"),
        TypeScript => (folder.join("node_modules/node/bin/node"), "agent.mjs"),
    };
    assert!(program.is_file(), "the clients are not set up; `cargo xtask test` does it");
    let mut command = Command::new(program);
    command.current_dir(folder).arg(script);
    command
}

impl Agent {
    /// Starts one of the project `games` with its part.
    fn start(language: Language, url: &str, id: &str, mut part: Value) -> Self {
        part["agent_id"] = id.into();
        part["passkey"] = PASSKEY.into();
        part["project_id"] = "games".into();
        let mut command = program(language);
        command.arg(format!("{url}/mcp")).arg(part.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the agent starts");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            let lines = lines.filter_map(|it| serde_json::from_str(&it).ok());
            lines.map_while(|it| sender.send(it).ok()).for_each(drop);
        });
        Self { child, lines, received: Vec::new() }
    }

    /// Waits for its next call of `tool` whose answer satisfies the predicate.
    fn until(&mut self, tool: &str, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.lines.recv_timeout(SOON);
            let line = line.unwrap_or_else(|it| panic!("no {tool}: {it}: {:#?}", self.received));
            self.received.push(line.clone());
            if line["tool"] == tool && holds(&line["answer"]) {
                return line["answer"].clone();
            }
        }
    }

    /// Lets it send its first message.
    fn go(&mut self) {
        let mut input = self.child.stdin.take().expect("nobody went before");
        input.write_all(b"go\n").expect("it listens");
    }

    /// Waits until it has exited successfully.
    fn end(&mut self) {
        while let Ok(line) = self.lines.recv_timeout(SOON) {
            self.received.push(line);
        }
        let status = self.child.wait().expect("it is our child");
        assert!(status.success(), "{status}: {:#?}", self.received);
    }

    /// The actions that it received.
    fn actions(&self) -> Vec<&str> {
        let next = self.received.iter().filter(|it| it["tool"] == "get_next_action");
        next.map(|it| it["answer"]["action"].as_str().expect("an action")).collect()
    }

    /// The answer with that action, which must be the only one.
    fn notice(&self, action: &str) -> &Value {
        let mut those = self.received.iter().filter(|it| it["answer"]["action"] == action);
        let event = those.next().unwrap_or_else(|| panic!("no {action}: {:#?}", self.received));
        assert!(those.next().is_none(), "{action} twice: {:#?}", self.received);
        &event["answer"]
    }

    /// Every message that it read.
    fn read(&self) -> Vec<&Value> {
        let reads = self.received.iter().filter(|it| it["tool"] == "get_pending_messages");
        reads.flat_map(|it| it["answer"]["pending_messages"].as_array().expect("a list")).collect()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The script of the agent that starts, with these words.
fn starter(texts: &[&str]) -> Value {
    json!({ "target": "worker-b", "purpose": "しりとり", "words": texts, "waits": true })
}
