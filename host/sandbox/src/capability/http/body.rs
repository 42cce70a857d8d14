//! Bodies on their way: counted, held to their time, and freed of secrets.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep};
use wasmtime_wasi_http::{Error, WasiBody};

use super::budget::{Budget, Report};
use base::grants::secret::Mask;

/// What the component sends.
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

/// What a host answers.
pub(super) struct Incoming {
    pub body: reqwest::Body,
    pub budget: Arc<Budget>,
    pub report: Report,
    pub mask: Mask,
    /// Bytes held back: they may be the beginning of a secret.
    held: BytesMut,
    /// What comes after the bytes held back.
    next: Option<Frame<Bytes>>,
    deadline: Pin<Box<Sleep>>,
    /// Time that the component allows between two pieces.
    pause: Option<(Duration, Pin<Box<Sleep>>)>,
    is_over: bool,
}

impl Incoming {
    pub(super) fn new(
        body: reqwest::Body,
        budget: Arc<Budget>,
        report: Report,
        mask: Mask,
        deadline: Instant,
        pause: Option<Duration>,
    ) -> Self {
        let pause = pause.map(|it| (it, Box::pin(tokio::time::sleep(it))));
        let (held, deadline) = (BytesMut::new(), Box::pin(tokio::time::sleep_until(deadline)));
        Self { body, budget, report, mask, held, next: None, deadline, pause, is_over: false }
    }

    /// The next piece, or why there is none; sets down that it was the last.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if self.deadline.as_mut().poll(cx).is_ready() {
            self.report.exceeded("http_timeout_ms");
            return Poll::Ready(Some(Err(Error::HttpResponseTimeout)));
        }
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) else {
            if let Some((_, pause)) = &mut self.pause
                && pause.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(Some(Err(Error::ConnectionReadTimeout)));
            }
            return Poll::Pending;
        };
        if let Some((time, pause)) = &mut self.pause {
            pause.as_mut().reset(Instant::now() + *time);
        }
        Poll::Ready(frame.map(|frame| {
            let frame = frame.map_err(|_| Error::HttpResponseIncomplete)?;
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            if self.budget.bytes(bytes as u64) {
                return Ok(frame);
            }
            self.report.exceeded("http_bytes_max");
            Err(Error::HttpResponseBodySize(Some(self.budget.bytes_max)))
        }))
    }

    /// As much of what has come as is certain to hold no part of a secret.
    fn release(&mut self, bytes: &[u8]) -> Bytes {
        self.held.extend_from_slice(bytes);
        self.mask.bytes(&mut self.held);
        let certain = self.held.len() - self.mask.begun(&self.held);
        self.held.split_to(certain).freeze()
    }
}

impl Body for Incoming {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = &mut *self;
        loop {
            if let Some(frame) = this.next.take() {
                return Poll::Ready(Some(Ok(frame)));
            }
            if this.is_over {
                return Poll::Ready(None);
            }
            match std::task::ready!(this.poll_next(cx)) {
                Some(Ok(frame)) if this.mask.is_empty() => return Poll::Ready(Some(Ok(frame))),
                Some(Ok(frame)) => {
                    // Trailers could carry a secret, and are not needed.
                    let bytes = this.release(&frame.into_data().unwrap_or_default());
                    // An empty piece would mean to wasi:io that nothing is there yet.
                    if !bytes.is_empty() {
                        return Poll::Ready(Some(Ok(Frame::data(bytes))));
                    }
                }
                Some(Err(error)) => {
                    this.is_over = true;
                    this.body = reqwest::Body::default();
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    this.is_over = true;
                    if !this.held.is_empty() {
                        this.next = Some(Frame::data(this.held.split().freeze()));
                    }
                }
            }
        }
    }
}
