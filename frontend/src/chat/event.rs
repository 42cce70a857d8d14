//! Events of the host's stream (`POST /api/chat`), parsed leniently: a page can outlive the host that served it.

use serde::Deserialize;
use serde_json::Value;

use super::entry::{Failure, Usage, Waiting};
use crate::approvals::Question;
use crate::rest::name;

/// Maximum number of characters of an error message.
const ERROR_MAX: usize = 600;
/// Maximum number of pending items of one answer.
pub(crate) const WAITING_MAX: usize = 16;
/// Maximum number of questions of one call.
const QUESTIONS_MAX: usize = 16;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// What the host is doing.
    Status {
        tool: Option<String>,
        turn: Option<String>,
    },
    Call(Called),
    Result(Resulted),
    Text(String),
    Image(ImageIn),
    Question(PendingItem),
    Usage(Usage),
    Done(Box<Done>),
    Failed(Failure),
    /// The person answered this approval earlier in another window; that answer counts.
    Overruled {
        approval: String,
        is_allowed: bool,
    },
    /// An event unknown to this page.
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Called {
    #[serde(deserialize_with = "name")]
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(deserialize_with = "name")]
    pub(crate) title: String,
    #[serde(deserialize_with = "name")]
    pub(crate) server: String,
    pub(crate) view: Option<String>,
    pub(crate) params: Value,
    #[serde(deserialize_with = "name")]
    pub(crate) reason: String,
    /// Only in `done`: its duration.
    #[serde(deserialize_with = "millis")]
    pub(crate) ms: Option<u64>,
    pub(crate) is_error: bool,
    #[serde(deserialize_with = "name")]
    pub(crate) error: String,
}

/// A tool's result.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Resulted {
    #[serde(deserialize_with = "name")]
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) is_error: bool,
    #[serde(deserialize_with = "millis")]
    pub(crate) ms: Option<u64>,
    pub(crate) result: Value,
    pub(crate) meta: Value,
    #[serde(deserialize_with = "name")]
    pub(crate) text: String,
}

/// A picture as sent by the host.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ImageIn {
    pub(crate) mime_type: String,
    pub(crate) data: String,
    #[serde(deserialize_with = "name")]
    pub(crate) name: String,
}

/// A pending item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PendingItem {
    Known(Waiting),
    Choice { call_id: String, images: Vec<ImageIn> },
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Done {
    /// `mcp_results` if the person is to choose (ILL-45).
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    #[serde(deserialize_with = "name")]
    pub(crate) text: String,
    pub(crate) images: Vec<ImageIn>,
    pub(crate) turn: Option<String>,
    #[serde(deserialize_with = "name")]
    pub(crate) assistant: String,
    #[serde(deserialize_with = "name")]
    pub(crate) provider: String,
    #[serde(deserialize_with = "name")]
    pub(crate) model: String,
    pub(crate) stop_reason: Option<String>,
    pub(crate) parts: Vec<Value>,
    pub(crate) tool_calls: Vec<Called>,
    #[serde(deserialize_with = "pending_items")]
    pub(crate) waiting: Vec<PendingItem>,
    #[serde(deserialize_with = "usage_in")]
    pub(crate) usage: Usage,
    pub(crate) notice: Option<String>,
}

impl Event {
    /// Parses one event by name and data. A malformed event is skipped, except the final ones, without which there is
    /// no answer.
    pub(crate) fn parse(name: &str, data: &str) -> Result<Self, Failure> {
        let value: Value = serde_json::from_str(data).map_err(|_| Failure::unreadable(data))?;
        let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        Ok(match name {
            "status" => Self::Status {
                tool: value.get("tool").and_then(Value::as_str).map(str::to_owned),
                turn: value.get("turn").and_then(Value::as_str).map(str::to_owned),
            },
            "text_delta" => Self::Text(field("text").to_owned()),
            "tool_call" => parsed(value, Self::Call),
            "tool_result" => parsed(value, Self::Result),
            "image" => parsed(value, Self::Image),
            "question" => PendingItem::parse(&value).map_or(Self::Other, Self::Question),
            "usage" => Self::Usage(usage(&value)),
            "done" => match serde_json::from_value(value) {
                Ok(done) => Self::Done(Box::new(done)),
                Err(_) => return Err(Failure::unreadable(data)),
            },
            "error" => {
                let status = value.get("status").and_then(Value::as_u64);
                let status = status.and_then(|it| u16::try_from(it).ok()).unwrap_or(500);
                Self::Failed(Failure::parse(status, &value, None))
            }
            _ => Self::Other,
        })
    }
}

fn parsed<T: for<'de> Deserialize<'de>>(value: Value, event: fn(T) -> Event) -> Event {
    serde_json::from_value(value).map_or(Event::Other, event)
}

impl PendingItem {
    /// Parses an entry of `waiting`.
    fn parse(value: &Value) -> Option<Self> {
        let field = |name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().chars().take(600).collect()
        };
        let call_id: String = field("callId");
        let given = |name: &str| value.get(name).cloned().unwrap_or_default();
        Some(Self::Known(match value.get("type")?.as_str()? {
            "approval" => Waiting::Approval {
                call_id,
                name: field("name"),
                title: field("title"),
                params: given("params"),
                reason: field("reason"),
                trust: field("trust"),
                approval: field("approval"),
            },
            "questions" => {
                let questions: Vec<Question> = serde_json::from_value(given("questions")).ok()?;
                let questions = questions.into_iter().take(QUESTIONS_MAX).collect();
                let (name, approval) = (field("name"), field("approval"));
                Waiting::Questions { call_id, name, questions, approval }
            }
            "form" => {
                let handle = value.get("handle").and_then(Value::as_str).map(str::to_owned);
                Waiting::Form { call_id, schema: given("schema"), handle }
            }
            "choice" => {
                let images = serde_json::from_value(given("images")).ok()?;
                return Some(Self::Choice { call_id, images });
            }
            _ => return None,
        }))
    }
}

