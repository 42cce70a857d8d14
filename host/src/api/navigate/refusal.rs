//! What went wrong, in the specified shape (NAV-10, NAV-40).

use axum::{
    extract::rejection::BytesRejection,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    api::refused,
    assistant::{Ending, Language, Stopped, Trouble, Undecided, Why},
    failure::Failure,
};

/// When to come back, where nobody says.
const RETRY_AFTER_S: u64 = 60;

/// `{"error": {"code", "message", "details"}}`, with the status that belongs to it.
#[derive(Debug)]
pub(in crate::api) struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
    details: String,
    retry_after_s: Option<u64>,
    /// What the caller would need.
    scope: Option<String>,
}

impl Refusal {
    fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        details: impl Into<String>,
    ) -> Self {
        let (message, details) = (message.into(), details.into());
        Self { status, code, message, details, retry_after_s: None, scope: None }
    }

    /// A field is not as it must be (NAV-7).
    pub(super) fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message, field)
    }

    /// The body did not arrive, or is too long.
    pub(super) fn unread(rejection: &BytesRejection, language: Language) -> Self {
        let message = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                language.pick("本文が大きすぎます", "The body is too long")
            }
            _ => language.pick("本文を最後まで受信できませんでした", "The body did not arrive"),
        };
        Self { status: rejection.status(), ..Self::invalid("body", message) }
    }

    /// A run had no end.
    pub(super) fn of(trouble: Trouble, language: Language) -> Self {
        match trouble {
            Trouble::Tool(failure) => Self::of_tool(failure, language),
            Trouble::NoTools(_) => Self::absent(language),
            Trouble::Undecided(Undecided { why, details, retry_after_s }) => {
                let message = language.pick(
                    "Claude APIへの接続に失敗しました",
                    "The Claude API could not be reached",
                );
                let details = match why {
                    Why::RateLimited => "Rate limit exceeded".to_owned(),
                    _ => details,
                };
                let status = StatusCode::SERVICE_UNAVAILABLE;
                let refusal = Self::new(status, "CLAUDE_API_ERROR", message, details);
                Self { retry_after_s, ..refusal }
            }
        }
    }

    /// A run that stopped before its conclusion.
    pub(super) fn unfinished(ending: &Ending, language: Language) -> Self {
        if let Ending::Stopped(Stopped::Time) = ending {
            let message = language.pick(
                "時間内に経路を取得できませんでした。もう一度お試しください",
                "No route was found in time; try again",
            );
            let gateway = StatusCode::BAD_GATEWAY;
            return Self::new(gateway, "GOOGLE_MAPS_ERROR", message, "DEADLINE_EXCEEDED");
        }
        let message = language.pick(
            "ツールの呼び出しが多すぎるため中止しました",
            "Too many calls of tools; it was given up",
        );
        let internal = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(internal, "INTERNAL_ERROR", message, "TOO_MANY_CALLS")
    }

    /// A tool failed for good (NAV-40).
    fn of_tool(failure: Failure, language: Language) -> Self {
        let number = |name: &str| failure.data.get(name).and_then(Value::as_u64);
        let text = |name: &str| failure.data.get(name).and_then(Value::as_str);
        let message = failure.message.clone();
        let maps = |status, details: &str| {
            Self::new(status, "GOOGLE_MAPS_ERROR", message.clone(), details)
        };
        let unavailable = StatusCode::SERVICE_UNAVAILABLE;
        let again_s = number("retry_after_ms").map(|it| it.div_ceil(1_000).max(1));
        match failure.error.as_str() {
            // The documented exception: this code is 502 otherwise (NAV-X2).
            "over_query_limit" => {
                let again_s = number("retry_after_s").map_or(RETRY_AFTER_S, |it| it.max(1));
                Self { retry_after_s: Some(again_s), ..maps(unavailable, "OVER_QUERY_LIMIT") }
            }
            "busy" | "unavailable" => {
                let details = failure.error.to_uppercase();
                Self { retry_after_s: again_s.or(Some(1)), ..maps(unavailable, &details) }
            }
            "provider_failed" => {
                maps(StatusCode::BAD_GATEWAY, text("status").unwrap_or("UNKNOWN_ERROR"))
            }
            "insufficient_scope" => Self {
                scope: Some(text("scope").unwrap_or_default().to_owned()),
                ..Self::new(
                    StatusCode::FORBIDDEN,
                    "FORBIDDEN",
                    message,
                    text("scope").unwrap_or_default(),
                )
            },
            "unknown_tool" => Self::absent(language),
            "request_denied" => Self::internal(message, "REQUEST_DENIED"),
            other => Self::internal(message.clone(), other),
        }
    }

    /// Nobody has the tools.
    fn absent(language: Language) -> Self {
        let message = language.pick(
            "ナビゲーションのコンポーネントが動いていません。/api/healthで理由を確認できます",
            "The navigation component is not running; /api/health says why",
        );
        Self::internal(message, "unknown_tool")
    }

    fn internal(message: impl Into<String>, details: &str) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR", message, details)
    }

    fn body(&self) -> Value {
        json!({ "error": {
            "code": self.code, "message": self.message, "details": self.details,
        } })
    }

    /// The same as the data of an event: what HTTP would say in its status and headers beside it.
    pub(super) fn event(&self) -> Value {
        refused::event(self.status, self.body(), self.retry_after_s)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        refused::response(self.status, self.body(), self.retry_after_s, self.scope.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    fn of(error: &str, status: u16, data: &Value) -> Refusal {
        let mut failure = Failure::new(error, status, "it says so");
        failure.data = Box::new(data.as_object().cloned().unwrap_or_default());
        Refusal::of(Trouble::Tool(failure), Language::English)
    }

    #[test]
    fn every_failure_of_a_tool_has_its_code_and_status() {
        let unknown = json!({ "status": "UNKNOWN_ERROR" });
        let none = || json!({});
        for (error, given, data, status, code, details, retry) in [
            (
                "over_query_limit",
                503,
                json!({ "retry_after_s": 7 }),
                503,
                "GOOGLE_MAPS_ERROR",
                "OVER_QUERY_LIMIT",
                Some(7),
            ),
            (
                "over_query_limit",
                503,
                none(),
                503,
                "GOOGLE_MAPS_ERROR",
                "OVER_QUERY_LIMIT",
                Some(60),
            ),
            ("request_denied", 500, none(), 500, "INTERNAL_ERROR", "REQUEST_DENIED", None),
            ("provider_failed", 502, unknown, 502, "GOOGLE_MAPS_ERROR", "UNKNOWN_ERROR", None),
            (
                "busy",
                503,
                json!({ "retry_after_ms": 1_200 }),
                503,
                "GOOGLE_MAPS_ERROR",
                "BUSY",
                Some(2),
            ),
            ("unavailable", 503, none(), 503, "GOOGLE_MAPS_ERROR", "UNAVAILABLE", Some(1)),
            ("map_unreadable", 500, none(), 500, "INTERNAL_ERROR", "map_unreadable", None),
            ("limit_exceeded", 500, none(), 500, "INTERNAL_ERROR", "limit_exceeded", None),
            ("internal_error", 500, none(), 500, "INTERNAL_ERROR", "internal_error", None),
            ("unknown_tool", 404, none(), 500, "INTERNAL_ERROR", "unknown_tool", None),
        ] {
            let refusal = of(error, given, &data);
            assert_eq!((refusal.status.as_u16(), refusal.code), (status, code), "NAV-40: {error}");
            assert_eq!(refusal.details, details, "NAV-40: {error}");
            assert_eq!(refusal.retry_after_s, retry, "NAV-40: {error}");
            let event = refusal.event();
            assert_eq!(event["status"], status, "NAV-9: {error}");
            let response = refusal.into_response();
            let after = response.headers().get(header::RETRY_AFTER).is_some();
            assert_eq!(after, retry.is_some(), "NAV-40: {error}");
        }
    }

    #[test]
    fn a_scope_that_is_missing_is_named_where_clients_look() {
        let refusal = of("insufficient_scope", 403, &json!({ "scope": "tool:route_search" }));
        assert_eq!((refusal.code, &*refusal.details), ("FORBIDDEN", "tool:route_search"));
        let response = refusal.into_response();
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        let challenge = response.headers()[header::WWW_AUTHENTICATE].to_str().unwrap();
        assert!(challenge.contains("scope=\"tool:route_search\""), "{challenge}");
    }

    #[test]
    fn whoever_decides_and_the_time_have_codes_too() {
        let code = |trouble| {
            let it = Refusal::of(trouble, Language::Japanese);
            (it.status.as_u16(), it.code, it.message)
        };
        let undecided = Undecided::new(Why::RateLimited, "Rate limit exceeded");
        let (status, name, message) = code(Trouble::Undecided(undecided));
        assert_eq!((status, name), (503, "CLAUDE_API_ERROR"), "NAV-10");
        assert_eq!(message, "Claude APIへの接続に失敗しました", "NAV-10");
        let ended = |it| Refusal::unfinished(&Ending::Stopped(it), Language::English);
        let slow = ended(Stopped::Time);
        assert_eq!((slow.status.as_u16(), slow.code), (502, "GOOGLE_MAPS_ERROR"), "NAV-56");
        let endless = ended(Stopped::Rounds);
        assert_eq!((endless.status.as_u16(), endless.code), (500, "INTERNAL_ERROR"));
    }
}
