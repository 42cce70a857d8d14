//! HTTP requests to a provider's API, with retries and limits. The host adds the key; answers are
//! streams of events or single documents.

use std::{
    thread,
    time::{Duration, Instant},
};

use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use serde_json::Value;
use toolkit::{
    http::{self, Incoming, Request},
    log,
};
use url::Url;

use super::events::{ErrorOf, Events, Pieces, not_json};
use crate::{ErrorKind, ModelConfig, ModelError, Turn, decide::now};

/// Retries after the first attempt.
const RETRIES_MAX: u32 = 2;
/// Default delay before the first retry.
const BASE_MS: u64 = 500;
/// Longest `Retry-After` to wait for while a person waits; longer ones are reported.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(5);
/// Longest `Retry-After` to report.
const RETRY_AFTER_S_MAX: u64 = 86_400;
/// Maximum bytes of a document, and of all events of a stream.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// Maximum bytes of an error.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// Error text of a redirect.
const MOVED: &str = "it has moved; the log says where to, which base_url has to say";
/// Maximum characters of a provider's message.
const MESSAGE_CHARS_MAX: usize = 500;

/// Error texts, besides status 413, for a request larger than the provider or model accepts.
const TOO_LARGE: &[&str] = &[
    "prompt is too long",
    "input is too long",
    "context_length_exceeded",
    "context length",
    "context limit",
    "context window",
    "context size",
    "maximum prompt length",
    "model token limit",
    "too many tokens",
    "number of tokens allowed",
    "exceeds the maximum number of tokens",
    "request_too_large",
    "request too large",
    "request entity too large",
    "payload size",
    "too many images",
];

/// Error texts for requests blocked by content rules: OpenAI, Azure, Claude and OpenRouter.
const BLOCKED: &[&str] = &[
    "content_policy_violation",
    "content_filter",
    "content management policy",
    "content filtering policy",
    "input was flagged",
];

/// Error texts for problems only the operator can solve: to pay (OpenAI with any status, Claude with
/// 400; others use 402), to ask from a country that Gemini serves, or to provide a model or server that chats and
/// calls tools (Ollama, vLLM, llama.cpp).
const OPERATOR_ERRORS: &[&str] = &[
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "credit balance is too low",
    "specified api usage limits",
    "user location is not supported",
    "not support chat",
    "does not support tools",
    "tool choice requires",
    "tools param requires",
];

/// Error texts, besides status 404, for a missing model: OpenAI, OpenRouter and DeepSeek.
const NO_MODEL: &[&str] =
    &["model_not_found", "invalid model id", "not a valid model id", "model not exist"];

