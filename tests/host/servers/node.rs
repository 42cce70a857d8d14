//! A server in another process: the TypeScript SDK v1, which speaks 2025-11-25 at most.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use tests::root;

/// `tests/clients/upstream.mjs` over HTTP, or over HTTP+SSE.
pub(super) struct Node {
    mode: &'static str,
    token: Option<&'static str>,
    pub(super) port: u16,
    child: Child,
}

/// Node, and the script.
pub(super) fn command() -> (PathBuf, PathBuf) {
    let folder = root().join("tests/clients");
    let node = folder.join("node_modules/node/bin/node");
    assert!(node.is_file(), "tests/clients is not set up; `cargo xtask test` does it");
    (node, folder.join("upstream.mjs"))
}

impl Node {
    /// Starts it on a port that stays reserved while it is down.
    pub(super) fn start(mode: &'static str, token: Option<&'static str>) -> Self {
        let port = tests::free_addr().port();
        Self { mode, token, port, child: Self::run(mode, token, port) }
    }

    fn run(mode: &str, token: Option<&str>, port: u16) -> Child {
        let (node, script) = command();
        let mut command = Command::new(node);
        command.arg(script).args([mode, &port.to_string()]);
        command.envs(token.map(|it| ("TOKEN", it)));
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("node starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says its port");
        let value: serde_json::Value = serde_json::from_str(&line).expect("as JSON");
        assert_eq!(value["port"], port);
        child
    }

    /// Kills it, as a power cut would.
    pub(super) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Restarts it on the same port.
    pub(super) fn revive(&mut self) {
        self.child = Self::run(self.mode, self.token, self.port);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
