//! The budget of HTTP requests of one call, and their log line for the operator, which has no path, query or header;
//! and their bodies in transit: size and time limits, and masking of secrets.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures::stream;
use http::Method;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, StreamBody};
use parking_lot::Mutex;
use reqwest::Url;
use tokio::time::Instant;
use wasmtime_wasi_http::{Error, WasiBody};

use crate::capability::state::CallContext;
use base::{grants::secret::Mask, limits::Limits};
use telemetry::{Span, metrics::Tally};

/// Remaining HTTP budget of a call.
pub(super) struct Budget {
    requests: AtomicU32,
    bytes: AtomicU64,
    pub bytes_max: u64,
    pub timeout: Duration,
    /// Whether a request too many has been reported; the next thousand need no line each.
    is_reported: AtomicBool,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            requests: AtomicU32::new(limits.http_requests_max),
            bytes: AtomicU64::new(limits.http_bytes_max),
            bytes_max: limits.http_bytes_max,
            timeout: Duration::from_millis(limits.http_timeout_ms),
            is_reported: AtomicBool::new(false),
        }
    }

    /// Admits one more request of the call, or reports the limit that it exceeds. What limits requests in another way
    /// is checked here.
    pub(super) fn admit(&self, report: &Report) -> Result<(), Error> {
        if self.request() {
            return Ok(());
        }
        if self.is_first_too_many() {
            report.exceeded("http_requests_max");
        }
        Err(Error::ConnectionLimitReached)
    }

    /// Leave for one more request.
    fn request(&self) -> bool {
        let one_less = |left: u32| left.checked_sub(1);
        self.requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less).is_ok()
    }

    /// Whether this is the first time that a request is one too many.
    fn is_first_too_many(&self) -> bool {
        !self.is_reported.swap(true, Ordering::AcqRel)
    }

    /// Leave for `bytes` more; once there is none, there stays none.
    pub(super) fn bytes(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        let fits = self.bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok();
        if !fits {
            self.bytes.store(0, Ordering::Release);
        }
        fits
    }

    /// Bytes that may still be moved.
    pub(super) fn bytes_left(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }
}

/// The component and call that send the requests.
#[derive(Clone)]
pub(super) struct Report {
    pub component: Arc<str>,
    call: u64,
    pub span: Span,
    pub tally: Arc<Tally>,
}

impl Report {
    pub(super) fn new(context: &CallContext) -> Self {
        Self {
            component: context.component.clone(),
            call: context.round.call_id,
            span: context.round.span.clone(),
            tally: context.setup.tally.clone(),
        }
    }

    pub(super) fn warn(&self, method: &Method, url: &Url, what: &str, why: &str) {
        let (component, call, to) = (&*self.component, self.call, HostPort(url));
        tracing::warn!(target: "guest", component, call, "{method} {to} {what}: {why}");
    }

    pub(super) fn answered(&self, method: &Method, url: &Url, status: u16) {
        let (component, call, to) = (&*self.component, self.call, HostPort(url));
        tracing::debug!(target: "guest", component, call, status, "{method} {to} was answered");
    }

    pub(super) fn exceeded(&self, limit: &'static str) {
        let (component, call) = (&*self.component, self.call);
        tracing::warn!(
            target: "guest",
            component,
            call,
            limit,
            "an outgoing request exceeded {limit} and was ended; the operator can raise it under [components.{component}.limits]"
        );
    }
}

/// Scheme, host and port, and nothing that could carry a secret.
struct HostPort<'a>(&'a Url);

impl std::fmt::Display for HostPort<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(url) = self;
        write!(f, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
        url.port().map_or(Ok(()), |it| write!(f, ":{it}"))
    }
}

/// The body of a request that the component sends.
pub(super) struct Outgoing {
    /// Never contended: it makes the body `Sync`, which the client asks for.
    pub body: Mutex<WasiBody>,
    pub budget: Arc<Budget>,
}