/// A provider's API.
#[derive(Clone)]
pub(super) struct Wire {
    base: Url,
    /// Header in which the host sends the key, if there is one.
    key: Option<&'static str>,
    retry_base: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WireError {
    /// The deadline has passed.
    Timeout,
    /// The provider was not reached.
    Unreachable(String),
    /// The connection was lost.
    Disconnected(String),
    /// The provider answered with an error.
    Status { status: u16, retry_after_s: Option<u64>, body: Value, text: String },
    /// The answer cannot be parsed.
    Unreadable(String),
}

impl Wire {
    /// Creates the API at `base_url`; `key` is the header of its key.
    pub(super) fn new(
        base_url: &str,
        key: &'static str,
        config: &ModelConfig,
    ) -> Result<Self, ModelError> {
        let wrong = |why: &str| ModelError::new(ErrorKind::Key, format!("the base URL {why}"));
        let base = Url::parse(&format!("{}/", base_url.trim().trim_end_matches('/')));
        let base = base.map_err(|_| wrong("is not a URL"))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("must begin with https:// or http://"));
        }
        if base.query().is_some() {
            // Azure has one without: https://NAME.openai.azure.com/openai/v1
            return Err(wrong("must have no ? in it, because paths are added to it"));
        }
        let retry_base = Duration::from_millis(config.retry_base_ms.unwrap_or(BASE_MS));
        Ok(Self { base, key: config.key.then_some(key), retry_base })
    }

    /// Posts `body` to `path` and lets `read` consume the events. A lost connection, or an error among the
    /// events, is retried until something was sent to the client.
    pub(super) fn answer<T>(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
        turn: &Turn<'_>,
        error_of: ErrorOf,
        read: impl Fn(Events) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let mut request = self.request("POST", path, "text/event-stream")?.json(body);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let (until, sent_before) = (turn.until, turn.sink.pieces_sent());
        let has_begun = || turn.sink.pieces_sent() != sent_before;
        self.with_retries(until, has_begun, || {
            let answer = send_request(&request, until)?;
            let kind = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
            let pieces = Pieces::new(answer, until, ANSWER_BYTES_MAX);
            match kind.as_str() {
                it if it.starts_with("text/event-stream") => read(Events::new(pieces, error_of)),
                // An error with a success status, or a server without streaming.
                it if it.starts_with("application/json") => {
                    // The document is complete; a retry would cost again and return the same.
                    read(Events::from_document(&pieces.whole()?, error_of)?).map_err(|error| {
                        match error {
                            WireError::Disconnected(what) => WireError::Unreadable(what),
                            error => error,
                        }
                    })
                }
                _ => {
                    let what = "it does not answer with a stream of events";
                    Err(WireError::Unreadable(what.to_owned()))
                }
            }
        })
    }

    /// Reads one JSON document at `path`.
    pub(super) fn json(&self, path: &str, until: Instant) -> Result<Value, WireError> {
        let request = self.request("GET", path, "application/json")?;
        let answer = self.with_retries(until, || false, || send_request(&request, until))?;
        let bytes = Pieces::new(answer, until, ANSWER_BYTES_MAX).whole()?;
        serde_json::from_slice(&bytes).map_err(not_json)
    }

    fn request(&self, method: &str, path: &str, accept: &str) -> Result<Request, WireError> {
        let url = self.base.join(path.trim_start_matches('/'));
        let url =
            url.map_err(|_| WireError::Unreadable("its address cannot be made".to_owned()))?;
        let request = Request::new(method, url.as_str()).header("accept", accept);
        // The host fills the empty header with this provider's key, where one gateway serves several.
        Ok(self.key.into_iter().fold(request, |request, key| request.header(key, "")))
    }

    /// Runs `attempt`, with retries where they may help and nothing `has_begun`.
    fn with_retries<T>(
        &self,
        until: Instant,
        has_begun: impl Fn() -> bool,
        attempt: impl Fn() -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let mut retry = 0;
        loop {
            let error = match attempt() {
                Ok(it) => return Ok(it),
                Err(error) => error,
            };
            let asked = match error.retry_wait() {
                Some(asked) if retry < RETRIES_MAX && !has_begun() => asked,
                _ => return Err(error),
            };
            log::info(&format!("a provider is asked again: {}", error.description()));
            let pause = asked.unwrap_or_else(|| delay(self.retry_base, retry));
            if Instant::now() + pause >= until {
                return Err(error);
            }
            thread::sleep(pause);
            retry += 1;
        }
    }
}

/// Exponential backoff with jitter.
fn delay(base: Duration, retry: u32) -> Duration {
    let whole = base.saturating_mul(1 << retry.min(16));
    // One of sixteen random letters.
    let chance = toolkit::fresh_id("").bytes().last().unwrap_or_default();
    whole.mul_f64(1.0 + f64::from(chance) / 1_280.0)
}

/// Sends `request` and returns the answer if its status is a success.
fn send_request(request: &Request, until: Instant) -> Result<Incoming, WireError> {
    let answer = request.open(Some(until)).map_err(|it| of_http(it, true))?;
    if answer.status == 200 {
        return Ok(answer);
    }
    let status = answer.status;
    let asked = answer.header("retry-after").and_then(|it| seconds(it, now()));
    // Not followed: the key is only for the host that the operator configured.
    let elsewhere = answer.header("location").filter(|_| (300..400).contains(&status));
    let elsewhere = elsewhere.and_then(|it| it.split(['?', '#']).next());
    // For the log alone: callers read the other text, and the address may be one within the operator's network.
    let elsewhere = elsewhere.map(|address| {
        log::warning(&format!("a provider is at {address} now, which base_url has to say"));
        MOVED.to_owned()
    });
    let bytes = Pieces::new(answer, until, ERROR_BYTES_MAX).whole().unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let text = elsewhere.unwrap_or_else(|| message(&body));
    let text = text.chars().take(MESSAGE_CHARS_MAX).collect();
    let retry_after_s = asked.or_else(|| retry_delay(&body));
    Err(WireError::Status { status, retry_after_s, body, text })
}

