//! Requests that the Messages API rejects, and their errors. Pages are those of platform.claude.com/docs/en.

use serde_json::Value;

use crate::fake_models::{Broken, ReceivedRequest, unknown_field};

mod blocks;

use super::KEY;

/// The body's fields (api/messages/create).
const FIELDS: &[&str] = &[
    "model",
    "max_tokens",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "thinking",
    "output_config",
    "service_tier",
    "container",
    "inference_geo",
    "cache_control",
];
/// A tool's fields (api/messages/create, `tools`).
const TOOL_FIELDS: &[&str] = &[
    "name",
    "description",
    "input_schema",
    "cache_control",
    "type",
    "strict",
    "input_examples",
    "defer_loading",
    "eager_input_streaming",
    "allowed_callers",
];
/// Models that are served (about-claude/models/overview); others have been retired, or never were.
const MODELS: &[&str] = &["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"];

type Judged = Result<(), Broken>;

fn bad(what: impl Into<String>) -> Judged {
    Err(Broken(400, what.into()))
}

pub(super) fn judge(received: &ReceivedRequest, messages: &[Value]) -> Judged {
    if (received.method.as_str(), received.path.as_str()) != ("POST", "/v1/messages") {
        return Err(Broken(404, "Not found".to_owned()));
    }
    // api/overview, "Authentication": both headers are required.
    match received.header("x-api-key") {
        KEY => {}
        "" => return Err(Broken(401, "x-api-key header is required".to_owned())),
        // The real one does not repeat it; a proxy may.
        key => return Err(Broken(401, format!("invalid x-api-key {key}"))),
    }
    if received.header("anthropic-version") != "2023-06-01" {
        return bad("anthropic-version: header is required");
    }
    if !received.header("content-type").starts_with("application/json") {
        return bad("content-type must be application/json");
    }
    let body = &received.body;
    if let Some(field) = unknown_field(body, FIELDS) {
        return bad(format!("{field}: Extra inputs are not permitted"));
    }
    let model = body["model"].as_str().unwrap_or_default();
    if !MODELS.contains(&model) {
        return Err(Broken(404, format!("model: {model}")));
    }
    if body["max_tokens"].as_u64().is_none_or(|it| it == 0 || it > 128_000) {
        return bad("max_tokens: Field required");
    }
    settings(body)?;
    tools(&body["tools"])?;
    system(&body["system"])?;
    blocks::messages(&body["messages"], messages)?;
    marks(body)
}

/// models/sonnet-5-5/migration-guide: "five settings that return a 400 error: thinking budgets, sampling
/// parameters, assistant prefill, forced tool choice, and thinking disabled".
fn settings(body: &Value) -> Judged {
    for name in ["temperature", "top_p", "top_k"] {
        if !body[name].is_null() && body[name] != 1.0 {
            return bad(format!("`{name}` is not supported on this model"));
        }
    }
    let thinking = &body["thinking"]["type"];
    if thinking == "enabled"
        || thinking == "disabled"
        || !body["thinking"]["budget_tokens"].is_null()
    {
        return bad("thinking.type: must be adaptive or between_tools on this model");
    }
    if matches!(body["tool_choice"]["type"].as_str(), Some("any" | "tool")) {
        return bad("tool_choice: forced tool use is not supported on this model");
    }
    match body["messages"].as_array().and_then(|it| it.last()) {
        Some(last) if last["role"] == "assistant" => bad(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
        _ => Ok(()),
    }
}

/// Checks the tools: agents-and-tools/tool-use/define-tools.
fn tools(tools: &Value) -> Judged {
    let Some(tools) = tools.as_array() else {
        return if tools.is_null() { Ok(()) } else { bad("tools: Input should be a valid array") };
    };
    for (at, tool) in tools.iter().enumerate() {
        if let Some(field) = unknown_field(tool, TOOL_FIELDS) {
            return bad(format!("tools.{at}.custom.{field}: Extra inputs are not permitted"));
        }
        let name = tool["name"].as_str().unwrap_or_default();
        let is_letter = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'-';
        if !(1..=128).contains(&name.len()) || !name.bytes().all(is_letter) {
            let pattern = "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
            return bad(format!("tools.{at}.custom.name: {pattern}"));
        }
        if tools[..at].iter().any(|it| it["name"] == name) {
            return bad("tools: Tool names must be unique.");
        }
        let schema = &tool["input_schema"];
        if schema["type"] != "object" {
            return bad(format!("tools.{at}.custom.input_schema.type: Field required"));
        }
        let is_key = |key: &String| {
            let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"_.-".contains(&it);
            (1..=64).contains(&key.len()) && key.bytes().all(is_letter)
        };
        if !schema["properties"].as_object().is_none_or(|it| it.keys().all(is_key)) {
            return bad(format!(
                "tools.{at}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'"
            ));
        }
        if ["oneOf", "allOf", "anyOf"].iter().any(|it| !schema[it].is_null()) {
            return bad(format!(
                "tools.{at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
            ));
        }
    }
    Ok(())
}

fn system(system: &Value) -> Judged {
    let Some(texts) = system.as_array() else {
        return match system.is_null() || system.is_string() {
            true => Ok(()),
            false => bad("system: Input should be a valid string"),
        };
    };
    for (at, text) in texts.iter().enumerate() {
        if let Some(field) = unknown_field(text, &["type", "text", "cache_control", "citations"]) {
            return bad(format!("system.{at}.{field}: Extra inputs are not permitted"));
        }
        if text["type"] != "text" || text["text"].as_str().is_none_or(str::is_empty) {
            return bad("system: text content blocks must be non-empty");
        }
    }
    Ok(())
}

/// build-with-claude/prompt-caching: "up to 4 cache breakpoints"; "thinking blocks cannot be explicitly
/// marked", "empty text blocks cannot be cached".
fn marks(body: &Value) -> Judged {
    let mut marks = Vec::new();
    gather(body, &mut marks);
    if marks.iter().any(|it| it["type"] != "ephemeral") {
        return bad("cache_control.type: Input should be 'ephemeral'");
    }
    match marks.len() {
        0..=4 => Ok(()),
        found => {
            bad(format!("A maximum of 4 blocks with cache_control may be provided. Found {found}."))
        }
    }
}

fn gather<'a>(value: &'a Value, marks: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            marks.extend(fields.get("cache_control"));
            let others =
                fields.iter().filter(|it| !matches!(it.0.as_str(), "input_schema" | "input"));
            others.for_each(|it| gather(it.1, marks));
        }
        Value::Array(entries) => entries.iter().for_each(|it| gather(it, marks)),
        _ => {}
    }
}