impl Failure {
    /// Parses the error body of ILL-41, or the host's own `{error, message}`.
    pub(crate) fn parse(status: u16, value: &Value, retry_after_s: Option<u64>) -> Self {
        let cut = |it: &str| it.chars().take(ERROR_MAX).collect::<String>();
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => cut(text),
            Some(Value::Null) | None => String::new(),
            Some(other) => cut(&other.to_string()),
        };
        let retry_after = value.get("retryAfter").and_then(Value::as_f64).filter(|it| *it >= 0.0);
        // The host's own refusals have the code in `error` and the text in `message`.
        let (error, details) = match value.get("message").and_then(Value::as_str) {
            Some(message) => (cut(message), text(value.get("error"))),
            None => (text(value.get("error")), text(value.get("details"))),
        };
        let retry_after_s = retry_after.map(|it| it.ceil() as u64).or(retry_after_s);
        Self { status, error, details, retry_after_s: retry_after_s.map(|it| it.min(86_400)) }
    }

    /// The host was not reached, or the connection was lost.
    pub(crate) fn offline() -> Self {
        Self::default()
    }

    /// The answer cannot be parsed.
    pub(crate) fn unreadable(text: &str) -> Self {
        let details = text.chars().take(ERROR_MAX).collect();
        Self { status: 502, details, ..Self::default() }
    }
}

fn usage(value: &Value) -> Usage {
    let count = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
    let cost = value.get("costUsd").and_then(Value::as_f64);
    let cost = cost.filter(|it| it.is_finite() && (0.0..1e6).contains(it));
    Usage {
        input_tokens: count("inputTokens"),
        cached_tokens: count("cachedTokens"),
        output_tokens: count("outputTokens"),
        cost_micros: cost.map(|it| (it * 1e6).round() as u64),
    }
}

fn usage_in<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Usage, D::Error> {
    Ok(usage(&Value::deserialize(from)?))
}

fn pending_items<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<PendingItem>, D::Error> {
    let value = Value::deserialize(from)?;
    let list = value.as_array().into_iter().flatten();
    Ok(list.filter_map(PendingItem::parse).take(WAITING_MAX).collect())
}

fn millis<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let ms = Value::deserialize(from)?.as_f64();
    Ok(ms.filter(|it| *it >= 0.0).map(|it| it.round() as u64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(name: &str, value: &Value) -> Event {
        Event::parse(name, &value.to_string()).unwrap()
    }

    #[test]
    fn parses_complete_answer_exactly() {
        let done = event(
            "done",
            &json!({ "text": "できました", "images": [{ "mimeType": "image/png", "data": "aGk=" }],
                "turn": "t1", "assistant": "illustrations", "provider": "builtin", "model": "planner",
                "stopReason": "waiting", "parts": [{ "text": "できました", "thoughtSignature": "s" }],
                "toolCalls": [{ "id": "1", "name": "compose_thumbnail", "ms": 12.4, "isError": false }],
                "waiting": [
                    { "type": "approval", "callId": "c", "name": "reserve_seats", "title": "予約",
                      "params": { "seat_ids": ["A1"] }, "reason": "頼まれたため" },
                    { "type": "form", "callId": "f", "schema": {}, "handle": "01JD" },
                    { "type": "weather" } ],
                "usage": { "inputTokens": 10, "outputTokens": 5, "costUsd": 0.0012 } }),
        );
        let Event::Done(done) = done else { panic!("{done:?}") };
        assert_eq!((done.turn.as_deref(), done.tool_calls[0].ms), (Some("t1"), Some(12)));
        assert_eq!((done.usage.cost_micros, done.waiting.len()), (Some(1_200), 2));
        assert_eq!(done.parts[0]["thoughtSignature"], "s");
        let PendingItem::Known(Waiting::Approval { name, .. }) = &done.waiting[0] else { panic!() };
        assert_eq!(name, "reserve_seats");
    }

    #[test]
    fn parses_failure_in_both_forms() {
        let own = json!({ "error": "リクエストが多すぎます。", "details": "quota", "status": 429,
            "retryAfter": 3.2 });
        let Event::Failed(failure) = event("error", &own) else { panic!("failed") };
        assert_eq!((failure.status, failure.retry_after_s), (429, Some(4)));
        assert_eq!(
            (failure.error.as_str(), failure.details.as_str()),
            ("リクエストが多すぎます。", "quota")
        );
        let host = json!({ "error": "rate_limited", "message": "Slowly." });
        let failure = Failure::parse(429, &host, Some(7));
        assert_eq!((failure.error.as_str(), failure.retry_after_s), ("Slowly.", Some(7)));
    }

    #[test]
    fn skips_unknown_events_and_reports_invalid_json() {
        assert_eq!(event("weather", &json!({})), Event::Other);
        assert_eq!(event("tool_call", &json!({ "name": 7 })), Event::Other);
        assert_eq!(event("question", &json!({ "type": "riddle" })), Event::Other);
        assert!(Event::parse("status", "<html>").is_err());
        assert!(Event::parse("done", "[1]").is_err() || Event::parse("done", "7").is_err());
    }
}
