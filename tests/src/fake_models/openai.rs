//! Chat completions after OpenAI's reference, and the dialect of Ollama.

use serde_json::{Map, Value, json};

use super::{Broken, Provider, ReceivedRequest, Sse};
use crate::fake_models::unknown_field;

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
        judge(received, *self)
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

// Requests that chat completions reject, and their errors
// (platform.openai.com/docs/api-reference/chat/create; for Ollama:
// docs.ollama.com/api/openai-compatibility).

/// The body's fields; Ollama knows fewer, all of which are among these.
const FIELDS: &[&str] = &[
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "stop",
    "seed",
    "n",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "reasoning_effort",
    "user",
];

/// The section "Supported request fields" of Ollama's page.
const OLLAMA_FIELDS: &[&str] = &[
    "model",
    "messages",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "max_tokens",
    "tools",
    "reasoning_effort",
    "reasoning",
    "tool_choice",
];

type Judged = Result<(), Broken>;

fn bad(what: impl Into<String>) -> Judged {
    Err(Broken(400, what.into()))
}

fn judge(received: &ReceivedRequest, ways: OpenAi) -> Judged {
    let authorization = received.header("authorization");
    if ways != OpenAi::Ollama && authorization != format!("Bearer {KEY}") {
        let key = authorization.trim_start_matches("Bearer ");
        return Err(Broken(401, format!("Incorrect API key provided: {key}.")));
    }
    match (received.method.as_str(), received.path.as_str()) {
        ("GET", "/v1/models") => return Ok(()),
        ("POST", "/v1/chat/completions") => {}
        (method, path) => return Err(Broken(404, format!("Invalid URL ({method} {path})"))),
    }
    let body = &received.body;
    let fields = if ways == OpenAi::Ollama { OLLAMA_FIELDS } else { FIELDS };
    if let Some(field) = unknown_field(body, fields) {
        return bad(format!("Unrecognized request argument supplied: {field}"));
    }
    if ways == OpenAi::Current && !body["max_tokens"].is_null() {
        return bad(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        );
    }
    if ways == OpenAi::Mistral && !body["stream_options"].is_null() {
        let message = "body.stream_options.include_usage: Extra inputs are not permitted";
        return Err(Broken(422, message.to_owned()));
    }
    if body["model"] != MODEL {
        let message = format!("The model `{}` does not exist", body["model"]);
        return Err(Broken(404, message));
    }
    if !body["stream_options"].is_null() && body["stream"] != true {
        return bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
    }
    if let Some(field) =
        unknown_field(&body["stream_options"], &["include_usage", "include_obfuscation"])
    {
        return bad(format!("Unrecognized request argument supplied: stream_options.{field}"));
    }
    tools(&body["tools"])?;
    messages(body["messages"].as_array().map_or(&[][..], Vec::as_slice), ways)
}

fn tools(tools: &Value) -> Judged {
    if !tools.is_null() && tools.as_array().is_none_or(Vec::is_empty) {
        return bad("[] is too short - 'tools'");
    }
    for (at, tool) in tools.as_array().into_iter().flatten().enumerate() {
        let function = &tool["function"];
        let unknown = unknown_field(tool, &["type", "function"])
            .or_else(|| unknown_field(function, &["name", "description", "parameters", "strict"]));
        if let Some(field) = unknown {
            return bad(format!("Unknown parameter: 'tools[{at}].{field}'."));
        }
        let name = function["name"].as_str().unwrap_or_default();
        if tool["type"] != "function" || !is_name(name) {
            return bad(format!(
                "Invalid 'tools[{at}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
            ));
        }
        let parameters = &function["parameters"];
        if parameters["type"] != "object" {
            return bad(format!(
                "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'"
            ));
        }
        if ["oneOf", "anyOf", "allOf", "enum", "not"].iter().any(|it| !parameters[it].is_null()) {
            return bad(format!(
                "Invalid schema for function '{name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
            ));
        }
        if !parameters["properties"].is_object() {
            return bad(format!(
                "Invalid schema for function '{name}': In context=(), object schema missing properties."
            ));
        }
        if has_bare_list(parameters) {
            return bad(format!(
                "Invalid schema for function '{name}': array schema missing items."
            ));
        }
    }
    Ok(())
}

/// Whether an array in a schema lacks its item type.
fn has_bare_list(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.get("type").is_some_and(|it| it == "array") && !fields.contains_key("items")
                || fields.values().any(has_bare_list)
        }
        Value::Array(entries) => entries.iter().any(has_bare_list),
        _ => false,
    }
}

