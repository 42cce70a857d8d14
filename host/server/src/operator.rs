//! The operator's listener: on this machine only, for clients with the token of this start.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::Path,
    time::Duration,
};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{get, post},
};

use crate::http::{Front, operators};
use base::source::FILE_BYTES_MAX;
use calls::Calls;
use registry::control::Control;
use telemetry::{audit::Audit, metrics::Metrics};

mod access;
mod routes;

pub use access::Key;
pub(crate) use access::OperatorAccess;

/// How often to try to write the operator's key down.
const HANG_OUT_EVERY: Duration = Duration::from_secs(2);

/// What the operator's routes work on.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) control: Control,
    pub(crate) calls: Calls,
    pub(crate) metrics: Metrics,
    pub(crate) audit: Audit,
}

/// A bound listener, and the door that lets the operator in.
pub(crate) struct Listening {
    pub(crate) listener: tokio::net::TcpListener,
    pub(crate) access: OperatorAccess,
    /// What the disk did not take; to be written down as soon as it does.
    pub(crate) unwritten: Option<Key>,
}

/// Binds `addr` and writes address and token down in the data folder.
pub(crate) fn listen(addr: SocketAddr, data: &Path) -> io::Result<Listening> {
    if !addr.ip().is_loopback() {
        let why = "the operator is served on this machine only; 127.0.0.1:0 is right";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let listener = TcpListener::bind(addr)?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (access, key) = OperatorAccess::make(listener.local_addr()?, data)?;
    let unwritten = access.hang_out(&key).err().map(|error| {
        tracing::error!(
            "{}: operator.json: {error}; until it can be written, no command reaches this server",
            data.display()
        );
        key
    });
    Ok(Listening { listener, access, unwritten })
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

/// Everything that the operator is answered.
pub(crate) fn front(operator: Operator, access: OperatorAccess) -> Front {
    let most = usize::try_from(FILE_BYTES_MAX).unwrap_or(usize::MAX);
    let routes = Router::new()
        .route("/operator/components", get(routes::components))
        .route(
            "/operator/components/{name}",
            get(routes::component).post(routes::load).delete(routes::unload),
        )
        .route("/operator/components/{name}/rollback", post(routes::rollback))
        .route("/operator/components/{name}/accept", post(routes::accept))
        .route("/operator/call", post(routes::call))
        .route("/operator/metrics", get(routes::metrics))
        .route("/operator/audit", get(routes::audit))
        .fallback(routes::unknown)
        .method_not_allowed_fallback(routes::wrong_method)
        .with_state(operator)
        .layer(DefaultBodyLimit::max(most))
        .layer(middleware::from_fn_with_state(access, access::check));
    operators(routes, most)
}
