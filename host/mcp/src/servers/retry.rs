//! Which upstream requests are retried, and when (ILL-12, ILL-14).

use std::{error::Error, time::Duration};

use rmcp::{
    model::{ErrorCode, ErrorData, InitializeResult},
    service::{ClientInitializeError, ServiceError},
    transport::streamable_http_client::{HttpStatusError, StreamableHttpError},
};

use super::{
    messages::{TOO_LARGE, UNREADABLE},
    post::SseError,
};
use base::json;

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
