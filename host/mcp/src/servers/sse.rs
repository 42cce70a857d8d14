//! HTTP+SSE of 2024-11-05, deprecated and still spoken (ILL-11, ILL-17): a stream of events that
//! stays open, and an address, told by its first event, to which each message is posted.

use std::{io, time::Duration};

use futures::{
    StreamExt,
    stream::{BoxStream, FuturesUnordered},
};
use http::{StatusCode, header};
use reqwest::{Client, RequestBuilder, Url};
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        streamable_http_client::HttpStatusError,
        worker::{Worker, WorkerConfig, WorkerContext, WorkerQuitReason, WorkerSendRequest},
    },
};
use sse_stream::{Sse, SseStream};

use super::{limited::Cut, retry::Failed};
use base::grants::secret::Secret;

/// Messages that are being posted at a time; more wait in the queue.
const POSTS_MAX: usize = 16;
/// Messages that wait on their way in and out.
const QUEUE_MAX: usize = 32;
/// Events before the first that matters.
const PREAMBLE_MAX: usize = 16;

type Events = BoxStream<'static, Result<Sse, sse_stream::Error>>;

/// An open stream of events, and where to post.
pub(super) struct OverSse {
    http: Client,
    token: Option<Secret>,
    post_to: Url,
    events: Events,
    timeout: Duration,
}

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum SseError {
    #[error("the connection is closed")]
    Closed,
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    Status(#[from] HttpStatusError),
    #[error("{0}")]
    Refused(String),
    #[error("the worker ended: {0}")]
    Join(#[from] tokio::task::JoinError),
}

impl OverSse {
    /// Opens the stream at `url` and waits for the address; all of that within `timeout`.
    pub(super) async fn open(
        http: &Client,
        url: &Url,
        token: Option<&Secret>,
        timeout: Duration,
        event_bytes_max: usize,
    ) -> Result<Self, Failed> {
        let get = http.get(url.clone()).header(header::ACCEPT, "text/event-stream");
        let response = bearing(get, token).send().await.map_err(|it| Failed::of_http(&it))?;
        let status = response.status();
        if !status.is_success() {
            return Err(Failed::of_status(status.as_u16(), None));
        }
        let media = response.headers().get(header::CONTENT_TYPE).map(|it| it.as_bytes());
        if !media.is_some_and(|it| it.starts_with(b"text/event-stream")) {
            return Err(Failed::Unusable("it does not answer with a stream of events".to_owned()));
        }
        let (mut cut, bytes) = (Cut::new(event_bytes_max), response.bytes_stream());
        let bytes = bytes.map(move |it| it.map_err(io::Error::other).and_then(|it| cut.pass(&it)));
        let mut events = SseStream::from_bytes_stream(bytes).boxed();
        for _ in 0..PREAMBLE_MAX {
            match events.next().await {
                Some(Ok(it)) if it.event.as_deref() == Some("endpoint") => {
                    let post_to = endpoint(url, it.data.as_deref().unwrap_or_default())?;
                    let (http, token) = (http.clone(), token.cloned());
                    return Ok(Self { http, token, post_to, events, timeout });
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(Failed::Lost(error.to_string())),
                None => {
                    let what = "its stream ended before it told its endpoint";
                    return Err(Failed::Unusable(what.to_owned()));
                }
            }
        }
        Err(Failed::Unusable("its stream does not begin with its endpoint".to_owned()))
    }
}

/// The address to post to: of the same origin as the stream, because the token goes there too.
fn endpoint(url: &Url, told: &str) -> Result<Url, Failed> {
    let told = url.join(told.trim()).ok().filter(|it| it.origin() == url.origin());
    let what = "the endpoint that it tells is not of its own origin";
    told.ok_or_else(|| Failed::Unusable(what.to_owned()))
}

fn bearing(request: RequestBuilder, token: Option<&Secret>) -> RequestBuilder {
    match token {
        Some(token) => request.bearer_auth(token.expose()),
        None => request,
    }
}

impl Worker for OverSse {
    type Error = SseError;
    type Role = RoleClient;

    fn err_closed() -> SseError {
        SseError::Closed
    }

    fn err_join(error: tokio::task::JoinError) -> SseError {
        error.into()
    }

    fn config(&self) -> WorkerConfig {
        let mut config = WorkerConfig::default();
        config.channel_buffer_capacity = QUEUE_MAX;
        config
    }

    async fn run(
        mut self,
        mut context: WorkerContext<Self>,
    ) -> Result<(), WorkerQuitReason<SseError>> {
        let mut posts = FuturesUnordered::new();
        loop {
            tokio::select! {
                () = context.cancellation_token.cancelled() => return Err(WorkerQuitReason::Cancelled),
                Some(()) = posts.next(), if !posts.is_empty() => {}
                event = self.events.next() => match event {
                    Some(Ok(event)) => {
                        if let Some(message) = read(&event) {
                            context.send_to_handler(message).await?;
                        }
                    }
                    Some(Err(error)) => {
                        tracing::warn!(target: "server", "a stream of events ended: {error}");
                        return Err(WorkerQuitReason::TransportClosed);
                    }
                    None => return Err(WorkerQuitReason::TransportClosed),
                },
                message = context.from_handler_rx.recv(), if posts.len() < POSTS_MAX => {
                    let Some(message) = message else { return Err(WorkerQuitReason::HandlerTerminated) };
                    let is_barrier = is_initialized(&message.message);
                    let post = self.post(message);
                    // Nothing may overtake the end of the handshake.
                    if is_barrier { post.await } else { posts.push(post) }
                }
            }
        }
    }
}

impl OverSse {
    /// Posts one message, and tells its sender how that went.
    fn post(&self, it: WorkerSendRequest<Self>) -> impl Future<Output = ()> + Send + use<> {
        let request = self.http.post(self.post_to.clone()).timeout(self.timeout);
        let request =
            bearing(request, self.token.as_ref()).header(header::CONTENT_TYPE, "application/json");
        async move {
            let body = serde_json::to_vec(&it.message).unwrap_or_default();
            let posted = match request.body(body).send().await {
                Ok(response) => accepted(response.status(), response.headers()),
                Err(error) => Err(error.into()),
            };
            // The sender may be gone.
            let _ = it.responder.send(posted);
        }
    }
}

fn accepted(status: StatusCode, headers: &http::HeaderMap) -> Result<(), SseError> {
    if status.is_success() {
        return Ok(());
    }
    let after = headers.get(header::RETRY_AFTER).and_then(|it| it.to_str().ok());
    match status.as_u16() {
        code @ (429 | 500..) => Err(HttpStatusError::new(code, after.map(str::to_owned)).into()),
        code => Err(SseError::Refused(format!("HTTP {code}"))),
    }
}

fn is_initialized(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Notification(it) if matches!(it.notification, ClientNotification::InitializedNotification(_)))
}

/// The message in an event; none where there is none that can be read.
fn read(event: &Sse) -> Option<ServerJsonRpcMessage> {
    if !matches!(event.event.as_deref(), None | Some("message" | "")) {
        return None;
    }
    let told = |error: &serde_json::Error| {
        tracing::debug!(target: "server", "an event that is no message: {error}");
    };
    serde_json::from_str(event.data.as_deref()?).inspect_err(told).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_posted_to_no_other_origin() {
        let url = Url::parse("http://127.0.0.1:8000/sse").unwrap();
        assert_eq!(
            endpoint(&url, "/messages?id=1").unwrap().as_str(),
            "http://127.0.0.1:8000/messages?id=1"
        );
        assert_eq!(endpoint(&url, "http://127.0.0.1:8000/m").unwrap().path(), "/m");
        for told in ["http://127.0.0.1:8001/m", "https://127.0.0.1:8000/m", "//evil.example/m"] {
            assert!(endpoint(&url, told).is_err(), "{told}");
        }
    }
}
