//! Assembles an answer of chat completions from its chunks.

use serde_json::{Map, Value, json};

use super::message::{DETAILS, REASONING};
use crate::{
    EventSink,
    models::{
        Tokens,
        events::Events,
        messages::{self, Ids},
        wire::WireError,
    },
};

/// Maximum calls of one answer.
const CALLS_MAX: usize = 64;

/// An answer, assembled from chunks.
#[derive(Default)]
pub(super) struct Reply {
    text: String,
    opening: Opening,
    /// Bytes of the text already sent or skipped.
    sent_bytes: usize,
    /// Thinking that some servers report and require back.
    reasoning: String,
    details: Vec<Value>,
    refusal: String,
    calls: Vec<Call>,
    finish_reason: String,
    usage: Value,
}

/// An incomplete call.
struct Call {
    index: Option<u64>,
    /// As received, with a server's extra members.
    value: Map<String, Value>,
    name: String,
    arguments: String,
}

impl Reply {
    /// Reads the whole stream; sends text as it arrives.
    pub(super) fn read(mut events: Events, sink: &EventSink) -> Result<Self, WireError> {
        let mut reply = Self::default();
        while let Some(chunk) = events.next() {
            let chunk = match chunk {
                // The answer is complete without the rest.
                Err(WireError::Disconnected(_) | WireError::Timeout)
                    if !reply.finish_reason.is_empty() =>
                {
                    break;
                }
                chunk => chunk?,
            };
            reply.take(&chunk)?;
            if let Some(at) = reply.opening.at(&reply.text) {
                reply.send_new_text(at, sink);
            }
        }
        reply.send_new_text(reply.text.len() - without_thoughts(&reply.text).len(), sink);
        let has_any = !reply.text.is_empty() || !reply.calls.is_empty();
        if reply.finish_reason.is_empty() && has_any && events.is_done() {
            // Some servers give no reason.
            "stop".clone_into(&mut reply.finish_reason);
        }
        match reply.finish_reason.as_str() {
            "" => Err(WireError::Disconnected("the answer ended before its end".to_owned())),
            // Mistral, OpenRouter and DeepSeek.
            why @ ("error" | "insufficient_system_resource") => {
                Err(WireError::Disconnected(format!("the answer was broken off: {why}")))
            }
            _ => Ok(reply),
        }
    }

    /// Sends new text for people, which begins at `at`.
    fn send_new_text(&mut self, at: usize, sink: &EventSink) {
        let new = &self.text[at.max(self.sent_bytes)..];
        if !new.is_empty() {
            sink.send_text(new);
        }
        self.sent_bytes = self.text.len();
    }

    /// Takes one chunk.
    pub(super) fn take(&mut self, chunk: &Value) -> Result<(), WireError> {
        if chunk["usage"].is_object() {
            self.usage = chunk["usage"].clone();
        }
        // The chunk with the usage has no choice.
        let choice = &chunk["choices"][0];
        if let Some(reason) = choice["finish_reason"].as_str().filter(|it| !it.is_empty()) {
            reason.clone_into(&mut self.finish_reason);
        }
        // Without streaming, the answer is a `message`.
        let delta = choice.get("delta").unwrap_or(&choice["message"]);
        let piece = |name: &str| delta[name].as_str().unwrap_or_default();
        self.refusal.push_str(piece("refusal"));
        self.reasoning.push_str(piece(REASONING));
        self.text.push_str(piece("content"));
        // Mistral's thinking models: thoughts and text are pieces of a list.
        let pieces = delta["content"].as_array().into_iter().flatten();
        for text in pieces.filter(|it| it["type"] == "text") {
            self.text.push_str(text["text"].as_str().unwrap_or_default());
        }
        for detail in delta[DETAILS].as_array().into_iter().flatten() {
            self.detail(detail);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(call)?;
        }
        Ok(())
    }

    /// Adds a piece of thinking, to the previous one of the same kind; encrypted ones are whole.
    fn detail(&mut self, piece: &Value) {
        let is_same = |detail: &&mut Value| {
            piece["type"] != "reasoning.encrypted"
                && ["type", "index"].iter().all(|name| detail[*name] == piece[*name])
        };
        let last = self.details.last_mut().filter(is_same).and_then(Value::as_object_mut);
        let (Some(last), Some(piece)) = (last, piece.as_object()) else {
            self.details.push(piece.clone());
            return;
        };
        for (name, value) in piece.iter().filter(|it| !it.1.is_null()) {
            match (last.get_mut(name), value) {
                (Some(Value::String(whole)), Value::String(more))
                    if matches!(name.as_str(), "text" | "summary") =>
                {
                    whole.push_str(more);
                }
                _ => drop(last.insert(name.clone(), value.clone())),
            }
        }
    }