/// Extracts the message of an error: in the shape of any of the three providers, which some wrap in a
/// list, or of compatible servers.
fn message(body: &Value) -> String {
    let places = ["/error/message", "/0/error/message", "/error", "/message", "/detail"];
    let found = places.iter().filter_map(|it| body.pointer(it)).find(|it| !it.is_null());
    found.map_or_else(String::new, |it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
}

/// Parses `Retry-After`: seconds or a date; rounds up.
fn seconds(text: &str, now: Timestamp) -> Option<u64> {
    let text = text.trim();
    let left = || Some(DateTimeParser::new().parse_timestamp(text).ok()?.duration_since(now));
    let seconds = text.parse().ok().or_else(|| left().map(|it| it.as_secs_f64()))?;
    let left = Duration::try_from_secs_f64(f64::max(seconds, 0.0)).ok()?;
    Some((left.as_secs() + u64::from(left.subsec_nanos() > 0)).min(RETRY_AFTER_S_MAX))
}

/// Reads the retry delay from an error's details (<https://google.aip.dev/193>), in seconds.
pub(super) fn retry_delay(error: &Value) -> Option<u64> {
    let details = error.pointer("/error/details").or_else(|| error.pointer("/0/error/details"));
    let mut delays = details?.as_array()?.iter().filter_map(|it| it["retryDelay"].as_str());
    delays.find_map(|it| seconds(it.trim_end_matches('s'), now()))
}

/// Converts an HTTP error before the answer, or in the middle of it.
pub(super) fn of_http(error: http::Error, is_first: bool) -> WireError {
    match error {
        http::Error::TimedOut => WireError::Timeout,
        http::Error::TooLarge => WireError::Unreadable("the answer is too long".to_owned()),
        it if is_first => WireError::Unreachable(format!("it cannot be reached: {it}")),
        it => WireError::Disconnected(format!("the connection was lost: {it}")),
    }
}

impl WireError {
    /// Time to wait before a retry: as requested, or our own; `None` if a retry cannot help.
    fn retry_wait(&self) -> Option<Option<Duration>> {
        match self {
            Self::Unreachable(_) | Self::Disconnected(_) => Some(None),
            _ if self.is_too_large() || self.needs_operator() => None,
            // Besides HTTP's own: 529 of Claude, and 520 to 527 of proxies. 409 and 425 are transient.
            Self::Status {
                status: 408 | 409 | 425 | 429 | 500 | 502..=599, retry_after_s, ..
            } => {
                let asked = retry_after_s.map(Duration::from_secs);
                asked.is_none_or(|it| it <= RETRY_AFTER_MAX).then_some(asked)
            }
            _ => None,
        }
    }

    /// Whether the request is larger than the provider or its model accepts.
    pub(super) fn is_too_large(&self) -> bool {
        match self {
            Self::Status { status: 413, .. } => true,
            // Errors within a stream have no status, as with LM Studio; they count as 500.
            Self::Status { status: 400 | 422 | 500, .. } => self.mentions(TOO_LARGE),
            // OpenAI's, for a request beyond the limit of a minute; waiting does not help.
            Self::Status { status: 429, .. } => self.mentions(&["request too large"]),
            _ => false,
        }
    }

    /// Whether only the operator can solve it.
    fn needs_operator(&self) -> bool {
        matches!(self, Self::Status { status: 402, .. }) || self.mentions(OPERATOR_ERRORS)
    }

    /// Whether the request's pictures may be the cause: one is unreadable, or the model accepts none. Each
    /// server has its own text and status.
    pub(super) fn may_be_of_pictures(&self) -> bool {
        match self {
            Self::Status { status: 400 | 404 | 415 | 422, .. } => true,
            Self::Status { status: 500 | 501, .. } => self.mentions(&["image", "multimodal"]),
            _ => false,
        }
    }

    /// Whether the provider's error contains one of these lowercase texts.
    pub(super) fn mentions(&self, words: &[&str]) -> bool {
        let Self::Status { body, text, .. } = self else { return false };
        let answer = format!("{text} {body}").to_lowercase();
        words.iter().any(|it| answer.contains(it))
    }

    /// Formats the error for logs.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Timeout => "no answer in time".to_owned(),
            Self::Unreachable(why) | Self::Disconnected(why) | Self::Unreadable(why) => why.clone(),
            Self::Status { status, text, .. } if text.is_empty() => format!("HTTP {status}"),
            Self::Status { status, text, .. } => format!("HTTP {status}: {text}"),
        }
    }

    /// Converts to a failure to decide; provider-specific details are handled in the provider's file.
    pub(super) fn model_error(&self) -> ModelError {
        let (kind, retry_after_s) = match self {
            Self::Status { status: 400 | 403, .. } if self.mentions(BLOCKED) => {
                (ErrorKind::Blocked, None)
            }
            Self::Status { status: 401 | 403, .. } => (ErrorKind::Key, None),
            _ if self.needs_operator() => (ErrorKind::Key, None),
            _ if self.is_too_large() => (ErrorKind::TooLong, None),
            Self::Status { status: 429, retry_after_s, .. } => {
                (ErrorKind::RateLimited, *retry_after_s)
            }
            Self::Timeout | Self::Status { status: 408 | 504, .. } => (ErrorKind::Slow, None),
            Self::Status { status: 300..=399 | 404 | 405 | 410, .. } => (ErrorKind::Missing, None),
            Self::Status { status: 400 | 422, .. } if self.mentions(NO_MODEL) => {
                (ErrorKind::Missing, None)
            }
            Self::Status { status: 400..=499, .. } => (ErrorKind::Refused, None),
            Self::Status { retry_after_s, .. } => (ErrorKind::Failed, *retry_after_s),
            _ => (ErrorKind::Failed, None),
        };
        ModelError { kind, details: self.description(), retry_after_s }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(status: u16, retry_after_s: Option<u64>) -> WireError {
        WireError::Status { status, retry_after_s, body: Value::Null, text: String::new() }
    }

    #[test]
    fn retries_transient_errors_within_the_wait_limit() {
        for (error, wait) in [
            (status(429, None), Some(None)),
            (status(529, Some(2)), Some(Some(Duration::from_secs(2)))),
            (status(429, Some(60)), None),
            (status(408, None), Some(None)),
            (status(409, None), Some(None)),
            (status(425, None), Some(None)),
            (status(524, None), Some(None)),
            (status(400, None), None),
            (status(401, None), None),
            (status(501, None), None),
            (WireError::Timeout, None),
            (WireError::Unreachable(String::new()), Some(None)),
            (WireError::Disconnected(String::new()), Some(None)),
        ] {
            assert_eq!(error.retry_wait(), wait, "{error:?}");
        }
    }

    #[test]
    fn recognizes_too_large_in_every_wording() {
        let of = |text: &str| WireError::Status {
            status: 429,
            retry_after_s: None,
            body: Value::Null,
            text: text.to_owned(),
        };
        let large = of(
            "Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 36055.",
        );
        assert_eq!((large.retry_wait(), large.model_error().kind), (None, ErrorKind::TooLong));
        let within = WireError::Status {
            status: 500,
            retry_after_s: None,
            body: Value::Null,
            text: "The number of tokens to keep from the initial prompt is greater than the context length.".to_owned(),
        };
        assert_eq!((within.retry_wait(), within.model_error().kind), (None, ErrorKind::TooLong));
        let claude = WireError::Status {
            status: 400,
            retry_after_s: None,
            body: Value::Null,
            text: "input length and `max_tokens` exceed context limit: 198000 + 4096 > 200000"
                .to_owned(),
        };
        assert_eq!(claude.model_error().kind, ErrorKind::TooLong);
        let often = of("Too many tokens, please wait before trying again.");
        assert_eq!(
            (often.retry_wait(), often.model_error().kind),
            (Some(None), ErrorKind::RateLimited)
        );
    }

    #[test]
    fn reports_operator_errors() {
        let of = |status, code: &str, text: &str| {
            let body = json!({ "error": { "code": code, "message": text } });
            let text = text.to_owned();
            WireError::Status { status, retry_after_s: None, body, text }
        };
        let quota = "You exceeded your current quota, please check your plan and billing details.";
        for error in [
            of(429, "insufficient_quota", quota),
            of(429, "billing_not_active", "Your account is not active."),
            of(400, "", "Your credit balance is too low to access the Anthropic API."),
            of(
                400,
                "",
                "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
            ),
            of(400, "", "User location is not supported for the API use."),
            of(400, "", "\"all-minilm:latest\" does not support chat"),
            of(402, "", "Insufficient Balance"),
            of(400, "", "registry.ollama.ai/library/gemma3:4b does not support tools"),
            of(400, "", "\"auto\" tool choice requires --enable-auto-tool-choice"),
            of(500, "", "tools param requires --jinja flag"),
        ] {
            assert_eq!(
                (error.retry_wait(), error.model_error().kind),
                (None, ErrorKind::Key),
                "{error:?}"
            );
        }
        for error in [
            of(400, "model_not_found", "The model `x` does not exist"),
            of(400, "400", "x/y is not a valid model ID"),
            of(400, "invalid_request_error", "Model Not Exist"),
        ] {
            assert_eq!(
                (error.retry_wait(), error.model_error().kind),
                (None, ErrorKind::Missing),
                "{error:?}"
            );
        }
        // Gemini says the same of a minute.
        let minute = of(429, "", quota);
        assert_eq!(
            (minute.retry_wait(), minute.model_error().kind),
            (Some(None), ErrorKind::RateLimited)
        );
    }

    #[test]
    fn reports_wrong_base_url_to_the_operator() {
        for it in [301, 307, 308, 404, 405] {
            let error = status(it, None);
            assert_eq!(
                (error.retry_wait(), error.model_error().kind),
                (None, ErrorKind::Missing),
                "{it}"
            );
        }
    }

    #[test]
    fn recognizes_blocked_content() {
        let why = |status, code: &str, text: &str| {
            let body = json!({ "error": { "code": code, "message": text } });
            let text = text.to_owned();
            WireError::Status { status, retry_after_s: None, body, text }.model_error().kind
        };
        assert_eq!(why(400, "content_filter", "The response was filtered."), ErrorKind::Blocked);
        assert_eq!(why(400, "content_policy_violation", "rejected"), ErrorKind::Blocked);
        assert_eq!(why(400, "", "Output blocked by content filtering policy"), ErrorKind::Blocked);
        assert_eq!(
            why(403, "", "requires moderation and your input was flagged"),
            ErrorKind::Blocked
        );
        assert_eq!(
            (why(403, "", "no access"), why(400, "", "bad")),
            (ErrorKind::Key, ErrorKind::Refused)
        );
    }

    #[test]
    fn extracts_message_from_any_error_shape() {
        for (body, said) in [
            (json!({ "error": { "message": "a" } }), "a"),
            (json!([{ "error": { "message": "b" } }]), "b"),
            (json!({ "error": "c" }), "c"),
            (json!({ "object": "error", "message": "d", "error": null }), "d"),
            (json!({ "message": { "detail": [{ "msg": "e" }] } }), r#"{"detail":[{"msg":"e"}]}"#),
            (json!({ "detail": "f" }), "f"),
            (Value::Null, ""),
        ] {
            assert_eq!(message(&body), said, "{body}");
        }
    }

    #[test]
    fn parses_retry_delay_in_every_form() {
        let now: Timestamp = "2026-10-21T07:28:00Z".parse().unwrap();
        for (said, asked) in [
            ("0", Some(0)),
            (" 7 ", Some(7)),
            ("0.2", Some(1)),
            ("33.5", Some(34)),
            ("Wed, 21 Oct 2026 07:28:30 GMT", Some(30)),
            ("Wed, 21 Oct 2026 07:00:00 GMT", Some(0)),
            ("Fri, 31 Dec 2100 23:59:59 GMT", Some(RETRY_AFTER_S_MAX)),
            ("99999999999", Some(RETRY_AFTER_S_MAX)),
            ("inf", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(seconds(said, now), asked, "{said:?}");
        }
        let error =
            json!({ "error": { "details": [{ "reason": "x" }, { "retryDelay": "33.5s" }] } });
        assert_eq!(retry_delay(&error), Some(34));
        assert_eq!(retry_delay(&json!([error])), Some(34));
        assert_eq!(retry_delay(&json!({ "error": "x" })), None);
    }

    #[test]
    fn rejects_invalid_base_url() {
        let config = ModelConfig::default();
        let queried = "https://api.example/deployments/x?api-version=2024-10-21";
        for url in ["", "api.example", "ftp://api.example", "file:///etc/passwd", queried] {
            let error = Wire::new(url, "x-key", &config).map(|_| ()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Key, "{url}");
            assert!(error.details.contains("the base URL"), "{url}: {error:?}");
        }
        assert!(Wire::new("https://api.example/v1/", "x-key", &config).is_ok());
    }

    #[test]
    fn request_has_only_its_providers_key_header() {
        for (key, place) in [(true, Some("x-key")), (false, None)] {
            let config = ModelConfig { key, ..ModelConfig::default() };
            assert_eq!(Wire::new("https://api.example", "x-key", &config).unwrap().key, place);
        }
    }
}
