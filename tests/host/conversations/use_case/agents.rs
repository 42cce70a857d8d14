//! Agents as processes: clients of the official SDKs.

use std::{
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use serde_json::{Value, json};
use tests::{conversations::PASSKEY, root};

/// Maximum time until an agent's call is visible.
const SOON: Duration = tests::PATIENCE;

/// The language and SDK of an agent.
#[derive(Clone, Copy)]
pub(super) enum Language {
    /// The Python SDK of the server's era.
    Python,
    /// The SDK v1 of TypeScript, which opens a session.
    TypeScript,
}

/// A running agent.
pub(super) struct Agent {
    child: Child,
    lines: Receiver<Value>,
    /// Its calls so far, with their answers.
    pub(super) received: Vec<Value>,
}

fn program(language: Language) -> Command {
    let folder = root().join("tests/clients");
    let (program, script): (PathBuf, _) = match language {
        Language::Python => (root().join("target/venv/bin/python"), "agent.py"),
        Language::TypeScript => (folder.join("node_modules/node/bin/node"), "agent.mjs"),
    };
    assert!(program.is_file(), "the clients are not set up; `cargo xtask test` does it");
    let mut command = Command::new(program);
    command.current_dir(folder).arg(script);
    command
}

impl Agent {
    /// Starts one of the project `games` with its part.
    pub(super) fn start(language: Language, url: &str, id: &str, mut part: Value) -> Self {
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
    pub(super) fn until(&mut self, tool: &str, holds: impl Fn(&Value) -> bool) -> Value {
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
    pub(super) fn go(&mut self) {
        let mut input = self.child.stdin.take().expect("nobody went before");
        input.write_all(b"go\n").expect("it listens");
    }

    /// Waits until it has exited successfully.
    pub(super) fn end(&mut self) {
        while let Ok(line) = self.lines.recv_timeout(SOON) {
            self.received.push(line);
        }
        let status = self.child.wait().expect("it is our child");
        assert!(status.success(), "{status}: {:#?}", self.received);
    }

    /// The actions that it received.
    pub(super) fn actions(&self) -> Vec<&str> {
        let next = self.received.iter().filter(|it| it["tool"] == "get_next_action");
        next.map(|it| it["answer"]["action"].as_str().expect("an action")).collect()
    }

    /// The answer with that action, which must be the only one.
    pub(super) fn notice(&self, action: &str) -> &Value {
        let mut those = self.received.iter().filter(|it| it["answer"]["action"] == action);
        let event = those.next().unwrap_or_else(|| panic!("no {action}: {:#?}", self.received));
        assert!(those.next().is_none(), "{action} twice: {:#?}", self.received);
        &event["answer"]
    }

    /// Every message that it read.
    pub(super) fn read(&self) -> Vec<&Value> {
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
pub(super) fn starter(texts: &[&str]) -> Value {
    json!({ "target": "worker-b", "purpose": "しりとり", "words": texts, "waits": true })
}
