//! Messages of a conversation with Claude: alternating input and answers, which are assembled from streamed events.

use serde_json::{Map, Value, json};

use super::ephemeral;
use crate::{
    Answered, Body, EventSink, Image, Message, Part,
    models::{
        Tokens,
        events::Events,
        messages::{self, Ids, alternating, readable},
        trim::{self, Shape},
        wire::WireError,
    },
};

/// Number of messages with a cache mark: the last of the person's, and the one that the request before had marked.
const MARKS_MAX: usize = 2;

/// Maximum base64 bytes of one picture; a larger one makes the API refuse the request.
const IMAGE_BYTES_MAX: usize = 5 << 20;

/// Adds content of `role`, to the last message if it has the same role.
pub(super) fn push(messages: &mut Vec<Value>, role: &str, content: Vec<Value>) {
    if content.is_empty() {
        return;
    }
    match messages.last_mut() {
        Some(last) if last["role"] == role => {
            if let Some(blocks) = last["content"].as_array_mut() {
                blocks.extend(content);
            }
        }
        _ => messages.push(json!({ "role": role, "content": content })),
    }
}

/// Converts the earlier messages.
pub(super) fn history(history: &[Message]) -> Vec<Value> {
    let messages = alternating(history).into_iter().map(|message| {
        let role = if message.is_user { "user" } else { "assistant" };
        json!({ "role": role, "content": message.parts.iter().filter_map(block).collect::<Vec<_>>() })
    });
    messages.collect()
}

/// Converts a part. Empty texts are left out, because the API refuses them.
pub(super) fn block(part: &Part) -> Option<Value> {
    match &part.body {
        Body::Text(text) if text.trim().is_empty() => None,
        Body::Text(text) => Some(json!({ "type": "text", "text": text })),
        Body::Image(image) => Some(picture(image)),
    }
}

/// Converts a picture, or a note if Claude would refuse it.
fn picture(image: &Image) -> Value {
    let media_type = image.mime_type.as_str();
    match media_type {
        _ if image.data.len() > IMAGE_BYTES_MAX => {
            json!({ "type": "text", "text": format!("[{media_type}, too large to be shown]") })
        }
        "image/jpeg" | "image/png" | "image/gif" | "image/webp" => json!({
            "type": "image",
            "source": { "type": "base64", "media_type": media_type, "data": &*image.data },
        }),
        _ => json!({ "type": "text", "text": format!("[{media_type}, not shown]") }),
    }
}

/// Builds a result for each call of the last message, in order (NAV-55). Calls without a result are
/// marked as failed, because Claude refuses open calls.
pub(super) fn results(messages: &[Value], answered: &[Answered]) -> Vec<Value> {
    let last = messages.last().filter(|it| it["role"] == "assistant");
    let blocks = last.and_then(|it| it["content"].as_array()).into_iter().flatten();
    let ids = blocks.filter(|it| it["type"] == "tool_use").filter_map(|it| it["id"].as_str());
    ids.map(|id| match answered.iter().find(|it| it.call.id == id) {
        Some(own) => result(id, own, answered.len()),
        None => json!({
            "type": "tool_result", "tool_use_id": id, "is_error": true,
            "content": "Not done: it was stopped before, or the person went on without answering.",
        }),
    })
    .collect()
}

/// Results for the calls `ids` of an answer whose `broken` ones cannot be parsed.
pub(super) fn unreadable_result<'a>(
    ids: impl Iterator<Item = &'a str>,
    broken: &[String],
) -> Vec<Value> {
    let results = ids.map(|id| {
        json!({
            "type": "tool_result", "tool_use_id": id, "is_error": true,
            "content": messages::unreadable_result(id, broken).to_string(),
        })
    });
    results.collect()
}

fn result(id: &str, answered: &Answered, results: usize) -> Value {
    let readable = readable(answered, results);
    let text = json!({ "type": "text", "text": readable.object.to_string() });
    let content: Vec<_> =
        std::iter::once(text).chain(readable.images.iter().map(picture)).collect();
    let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
    if readable.is_error {
        result["is_error"] = true.into();
    }
    result
}

/// Adds cache marks.
pub(super) fn cached(messages: &[Value]) -> Vec<Value> {
    let mut messages = messages.to_vec();
    let of_the_person = messages.iter_mut().rev().filter(|it| it["role"] == "user");
    for message in of_the_person.take(MARKS_MAX) {
        if let Some(last) = message["content"].as_array_mut().and_then(|it| it.last_mut()) {
            last["cache_control"] = ephemeral();
        }
    }
    messages
}

/// Access to its messages for shortening.
pub(in crate::models) const SHAPE: Shape =
    Shape { pictures, drop_picture, drop_results, begin, is_result: |_| false };

