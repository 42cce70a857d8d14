//! Messages of chat completions: the person's and tool results. Pictures are in a message of the
//! person's, because results are texts only (ILL-28).

use serde_json::{Value, json};

use crate::{
    Answered, Body, Image, Message, Part,
    models::{
        messages::{self, alternating, readable},
        trim::{self, Shape},
    },
};

/// Converts the earlier messages.
pub(super) fn history(history: &[Message]) -> Vec<Value> {
    let messages = alternating(history).into_iter().map(|message| {
        let role = if message.is_user { "user" } else { "assistant" };
        json!({ "role": role, "content": content(message.parts.iter().filter_map(piece).collect()) })
    });
    messages.collect()
}

/// Adds content of the person, to the last message if it is theirs: some models refuse two in a row.
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

/// Builds a message's content: a plain text if possible, because some servers do not accept lists.
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

/// Adds a result for each call of the last message, in order, then their pictures and the person's message in one
/// message (FORM-7). Calls without a result are marked as failed, because open calls are refused.
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

/// Assistant message between tool results and the person's message.
const BRIDGE: &str = "OK.";

/// Inserts an assistant message between tool results and the person's message, which Mistral's models
/// and some templates require.
pub(super) fn bridge(messages: &mut Vec<Value>) {
    for at in (1..messages.len()).rev() {
        if messages[at]["role"] == "user" && messages[at - 1]["role"] == "tool" {
            messages.insert(at, json!({ "role": "assistant", "content": BRIDGE }));
        }
    }
}

/// Field of thinking, which DeepSeek requires back in conversations with calls
/// (<https://api-docs.deepseek.com/guides/thinking_mode>).
pub(super) const REASONING: &str = "reasoning_content";
/// Field of thinking on OpenRouter, with the signatures that Gemini and Claude require
/// (<https://openrouter.ai/docs/use-cases/reasoning-tokens>).
pub(super) const DETAILS: &str = "reasoning_details";
/// All fields of thinking.
pub(super) const THINKING: [&str; 2] = [REASONING, DETAILS];

/// Removes the thinking.
pub(super) fn forget_thinking(messages: &mut [Value]) {
    for message in messages.iter_mut().filter_map(Value::as_object_mut) {
        message.retain(|name, _| !THINKING.contains(&name.as_str()));
    }
}

/// Removes members that a server added for its own model.
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

/// Access to its messages for shortening.
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
    // Without pictures it becomes a plain text again, for servers that do not accept lists.
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

/// Makes the message the first; results are messages of their own.
fn begin(message: &mut Value) -> bool {
    message["role"] == "user"
}

/// Result of a call in an answer whose `broken` calls cannot be parsed.
pub(super) fn unreadable_result(id: &str, broken: &[String]) -> Value {
    result(id, &messages::unreadable_result(id, broken).to_string())
}
