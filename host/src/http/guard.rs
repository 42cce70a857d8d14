//! What every request must pass: a name that is served here, and no page from elsewhere.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{extract::Request, response::Response};
use futures::future::{Either, Ready, ready};
use http::{HeaderMap, StatusCode, header};
use tokio_util::task::{TaskTracker, task_tracker::TrackedFuture};
use tower::{Layer, Service};

use super::refusal;
use crate::config::Config;

/// Who may address the server, and from which pages. One layer for all of it, and none that puts
/// its futures into boxes: every request pays for each.
#[derive(Clone)]
pub(crate) struct Guard {
    allowed: Arc<Allowed>,
    /// Counts requests until they are answered, so that a server that stops can wait.
    running: TaskTracker,
}

struct Allowed {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Guard {
    pub(crate) fn new(config: &Config, running: TaskTracker) -> Self {
        let origins = config.allowed_origins.iter().map(|it| it.to_lowercase()).collect();
        Self { allowed: Arc::new(Allowed { hosts: hosts(config), origins }), running }
    }
}

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, routes: S) -> Guarded<S> {
        Guarded { guard: self.clone(), routes }
    }
}

/// Routes behind a guard.
#[derive(Clone)]
pub(crate) struct Guarded<S> {
    guard: Guard,
    routes: S,
}

impl<S: Service<Request, Response = Response, Error = Infallible>> Service<Request> for Guarded<S> {
    type Response = Response;
    type Error = Infallible;
    type Future = Either<Ready<Result<Response, Infallible>>, TrackedFuture<S::Future>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.routes.poll_ready(context)
    }

    /// Refuses what a page elsewhere, or a name that was bound to this machine behind the user's
    /// back, would send (DNS rebinding).
    fn call(&mut self, request: Request) -> Self::Future {
        let authority = request.uri().authority().map(|it| it.as_str());
        match self.guard.allowed.check(request.headers(), authority) {
            Ok(()) => Either::Right(self.guard.running.track_future(self.routes.call(request))),
            Err(why) => Either::Left(ready(Ok(refusal(StatusCode::FORBIDDEN, "forbidden", &why)))),
        }
    }
}

fn hosts(config: &Config) -> Vec<String> {
    let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
    if !config.addr.ip().is_unspecified() {
        hosts.push(host_of(&config.addr.to_string()).to_owned());
    }
    hosts.extend(config.allowed_hosts.iter().map(|it| it.to_lowercase()));
    hosts
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