fn pictures(message: &Value) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let size = |block: &Value| {
        let data = block["source"]["data"].as_str().unwrap_or_default();
        (block["type"] == "image").then_some(data.len())
    };
    for (at, block) in blocks(message).enumerate() {
        found.extend(size(block).map(|it| (format!("/content/{at}"), it)));
        let inner = block["content"].as_array().into_iter().flatten().enumerate();
        let inner = inner
            .filter_map(|(place, it)| Some((format!("/content/{at}/content/{place}"), size(it)?)));
        found.extend(inner);
    }
    found
}

fn drop_picture(message: &mut Value, place: &str, note: &str) {
    if let Some(block) = message.pointer_mut(place) {
        *block = json!({ "type": "text", "text": note });
    }
}

/// Replaces the picture that a refusal names, as `messages.0.content.1.image.source.base64: it is too large` does.
/// Returns whether it names one.
pub(super) fn drop_named_picture(messages: &mut [Value], error: &WireError) -> bool {
    let WireError::Status { text, .. } = error else { return false };
    let named = text.split(':').next().unwrap_or_default();
    let mut numbers = named.split('.').filter_map(|it| it.parse::<usize>().ok());
    let message = numbers.next().and_then(|at| messages.get_mut(at));
    let place: String = numbers.map(|at| format!("/content/{at}")).collect();
    let Some(message) = message.filter(|it| pictures(it).iter().any(|it| it.0 == place)) else {
        return false;
    };
    drop_picture(message, &place, trim::UNSEEN);
    true
}

fn drop_results(message: &mut Value) {
    let blocks = message["content"].as_array_mut().into_iter().flatten();
    for result in blocks.filter(|it| it["type"] == "tool_result") {
        let texts = result["content"].as_array_mut().into_iter().flatten();
        for text in texts.filter(|it| it["type"] == "text") {
            if text["text"].as_str().is_some_and(|it| it.len() > trim::RESULT.len()) {
                text["text"] = trim::RESULT.into();
            }
        }
    }
}

/// Makes the person's message the first, without results of dropped calls.
fn begin(message: &mut Value) -> bool {
    if message["role"] != "user" {
        return false;
    }
    let Some(blocks) = message["content"].as_array_mut() else { return false };
    blocks.retain(|it| it["type"] != "tool_result");
    !blocks.is_empty()
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten()
}

