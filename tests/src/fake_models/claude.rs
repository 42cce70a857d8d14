//! Claude as documented: `POST /v1/messages` of the Messages API, with the rules of Claude Sonnet 5.5.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::{Broken, Provider, ReceivedRequest, Sse};

mod rules;
mod stream;

/// The valid key.
pub const KEY: &str = "sk-ant-fake/key+of-mine";

/// Claude, with its sent thinking, which is compared when it comes back.
#[derive(Default)]
pub struct Claude {
    sent: Mutex<Vec<Value>>,
}

/// A message that calls tools: ids, names and arguments; arguments given as text are streamed verbatim.
pub fn uses(calls: &[(&str, &str, Value)]) -> Value {
    let calls = calls.iter().map(
        |(id, name, input)| json!({ "type": "tool_use", "id": id, "name": name, "input": input }),
    );
    json!({ "content": calls.collect::<Vec<_>>() })
}

/// A message with thinking before the content of `message`; its text is omitted, as usual.
pub fn thinking(signature: &str, message: Value) -> Value {
    let mut message = message;
    let block = json!({ "type": "thinking", "thinking": "", "signature": signature });
    let content = message["content"].as_array_mut().expect("it has content");
    content.insert(0, block);
    message
}

/// A message with this text.
pub fn says(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// An error in the middle of a stream
/// (platform.claude.com/docs/en/build-with-claude/streaming, "Error events").
pub fn error_event(kind: &str, message: &str) -> Sse {
    let error = json!({ "type": "error", "error": { "type": kind, "message": message } });
    Sse { name: Some("error"), data: error.to_string() }
}

impl Provider for Claude {
    fn judge(&self, received: &ReceivedRequest) -> Result<(), Broken> {
        let answer = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        rules::judge(received, &answer)
    }

    fn is_streamed(&self, received: &ReceivedRequest) -> bool {
        received.body["stream"] == true
    }

    fn whole(&self, received: &ReceivedRequest, message: &Value) -> Value {
        let content = message["content"].clone();
        let mut answer = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        answer.push(content.clone());
        let calls = content.as_array().into_iter().flatten().any(|it| it["type"] == "tool_use");
        let stop_reason = if calls { "tool_use" } else { "end_turn" };
        let usage = json!({
            "input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "output_tokens": 20,
        });
        let given = |name: &str, default: Value| match &message[name] {
            Value::Null => default,
            given => given.clone(),
        };
        json!({
            "id": format!("msg_{:024}", answer.len()),
            "type": "message",
            "role": "assistant",
            "model": received.body["model"],
            "content": content,
            "stop_reason": given("stop_reason", stop_reason.into()),
            "stop_sequence": null,
            "stop_details": message["stop_details"],
            "usage": given("usage", usage),
        })
    }

    fn events(&self, received: &ReceivedRequest, message: &Value) -> Vec<Sse> {
        stream::events(&self.whole(received, message))
    }

    /// platform.claude.com/docs/en/api/errors, "HTTP errors" and "Error shapes".
    fn error(&self, status: u16, message: &str) -> Value {
        let kind = match status {
            400 => "invalid_request_error",
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        json!({
            "type": "error",
            "error": { "type": kind, "message": message },
            "request_id": "req_000000000000000000000000",
        })
    }
}
