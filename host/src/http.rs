//! The server's routes, and what every request must pass first.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http::{HeaderMap, StatusCode, header};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use serde_json::json;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

mod mend;

use crate::{api, config::Config, mcp::McpServer, page};

/// How long a legacy client may come back for an answer that it has missed. A minute, as the SDK
/// has it, let a peer's memory grow from 27 to 717 MiB in three minutes.
const FINISHED_KEPT: Duration = Duration::from_secs(5);

/// What the routes work on.
pub(crate) struct Routes {
    pub(crate) mcp: McpServer,
    pub(crate) rpc: api::rpc::Rpc,
    pub(crate) health: api::health::Health,
    pub(crate) hang_up: CancellationToken,
    pub(crate) running: TaskTracker,
}

/// Who may address the server, and from which pages.
struct Allowed {
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Everything that the server answers.
pub(crate) fn router(config: &Config, routes: Routes) -> Router {
    let server = routes.mcp;
    // Hosts and origins are checked below, for every route alike.
    let mcp_config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true)
        .with_max_request_body_bytes(config.body_bytes_max)
        .with_cancellation_token(routes.hang_up);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.completed_cache_ttl = FINISHED_KEPT;
    let mcp =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), mcp_config);
    let allowed = Allowed {
        hosts: hosts(config),
        origins: config.allowed_origins.iter().map(|it| it.to_lowercase()).collect(),
    };
    Router::new()
        .route_service("/mcp", mcp)
        .route("/rpc", post(api::rpc::answer).with_state(routes.rpc))
        .layer(middleware::from_fn_with_state(config.body_bytes_max, mend::mend))
        .route("/api/health", get(api::health::answer).with_state(routes.health))
        .fallback(page::answer)
        .layer(DefaultBodyLimit::max(config.body_bytes_max))
        .layer(middleware::from_fn_with_state(routes.running, count))
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

/// Counts a request as running until its answer is there, so that a server that stops can wait.
async fn count(State(running): State<TaskTracker>, request: Request, next: Next) -> Response {
    let _running = running.token();
    next.run(request).await
}

/// Refuses what a page elsewhere, or a name that was bound to this machine behind the user's
/// back, would send (DNS rebinding).
async fn check(State(allowed): State<Arc<Allowed>>, request: Request, next: Next) -> Response {
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
        Allowed { hosts, origins }.check(&headers, None)
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
