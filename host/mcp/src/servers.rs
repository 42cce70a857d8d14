//! Upstream MCP servers: connected in the background, offered beside components, and not listed while unavailable.
//!
//! Each server has its own task, so that a faulty one affects no other. A failed connection is retried at once; if
//! that fails, its tools are removed from the list, and replaced component tools return. Until it is back, calls of
//! its tools fail with `unavailable`.
//!
//! Requests of a server during a call (revisions before 2026-07-28) are refused, because no user can answer them
//! here. Questions by `input_required` become ours.

mod call;
mod connection;
mod limited;
mod messages;
mod offer;
mod post;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use base::{
    config::{ServerConfig, servers::Way},
    limits::Limits,
};
use futures::FutureExt;
use parking_lot::Mutex;
use registry::{
    Registry,
    upstream::{Answer, Ask, Request, Upstream},
};
use rmcp::{model::SubscriptionFilter, service::ServiceError};
use sandbox::component::{CallError, Called, Places};
use serde::{Deserialize, Serialize};
use telemetry::metrics::{Snapshot, Tally};
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use connection::{Connection, Connector};
use offer::{Lists, Pins};
use post::Failed;

pub(crate) use call::cancel;
pub use offer::WaitingTool;

/// One upstream server, connected or not.
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
    /// Signals that the operator requests a reconnect.
    again: Notify,
    /// Why it was not there the last time that it was not, and when that was.
    last_error: Mutex<Option<(String, SystemTime)>>,
    shapes: offer::Shapes,
    /// Its tools as they are offered.
    pins: Pins,
    /// Its last lists while connected.
    last: Mutex<Option<Lists>>,
}

/// Connection state of a server.
enum Link {
    Connecting,
    Up(Arc<Connection>),
    Down { why: Arc<str> },
}

/// All upstream servers of the host.
#[derive(Clone, Default)]
pub struct Servers(Arc<[Arc<Server>]>);

/// Folder of pins in the data folder.
const PINS: &str = "pins";

/// One server as the operator sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerReport {
    /// Its name in the configuration.
    pub name: String,
    /// `running`, `connecting` or `unreachable`.
    pub status: String,
    /// Why it is not there.
    pub error: Option<String>,
    /// Its address up to the path, or its command.
    #[serde(default)]
    pub address: String,
    /// Why it was not there the last time that it was not.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Time of the last error (RFC 3339).
    #[serde(default)]
    pub last_error_at: Option<String>,
    /// The names under which its tools are on offer.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Calls of its tools since the server started.
    #[serde(default)]
    pub activity: Snapshot,
    /// Number of pinned tools.
    pub pinned: usize,
    /// Tools with definitions that wait for the operator.
    pub waiting: Vec<WaitingTool>,
}

/// State of one server for the operator.
pub struct Status {
    pub name: Arc<str>,
    pub state: &'static str,
    pub error: Option<Arc<str>>,
}

impl Servers {
    /// Begins to reach `servers`, and waits for none of them; `base` is the folder from which their paths
    /// count, `data` is the data folder, `tally` has the
    /// counters of each by its label. Their tasks end after `stop`.
    pub fn start(
        (servers, base): (&BTreeMap<String, ServerConfig>, &Path),
        data: &Path,
        registry: &Registry,
        tally: &dyn Fn(&str) -> Arc<Tally>,
        stop: &CancellationToken,
    ) -> (Self, Vec<JoinHandle<()>>) {
        let folder = data.join(PINS);
        let server = |(name, config): (&String, &ServerConfig)| {
            let pins = Pins::open(&folder, name);
            Arc::new(Server::new(name, config, base, tally(&label_of(name)), pins))
        };
        let servers: Arc<[_]> = servers.iter().map(server).collect();
        let keep = |server: &Arc<Server>| {
            tokio::spawn(supervise(server.clone(), registry.clone(), stop.clone()))
        };
        let tasks = servers.iter().map(keep).collect();
        (Self(servers), tasks)
    }

