//! The operator API: on a listener for programs of this machine with the token of this start, and below `/api/operator`
//! for pages and for tokens with the scope `operator`.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    path::Path,
    sync::Arc,
    time::Duration,
};

use axum::{
    Router, middleware,
    routing::{any, delete, get, post},
};

use tokio::sync::Semaphore;

use crate::api::{health::Health, limited, other_method};
use accounts::Accounts;
use base::{limits::ConnectionsConfig, source::FILE_BYTES_MAX};
use calls::{
    Calls,
    shares::{Share, Shares},
};
use registry::control::Control;

mod access;
mod people;
mod routes;
pub mod storage;

pub use access::Key;
pub(crate) use access::OperatorAccess;

/// Interval of trying to write the operator key.
const WRITE_KEY_EVERY: Duration = Duration::from_secs(2);

/// State of the operator routes.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) control: Control,
    pub(crate) calls: Calls,
    pub(crate) health: Health,
    pub(crate) accounts: Option<Accounts>,
    /// Allows one backup at a time.
    pub(crate) backups: Arc<Semaphore>,
}

/// A bound listener, and the door that lets the operator in.
pub(crate) struct Listening {
    pub(crate) listener: tokio::net::TcpListener,
    pub(crate) access: OperatorAccess,
    /// The key, while it could not be written.
    pub(crate) unwritten: Option<Key>,
}

/// Binds `addr` and writes address and token down in the data folder.
pub(crate) fn listen(addr: SocketAddr, data: &Path, page: Option<String>) -> io::Result<Listening> {
    let listener = TcpListener::bind(addr)?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (access, key) = OperatorAccess::make(listener.local_addr()?, data, page)?;
    let unwritten = access.write_key_file(&key).err().map(|error| {
        tracing::error!(
            "{}: operator.json: {error}; until it can be written, no command reaches this server",
            data.display()
        );
        key
    });
    Ok(Listening { listener, access, unwritten })
}

/// Page address on this machine of a server at `addr`.
pub(crate) fn page_on_this_machine(addr: SocketAddr) -> String {
    let ip = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, addr.port()))
}

/// Writes the operator's key down as soon as the disk takes it.
pub(crate) async fn write_key_file(access: OperatorAccess, key: Key) {
    let mut turns = tokio::time::interval(WRITE_KEY_EVERY);
    loop {
        turns.tick().await;
        let (access, key) = (access.clone(), key.clone());
        let written = tokio::task::spawn_blocking(move || access.write_key_file(&key)).await;
        if matches!(written, Ok(Ok(()))) {
            return tracing::info!("operator.json is written: commands reach this server");
        }
    }
}

/// Bytes of the largest body that the operator sends: a component.
const BODY_BYTES_MAX: usize = FILE_BYTES_MAX as usize;

/// Additional bytes accepted, so that routes can explain the error.
const BEYOND: usize = 1 << 20;

/// Share of operators: two of the largest bodies.
pub(crate) fn share() -> Share {
    let largest = BODY_BYTES_MAX.saturating_add(BEYOND);
    Shares::new(largest.saturating_mul(2), largest, ConnectionsConfig::ANSWERS_BYTES).of_caller()
}

/// Everything that the operator's listener answers.
pub(crate) fn routes_of_listener(operator: Operator, access: OperatorAccess) -> Router {
    let routes = Router::new()
        .nest("/operator", routes().route("/call", post(routes::call)))
        .fallback(routes::unknown)
        .method_not_allowed_fallback(other_method)
        .with_state(operator);
    limited(routes, BODY_BYTES_MAX).layer(middleware::from_fn_with_state(access, access::check))
}

/// Routes below `/api/operator`, without calls: tools are called on the public listener with the caller's rights.
pub(crate) fn public_routes(operator: Operator) -> Router {
    let routes = routes().route("/{*path}", any(routes::unknown)).with_state(operator);
    limited(routes, BODY_BYTES_MAX).layer(middleware::from_fn(access::check_scope))
}

fn routes() -> Router<Operator> {
    Router::new()
        .route("/now", get(routes::now))
        .route("/components", get(routes::components))
        .route(
            "/components/{name}",
            get(routes::component).post(routes::load).delete(routes::unload),
        )
        .route("/components/{name}/rollback", post(routes::rollback))
        .route("/components/{name}/accept", post(routes::accept))
        .route("/components/{name}/refuse", post(routes::refuse))
        .route("/components/{name}/canary", post(routes::canary).delete(routes::stop_canary))
        .route("/nodes", get(routes::nodes))
        .route("/servers", get(routes::servers))
        .route("/servers/{name}/accept", post(routes::accept_tools))
        .route("/servers/{name}/refuse", post(routes::refuse_tools))
        .route("/servers/{name}/reconnect", post(routes::reconnect))
        .route("/storage", get(storage::all))
        .route("/components/{name}/export", post(storage::export))
        .route("/backup", post(storage::backup))
        .route("/settings", get(routes::settings))
        .route("/tokens", get(routes::tokens))
        .route("/calls/{call}", get(routes::call_rounds))
        .route("/accounts", get(people::list))
        .route("/accounts/{name}", post(people::create).delete(people::remove))
        .route("/accounts/{name}/link", post(people::link))
        .route("/accounts/{name}/scopes", post(people::rescope))
        .route("/accounts/{name}/devices/{device}", delete(people::end_device))
        .route("/metrics", get(routes::metrics))
        .route("/audit", get(routes::audit))
}
