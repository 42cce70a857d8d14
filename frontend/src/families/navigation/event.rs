//! Events of the planner's stream (NAV-9), parsed leniently: a page can outlive the host that served it.

use output::navigation::{Measure, Point};
use serde::Deserialize;
use serde_json::Value;

use crate::error::{CallError, Refusal};
use crate::rest::name;

/// Maximum number of characters of a text.
pub(crate) const TEXT_MAX: usize = 4_000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// It is thinking, or a tool is running.
    Status {
        tool: Option<String>,
    },
    Call(Called),
    Result(Resulted),
    /// More text of a thought.
    Text(String),
    Done(Box<Done>),
    Failed(CallError),
    /// An event unknown to this page.
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Called {
    #[serde(deserialize_with = "name")]
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) params: Value,
    pub(crate) reason: String,
}

/// A tool's result.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Resulted {
    #[serde(deserialize_with = "name")]
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(rename = "isError")]
    pub(crate) is_error: bool,
    pub(crate) ms: f64,
    /// Its output.
    pub(crate) result: Value,
    /// Its metadata.
    pub(crate) meta: Value,
    /// Its message, if it refused.
    pub(crate) text: Option<String>,
}

/// The planner's final answer (NAV-1) and chosen route.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Done {
    pub(crate) route: Option<Plain>,
    pub(crate) reasoning: Reasoning,
    pub(crate) conversation_history: Vec<Message>,
    pub(crate) selected: Option<Selected>,
}

/// Why the planner chose a route.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Reasoning {
    pub(crate) message: String,
    pub(crate) tools_used: Vec<Called>,
}

/// A message of the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) content: String,
}

/// The chosen route.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Selected {
    #[serde(deserialize_with = "name")]
    pub(crate) tool_call: String,
    pub(crate) index: usize,
}

/// The route of the plain answer, with decoded line (NAV-2).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Plain {
    pub(crate) polyline: Vec<Point>,
    pub(crate) summary: String,
    pub(crate) distance: Measure,
    pub(crate) duration: Measure,
    pub(crate) steps: Vec<PlainStep>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct PlainStep {
    pub(crate) instruction: String,
    pub(crate) distance: String,
    pub(crate) duration: String,
}

impl Event {
    /// Parses one event by name and data.
    pub(crate) fn parse(name: &str, data: &str) -> Result<Self, CallError> {
        let value: Value =
            serde_json::from_str(data).map_err(|_| CallError::unreadable(0, data))?;
        let read = |error: serde_json::Error| CallError::page(&error.to_string());
        Ok(match name {
            "status" => {
                let tool = value.get("tool").and_then(Value::as_str);
                Self::Status { tool: tool.map(str::to_owned) }
            }
            "tool_call" => Self::Call(serde_json::from_value(value).map_err(read)?),
            "tool_result" => Self::Result(serde_json::from_value(value).map_err(read)?),
            "reasoning_delta" => {
                let text = value.get("text").and_then(Value::as_str).unwrap_or_default();
                Self::Text(text.to_owned())
            }
            "done" => Self::Done(serde_json::from_value(value).map_err(read)?),
            "error" => Self::Failed(failure(0, &value)),
            _ => Self::Other,
        })
    }
}

/// Parses the refusal `{"error": {"code", "message", "details"}, "status"}` (NAV-10), or the host's own.
pub(crate) fn failure(status: u16, value: &Value) -> CallError {
    let given = value.get("status").and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok());
    let status = given.unwrap_or(status);
    let Some(error) = value.get("error").filter(|it| it.is_object()) else {
        return crate::lookup::failed(status, &value.to_string());
    };
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    CallError::Refused(Box::new(Refusal {
        code: text("code").chars().take(60).collect(),
        message: text("message").chars().take(400).collect(),
        status,
        data: error.get("details").cloned().unwrap_or_default(),
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(name: &str, value: &Value) -> Event {
        Event::parse(name, &value.to_string()).unwrap()
    }

    #[test]
    fn parses_the_specified_answer_exactly() {
        let done = event(
            "done",
            &json!({
                "route": {
                    "polyline": [{ "lat": 35.6812, "lng": 139.7671 }],
                    "summary": "首都高速経由",
                    "distance": { "text": "32.4 km", "value": 32400 },
                    "duration": { "text": "45分", "value": 2700 },
                    "steps": [{ "instruction": "北に向かって進む", "distance": "200 m", "duration": "1分" }],
                },
                "reasoning": { "message": "渋滞を避けるため", "toolsUsed": [
                    { "name": "route_search", "params": { "origin": "東京駅" }, "reason": "渋滞回避のため" },
                ] },
                "conversationHistory": [{ "role": "user", "content": "渋滞を避けて最短で" }],
                "selected": { "toolCall": 3, "index": 1 },
            }),
        );
        let Event::Done(done) = done else { panic!("{done:?}") };
        let route = done.route.unwrap();
        assert_eq!((route.distance.value, route.steps[0].distance.as_str()), (32_400, "200 m"));
        assert_eq!(done.reasoning.tools_used[0].reason, "渋滞回避のため");
        assert_eq!(done.selected, Some(Selected { tool_call: "3".to_owned(), index: 1 }));
        assert_eq!(done.conversation_history[0].role, "user");
    }

    #[test]
    fn no_route_is_not_an_error() {
        let done = event("done", &json!({ "route": null, "reasoning": { "message": "なし" } }));
        assert!(matches!(done, Event::Done(done) if done.route.is_none()));
    }

    #[test]
    fn failure_keeps_code_and_status() {
        let body = json!({ "error": { "code": "CLAUDE_API_ERROR", "message": "だめ",
            "details": "Rate limit exceeded" }, "status": 503 });
        let Event::Failed(CallError::Refused(refusal)) = event("error", &body) else {
            panic!("refused")
        };
        assert_eq!((refusal.code.as_str(), refusal.status), ("CLAUDE_API_ERROR", 503));
        let own = json!({ "error": "rate_limited", "message": "Slowly." });
        assert!(failure(429, &own).may_pass());
    }

    #[test]
    fn skips_unknown_events_and_reports_non_json() {
        assert_eq!(event("weather", &json!({})), Event::Other);
        assert!(Event::parse("status", "<html>").is_err());
        assert_eq!(event("status", &json!({ "state": "thinking" })), Event::Status { tool: None });
    }
}
