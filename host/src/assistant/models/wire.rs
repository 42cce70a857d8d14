//! The way to a provider's API: one request with its key, tried again where that may help, and the
//! answer as a stream of events or as one document, within limits.

use std::{error::Error, time::Duration};

use bytes::Bytes;
use futures::{
    StreamExt,
    future::ready,
    stream::{self, BoxStream},
};
use http::{StatusCode, header};
use reqwest::{Client, RequestBuilder, Response, Url, redirect};
use serde_json::Value;
use sse_stream::{Sse, SseStream};

use crate::{
    assistant::{Undecided, Why},
    grants::secret::{Mask, Secret},
    servers::{EventLimit, delay, jitter},
    tls,
};

/// Retries after the first attempt.
const RETRIES_MAX: u32 = 2;
/// The first delay, unless configured.
const BASE: Duration = Duration::from_millis(500);
/// The longest that a provider may ask to wait, while a person waits; who asks for more is told on.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(5);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes of one event: a picture of a few megapixels in base64 fits.
const EVENT_BYTES_MAX: usize = 32 << 20;
/// Bytes of an answer that is one document, and of all events of a stream.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// Bytes of an error that are read and told.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// Characters of a provider's message that are told on.
const MESSAGE_CHARS_MAX: usize = 500;

/// What providers say, beside 413, where a request is larger than they or their models take.
const TOO_LARGE: &[&str] = &[
    "prompt is too long",
    "input is too long",
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "too many tokens",
    "number of tokens allowed",
    "exceeds the maximum number of tokens",
    "request_too_large",
    "request too large",
    "request entity too large",
    "payload size",
    "too many images",
];

/// How a key goes with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attach {
    /// In this header, as it is.
    Header(&'static str),
    /// As `Authorization: Bearer`.
    Bearer,
}

