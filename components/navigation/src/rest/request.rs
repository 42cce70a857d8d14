//! The body of a request, parsed by field; errors name the field (NAV-7) and have the specified shape (NAV-10, NAV-40).

use std::time::SystemTime;

use chrono::DateTime;
use output::text::is_blank;
use serde::Serialize;
use serde_json::{Map, Value, json};
use toolkit::{
    arguments,
    routes::{Answer, Request, Unread},
};

use crate::{
    arguments::{departure, written},
    ask::{Departure, Language},
};

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

/// Maximum number of characters of a place.
const PLACE_MAX: usize = 200;
/// Maximum number of characters of a sentence.
const MESSAGE_MAX: usize = 2_000;
/// Maximum number of characters of an entry of the history; explanations may be long.
const CONTENT_MAX: usize = 20_000;
/// Maximum number of entries of the history (NAV-5).
const HISTORY_MAX: usize = 1_000;
/// Number of last entries that are used (NAV-5).
const HISTORY_USED: usize = 20;

/// One entry of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Remark {
    pub(super) is_user: bool,
    pub(super) content: String,
}

/// A body as a JSON object. Unknown fields are ignored, because clients have their own.
pub(super) struct Fields {
    fields: Map<String, Value>,
    pub(super) language: Language,
}

impl Fields {
    pub(super) fn read(request: &Request, language: Language) -> Result<Self, Refusal> {
        let body = request.body.as_ref().map_err(|it| Refusal::unread(*it, language))?;
        let text = std::str::from_utf8(body).ok();
        match text.and_then(|it| arguments::parse(it).ok()) {
            Some(Value::Object(fields)) => Ok(Self { fields, language }),
            _ => Err(Refusal::invalid(
                "body",
                language.pick(
                    "本文はJSONオブジェクトにしてください: {\"origin\": \"東京駅\", \"destination\": \"横浜駅\", …}",
                    "The body must be a JSON object: {\"origin\": \"東京駅\", \"destination\": \"横浜駅\", …}",
                ),
            )),
        }
    }

    /// Reads a required text without surrounding spaces.
    fn text(&self, name: &str, chars_max: usize) -> Result<String, Refusal> {
        let text = self.fields.get(name).and_then(Value::as_str).map(str::trim);
        let fits = |it: &&str| !is_blank(it) && it.chars().nth(chars_max).is_none();
        text.filter(fits).map(str::to_owned).ok_or_else(|| {
            let japanese = format!("{name}は1〜{chars_max}文字の文字列にしてください");
            let english = format!("{name} must be a string of 1 to {chars_max} characters");
            Refusal::invalid(name, self.language.pick(japanese, english))
        })
    }

    /// Reads origin and destination.
    pub(super) fn ends(&self) -> Result<(String, String), Refusal> {
        Ok((self.text("origin", PLACE_MAX)?, self.text("destination", PLACE_MAX)?))
    }

    /// Reads optional places, in order, up to a maximum number.
    pub(super) fn places(&self, name: &str, most: usize) -> Result<Vec<String>, Refusal> {
        let list = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(list) => list.as_array().filter(|it| it.len() <= most),
        };
        let place = |value: &Value| {
            let text = value.as_str().map(str::trim).filter(|it| !is_blank(it))?;
            text.chars().nth(PLACE_MAX).is_none().then(|| text.to_owned())
        };
        let places = list.and_then(|it| it.iter().map(place).collect());
        places.ok_or_else(|| {
            let japanese =
                format!("{name}は{most}件までの配列にし、それぞれ1〜{PLACE_MAX}文字の地名にしてください");
            let english = format!(
                "{name} must be a list of at most {most} places, each of 1 to {PLACE_MAX} characters"
            );
            Refusal::invalid(name, self.language.pick(japanese, english))
        })
    }

    /// Reads an optional time in RFC 3339 that lies within a year of `now`, as written.
    pub(super) fn moment(&self, name: &str, now: SystemTime) -> Result<Option<String>, Refusal> {
        let text = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value.as_str().map(str::trim),
        };
        let is_time = |it: &&str| DateTime::parse_from_rfc3339(it).is_ok();
        let text = text.filter(is_time).ok_or_else(|| {
            let japanese = format!("{name}は2026-11-21T10:00:00+09:00のような時刻にしてください");
            let english = format!("{name} must be a time as 2026-11-21T10:00:00+09:00");
            Refusal::invalid(name, self.language.pick(japanese, english))
        })?;
        if matches!(departure(text, now), Ok(Departure::At(_))) {
            return Ok(Some(text.to_owned()));
        }
        let now = written(now);
        let japanese = format!("{name}は1年以内のこれからの時刻にしてください（いまは{now}です）");
        let english = format!("{name} must be a time ahead, within a year; it is {now} now");
        Err(Refusal::invalid(name, self.language.pick(japanese, english)))
    }

    /// Reads an optional departure: `now`, or a time as [`moment`](Self::moment) reads it.
    pub(super) fn departure(&self, name: &str, now: SystemTime) -> Result<Option<String>, Refusal> {
        let text = self.fields.get(name).and_then(Value::as_str).map(str::trim);
        match text.is_some_and(|it| it.eq_ignore_ascii_case("now")) {
            true => Ok(Some(written(now))),
            false => self.moment(name, now),
        }
    }

    /// Reads an optional list of entries of `allowed`, ignoring case.
    pub(super) fn several_of(
        &self,
        name: &str,
        allowed: &[&'static str],
    ) -> Result<Vec<&'static str>, Refusal> {
        let list = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(value) => value.as_array(),
        };
        let entry = |value: &Value| {
            let text = value.as_str()?;
            allowed.iter().copied().find(|it| text.eq_ignore_ascii_case(it))
        };
        let found = list.and_then(|it| it.iter().map(entry).collect());
        found.ok_or_else(|| {
            let allowed = allowed.join(", ");
            let japanese = format!("{name}は次の値だけの配列にしてください: {allowed}");
            let english = format!("{name} must be a list of some of {allowed}");
            Refusal::invalid(name, self.language.pick(japanese, english))
        })
    }

    /// Reads an optional text as its index in `allowed`, ignoring case.
    pub(super) fn one_of(&self, name: &str, allowed: &[&str]) -> Result<Option<usize>, Refusal> {
        let value = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        let is_it = |it: &&str| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(it));
        let found = allowed.iter().position(is_it);
        found.map(Some).ok_or_else(|| {
            let allowed = allowed.join(", ");
            let japanese = format!("{name}は次のいずれかにしてください: {allowed}");
            let english = format!("{name} must be one of {allowed}");
            Refusal::invalid(name, self.language.pick(japanese, english))
        })
    }
}

