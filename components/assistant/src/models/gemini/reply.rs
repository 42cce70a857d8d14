//! Assembles an answer of Gemini's from its pieces, and converts its errors (ILL-42).

use serde_json::Value;

use crate::{
    Body, ErrorKind, ModelError, Part,
    models::{
        Tokens, messages,
        wire::{WireError, retry_delay},
    },
};

/// Maximum parts of one answer.
const PARTS_MAX: usize = 4_000;
/// Finish reason of a truncated answer.
const CUT: &str = "MAX_TOKENS";
/// Characters of a tool's name that it takes beside those of all
/// (<https://ai.google.dev/api/caching#FunctionDeclaration>).
const NAME_CHARS: &[char] = &['.', ':'];
/// Finish reasons for a malformed call, which may succeed on a retry.
const MALFORMED: &[&str] = &["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];
/// Finish reasons of blocked answers
/// (<https://ai.google.dev/api/generate-content#FinishReason>).
const BLOCKED: &[&str] = &[
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
];

/// One answer of Gemini's.
#[derive(Debug, Default)]
pub(in crate::models) struct Reply {
    /// Its parts as received, in order; only plain texts are joined.
    pub(in crate::models) parts: Vec<Value>,
    finish: Option<String>,
    refused: Option<String>,
    usage: Value,
}

impl Reply {
    /// Adds one piece; returns what it has for people.
    pub(super) fn take(&mut self, piece: &Value) -> Result<Vec<Part>, WireError> {
        if let Some(reason) = piece.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            self.refused = Some(reason.to_owned());
        }
        if piece["usageMetadata"].is_object() {
            // Counts are cumulative.
            self.usage = piece["usageMetadata"].clone();
        }
        let candidate = &piece["candidates"][0];
        if let Some(reason) = candidate["finishReason"].as_str() {
            self.finish = Some(reason.to_owned());
        }
        let parts = candidate["content"]["parts"].as_array();
        let mut shown = Vec::new();
        for part in parts.into_iter().flatten().filter(|it| it.is_object()) {
            shown.extend(for_people(part));
            self.add(part);
        }
        match self.parts.len() <= PARTS_MAX {
            true => Ok(shown),
            false => Err(WireError::Unreadable("the answer has too many parts".to_owned())),
        }
    }

    /// Adds a part. Signed parts are never joined (ILL-27); an empty text without a signature is dropped,
    /// because it would be refused when sent back.
    fn add(&mut self, part: &Value) {
        if plain(part) == Some("") {
            return;
        }
        if let (Some(last), Some(text)) = (self.parts.last_mut(), plain(part))
            && plain(last).is_some()
            && is_thought(last) == is_thought(part)
        {
            let whole = format!("{}{text}", plain(last).unwrap_or_default());
            last["text"] = whole.into();
            return;
        }
        let mut part = part.clone();
        if let Some(call) = part.get_mut("functionCall").and_then(Value::as_object_mut) {
            let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
            let name = messages::returnable(name, NAME_CHARS).into();
            call.insert("name".to_owned(), name);
        }
        self.parts.push(part);
    }

    /// Finish reason; empty while there is none.
    pub(in crate::models) fn finish(&self) -> &str {
        self.finish.as_deref().unwrap_or_default()
    }

    /// Whether the answer was truncated.
    pub(in crate::models) fn is_cut(&self) -> bool {
        self.finish() == CUT
    }

    /// Whether it is complete.
    pub(super) fn has_ended(&self) -> bool {
        self.finish.is_some() || self.refused.is_some()
    }

    /// Whether it has anything for the person.
    pub(super) fn has_text(&self) -> bool {
        let is_seen = |it: Part| !matches!(it.body, Body::Text(text) if text.trim().is_empty());
        self.parts.iter().filter_map(for_people).any(is_seen)
    }

    /// Whether it calls a tool.
    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(is_call)
    }

    /// Drops its calls, of which a truncated answer has not all.
    pub(super) fn drop_calls(&mut self) {
        self.parts.retain(|it| !is_call(it));
    }

    /// Whether a call cannot be parsed: it failed at the model, its arguments are no object, or come in pieces.
    pub(super) fn is_malformed(&self) -> bool {
        let is_whole = |call: &Value| {
            matches!(call["args"], Value::Object(_) | Value::Null) && call["willContinue"] != true
        };
        let mut calls = self.parts.iter().filter_map(|it| it.get("functionCall"));
        MALFORMED.contains(&self.finish()) || !calls.all(is_whole)
    }

    /// Returns an error if content rules blocked the answer (ILL-42).
    pub(in crate::models) fn blocked(&self) -> Option<ModelError> {
        let reason = self.refused.as_deref().or(self.finish.as_deref())?;
        let is_blocked = self.refused.is_some() || BLOCKED.contains(&reason);
        is_blocked.then(|| ModelError::new(ErrorKind::Blocked, format!("blocked: {reason}")))
    }

    /// The tokens that the answer took.
    pub(in crate::models) fn tokens(&self) -> Tokens {
        let count = |name: &str| self.usage[name].as_u64().unwrap_or(0);
        let input = count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount"));
        let cached = count("cachedContentTokenCount");
        Tokens {
            fresh: input.saturating_sub(cached),
            caching: 0,
            cached,
            output: count("candidatesTokenCount").saturating_add(count("thoughtsTokenCount")),
        }
    }
}

