//! The layer between connections and routes: accepts or refuses each request before its body is read, and adds common
//! response headers.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{self, Context, Poll},
    time::SystemTime,
};

use axum::{Router, extract::Request, response::Response, routing::future::RouteFuture};
use futures::future::{Either, Ready, ready};
use http::{HeaderValue, header, request::Parts};
use hyper::body::{Body as _, Incoming};
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TrackedFuture},
};
use tower::Service as _;

use super::{
    allowed,
    body::{Answer, End, Long, Metered},
    guard::{Guard, NotPassed, Pass, Resolved, TOO_LARGE, is_probe},
    resource::ProtectedResource,
    state::{Failure, Order, State},
};
use base::call::Failure as Refusal;
use calls::{
    authorization::{Shape, Unauthorized, refusal, unauthorized},
    outcome::retry_after,
    shares::Share,
};

/// Retry delay without free memory, in milliseconds.
const FULL_WAIT_MS: u64 = 1_000;
/// Retry delay while the server stops, in milliseconds.
const STOPPED_WAIT_MS: u64 = 1_000;

/// Routes, and what guards them.
#[derive(Clone)]
pub(crate) struct Front(Arc<Inner>);

struct Inner {
    routes: Router,
    /// `None` where routes authenticate themselves, as the operator's do.
    guard: Option<Guard>,
    /// Share of bodies without a guard.
    share: Share,
    /// Counts requests until they are answered, so that a server that stops can wait.
    running: TaskTracker,
}

impl Front {
    /// `routes` behind `guard`; without one, all bodies are of `share`.
    pub(crate) fn new(
        routes: Router,
        guard: Option<Guard>,
        share: Share,
        running: TaskTracker,
    ) -> Self {
        // Once and not for each request.
        let routes = routes.with_state(());
        Self(Arc::new(Inner { routes, guard, share, running }))
    }

    /// The service of one connection.
    pub(super) fn served(&self, state: Arc<State>) -> Served {
        Served { front: self.clone(), state }
    }
}

/// A connection's way to the routes.
pub(super) struct Served {
    front: Front,
    state: Arc<State>,
}

impl hyper::service::Service<http::Request<Incoming>> for Served {
    type Response = http::Response<Answer>;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, request: http::Request<Incoming>) -> Answering {
        self.state.begin();
        let front = &self.front;
        let (mut parts, incoming) = request.into_parts();
        let resource = front.0.guard.as_ref().and_then(Guard::resource);
        let resource = resource.map(|it| (it.clone(), it.place_of(parts.uri.path())));
        let (answer, pass, later) = match front.pass(&mut parts, &self.state, None) {
            Ok(pass) => {
                let (answer, pass) = front.answer(parts, incoming, &self.state, Ok(pass));
                (answer, pass, None)
            }
            Err(NotPassed::Away(refusal)) => {
                let (answer, pass) = front.answer(parts, incoming, &self.state, Err(refusal));
                (answer, pass, None)
            }
            Err(NotPassed::Later) => {
                let later = front.clone().later(parts, incoming, self.state.clone());
                let none = Either::Left(ready(Ok(Response::default())));
                (none, Pass::operators(front.0.share.clone()), Some(Box::pin(later) as Later))
            }
        };
        let Pass { share, shape, expires, ended, held, page, under_way, .. } = pass;
        let ending = (expires, ended);
        let end = Some(End { state: self.state.clone(), share, under_way });
        let state = self.state.clone();
        Answering { later, answer, state, end, shape, ending, held, page, resource }
    }
}

impl Front {
    fn pass(
        &self,
        parts: &mut Parts,
        state: &State,
        resolved: Option<Resolved>,
    ) -> Result<Pass, NotPassed> {
        match &self.0.guard {
            Some(guard) => guard.pass(parts, state.peer, resolved),
            None => Ok(Pass::operators(self.0.share.clone())),
        }
    }

    /// Response to an accepted or refused request.
    fn answer(
        &self,
        parts: Parts,
        incoming: Incoming,
        state: &Arc<State>,
        pass: Result<Pass, Box<Response>>,
    ) -> (Routed, Pass) {
        let is_over = state.order() >= Order::Refuse && !is_probe(parts.uri.path());
        match pass {
            Ok(pass) if is_over => {
                if !incoming.is_end_stream() {
                    state.leave_unread();
                }
                (Either::Left(ready(Ok(stopping(pass.shape)))), pass)
            }
            Ok(pass) => {
                let body = Metered::body(incoming, state, &pass);
                let answer = self.0.routes.clone().call(Request::from_parts(parts, body));
                (Either::Right(self.0.running.track_future(answer)), pass)
            }
            Err(refusal) => {
                if !incoming.is_end_stream() {
                    state.leave_unread();
                }
                (Either::Left(ready(Ok(*refusal))), Pass::operators(self.0.share.clone()))
            }
        }
    }