/// A provider's API: where it is, and with which key.
#[derive(Clone)]
pub(super) struct Wire {
    client: Client,
    base: Url,
    key: Option<Secret>,
    attach: Attach,
    mask: Mask,
    retry_base: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WireError {
    /// The provider was not reached.
    Unreached(String),
    /// The connection was lost on the way.
    Lost(String),
    /// The provider said no.
    Status { status: u16, retry_after_s: Option<u64>, body: Value, text: String },
    /// It answered what cannot be used.
    Unreadable(String),
}

/// An answer's events, in order.
pub(super) struct Events {
    events: BoxStream<'static, Result<Sse, sse_stream::Error>>,
    mask: Mask,
}

/// One event's data; its name, where it has one, is told in its data as well.
#[derive(Debug)]
pub(super) struct ModelEvent {
    pub(super) data: String,
}

impl Wire {
    /// The API at `base_url`, to which requests' paths are added.
    pub(super) fn new(
        base_url: &str,
        key: Option<Secret>,
        attach: Attach,
        retry_base: Option<Duration>,
    ) -> Result<Self, Undecided> {
        let wrong = |why: &str| Undecided::new(Why::Failed, format!("the base URL {why}"));
        let base = Url::parse(&format!("{}/", base_url.trim().trim_end_matches('/')));
        let base = base.map_err(|_| wrong("is not a URL"))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("must begin with https:// or http://"));
        }
        tls::install_provider();
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .build();
        let client = client.map_err(|it| Undecided::new(Why::Failed, it.to_string()))?;
        let mut mask = Mask::default();
        if let Some(key) = &key {
            mask.add(key.expose());
        }
        let retry_base = retry_base.unwrap_or(BASE);
        Ok(Self { client, base, key, attach, mask, retry_base })
    }

    /// Posts `body` to `path` and answers with the events that come back, as they come.
    pub(super) async fn stream(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: &Value,
    ) -> Result<Events, WireError> {
        let mut attempt = 0;
        loop {
            match self.begun(path, headers, body).await {
                Ok(events) => return Ok(events),
                Err(error) => self.pause(error, attempt).await?,
            }
            attempt += 1;
        }
    }

    /// A stream of which the first event is there: until then nothing was sent on, so that a
    /// connection that is lost may be tried again.
    async fn begun(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: &Value,
    ) -> Result<Events, WireError> {
        let response = self.once(path, headers, Some(body), "text/event-stream").await?;
        let media = response.headers().get(header::CONTENT_TYPE).map(|it| it.as_bytes());
        if !media.is_some_and(|it| it.starts_with(b"text/event-stream")) {
            let what = "it does not answer with a stream of events";
            return Err(WireError::Unreadable(what.to_owned()));
        }
        let mut limit = EventLimit::new(EVENT_BYTES_MAX);
        let mut left = ANSWER_BYTES_MAX;
        let bytes = response.bytes_stream().map(move |it| {
            let bytes = it.map_err(Box::<dyn Error + Send + Sync>::from)?;
            left = left.checked_sub(bytes.len()).ok_or("the answer is too long")?;
            limit.pass(bytes)
        });
        let bytes = bytes.map(|it: Result<Bytes, _>| it.map_err(Stream));
        let mut events = SseStream::from_bytes_stream(bytes).boxed();
        let first = match events.next().await {
            Some(first) => first.map_err(|it| WireError::Lost(it.to_string()))?,
            None => return Err(WireError::Lost("the answer ended before it began".to_owned())),
        };
        let events = stream::once(ready(Ok(first))).chain(events).boxed();
        Ok(Events { events, mask: self.mask.clone() })
    }

    /// Posts `body` to `path`, or asks for it where there is none, and reads one JSON document.
    pub(super) async fn json(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Option<&Value>,
    ) -> Result<Value, WireError> {
        let response = self.send(path, headers, body, "application/json").await?;
        let bytes = read(response, ANSWER_BYTES_MAX).await.map_err(|it| self.masked(it))?;
        let unreadable = |it: serde_json::Error| WireError::Unreadable(format!("not JSON: {it}"));
        serde_json::from_slice(&bytes).map_err(unreadable)
    }

    async fn send(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Option<&Value>,
        accept: &'static str,
    ) -> Result<Response, WireError> {
        let mut attempt = 0;
        loop {
            match self.once(path, headers, body, accept).await {
                Ok(response) => return Ok(response),
                Err(error) => self.pause(error, attempt).await?,
            }
            attempt += 1;
        }
    }

    /// Waits until another attempt may help; the error, where none will.
    async fn pause(&self, error: WireError, attempt: u32) -> Result<(), WireError> {
        let error = self.masked(error);
        let asked = match error.wait() {
            Some(asked) if attempt < RETRIES_MAX => asked,
            _ => return Err(error),
        };
        tracing::info!("a provider is asked again: {}", error.what());
        tokio::time::sleep(delay(self.retry_base, attempt, asked, jitter())).await;
        Ok(())
    }

    async fn once(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Option<&Value>,
        accept: &'static str,
    ) -> Result<Response, WireError> {
        let url = self.base.join(path.trim_start_matches('/'));
        let url =
            url.map_err(|_| WireError::Unreadable("its address cannot be made".to_owned()))?;
        let mut request = match body {
            Some(body) => self
                .client
                .post(url)
                .header(header::CONTENT_TYPE, "application/json")
                .body(body.to_string()),
            None => self.client.get(url),
        };
        request = request.header(header::ACCEPT, accept);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.keyed(request).send().await.map_err(|it| of_http(&it))?;
        match response.status() {
            StatusCode::OK => Ok(response),
            status => Err(refused(status, response).await),
        }
    }

    fn keyed(&self, request: RequestBuilder) -> RequestBuilder {
        match (&self.key, self.attach) {
            (Some(key), Attach::Header(name)) => request.header(name, key.expose()),
            (Some(key), Attach::Bearer) => request.bearer_auth(key.expose()),
            (None, _) => request,
        }
    }

    /// What a provider says may repeat the key.
    fn masked(&self, error: WireError) -> WireError {
        error.map(|it| self.mask.text(it))
    }
}

impl Events {
    /// The next event; none at the end.
    pub(super) async fn next(&mut self) -> Option<Result<ModelEvent, WireError>> {
        match self.events.next().await? {
            Ok(it) => Some(Ok(ModelEvent { data: it.data.unwrap_or_default() })),
            Err(error) => Some(Err(WireError::Lost(self.mask.text(&error.to_string())))),
        }
    }

    /// What a provider says in the middle may repeat the key, too.
    pub(super) fn masked(&self, error: WireError) -> WireError {
        error.map(|it| self.mask.text(it))
    }
}

impl ModelEvent {
    /// Its data as JSON.
    pub(super) fn json(&self) -> Result<Value, WireError> {
        let unreadable = |it: serde_json::Error| WireError::Unreadable(format!("not JSON: {it}"));
        serde_json::from_str(&self.data).map_err(unreadable)
    }
}