/// Filters `parts` for people, with their signatures (ILL-41).
pub(in crate::models) fn parts_of(parts: &[Value]) -> Vec<Part> {
    parts.iter().filter_map(for_people).collect()
}

/// A text or a picture that is no thought.
fn for_people(part: &Value) -> Option<Part> {
    if is_thought(part) {
        return None;
    }
    let signature = part["thoughtSignature"].as_str().map(str::to_owned);
    let image = &part["inlineData"];
    let read = match (part["text"].as_str(), image["mimeType"].as_str(), image["data"].as_str()) {
        (Some(text), ..) if text.is_empty() && signature.is_none() => return None,
        (Some(text), ..) => Part::text(text),
        (_, Some(mime_type), Some(data)) => Part::picture(mime_type, data),
        _ => return None,
    };
    Some(Part { signature, ..read })
}

fn is_call(part: &Value) -> bool {
    part.get("functionCall").is_some()
}

fn is_thought(part: &Value) -> bool {
    part["thought"] == true
}

/// The text of a part that has nothing else.
fn plain(part: &Value) -> Option<&str> {
    let is_only = |it: &serde_json::Map<_, _>| it.keys().all(|it| it == "text" || it == "thought");
    part.as_object().filter(|it| is_only(it))?.get("text")?.as_str()
}

// Converts Gemini's errors (ILL-42).

/// Converts an error (<https://ai.google.dev/gemini-api/docs/troubleshooting>).
/// A missing model counts as unable to make pictures if `draws`.
pub(super) fn model_error(error: &WireError, draws: bool) -> ModelError {
    let mut model_error = error.model_error();
    let WireError::Status { status, body, text, .. } = error else { return model_error };
    let details = body.pointer("/error/details").or_else(|| body.pointer("/0/error/details"));
    let details: &[Value] = details.and_then(Value::as_array).map_or(&[], Vec::as_slice);
    // An invalid key has status 400 here.
    let is_key = |it: &Value| it["reason"].as_str().is_some_and(|it| it.starts_with("API_KEY_"));
    if *status == 400 && (details.iter().any(is_key) || text.contains("API key not valid")) {
        model_error.kind = ErrorKind::Key;
    }
    if draws && (*status == 404 || *status == 400 && is_about_pictures(text)) {
        model_error.kind = ErrorKind::NoPictures;
    }
    model_error
}

/// Parses a piece of a stream as an error.
pub(super) fn of_piece(piece: &Value) -> Option<WireError> {
    let status = u16::try_from(piece.pointer("/error/code")?.as_u64()?).unwrap_or(500);
    let text = piece["error"]["message"].as_str().unwrap_or_default().to_owned();
    let (retry_after_s, body) = (retry_delay(piece), piece.clone());
    Some(WireError::Status { status, retry_after_s, body, text })
}

