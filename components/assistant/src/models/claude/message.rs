//! The messages of a conversation with Claude: the person's and the results of tools, in turns that alternate, and
//! its answers, put together from the events of their streams.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::ephemeral;
use crate::{
    Answered, Body, Image, Message, Part, Teller,
    models::{
        Tokens,
        events::Events,
        messages::{self, Ids, alternating, readable},
        trim::{self, Shape},
        wire::WireError,
    },
};

/// Messages whose end is marked as worth caching: the last of the person's, and the one before, which
/// the request before had marked.
const MARKS_MAX: usize = 2;

/// Bytes of base64 of one picture: a request with a larger one is refused as a whole.
const IMAGE_BYTES_MAX: usize = 5 << 20;

/// Adds content of `role`; to their last message, where there is no answer in between.
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

/// The earlier messages.
pub(super) fn history(history: &[Message]) -> Vec<Value> {
    let messages = alternating(history).into_iter().map(|it| {
        let role = if it.is_user { "user" } else { "assistant" };
        json!({ "role": role, "content": it.parts.iter().filter_map(block).collect::<Vec<_>>() })
    });
    messages.collect()
}

/// One piece of a message. Empty texts are refused by the API, and are left out.
pub(super) fn block(part: &Part) -> Option<Value> {
    match &part.body {
        Body::Text(text) if text.trim().is_empty() => None,
        Body::Text(text) => Some(json!({ "type": "text", "text": text })),
        Body::Image(image) => Some(picture(image)),
    }
}

/// A picture, or a note that there was one where Claude would refuse the whole request for it.
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

/// The results of the calls of the last message, each of them once and in their order (NAV-55). A call
/// without an answer is marked so: Claude refuses a conversation that leaves one open.
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

/// The results of the calls `ids` in an answer of which the `broken` ones cannot be read.
pub(super) fn unread<'a>(ids: impl Iterator<Item = &'a str>, broken: &[String]) -> Vec<Value> {
    let results = ids.map(|id| {
        json!({
            "type": "tool_result", "tool_use_id": id, "is_error": true,
            "content": messages::unread(id, broken).to_string(),
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

/// The same, with marks where what is cached may end.
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

/// How its messages become shorter.
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

/// What the person says begins a conversation, without the results of calls that are gone.
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

/// Whether it is thinking, open or not.
pub(super) fn is_thinking(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

/// Blocks of one answer.
const BLOCKS_MAX: usize = 256;

/// An answer in the making, and at last the whole of it.
#[derive(Default)]
pub(super) struct Reply {
    blocks: BTreeMap<u64, Block>,
    usage: Map<String, Value>,
    stop_reason: String,
    explanation: Option<String>,
    is_whole: bool,
}

/// A block in the making.
struct Block {
    value: Value,
    /// The arguments of a call, so far.
    json: String,
    is_whole: bool,
}

impl Reply {
    /// Reads all of it; text is passed on as it comes.
    pub(super) fn read(mut events: Events, teller: &Teller) -> Result<Self, WireError> {
        let mut reply = Self::default();
        while let Some(event) = events.next() {
            if let Some(text) = reply.take(&event?)? {
                teller.say(text);
            }
            if reply.is_whole {
                return Ok(reply);
            }
        }
        Err(WireError::Lost("the answer ended before its end".to_owned()))
    }

    /// Takes one event; what it adds to the text for people.
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
            // `ping`, and what the versioning policy lets them add.
            _ => {}
        }
        Ok(None)
    }

    /// Counts are those of the whole answer so far: the last ones hold.
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
        self.blocks.insert(index, block);
        let text = value["text"].as_str().filter(|it| value["type"] == "text" && !it.is_empty());
        Ok(text)
    }

    fn block(&mut self, event: &Value) -> Option<&mut Block> {
        self.blocks.get_mut(&event["index"].as_u64()?)
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

    /// Why there is no answer, as the provider states it where it does.
    pub(super) fn refusal(&self) -> String {
        let why = self.explanation.as_deref().unwrap_or("the model declined to answer");
        format!("refusal: {}", why.chars().take(300).collect::<String>())
    }

    /// Its blocks, verbatim, and the ids of the calls among them whose arguments are no object. Of an answer that
    /// was cut, calls are left out: they are incomplete. What shows nothing is refused when it comes back, and so
    /// is what ends in thinking. A call whose id another one has, of those `before` or beside it, is given its own.
    pub(super) fn content(self, is_cut: bool, before: &[Value]) -> (Vec<Value>, Vec<String>) {
        let (mut content, mut broken) = (Vec::with_capacity(self.blocks.len()), Vec::new());
        let earlier = before.iter().filter_map(|it| it["content"].as_array()).flatten();
        let earlier = earlier.filter(|it| it["type"] == "tool_use");
        let mut ids = Ids::new(earlier, before.len());
        for block in self.blocks.into_values() {
            let mut value = block.value;
            let is_call = value["type"] == "tool_use";
            let is_open = is_call || !block.is_whole && is_thinking(&value);
            if is_cut && is_open || is_blank(&value) {
                continue;
            }
            if is_call {
                value["id"] = ids.of(&value).into();
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

/// Whether it is a text that shows nothing.
fn is_blank(block: &Value) -> bool {
    block["type"] == "text" && block["text"].as_str().is_none_or(|it| it.trim().is_empty())
}

/// The error that an event is, with the status that it would have had before the stream began.
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
