//! One message posted to another server, and the stream of what it sends by itself. The SDK would send both alike, but
//! what comes is corrected before it is read. The HTTP+SSE transport of 2024-11-05, deprecated and still in use (ILL-11,
//! ILL-17), posts beside an open event stream.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::{Client, RequestBuilder, Response, Url};
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        Transport,
        streamable_http_client::{
            AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
            StreamableHttpPostResponse,
        },
    },
};
use sse_stream::Sse;
use tokio::sync::Semaphore;

use super::{
    events::{Events, events},
    limited::Limited,
    messages::{answer, readable, unusable},
    retry::Failed,
};
use base::grants::secret::{Mask, Secret};

/// Maximum size of an answer that is one document, in bytes, as in the SDK.
const JSON_BYTES_MAX: usize = 16 << 20;
/// Maximum size of the body of an error status, in bytes.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// The media types of answers.
const ACCEPTED: &str = "text/event-stream, application/json";
/// Header with the id of a session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// Header with the event from which a stream goes on.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

pub(super) type Headers = HashMap<HeaderName, HeaderValue>;
pub(super) type Answer<T> = Result<T, StreamableHttpError<reqwest::Error>>;

/// What is posted, and how.
pub(super) struct Post {
    pub uri: Arc<str>,
    pub message: ClientJsonRpcMessage,
    pub session: Option<Arc<str>>,
    pub auth: Option<String>,
    pub headers: Headers,
    /// Maximum size of one event, in bytes.
    pub most: usize,
}

impl Post {
    /// Sends the message and reads the answer. What is no request waits for none: that it was accepted is enough,
    /// whatever some servers say beside that.
    pub(super) async fn send(self, to: &Limited) -> Answer<StreamableHttpPostResponse> {
        let request = to
            .http
            .post(&*self.uri)
            .header(header::ACCEPT, ACCEPTED)
            .header(header::CONTENT_TYPE, "application/json")
            .body(serde_json::to_vec(&self.message).unwrap_or_default());
        let session = self.session.as_deref();
        let response = sent(request, session, self.auth, self.headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(match self.message {
                // Nothing else could bring the answer: only a session has a stream of its own.
                JsonRpcMessage::Request(request) if session.is_none() => {
                    let why = format!("it answers a request with HTTP {status} and no message");
                    StreamableHttpPostResponse::Json(unusable(&why, request.id), None)
                }
                _ => StreamableHttpPostResponse::Accepted,
            });
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            return failed(response, &self.message, session.is_some(), &to.mask).await;
        }
        let JsonRpcMessage::Request(request) = self.message else {
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        let session = text_of(response.headers(), SESSION);
        if is(&response, "text/event-stream") {
            let events = events(response, self.most, Some(request.id), to.mask.clone());
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if !is(&response, "application/json") {
            let media = text_of(response.headers(), header::CONTENT_TYPE);
            return Err(StreamableHttpError::UnexpectedContentType(media));
        }
        let body = bounded(response, JSON_BYTES_MAX).await?;
        let body = String::from_utf8_lossy(&body);
        let message = answer(&readable(&body, &to.mask), request.id);
        Ok(StreamableHttpPostResponse::Json(message, session))
    }
}

/// Opens the stream of what the server sends by itself, or the rest of an answer from `last_event` on. Both have
/// events of at most `most` bytes.
pub(super) async fn listen(
    to: &Limited,
    uri: &str,
    last_event: Option<String>,
    session: Option<&str>,
    auth: Option<String>,
    headers: Headers,
    most: usize,
) -> Answer<Events> {
    let mut request = to.http.get(uri).header(header::ACCEPT, ACCEPTED);
    if let Some(id) = last_event {
        request = request.header(LAST_EVENT, id);
    }
    let response = sent(request, session, auth, headers).await?;
    let status = response.status();
    if status == StatusCode::METHOD_NOT_ALLOWED {
        return Err(StreamableHttpError::ServerDoesNotSupportSse);
    }
    if let Some(error) = status_error(&response) {
        return Err(error);
    }
    let response = response.error_for_status()?;
    if !is(&response, "text/event-stream") && !is(&response, "application/json") {
        let media = text_of(response.headers(), header::CONTENT_TYPE);
        return Err(StreamableHttpError::UnexpectedContentType(media));
    }
    Ok(events(response, most, None, to.mask.clone()))
}

/// The response to `request`, unless it wants another token.
async fn sent(
    mut request: RequestBuilder,
    session: Option<&str>,
    auth: Option<String>,
    headers: Headers,
) -> Answer<Response> {
    request = request.headers(headers.into_iter().collect());
    if let Some(token) = auth {
        request = request.bearer_auth(token);
    }
    if let Some(session) = session {
        request = request.header(SESSION, session);
    }
    let response = request.send().await?;
    match (response.status(), text_of(response.headers(), header::WWW_AUTHENTICATE)) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => {
            Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)))
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            let error = InsufficientScopeError::new(challenge, None);
            Err(StreamableHttpError::InsufficientScope(error))
        }
        _ => Ok(response),
    }
}

