//! The whole server: starts from a configuration and stops without losing a call.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use accounts::Accounts;
use base::config::{Config, ConfigError, assistants, tokens};
use calls::{
    Calls,
    approvals::{self, Approvals},
    authorization::Gateway,
    record::Watch,
    replay_guard::{self, ReplayGuard},
};
use futures::future::BoxFuture;
use mcp::{
    McpServer, Servers,
    tasks::{self, Tasks},
};
use registry::{
    Registry,
    control::{Command, Control, ReportedErrors},
    library::Library,
    loader::Loader,
    reload::Reloader,
    revisions::{self, RevisionStore},
};
use sandbox::{
    Sandbox,
    capability::{Around, host_resources::Shared},
};
use store::{
    answers::Answers,
    blobs::{self, Blobs},
    clock::Clock,
    data::{Data, DataError},
    database::postgres::{self, ServerError},
    disk::Disk,
    documents::Place,
    events::Events,
    leases::Leases,
    seal::Seal,
};
use telemetry::{Telemetry, audit::Audit, metrics::Metrics, timeline::Timelines};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Semaphore, mpsc},
    task::JoinHandle,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    api::{
        endpoints::Endpoints,
        health::{Health, Services},
    },
    apps,
    http::{self, Connections, End, Front, Routes},
    jobs::{self, Works},
    operator::{self, Listening, Operator, OperatorAccess},
    page,
};

/// Time limit of the last responses.
const FLUSH: Duration = Duration::from_millis(100);
/// Time limits to close streams, and of forced closing.
const CLOSE: Duration = Duration::from_secs(1);
const FORCE: Duration = Duration::from_millis(500);

/// A running server.
pub struct Server {
    /// Every call. What components reach of the server by itself ends with it.
    pub calls: Arc<Calls>,
    loader: Loader,
    mcp: McpServer,
    /// The events that components publish.
    pub events: Events,
    /// Listen address, if any.
    pub addr: Option<SocketAddr>,
    /// Announces that it will stop.
    leaves: CancellationToken,
    /// Ends the streams that clients listen on, which would else go on for ever.
    hang_up: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    /// Open connections of clients and the operator.
    connections: Vec<Arc<Connections>>,
    /// Control of components.
    pub control: Control,
    /// Operator access.
    access: Option<OperatorAccess>,
    accounts: Option<Accounts>,
    /// Let go of last, once nothing writes any more.
    _folder: Data,
}

/// When components are loaded: before serving or in the background.
#[derive(Clone, Copy)]
enum LoadOrder {
    First,
    Background,
}

impl LoadOrder {
    /// Loads the components, now or in the task that from then on watches them.
    async fn load(
        self,
        mut reloader: Reloader,
        commands: mpsc::Receiver<Command>,
        registry: &Registry,
        stop: &CancellationToken,
    ) -> JoinHandle<()> {
        let (registry, stop) = (registry.clone(), stop.clone());
        if let Self::First = self {
            reloader.start().await;
            return tokio::spawn(reloader.watch(commands, stop));
        }
        registry.set_loading(true);
        tokio::spawn(async move {
            let is_loaded = stop.run_until_cancelled(reloader.start()).await.is_some();
            registry.set_loading(false);
            if is_loaded {
                reloader.watch(commands, stop).await;
            }
        })
    }
}