    /// Reports on all servers, with their tools in `registry`.
    pub fn reports(&self, registry: &Registry) -> Vec<ServerReport> {
        let catalog = registry.catalog();
        let report = |(server, status): (&Arc<Server>, Status)| {
            let (last_error, at) = server.last_error.lock().clone().unzip();
            let at = at.and_then(|it| jiff::Timestamp::try_from(it).ok());
            let tools = catalog.served.tools().filter(|tool| tool.server.name() == &server.name);
            ServerReport {
                name: server.name.to_string(),
                status: status.state.to_owned(),
                error: status.error.map(|it| it.to_string()),
                address: server.config.way.shown(),
                last_error,
                last_error_at: at.map(|it| format!("{it:.0}")),
                tools: tools.map(|it| it.tool.name.to_string()).collect(),
                activity: server.tally.snapshot(),
                pinned: server.pins.count(),
                waiting: server.pins.waiting(),
            }
        };
        self.0.iter().zip(self.statuses()).map(report).collect()
    }

    /// Reconnects the server `name`. Returns whether it exists.
    pub fn reconnect(&self, name: &str) -> bool {
        let server = self.0.iter().find(|it| *it.name == *name);
        server.is_some_and(|found| {
            tracing::info!(target: "server", server = name, "the operator has it reached anew");
            found.again.notify_one();
            true
        })
    }

    /// Applies the operator's decision to waiting tools of the server `name`: those named with the digest of the
    /// reviewed definition, or all. Returns the tools concerned, or `None` for an unknown server. Blocks.
    pub fn decide(
        &self,
        registry: &Registry,
        name: &str,
        tools: Option<&[(String, String)]>,
        is_accepted: bool,
    ) -> Option<Vec<String>> {
        let server = self.0.iter().find(|it| *it.name == *name)?;
        let decided = server.pins.decide(tools, is_accepted);
        for tool in &decided {
            tracing::info!(target: "server", server = name, tool = &**tool, is_accepted, "the operator has decided on its definition");
            if is_accepted {
                server.shapes.forget(tool);
            }
        }
        let lists = server.last.lock().clone();
        if let Some(lists) = lists.filter(|_| !decided.is_empty()) {
            server.offers(registry, lists);
        }
        Some(decided)
    }

    /// States of all servers.
    pub fn statuses(&self) -> impl Iterator<Item = Status> {
        self.0.iter().map(|server| {
            let (state, error) = match &*server.link.borrow() {
                Link::Connecting => ("connecting", None),
                Link::Up(_) => ("running", None),
                Link::Down { why } => ("unreachable", Some(why.clone())),
            };
            Status { name: server.name.clone(), state, error }
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

    fn unavailable(&self) -> CallError {
        let why = match &*self.link.borrow() {
            Link::Down { why } => why.clone(),
            _ => "it is being reached".into(),
        };
        let message = format!("The server {} is not there now: {why}.", self.name);
        calls::unavailable(message, Some(self.again_ms(None)))
    }

    fn ask<'a>(&'a self, ask: &'a Ask, request: Request<'a>) -> Called<'a, Answer> {
        self.round(ask, request).boxed()
    }
}

impl Server {
    fn new(
        name: &str,
        config: &ServerConfig,
        folder: &Path,
        tally: Arc<Tally>,
        pins: Pins,
    ) -> Self {
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
            base: base.unwrap_or(post::BASE).clamp(Duration::from_millis(1), post::WAIT_MAX),
            folder: folder.to_owned(),
            places: Places::new(&limits),
            link: watch::Sender::new(Link::Connecting),
            suspicion: Notify::new(),
            again: Notify::new(),
            last_error: Mutex::default(),
            shapes: offer::Shapes::default(),
            pins,
            last: Mutex::default(),
            config: config.clone(),
        }
    }

    /// Suggested retry delay, at least what the server asked for.
    fn again_ms(&self, asked: Option<Duration>) -> u32 {
        let again = asked.unwrap_or_default().max(self.base);
        u32::try_from(again.as_millis()).unwrap_or(u32::MAX).max(1)
    }

