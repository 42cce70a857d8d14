//! Chat completions after OpenAI's reference, and the dialect of Ollama.

use serde_json::{Value, json};

use super::{Broken, Provider, ReceivedRequest, Sse};

mod rules;

/// The valid key.
pub const KEY: &str = "sk-fake/key+of-mine";
/// The model that is served.
pub const MODEL: &str = "qwen4:8b";

/// The thought of the thinking model.
pub const THOUGHT: &str = "まず呼び出しの値を確かめる。";

/// Characters of one piece of a stream.
const PIECE: usize = 7;

/// The dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenAi {
    /// A key is wanted; calls come in pieces, each with its index and id.
    Strict,
    /// The same behind a gateway, with a current model: it takes `max_completion_tokens` only.
    Current,
    /// No key; calls come whole, all with the same index, without an id; arguments that are no JSON are
    /// refused when they come back.
    Ollama,
    /// `Strict`, and thinks first as DeepSeek does: what it thought is wanted back with each message of its own that
    /// calls (api-docs.deepseek.com/guides/thinking_mode). It sees no pictures.
    DeepSeek,
    /// `Strict` as Mistral is: no `stream_options`, no message of the person's right after results of tools, and what
    /// it thinks comes in a list (docs.mistral.ai/capabilities/reasoning).
    Mistral,
}

/// A message that calls tools: their ids, names and arguments.
pub fn uses(calls: &[(&str, &str, Value)]) -> Value {
    let calls = calls.iter().map(|(id, name, arguments)| {
        let arguments = match arguments {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
    });
    json!({ "tool_calls": calls.collect::<Vec<_>>() })
}

/// A message with this text.
pub fn says(text: &str) -> Value {
    json!({ "content": text })
}

impl Provider for OpenAi {
    fn judge(&self, received: &ReceivedRequest) -> Result<(), Broken> {
        rules::judge(received, *self)
    }

    fn is_streamed(&self, received: &ReceivedRequest) -> bool {
        received.body["stream"] == true
    }

    /// The whole answer: platform.openai.com/docs/api-reference/chat/object.
    fn whole(&self, received: &ReceivedRequest, message: &Value) -> Value {
        let calls = &message["tool_calls"];
        let mut arguments = json!({ "role": "assistant", "content": message["content"], "refusal": message["refusal"] });
        if calls.is_array() {
            arguments["tool_calls"] = calls.clone();
        }
        let thought = match self {
            Self::DeepSeek => json!(THOUGHT),
            _ => message["reasoning_content"].clone(),
        };
        if thought.is_string() {
            arguments["reasoning_content"] = thought;
        }
        let default = if calls.is_array() { "tool_calls" } else { "stop" };
        let finish_reason = message["finish_reason"].as_str().unwrap_or(default);
        let usage = match &message["usage"] {
            Value::Null => json!({
                "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
                "prompt_tokens_details": { "cached_tokens": 0 },
            }),
            given => given.clone(),
        };
        json!({
            "id": "chatcmpl-fake", "object": "chat.completion", "created": 1_790_000_000,
            "model": received.body["model"], "usage": usage,
            "choices": [{ "index": 0, "message": arguments, "finish_reason": finish_reason, "logprobs": null }],
        })
    }

    /// The events of a streamed answer: platform.openai.com/docs/api-reference/chat-streaming.
    fn events(&self, received: &ReceivedRequest, message: &Value) -> Vec<Sse> {
        let whole = self.whole(received, message);
        let choice = &whole["choices"][0];
        let text = &choice["message"];
        let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
        if *self == Self::Mistral {
            let thought = json!([{ "type": "text", "text": THOUGHT }]);
            deltas.push(json!({ "content": [{ "type": "thinking", "thinking": thought }] }));
        }
        for field in ["reasoning_content", "content", "refusal"] {
            deltas.extend(cut(&text[field]).map(|it| json!({ field: it })));
        }
        for (index, call) in text["tool_calls"].as_array().into_iter().flatten().enumerate() {
            deltas.extend(self.call(index, call));
        }
        // Where the length ends in the middle of a call, the rest of it is missing.
        if choice["finish_reason"] == "length" && text["tool_calls"].is_array() {
            deltas.pop();
        }
        // "stream_options.include_usage": every other chunk has a usage that is null.
        let has_usage =
            *self == Self::Mistral || received.body["stream_options"]["include_usage"] == true;
        let chunk = |choices: Value, usage: Value| {
            let mut chunk = json!({
                "id": whole["id"], "object": "chat.completion.chunk", "created": whole["created"],
                "model": whole["model"], "choices": choices,
            });
            if has_usage {
                chunk["usage"] = usage;
            }
            Sse { name: None, data: chunk.to_string() }
        };
        let piece = |delta: Value, reason: &Value| {
            let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
            chunk(json!([choice]), Value::Null)
        };
        let mut events: Vec<_> = deltas.into_iter().map(|it| piece(it, &Value::Null)).collect();
        events.push(piece(json!({}), &choice["finish_reason"]));
        if has_usage {
            events.push(chunk(json!([]), whole["usage"].clone()));
        }
        events.push(Sse { name: None, data: "[DONE]".to_owned() });
        events
    }

    fn error(&self, status: u16, message: &str) -> Value {
        let kind = match status {
            400 | 401 | 403 | 404 => "invalid_request_error",
            429 => "rate_limit_exceeded",
            _ => "server_error",
        };
        if *self == Self::Mistral {
            return json!({ "object": "error", "message": message, "type": kind, "param": null });
        }
        json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
    }

    /// The list of models: platform.openai.com/docs/api-reference/models/list.
    fn unscripted(&self, received: &ReceivedRequest) -> Option<Value> {
        let model = json!({ "id": MODEL, "object": "model", "created": 1, "owned_by": "library" });
        (received.path == "/v1/models").then(|| json!({ "object": "list", "data": [model] }))
    }
}

impl OpenAi {
    /// A call as it is streamed.
    fn call(self, index: usize, call: &Value) -> Vec<Value> {
        let function = &call["function"];
        if self == Self::Ollama {
            let call = json!({ "index": 0, "type": "function", "function": function });
            return vec![json!({ "content": "", "tool_calls": [call] })];
        }
        let first = json!({
            "index": index, "id": call["id"], "type": "function",
            "function": { "name": function["name"], "arguments": "" },
        });
        let pieces = cut(&function["arguments"]).map(
            |it| json!({ "tool_calls": [{ "index": index, "function": { "arguments": it } }] }),
        );
        std::iter::once(json!({ "tool_calls": [first] })).chain(pieces).collect()
    }
}

fn cut(text: &Value) -> impl Iterator<Item = String> {
    let chars: Vec<_> = text.as_str().unwrap_or_default().chars().collect();
    let pieces: Vec<String> = chars.chunks(PIECE).map(|it| it.iter().collect()).collect();
    pieces.into_iter()
}
