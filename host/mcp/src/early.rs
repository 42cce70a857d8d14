//! Answers that take their time: the headers of the response go out early, and comments keep it alive, so
//! that neither clients nor proxies take a call that waits for one that was lost.

use std::{convert::Infallible, pin::Pin, time::Duration};

use axum::{
    body::{Body, BodyDataStream},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use http::header;
use http_body_util::BodyExt;
use tokio::time::{Interval, MissedTickBehavior};

/// How long a client waits for the first byte.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// How often a stream without news says that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// What says so.
const ALIVE: Bytes = Bytes::from_static(b": waiting\n\n");

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// `answer` as it is where it comes within `patience`, and as a stream of events where it does not.
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

/// What a stream waits for.
enum State {
    Answering(Answering, Interval),
    Passing(BodyDataStream),
    Ended,
}

/// Comments until the answer is there, and then the answer.
fn events(answering: Answering) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let mut interval = tokio::time::interval(KEEP_ALIVE);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    stream::unfold(State::Answering(answering, interval), |state| async move {
        match state {
            State::Answering(mut answering, mut interval) => tokio::select! {
                biased;
                response = &mut answering => {
                    if is_stream(&response) {
                        return Some((Ok(Bytes::new()), State::Passing(response.into_body().into_data_stream())));
                    }
                    Some((Ok(message(response).await), State::Ended))
                }
                _ = interval.tick() => Some((Ok(ALIVE), State::Answering(answering, interval))),
            },
            // A stream that breaks off ends.
            State::Passing(mut body) => match body.next().await {
                Some(Ok(bytes)) => Some((Ok(bytes), State::Passing(body))),
                _ => None,
            },
            State::Ended => None,
        }
    })
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

    async fn rest(mut stream: BodyDataStream) -> String {
        let mut text = String::new();
        while let Some(Ok(bytes)) = stream.next().await {
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        text
    }

    #[tokio::test]
    async fn passes_quick_answers_as_they_are() {
        let response = streamed_after(PATIENCE, async { json() }).await;
        assert!(!is_stream(&response));
        assert_eq!(text(response).await, "{\n\"a\":1}");
    }

    #[tokio::test]
    async fn sends_headers_and_a_comment_before_late_answers() {
        let (may, stream) = late(json()).await;
        may.send(()).unwrap();
        assert_eq!(rest(stream).await, "event: message\ndata: { \"a\":1}\n\n");
    }

    #[tokio::test]
    async fn passes_late_streams_on() {
        let events = ([(header::CONTENT_TYPE, "text/event-stream")], "data: 1\n\n");
        let (may, stream) = late(events.into_response()).await;
        may.send(()).unwrap();
        assert_eq!(rest(stream).await, "data: 1\n\n");
    }
}