/// Futures of what programs call are boxed: their code is made here once, and not in each program.
impl Server {
    /// Starts to serve over HTTP; returns once it answers.
    pub fn start(config: Config) -> BoxFuture<'static, Result<Self, StartError>> {
        Self::start_at(config, Clock::System)
    }

    /// Starts with another clock for components.
    pub fn start_at(config: Config, clock: Clock) -> BoxFuture<'static, Result<Self, StartError>> {
        Box::pin(async move {
            config.check()?;
            warn_of_open_endpoints(&config);
            // Bound first: a port that is taken should be known before anything is loaded.
            let (listener, addr) = bound(config.addr, "--addr or MADOGUCHI_ADDR")?;
            let apps = config.apps.listens_at(&config);
            let apps = apps.map(|at| bound(at, "addr under [apps]")).transpose()?;
            let mut config = config;
            config.apps.bound = apps.as_ref().map(|it| it.1);

            let page = page::address(&config, Some(addr));
            let opened = Self::open(config.clone(), clock, (page, Some(addr)), LoadOrder::First);
            let (mut server, routes) = opened.await?;
            let live_nodes = server.calls.config.live_nodes.clone();
            let config = Config { addr, live_nodes, ..config };
            let end = End {
                leaves: server.leaves.clone(),
                stop: server.calls.stop.clone(),
                gone: server.hang_up.clone(),
            };
            server.serve(listener, http::front(&config, routes), end);
            if let Some((listener, _)) = apps {
                server.serve(listener, apps::front(&config), End::at(server.calls.stop.clone()));
            }
            server.addr = Some(addr);
            Ok(server)
        })
    }

    /// Serves one client on standard input and output until it goes.
    pub fn serve_stdio(config: Config) -> BoxFuture<'static, Result<(), StartError>> {
        Box::pin(async move {
            let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
            Self::serve_streams(config, input, output).await
        })
    }

    /// Serves one client on these streams until it disconnects. Components load in the background: handshakes are
    /// answered at once, and requests for offers wait.
    pub async fn serve_streams(
        config: Config,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), StartError> {
        config.check_for_stdio()?;
        let (page, line_bytes_max) = (page::address(&config, None), config.body_bytes_max);
        let (server, _) =
            Self::open(config, Clock::System, (page, None), LoadOrder::Background).await?;
        server.mcp.clone().serve_streams(input, output, line_bytes_max).await;
        server.stop().await;
        Ok(())
    }

    fn open(
        mut config: Config,
        clock: Clock,
        (page, addr): (Option<Arc<str>>, Option<SocketAddr>),
        when: LoadOrder,
    ) -> BoxFuture<'static, Result<(Self, Routes), StartError>> {
        Box::pin(async move {
            let folder = Data::take(&config.data)?;
            let data = |it| DataError::io(&config.data, &it);
            let seal = Seal::open(&config.data.join("seal.key")).map_err(data)?;
            let store = store_of(&config).await?;
            config.live_nodes =
                store.as_ref().map(postgres::Server::live_nodes).unwrap_or_default();
            let answers = answers_of(&config, store.as_ref(), &seal).await?;
            let library = Library::open(&config, &seal).map_err(|source| {
                let path = config.components_folder.clone().unwrap_or_default();
                StartError::Components { path, source }
            })?;
            let revision_store = RevisionStore::open(&config.data).map_err(data)?;
            let limits = config.blobs.clone();
            let blobs = match &store {
                Some(store) => Blobs::shared(store.clone(), limits, clock.clone()),
                None => {
                    Blobs::open(config.data.join("blobs"), limits, clock.clone()).map_err(data)?
                }
            };
            config.take_accepted(revisions::given(&config.data));
            let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max())
                .map_err(StartError::Sandbox)?;

            let telemetry = Telemetry::open(&config.telemetry).map_err(StartError::Telemetry)?;
            let audit = Audit::open(&config.data, &config.audit).map_err(data)?;

            let (registry, errors) = (Registry::default(), ReportedErrors::default());
            let (stop, hang_up) = (CancellationToken::new(), CancellationToken::new());
            let leaves = CancellationToken::new();
            let running = TaskTracker::new();
            let shared = Arc::new(config.clone());
            let changes = registry.clone();
            let metrics = Metrics::new(move || changes.catalog().generation(), audit.clone());
            let timelines = Timelines::default();
            let watch = Watch { audit, metrics: metrics.clone(), telemetry, timelines };
            let events = Events::default();
            let leases = Leases::new(store.as_ref());
            let around = Around::default();
            let kept = Place::new(store.as_ref(), &config.data, approvals::PLACE);
            let approvals = Approvals::open(kept, &config.approvals, clock.clone(), events.clone());
            let approvals = approvals.map_err(data)?;
            let kept = Place::new(store.as_ref(), &config.data, tasks::PLACE);
            let kept_tasks =
                Tasks::open(kept, &config.tasks, clock.clone(), (events.clone(), leases.clone()));
            let kept_tasks = kept_tasks.map_err(data)?;
            let reach = Shared {
                blobs: blobs.clone(),
                events: events.clone(),
                page,
                assistants: config.assistants.clone(),
                around: around.clone(),
            };
            let (control, commands) = Control::new(
                shared.clone(),
                registry.clone(),
                revision_store,
                errors.clone(),
                metrics.clone(),
                (store.as_ref(), addr),
            );
            let loader = Loader {
                config: shared.clone(),
                library,
                sandbox,
                registry: registry.clone(),
                clock: clock.clone(),
                metrics,
                shared: reach,
                databases: Arc::default(),
                store: store.clone(),
            };
            let reloader = Reloader::new(loader.clone(), control.clone());
            let reload = when.load(reloader, commands, &registry, &stop).await;

            // Until the last call is answered, not just until calls are refused.
            let tally = |label: &str| watch.metrics.tally(label);
            let others = (&config.servers, &*config.base);
            let (servers, reached) =
                Servers::start(others, &config.data, &registry, &tally, &hang_up);
            let state_seal = answers.0.clone();
            let sweeping = answers.1.clone().sweep(clock.clone(), stop.clone());
            let gateway = Gateway::new(&config, &answers.0, &clock);
            let (tasks, stopping) = (running.clone(), stop.clone());
            let offers = (registry.clone(), shared.clone());
            let calls = Arc::new(Calls::new(offers, answers, tasks, watch, stopping, approvals));
            around.put(&calls);
            let wait = config.sessions.question_wait();
            let (shared_store, heeded) = (store.clone(), kept_tasks.clone());
            let mcp = McpServer::new(registry.clone(), (*calls).clone(), events.clone(), wait)
                .keeping(kept_tasks)
                .sharing(shared_store.as_ref(), &config)
                .reading(config.language.clone())
                .offering(config.toolset_of_stdio());
            let (services, asks) = Services::start(&config, &registry, &stop);
            let disk = Disk::new(&config.data);
            // Logs it, should the disk take nothing.
            disk.write_error().await;
            let kept_on = store.clone();
            let health = Health {
                has_page: config.embedded.has_page(),
                registry: registry.clone(),
                errors,
                servers,
                services,
                disk,
                store,
                leaves: leaves.clone(),
            };
            // Without an address there is nowhere to sign in.
            let accounts = match addr.filter(|_| config.accounts.enabled) {
                Some(addr) => {
                    let of = (&config, config.public_address(addr));
                    let watch = &calls.watch;
                    let kept = (&state_seal, kept_on.as_ref());
                    Some(Accounts::open(of, kept, &clock, &watch.audit).await.map_err(data)?)
                }
                None => None,
            };
            let operator = Operator {
                accounts: accounts.clone(),
                backups: Arc::new(Semaphore::new(1)),
                control: control.clone(),
                calls: (*calls).clone(),
                health: health.clone(),
            };
            let listening = config.operator_addr.map(|at| {
                let page = addr.map(operator::page_on_this_machine);
                operator::listen(at, &config.data, page)
                    .map_err(|source| StartError::Operator { addr: at, source })
            });
            let listening = listening.transpose()?;
            let routes = Routes {
                mcp: mcp.clone(),
                health,
                operator: operator.clone(),
                access: listening.as_ref().map(|it| it.access.clone()),
                accounts: accounts.clone(),
                endpoints: Endpoints { calls: (*calls).clone(), gateway },
                blobs: blobs.clone(),
                hang_up: hang_up.clone(),
            };
            let works = Works {
                registry: registry.clone(),
                events: events.clone(),
                leases: leases.clone(),
                clock,
            };
            let jobs = jobs::start(works, &stop);
            let mut tasks =
                vec![reload, asks, jobs, tokio::spawn(blobs::sweep(blobs, stop.clone()))];
            tasks.push(tokio::spawn(sweeping));
            tasks.extend(reached);
            // Last, for nothing of it may go on where the start fails.
            if let Some(store) = &shared_store {
                tasks.extend(events.spread(store, &hang_up).await?);
                tasks.push(tokio::spawn(heeded.maintain(hang_up.clone())));
                let task =
                    operator.health.clone().publish_readiness(store.clone(), hang_up.clone());
                tasks.push(tokio::spawn(task));
                tasks.extend(leases.monitor(&hang_up));
            }
            tasks.push(jobs::start_schedules(shared, (&registry, &leases), &stop, &running));
            let mut server = Self {
                calls,
                loader,
                mcp,
                events,
                addr: None,
                leaves,
                hang_up,
                tasks,
                connections: Vec::new(),
                control,
                access: None,
                accounts,
                _folder: folder,
            };
            if let Some(listening) = listening {
                server.serve_operator(operator, listening);
            }
            Ok((server, routes))
        })
    }

    fn serve_operator(&mut self, operator: Operator, listening: Listening) {
        let Listening { listener, access, unwritten } = listening;
        if let Some(key) = unwritten {
            let (stop, access) = (self.calls.stop.clone(), access.clone());
            let until_written = async move {
                _ = stop.run_until_cancelled(operator::write_key_file(access, key)).await;
            };
            self.tasks.push(tokio::spawn(until_written));
        }
        let routes = operator::routes_of_listener(operator, access.clone());
        let front = http::operators(routes);
        self.access = Some(access);
        self.serve(listener, front, End::at(self.calls.stop.clone()));
    }

    /// Takes connections until the `end`.
    fn serve(&mut self, listener: tokio::net::TcpListener, front: Front, end: End) {
        let connections = Connections::new(&self.calls.config.connections);
        self.connections.push(connections.clone());
        self.tasks.push(tokio::spawn(connections.serve(listener, front, end)));
    }

    /// Announces leaving at `/api/ready` for `drain_s`, then refuses calls, waits for running ones and closes
    /// everything (STO-41).
    pub fn stop(self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.leaves.cancel();
            let drain = Duration::from_secs(self.calls.config.connections.drain_s);
            if self.addr.is_some() && !drain.is_zero() {
                tracing::info!("takes calls for another {drain:?} (drain_s under [connections])");
                tokio::time::sleep(drain).await;
            }
            self.calls.stop.cancel();
            if let Some(access) = &self.access {
                access.close();
            }
            self.calls.running.close();
            let most = Duration::from_secs(self.calls.config.connections.stop_s);
            if tokio::time::timeout(most, self.calls.running.wait()).await.is_err() {
                tracing::warn!(
                    "some calls did not finish in {most:?} (stop_s under [connections])"
                );
            }
            tokio::time::sleep(FLUSH).await;
            self.hang_up.cancel();
            // Open connections end now. What still runs ends with the program.
            let mut tasks = std::pin::pin!(futures::future::join_all(self.tasks));
            if tokio::time::timeout(CLOSE, tasks.as_mut()).await.is_err() {
                self.connections.iter().for_each(|it| it.close());
                if tokio::time::timeout(FORCE, tasks).await.is_err() {
                    tracing::warn!("some of what runs beside calls did not end");
                }
            }
            self.loader.close().await;
            if let Some(accounts) = self.accounts {
                accounts.close().await;
            }
            let watch = self.calls.watch.clone();
            if let Err(error) = tokio::task::spawn_blocking(move || watch.close()).await {
                tracing::error!("the audit log was not closed: {error}");
            }
        })
    }
}