    fn call(&mut self, piece: &Value) -> Result<(), WireError> {
        let at = self.place(piece);
        if at >= CALLS_MAX {
            return Err(WireError::Unreadable("the answer has too many calls".to_owned()));
        }
        if at == self.calls.len() {
            let index = piece["index"].as_u64();
            let (value, name, arguments) = Default::default();
            self.calls.push(Call { index, value, name, arguments });
        }
        let call = &mut self.calls[at];
        for (name, value) in piece.as_object().into_iter().flatten() {
            let is_empty = value.is_null() || value == "";
            if !is_empty && !matches!(name.as_str(), "index" | "function") {
                call.value.insert(name.clone(), value.clone());
            }
        }
        let function = &piece["function"];
        // The name is whole, and some servers repeat it in each piece.
        if call.name.is_empty() {
            function["name"].as_str().unwrap_or_default().clone_into(&mut call.name);
        }
        match &function["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            // Not as documented, but unambiguous.
            Value::Object(all) => call.arguments = Value::Object(all.clone()).to_string(),
            _ => {}
        }
        Ok(())
    }

    /// Finds the call of a piece by its index. Ollama has sent whole calls with the same index, and some
    /// servers send none.
    fn place(&self, piece: &Value) -> usize {
        let index = piece["index"].as_u64();
        let at = self.calls.iter().rposition(|it| index.is_none() || it.index == index);
        let Some(at) = at else { return self.calls.len() };
        let call = &self.calls[at];
        let id = piece["id"].as_str().filter(|it| !it.is_empty());
        let is_other_id = id.is_some_and(|id| call.value.get("id").is_some_and(|it| it != id));
        let function = &piece["function"];
        let name = function["name"].as_str().filter(|it| !it.is_empty());
        // A server that repeats the name continues the call.
        let has_more = !function["arguments"].is_null() && function["arguments"] != "";
        let is_next = name.is_some_and(|it| has_more || it != call.name);
        let is_whole = serde_json::from_str::<Map<_, _>>(&call.arguments).is_ok();
        match is_other_id || id.is_none() && is_whole && is_next {
            true => self.calls.len(),
            false => at,
        }
    }

    /// Whether the answer was truncated; `model_length` is Mistral's name for a full context.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.finish_reason.as_str(), "length" | "model_length")
    }

    /// Returns the reason if content rules blocked the answer.
    pub(super) fn blocked(&self) -> Option<String> {
        if self.finish_reason == "content_filter" {
            return Some("content_filter: the provider left the answer out".to_owned());
        }
        let is_refused = !self.refusal.is_empty() && self.text.is_empty() && self.calls.is_empty();
        is_refused
            .then(|| format!("refusal: {}", self.refusal.chars().take(300).collect::<String>()))
    }

    /// Returns the assistant's message to send back after `before`, and its calls with unparsable
    /// arguments. Drops incomplete calls of a truncated answer. Calls without a unique id get a new one.
    pub(super) fn message(self, before: &[Value]) -> (Value, Vec<String>) {
        let is_cut = self.is_cut();
        let mut message = json!({ "role": "assistant", "content": null });
        if !self.text.trim().is_empty() {
            message["content"] = self.text.into();
        }
        if !self.reasoning.is_empty() {
            message[REASONING] = self.reasoning.into();
        }
        if !self.details.is_empty() {
            message[DETAILS] = self.details.into();
        }
        let earlier = before.iter().filter_map(|it| it["tool_calls"].as_array()).flatten();
        let mut ids = Ids::new(earlier, before.len());
        let (mut calls, mut broken): (Vec<Value>, Vec<String>) = Default::default();
        for mut call in self.calls.into_iter().take(if is_cut { 0 } else { CALLS_MAX }) {
            let id = ids.assign(&json!(call.value));
            let arguments = match call.arguments.trim() {
                "" | "null" => "{}",
                other => other,
            };
            let arguments = match serde_json::from_str::<Map<String, Value>>(arguments) {
                Ok(_) => arguments,
                Err(_) => {
                    broken.push(id.clone());
                    // Servers parse it when it comes back, and fail as a whole.
                    "{}"
                }
            };
            let name = messages::returnable(&call.name, &[]);
            let function = json!({ "name": name, "arguments": arguments });
            call.value.insert("id".to_owned(), id.into());
            call.value.insert("type".to_owned(), "function".into());
            call.value.insert("function".to_owned(), function);
            calls.push(Value::Object(call.value));
        }
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        (message, broken)
    }

    /// Tokens, as far as the server counts them.
    pub(super) fn tokens(&self) -> Tokens {
        let count = |name: &str| self.usage[name].as_u64().unwrap_or_default();
        let cached = self.usage["prompt_tokens_details"]["cached_tokens"].as_u64();
        let cached = cached.unwrap_or_default();
        let fresh = count("prompt_tokens").saturating_sub(cached);
        Tokens { fresh, caching: 0, cached, output: count("completion_tokens") }
    }
}

