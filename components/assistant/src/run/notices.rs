//! What the loop says: to the client that reads events, and to the model where a call cannot be made.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    Came, Failure, Language, ModelError, Offer, Teller, ToolCall, ToolResult, Why, text_of,
};

pub(super) fn slow(after: Duration) -> ModelError {
    ModelError::new(Why::Slow, format!("No answer within {} s", after.as_secs()))
}

/// A tool that is not the assistant's, whatever else is on offer.
pub(super) fn unknown(call: &ToolCall, offers: &[Offer]) -> Failure {
    let names: Vec<_> = offers.iter().map(|it| &*it.name).collect();
    let message = format!("There is no tool {:?} here; there are {}.", call.name, names.join(", "));
    Failure::new("unknown_tool", 404, message)
}

pub(super) fn too_many(most: usize) -> Failure {
    let message = format!("At most {most} calls can be made at once; make this one later.");
    Failure::new("too_many_calls", 429, message)
}

/// A call that was one round too many.
pub(super) fn unmade() -> Failure {
    let message = "The call was not made: tools were called as often as they may be in one answer.";
    Failure::new("too_many_rounds", 429, message)
}

/// A call of which the end was not waited for.
pub(super) fn unended() -> Failure {
    let message = "The call's end was not waited for, because the answer took too long. What only reads was given up; what changes something may still happen: look first.";
    Failure::new("deadline", 504, message)
}

/// Tells that `call` has begun.
pub(crate) fn tell_running(call: &ToolCall, language: Language, teller: &Teller) {
    let name = &call.name;
    let message = language.pick(format!("{name}を実行中..."), format!("Running {name}..."));
    let status = json!({ "state": "running", "tool": name, "message": message });
    teller.tell("status", || status);
}

/// Tells what `call` came to, where it has a result.
pub(crate) fn tell_ended(call: &ToolCall, came: &Came, ms: u64, teller: &Teller) {
    if let Some(result) = came.result() {
        teller.tell("tool_result", || result_notice(call, result, ms));
    }
}

pub(super) fn call_notice(call: &ToolCall, offer: Option<&Offer>) -> Value {
    json!({
        "id": call.id,
        "name": call.name,
        "params": call.arguments,
        "reason": call.reason,
        "title": offer.and_then(|it| it.title.as_deref()),
        "server": offer.map(|it| &*it.owner),
        "view": offer.and_then(|it| it.view.as_deref()),
    })
}

fn result_notice(call: &ToolCall, result: &ToolResult, ms: u64) -> Value {
    let (id, name) = (&call.id, &call.name);
    match result {
        ToolResult::Output { structured, meta, content } => json!({
            "id": id, "name": name, "isError": false, "ms": ms, "result": structured, "meta": meta,
            "text": text_of(content),
        }),
        ToolResult::Failed(failure) => json!({
            "id": id, "name": name, "isError": true, "ms": ms, "result": null,
            "meta": { "madoguchi/error": failure.object() }, "text": failure.message,
        }),
    }
}
