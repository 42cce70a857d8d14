//! The HTTP+SSE transport of 2024-11-05, deprecated and still in use (ILL-11, ILL-17): an open event stream, whose
//! first event gives the address for messages.

use std::{sync::Arc, time::Duration};

use futures::{StreamExt, stream};
use http::{StatusCode, header};
use reqwest::{Client, RequestBuilder, Url};
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{Transport, streamable_http_client::HttpStatusError},
};
use sse_stream::Sse;
use tokio::sync::Semaphore;

use super::{
    events::{Events, events},
    limited::Limited,
    post::is,
    retry::Failed,
};
use base::grants::secret::Secret;

/// Messages that are being posted at a time; more wait.
const POSTS_MAX: usize = 16;
/// Events before the first that matters.
const PREAMBLE_MAX: usize = 16;

/// An open stream of events, and where to post.
pub(super) struct SseTransport {
    http: Client,
    token: Option<Secret>,
    post_to: Url,
    events: Events,
    timeout: Duration,
    /// Places for messages that are being posted.
    places: Arc<Semaphore>,
}

/// Why sending a message failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SseError {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    Status(#[from] HttpStatusError),
}

impl SseTransport {
    /// Opens the stream at `url` and waits for the address; all of that within `timeout`.
    pub(super) async fn open(
        Limited { http, mask }: Limited,
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
        if !is(&response, "text/event-stream") {
            return Err(Failed::Unusable("it does not answer with a stream of events".to_owned()));
        }
        let mut events = events(response, event_bytes_max, None, mask);
        for _ in 0..PREAMBLE_MAX {
            match events.next().await {
                Some(Ok(it)) if it.event.as_deref() == Some("endpoint") => {
                    let post_to = endpoint(url, it.data.as_deref().unwrap_or_default())?;
                    let token = token.cloned();
                    let places = Arc::new(Semaphore::new(POSTS_MAX));
                    return Ok(Self { http, token, post_to, events, timeout, places });
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
fn endpoint(url: &Url, address: &str) -> Result<Url, Failed> {
    let address = url.join(address.trim()).ok().filter(|it| it.origin() == url.origin());
    let what = "the endpoint that it tells is not of its own origin";
    address.ok_or_else(|| Failed::Unusable(what.to_owned()))
}

fn bearing(request: RequestBuilder, token: Option<&Secret>) -> RequestBuilder {
    match token {
        Some(token) => request.bearer_auth(token.expose()),
        None => request,
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = SseError;

    /// Posts one message. The SDK sends nothing before the end of the handshake.
    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), SseError>> + Send + 'static {
        let request = self.http.post(self.post_to.clone()).timeout(self.timeout);
        let request =
            bearing(request, self.token.as_ref()).header(header::CONTENT_TYPE, "application/json");
        let places = self.places.clone();
        async move {
            let _place = places.acquire().await;
            let body = serde_json::to_vec(&message).unwrap_or_default();
            let response = request.body(body).send().await?;
            accepted(response.status(), response.headers())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            match self.events.next().await? {
                Ok(event) => {
                    if let Some(message) = read(&event) {
                        return Some(message);
                    }
                }
                Err(error) => {
                    tracing::warn!(target: "server", "a stream of events ended: {error}");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), SseError> {
        self.events = stream::empty().boxed();
        Ok(())
    }
}

fn accepted(status: StatusCode, headers: &http::HeaderMap) -> Result<(), SseError> {
    if status.is_success() {
        return Ok(());
    }
    let after = headers.get(header::RETRY_AFTER).and_then(|it| it.to_str().ok());
    Err(HttpStatusError::new(status.as_u16(), after.map(str::to_owned)).into())
}

/// The message in an event, if any.
fn read(event: &Sse) -> Option<ServerJsonRpcMessage> {
    if !matches!(event.event.as_deref(), None | Some("message" | "")) {
        return None;
    }
    let note = |error: &serde_json::Error| {
        tracing::debug!(target: "server", "an event that is no message: {error}");
    };
    serde_json::from_str(event.data.as_deref()?).inspect_err(note).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_token_to_no_other_origin() {
        let url = Url::parse("http://127.0.0.1:8000/sse").unwrap();
        assert_eq!(
            endpoint(&url, "/messages?id=1").unwrap().as_str(),
            "http://127.0.0.1:8000/messages?id=1"
        );
        assert_eq!(endpoint(&url, "http://127.0.0.1:8000/m").unwrap().path(), "/m");
        for address in ["http://127.0.0.1:8001/m", "https://127.0.0.1:8000/m", "//evil.example/m"] {
            assert!(endpoint(&url, address).is_err(), "{address}");
        }
    }
}