/// Whether the block is thinking, plain or redacted.
pub(super) fn is_thinking(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

/// Maximum blocks of one answer.
const BLOCKS_MAX: usize = 256;

/// An answer, assembled from events.
#[derive(Default)]
pub(super) struct Reply {
    /// In the order in which they began, with their indexes, which some gateways give twice.
    blocks: Vec<(u64, Block)>,
    usage: Map<String, Value>,
    stop_reason: String,
    explanation: Option<String>,
    is_whole: bool,
}

/// An incomplete block.
struct Block {
    value: Value,
    /// Arguments of a call so far.
    json: String,
    is_whole: bool,
}

impl Reply {
    /// Reads the whole stream; sends text as it arrives.
    pub(super) fn read(mut events: Events, sink: &EventSink) -> Result<Self, WireError> {
        let mut reply = Self::default();
        while let Some(event) = events.next() {
            if let Some(text) = reply.take(&event?)? {
                sink.send_text(text);
            }
            if reply.is_whole {
                return Ok(reply);
            }
        }
        Err(WireError::Disconnected("the answer ended before its end".to_owned()))
    }

    /// Adds one event; returns the new text for people.
    pub(super) fn take<'a>(&mut self, event: &'a Value) -> Result<Option<&'a str>, WireError> {
        match event["type"].as_str() {
            Some("message_start") => self.count(&event["message"]["usage"]),
            Some("content_block_start") => return self.begin(event),
            Some("content_block_delta") => return self.extend(event),
            Some("content_block_stop") => {
                if let Some(block) = self.block(event) {
                    block.is_whole = true;
                }
            }
            Some("message_delta") => {
                let delta = &event["delta"];
                if let Some(reason) = delta["stop_reason"].as_str() {
                    reason.clone_into(&mut self.stop_reason);
                }
                let details = &delta["stop_details"]["explanation"];
                self.explanation = details.as_str().map(str::to_owned).or(self.explanation.take());
                self.count(&event["usage"]);
            }
            Some("message_stop") => self.is_whole = true,
            // `ping`, and events that the versioning policy permits in the future.
            _ => {}
        }
        Ok(None)
    }

    /// Counts are cumulative; the last ones are valid.
    fn count(&mut self, usage: &Value) {
        let counts = usage.as_object().into_iter().flatten().filter(|it| !it.1.is_null());
        self.usage.extend(counts.map(|(name, value)| (name.clone(), value.clone())));
    }

    fn begin<'a>(&mut self, event: &'a Value) -> Result<Option<&'a str>, WireError> {
        let (Some(index), value) = (event["index"].as_u64(), &event["content_block"]) else {
            return Err(unreadable("a block without its place"));
        };
        if self.blocks.len() >= BLOCKS_MAX || !value.is_object() {
            return Err(unreadable("too many blocks, or one that is none"));
        }
        let block = Block { value: value.clone(), json: String::new(), is_whole: false };
        self.blocks.push((index, block));
        let text = value["text"].as_str().filter(|it| value["type"] == "text" && !it.is_empty());
        Ok(text)
    }

    fn block(&mut self, event: &Value) -> Option<&mut Block> {
        let index = event["index"].as_u64()?;
        self.blocks.iter_mut().rfind(|it| it.0 == index).map(|it| &mut it.1)
    }

    fn extend<'a>(&mut self, event: &'a Value) -> Result<Option<&'a str>, WireError> {
        let delta = &event["delta"];
        let block = self.block(event).ok_or_else(|| unreadable("a piece of no block"))?;
        let piece = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str() {
            Some("text_delta") => {
                append(&mut block.value["text"], piece("text"));
                let text = delta["text"].as_str().filter(|it| !it.is_empty());
                return Ok(text);
            }
            Some("input_json_delta") => block.json.push_str(piece("partial_json")),
            Some("thinking_delta") => append(&mut block.value["thinking"], piece("thinking")),
            Some("signature_delta") => append(&mut block.value["signature"], piece("signature")),
            _ => {}
        }
        Ok(None)
    }

    pub(super) fn stop_reason(&self) -> &str {
        &self.stop_reason
    }

    /// Explains why the answer is refused.
    pub(super) fn refusal(&self) -> String {
        let why = self.explanation.as_deref().unwrap_or("the model declined to answer");
        format!("refusal: {}", why.chars().take(300).collect::<String>())
    }

    /// Returns its blocks verbatim, and the ids of calls with unparsable arguments. Drops incomplete calls
    /// of a truncated answer, blank texts and trailing thinking, which would be refused when sent back.
    /// Calls with a duplicate id get a new one.
    pub(super) fn content(self, is_cut: bool, before: &[Value]) -> (Vec<Value>, Vec<String>) {
        let (mut content, mut broken) = (Vec::with_capacity(self.blocks.len()), Vec::new());
        let earlier = before.iter().filter_map(|it| it["content"].as_array()).flatten();
        let earlier = earlier.filter(|it| it["type"] == "tool_use");
        let mut ids = Ids::new(earlier, before.len());
        for (_, block) in self.blocks {
            let mut value = block.value;
            let is_call = value["type"] == "tool_use";
            let is_open = is_call || !block.is_whole && is_thinking(&value);
            if is_cut && is_open || is_blank(&value) {
                continue;
            }
            if is_call {
                value["id"] = ids.assign(&value).into();
                let name = value["name"].as_str().unwrap_or_default();
                value["name"] = messages::returnable(name, &[]).into();
                if !block.json.trim().is_empty() {
                    value["input"] = serde_json::from_str(&block.json).unwrap_or(block.json.into());
                }
                if !value["input"].is_object() {
                    if !value["input"].is_null() {
                        broken.push(value["id"].as_str().unwrap_or_default().to_owned());
                    }
                    value["input"] = Map::new().into();
                }
            }
            content.push(value);
        }
        while content.last().is_some_and(is_thinking) {
            content.pop();
        }
        (content, broken)
    }

    /// The tokens that the answer took.
    pub(super) fn tokens(&self) -> Tokens {
        let count = |name: &str| self.usage.get(name).and_then(Value::as_u64).unwrap_or_default();
        Tokens {
            fresh: count("input_tokens"),
            caching: count("cache_creation_input_tokens"),
            cached: count("cache_read_input_tokens"),
            output: count("output_tokens"),
        }
    }
}

fn append(text: &mut Value, piece: &str) {
    match text {
        Value::String(text) => text.push_str(piece),
        other => *other = piece.into(),
    }
}

fn unreadable(what: &str) -> WireError {
    WireError::Unreadable(format!("the answer has {what}"))
}

/// Whether the block is a blank text.
fn is_blank(block: &Value) -> bool {
    block["type"] == "text" && block["text"].as_str().is_none_or(|it| it.trim().is_empty())
}

/// Parses an event as an error, with the status it would have had before the stream.
pub(super) fn error_of(event: &Value) -> Option<WireError> {
    let error = Some(&event["error"]).filter(|_| event["type"] == "error")?;
    let status = match error["type"].as_str().unwrap_or_default() {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    };
    let text = error["message"].as_str().unwrap_or_default().chars().take(500).collect();
    Some(WireError::Status { status, retry_after_s: None, body: Value::Null, text })
}
