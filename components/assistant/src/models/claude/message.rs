//! The messages of a conversation with Claude: the person's, and the results of tools, in turns that
//! alternate.

use serde_json::{Value, json};

use super::ephemeral;
use crate::{
    Answered, Body, Image, Message, Part,
    models::{
        history::alternating,
        readable::{self, readable},
        trim::{self, Shape},
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
            "content": readable::unread(id, broken).to_string(),
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
