//! Claude as documented: `POST /v1/messages` of the Messages API, with the rules of Claude Sonnet 5.5.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::{Broken, Provider, ReceivedRequest, Sse};
use crate::fake_models::unknown_field;

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
        judge(received, &answer)
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
        events(&self.whole(received, message))
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

// Requests that the Messages API rejects, and their errors. Pages are those of platform.claude.com/docs/en.

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

fn judge(received: &ReceivedRequest, messages: &[Value]) -> Judged {
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
    self::messages(&body["messages"], messages)?;
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

// Rules for conversations: turns, calls and their results, thinking, pictures. Pages are those of
// platform.claude.com/docs/en.

/// Maximum number of pictures in a request.
const IMAGES_MAX: usize = 100;

/// Whether a tool may have been called by this name.
fn is_name(name: &str) -> bool {
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'-';
    (1..=200).contains(&name.len()) && name.bytes().all(is_letter)
}

/// Each kind of block, its role and its fields (api/messages/create, `messages.content`).
const BLOCKS: &[(&str, &str, &[&str])] = &[
    ("text", "both", &["type", "text", "cache_control", "citations"]),
    ("image", "user", &["type", "source", "cache_control"]),
    ("tool_result", "user", &["type", "tool_use_id", "content", "is_error", "cache_control"]),
    ("tool_use", "assistant", &["type", "id", "name", "input", "cache_control", "caller"]),
    ("thinking", "assistant", &["type", "thinking", "signature"]),
    ("redacted_thinking", "assistant", &["type", "data"]),
];

pub(super) fn messages(messages: &Value, parts: &[Value]) -> Judged {
    let messages = messages.as_array().map_or(&[][..], Vec::as_slice);
    if messages.is_empty() {
        return bad("messages: at least one message is required");
    }
    // build-with-claude/vision: 100 images a request.
    let text = Value::from(messages).to_string();
    if text.matches("\"type\":\"image\"").count() > IMAGES_MAX {
        return Err(Broken(413, "Request has too many images".to_owned()));
    }
    for (at, message) in messages.iter().enumerate() {
        if let Some(field) = unknown_field(message, &["role", "content"]) {
            return bad(format!("messages.{at}.{field}: Extra inputs are not permitted"));
        }
        // build-with-claude/working-with-messages: turns alternate. The real one joins two of the same
        // role; nothing of ours is to count on that.
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != role {
            return bad(format!("messages.{at}: roles must alternate; {role} was expected"));
        }
        let before = at.checked_sub(1).map_or(&Value::Null, |it| &messages[it]["content"]);
        if let Some(text) = message["content"].as_str() {
            open_calls(at, before, &[])?;
            if text.is_empty() {
                return bad(format!("messages.{at}: all messages must have non-empty content"));
            }
            continue;
        }
        let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        if blocks.is_empty() {
            return bad(format!("messages.{at}: all messages must have non-empty content"));
        }
        for (number, entry) in blocks.iter().enumerate() {
            block(&format!("messages.{at}.content.{number}"), role, entry)?;
        }
        match role {
            "user" => results(at, before, blocks)?,
            _ => thought(at, blocks, parts)?,
        }
    }
    Ok(())
}

fn block(place: &str, role: &str, block: &Value) -> Judged {
    let kind = block["type"].as_str().unwrap_or_default();
    let found = BLOCKS.iter().find(|it| it.0 == kind && (it.1 == "both" || it.1 == role));
    let Some((_, _, fields)) = found else {
        return bad(format!("{place}: a {role} message has no block of type {kind:?}"));
    };
    if let Some(field) = unknown_field(block, fields) {
        return bad(format!("{place}.{kind}.{field}: Extra inputs are not permitted"));
    }
    match kind {
        "text" if block["text"].as_str().is_none_or(|it| it.trim().is_empty()) => {
            bad("messages: text content blocks must contain non-whitespace text")
        }
        "image" => image(place, &block["source"]),
        "tool_use" if !block["input"].is_object() => {
            bad(format!("{place}.tool_use.input: Input should be a valid dictionary"))
        }
        "tool_use" if !is_name(block["name"].as_str().unwrap_or_default()) => bad(format!(
            "{place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'"
        )),
        "thinking" if !block["signature"].is_string() => {
            bad(format!("{place}.thinking.signature: Field required"))
        }
        "tool_result" => {
            // agents-and-tools/tool-use/handle-tool-calls: a text, or texts, pictures and documents.
            let inner = block["content"].as_array().into_iter().flatten();
            let is_error = &block["is_error"];
            if !is_error.is_null() && !is_error.is_boolean() {
                return bad(format!(
                    "{place}.tool_result.is_error: Input should be a valid boolean"
                ));
            }
            inner.enumerate().try_for_each(|(number, inner)| match inner["type"].as_str() {
                Some("text" | "image") => {
                    self::block(&format!("{place}.content.{number}"), "user", inner)
                }
                other => bad(format!("{place}.content.{number}: no block of type {other:?} here")),
            })
        }
        _ => Ok(()),
    }
}

/// build-with-claude/vision: "JPEG, PNG, GIF, and WebP", base64.
fn image(place: &str, source: &Value) -> Judged {
    if source["type"] != "base64"
        || unknown_field(source, &["type", "media_type", "data"]).is_some()
    {
        return bad(format!("{place}.image.source: Input should be a base64 source"));
    }
    let media_type = source["media_type"].as_str().unwrap_or_default();
    if !["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&media_type) {
        return bad(format!(
            "{place}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
        ));
    }
    let data = source["data"].as_str().unwrap_or_default();
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"+/=".contains(&it);
    match data.is_empty() || !data.len().is_multiple_of(4) || !data.bytes().all(is_letter) {
        true => bad(format!(
            "{place}.image.source.base64: The image was specified using the base64 media type but is not base64"
        )),
        false => Ok(()),
    }
}

fn used(content: &Value) -> Vec<&str> {
    let blocks = content.as_array().into_iter().flatten();
    blocks.filter(|it| it["type"] == "tool_use").filter_map(|it| it["id"].as_str()).collect()
}

/// agents-and-tools/tool-use/handle-tool-calls, "Important formatting requirements": results immediately
/// follow their calls, all in one message, and come first in it.
fn results(at: usize, before: &Value, blocks: &[Value]) -> Judged {
    let results = blocks.iter().take_while(|it| it["type"] == "tool_result").count();
    if blocks[results..].iter().any(|it| it["type"] == "tool_result") {
        return bad(format!(
            "messages.{at}: tool_result blocks must come first in the content of a user message"
        ));
    }
    let ids = blocks[..results].iter().map(|it| it["tool_use_id"].as_str().unwrap_or_default());
    let ids: Vec<_> = ids.collect();
    let used = used(before);
    for (number, id) in ids.iter().enumerate() {
        if !used.contains(id) {
            return bad(format!(
                "messages.{at}.content.{number}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            ));
        }
        if ids[..number].contains(id) {
            return bad(format!(
                "messages.{at}.content.{number}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
            ));
        }
    }
    open_calls(at, before, &ids)
}

fn open_calls(at: usize, before: &Value, answered: &[&str]) -> Judged {
    let used = used(before);
    let open: Vec<_> = used.iter().copied().filter(|it| !answered.contains(it)).collect();
    match open.is_empty() {
        true => Ok(()),
        false => bad(format!(
            "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
            at - 1,
            open.join(", ")
        )),
    }
}

/// build-with-claude/extended-thinking, "Preserving thinking blocks": while tools are used, thinking goes
/// back as it came; what differs in anything is refused.
fn thought(at: usize, blocks: &[Value], messages: &[Value]) -> Judged {
    let is_thinking =
        |it: &&Value| matches!(it["type"].as_str(), Some("thinking" | "redacted_thinking"));
    if blocks.last().as_ref().is_some_and(is_thinking) {
        return bad(format!(
            "messages.{at}: The final block in an assistant message cannot be `thinking`."
        ));
    }
    let ids: Vec<_> = blocks.iter().filter_map(|it| it["id"].as_str()).collect();
    for (number, id) in ids.iter().enumerate() {
        if ids[..number].contains(id) {
            return bad(format!("messages.{at}: `tool_use` ids must be unique"));
        }
    }
    let thought: Vec<_> = blocks.iter().filter(is_thinking).collect();
    let of = |content: &Value| {
        let blocks = content.as_array().into_iter().flatten();
        blocks.filter(|it| is_thinking(it)).cloned().collect::<Vec<_>>()
    };
    // The message of its own that this is, by the ids of its calls.
    let own = messages.iter().find(|it| !ids.is_empty() && used(it) == ids).map(of);
    for (number, block) in thought.iter().enumerate() {
        let same = messages.iter().flat_map(of).any(|own| own["signature"] == block["signature"]);
        if !same {
            return bad(format!(
                "messages.{at}.content.{number}: Invalid `signature` in `thinking` block"
            ));
        }
        if !messages.iter().flat_map(of).any(|own| own == **block) {
            return bad(format!(
                "messages.{at}.content.{number}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."
            ));
        }
    }
    match own {
        Some(own) if own.iter().collect::<Vec<_>>() != thought => bad(format!(
            "messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."
        )),
        _ => Ok(()),
    }
}

// A message as a stream of events, in the documented order
// (platform.claude.com/docs/en/build-with-claude/streaming, "Event types").

/// Characters of one piece: short, so that clients must join pieces.
const PIECE: usize = 7;

fn event(name: &'static str, mut data: Value) -> Sse {
    data["type"] = name.into();
    Sse { name: Some(name), data: data.to_string() }
}

fn events(message: &Value) -> Vec<Sse> {
    let mut start = message.clone();
    (start["content"], start["stop_reason"]) = (json!([]), Value::Null);
    // Counts begin low and end with those of the whole ("message_delta … are cumulative").
    start["usage"]["output_tokens"] = 1.into();
    let mut events = vec![event("message_start", json!({ "message": start }))];
    let blocks = message["content"].as_array().into_iter().flatten();
    let count = blocks.clone().count();
    for (index, block) in blocks.enumerate() {
        // Where the length ends in the middle of a call, the call has no end.
        let is_cut = message["stop_reason"] == "max_tokens"
            && block["type"] == "tool_use"
            && index + 1 == count;
        let (empty, deltas) = pieces(block);
        let start = json!({ "index": index, "content_block": empty });
        events.push(event("content_block_start", start));
        if index == 0 {
            // "Event streams may also include any number of ping events."
            events.push(event("ping", json!({})));
        }
        let most = if is_cut { deltas.len() / 2 } else { deltas.len() };
        let deltas = deltas.into_iter().take(most);
        events.extend(
            deltas.map(|it| event("content_block_delta", json!({ "index": index, "delta": it }))),
        );
        if !is_cut {
            events.push(event("content_block_stop", json!({ "index": index })));
        }
    }
    let delta = json!({
        "stop_reason": message["stop_reason"], "stop_sequence": null,
        "stop_details": message["stop_details"],
    });
    events.push(event("message_delta", json!({ "delta": delta, "usage": message["usage"] })));
    events.push(event("message_stop", json!({})));
    events
}

/// The start of a block and its deltas.
fn pieces(block: &Value) -> (Value, Vec<Value>) {
    let mut empty = block.clone();
    let of = |name: &str, kind: &str, field: &str| -> Vec<Value> {
        let text = block[name].as_str().unwrap_or_default();
        cut(text).map(|it| json!({ "type": kind, field: it })).collect()
    };
    match block["type"].as_str() {
        Some("text") => {
            empty["text"] = "".into();
            (empty, of("text", "text_delta", "text"))
        }
        Some("thinking") => {
            (empty["thinking"], empty["signature"]) = ("".into(), "".into());
            let mut deltas = of("thinking", "thinking_delta", "thinking");
            let signature = json!({ "type": "signature_delta", "signature": block["signature"] });
            deltas.push(signature);
            (empty, deltas)
        }
        Some("tool_use") => {
            empty["input"] = json!({});
            let input = match &block["input"] {
                // Malformed arguments of the model.
                Value::String(text) => text.clone(),
                it if *it == json!({}) => String::new(),
                it => it.to_string(),
            };
            let delta = |it| json!({ "type": "input_json_delta", "partial_json": it });
            // The first piece is empty, always.
            let deltas = std::iter::once(delta(String::new())).chain(cut(&input).map(delta));
            (empty, deltas.collect())
        }
        _ => (empty, Vec::new()),
    }
}

fn cut(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<_> = text.chars().collect();
    let pieces: Vec<String> = chars.chunks(PIECE).map(|it| it.iter().collect()).collect();
    pieces.into_iter()
}
