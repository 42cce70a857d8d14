//! One answer of chat completions, put together from its chunks as they come.

use serde_json::{Map, Value, json};

use crate::{
    ModelError, Teller, Why,
    models::{Tokens, events::Events, messages::Ids, wire::WireError},
};

/// Calls of one answer.
const CALLS_MAX: usize = 64;
/// The field in which thinking comes and goes back: DeepSeek refuses a conversation with calls that lacks it
/// (<https://api-docs.deepseek.com/guides/thinking_mode>).
const REASONING: &str = "reasoning_content";
/// The same as OpenRouter has it, with the signatures that Gemini and Claude refuse a conversation with calls without
/// (<https://openrouter.ai/docs/use-cases/reasoning-tokens>).
const DETAILS: &str = "reasoning_details";

/// An answer in the making, and at last the whole of it.
#[derive(Default)]
pub(super) struct Reply {
    text: String,
    opening: Opening,
    /// Bytes of the text that went to the person, or never will.
    told: usize,
    /// What some servers tell of its thinking, which they want back with the message.
    reasoning: String,
    details: Vec<Value>,
    refusal: String,
    calls: Vec<Call>,
    finish_reason: String,
    usage: Value,
}

/// A call in the making.
struct Call {
    index: Option<u64>,
    /// As it came, with what a server adds of its own.
    value: Map<String, Value>,
    name: String,
    arguments: String,
}

impl Reply {
    /// Reads all of it; text is passed on as it comes.
    pub(super) fn read(mut events: Events, teller: &Teller) -> Result<Self, WireError> {
        let mut reply = Self::default();
        while let Some(chunk) = events.next() {
            let chunk = match chunk {
                // Nothing is lost that it says.
                Err(WireError::Lost(_) | WireError::Late) if !reply.finish_reason.is_empty() => {
                    break;
                }
                chunk => chunk?,
            };
            reply.take(&chunk)?;
            if let Some(at) = reply.opening.at(&reply.text) {
                reply.tell(at, teller);
            }
        }
        reply.tell(reply.text.len() - spoken(&reply.text).len(), teller);
        // Some servers end without a last event, others with one: `finish_reason` shows that it is whole.
        match reply.finish_reason.as_str() {
            "" => Err(WireError::Lost("the answer ended before its end".to_owned())),
            // Of Mistral and OpenRouter, and of DeepSeek.
            why @ ("error" | "insufficient_system_resource") => {
                Err(WireError::Lost(format!("the answer was broken off: {why}")))
            }
            _ => Ok(reply),
        }
    }

    /// Passes on what is new of the text for people, which begins at `at`.
    fn tell(&mut self, at: usize, teller: &Teller) {
        let new = &self.text[at.max(self.told)..];
        if !new.is_empty() {
            teller.say(new);
        }
        self.told = self.text.len();
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
        // One that comes whole is a message.
        let delta = choice.get("delta").unwrap_or(&choice["message"]);
        let piece = |name: &str| delta[name].as_str().unwrap_or_default();
        self.refusal.push_str(piece("refusal"));
        self.reasoning.push_str(piece(REASONING));
        self.text.push_str(piece("content"));
        // A model that thinks, as Mistral serves it: its thoughts and its text are pieces of a list.
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

    /// A piece of a thought goes to the one before it, where that is of the same; what is encrypted comes whole.
    fn detail(&mut self, piece: &Value) {
        let is_same = |it: &&mut Value| {
            piece["type"] != "reasoning.encrypted"
                && ["type", "index"].iter().all(|name| it[*name] == piece[*name])
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
        // It comes whole, with some servers in each piece.
        if call.name.is_empty() {
            function["name"].as_str().unwrap_or_default().clone_into(&mut call.name);
        }
        match &function["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            // Not as documented, and yet clear.
            Value::Object(all) => call.arguments = Value::Object(all.clone()).to_string(),
            _ => {}
        }
        Ok(())
    }

    /// Which call a piece belongs to. By its index; but Ollama has sent all whole calls with the same
    /// one, and some send none.
    fn place(&self, piece: &Value) -> usize {
        let index = piece["index"].as_u64();
        let at = self.calls.iter().rposition(|it| index.is_none() || it.index == index);
        let Some(at) = at else { return self.calls.len() };
        let call = &self.calls[at];
        let id = piece["id"].as_str().filter(|it| !it.is_empty());
        let is_other_id = id.is_some_and(|id| call.value.get("id").is_some_and(|it| it != id));
        let function = &piece["function"];
        let name = function["name"].as_str().filter(|it| !it.is_empty());
        // Where each piece has the name, one without arguments begins nothing.
        let has_more = !function["arguments"].is_null() && function["arguments"] != "";
        let is_next = name.is_some_and(|it| has_more || it != call.name);
        let is_whole = serde_json::from_str::<Map<_, _>>(&call.arguments).is_ok();
        match is_other_id || id.is_none() && is_whole && is_next {
            true => self.calls.len(),
            false => at,
        }
    }

    /// Whether it ends where its length does; `model_length` is what Mistral calls the end of the context.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.finish_reason.as_str(), "length" | "model_length")
    }

    /// Why there is no answer, where its provider's rules on content are the reason.
    pub(super) fn blocked(&self) -> Option<String> {
        if self.finish_reason == "content_filter" {
            return Some("content_filter: the provider left the answer out".to_owned());
        }
        let is_refused = !self.refusal.is_empty() && self.text.is_empty() && self.calls.is_empty();
        is_refused
            .then(|| format!("refusal: {}", self.refusal.chars().take(300).collect::<String>()))
    }

    /// The assistant's message as it goes back after those `before`, and the calls in it whose arguments cannot be read. Of
    /// an answer that was cut, calls are left out: they are incomplete. A call without an id of its own, which no
    /// other call of the conversation has, is given one.
    pub(super) fn message(self, before: &[Value]) -> Result<(Value, Vec<String>), ModelError> {
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
            if call.name.is_empty() {
                return Err(ModelError::new(Why::Failed, "a call has no name"));
            }
            let id = ids.of(&json!(call.value));
            let arguments = match call.arguments.trim() {
                "" | "null" => "{}",
                other => other,
            };
            let arguments = match serde_json::from_str::<Map<String, Value>>(arguments) {
                Ok(_) => arguments,
                Err(_) => {
                    broken.push(id.clone());
                    // Servers read it again when it comes back, and fail as a whole.
                    "{}"
                }
            };
            let function = json!({ "name": call.name, "arguments": arguments });
            call.value.insert("id".to_owned(), id.into());
            call.value.insert("type".to_owned(), "function".into());
            call.value.insert("function".to_owned(), function);
            calls.push(Value::Object(call.value));
        }
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        Ok((message, broken))
    }

