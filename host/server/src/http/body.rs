//! Bodies in transit. Request bodies have size, time and caller limits. Response bodies end with their listener's token
//! and are counted until sent if long.

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::SystemTime,
};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::{
    guard::Pass,
    state::{Failure, State},
};
use calls::shares::{Held, Share, UnderWay};

/// Bytes of an answer up to which it is not counted.
const SHORT_BYTES: usize = 64 << 10;

/// The body of a request.
pub(super) struct Metered {
    incoming: Incoming,
    state: Arc<State>,
    /// Share that its bytes count to while kept.
    share: Option<Share>,
    bytes_max: usize,
    /// Whether its end has come; of one in chunks its length is not known.
    is_read: bool,
}

impl Metered {
    /// Wraps a request body. The result is empty if the body is.
    pub(super) fn body(incoming: Incoming, state: &Arc<State>, pass: &Pass) -> Body {
        if incoming.is_end_stream() {
            return Body::empty();
        }
        let share = pass.is_kept.then(|| pass.share.clone());
        let bytes_max = pass.bytes_max;
        Body::new(Self { incoming, state: state.clone(), share, bytes_max, is_read: false })
    }

    /// Counts a piece and returns an error if over the limit.
    fn count(&self, bytes: usize) -> Option<Failure> {
        self.state.body_received(bytes);
        if self.state.received() > self.bytes_max {
            return Some(Failure::Large);
        }
        if !self.share.as_ref()?.take(bytes) {
            return Some(Failure::Full);
        }
        self.state.hold(bytes);
        None
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        // Nothing waits for it.
        self.state.body_received(0);
        if !self.is_read && !self.incoming.is_end_stream() {
            self.state.leave_unread();
        }
    }
}

impl HttpBody for Metered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // The connection sends the error.
        let failed = |failure| {
            let why = format!("the body is not read any further: {failure:?}");
            Poll::Ready(Some(Err(axum::Error::new(why))))
        };
        match self.state.failure() {
            Failure::None => {}
            failure => return failed(failure),
        }
        let frame = match Pin::new(&mut self.incoming).poll_frame(context) {
            Poll::Pending => {
                self.state.wait_for_body();
                return Poll::Pending;
            }
            Poll::Ready(frame) => frame,
        };
        self.is_read = frame.is_none();
        let bytes = match &frame {
            Some(Ok(it)) => it.data_ref().map_or(0, Bytes::len),
            _ => 0,
        };
        match self.count(bytes) {
            None => Poll::Ready(frame.map(|it| it.map_err(axum::Error::new))),
            Some(failure) => {
                self.state.fail(failure);
                failed(failure)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

/// Ends a request and releases its body's bytes with its response.
pub(super) struct End {
    pub(super) state: Arc<State>,
    pub(super) share: Share,
    /// Its place among the answers of its sender.
    pub(super) under_way: Option<UnderWay>,
}

impl Drop for End {
    fn drop(&mut self) {
        drop(self.under_way.take());
        match self.state.end() {
            0 => {}
            held => self.share.give_back(held),
        }
    }
}

/// Marks a long in-memory response before compression, so that it is counted.
pub(super) fn noted(response: Response) -> Response {
    let length = response.body().size_hint().exact().and_then(|it| usize::try_from(it).ok());
    let Some(bytes) = length.filter(|it| *it > SHORT_BYTES) else { return response };
    let held = Arc::new(OnceLock::new());
    let mut response = response.map(|body| Body::new(Counted { body, held: held.clone() }));
    response.extensions_mut().insert(Long { bytes, held });
    response
}

/// Marker of a long response.
#[derive(Clone)]
pub(super) struct Long {
    bytes: usize,
    /// Its held bytes, once counted.
    held: Arc<OnceLock<Held>>,
}

impl Long {
    /// Counts the answer as one of `share` until the last of its bytes is dropped; whether there is room for it.
    pub(super) fn count(&self, share: &Share) -> bool {
        share.hold_answer(self.bytes).is_some_and(|it| self.held.set(it).is_ok())
    }
}

/// The body of a long answer.
struct Counted {
    body: Body,
    held: Arc<OnceLock<Held>>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        // The connection keeps the bytes for longer than the body.
        let counted = |bytes| Bytes::from_owner(CountedBytes { bytes, _held: self.held.clone() });
        frame.map(|it| it.map(|it| it.map(|it| it.map_data(counted))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes of a long answer.
struct CountedBytes {
    bytes: Bytes,
    _held: Arc<OnceLock<Held>>,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The body of an answer.
pub(super) struct Answer {
    body: Body,
    /// Hard end of the response.
    until: Option<Pin<Box<Sleep>>>,
    /// And what ends it before that.
    ended: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    _end: End,
}

impl Answer {
    /// `response`, which ends its request with itself, and at `expires` or with `ended` at the latest.
    pub(super) fn wrap(
        response: Response,
        (expires, ended): (Option<SystemTime>, Option<CancellationToken>),
        end: End,
    ) -> http::Response<Self> {
        let ended = ended.map(|it| Box::pin(it.cancelled_owned()));
        let until = expires.map(|expiry| {
            let left = expiry.duration_since(SystemTime::now()).unwrap_or_default();
            Box::pin(tokio::time::sleep(left))
        });
        response.map(|body| Self { body, until, ended, _end: end })
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(until) = &mut self.until
            && until.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        if let Some(ended) = &mut self.ended
            && ended.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use calls::shares::Shares;

    fn answer(bytes: usize) -> Response {
        noted(Response::new(Body::from(vec![b'x'; bytes])))
    }

    #[tokio::test]
    async fn counts_long_answer_until_it_is_sent() {
        let share = Shares::new(0, 0, 2 << 20).of_caller();
        let mut long = answer(1 << 20);
        let note = long.extensions_mut().remove::<Long>().expect("it is long");
        assert!(note.count(&share));
        drop(note);
        assert_eq!(long.body().size_hint().exact(), Some(1 << 20));
        let bytes = long.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(bytes.len(), 1 << 20);
        let other = answer(SHORT_BYTES + 1).extensions_mut().remove::<Long>().unwrap();
        assert!(!other.count(&share), "its body has ended, its bytes are not sent");
        drop(bytes);
        assert!(other.count(&share));
    }

    #[test]
    fn ignores_short_answers() {
        assert!(answer(SHORT_BYTES).extensions().get::<Long>().is_none());
    }
}
