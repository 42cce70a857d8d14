//! The whole server as a value: started from a configuration, stopped without losing a call.

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use axum::serve::ListenerExt;
use rmcp::ServiceExt;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinHandle,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    api::{
        chat::Chat,
        endpoints::Endpoints,
        health::{Deciders, Health},
        maps::Maps,
        navigate::Navigate,
        rpc::Rpc,
    },
    assistant::{
        agents::{self, Stage},
        turns::Turns,
    },
    audit::Audit,
    authorization::Gateway,
    blobs::{self, Blobs},
    call_state::Clock,
    calls::Calls,
    config::Config,
    control::{Control, Troubles},
    events::{Events, Listener},
    generations::Shelf,
    http::{self, Routes},
    library::Library,
    loader::Loader,
    mcp::McpServer,
    metrics::Metrics,
    operator::{self, Door, Listening, Operator},
    page,
    reach::Shared,
    record::Watch,
    registry::Registry,
    reload::Reloader,
    sandbox::Sandbox,
    schedule,
    seal::Seal,
    servers::Servers,
    spent::Spent,
    telemetry::Telemetry,
};

mod error;
mod told;

pub use error::StartError;
use told::tell_what_is_open;

/// How long calls may take to finish when the server stops.
const DRAIN: Duration = Duration::from_secs(30);
/// How long the last answers may take to leave.
const FLUSH: Duration = Duration::from_millis(100);

/// A running counter.
pub struct Server {
    registry: Registry,
    loader: Loader,
    mcp: McpServer,
    events: Events,
    addr: Option<SocketAddr>,
    /// Ends the listening and the watching.
    stop: CancellationToken,
    /// Ends the streams that clients listen on, which would else go on for ever.
    hang_up: CancellationToken,
    /// The requests that are being answered.
    running: TaskTracker,
    watch: Watch,
    tasks: Vec<JoinHandle<()>>,
    control: Control,
    /// Where the operator comes in.
    door: Option<Door>,
}

