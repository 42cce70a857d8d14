//! Sends response headers early and keep-alive comments after them, so that clients and proxies do not time out on
//! waiting calls.

use std::{convert::Infallible, future::ready, pin::Pin, time::Duration};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use http::header;
use http_body_util::BodyExt;
use tokio::time::MissedTickBehavior;

/// Maximum time to the first byte.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// Interval of keep-alive comments.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Keep-alive comment.
const ALIVE: Bytes = Bytes::from_static(b": waiting\n\n");

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Returns `answer` unchanged if it is ready within `patience`, else as an event stream.
pub(super) async fn streamed_after(
    patience: Duration,
    answer: impl Future<Output = Response> + Send + 'static,
) -> Response {
    let mut answering: Answering = Box::pin(answer);
    tokio::select! {
        biased;
        response = &mut answering => response,
        () = tokio::time::sleep(patience) => streamed(answering),
    }
}

fn streamed(answering: Answering) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(events(answering))).into_response()
}

/// Comments until the answer is there, and then the answer. A stream that breaks off ends.
fn events(answering: Answering) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let mut interval = tokio::time::interval(KEEP_ALIVE);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let pieces = stream::unfold(Some((answering, interval)), |waiting| async move {
        let (mut answering, mut interval) = waiting?;
        tokio::select! {
            biased;
            response = &mut answering => Some((passed(response).await.into_data_stream(), None)),
            _ = interval.tick() => {
                Some((Body::from(ALIVE).into_data_stream(), Some((answering, interval))))
            }
        }
    });
    pieces.flatten().scan((), |(), piece| ready(piece.ok())).map(Ok)
}

/// Converts a response body to events.
async fn passed(response: Response) -> Body {
    if is_stream(&response) { response.into_body() } else { Body::from(message(response).await) }
}

fn is_stream(response: &Response) -> bool {
    let media = response.headers().get(header::CONTENT_TYPE);
    media.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream"))
}

/// A whole response as one event; nothing where it has no body.
async fn message(response: Response) -> Bytes {
    let body = response.into_body().collect().await.map(|it| it.to_bytes()).unwrap_or_default();
    if body.is_empty() {
        return body;
    }
    let mut event = Vec::with_capacity(body.len() + 32);
    event.extend_from_slice(b"event: message\ndata: ");
    for byte in &body {
        match byte {
            // A line's end in JSON says nothing, and would end the field here.
            b'\n' | b'\r' => event.push(b' '),
            byte => event.push(*byte),
        }
    }
    event.extend_from_slice(b"\n\n");
    event.into()
}

#[cfg(test)]
mod tests {
    use axum::body::BodyDataStream;

    use super::*;

    async fn text(response: Response) -> String {
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    fn json() -> Response {
        ([(header::CONTENT_TYPE, "application/json")], "{\n\"a\":1}").into_response()
    }

    /// An answer that comes once it may, and its stream, which has begun before.
    async fn late(answer: Response) -> (tokio::sync::oneshot::Sender<()>, BodyDataStream) {
        let (may, wait) = tokio::sync::oneshot::channel();
        let answer = async {
            let _ = wait.await;
            answer
        };
        let response = streamed_after(Duration::from_millis(1), answer).await;
        assert!(is_stream(&response));
        let mut stream = response.into_body().into_data_stream();
        assert_eq!(stream.next().await.unwrap().unwrap(), ALIVE);
        (may, stream)
    }

    async fn read_rest(mut stream: BodyDataStream) -> String {
        let mut text = String::new();
        while let Some(Ok(bytes)) = stream.next().await {
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        text
    }

    #[tokio::test]
    async fn passes_quick_answers_unchanged() {
        let response = streamed_after(PATIENCE, async { json() }).await;
        assert!(!is_stream(&response));
        assert_eq!(text(response).await, "{\n\"a\":1}");
    }

    #[tokio::test]
    async fn sends_headers_and_comment_before_late_answers() {
        let (may, stream) = late(json()).await;
        may.send(()).unwrap();
        assert_eq!(read_rest(stream).await, "event: message\ndata: { \"a\":1}\n\n");
    }

    #[tokio::test]
    async fn passes_late_streams_on() {
        let events = ([(header::CONTENT_TYPE, "text/event-stream")], "data: 1\n\n");
        let (may, stream) = late(events.into_response()).await;
        may.send(()).unwrap();
        assert_eq!(read_rest(stream).await, "data: 1\n\n");
    }
}
