//! Errors in the specified shape (NAV-10, NAV-40).

use serde_json::{Value, json};
use toolkit::routes::{Answer, Unread};

use crate::ask::Language;

/// Default retry delay, in seconds.
const RETRY_AFTER_S: u64 = 60;

/// An error `{"error": {"code", "message", "details"}}` with its HTTP status.
#[derive(Debug)]
pub(super) struct Refusal {
    status: u16,
    code: &'static str,
    message: String,
    details: String,
    retry_after_s: Option<u64>,
    /// The missing scope.
    scope: Option<String>,
}

impl Refusal {
    fn new(
        status: u16,
        code: &'static str,
        message: impl Into<String>,
        details: impl Into<String>,
    ) -> Self {
        let (message, details) = (message.into(), details.into());
        Self { status, code, message, details, retry_after_s: None, scope: None }
    }

    /// Creates the error for an invalid field (NAV-7).
    pub(super) fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::new(400, "VALIDATION_ERROR", message, field)
    }

    /// Creates the error for a body that is incomplete or too long.
    pub(super) fn unread(why: Unread, language: Language) -> Self {
        let (status, message) = match why {
            Unread::TooLarge => {
                let most = toolkit::routes::body_bytes_max();
                let message = language.pick(
                    format!("本文が大きすぎます（{most}バイトまで）"),
                    format!("The body is too long: it may have {most} bytes"),
                );
                (413, message)
            }
            Unread::Broken => {
                let message =
                    language.pick("本文を最後まで受信できませんでした", "The body did not arrive");
                (400, message.to_owned())
            }
        };
        Self { status, ..Self::invalid("body", message) }
    }

    /// Converts a failure of a run.
    pub(super) fn of(failure: &Value, language: Language) -> Self {
        match failure["of"].as_str() {
            Some("tool") => Self::of_tool(failure, language),
            Some("tools") => Self::absent(language),
            _ => {
                let message = language.pick(
                    "Claude APIへの接続に失敗しました",
                    "The Claude API could not be reached",
                );
                let details = match failure["error"].as_str() {
                    Some("rate_limited") => "Rate limit exceeded",
                    _ => failure["message"].as_str().unwrap_or_default(),
                };
                let retry_after_s = failure["data"]["retry_after_s"].as_u64();
                Self { retry_after_s, ..Self::new(503, "CLAUDE_API_ERROR", message, details) }
            }
        }
    }

    /// Creates the error for calls that wait for approval; names the first one.
    pub(super) fn waiting(waits: &Value, language: Language) -> Self {
        let text = |name: &str| waits[0][name].as_str().unwrap_or_default();
        let (tool, approval) = (text("name"), text("approval"));
        let message = language.pick(
            format!(
                "{tool}の呼び出しは承認を待っています（承認 {approval}）。/api/approvals/{approval} で許可するか、運用者にこのツールを信頼する設定を依頼してください"
            ),
            format!(
                "The call of {tool} waits to be allowed (approval {approval}): allow it at /api/approvals/{approval}, or ask the operator to trust the tool"
            ),
        );
        Self::new(403, "FORBIDDEN", message, format!("approval:{approval}"))
    }

    /// Creates the error for a run without a conclusion.
    pub(super) fn unfinished(ending: &str, language: Language) -> Self {
        if ending == "time" {
            let message = language.pick(
                "時間内に経路を取得できませんでした。もう一度お試しください",
                "No route was found in time; try again",
            );
            return Self::new(502, "GOOGLE_MAPS_ERROR", message, "DEADLINE_EXCEEDED");
        }
        let message = language.pick(
            "ツールの呼び出しが多すぎるため中止しました",
            "Too many calls of tools; it was given up",
        );
        Self::new(500, "INTERNAL_ERROR", message, "TOO_MANY_CALLS")
    }

    /// Converts a failure of a tool (NAV-40).
    fn of_tool(failure: &Value, language: Language) -> Self {
        let number = |name: &str| failure["data"][name].as_u64();
        let text = |name: &str| failure["data"][name].as_str();
        let message = failure["message"].as_str().unwrap_or_default().to_owned();
        let error = failure["error"].as_str().unwrap_or_default();
        let maps = |status, details: &str| {
            Self::new(status, "GOOGLE_MAPS_ERROR", message.clone(), details)
        };
        let unavailable = 503;
        let again_s = number("retry_after_ms").map(|it| it.div_ceil(1_000).max(1));
        match error {
            // A documented exception: this code has status 502 otherwise (NAV-X2).
            "over_query_limit" => {
                let again_s = number("retry_after_s").map_or(RETRY_AFTER_S, |it| it.max(1));
                Self { retry_after_s: Some(again_s), ..maps(unavailable, "OVER_QUERY_LIMIT") }
            }
            "busy" | "unavailable" => {
                let details = error.to_uppercase();
                Self { retry_after_s: again_s.or(Some(1)), ..maps(unavailable, &details) }
            }
            "provider_failed" => maps(502, text("status").unwrap_or("UNKNOWN_ERROR")),
            "insufficient_scope" => Self {
                scope: Some(text("scope").unwrap_or_default().to_owned()),
                ..Self::new(403, "FORBIDDEN", message, text("scope").unwrap_or_default())
            },
            "unknown_tool" => Self::absent(language),
            "request_denied" => Self::internal(message, "REQUEST_DENIED"),
            other => Self::internal(message.clone(), other),
        }
    }

    /// Creates the error for missing tools.
    fn absent(language: Language) -> Self {
        let message = language.pick(
            "ナビゲーションのコンポーネントが動いていません。/api/healthで理由を確認できます",
            "The navigation component is not running; /api/health says why",
        );
        Self::internal(message, "unknown_tool")
    }

    fn internal(message: impl Into<String>, details: &str) -> Self {
        Self::new(500, "INTERNAL_ERROR", message, details)
    }

    fn body(&self) -> Value {
        json!({ "error": {
            "code": self.code, "message": self.message, "details": self.details,
        } })
    }

    /// Returns the data of an event, with the contents of HTTP status and headers.
    pub(super) fn event(&self) -> Value {
        let mut body = self.body();
        body["status"] = self.status.into();
        if let Some(seconds) = self.retry_after_s {
            body["retryAfter"] = seconds.into();
        }
        body
    }

    /// Returns the HTTP answer.
    pub(super) fn answer(&self) -> Answer {
        let retry_after_s = self.retry_after_s.map(|it| u32::try_from(it).unwrap_or(u32::MAX));
        Answer { retry_after_s, scope: self.scope.clone(), ..Answer::of(self.status, &self.body()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(error: &str, status: u16, data: &Value) -> Refusal {
        let failure = json!({
            "of": "tool", "error": error, "message": "it says so", "status": status, "data": data,
        });
        Refusal::of(&failure, Language::English)
    }

    #[test]
    fn maps_tool_failures_to_codes_and_statuses() {
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
            assert_eq!((refusal.status, refusal.code), (status, code), "NAV-40: {error}");
            assert_eq!(refusal.details, details, "NAV-40: {error}");
            assert_eq!(refusal.retry_after_s, retry, "NAV-40: {error}");
            let event = refusal.event();
            assert_eq!(event["status"], status, "NAV-9: {error}");
            let after = refusal.answer().retry_after_s.map(u64::from);
            assert_eq!(after, retry, "NAV-40: {error}");
        }
    }

    #[test]
    fn names_missing_scope_in_the_header() {
        let refusal = of("insufficient_scope", 403, &json!({ "scope": "tool:route_search" }));
        assert_eq!((refusal.code, &*refusal.details), ("FORBIDDEN", "tool:route_search"));
        let answer = refusal.answer();
        assert_eq!((answer.status, answer.scope.as_deref()), (403, Some("tool:route_search")));
    }

    #[test]
    fn names_waiting_call_with_its_approval() {
        let waits = json!([{ "call": "c1", "name": "route_search", "approval": "a-7" }]);
        for language in [Language::Japanese, Language::English] {
            let refusal = Refusal::waiting(&waits, language);
            assert_eq!(
                (refusal.status, refusal.code, &*refusal.details),
                (403, "FORBIDDEN", "approval:a-7")
            );
            assert!(refusal.message.contains("route_search") && refusal.message.contains("a-7"));
        }
    }

    #[test]
    fn maps_model_and_time_limit_failures_to_codes() {
        let failure = json!({ "of": "model", "error": "rate_limited", "message": "?", "data": {} });
        let refusal = Refusal::of(&failure, Language::Japanese);
        assert_eq!((refusal.status, refusal.code), (503, "CLAUDE_API_ERROR"), "NAV-10");
        assert_eq!(refusal.message, "Claude APIへの接続に失敗しました", "NAV-10");
        assert_eq!(refusal.details, "Rate limit exceeded", "NAV-10");
        let ended = |it| Refusal::unfinished(it, Language::English);
        let slow = ended("time");
        assert_eq!((slow.status, slow.code), (502, "GOOGLE_MAPS_ERROR"), "NAV-56");
        let endless = ended("rounds");
        assert_eq!((endless.status, endless.code), (500, "INTERNAL_ERROR"));
    }
}