/// Parses a chunk as an error, with the status it would have had before the stream.
pub(super) fn error_of(chunk: &Value) -> Option<WireError> {
    let error = Some(&chunk["error"]).filter(|it| it.is_object() || it.is_string())?;
    let code = &error["code"];
    // Azure writes the code as text.
    let status = code.as_u64().or_else(|| code.as_str()?.parse().ok());
    let status = status.and_then(|it| u16::try_from(it).ok());
    let is_rate = ["code", "type"].iter().any(|key| {
        error[key]
            .as_str()
            .is_some_and(|it| it.contains("rate_limit") || it == "insufficient_quota")
    });
    let status = status.unwrap_or(if is_rate { 429 } else { 500 });
    let text = error["message"].as_str().or(error.as_str()).unwrap_or_default();
    let text = text.chars().take(500).collect();
    Some(WireError::Status { status, retry_after_s: None, body: error.clone(), text })
}

// Thinking within the text of an answer, which local servers put at its beginning.
const BEGINS: &str = "<think>";
const ENDS: &str = "</think>";

/// Finds the beginning of the text for people in a growing answer.
#[derive(Default)]
pub(super) struct Opening {
    /// Bytes already searched for the end of the thinking.
    searched: usize,
    /// End of the thinking.
    end: Option<usize>,
    at: Option<usize>,
}

impl Opening {
    /// Returns the position in `text`, which only grows; `None` while the thinking may still go on.
    pub(super) fn at(&mut self, text: &str) -> Option<usize> {
        if self.at.is_none() {
            let start = text.trim_start();
            if !start.starts_with(BEGINS) {
                self.at = (!BEGINS.starts_with(start)).then_some(0);
            } else if let Some(end) = self.end(text) {
                let rest = text[end..].trim_start();
                self.at = (!rest.is_empty()).then(|| text.len() - rest.len());
            }
        }
        self.at
    }

    fn end(&mut self, text: &str) -> Option<usize> {
        if self.end.is_none() {
            let found = text[self.searched..].find(ENDS);
            self.end = found.map(|it| self.searched + it + ENDS.len());
            self.searched = text.floor_char_boundary(text.len().saturating_sub(ENDS.len()));
        }
        self.end
    }
}

/// Returns the part of a whole `text` that is for people.
pub(super) fn without_thoughts(text: &str) -> &str {
    match Opening::default().at(text) {
        Some(at) => &text[at..],
        None if text.trim_start().starts_with(BEGINS) => "",
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_leading_thoughts_in_any_chunking() {
        for (text, expected) in [
            ("はい", "はい"),
            ("<think>窓</think>はい", "はい"),
            ("\n<think>\n<b></thin</think>\n\nはい <think>x</think>", "はい <think>x</think>"),
            ("a <think>b</think>", "a <think>b</think>"),
            ("<thin", "<thin"),
            ("<think>窓", ""),
            ("<think>窓</think>\n", ""),
        ] {
            assert_eq!(without_thoughts(text), expected, "{text:?}");
            let (mut opening, mut come, mut sent_bytes) = (Opening::default(), String::new(), 0);
            let mut all = String::new();
            for piece in text.chars() {
                come.push(piece);
                if let Some(at) = opening.at(&come) {
                    all.push_str(&come[at.max(sent_bytes)..]);
                    sent_bytes = come.len();
                }
            }
            assert!(all == expected || sent_bytes == 0 && all.is_empty(), "{text:?}: {all:?}");
        }
    }
}
