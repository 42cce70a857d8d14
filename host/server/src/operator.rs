//! What the operator does: on a listener for this machine's programs alone, with the token of this start, and
//! under `/api/operator` for pages and for tokens with the scope `operator`.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    path::Path,
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{any, delete, get, post},
};

use tokio::sync::Semaphore;

use crate::api::{health::Health, other_method};
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

/// How often to try to write the operator's key down.
const HANG_OUT_EVERY: Duration = Duration::from_secs(2);

/// What the operator's routes work on.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) control: Control,
    pub(crate) calls: Calls,
    pub(crate) health: Health,
    pub(crate) accounts: Option<Accounts>,
    /// One backup is sent at a time.
    pub(crate) backups: Arc<Semaphore>,
}

/// A bound listener, and the door that lets the operator in.
pub(crate) struct Listening {
    pub(crate) listener: tokio::net::TcpListener,
    pub(crate) access: OperatorAccess,
    /// What the disk did not take; to be written down as soon as it does.
    pub(crate) unwritten: Option<Key>,
}

/// Binds `addr` and writes address and token down in the data folder.
pub(crate) fn listen(addr: SocketAddr, data: &Path, page: Option<String>) -> io::Result<Listening> {
    let listener = TcpListener::bind(addr)?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (access, key) = OperatorAccess::make(listener.local_addr()?, data, page)?;
    let unwritten = access.hang_out(&key).err().map(|error| {
        tracing::error!(
            "{}: operator.json: {error}; until it can be written, no command reaches this server",
            data.display()
        );
        key
    });
    Ok(Listening { listener, access, unwritten })
}

/// Where the page that is served at `addr` is for programs of this machine.
pub(crate) fn page_on_this_machine(addr: SocketAddr) -> String {
    let ip = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, addr.port()))
}

/// Writes the operator's key down as soon as the disk takes it.
pub(crate) async fn hang_out(access: OperatorAccess, key: Key) {
    let mut turns = tokio::time::interval(HANG_OUT_EVERY);
    loop {
        turns.tick().await;
        let (access, key) = (access.clone(), key.clone());
        let written = tokio::task::spawn_blocking(move || access.hang_out(&key)).await;
        if matches!(written, Ok(Ok(()))) {
            return tracing::info!("operator.json is written: commands reach this server");
        }
    }
}

/// Bytes of the largest body that the operator sends: a component.
const BODY_BYTES_MAX: usize = FILE_BYTES_MAX as usize;

/// Bytes beyond that which are taken so that the routes can say what is wrong.
const BEYOND: usize = 1 << 20;

/// What operators may send at once: two of the largest bodies.
pub(crate) fn share() -> Share {
    let largest = BODY_BYTES_MAX.saturating_add(BEYOND);
    Shares::new(largest.saturating_mul(2), largest, ConnectionsConfig::ANSWERS_BYTES).of_caller()
}

/// Everything that the operator's listener answers.
pub(crate) fn own_routes(operator: Operator, access: OperatorAccess) -> Router {
    Router::new()
        .nest("/operator", routes().route("/call", post(routes::call)))
        .fallback(routes::unknown)
        .method_not_allowed_fallback(other_method)
        .with_state(operator)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(access, access::check))
}

/// The same but for calls, for whom the guard lets in under `/api/operator`: tools are called on the public
/// listener as their caller may.
pub(crate) fn public_routes(operator: Operator) -> Router {
    routes()
        .route("/{*path}", any(routes::unknown))
        .with_state(operator)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn(access::check_scope))
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