/// The request of `POST /api/navigate`.
pub(super) struct Asked {
    pub(super) origin: String,
    pub(super) destination: String,
    pub(super) message: String,
    /// The used part of the history.
    pub(super) history: Vec<Remark>,
    /// The whole history, as given.
    given: Vec<Value>,
}

impl Asked {
    pub(super) fn read(fields: &Fields) -> Result<Self, Refusal> {
        let (origin, destination) = fields.ends()?;
        let message = fields.text("message", MESSAGE_MAX)?;
        let given = given(fields)?;
        let mut history: Vec<_> = given.iter().map(remark).collect();
        // The sample's history already has the question (NAV-5, NAV-X8).
        history.pop_if(|it| it.is_user && it.content.trim() == message);
        let unused = history.len().saturating_sub(HISTORY_USED);
        history.drain(..unused);
        Ok(Self { origin, destination, message, history, given })
    }

    /// Returns the given history, with the question replaced by the current one if it is there already.
    pub(super) fn full_history(&self) -> Vec<Value> {
        let mut history = self.given.clone();
        if let Some(last) = history.last_mut().filter(|it| it["role"] == "user")
            && last["content"].as_str().is_some_and(|it| it.trim() == self.message)
        {
            last["content"] = self.message.as_str().into();
        }
        history
    }
}

fn given(fields: &Fields) -> Result<Vec<Value>, Refusal> {
    const FIELD: &str = "conversationHistory";
    let language = fields.language;
    let history = match fields.fields.get(FIELD) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(history)) if history.len() <= HISTORY_MAX => history,
        Some(_) => {
            let japanese = format!("{FIELD}は{HISTORY_MAX}件までの配列にしてください");
            let english = format!("{FIELD} must be a list of at most {HISTORY_MAX} entries");
            return Err(Refusal::invalid(FIELD, language.pick(japanese, english)));
        }
    };
    let entry = |(at, entry): (usize, &Value)| {
        let wrong = |name: &str, japanese: String, english: String| {
            let field = format!("{FIELD}[{at}]{name}");
            Refusal::invalid(&field, format!("{field}{}", language.pick(japanese, english)))
        };
        if !entry.is_object() {
            let english = " must be an object with role and content".to_owned();
            return Err(wrong(
                "",
                "はroleとcontentを持つオブジェクトにしてください".to_owned(),
                english,
            ));
        }
        if !matches!(entry["role"].as_str(), Some("user" | "assistant")) {
            let english = " must be user or assistant".to_owned();
            return Err(wrong(".role", "はuserかassistantにしてください".to_owned(), english));
        }
        match entry["content"].as_str() {
            Some(content) if content.chars().nth(CONTENT_MAX).is_none() => {
                Ok(json!({ "role": entry["role"], "content": content }))
            }
            _ => Err(wrong(
                ".content",
                format!("は{CONTENT_MAX}文字までの文字列にしてください"),
                format!(" must be a string of at most {CONTENT_MAX} characters"),
            )),
        }
    };
    history.iter().enumerate().map(entry).collect()
}

fn remark(entry: &Value) -> Remark {
    let content = entry["content"].as_str().unwrap_or_default().to_owned();
    Remark { is_user: entry["role"] == "user", content }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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

    #[test]
    fn accepts_moments_within_a_year() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        let moment = |text: &str, language| {
            let fields = json!({ "at": text }).as_object().cloned().unwrap();
            Fields { fields, language }.moment("at", now)
        };
        let ahead = written(now + Duration::from_hours(3));
        assert_eq!(moment(&ahead, Language::Japanese).ok(), Some(Some(ahead)));
        for text in ["2020-01-01T09:00:00+09:00", "2999-01-01T09:00:00+09:00", "now", "1795000100"]
        {
            assert!(moment(text, Language::Japanese).is_err(), "{text}");
        }
    }
}
