//! HTTP bodies in transit: size and time limits, and masking of secrets.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures::stream;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, StreamBody};
use parking_lot::Mutex;
use tokio::time::Instant;
use wasmtime_wasi_http::{Error, WasiBody};

use super::budget::{Budget, Report};
use base::grants::secret::Mask;

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
