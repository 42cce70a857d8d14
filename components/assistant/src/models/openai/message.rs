//! The messages of chat completions: the person's, and the results of tools; pictures in a message of
//! the person's, because results have texts only (ILL-28).

use serde_json::{Value, json};

use crate::{
    Answered, Body, Image, Message, Part,
    models::{
        messages::{self, alternating, readable},
        trim::{self, Shape},
    },
};

/// The earlier messages.
pub(super) fn history(history: &[Message]) -> Vec<Value> {
    let messages = alternating(history).into_iter().map(|it| {
        let role = if it.is_user { "user" } else { "assistant" };
        json!({ "role": role, "content": content(it.parts.iter().filter_map(piece).collect()) })
    });
    messages.collect()
}

/// Adds content of the person; to their last message, where there is no answer in between: some models
/// know no two messages of theirs in a row.
fn push(messages: &mut Vec<Value>, pieces: Vec<Value>) {
    let last = messages.pop_if(|it| it["role"] == "user");
    let before = last.map(|message| match &message["content"] {
        Value::Array(pieces) => pieces.clone(),
        text => vec![json!({ "type": "text", "text": text })],
    });
    let pieces: Vec<_> = before.into_iter().flatten().chain(pieces).collect();
    if !pieces.is_empty() {
        messages.push(json!({ "role": "user", "content": content(pieces) }));
    }
}

/// What a message says. Lists of pieces are not known everywhere: one text, where there are but texts.
fn content(pieces: Vec<Value>) -> Value {
    let texts: Vec<_> = pieces.iter().filter_map(|it| it["text"].as_str()).collect();
    match texts.len() == pieces.len() {
        true => texts.join("\n").into(),
        false => Value::Array(pieces),
    }
}

fn piece(part: &Part) -> Option<Value> {
    match &part.body {
        Body::Text(text) if text.trim().is_empty() => None,
        Body::Text(text) => Some(json!({ "type": "text", "text": text })),
        Body::Image(image) => Some(picture(image)),
    }
}

fn picture(image: &Image) -> Value {
    let url = format!("data:{};base64,{}", image.mime_type, image.data);
    json!({ "type": "image_url", "image_url": { "url": url } })
}

/// Adds the results of the calls of the last message, each of them once and in their order; then their
/// pictures and the person's message, in one message of theirs (FORM-7). A call without an answer is
/// marked so: a conversation that leaves one open is refused.
pub(super) fn results(messages: &mut Vec<Value>, answered: &[Answered], message: &[Part]) {
    let calls = messages.last().and_then(|it| it["tool_calls"].as_array());
    let ids = calls.into_iter().flatten().filter_map(|it| it["id"].as_str().map(str::to_owned));
    let mut pieces = Vec::new();
    for id in ids.collect::<Vec<_>>() {
        let Some(own) = answered.iter().find(|it| it.call.id == id) else {
            messages.push(result(
                &id,
                "Not done: it was stopped before, or the person went on without answering.",
            ));
            continue;
        };
        let readable = readable(own, answered.len());
        messages.push(result(&id, &readable.object.to_string()));
        if !readable.images.is_empty() {
            let text = format!("[Pictures of {}, {id}]", own.call.name);
            pieces.push(json!({ "type": "text", "text": text }));
            pieces.extend(readable.images.iter().map(picture));
        }
    }
    pieces.extend(message.iter().filter_map(piece));
    push(messages, pieces);
}

/// What stands between the results of tools and what the person says, where one may not follow the other.
const BRIDGE: &str = "OK.";

/// Puts an answer between the results of tools and what the person says: models of Mistral's, and templates of others, know
/// no conversation without one.
pub(super) fn bridge(messages: &mut Vec<Value>) {
    for at in (1..messages.len()).rev() {
        if messages[at]["role"] == "user" && messages[at - 1]["role"] == "tool" {
            messages.insert(at, json!({ "role": "assistant", "content": BRIDGE }));
        }
    }
}

/// Takes out what a server has added for its own model, which no other one knows.
pub(super) fn strip(message: &mut Value) {
    let keep = |value: &mut Value, known: &[&str]| {
        if let Some(fields) = value.as_object_mut() {
            fields.retain(|name, _| known.contains(&name.as_str()));
        }
    };
    keep(message, &["role", "content", "tool_calls", "tool_call_id"]);
    let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten() {
        keep(call, &["id", "type", "function"]);
    }
}

fn result(id: &str, content: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": content })
}

/// How its messages become shorter.
pub(in crate::models) const SHAPE: Shape =
    Shape { pictures, drop_picture, drop_results, begin, is_result: |it| it["role"] == "tool" };

fn pictures(message: &Value) -> Vec<(String, usize)> {
    let pieces = message["content"].as_array().into_iter().flatten().enumerate();
    let pictures = pieces.filter_map(|(at, piece)| {
        let url = piece["image_url"]["url"].as_str()?;
        Some((format!("/content/{at}"), url.len()))
    });
    pictures.collect()
}

fn drop_picture(message: &mut Value, place: &str, note: &str) {
    if let Some(piece) = message.pointer_mut(place) {
        *piece = json!({ "type": "text", "text": note });
    }
    // Where none is left it is one text again: a server that knows no pictures may know no lists.
    if let Value::Array(pieces) = &message["content"] {
        message["content"] = content(pieces.clone());
    }
}

fn drop_results(message: &mut Value) {
    let is_long = message["content"].as_str().is_some_and(|it| it.len() > trim::RESULT.len());
    if message["role"] == "tool" && is_long {
        message["content"] = trim::RESULT.into();
    }
}

/// Results stand before what the person says, each in a message of its own.
fn begin(message: &mut Value) -> bool {
    message["role"] == "user"
}

/// The result of a call in an answer of which the `broken` calls cannot be read.
pub(super) fn unread(id: &str, broken: &[String]) -> Value {
    result(id, &messages::unread(id, broken).to_string())
}
