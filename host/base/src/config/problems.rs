//! Problems of a configuration: the server refuses to start because of the fatal ones, and `check-config` lists all.

use std::net::SocketAddr;

use super::{Config, ConfigError, assistants, servers, tokens};
use crate::{language::LanguageTag, limits};

/// A problem or note of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its path in the file.
    pub path: Vec<String>,
    /// What to fix. It never contains a secret or a digest.
    pub what: String,
    /// Whether the server does not start because of it.
    pub is_fatal: bool,
}

impl Problem {
    pub fn new(path: &[&str], what: impl Into<String>, is_fatal: bool) -> Self {
        let path = path.iter().map(|it| (*it).to_owned()).collect();
        Self { path, what: what.into(), is_fatal }
    }

    /// Whether it is about how much components may use, so that none can be tried.
    pub fn is_of_limits(&self) -> bool {
        let last = self.path.last().map(String::as_str);
        self.is_fatal && matches!(last, Some("sandbox" | "limits"))
    }
}

/// The first that keeps a server from starting.
fn refuse(problems: Vec<Problem>) -> Result<(), ConfigError> {
    match problems.into_iter().find(|it| it.is_fatal) {
        Some(it) => Err(ConfigError::Unworkable { table: it.path.join("."), what: it.what }),
        None => Ok(()),
    }
}

impl Config {
    /// Everything that is wrong for a server that listens.
    pub fn problems(&self) -> Vec<Problem> {
        let is_open = !self.addr.ip().is_loopback() && !self.requires_authentication();
        let mut found = Vec::new();
        if is_open {
            let what = format!(
                "{} can be reached by others, and no token says who may call; `madoguchi token new NAME` makes one and prints the lines for the configuration. Or listen on 127.0.0.1, which needs none",
                self.addr
            );
            found.push(Problem::new(&["addr"], what, true));
        }
        let (apps, operator) = (self.apps.listens_at(self), self.operator_addr);
        let taken = |at: &SocketAddr, by: Option<SocketAddr>| at.port() != 0 && by == Some(*at);
        let mut clash = |path: &[&str], at: Option<SocketAddr>, others: &[Option<SocketAddr>]| {
            if let Some(at) = at.filter(|at| others.iter().any(|it| taken(at, *it))) {
                let what =
                    format!("another listener of this server has {at}; give it a port of its own");
                found.push(Problem::new(path, what, true));
            }
        };
        clash(&["apps", "addr"], apps, &[Some(self.addr)]);
        clash(&["operator_addr"], operator, &[Some(self.addr), apps]);
        found.extend(self.problems_behind());
        found
    }

    /// Problems except those of the listen address.
    fn problems_behind(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut check = |path: &[&str], checked: Result<(), String>| {
            found.extend(checked.err().map(|what| Problem::new(path, what, true)));
        };
        if let Err((table, what)) = self.toolsets.check() {
            let path: Vec<_> = table.splitn(2, '.').collect();
            check(&path, Err(what));
        }
        if self.operator_addr.is_some_and(|it| !it.ip().is_loopback()) {
            let what = "the operator is served on this machine only; 127.0.0.1:0 is right";
            check(&["operator_addr"], Err(what.to_owned()));
        }
        check(&["body_bytes_max"], limits::check_body(self.body_bytes_max));
        check(&["blobs"], limits::check_blobs(&self.blobs));
        check(&["audit"], self.audit.check());
        check(&["telemetry"], self.telemetry.check());
        check(&["sessions"], self.sessions.check());
        check(&["connections"], self.connections.check(self.largest_body()));
        check(&["approvals"], self.approvals.check());
        check(&["tasks"], self.tasks.check());
        check(&["swap"], self.swap.check());
        check(&["swap", "canary"], self.swap.canary.check());
        let sandbox = self.sandbox.check();
        // Limits are held against the sandbox: where that cannot work, nothing is known of them.
        let held = |limits: &limits::Limits| match &sandbox {
            Ok(()) => limits.check(&self.sandbox),
            Err(_) => Ok(()),
        };
        check(&["sandbox"], sandbox.clone());
        let common = held(&self.limits);
        check(&["limits"], common.clone());
        if let Some((name, what)) = servers::unworkable(&self.servers) {
            check(&["servers", &name], Err(what));
        }
        if let Some((path, what)) = self.wrong_registries() {
            let path: Vec<_> = path.iter().map(String::as_str).collect();
            check(&path, Err(what));
        }
        check(&["store"], self.store.address(&self.base).map(|_| ()));
        check(&["apps"], self.apps.check(self));
        check(&["endpoints"], self.endpoints.check(&self.components));
        for (name, component) in &self.components {
            if let Err((key, what)) = component.check() {
                check(&["components", name, key], Err(what));
            }
            // Problems of common limits are reported once.
            if let Some(own) = component.limits.as_ref().map(held).filter(|it| *it != common) {
                check(&["components", name, "limits"], own);
            }
        }
        if self.store.url.is_none()
            && let Err(what) = self.store.check(&self.base)
        {
            // Without an address it keeps no server from starting.
            found.push(Problem::new(&["store"], what, false));
        }
        for (name, all) in
            [("bytes_max", self.blobs.bytes_max), ("caller_bytes_max", self.blobs.caller_bytes_max)]
        {
            let one = self.blobs.blob_bytes_max;
            if all < one {
                let what = format!(
                    "{all} is less than the {one} bytes that one blob may have (blob_bytes_max), so that a larger one never finds room; raise it, or lower blob_bytes_max"
                );
                found.push(Problem::new(&["blobs", name], what, false));
            }
        }
        let unread = self.language.as_ref().and_then(LanguageTag::unread);
        found.extend(unread.map(|what| Problem::new(&["language"], what, false)));
        found.extend(tokens::problems(self));
        found.extend(assistants::problems(self));
        found
    }

    /// Refuses what no server could listen with, before anything is done.
    ///
    /// # Errors
    /// The first problem that is fatal.
    pub fn check(&self) -> Result<(), ConfigError> {
        refuse(self.problems())
    }

    /// Checks a configuration for a server on standard input and output, which does not listen.
    ///
    /// # Errors
    /// The first problem that is fatal.
    pub fn check_for_stdio(&self) -> Result<(), ConfigError> {
        if let Some(name) = self.stdio_toolset.as_ref().filter(|it| self.toolsets.get(it).is_none())
        {
            return Err(ConfigError::NoToolset(self.toolsets.unknown(name)));
        }
        refuse(self.problems_behind())
    }
}
