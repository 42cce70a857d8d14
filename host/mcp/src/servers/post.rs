//! One message posted to another server, and the stream of what it sends by itself. The SDK would send both alike, but
//! what comes is corrected before it is read.

use std::{collections::HashMap, sync::Arc};

use futures::TryStreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::{RequestBuilder, Response};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
        StreamableHttpPostResponse,
    },
};

use super::{
    events::{Events, events},
    limited::Limited,
    messages::{answer, readable, unusable},
};
use base::grants::secret::Mask;

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