/// The server that holds what components keep, where that is not the data folder (STO-1).
async fn store_of(config: &Config) -> Result<Option<postgres::Server>, StartError> {
    let wrong = |what| ConfigError::Unworkable { table: "store".to_owned(), what };
    let Some(address) = config.store.address(&config.base).map_err(wrong)? else {
        return Ok(None);
    };
    let server = postgres::Server::connect(&address).await?;
    tracing::info!(
        "what lasts is in {}, which other hosts may share; the audit log and compiled code stay in {}",
        server.place(),
        config.data.display()
    );
    Ok(Some(server))
}

/// Opens the replay guard of this server or of all nodes of a database.
async fn answers_of(
    config: &Config,
    store: Option<&postgres::Server>,
    seal: &Seal,
) -> Result<(Seal, ReplayGuard), StartError> {
    match store {
        Some(store) => {
            let key = store.secret("state").await?;
            Ok((Seal::with_key(&key), ReplayGuard::shared(Answers::new(store.clone()))))
        }
        None => {
            let file = config.data.join(replay_guard::FILE);
            let guard = ReplayGuard::open(&file);
            let guard = guard.map_err(|it| DataError::io(&config.data, &it));
            Ok((seal.clone(), guard?))
        }
    }
}

/// Binds a listener at `addr`, given by `setting`. Returns its address.
fn bound(
    addr: SocketAddr,
    setting: &'static str,
) -> Result<(tokio::net::TcpListener, SocketAddr), StartError> {
    let listen = |source| StartError::Listen { addr, setting, source };
    let listener = TcpListener::bind(addr).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let listener = tokio::net::TcpListener::from_std(listener).map_err(listen)?;
    let addr = listener.local_addr().map_err(listen)?;
    Ok((listener, addr))
}

