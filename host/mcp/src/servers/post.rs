//! One request posted to another server. The SDK would send it alike, but a JSON answer is corrected before it is read.

use std::{borrow::Cow, collections::HashMap, io, sync::Arc};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::{Client, Response};
use rmcp::{
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
        StreamableHttpPostResponse,
    },
};
use sse_stream::SseStream;

use super::messages::readable;

/// Maximum size of an answer that is one document, in bytes, as in the SDK.
const JSON_BYTES_MAX: usize = 16 << 20;
/// Maximum size of the body of an error status, in bytes.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// Prefix of the SDK's error for an answer that is no message.
pub(super) const NO_MESSAGE: &str = "could not parse JSON response as ServerJsonRpcMessage: ";
/// Part of the SDK's error for an event that is too large.
pub(super) const EVENT_TOO_LARGE: &str = "exceeded the maximum size";
/// Header with the id of a session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

pub(super) type Answer<T> = Result<T, StreamableHttpError<reqwest::Error>>;

/// What is posted, and how.
pub(super) struct Post {
    pub uri: Arc<str>,
    pub message: ClientJsonRpcMessage,
    pub session: Option<Arc<str>>,
    pub auth: Option<String>,
    pub headers: HashMap<HeaderName, HeaderValue>,
    /// Maximum size of one event, in bytes.
    pub most: usize,
}