    /// What it took, as far as the server says.
    pub(super) fn tokens(&self) -> Tokens {
        let count = |name: &str| self.usage[name].as_u64().unwrap_or_default();
        let cached = self.usage["prompt_tokens_details"]["cached_tokens"].as_u64();
        let cached = cached.unwrap_or_default();
        let fresh = count("prompt_tokens").saturating_sub(cached);
        Tokens { fresh, caching: 0, cached, output: count("completion_tokens") }
    }
}

/// The error that a chunk is, with the status that it would have had before the stream began.
pub(super) fn error_of(chunk: &Value) -> Option<WireError> {
    let error = Some(&chunk["error"]).filter(|it| it.is_object() || it.is_string())?;
    let code = &error["code"];
    // Azure writes it as a text.
    let status = code.as_u64().or_else(|| code.as_str()?.parse().ok());
    let status = status.and_then(|it| u16::try_from(it).ok());
    let is_rate = ["code", "type"].iter().any(|it| {
        error[it].as_str().is_some_and(|it| it.contains("rate_limit") || it == "insufficient_quota")
    });
    let status = status.unwrap_or(if is_rate { 429 } else { 500 });
    let text = error["message"].as_str().or(error.as_str()).unwrap_or_default();
    let text = text.chars().take(500).collect();
    Some(WireError::Status { status, retry_after_s: None, body: error.clone(), text })
}

// What a server writes of its model's thinking into the text of an answer: local ones do, at its beginning.
const BEGINS: &str = "<think>";
const ENDS: &str = "</think>";

/// Where the text for people begins in an answer that comes piece by piece.
#[derive(Default)]
pub(super) struct Opening {
    /// Bytes that were looked through for the end of a thought.
    searched: usize,
    /// Where the thought ends.
    end: Option<usize>,
    at: Option<usize>,
}

impl Opening {
    /// Its place in `text`, which only grows; none, as long as there may be a thought and nothing after it.
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

/// What of a whole `text` is for people.
pub(super) fn spoken(text: &str) -> &str {
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
    fn a_thought_at_the_beginning_is_not_spoken_however_it_comes() {
        for (text, expected) in [
            ("はい", "はい"),
            ("<think>窓</think>はい", "はい"),
            ("\n<think>\n<b></thin</think>\n\nはい <think>x</think>", "はい <think>x</think>"),
            ("a <think>b</think>", "a <think>b</think>"),
            ("<thin", "<thin"),
            ("<think>窓", ""),
            ("<think>窓</think>\n", ""),
        ] {
            assert_eq!(spoken(text), expected, "{text:?}");
            let (mut opening, mut come, mut told) = (Opening::default(), String::new(), 0);
            let mut all = String::new();
            for piece in text.chars() {
                come.push(piece);
                if let Some(at) = opening.at(&come) {
                    all.push_str(&come[at.max(told)..]);
                    told = come.len();
                }
            }
            assert!(all == expected || told == 0 && all.is_empty(), "{text:?}: {all:?}");
        }
    }
}