    /// `text` without secrets, and not too long.
    fn masked(&self, text: &str) -> String {
        self.config.mask(&self.folder).text(text).chars().take(300).collect()
    }

    /// Puts what the server offers into the catalog, unless it is there already. Blocks.
    fn offers(self: &Arc<Self>, registry: &Registry, lists: Lists) {
        // Serialized with decisions, so that none is overwritten.
        let mut last = self.last.lock();
        *last = Some(lists.clone());
        let (offer, left_out) = offer::build(self, lists);
        if registry.offered(&self.name).as_ref() == Some(&offer.digest) {
            return;
        }
        for what in &left_out {
            tracing::warn!(target: "server", server = &*self.name, "not offered: {}", self.masked(what));
        }
        let (tools, hidden) = (offer.tools.len(), registry.offer(offer));
        tracing::info!(target: "server", server = &*self.name, tools, "is there");
        for name in hidden {
            tracing::warn!(target: "server", server = &*self.name, "not offered: tool {name}: a component or another server has that name");
        }
    }

    /// Removes its offers from the catalog.
    fn withdraw_offers(&self, registry: &Registry, failed: &Failed) {
        let why: Arc<str> = self.masked(&failed.description()).into();
        *self.last_error.lock() = Some((why.to_string(), SystemTime::now()));
        let before = self.link.send_replace(Link::Down { why: why.clone() });
        if !matches!(before, Link::Down { why: before } if before == why) {
            tracing::warn!(target: "server", server = &*self.name, "is not there: {why}");
        }
        *self.last.lock() = None;
        registry.withdraw(&self.name);
    }
}

/// A server's name where components have theirs.
fn label_of(name: &str) -> String {
    format!("server:{name}")
}

// Keeps an upstream server connected: connects, reads its lists, checks it, and reconnects without end.

/// Minimum startup time of commands, which `npx` and others download first.
const COMMAND_BEGINS: Duration = Duration::from_secs(120);

/// Interval of polling a silent server.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// A connection or a stream that ends sooner was hardly one.
const SHORT: Duration = Duration::from_secs(5);
/// Consecutive short connections after which a server counts as unavailable.
const SHORT_LIVES_MAX: u32 = 3;

/// Keeps `server` connected until `stop`.
async fn supervise(server: Arc<Server>, registry: Registry, stop: CancellationToken) {
    stop.run_until_cancelled(forever(&server, &registry)).await;
    if let Link::Up(connection) =
        server.link.send_replace(Link::Down { why: "the host is stopping".into() })
    {
        connection.end().await;
    }
}

async fn forever(server: &Arc<Server>, registry: &Registry) {
    let connector = loop {
        let config = server.config.clone();
        match tokio::task::spawn_blocking(move || Connector::new(&config)).await {
            Ok(Ok(connector)) => break connector,
            Ok(Err(why)) => server.withdraw_offers(registry, &Failed::Unusable(why)),
            Err(error) => server.withdraw_offers(registry, &Failed::Unusable(error.to_string())),
        }
        pause(server, u32::MAX).await;
    };
    let (mut failures, mut short_lives) = (0_u32, 0_u32);
    loop {
        let failed = match reach(server, &connector).await {
            Ok((connection, lists)) => {
                failures = 0;
                // The doubt was about the previous connection.
                let _ = server.suspicion.notified().now_or_never();
                // First the connection: a tool that is listed can be called.
                server.link.send_replace(Link::Up(connection.clone()));
                offer(server, registry, lists).await;
                let began = Instant::now();
                let is_asked = watch(server, registry, &connection).await;
                server.link.send_replace(Link::Connecting);
                let is_short = began.elapsed() < SHORT && !is_asked;
                short_lives = if is_short { short_lives + 1 } else { 0 };
                if short_lives < SHORT_LIVES_MAX {
                    continue;
                }
                // Frequent reconnects are slowed down.
                failures = short_lives;
                Failed::Unreached("it closes each connection at once".to_owned())
            }
            Err(failed) => failed,
        };
        failures = failures.saturating_add(1);
        server.withdraw_offers(registry, &failed);
        // A token that is wrong will hardly be right in a moment.
        let is_turned_away = matches!(failed, Failed::Unauthorized(_));
        let patience = if is_turned_away { u32::MAX } else { failures };
        if pause(server, patience).await {
            // The operator may have put it right.
            (failures, short_lives) = (0, 0);
        }
    }
}

