//! An answer as a stream of events (NAV-9).

use std::{convert::Infallible, time::Duration};

use axum::response::{
    IntoResponse, Response, Sse,
    sse::{Event, KeepAlive},
};
use futures::{Stream, StreamExt};
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Events that wait for a client that is slow to read.
pub(super) const WAITING_MAX: usize = 32;
/// How long it may be quiet, or a proxy on the way takes it for dead.
const QUIET: Duration = Duration::from_secs(10);

/// Whether a request wants its answer so.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepts = |it: &HeaderValue| {
        it.to_str().is_ok_and(|it| it.to_ascii_lowercase().contains("text/event-stream"))
    };
    headers.get_all(header::ACCEPT).iter().any(accepts)
}

/// One event; `data` has no line breaks.
pub(super) fn event(name: &str, data: &str) -> Event {
    Event::default().event(name).data(data)
}

/// These events as an answer.
pub(super) fn of(events: impl Stream<Item = Event> + Send + 'static) -> Response {
    let keep_alive = KeepAlive::new().interval(QUIET);
    let events = events.map(Ok::<_, Infallible>);
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    // Proxies that gather what they pass on would turn events into one answer.
    let name = HeaderName::from_static("x-accel-buffering");
    response.headers_mut().insert(name, HeaderValue::from_static("no"));
    response
}