fn messages(messages: &[Value], ways: OpenAi) -> Judged {
    if messages.is_empty() {
        return bad("[] is too short - 'messages'");
    }
    // The ids that must be answered before any other message.
    let mut open: Vec<&str> = Vec::new();
    if ways == OpenAi::Mistral
        && messages.windows(2).any(|it| it[0]["role"] == "tool" && it[1]["role"] == "user")
    {
        return bad("Unexpected role 'user' after role 'tool'");
    }
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !open.is_empty() {
            return bad(format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
                open.join(", ")
            ));
        }
        let fields: &[&str] = match role {
            "system" | "developer" | "user" => &["role", "content", "name"],
            "assistant" if ways == OpenAi::DeepSeek => {
                &["role", "content", "name", "tool_calls", "reasoning_content"]
            }
            "assistant" => &["role", "content", "refusal", "name", "tool_calls"],
            "tool" => &["role", "content", "tool_call_id"],
            _ => {
                return bad(format!(
                    "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'tool' and 'developer'."
                ));
            }
        };
        if let Some(field) = unknown_field(message, fields) {
            return bad(format!("Unknown parameter: 'messages[{at}].{field}'."));
        }
        content(at, role, message)?;
        let is_seen = |it: &Value| it["type"] == "image_url" && ways == OpenAi::DeepSeek;
        if message["content"].as_array().is_some_and(|it| it.iter().any(is_seen)) {
            return bad(format!(
                "Failed to deserialize the JSON body into the target type: messages[{at}]: unknown variant `image_url`, expected `text`"
            ));
        }
        if role == "assistant" {
            open = calls(at, &message["tool_calls"], ways)?;
            let is_thought = message["reasoning_content"] == THOUGHT;
            if ways == OpenAi::DeepSeek && !open.is_empty() && !is_thought {
                return bad(
                    "The `reasoning_content` in the thinking mode must be passed back to the API.",
                );
            }
        }
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(place) = open.iter().position(|it| *it == id) else {
                return bad(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
                );
            };
            open.remove(place);
        }
    }
    match open.is_empty() {
        true => Ok(()),
        false => bad(format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            open.join(", ")
        )),
    }
}

/// Checks contents: texts, parts of text, and pictures of the user by address or as data.
fn content(at: usize, role: &str, message: &Value) -> Judged {
    let invalid = |what: &str| bad(format!("Invalid value for 'messages[{at}].content': {what}"));
    match &message["content"] {
        Value::String(_) => Ok(()),
        Value::Null if role == "assistant" && message["tool_calls"].is_array() => Ok(()),
        Value::Array(pieces) if !pieces.is_empty() => {
            pieces.iter().try_for_each(|piece| match piece["type"].as_str() {
                Some("text") if unknown_field(piece, &["type", "text"]).is_none() => Ok(()),
                Some("image_url") if role == "user" => {
                    let url = piece["image_url"]["url"].as_str().unwrap_or_default();
                    let is_data =
                        url.strip_prefix("data:image/").is_some_and(|it| it.contains(";base64,"));
                    match is_data || url.starts_with("https://") {
                        true => Ok(()),
                        false => {
                            invalid("Expected a base64-encoded data URL with an image MIME type")
                        }
                    }
                }
                _ => invalid("a piece of a type that is not supported here"),
            })
        }
        _ => invalid("expected a string, got null."),
    }
}

/// Whether a tool may have the name, as it is declared and as it was called.
fn is_name(name: &str) -> bool {
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(is_letter)
}

fn calls(at: usize, calls: &Value, ways: OpenAi) -> Result<Vec<&str>, Broken> {
    let mut ids = Vec::new();
    for (number, call) in calls.as_array().into_iter().flatten().enumerate() {
        let place = format!("messages[{at}].tool_calls[{number}]");
        let wrong = |what: &str| Err(Broken(400, format!("Invalid '{place}': {what}")));
        let function = &call["function"];
        if let Some(field) = unknown_field(call, &["id", "type", "function"]) {
            return wrong(&format!("unknown parameter {field}"));
        }
        let id = call["id"].as_str().filter(|it| !it.is_empty() && !ids.contains(it));
        let (Some(id), true) = (id, call["type"] == "function") else {
            return wrong("an id of its own and the type 'function' are required");
        };
        if !is_name(function["name"].as_str().unwrap_or_default()) {
            return wrong("string does not match pattern '^[a-zA-Z0-9_-]+$'");
        }
        let Some(arguments) = function["arguments"].as_str() else {
            return wrong("arguments must be a string");
        };
        let is_object = serde_json::from_str::<Map<String, Value>>(arguments).is_ok();
        if ways == OpenAi::Ollama && !is_object {
            return wrong("invalid tool call arguments");
        }
        ids.push(id);
    }
    Ok(ids)
}
