//! The earlier messages as most models take them: they begin with the person's and alternate, and pictures are the
//! person's alone.

use crate::{Body, Message, Part};

/// `history` so; empty texts are left out. A picture that the assistant made goes with the person's next message.
pub(super) fn alternating(history: &[Message]) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut shown = Vec::new();
    for message in history {
        let parts = message.parts.iter().filter(|it| !is_blank(it)).cloned();
        if message.is_user {
            push(&mut messages, true, shown.drain(..).chain(parts).collect());
            continue;
        }
        let (images, texts) = parts.partition::<Vec<_>, _>(|it| matches!(it.body, Body::Image(_)));
        shown.extend(images);
        if !messages.is_empty() {
            push(&mut messages, false, texts);
        }
    }
    push(&mut messages, true, shown);
    messages
}

/// Adds a message; to the last one, where that is of the same side.
fn push(messages: &mut Vec<Message>, is_user: bool, parts: Vec<Part>) {
    match messages.last_mut() {
        _ if parts.is_empty() => {}
        Some(last) if last.is_user == is_user => last.parts.extend(parts),
        _ => messages.push(Message { is_user, parts }),
    }
}

fn is_blank(part: &Part) -> bool {
    matches!(&part.body, Body::Text(text) if text.trim().is_empty())
}