impl Server {
    /// Starts to serve over HTTP; returns once it answers.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_at(config, Clock::System).await
    }

    /// The same, with components seeing another time of day.
    pub async fn start_at(config: Config, clock: Clock) -> Result<Self, StartError> {
        if !config.addr.ip().is_loopback() && config.tokens.is_empty() {
            return Err(StartError::Open(config.addr));
        }
        config.check()?;
        tell_what_is_open(&config);
        // Bound first: a port that is taken should be known before anything is loaded.
        let addr = config.addr;
        let listen = |source| StartError::Listen { addr, source };
        let listener = TcpListener::bind(addr).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let listener = tokio::net::TcpListener::from_std(listener).map_err(listen)?;
        let addr = listener.local_addr().map_err(listen)?;

        let page = page::address(&config, Some(addr));
        let (mut server, routes, config) = Self::open(config, clock, page).await?;
        // Without it an answer in small pieces waits 40 ms for the client's acknowledgement.
        let listener = listener.tap_io(|it| {
            let _ = it.set_nodelay(true);
        });
        let are_counted = config.rate.is_some();
        let router = http::router(&Config { addr, ..config }, routes);
        let stopped = server.stop.clone().cancelled_owned();
        let serve = async move {
            // Only who counts strangers needs to know where they come from.
            let served = match are_counted {
                false => axum::serve(listener, router).with_graceful_shutdown(stopped).await,
                true => {
                    let router = router.into_make_service_with_connect_info::<SocketAddr>();
                    axum::serve(listener, router).with_graceful_shutdown(stopped).await
                }
            };
            if let Err(error) = served {
                tracing::error!("the server ended: {error}");
            }
        };
        server.tasks.insert(0, tokio::spawn(serve));
        server.addr = Some(addr);
        Ok(server)
    }

    /// Serves one client on standard input and output until it goes.
    pub async fn serve_stdio(config: Config) -> Result<(), StartError> {
        let (input, output) = rmcp::transport::stdio();
        Self::serve_streams(config, input, output).await
    }

    /// Serves one client on these streams until it goes.
    pub async fn serve_streams(
        config: Config,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), StartError> {
        config.check()?;
        let page = page::address(&config, None);
        let (server, ..) = Self::open(config, Clock::System, page).await?;
        match server.mcp.clone().serve((input, output)).await {
            Ok(running) => _ = running.waiting().await,
            Err(error) => tracing::warn!("the client left before it was served: {error}"),
        }
        server.stop().await;
        Ok(())
    }

    async fn open(
        config: Config,
        clock: Clock,
        page: Option<Arc<str>>,
    ) -> Result<(Self, Routes, Config), StartError> {
        let data = |source| StartError::Data { path: config.data.clone(), source };
        std::fs::create_dir_all(&config.data).map_err(data)?;
        let seal = Seal::open(&config.data.join("seal.key")).map_err(data)?;
        let now_s = clock.now().as_secs();
        let spent = Spent::open(&config.data.join("answers.spent"), now_s).map_err(data)?;
        let folder = config.components_folder.clone();
        let library = Library::open(&config.data, folder, config.bundled).map_err(data)?;
        let shelf = Shelf::open(&config.data).map_err(data)?;
        let (kept, limits) = (config.data.join("blobs"), config.blobs.clone());
        let blobs = Blobs::open(kept, limits, clock.clone()).map_err(data)?;
        let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max())
            .map_err(StartError::Sandbox)?;

        let telemetry = Telemetry::open(&config.telemetry)?;
        let audit = Audit::open(&config.data, &config.audit).map_err(data)?;

        let (registry, troubles) = (Registry::default(), Troubles::default());
        let (stop, hang_up) = (CancellationToken::new(), CancellationToken::new());
        let running = TaskTracker::new();
        let shared = Arc::new(config.clone());
        let metrics = Metrics::new(registry.clone(), audit.clone());
        let watch = Watch { audit, metrics: metrics.clone(), telemetry };
        let events = Events::default();
        let reach = Shared { blobs: blobs.clone(), events: events.clone(), page };
        let (control, commands) = Control::new(
            shared.clone(),
            registry.clone(),
            shelf.clone(),
            troubles.clone(),
            metrics.clone(),
        );
        let loader = Loader::new(
            shared,
            library.clone(),
            sandbox,
            registry.clone(),
            clock.clone(),
            metrics,
            reach,
        );
        let parts = (library, loader.clone(), registry.clone(), shelf);
        let mut reloader = Reloader::new(parts, control.clone(), troubles.clone());
        reloader.start().await;
        let reload = tokio::spawn(reloader.watch(commands, stop.clone()));

        // Until the last call has its answer, not only until no more are taken in.
        let (servers, reached) = Servers::start(&config, &registry, &watch.metrics, &hang_up);
        let answers = (seal, spent);
        let gateway = Gateway::new(&config, &answers.0, &clock);
        let kept = config.data.join("turns");
        let turns = Turns::open(kept, config.chat.turns.clone()).map_err(data)?;
        let calls =
            Calls::new(registry.clone(), answers, running.clone(), watch.clone(), stop.clone());
        let mcp = McpServer::new(registry.clone(), calls.clone(), events.clone());
        let operator = Operator {
            control: control.clone(),
            calls: calls.clone(),
            metrics: watch.metrics.clone(),
            audit: watch.audit.clone(),
        };
        let (maps, asks) = Maps::start(&registry, &stop);
        let deciders = Deciders::new(&config, &watch.metrics);
        let routes = Routes {
            mcp: mcp.clone(),
            calls: calls.clone(),
            navigate: Navigate::new((&calls, &registry), (&clock, &watch.metrics), &config),
            chat: Chat::new(&config, (&calls, &registry), turns, gateway, (&clock, &watch.metrics)),
            rpc: Rpc { calls },
            health: Health { registry: registry.clone(), troubles, servers, maps, deciders },
            endpoints: Endpoints {
                registry: registry.clone(),
                aliases: Arc::new(config.endpoints.clone()),
            },
            blobs: blobs.clone(),
            hang_up: hang_up.clone(),
            running: running.clone(),
            metrics: watch.metrics.clone(),
        };
        let stage = Stage::new(&config, (&routes.calls, &registry), (&clock, &watch.metrics));
        let agents = agents::start(stage, &events, &stop);
        let mut tasks = vec![reload, asks, agents, tokio::spawn(blobs::sweep(blobs, stop.clone()))];
        tasks.extend(reached);
        tasks.extend(schedule::start(&config, &registry, &stop, &running));
        let (addr, door) = (None, None);
        let mut server = Self {
            registry,
            loader,
            mcp,
            events,
            addr,
            stop,
            hang_up,
            running,
            watch,
            tasks,
            control,
            door,
        };
        if let Some(addr) = config.operator_addr {
            let listening = operator::listen(addr, &config.data)
                .map_err(|source| StartError::Operator { addr, source })?;
            server.serve_operator(operator, listening);
        }
        Ok((server, routes, config))
    }

    fn serve_operator(&mut self, operator: Operator, listening: Listening) {
        let Listening { listener, door } = listening;
        let router = operator::router(operator, door.clone());
        let stopped = self.stop.clone().cancelled_owned();
        self.door = Some(door);
        self.tasks.push(tokio::spawn(async move {
            let serve = axum::serve(listener, router).with_graceful_shutdown(stopped);
            if let Err(error) = serve.await {
                tracing::error!("the operator is no longer served: {error}");
            }
        }));
    }

    /// Where it listens.
    pub fn addr(&self) -> Option<SocketAddr> {
        self.addr
    }

    /// What is on offer.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The operator's hand on the components.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// What it and its components have done.
    pub fn metrics(&self) -> &Metrics {
        &self.watch.metrics
    }

    /// Who called what.
    pub fn audit(&self) -> &Audit {
        &self.watch.audit
    }

    /// Hears what the component of that name publishes.
    pub fn listen(&self, component: &str) -> Listener {
        self.events.bell(component).listen()
    }

    /// Takes no more calls, lets those that run finish, and closes what is open.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Some(door) = &self.door {
            door.close();
        }
        self.running.close();
        if tokio::time::timeout(DRAIN, self.running.wait()).await.is_err() {
            tracing::warn!("some calls did not finish in {DRAIN:?}");
        }
        tokio::time::sleep(FLUSH).await;
        self.hang_up.cancel();
        if tokio::time::timeout(DRAIN, futures::future::join_all(self.tasks)).await.is_err() {
            tracing::warn!("some connections did not close in {DRAIN:?}");
        }
        self.loader.close().await;
        let watch = self.watch;
        if let Err(error) = tokio::task::spawn_blocking(move || watch.close()).await {
            tracing::error!("the audit log was not closed: {error}");
        }
    }
}
