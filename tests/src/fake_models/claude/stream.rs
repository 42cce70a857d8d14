//! A message as a stream of events, in the documented order
//! (platform.claude.com/docs/en/build-with-claude/streaming, "Event types").

use serde_json::{Value, json};

use crate::fake_models::Sse;

/// Characters of one piece: short, so that clients must join pieces.
const PIECE: usize = 7;

fn event(name: &'static str, mut data: Value) -> Sse {
    data["type"] = name.into();
    Sse { name: Some(name), data: data.to_string() }
}

pub(super) fn events(message: &Value) -> Vec<Sse> {
    let mut start = message.clone();
    (start["content"], start["stop_reason"]) = (json!([]), Value::Null);
    // Counts begin low and end with those of the whole ("message_delta … are cumulative").
    start["usage"]["output_tokens"] = 1.into();
    let mut events = vec![event("message_start", json!({ "message": start }))];
    let blocks = message["content"].as_array().into_iter().flatten();
    let count = blocks.clone().count();
    for (index, block) in blocks.enumerate() {
        // Where the length ends in the middle of a call, the call has no end.
        let is_cut = message["stop_reason"] == "max_tokens"
            && block["type"] == "tool_use"
            && index + 1 == count;
        let (empty, deltas) = pieces(block);
        let start = json!({ "index": index, "content_block": empty });
        events.push(event("content_block_start", start));
        if index == 0 {
            // "Event streams may also include any number of ping events."
            events.push(event("ping", json!({})));
        }
        let most = if is_cut { deltas.len() / 2 } else { deltas.len() };
        let deltas = deltas.into_iter().take(most);
        events.extend(
            deltas.map(|it| event("content_block_delta", json!({ "index": index, "delta": it }))),
        );
        if !is_cut {
            events.push(event("content_block_stop", json!({ "index": index })));
        }
    }
    let delta = json!({
        "stop_reason": message["stop_reason"], "stop_sequence": null,
        "stop_details": message["stop_details"],
    });
    events.push(event("message_delta", json!({ "delta": delta, "usage": message["usage"] })));
    events.push(event("message_stop", json!({})));
    events
}

/// The start of a block and its deltas.
fn pieces(block: &Value) -> (Value, Vec<Value>) {
    let mut empty = block.clone();
    let of = |name: &str, kind: &str, field: &str| -> Vec<Value> {
        let text = block[name].as_str().unwrap_or_default();
        cut(text).map(|it| json!({ "type": kind, field: it })).collect()
    };
    match block["type"].as_str() {
        Some("text") => {
            empty["text"] = "".into();
            (empty, of("text", "text_delta", "text"))
        }
        Some("thinking") => {
            (empty["thinking"], empty["signature"]) = ("".into(), "".into());
            let mut deltas = of("thinking", "thinking_delta", "thinking");
            let signature = json!({ "type": "signature_delta", "signature": block["signature"] });
            deltas.push(signature);
            (empty, deltas)
        }
        Some("tool_use") => {
            empty["input"] = json!({});
            let input = match &block["input"] {
                // Malformed arguments of the model.
                Value::String(text) => text.clone(),
                it if *it == json!({}) => String::new(),
                it => it.to_string(),
            };
            let delta = |it| json!({ "type": "input_json_delta", "partial_json": it });
            // The first piece is empty, always.
            let deltas = std::iter::once(delta(String::new())).chain(cut(&input).map(delta));
            (empty, deltas.collect())
        }
        _ => (empty, Vec::new()),
    }
}

fn cut(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<_> = text.chars().collect();
    let pieces: Vec<String> = chars.chunks(PIECE).map(|it| it.iter().collect()).collect();
    pieces.into_iter()
}