/// Waits before the next try, the longer the more have failed; whether the operator has ended that wait.
async fn pause(server: &Server, failures: u32) -> bool {
    let pause = post::pause(server.base, failures, post::jitter());
    tokio::time::timeout(pause, server.again.notified()).await.is_ok()
}

/// A connection, with what the server offers.
async fn reach(server: &Server, connector: &Connector) -> Result<(Arc<Connection>, Lists), Failed> {
    // A command may have to be fetched before it begins.
    let least = match server.config.way {
        Way::Command { .. } => COMMAND_BEGINS,
        Way::Url { .. } => Duration::ZERO,
    };
    let connection = with_timeout(patience(server).max(least), connector.connect(server)).await?;
    let lists = with_timeout(patience(server), read(server, &connection)).await?;
    Ok((Arc::new(connection), lists))
}

/// Reads all lists.
async fn read(server: &Server, connection: &Connection) -> Result<Lists, Failed> {
    let last = server.last.lock().clone();
    Lists::read(&connection.peer, server.config.tools.as_ref(), last).await
}

/// Timeout of the server.
fn patience(server: &Server) -> Duration {
    Duration::from_millis(server.config.timeout_ms)
}

/// Runs `work` with a timeout.
async fn with_timeout<T>(
    patience: Duration,
    work: impl Future<Output = Result<T, Failed>>,
) -> Result<T, Failed> {
    tokio::time::timeout(patience, work).await.unwrap_or(Err(Failed::TimedOut))
}

/// Puts what the server offers into the catalog: away from what must not wait, for it may be much, and is written down.
async fn offer(server: &Arc<Server>, registry: &Registry, lists: Lists) {
    let (offering, registry) = (server.clone(), registry.clone());
    if let Err(error) = tokio::task::spawn_blocking(move || offering.offers(&registry, lists)).await
    {
        tracing::error!(target: "server", server = &*server.name, "what it offers could not be taken in: {error}");
    }
}

/// Watches `connection` until it is lost or doubtful, or until a requested reconnect, which is returned.
async fn watch(server: &Arc<Server>, registry: &Registry, connection: &Connection) -> bool {
    let news = listen(connection);
    tokio::pin!(news);
    loop {
        tokio::select! {
            () = connection.closed.cancelled() => return false,
            () = server.again.notified() => return true,
            () = server.suspicion.notified() => {}
            () = &mut news => {}
            () = connection.handler.changed() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        let lists = with_timeout(patience(server), read(server, connection));
        let Some(Ok(lists)) = connection.closed.run_until_cancelled(lists).await else {
            return false;
        };
        offer(server, registry, lists).await;
        // However often it says that something has changed, its lists are read so often.
        tokio::time::sleep(server.base.min(Duration::from_secs(1))).await;
    }
}

/// Listens for changes as 2026-07-28 notifies of them. A stream that ends may be the end of the
/// server: that is checked, too. A server that does not notify is checked now and then.
async fn listen(connection: &Connection) {
    while connection.is_modern() {
        let mut filter = SubscriptionFilter::new();
        (filter.tools_list_changed, filter.prompts_list_changed) = (Some(true), Some(true));
        filter.resources_list_changed = Some(true);
        let began = Instant::now();
        match connection.peer.listen(filter).await {
            Ok(mut subscription) => {
                // What changed since the lists were read was not notified of.
                connection.handler.change();
                while let Ok(Some(_)) = subscription.next().await {
                    connection.handler.change();
                }
                connection.handler.change();
            }
            Err(ServiceError::McpError(_)) => break,
            Err(_) => {}
        }
        if began.elapsed() < SHORT {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    std::future::pending().await
}
