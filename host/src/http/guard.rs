//! What every request must pass: a name that is served here, no page from elsewhere, somebody who
//! may come in, and not too often.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    extract::{ConnectInfo, Request},
    response::Response,
};
use futures::{
    FutureExt,
    future::{Either, Ready, ready},
};
use http::{HeaderValue, Method, StatusCode, header};
use tokio_util::task::{TaskTracker, task_tracker::TrackedFuture};
use tower::{Layer, Service};

use super::{allowed::Allowed, cors, refusal};
use crate::{
    authorization::{
        Authority, Gateway, Shape, Stranger, Strangers, Unauthorized, too_many, unauthorized,
    },
    config::Config,
    metrics::{Metrics, Refused},
};

/// Who may address the server, from which pages, and as whom. One layer for all of it, and none
/// that puts its futures into boxes: every request pays for each.
#[derive(Clone)]
pub(crate) struct Guard {
    rules: Arc<Rules>,
    /// Counts requests until they are answered, so that a server that stops can wait.
    running: TaskTracker,
}

struct Rules {
    allowed: Allowed,
    authority: Authority,
    /// How often those may ask who are not known; none, as often as they like.
    strangers: Option<Strangers>,
    /// Where it is counted whom it turned away.
    metrics: Metrics,
    /// Who comes in by a password, where there is a chat.
    gateway: Option<Gateway>,
}

impl Guard {
    pub(crate) fn new(
        config: &Config,
        (running, metrics): (TaskTracker, Metrics),
        gateway: Option<Gateway>,
    ) -> Self {
        let rules = Rules {
            gateway,
            allowed: Allowed::new(config),
            authority: Authority::of(config),
            strangers: config.rate.as_ref().map(Strangers::new),
            metrics,
        };
        Self { rules: Arc::new(rules), running }
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

type Answer = Result<Response, Infallible>;
/// What a page elsewhere reads: the one kind of request that pays for a box.
type Elsewhere = Pin<Box<dyn Future<Output = Answer> + Send>>;

impl<S> Service<Request> for Guarded<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<Either<Ready<Answer>, TrackedFuture<S::Future>>, Elsewhere>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.routes.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let rules = &self.guard.rules;
        let authority = request.uri().authority().map(|it| it.as_str());
        let page = match rules.allowed.check(request.headers(), authority) {
            Ok(page) => page,
            Err(why) => {
                rules.metrics.refused(Refused::Address);
                return refused(refusal(StatusCode::FORBIDDEN, "forbidden", &why));
            }
        };
        if let Some(page) = page.clone().filter(|_| cors::is_preflight(&request)) {
            return refused(cors::preflight(page, request.headers()));
        }
        let answer = match rules.admit(&mut request) {
            Ok(()) => Either::Right(self.guard.running.track_future(self.routes.call(request))),
            Err(refusal) => Either::Left(ready(Ok(*refusal))),
        };
        match page {
            None => Either::Left(answer),
            Some(page) => Either::Right(readable(answer, page)),
        }
    }
}

fn refused<A, B>(response: Response) -> Either<Either<Ready<Answer>, A>, B> {
    Either::Left(Either::Left(ready(Ok(response))))
}

fn readable(answer: impl Future<Output = Answer> + Send + 'static, page: HeaderValue) -> Elsewhere {
    Box::pin(answer.map(|it| it.map(|it| cors::readable(it, page))))
}

impl Rules {
    /// Lets `request` in, with whoever sends it among its extensions; or says why not.
    fn admit(&self, request: &mut Request) -> Result<(), Box<Response>> {
        let asks_nobody = self.authority.is_open() && self.strangers.is_none();
        let shape = if asks_nobody { None } else { shape(request) };
        let result = shape.map_or(Ok(()), |it| self.identify(request, it));
        // Nobody behind this needs it, so nobody can give it away.
        request.headers_mut().remove(header::AUTHORIZATION);
        result
    }

    fn identify(&self, request: &mut Request, shape: Shape) -> Result<(), Box<Response>> {
        let found = self.authority.principal(request.headers());
        let taken = match (&found, &self.strangers) {
            (Ok(Some(principal)), _) => principal.rate.as_ref().map_or(Ok(()), |it| it.take()),
            (_, Some(strangers)) => strangers.take(peer(request)),
            (_, None) => Ok(()),
        };
        taken.map_err(|wait_ms| {
            self.metrics.refused(Refused::Rate);
            Box::new(too_many(shape, wait_ms))
        })?;
        match found {
            Ok(None) => {}
            Ok(Some(principal)) => _ = request.extensions_mut().insert(principal),
            // Whoever watches whether the server lives has no token; whoever knows the password of
            // the chat, which is asked for there, needs none.
            Err(Unauthorized::Missing) if self.is_for_strangers(request.uri().path()) => {
                request.extensions_mut().insert(Stranger);
            }
            Err(why) => {
                self.metrics.refused(Refused::Unauthorized);
                return Err(Box::new(unauthorized(shape, why)));
            }
        }
        Ok(())
    }

    fn is_for_strangers(&self, path: &str) -> bool {
        match path {
            "/api/health" => true,
            "/api/chat" | "/api/auth" => self.gateway.as_ref().is_some_and(|it| it.is_there()),
            _ => false,
        }
    }
}

/// How a refusal of `request` reads; nothing for the page's files, which are everybody's.
fn shape(request: &Request) -> Option<Shape> {
    let path = request.uri().path();
    match path {
        "/mcp" | "/rpc" => Some(Shape::JsonRpc),
        _ if path.starts_with("/api/") => Some(Shape::Rest),
        _ if matches!(*request.method(), Method::GET | Method::HEAD) => None,
        _ => Some(Shape::Rest),
    }
}

/// Where `request` comes from; told only where it matters.
fn peer(request: &Request) -> Option<IpAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|it| it.0.ip())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn only_the_files_of_the_page_are_everybodys() {
        let of = |method: &str, path: &str| {
            shape(&Request::builder().method(method).uri(path).body(Body::empty()).unwrap())
        };
        for path in ["/", "/index.html", "/seats", "/assets/app.js", "/api", "/f/abc"] {
            assert_eq!((of("GET", path), of("HEAD", path)), (None, None), "{path}");
            assert!(of("POST", path).is_some() && of("DELETE", path).is_some(), "{path}");
        }
        for path in ["/mcp", "/rpc", "/api/health", "/api/blobs/1", "/api/cinema/x", "/api/"] {
            for method in ["GET", "HEAD", "POST", "PUT", "OPTIONS"] {
                assert!(of(method, path).is_some(), "{method} {path}");
            }
        }
    }
}
