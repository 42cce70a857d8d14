//! The way to a provider's API: one request, to which the host adds the key, tried again where that may help, and
//! the answer as a stream of events or as one document, within limits.

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
use crate::{ModelConfig, ModelError, Turn, Why, decide::now};

/// Retries after the first attempt.
const RETRIES_MAX: u32 = 2;
/// The first delay, unless configured.
const BASE_MS: u64 = 500;
/// The longest that a provider may ask to wait, while a person waits; one that asks for more is reported.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(5);
/// The longest that is told on.
const RETRY_AFTER_S_MAX: u64 = 86_400;
/// Bytes of an answer that is one document, and of all events of a stream.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// Bytes of an error that are read and reported.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// Characters of a provider's message that are reported.
const MESSAGE_CHARS_MAX: usize = 500;

/// What providers say, beside 413, where a request is larger than they or their models take.
const TOO_LARGE: &[&str] = &[
    "prompt is too long",
    "input is too long",
    "context_length_exceeded",
    "context length",
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

/// What providers say where their rules on content refuse a request: OpenAI, Azure, Claude and OpenRouter.
const BLOCKED: &[&str] = &[
    "content_policy_violation",
    "content_filter",
    "content management policy",
    "content filtering policy",
    "input was flagged",
];

/// What providers say where the operator has to do something, and waiting or other words do not help: to pay (OpenAI, whatever
/// the status, and Claude, with a 400; others have 402), or to have a model, or a server, that calls tools (Ollama, vLLM,
/// llama.cpp).
const OPERATORS: &[&str] = &[
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "credit balance is too low",
    "does not support tools",
    "tool choice requires",
    "tools param requires",
];

/// What they say, beside 404, where there is no such model: OpenAI, OpenRouter and DeepSeek.
const NO_MODEL: &[&str] =
    &["model_not_found", "invalid model id", "not a valid model id", "model not exist"];

/// A provider's API: where it is.
#[derive(Clone)]
pub(super) struct Wire {
    base: Url,
    /// The header that the host puts the key into, where there is one.
    key: Option<&'static str>,
    retry_base: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WireError {
    /// It took too long.
    Late,
    /// The provider was not reached.
    Unreached(String),
    /// The connection was lost on the way.
    Lost(String),
    /// The provider answered with an error.
    Status { status: u16, retry_after_s: Option<u64>, body: Value, text: String },
    /// It answered what cannot be used.
    Unreadable(String),
}

impl Wire {
    /// The API at `base_url`, to which requests' paths are added; `key` is the header of its key.
    pub(super) fn new(
        base_url: &str,
        key: &'static str,
        config: &ModelConfig,
    ) -> Result<Self, ModelError> {
        let wrong = |why: &str| ModelError::new(Why::Key, format!("the base URL {why}"));
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

    /// Posts `body` to `path` and has the events `read` that come back, as they come. As long as nothing of them was
    /// told, a connection that is lost may be tried again, and so may an error among them, as `error_of` knows it.
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
        let (until, told) = (turn.until, turn.teller.told());
        let has_begun = || turn.teller.told() != told;
        self.tried(until, has_begun, || {
            let answer = sent(&request, until)?;
            let kind = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
            let pieces = Pieces::new(answer, until, ANSWER_BYTES_MAX);
            match kind.as_str() {
                it if it.starts_with("text/event-stream") => read(Events::new(pieces, error_of)),
                // An error with a status of success, or a server that knows no streams.
                it if it.starts_with("application/json") => {
                    // It is all there: asked again, it would be paid for once more and be the same.
                    read(Events::of(&pieces.whole()?, error_of)?).map_err(|error| match error {
                        WireError::Lost(what) => WireError::Unreadable(what),
                        error => error,
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
        let answer = self.tried(until, || false, || sent(&request, until))?;
        let bytes = Pieces::new(answer, until, ANSWER_BYTES_MAX).whole()?;
        serde_json::from_slice(&bytes).map_err(not_json)
    }

    fn request(&self, method: &str, path: &str, accept: &str) -> Result<Request, WireError> {
        let url = self.base.join(path.trim_start_matches('/'));
        let url =
            url.map_err(|_| WireError::Unreadable("its address cannot be made".to_owned()))?;
        let request = Request::new(method, url.as_str()).header("accept", accept);
        // An empty place says which key is meant, where several providers are behind one gateway.
        Ok(self.key.into_iter().fold(request, |request, key| request.header(key, "")))
    }

    /// What `attempt` brings, which is made again where that may help and nothing of it `has_begun` to be told.
    fn tried<T>(
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
            let asked = match error.wait() {
                Some(asked) if retry < RETRIES_MAX && !has_begun() => asked,
                _ => return Err(error),
            };
            log::info(&format!("a provider is asked again: {}", error.what()));
            let pause = asked.unwrap_or_else(|| delay(self.retry_base, retry));
            if Instant::now() + pause >= until {
                return Err(error);
            }
            thread::sleep(pause);
            retry += 1;
        }
    }
}

/// A delay that doubles with each retry, and is a bit longer by chance, so that not all come back at once.
fn delay(base: Duration, retry: u32) -> Duration {
    let whole = base.saturating_mul(1 << retry.min(16));
    // Of sixteen letters of chance, one.
    let chance = toolkit::fresh_id("").bytes().last().unwrap_or_default();
    whole.mul_f64(1.0 + f64::from(chance) / 1_280.0)
}

/// The answer to `request`, where its status says success.
fn sent(request: &Request, until: Instant) -> Result<Incoming, WireError> {
    let answer = request.open(Some(until)).map_err(|it| of_http(it, true))?;
    if answer.status == 200 {
        return Ok(answer);
    }
    let status = answer.status;
    let asked = answer.header("retry-after").and_then(|it| seconds(it, now()));
    // It is not followed: the key is for the host that the operator has named.
    let elsewhere = answer.header("location").filter(|_| (300..400).contains(&status));
    let elsewhere = elsewhere.and_then(|it| it.split(['?', '#']).next());
    let elsewhere = elsewhere.map(|it| format!("it is at {it} now, which base_url has to say"));
    let bytes = Pieces::new(answer, until, ERROR_BYTES_MAX).whole().unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let text = elsewhere.unwrap_or_else(|| message(&body));
    let text = text.chars().take(MESSAGE_CHARS_MAX).collect();
    let retry_after_s = asked.or_else(|| retry_delay(&body));
    Err(WireError::Status { status, retry_after_s, body, text })
}

/// What an error says: in the words of all three providers, which some wrap in a list, or of servers that speak like one
/// of them.
fn message(body: &Value) -> String {
    let places = ["/error/message", "/0/error/message", "/error", "/message", "/detail"];
    let found = places.iter().filter_map(|it| body.pointer(it)).find(|it| !it.is_null());
    found.map_or_else(String::new, |it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
}

/// What a `Retry-After` says: seconds, whole or not, or a time of day; the part of a second counted whole.
fn seconds(text: &str, now: Timestamp) -> Option<u64> {
    let text = text.trim();
    let left = || Some(DateTimeParser::new().parse_timestamp(text).ok()?.duration_since(now));
    let seconds = text.parse().ok().or_else(|| left().map(|it| it.as_secs_f64()))?;
    let left = Duration::try_from_secs_f64(f64::max(seconds, 0.0)).ok()?;
    Some((left.as_secs() + u64::from(left.subsec_nanos() > 0)).min(RETRY_AFTER_S_MAX))
}

/// When to come back as an error says it in its details (<https://google.aip.dev/193>), in seconds.
pub(super) fn retry_delay(error: &Value) -> Option<u64> {
    let details = error.pointer("/error/details").or_else(|| error.pointer("/0/error/details"));
    let mut delays = details?.as_array()?.iter().filter_map(|it| it["retryDelay"].as_str());
    delays.find_map(|it| seconds(it.trim_end_matches('s'), now()))
}

/// What became of a request before its answer began, or of the rest of the answer.
pub(super) fn of_http(error: http::Error, is_first: bool) -> WireError {
    match error {
        http::Error::TimedOut => WireError::Late,
        http::Error::TooLarge => WireError::Unreadable("the answer is too long".to_owned()),
        it if is_first => WireError::Unreached(format!("it cannot be reached: {it}")),
        it => WireError::Lost(format!("the connection was lost: {it}")),
    }
}

impl WireError {
    /// How long to wait before another attempt may help: as asked, or as we like; none, if it will
    /// not.
    fn wait(&self) -> Option<Option<Duration>> {
        match self {
            Self::Unreached(_) | Self::Lost(_) => Some(None),
            _ if self.is_too_large() || self.is_operators() => None,
            // Beside HTTP's own: 529 of Claude, 520 to 527 of what stands before many a provider.
            Self::Status { status: 408 | 429 | 500 | 502..=599, retry_after_s, .. } => {
                let asked = retry_after_s.map(Duration::from_secs);
                asked.is_none_or(|it| it <= RETRY_AFTER_MAX).then_some(asked)
            }
            _ => None,
        }
    }

    /// Whether the request is larger than the provider, or its model, takes.
    pub(super) fn is_too_large(&self) -> bool {
        match self {
            Self::Status { status: 413, .. } => true,
            // An error within a stream, as LM Studio has it, comes without a status: it counts as 500.
            Self::Status { status: 400 | 422 | 500, .. } => self.says_any(TOO_LARGE),
            // OpenAI's, of one that no minute has room for: waiting does not help.
            Self::Status { status: 429, .. } => self.says_any(&["request too large"]),
            _ => false,
        }
    }

    /// Whether it is the operator's to mend.
    fn is_operators(&self) -> bool {
        matches!(self, Self::Status { status: 402, .. }) || self.says_any(OPERATORS)
    }

    /// Whether it may be the pictures of a request that are refused: one of them cannot be read, or the model sees none,
    /// which each server says in its own words and with its own status.
    pub(super) fn may_be_of_pictures(&self) -> bool {
        match self {
            Self::Status { status: 400 | 404 | 415 | 422, .. } => true,
            Self::Status { status: 500 | 501, .. } => self.says_any(&["image", "multimodal"]),
            _ => false,
        }
    }

    /// Whether a provider's refusal has one of these, which are in small letters.
    pub(super) fn says_any(&self, words: &[&str]) -> bool {
        let Self::Status { body, text, .. } = self else { return false };
        let answer = format!("{text} {body}").to_lowercase();
        words.iter().any(|it| answer.contains(it))
    }

    /// As text, for an error and a log.
    pub(super) fn what(&self) -> String {
        match self {
            Self::Late => "no answer in time".to_owned(),
            Self::Unreached(why) | Self::Lost(why) | Self::Unreadable(why) => why.clone(),
            Self::Status { status, text, .. } if text.is_empty() => format!("HTTP {status}"),
            Self::Status { status, text, .. } => format!("HTTP {status}: {text}"),
        }
    }

    /// As a failure to decide; details of a provider's own errors are the business of the provider's file.
    pub(super) fn model_error(&self) -> ModelError {
        let (why, retry_after_s) = match self {
            Self::Status { status: 400 | 403, .. } if self.says_any(BLOCKED) => {
                (Why::Blocked, None)
            }
            Self::Status { status: 401 | 403, .. } => (Why::Key, None),
            _ if self.is_operators() => (Why::Key, None),
            _ if self.is_too_large() => (Why::TooLong, None),
            Self::Status { status: 429, retry_after_s, .. } => (Why::RateLimited, *retry_after_s),
            Self::Late | Self::Status { status: 408 | 504, .. } => (Why::Slow, None),
            Self::Status { status: 300..=399 | 404 | 405 | 410, .. } => (Why::Missing, None),
            Self::Status { status: 400 | 422, .. } if self.says_any(NO_MODEL) => {
                (Why::Missing, None)
            }
            Self::Status { status: 400..=499, .. } => (Why::Refused, None),
            Self::Status { retry_after_s, .. } => (Why::Failed, *retry_after_s),
            _ => (Why::Failed, None),
        };
        ModelError { why, details: self.what(), retry_after_s }
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
    fn what_may_pass_is_tried_again_unless_it_would_take_too_long() {
        for (error, wait) in [
            (status(429, None), Some(None)),
            (status(529, Some(2)), Some(Some(Duration::from_secs(2)))),
            (status(429, Some(60)), None),
            (status(408, None), Some(None)),
            (status(524, None), Some(None)),
            (status(400, None), None),
            (status(401, None), None),
            (status(501, None), None),
            (WireError::Late, None),
            (WireError::Unreached(String::new()), Some(None)),
            (WireError::Lost(String::new()), Some(None)),
        ] {
            assert_eq!(error.wait(), wait, "{error:?}");
        }
    }

    #[test]
    fn what_there_is_no_room_for_is_too_large_however_it_is_said() {
        let of = |text: &str| WireError::Status {
            status: 429,
            retry_after_s: None,
            body: Value::Null,
            text: text.to_owned(),
        };
        let large = of(
            "Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 36055.",
        );
        assert_eq!((large.wait(), large.model_error().why), (None, Why::TooLong));
        let within = WireError::Status {
            status: 500,
            retry_after_s: None,
            body: Value::Null,
            text: "The number of tokens to keep from the initial prompt is greater than the context length.".to_owned(),
        };
        assert_eq!((within.wait(), within.model_error().why), (None, Why::TooLong));
        let often = of("Too many tokens, please wait before trying again.");
        assert_eq!((often.wait(), often.model_error().why), (Some(None), Why::RateLimited));
    }

    #[test]
    fn what_the_operator_has_to_mend_is_told_as_that() {
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
            of(402, "", "Insufficient Balance"),
            of(400, "", "registry.ollama.ai/library/gemma3:4b does not support tools"),
            of(400, "", "\"auto\" tool choice requires --enable-auto-tool-choice"),
            of(500, "", "tools param requires --jinja flag"),
        ] {
            assert_eq!((error.wait(), error.model_error().why), (None, Why::Key), "{error:?}");
        }
        for error in [
            of(400, "model_not_found", "The model `x` does not exist"),
            of(400, "400", "x/y is not a valid model ID"),
            of(400, "invalid_request_error", "Model Not Exist"),
        ] {
            assert_eq!((error.wait(), error.model_error().why), (None, Why::Missing), "{error:?}");
        }
        // Gemini says the same of a minute.
        let minute = of(429, "", quota);
        assert_eq!((minute.wait(), minute.model_error().why), (Some(None), Why::RateLimited));
    }

    #[test]
    fn a_moved_or_wrong_address_is_the_operators_to_mend() {
        for it in [301, 307, 308, 404, 405] {
            let error = status(it, None);
            assert_eq!((error.wait(), error.model_error().why), (None, Why::Missing), "{it}");
        }
    }

    #[test]
    fn a_request_that_rules_on_content_refuse_is_blocked() {
        let why = |status, code: &str, text: &str| {
            let body = json!({ "error": { "code": code, "message": text } });
            let text = text.to_owned();
            WireError::Status { status, retry_after_s: None, body, text }.model_error().why
        };
        assert_eq!(why(400, "content_filter", "The response was filtered."), Why::Blocked);
        assert_eq!(why(400, "content_policy_violation", "rejected"), Why::Blocked);
        assert_eq!(why(400, "", "Output blocked by content filtering policy"), Why::Blocked);
        assert_eq!(why(403, "", "requires moderation and your input was flagged"), Why::Blocked);
        assert_eq!((why(403, "", "no access"), why(400, "", "bad")), (Why::Key, Why::Refused));
    }

    #[test]
    fn an_error_is_told_whatever_form_it_has() {
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
    fn when_to_come_back_is_read_however_it_is_said() {
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
    fn a_base_url_that_is_none_is_told() {
        let config = ModelConfig::default();
        let queried = "https://api.example/deployments/x?api-version=2024-10-21";
        for url in ["", "api.example", "ftp://api.example", "file:///etc/passwd", queried] {
            let error = Wire::new(url, "x-key", &config).map(|_| ()).unwrap_err();
            assert_eq!(error.why, Why::Key, "{url}");
            assert!(error.details.contains("the base URL"), "{url}: {error:?}");
        }
        assert!(Wire::new("https://api.example/v1/", "x-key", &config).is_ok());
    }

    #[test]
    fn a_request_has_a_place_for_its_providers_key_and_no_other() {
        for (key, place) in [(true, Some("x-key")), (false, None)] {
            let config = ModelConfig { key, ..ModelConfig::default() };
            assert_eq!(Wire::new("https://api.example", "x-key", &config).unwrap().key, place);
        }
    }
}
