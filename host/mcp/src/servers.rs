//! Upstream MCP servers: reached in the background, offered beside the
//! components, and taken off the list while they are gone.
//!
//! Each has a task of its own, so that one that hangs, lies or dies holds up no other. A call
//! whose connection fails puts it in doubt; it is begun anew at once, and only when that fails are
//! the server's tools taken off the list, and those of components that it replaced come back. Until
//! it is there again, calls of its tools are answered `unavailable` at once.
//!
//! What a server asks in the middle of a call by requests of its own (revisions before 2026-07-28)
//! no user here can answer, so we answer that we cannot; what it asks by `input_required` becomes a
//! question of ours.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use base::{config::ServerConfig, limits::Limits};
use registry::{
    Registry,
    upstream::{Answer, Ask, Request, Upstream},
};
use sandbox::component::{CallError, Places};
use telemetry::tally::Tally;

mod call;
mod connection;
mod limited;
mod offer;
mod retry;
mod sse;
mod supervisor;

use connection::Connection;
use offer::Lists;
use retry::Failed;

/// One server, whether it is there or not.
pub(super) struct Server {
    name: Arc<str>,
    label: Arc<str>,
    tally: Arc<Tally>,
    config: ServerConfig,
    prefix: String,
    /// The first delay before a retry.
    base: Duration,
    /// The folder from which paths count.
    folder: PathBuf,
    places: Places,
    link: watch::Sender<Link>,
    /// A call found the connection dead.
    suspicion: Notify,
    seen: offer::Seen,
}

/// How things stand with a server.
enum Link {
    Connecting,
    Up(Arc<Connection>),
    Down { why: Arc<str> },
}

/// All servers of one host.
#[derive(Clone, Default)]
pub struct Servers(Arc<[Arc<Server>]>);

/// How one server does, for the operator.
pub struct Status {
    pub name: Arc<str>,
    pub word: &'static str,
    pub error: Option<Arc<str>>,
}

impl Servers {
    /// Begins to reach `servers`, and waits for none of them; `base` is the folder from which their paths
    /// count, `tally` has the counters of each by its label. Their tasks end after `stop`.
    pub fn start(
        (servers, base): (&BTreeMap<String, ServerConfig>, &Path),
        registry: &Registry,
        tally: impl Fn(&str) -> Arc<Tally>,
        stop: &CancellationToken,
    ) -> (Self, Vec<JoinHandle<()>>) {
        let server = |(name, it): (&String, &ServerConfig)| {
            Arc::new(Server::new(name, it, base, tally(&label_of(name))))
        };
        let servers: Arc<[_]> = servers.iter().map(server).collect();
        let keep = |it: &Arc<Server>| {
            tokio::spawn(supervisor::keep(it.clone(), registry.clone(), stop.clone()))
        };
        let tasks = servers.iter().map(keep).collect();
        (Self(servers), tasks)
    }

    /// How each of them does.
    pub fn statuses(&self) -> impl Iterator<Item = Status> {
        self.0.iter().map(|it| {
            let (word, error) = match &*it.link.borrow() {
                Link::Connecting => ("connecting", None),
                Link::Up(_) => ("running", None),
                Link::Down { why } => ("unreachable", Some(why.clone())),
            };
            Status { name: it.name.clone(), word, error }
        })
    }
}

impl Upstream for Server {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn label(&self) -> &Arc<str> {
        &self.label
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn away(&self) -> CallError {
        let why = match &*self.link.borrow() {
            Link::Down { why } => why.clone(),
            _ => "it is being reached".into(),
        };
        let message = format!("The server {} is not there now: {why}.", self.name);
        calls::unavailable(message, Some(self.again_ms()))
    }

    fn ask<'a>(
        &'a self,
        ask: &'a Ask,
        request: Request<'a>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        self.round(ask, request).boxed()
    }
}

impl Server {
    fn new(name: &str, config: &ServerConfig, folder: &Path, tally: Arc<Tally>) -> Self {
        let environment = || std::env::var("MCP_RETRY_BASE_MS").ok()?.parse().ok();
        let base = config.retry_base_ms.or_else(environment).map(Duration::from_millis);
        let limits = Limits {
            calls_max: config.calls_max,
            queue_max: config.queue_max,
            ..Limits::default()
        };
        Self {
            tally,
            label: label_of(name).into(),
            name: name.into(),
            prefix: config.prefix(name),
            base: base.unwrap_or(retry::BASE).clamp(Duration::from_millis(1), retry::WAIT_MAX),
            folder: folder.to_owned(),
            places: Places::new(&limits),
            link: watch::Sender::new(Link::Connecting),
            suspicion: Notify::new(),
            seen: offer::Seen::default(),
            config: config.clone(),
        }
    }

    /// When a call may have more luck.
    fn again_ms(&self) -> u32 {
        u32::try_from(self.base.as_millis()).unwrap_or(u32::MAX).max(1)
    }

    /// `text` without secrets, and not too long.
    fn masked(&self, text: &str) -> String {
        self.config.mask(&self.folder).text(text).chars().take(300).collect()
    }

    /// Puts what the server offers into the catalog, unless it is there already.
    fn offers(self: &Arc<Self>, registry: &Registry, lists: Lists) {
        let (offer, left_out) = offer::of(self, lists);
        if registry.offered(&self.name).as_ref() == Some(&offer.digest) {
            return;
        }
        for what in &left_out {
            tracing::warn!(target: "server", server = &*self.name, "not offered: {what}");
        }
        let (tools, hidden) = (offer.tools.len(), registry.offer(offer));
        tracing::info!(target: "server", server = &*self.name, tools, "is there");
        for name in hidden {
            tracing::warn!(target: "server", server = &*self.name, "not offered: tool {name}: a component or another server has that name");
        }
    }

    /// Takes what it offered out of the catalog.
    fn is_down(&self, registry: &Registry, failed: &Failed) {
        let why: Arc<str> = self.masked(&failed.what()).into();
        let before = self.link.send_replace(Link::Down { why: why.clone() });
        if !matches!(before, Link::Down { why: before } if before == why) {
            tracing::warn!(target: "server", server = &*self.name, "is not there: {why}");
        }
        registry.withdraw(&self.name);
    }
}

/// A server's name where components have theirs.
fn label_of(name: &str) -> String {
    format!("server:{name}")
}
