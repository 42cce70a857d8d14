//! Foreign clients as processes, talked to while they run.

use std::{path::PathBuf, process::Stdio};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::PATIENCE;

/// A running client process.
pub struct Foreign {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

/// Where the clients lie.
pub fn folder() -> PathBuf {
    crate::root().join("tests/clients")
}

/// The Python that has the clients' packages.
pub fn python() -> PathBuf {
    let python = crate::root().join("target/venv/bin/python");
    assert!(python.is_file(), "target/venv is not set up; `cargo xtask test` does it");
    python
}

impl Foreign {
    /// Starts a Python client; its last argument is read from its standard input.
    pub async fn python(script: &str, arguments: &[&str], input: &Value) -> Self {
        let mut command = Command::new(python());
        command.current_dir(folder()).arg(script).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the client starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        let text = input.to_string();
        tokio::io::AsyncWriteExt::write_all(&mut stdin, text.as_bytes()).await.expect("it reads");
        drop(stdin);
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Self { child, lines }
    }

    /// The next line that it prints, which is JSON.
    pub async fn says(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.expect("it says something in time").expect("it can be read");
        let line = line.unwrap_or_else(|| panic!("it has ended: {:?}", self.child.try_wait()));
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("it says {line}"))
    }

    /// Waits until it has exited successfully.
    pub async fn ends(mut self) {
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let status = status.expect("it ends").expect("it is our child");
        assert!(status.success(), "the client ended with {status}");
    }
}
