//! One answer of Claude's, put together from the events of its stream as they come.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::message::is_thinking;
use crate::{
    Teller,
    models::{events::Events, names::Ids, price::Tokens, wire::WireError},
};

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