/// Warns, at start, of what the configuration opens to others.
fn warn_of_open_endpoints(config: &Config) {
    let problems = tokens::problems(config);
    for problem in problems.into_iter().chain(assistants::problems(config)) {
        tracing::warn!("[{}]: {}", problem.path.join("."), problem.what);
    }
    let ip = config.addr.ip();
    if ip.is_loopback() {
        return;
    }
    tracing::warn!(
        "{} can be reached by others over plain HTTP, which shows tokens to the network between: put TLS before it",
        config.addr
    );
    tracing::info!("answers to the names {}", http::hosts(config).join(", "));
    if ip.is_unspecified() && config.allowed_hosts.is_empty() {
        tracing::warn!(
            "it answers to the names of this machine only; add the one by which others call it to allowed_hosts"
        );
    }
}

// Startup errors and how to correct them.

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is in use or not local.
    #[error("cannot listen on {addr}: {source}{}", hint(.source, setting))]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// The setting that gives it.
        setting: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The folder of components is not there and cannot be made.
    #[error("cannot make the folder of components {path}: {source}; name another with --components or MADOGUCHI_COMPONENTS, or components_folder in the configuration", path = path.display())]
    Components {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The server that should hold what components keep cannot be used.
    #[error(transparent)]
    Store(#[from] ServerError),
    /// The configuration cannot work.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// The operator's address cannot be had.
    #[error("cannot serve the operator on {addr}: {source}{}", hint(.source, "--operator-addr or MADOGUCHI_OPERATOR_ADDR"))]
    Operator {
        /// The operator address.
        addr: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The sandbox cannot be made here.
    #[error("the sandbox cannot be set up: {0:#}")]
    Sandbox(wasmtime::Error),
    /// Traces are configured that cannot be sent.
    #[error("{0}")]
    Telemetry(String),
}

/// Remedy for an unavailable address given by `setting`.
fn hint(error: &io::Error, setting: &str) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "; another program listens there: choose another with {setting} (port 0 takes a free one)"
        ),
        io::ErrorKind::AddrNotAvailable => "; this machine has no such address".to_owned(),
        io::ErrorKind::PermissionDenied => "; ports below 1024 need special leave".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_in_use_names_its_setting() {
        let taken = || io::Error::from(io::ErrorKind::AddrInUse);
        let addr = SocketAddr::from(([127, 0, 0, 1], 8808));
        let operator = StartError::Operator { addr, source: taken() }.to_string();
        assert!(operator.contains("--operator-addr or MADOGUCHI_OPERATOR_ADDR"), "{operator}");
        let apps = StartError::Listen { addr, setting: "addr under [apps]", source: taken() };
        assert!(apps.to_string().contains("another with addr under [apps] (port 0"), "{apps}");
    }
}