/// Whether the response is of that media type.
pub(super) fn is(response: &Response, media: &str) -> bool {
    let found = response.headers().get(header::CONTENT_TYPE);
    let found = found.and_then(|it| it.as_bytes().get(..media.len()));
    found.is_some_and(|it| it.eq_ignore_ascii_case(media.as_bytes()))
}

/// The error of a status that might be another one the next time.
fn status_error(response: &Response) -> Option<StreamableHttpError<reqwest::Error>> {
    let status = response.status();
    let may_pass = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let retry_after = text_of(response.headers(), header::RETRY_AFTER);
    may_pass.then(|| HttpStatusError::new(status.as_u16(), retry_after).into())
}

/// Converts an error status: to the JSON-RPC error in its body, or to an error with the status.
async fn failed(
    response: Response,
    message: &ClientJsonRpcMessage,
    in_session: bool,
    mask: &Mask,
) -> Answer<StreamableHttpPostResponse> {
    let (status, is_json) = (response.status(), is(&response, "application/json"));
    let of_status = match status_error(&response) {
        Some(error) if status == StatusCode::TOO_MANY_REQUESTS || !is_json => return Err(error),
        it => it,
    };
    let session = text_of(response.headers(), SESSION);
    let body = match bounded(response, ERROR_BYTES_MAX).await {
        Err(error @ StreamableHttpError::ResponseBodyTooLarge { .. }) => {
            return Err(of_status.unwrap_or(error));
        }
        // The status stands, whatever breaks off after it.
        body => String::from_utf8_lossy(&body.unwrap_or_default()).into_owned(),
    };
    let is_of_token = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let what = mask.text(&format!("HTTP {status}: {body}"));
    let error = match serde_json::from_str(&readable(&body, mask)) {
        Ok(ServerJsonRpcMessage::Error(it)) if !is_of_token => Some(it),
        _ => None,
    };
    if let ClientJsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && status.is_client_error()
        && !is_of_token
        && !in_session
    {
        // The SDK goes on in the era before, whatever says that this one is not known.
        let error = error.map_or_else(|| ErrorData::invalid_request(what, None), |it| it.error);
        let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(answer, None));
    }
    if let Some(error) = error.filter(|_| is_json) {
        return Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session));
    }
    Err(of_status.unwrap_or(StreamableHttpError::UnexpectedServerResponse(what.into())))
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// The body, of at most `most` bytes.
async fn bounded(response: Response, most: usize) -> Answer<Vec<u8>> {
    let too_large = || StreamableHttpError::ResponseBodyTooLarge { max_size: most };
    if response.content_length().is_some_and(|it| it > most as u64) {
        return Err(too_large());
    }
    let (mut body, mut chunks) = (Vec::new(), response.bytes_stream());
    while let Some(chunk) = chunks.try_next().await? {
        if chunk.len() > most - body.len() {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

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

fn accepted(status: StatusCode, headers: &HeaderMap) -> Result<(), SseError> {
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
