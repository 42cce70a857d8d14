//! One message posted to another server, and the stream of what it sends by itself. The SDK would send both alike, but
//! what comes is corrected before it is read. The HTTP+SSE transport of 2024-11-05, deprecated and still in use (ILL-11,
//! ILL-17), posts beside an open event stream.

use std::{
    collections::HashMap,
    error::Error,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use base::{
    grants::secret::{Mask, Secret},
    json,
};
use futures::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::{Client, RequestBuilder, Response, Url};
use rmcp::{
    RoleClient,
    model::{
        ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, InitializeResult,
        JsonRpcMessage, ServerJsonRpcMessage,
    },
    service::{ClientInitializeError, ServiceError},
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
    limited::Limited,
    messages::{Events, TOO_LARGE, UNREADABLE, answer, events, readable, unusable},
};

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
                // Nothing else could bring the answer: only a session may have a stream of its own.
                JsonRpcMessage::Request(request)
                    if session.is_none() || to.is_without_stream.load(Ordering::Relaxed) =>
                {
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
    let is_rest = last_event.is_some();
    if let Some(id) = last_event {
        request = request.header(LAST_EVENT, id);
    }
    let response = sent(request, session, auth, headers).await?;
    let is_refused = response.status() == StatusCode::METHOD_NOT_ALLOWED;
    if !is_rest {
        to.is_without_stream.store(is_refused, Ordering::Relaxed);
    }
    if is_refused {
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
        Limited { http, mask, .. }: Limited,
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

// Which upstream requests are retried, and when (ILL-12, ILL-14).

/// Retries after the first attempt.
pub(super) const RETRIES_MAX: u32 = 3;
/// The first delay, unless configured.
pub(super) const BASE: Duration = Duration::from_secs(1);
/// The longest that a server may ask to wait; one that asks for more is not waited for.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(30);
/// Maximum retry delay passed to callers.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest between two attempts to reach a server that is not there.
const REACH_MAX: Duration = Duration::from_secs(60);

/// Why an attempt brought no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Failed {
    /// The server was not reached: no byte of the call was sent.
    Unreached(String),
    /// The call was sent, and then the connection was lost.
    Lost(String),
    /// No answer came in time.
    TimedOut,
    /// HTTP refused, and might not the next time.
    Status { status: u16, retry_after: Option<Duration> },
    /// HTTP answered that the token is not the right one.
    Unauthorized(String),
    /// The server answered with an error of JSON-RPC.
    Rpc(ErrorData),
    /// The answer exceeded a limit.
    TooLarge,
    /// The answer was unusable.
    Unusable(String),
}

impl Failed {
    /// Classifies an error of a sent request.
    pub(super) fn from_service_error(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) if error.code == TOO_LARGE => Self::TooLarge,
            ServiceError::McpError(error) if error.code == UNREADABLE => {
                Self::Unusable(error.message.into_owned())
            }
            ServiceError::McpError(error) => Self::Rpc(error),
            ServiceError::TransportSend(error) => Self::of_cause(error.error.as_ref()),
            ServiceError::TransportClosed => Self::Lost("the connection was closed".to_owned()),
            ServiceError::Timeout { .. } => Self::TimedOut,
            error => Self::Unusable(error.to_string()),
        }
    }

    /// Why no connection could be begun.
    pub(super) fn of_start(error: &ClientInitializeError) -> Self {
        match error {
            ClientInitializeError::TransportError { error, .. } => {
                Self::of_cause(error.error.as_ref())
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                Self::of_start(fallback)
            }
            ClientInitializeError::JsonRpcError(error) if error.code == UNREADABLE => {
                Self::Unusable(error.message.to_string())
            }
            ClientInitializeError::JsonRpcError(error) => Self::Rpc(error.clone()),
            ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
                let code = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
                Self::Rpc(ErrorData::new(code, error.to_string(), None))
            }
            ClientInitializeError::ConnectionClosed(_) => {
                Self::Unreached("it closed the connection".to_owned())
            }
            ClientInitializeError::ExpectedInitResult(Some(found)) => {
                let found = serde_json::to_value(found).unwrap_or_default();
                let params_error = serde_json::from_value::<InitializeResult>(found).err();
                let why = params_error.map_or_else(
                    || "it is of another kind".to_owned(),
                    |it| json::explain(&it.to_string()),
                );
                Self::Unusable(format!("its answer to `initialize` does not fit: {why}"))
            }
            error => Self::Unusable(error.to_string()),
        }
    }

    /// Classifies transport errors, which are not in each other's source chains.
    fn of_cause(error: &(dyn Error + 'static)) -> Self {
        if let Some(cause) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            match cause {
                StreamableHttpError::Client(it) => return Self::of_http(it),
                StreamableHttpError::HttpStatus(it) => return Self::of_answer(it),
                StreamableHttpError::AuthRequired(_) => return Self::of_status(401, None),
                StreamableHttpError::InsufficientScope(_) => return Self::of_status(403, None),
                StreamableHttpError::UnexpectedServerResponse(text) => {
                    if let Some(status) = status_in(text) {
                        return Self::of_status(status, None);
                    }
                }
                StreamableHttpError::UnexpectedContentType(media) => {
                    let media = media.as_deref().unwrap_or("no Content-Type");
                    return Self::Lost(format!("it answers with {media}, which is no message"));
                }
                _ => {}
            }
        }
        match error.downcast_ref::<SseError>() {
            Some(SseError::Http(it)) => return Self::of_http(it),
            Some(SseError::Status(it)) => return Self::of_answer(it),
            _ => {}
        }
        Self::Lost(error.to_string())
    }

    fn of_answer(error: &HttpStatusError) -> Self {
        let retry_after = error.retry_after.as_deref().and_then(|it| it.trim().parse().ok());
        Self::of_status(error.status, retry_after.map(Duration::from_secs))
    }

    pub(super) fn of_status(status: u16, retry_after: Option<Duration>) -> Self {
        match status {
            401 | 403 => Self::Unauthorized(format!("HTTP {status}")),
            429 | 502..=504 => {
                let retry_after = retry_after.map(|it| it.min(RETRY_AFTER_MAX));
                Self::Status { status, retry_after }
            }
            // Within its origin the client has followed it.
            300..=399 => Self::Unusable(format!(
                "HTTP {status}: it has moved, and its `url` in the configuration has to say where"
            )),
            _ => Self::Unusable(format!("HTTP {status}")),
        }
    }

    /// Classifies an HTTP error, without its URL, which may contain a secret.
    pub(super) fn of_http(error: &reqwest::Error) -> Self {
        let causes = std::iter::successors(error.source(), |&it| it.source());
        let text = causes.last().map(ToString::to_string).unwrap_or_default();
        match error.is_connect() || error.is_builder() {
            true => Self::Unreached(format!("it cannot be reached: {text}")),
            false if error.is_timeout() => Self::TimedOut,
            false => Self::Lost(format!("the connection was lost: {text}")),
        }
    }

    /// Whether a retry may help and is safe. Once bytes of a call are sent, only idempotent tools are retried.
    pub(super) fn may_be_retried(&self, is_repeatable: bool) -> bool {
        match self {
            Self::Unreached(_) => true,
            Self::Lost(_) | Self::TimedOut => is_repeatable,
            Self::Status { retry_after, .. } => {
                is_repeatable && retry_after.is_none_or(|it| it <= WAIT_MAX)
            }
            Self::Unauthorized(_) | Self::Rpc(_) | Self::TooLarge | Self::Unusable(_) => false,
        }
    }

    /// Retry delay requested by the server.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        if let Self::Status { retry_after, .. } = self { *retry_after } else { None }
    }

    /// Whether the connection is in doubt.
    pub(super) fn is_of_connection(&self) -> bool {
        matches!(self, Self::Unreached(_) | Self::Lost(_) | Self::TimedOut)
    }

    /// The description, for an error and a log.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Unreached(why) | Self::Lost(why) | Self::Unusable(why) => why.clone(),
            Self::TimedOut => "no answer came in time".to_owned(),
            Self::TooLarge => "the answer is too large".to_owned(),
            Self::Status { status, .. } => format!("HTTP {status}"),
            Self::Unauthorized(why) => format!("{why}: it wants a token that it accepts"),
            Self::Rpc(error) => format!("{} ({})", error.message, error.code.0),
        }
    }
}

