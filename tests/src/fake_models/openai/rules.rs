//! Requests that chat completions reject, and their errors
//! (platform.openai.com/docs/api-reference/chat/create; for Ollama:
//! docs.ollama.com/api/openai-compatibility).

use serde_json::{Map, Value};

use super::{KEY, MODEL, OpenAi, THOUGHT};
use crate::fake_models::{Broken, ReceivedRequest, unknown_field};

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

pub(super) fn judge(received: &ReceivedRequest, ways: OpenAi) -> Judged {
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
