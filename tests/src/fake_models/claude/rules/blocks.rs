//! Rules for conversations: turns, calls and their results, thinking, pictures. Pages are those of
//! platform.claude.com/docs/en.

use serde_json::Value;

use super::{Judged, bad};
use crate::fake_models::{Broken, unknown_field};

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