/// The status that the SDK puts before a body for which it has no type.
fn status_in(text: &str) -> Option<u16> {
    text.strip_prefix("HTTP ")?.split([' ', ':']).next()?.parse().ok()
}

/// Delay before the retry after `attempt` (from 0). It doubles each time, with up to a fifth more by `jitter` (0.0 to
/// 1.0), or is as long as the server asks, and at most [`WAIT_MAX`].
pub(super) fn delay(
    base: Duration,
    attempt: u32,
    asked: Option<Duration>,
    jitter: f64,
) -> Duration {
    let own = base.saturating_mul(2_u32.saturating_pow(attempt));
    own.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 5.0).max(asked.unwrap_or_default()).min(WAIT_MAX)
}

/// Delay after `failures` failed connections in a row.
pub(super) fn pause(base: Duration, failures: u32, jitter: f64) -> Duration {
    let own = base.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1).min(16)));
    own.min(REACH_MAX).mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 5.0)
}

/// A random part of 1.
pub(super) fn jitter() -> f64 {
    let mut byte = [0];
    // Without randomness there is no jitter, which does no harm.
    let _ = getrandom::fill(&mut byte);
    f64::from(byte[0]) / 255.0
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CustomResult, ServerResult};
    use serde_json::json;

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

    #[test]
    fn retry_delay_doubles_with_jitter_and_honours_the_server() {
        let ms = |attempt, asked: Option<u64>, jitter| {
            delay(BASE, attempt, asked.map(Duration::from_secs), jitter).as_millis()
        };
        assert_eq!([ms(0, None, 0.0), ms(1, None, 0.0), ms(2, None, 0.0)], [1_000, 2_000, 4_000]);
        assert_eq!(ms(2, None, 1.0), 4_800);
        assert_eq!(ms(0, Some(7), 0.0), 7_000);
        assert_eq!(ms(0, Some(7_000), 0.0), 30_000);
    }

    #[test]
    fn http_refusal_is_no_lost_connection() {
        let of = |text: &str| {
            let text = text.to_owned().into();
            let error: StreamableHttpError<reqwest::Error> =
                StreamableHttpError::UnexpectedServerResponse(text);
            Failed::of_cause(&error)
        };
        for (text, status) in [
            ("HTTP 400 Bad Request: <html>HTTP 401</html>", 400),
            ("HTTP 404 Not Found: ", 404),
            ("HTTP 422 Unprocessable Entity: session", 422),
            ("HTTP 403 Forbidden: no", 403),
        ] {
            assert_eq!(of(text), Failed::of_status(status, None), "{text}");
        }
        assert!(matches!(of("could not parse HTTP 404"), Failed::Lost(_)));
        let moved = of("HTTP 307 Temporary Redirect: ").description();
        assert!(moved.starts_with("HTTP 307") && moved.contains("`url`"), "{moved}");
    }

    #[test]
    fn names_what_an_invalid_initialize_lacks() {
        let found = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": { "name": "a" },
        });
        let found = ServerResult::CustomResult(CustomResult::new(found));
        let failed = Failed::of_start(&ClientInitializeError::ExpectedInitResult(Some(found)));
        let what = "its answer to `initialize` does not fit: version is missing".to_owned();
        assert_eq!(failed, Failed::Unusable(what));
    }

    #[test]
    fn retries_missing_server_forever_with_growing_delay() {
        let s = |failures| pause(BASE, failures, 0.0).as_secs();
        assert_eq!([s(1), s(2), s(3), s(7), s(u32::MAX)], [1, 2, 4, 60, 60]);
    }

    #[test]
    fn resends_only_idempotent_requests() {
        let status = |status| Failed::of_status(status, None);
        for sent in [Failed::Lost(String::new()), Failed::TimedOut, status(429), status(503)] {
            assert!(sent.may_be_retried(true) && !sent.may_be_retried(false), "{sent:?}");
        }
        assert!(Failed::Unreached(String::new()).may_be_retried(false));
        let rpc = Failed::Rpc(ErrorData::internal_error("no", None));
        for never in [status(401), status(403), status(400), status(500), rpc] {
            assert!(!never.may_be_retried(true), "{never:?}");
        }
        let endless = Failed::of_status(429, Some(Duration::from_secs(9_999_999)));
        assert_eq!(endless.retry_after(), Some(RETRY_AFTER_MAX));
        let long = Failed::of_status(429, Some(Duration::from_secs(31)));
        assert!(!long.may_be_retried(true));
    }
}