impl WireError {
    /// How long to wait before another attempt may help: as asked, or as we like; none, if it will
    /// not.
    fn wait(&self) -> Option<Option<Duration>> {
        match self {
            Self::Unreached(_) | Self::Lost(_) => Some(None),
            Self::Status { status: 429 | 500 | 502..=504 | 529, retry_after_s, .. } => {
                let asked = retry_after_s.map(Duration::from_secs);
                asked.is_none_or(|it| it <= RETRY_AFTER_MAX).then_some(asked)
            }
            _ => None,
        }
    }

    /// Whether the request is larger than the provider, or its model, takes.
    pub(super) fn is_too_large(&self) -> bool {
        let (body, text) = match self {
            Self::Status { status: 413, .. } => return true,
            Self::Status { status: 400 | 422, body, text, .. } => (body, text),
            _ => return false,
        };
        let said = format!("{text} {body}").to_lowercase();
        TOO_LARGE.iter().any(|it| said.contains(it))
    }

    fn map(self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Unreached(text) => Self::Unreached(change(&text)),
            Self::Lost(text) => Self::Lost(change(&text)),
            Self::Unreadable(text) => Self::Unreadable(change(&text)),
            Self::Status { status, retry_after_s, body, text } => {
                let body = serde_json::from_str(&change(&body.to_string())).unwrap_or_default();
                Self::Status { status, retry_after_s, body, text: change(&text) }
            }
        }
    }

    /// In words, for an error and a log.
    pub(super) fn what(&self) -> String {
        match self {
            Self::Unreached(why) | Self::Lost(why) | Self::Unreadable(why) => why.clone(),
            Self::Status { status, text, .. } if text.is_empty() => format!("HTTP {status}"),
            Self::Status { status, text, .. } => format!("HTTP {status}: {text}"),
        }
    }

    /// The same for whoever waits for a decision; what a provider's own words add is the provider's
    /// file's business.
    pub(super) fn undecided(&self) -> Undecided {
        let (why, retry_after_s) = match self {
            Self::Status { status: 401 | 403, .. } => (Why::Key, None),
            Self::Status { status: 429, retry_after_s, .. } => (Why::RateLimited, *retry_after_s),
            Self::Status { status: 408 | 504, .. } => (Why::Slow, None),
            _ if self.is_too_large() => (Why::TooLong, None),
            Self::Status { status: 404 | 410, .. } => (Why::Missing, None),
            Self::Status { status: 400..=499, .. } => (Why::Refused, None),
            Self::Status { retry_after_s, .. } => (Why::Failed, *retry_after_s),
            _ => (Why::Failed, None),
        };
        Undecided { why, details: self.what(), retry_after_s }
    }
}

/// What went wrong in a stream, as an error type of its own.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Stream(Box<dyn Error + Send + Sync>);

async fn refused(status: StatusCode, response: Response) -> WireError {
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after_s = retry_after.and_then(|it| it.to_str().ok()?.trim().parse().ok());
    let bytes = read(response, ERROR_BYTES_MAX).await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    // All three providers say it so; some wrap it in a list.
    let said = body.pointer("/error/message").or_else(|| body.pointer("/0/error/message"));
    let said = said.or(body.get("error")).and_then(Value::as_str).unwrap_or_default();
    let text = said.chars().take(MESSAGE_CHARS_MAX).collect();
    WireError::Status { status: status.as_u16(), retry_after_s, body, text }
}

/// A body of at most `most` bytes.
async fn read(response: Response, most: usize) -> Result<Vec<u8>, WireError> {
    let mut bytes = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(chunk) = stream.next().await {
        bytes.extend_from_slice(&chunk.map_err(|it| of_http(&it))?);
        if bytes.len() > most {
            return Err(WireError::Unreadable("the answer is too long".to_owned()));
        }
    }
    Ok(bytes)
}

/// What became of a request. Without its address.
fn of_http(error: &reqwest::Error) -> WireError {
    let mut text = "no answer".to_owned();
    let mut cause = error.source();
    while let Some(it) = cause {
        text = it.to_string();
        cause = it.source();
    }
    match error.is_connect() || error.is_builder() {
        true => WireError::Unreached(format!("it cannot be reached: {text}")),
        false => WireError::Lost(format!("the connection was lost: {text}")),
    }
}

#[cfg(test)]
mod tests;