/// The body is one byte more than the call may send.
#[derive(Debug, thiserror::Error)]
#[error("the body is more than the call may send")]
pub(super) struct TooMuch;

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let body = self.body.get_mut();
        let polled = std::task::ready!(Pin::new(body).poll_frame(cx));
        Poll::Ready(polled.map(|frame| {
            let frame = frame?;
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            if self.budget.bytes(bytes as u64) { Ok(frame) } else { Err(TooMuch.into()) }
        }))
    }

    fn size_hint(&self) -> SizeHint {
        self.body.lock().size_hint()
    }

    fn is_end_stream(&self) -> bool {
        self.body.lock().is_end_stream()
    }
}

/// The body of a host's answer.
pub(super) struct Incoming {
    pub body: reqwest::Body,
    pub budget: Arc<Budget>,
    pub report: Report,
    pub mask: Mask,
    pub deadline: Instant,
    /// Time that the component allows between two pieces.
    pub pause: Option<Duration>,
}

/// Read state of a body.
struct Reading {
    from: Incoming,
    /// Time of the last piece.
    last: Instant,
    /// Bytes held back: they may be the beginning of a secret.
    held: BytesMut,
    is_over: bool,
}

impl Incoming {
    /// The body as the component may read it.
    pub(super) fn into_body(self) -> impl Body<Data = Bytes, Error = Error> + Send {
        let held = BytesMut::new();
        let reading = Reading { from: self, last: Instant::now(), held, is_over: false };
        StreamBody::new(stream::try_unfold(reading, Reading::next))
    }
}

impl Reading {
    /// The next piece of which it is certain that it holds no part of a secret.
    async fn next(mut self) -> Result<Option<(Frame<Bytes>, Self)>, Error> {
        while !self.is_over {
            let bytes = match self.frame().await? {
                Some(frame) if self.from.mask.is_empty() => return Ok(Some((frame, self))),
                // Trailers could carry a secret, and are not needed.
                Some(frame) => self.release(&frame.into_data().unwrap_or_default()),
                None => {
                    self.is_over = true;
                    self.held.split().freeze()
                }
            };
            // An empty piece would mean to wasi:io that nothing is there yet.
            if !bytes.is_empty() {
                return Ok(Some((Frame::data(bytes), self)));
            }
        }
        Ok(None)
    }

    /// The next piece as it comes, or why there is none.
    async fn frame(&mut self) -> Result<Option<Frame<Bytes>>, Error> {
        let Incoming { body, budget, report, deadline, pause, .. } = &mut self.from;
        let until = pause.map_or(*deadline, |it| (self.last + it).min(*deadline));
        let in_time = Instant::now() < *deadline;
        let frame = tokio::time::timeout_at(until, body.frame()).await;
        let frame = match frame {
            Ok(frame) if in_time => frame,
            Err(_) if in_time && until < *deadline => return Err(Error::ConnectionReadTimeout),
            _ => {
                report.exceeded("http_timeout_ms");
                return Err(Error::HttpResponseTimeout);
            }
        };
        self.last = Instant::now();
        let Some(frame) = frame else { return Ok(None) };
        let frame = frame.map_err(|_| Error::HttpResponseIncomplete)?;
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        if budget.bytes(bytes as u64) {
            return Ok(Some(frame));
        }
        report.exceeded("http_bytes_max");
        Err(Error::HttpResponseBodySize(Some(budget.bytes_max)))
    }

    /// Returns the part that certainly holds no part of a secret.
    fn release(&mut self, bytes: &[u8]) -> Bytes {
        self.held.extend_from_slice(bytes);
        self.from.mask.bytes(&mut self.held);
        let certain = self.held.len() - self.from.mask.secret_prefix_len(&self.held);
        self.held.split_to(certain).freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_grants_no_more_than_it_holds() {
        let limits = Limits { http_requests_max: 1, http_bytes_max: 10, ..Limits::default() };
        let budget = Budget::new(&limits);
        assert!(budget.request() && !budget.request() && !budget.request());
        assert!(budget.is_first_too_many() && !budget.is_first_too_many());
        assert!(budget.bytes(10) && budget.bytes(0) && !budget.bytes(1));
        let budget = Budget::new(&limits);
        assert!(!budget.bytes(11) && !budget.bytes(1), "what was too much ends it");
    }
}