impl Post {
    /// Sends the request and reads the answer.
    pub(super) async fn send(self, http: &Client) -> Answer<StreamableHttpPostResponse> {
        let body = serde_json::to_vec(&self.message).unwrap_or_default();
        let mut request = http
            .post(&*self.uri)
            .header(header::ACCEPT, "text/event-stream, application/json")
            .header(header::CONTENT_TYPE, "application/json")
            .headers(self.headers.into_iter().collect());
        if let Some(token) = &self.auth {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &self.session {
            request = request.header(SESSION, &**session);
        }
        let response = request.body(body).send().await?;
        let status = response.status();
        let text = |name| text_of(response.headers(), name);
        if let Some(challenge) = text(header::WWW_AUTHENTICATE) {
            match status {
                StatusCode::UNAUTHORIZED => {
                    let error = AuthRequiredError::new(challenge);
                    return Err(StreamableHttpError::AuthRequired(error));
                }
                StatusCode::FORBIDDEN => {
                    let error = InsufficientScopeError::new(challenge, None);
                    return Err(StreamableHttpError::InsufficientScope(error));
                }
                _ => {}
            }
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && self.session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let (media, session) = (text(header::CONTENT_TYPE), text(SESSION));
        let is = |wanted: &str| {
            let found = media.as_deref().and_then(|it| it.get(..wanted.len()));
            found.is_some_and(|it| it.eq_ignore_ascii_case(wanted))
        };
        if !status.is_success() {
            return failed(response, is("application/json"), session).await;
        }
        if is("text/event-stream") {
            let (mut lines, bytes) = (Lines::new(self.most), response.bytes_stream());
            let bytes =
                bytes.map(move |it| it.map_err(io::Error::other).and_then(|it| lines.pass(&it)));
            let events = SseStream::from_bytes_stream(bytes).boxed();
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if !is("application/json") {
            return Err(StreamableHttpError::UnexpectedContentType(media));
        }
        let body = bounded(response, JSON_BYTES_MAX).await?;
        let message = std::str::from_utf8(&body).map_or(Cow::Borrowed(""), readable);
        // Invalid UTF-8 is parsed as bytes, so that the error says so.
        let parsed = match &*message {
            "" => serde_json::from_slice::<ServerJsonRpcMessage>(&body),
            message => serde_json::from_str(message),
        };
        match parsed {
            Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
            Err(error) => {
                let what = format!("{NO_MESSAGE}{error}: ");
                Err(StreamableHttpError::UnexpectedServerResponse(what.into()))
            }
        }
    }
}

/// Converts an error status: to the JSON-RPC error in its body, or to an error with the status.
async fn failed(
    response: Response,
    is_json: bool,
    session: Option<String>,
) -> Answer<StreamableHttpPostResponse> {
    let status = response.status();
    let may_pass = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let retry_after = text_of(response.headers(), header::RETRY_AFTER);
    let of_status = may_pass
        .then(|| StreamableHttpError::from(HttpStatusError::new(status.as_u16(), retry_after)));
    let of_status = match of_status {
        Some(error) if status == StatusCode::TOO_MANY_REQUESTS || !is_json => return Err(error),
        it => it,
    };
    let body = match bounded(response, ERROR_BYTES_MAX).await {
        Ok(body) => String::from_utf8_lossy(&body).into_owned(),
        Err(error) => return Err(of_status.unwrap_or(error)),
    };
    let is_of_token = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if is_json
        && !is_of_token
        && let Ok(message @ JsonRpcMessage::Error(_)) =
            serde_json::from_str::<ServerJsonRpcMessage>(&readable(&body))
    {
        return Ok(StreamableHttpPostResponse::Json(message, session));
    }
    let what = format!("HTTP {status}: {body}").into();
    Err(of_status.unwrap_or(StreamableHttpError::UnexpectedServerResponse(what)))
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

/// Corrects the lines of an event stream for the parser. The parser ends the stream at a field that no event has and at
/// one that is repeated; other clients ignore such a line, so it is left out.
struct Lines {
    /// Maximum size of an event, in bytes.
    most: usize,
    line: Vec<u8>,
    event: usize,
    after_cr: bool,
    is_first: bool,
    /// Fields of the event that may occur once and have occurred.
    seen: Vec<&'static str>,
}

impl Lines {
    fn new(most: usize) -> Self {
        Self { most, line: Vec::new(), event: 0, after_cr: false, is_first: true, seen: Vec::new() }
    }

    /// Returns the corrected lines that end in `chunk`, including one that began before it.
    ///
    /// # Errors
    /// When an event is too large.
    fn pass(&mut self, chunk: &[u8]) -> io::Result<Bytes> {
        let mut passed = Vec::with_capacity(chunk.len());
        for byte in chunk {
            match byte {
                // The second half of a line end.
                b'\n' if self.after_cr => {}
                b'\r' | b'\n' => self.end(&mut passed),
                _ => {
                    self.line.push(*byte);
                    self.event += 1;
                }
            }
            self.after_cr = *byte == b'\r';
            if self.event > self.most {
                return Err(io::Error::other(format!("an event {EVENT_TOO_LARGE}")));
            }
        }
        Ok(passed.into())
    }

    /// Passes on the line that ends, if its field is valid.
    fn end(&mut self, passed: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.line);
        let line = match std::mem::take(&mut self.is_first) {
            true => line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line),
            false => &line,
        };
        if line.is_empty() {
            self.event = 0;
            self.seen.clear();
            passed.push(b'\n');
            return;
        }
        let mut parts = line.splitn(2, |it| *it == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let once = ["event", "id", "retry"].into_iter().find(|it| it.as_bytes() == name);
        let is_right = match once {
            Some("retry") => {
                std::str::from_utf8(value).is_ok_and(|it| it.trim().parse::<u64>().is_ok())
            }
            Some(_) => true,
            None => name == b"data",
        };
        if !is_right || once.is_some_and(|it| self.seen.contains(&it)) {
            return;
        }
        self.seen.extend(once);
        passed.extend_from_slice(name);
        passed.push(b':');
        passed.extend_from_slice(value);
        passed.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(most: usize, chunks: &[&str]) -> Result<String, String> {
        let mut lines = Lines::new(most);
        let passed = chunks.iter().map(|it| lines.pass(it.as_bytes()));
        let passed = passed.collect::<io::Result<Vec<_>>>().map_err(|it| it.to_string())?;
        Ok(String::from_utf8(passed.concat()).unwrap())
    }

    #[test]
    fn leaves_out_lines_that_are_no_field() {
        for (sent, read) in [
            ("data: 1\n\ndata:2\r\n\r\n", "data: 1\n\ndata:2\n\n"),
            ("retry: soon\n: x\nmore: y\ndata\n\nretry: 3\n\n", "data:\n\nretry: 3\n\n"),
            (
                "id: 1\nid: 2\nevent: a\nevent: b\ndata: 1\n\nid: 3\n\n",
                "id: 1\nevent: a\ndata: 1\n\nid: 3\n\n",
            ),
            ("\u{feff}data: \u{5e2d}\rdata: a:b\r\r", "data: \u{5e2d}\ndata: a:b\n\n"),
        ] {
            assert_eq!(passed(64, &[sent]), Ok(read.to_owned()), "{sent:?}");
            let (one, two) = sent.split_at(sent.char_indices().nth(3).unwrap().0);
            assert_eq!(passed(64, &[one, two]), Ok(read.to_owned()), "{sent:?} in pieces");
        }
    }

    #[test]
    fn limits_events_of_many_lines() {
        let line = "data: 12345678\r\n";
        assert!(passed(32, &[line, line, "\r\n", line, line, "\r\n"]).is_ok());
        assert!(passed(32, &[line, line, line]).unwrap_err().contains(EVENT_TOO_LARGE));
    }
}
