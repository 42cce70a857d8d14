//! The server's routes, and what every request must pass first.

use std::sync::Arc;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use http::{HeaderMap, StatusCode, header};
use serde_json::json;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) mod mend;

use crate::{
    api,
    blobs::Blobs,
    calls::Calls,
    config::Config,
    mcp::{
        McpServer,
        thin::{self, Answers, Thin},
    },
    page,
};

/// What the routes work on.
pub(crate) struct Routes {
    pub(crate) mcp: McpServer,
    pub(crate) calls: Calls,
    pub(crate) rpc: api::rpc::Rpc,
    pub(crate) health: api::health::Health,
    pub(crate) blobs: Blobs,
    pub(crate) endpoints: api::endpoints::Endpoints,
    pub(crate) hang_up: CancellationToken,
    pub(crate) running: TaskTracker,
}

/// Who may address the server, and from which pages.
struct Allowed {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// Counts requests until they are answered, so that a server that stops can wait.
    running: TaskTracker,
}

/// Everything that the server answers.
pub(crate) fn router(config: &Config, routes: Routes) -> Router {
    let mended = middleware::from_fn_with_state(config.body_bytes_max, mend::mend);
    let rpc = post(api::rpc::answer).with_state(routes.rpc).layer(mended);
    let endpoints = get(api::endpoints::answer).with_state(routes.endpoints);
    let all = mcp(config, routes.calls, &routes.mcp, routes.hang_up)
        .route("/rpc", rpc)
        .route("/api/health", get(api::health::answer).with_state(routes.health))
        .route("/api/blobs", post(api::blobs::put).with_state(routes.blobs.clone()))
        .route("/api/blobs/{id}", get(api::blobs::get).with_state(routes.blobs))
        .route("/api/{component}", endpoints.clone())
        .route("/api/{component}/{*path}", endpoints)
        .fallback(page::answer);
    guarded(config, all, routes.running)
}

/// `/mcp`, with `answers` behind it on the short way and the SDK on the long one.
pub(crate) fn mcp<A: Answers>(
    config: &Config,
    answers: A,
    sdk: &McpServer,
    hang_up: CancellationToken,
) -> Router {
    let body_bytes_max = config.body_bytes_max;
    let sdk = sdk.over_http(body_bytes_max, hang_up);
    let thin = Arc::new(Thin { answers, sdk, body_bytes_max, is_on: config.thin_path });
    Router::new().route("/mcp", any(thin::answer::<A>).with_state(thin))
}

/// `routes` behind what every request must pass.
pub(crate) fn guarded(config: &Config, routes: Router, running: TaskTracker) -> Router {
    let allowed = Allowed {
        hosts: hosts(config),
        origins: config.allowed_origins.iter().map(|it| it.to_lowercase()).collect(),
        running,
    };
    // One layer for all of it: each costs every request a box or two.
    routes
        .layer(DefaultBodyLimit::max(config.body_bytes_max))
        .layer(middleware::from_fn_with_state(Arc::new(allowed), check))
}

fn hosts(config: &Config) -> Vec<String> {
    let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
    if !config.addr.ip().is_unspecified() {
        hosts.push(host_of(&config.addr.to_string()).to_owned());
    }
    hosts.extend(config.allowed_hosts.iter().map(|it| it.to_lowercase()));
    hosts
}

/// Refuses what a page elsewhere, or a name that was bound to this machine behind the user's
/// back, would send (DNS rebinding).
async fn check(State(allowed): State<Arc<Allowed>>, request: Request, next: Next) -> Response {
    let _running = allowed.running.token();
    match allowed.check(request.headers(), request.uri().authority().map(|it| it.as_str())) {
        Ok(()) => next.run(request).await,
        Err(message) => refusal(StatusCode::FORBIDDEN, "forbidden", &message),
    }
}

impl Allowed {
    fn check(&self, headers: &HeaderMap, authority: Option<&str>) -> Result<(), String> {
        let text = |name| headers.get(name).and_then(|it: &http::HeaderValue| it.to_str().ok());
        let host = authority.or_else(|| text(header::HOST)).unwrap_or_default().to_lowercase();
        if !self.hosts.iter().any(|it| *it == host || it == host_of(&host)) {
            return Err(format!(
                "Host {host:?} is not served here; add it to allowed_hosts in the configuration."
            ));
        }
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default().to_lowercase();
        let own = origin.split_once("://").is_some_and(|(_, it)| it == host);
        if own || self.origins.contains(&origin) {
            return Ok(());
        }
        Err(format!(
            "Pages of {origin:?} may not talk to this server; add it to allowed_origins in the configuration."
        ))
    }
}

/// A host without its port.
pub(crate) fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|it| it.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// An error as REST has them.
pub(crate) fn refusal(status: StatusCode, error: &str, message: &str) -> Response {
    let body = json!({ "error": error, "message": message, "status": status.as_u16() });
    (status, axum::Json(body)).into_response()
}

/// The same with status 503 and the time to come back, in whole seconds.
pub(crate) fn retry_after(mut response: Response, ms: u64) -> Response {
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(header::RETRY_AFTER, ms.div_ceil(1_000).max(1).into());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>) -> Result<(), String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        let hosts = hosts(&Config::defaults());
        let origins = vec!["https://app.example".to_owned()];
        Allowed { hosts, origins, running: TaskTracker::new() }.check(&headers, None)
    }

    #[test]
    fn the_own_page_and_clients_without_a_page_may_talk_and_others_may_not() {
        assert_eq!(check("127.0.0.1:8808", None), Ok(()));
        assert_eq!(check("localhost:8808", Some("http://localhost:8808")), Ok(()));
        assert_eq!(check("[::1]:8808", Some("http://[::1]:8808")), Ok(()));
        assert_eq!(check("localhost:8808", Some("https://app.example")), Ok(()));
        assert!(check("localhost:8808", Some("http://evil.example")).is_err());
        assert!(check("localhost:8808", Some("http://localhost:9999")).is_err());
        assert!(check("localhost:8808", Some("null")).is_err());
    }

    #[test]
    fn a_name_bound_to_this_machine_from_outside_is_refused() {
        let message = check("evil.example:8808", Some("http://evil.example:8808")).unwrap_err();
        assert!(message.contains("allowed_hosts"), "{message}");
    }
}