/// Whether an error says that the model makes no pictures.
fn is_about_pictures(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("response modalities") || text.contains("image generation is not")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn piece(parts: Value) -> Value {
        json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] })
    }

    #[test]
    fn joins_texts_but_not_signed_parts() {
        let mut reply = Reply::default();
        let mut shown = Vec::new();
        for parts in [
            json!([{ "text": "hm", "thought": true }]),
            json!([{ "text": "青", "thought": true }, { "text": "い" }]),
            json!([{ "text": "カード" }]),
            json!([{ "text": "", "thoughtSignature": "c2ln" }]),
            json!([{ "functionCall": { "name": "f", "args": {} }, "thoughtSignature": "YQ==" }, { "text": "" }]),
            json!([{ "text": "", "thought": true }]),
        ] {
            shown.extend(reply.take(&piece(parts)).unwrap());
        }
        let whole = json!([
            { "text": "hm青", "thought": true }, { "text": "いカード" },
            { "text": "", "thoughtSignature": "c2ln" },
            { "functionCall": { "name": "f", "args": {} }, "thoughtSignature": "YQ==" },
        ]);
        assert_eq!(Value::from(reply.parts), whole, "ILL-27");
        let texts = [Part::text("い"), Part::text("カード")];
        assert_eq!(shown[..2], texts, "a thought is not told");
        assert!(reply.finish.is_none());
    }

    #[test]
    fn call_of_what_is_no_name_can_be_sent_back() {
        let mut reply = Reply::default();
        let call = |name: &str| json!({ "functionCall": { "name": name, "args": { "a": 1 } }, "thoughtSignature": "c2ln" });
        let unnamed = json!({ "functionCall": { "args": { "a": 1 } }, "thoughtSignature": "c2ln" });
        let parts = json!([call("default_api:find"), call("find<|x|>"), call(""), unnamed]);
        reply.take(&piece(parts)).unwrap();
        let sent = ["default_api:find", "find__x__", "_", "_"].map(call);
        assert_eq!(reply.parts, sent, "ILL-27: all else is verbatim");
    }

    #[test]
    fn call_without_all_its_arguments_is_malformed() {
        for (call, is_malformed) in [
            (json!({ "name": "f", "args": { "a": 1 } }), false),
            (json!({ "name": "f" }), false),
            (json!({ "name": "f", "args": null }), false),
            (json!({ "name": "f", "args": [1] }), true),
            (json!({ "name": "f", "args": "{}" }), true),
            (json!({ "name": "f", "args": {}, "willContinue": true }), true),
        ] {
            let mut reply = Reply::default();
            reply.take(&piece(json!([{ "functionCall": call }]))).unwrap();
            assert_eq!(reply.is_malformed(), is_malformed, "{call}");
        }
    }

    #[test]
    fn blank_text_is_no_answer() {
        for (parts, has_text) in [
            (json!([{ "text": "\n" }]), false),
            (json!([{ "text": "", "thoughtSignature": "c2ln" }]), false),
            (json!([{ "text": "はい" }]), true),
            (json!([{ "inlineData": { "mimeType": "image/png", "data": "AAAA" } }]), true),
        ] {
            let mut reply = Reply::default();
            reply.take(&piece(parts.clone())).unwrap();
            assert_eq!(reply.has_text(), has_text, "{parts}");
        }
    }

    #[test]
    fn inline_data_of_another_kind_is_no_picture() {
        let part = json!({ "inlineData": { "mimeType": "text/html", "data": "AAAA" } });
        let read = for_people(&part).unwrap();
        assert!(matches!(read.body, Body::Text(it) if it.contains("text/html")));
    }

    #[test]
    fn blocked_answer_is_reported_and_counted() {
        for piece in [
            json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } }),
            json!({ "candidates": [{ "finishReason": "IMAGE_SAFETY" }] }),
        ] {
            let mut reply = Reply::default();
            reply.take(&piece).unwrap();
            assert_eq!(reply.blocked().map(|it| it.kind), Some(ErrorKind::Blocked), "ILL-42");
        }
        let mut reply = Reply::default();
        let usage = json!({ "promptTokenCount": 1_000_000, "cachedContentTokenCount": 5,
            "candidatesTokenCount": 400_000, "thoughtsTokenCount": 100_000 });
        reply
            .take(&json!({ "candidates": [{ "finishReason": "STOP" }], "usageMetadata": usage }))
            .unwrap();
        assert_eq!(reply.blocked(), None);
        let tokens = reply.tokens();
        assert_eq!((tokens.fresh, tokens.cached, tokens.output), (999_995, 5, 500_000));
    }

    #[test]
    fn maps_each_error_to_its_kind() {
        let key = json!({ "error": { "details": [{ "reason": "API_KEY_INVALID" }] } });
        for (status, body, text, why) in [
            (400, key, "", ErrorKind::Key),
            (403, json!({}), "", ErrorKind::Key),
            (429, json!({}), "", ErrorKind::RateLimited),
            (504, json!({}), "", ErrorKind::Slow),
            (503, json!({}), "", ErrorKind::Failed),
            (404, json!({}), "", ErrorKind::NoPictures),
            (413, json!({}), "", ErrorKind::TooLong),
            (400, json!({}), "contents is not specified", ErrorKind::Refused),
            (
                400,
                json!({}),
                "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
                ErrorKind::TooLong,
            ),
            (
                400,
                json!({}),
                "Model does not support the requested response modalities: image,text",
                ErrorKind::NoPictures,
            ),
        ] {
            let text = text.to_owned();
            let error = WireError::Status { status, retry_after_s: None, body, text };
            assert_eq!(model_error(&error, true).kind, why, "{error:?}");
        }
    }
}
