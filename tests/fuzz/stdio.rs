//! Fuzzes lines on standard input of the program.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::Duration,
};

use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};
use serde_json::{Value, json};
use tests::{client::Client, process::command, server::Folders};

use crate::{
    corpus, grammar,
    request::{case_count, found, found_files, runner},
};

/// Number of cases in an ordinary run.
const CASES: u32 = 80;
/// Time-out of an answer; the first calls wait for compilation.
const HANGS_AFTER: Duration = Duration::from_secs(90);
/// Opens a session of the legacy era.
const HELLO: &str = r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}"#;

/// The program and its output.
struct Spoken {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    _folders: Folders,
}

impl Spoken {
    fn start() -> Self {
        let folders = Folders::new();
        folders.put("echo", &tests::component_bytes("echo"));
        let mut command: Command = command(&folders);
        command.args(["--stdio", "--components"]).arg(folders.components());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, lines, _folders: folders }
    }

    fn write(&mut self, line: &[u8]) -> Result<(), String> {
        let mut bytes = line.to_vec();
        bytes.push(b'\n');
        let written = self.stdin.write_all(&bytes).and_then(|()| self.stdin.flush());
        written.map_err(|error| format!("it takes no more lines: {error}"))
    }

    /// The message that answers `id`; every line before it must be a message too.
    fn answer(&mut self, id: &str) -> Result<Value, String> {
        loop {
            let line = self.lines.recv_timeout(HANGS_AFTER).map_err(|error| match error {
                RecvTimeoutError::Timeout => "it hangs".to_owned(),
                RecvTimeoutError::Disconnected => format!("it ended: {:?}", self.child.wait()),
            })?;
            let message: Value = serde_json::from_str(&line)
                .map_err(|error| format!("standard output is the protocol: {error}: {line}"))?;
            if message["jsonrpc"] != "2.0" {
                return Err(format!("no message of JSON-RPC: {message}"));
            }
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    /// Sends `lines`; afterwards a good call must be answered.
    fn check(&mut self, lines: &[Vec<u8>]) -> Result<(), String> {
        for line in lines {
            self.write(line)?;
        }
        let good = json!({
            "jsonrpc": "2.0", "id": "good", "method": "tools/call",
            "params": {
                "_meta": Client::meta(), "name": "echo", "arguments": { "value": { "a": 1 } },
            },
        });
        self.write(good.to_string().as_bytes())?;
        let line = self.answer("good")?;
        match line["result"]["structuredContent"] == json!({ "value": { "a": 1 } }) {
            true => Ok(()),
            false => Err(format!("a good call is no longer answered: {line}")),
        }
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Some lines, each of them one line.
fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let damaged = corpus::damaged(corpus::lines());
    let built = grammar::line().prop_map(String::into_bytes);
    let line = prop_oneof![3 => damaged, 4 => built, 1 => vec(any::<u8>(), 0..200)];
    vec(line.prop_map(|it| it.into_iter().filter(|it| *it != b'\n').collect()), 1..4)
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.join(&b'\n')
}

fn split(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split(|it| *it == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn program_serves_after_arbitrary_lines() {
    let mut spoken = Spoken::start();
    let spoken = std::cell::RefCell::new(&mut spoken);
    let all = runner(case_count().unwrap_or(CASES)).run(&lines(), |lines| {
        let mut spoken = spoken.borrow_mut();
        let checked = spoken.check(&lines);
        if checked.is_err() {
            **spoken = Spoken::start();
        }
        checked.map_err(TestCaseError::fail)
    });
    all.unwrap_or_else(|error| found(error, |it| joined(it)));
}

#[test]
fn program_serves_after_arbitrary_first_lines() {
    // A program of its own for each, for what comes first decides how it is spoken to.
    let cases = case_count().map_or(CASES / 8, |it| it / 50);
    let all = runner(cases)
        .run(&lines(), |lines| Spoken::start().check(&lines).map_err(TestCaseError::fail));
    all.unwrap_or_else(|error| found(error, |it| joined(it)));
}

#[test]
fn earlier_stdio_findings_stay_fixed() {
    for (name, bytes) in found_files("lines") {
        let lines = split(&bytes);
        Spoken::start().check(&lines).unwrap_or_else(|why| panic!("{name}, first: {why}"));
        let mut spoken = Spoken::start();
        spoken.write(HELLO.as_bytes()).unwrap();
        spoken.answer("hello").unwrap();
        spoken.check(&lines).unwrap_or_else(|why| panic!("{name}, in a session: {why}"));
    }
}