    /// Response after an identity provider has identified the sender. The body is not read before.
    async fn later(
        self,
        mut parts: Parts,
        incoming: Incoming,
        state: Arc<State>,
    ) -> (Routed, Pass) {
        let resolved = match &self.0.guard {
            Some(guard) => Some(guard.resolve(&parts.headers, state.peer).await),
            None => None,
        };
        let pass = match self.pass(&mut parts, &state, resolved) {
            Ok(pass) => Ok(pass),
            Err(NotPassed::Away(refusal)) => Err(refusal),
            Err(NotPassed::Later) => {
                Err(Box::new(unauthorized(Shape::Rest, Unauthorized::Unresolved)))
            }
        };
        self.answer(parts, incoming, &state, pass)
    }
}

/// Immediate response or that of the routes.
type Routed = Either<Ready<Result<Response, Infallible>>, TrackedFuture<RouteFuture<Infallible>>>;
/// Response after authentication.
type Later = Pin<Box<dyn Future<Output = (Routed, Pass)> + Send>>;

pin_project_lite::pin_project! {
    /// A request that is being answered.
    pub(super) struct Answering {
        later: Option<Later>,
        #[pin]
        answer: Routed,
        state: Arc<State>,
        end: Option<End>,
        shape: Shape,
        ending: (Option<SystemTime>, Option<CancellationToken>),
        held: Option<Arc<[String]>>,
        page: Option<HeaderValue>,
        // With the number of the address that is asked.
        resource: Option<(Arc<ProtectedResource>, usize)>,
    }
}

impl Future for Answering {
    type Output = Result<http::Response<Answer>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Some(later) = this.later.as_mut() {
            let (answer, pass) = task::ready!(later.as_mut().poll(context));
            *this.later = None;
            this.answer.set(answer);
            (*this.shape, *this.page) = (pass.shape, pass.page);
            (*this.ending, *this.held) = ((pass.expires, pass.ended), pass.held);
            if let Some(end) = this.end.as_mut() {
                (end.share, end.under_way) = (pass.share, pass.under_way);
            }
        }
        let Ok(response) = task::ready!(this.answer.poll(context));
        // The actual cause, whatever the handler made of the incomplete body.
        let mut response = match this.state.failure() {
            Failure::None => response,
            failure => unread(failure, *this.shape),
        };
        let long = response.extensions_mut().remove::<Long>();
        if let (Some(long), Some(end)) = (long, this.end.as_ref())
            && !long.count(&end.share)
        {
            response = unsent(*this.shape);
        }
        if let Some((resource, place)) = this.resource.take() {
            let held = this.held.as_deref().unwrap_or_default();
            response = resource.challenge(response, (place, held));
        }
        if let Some(page) = this.page.take() {
            response = allowed::readable(response, page);
        }
        let headers = response.headers_mut();
        if !headers.contains_key(header::X_CONTENT_TYPE_OPTIONS) {
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        }
        if this.state.has_unread() || this.state.order() >= Order::Leave {
            // The connection ends once this is sent: nothing more is to be asked on it.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let ending = if is_stream(&response) { std::mem::take(this.ending) } else { (None, None) };
        let Some(end) = this.end.take() else { return Poll::Pending };
        Poll::Ready(Ok(Answer::wrap(response, ending, end)))
    }
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream"))
}

/// Response while the server stops.
fn stopping(shape: Shape) -> Response {
    let why = "The server is stopping; call again in a moment.";
    refusal(shape, &Refusal::new("unavailable", 503, why).with("retry_after_ms", STOPPED_WAIT_MS))
}

/// The answer in place of a long one for which there is no room.
fn unsent(shape: Shape) -> Response {
    let why = "What was asked for may have been done, but too many long answers are waiting to be read; read those to their end and ask again in a second, or let the operator raise answers_bytes_max under [connections].";
    refusal(shape, &Refusal::new("busy", 503, why).with("retry_after_ms", FULL_WAIT_MS))
}

/// Response to a request with an abandoned body.
fn unread(failure: Failure, shape: Shape) -> Response {
    let (error, status, message) = match failure {
        Failure::Large => ("payload_too_large", 413, TOO_LARGE),
        Failure::Full => {
            let message = "Too much is being sent at once; send it again in a second, or let the operator raise bodies_bytes_max under [connections].";
            ("busy", 503, message)
        }
        Failure::Slow | Failure::None => {
            let message = "The body comes too slowly; send it again, or let the operator change body_s or body_bytes_per_s_min under [connections].";
            ("timeout", 408, message)
        }
    };
    let mut response = refusal(shape, &Refusal::new(error, status, message));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    match failure {
        Failure::Full => retry_after(response, FULL_WAIT_MS),
        _ => response,
    }
}
