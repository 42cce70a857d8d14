//! One line of `chat.jsonl`.

use output::text::is_blank;
use serde::Deserialize;
use toolkit::arguments;

use crate::{clock::Moment, delivery::CONTENT_MAX};

/// Letters of an identifier that was made elsewhere.
const ID_MAX: usize = 200;

/// One message, checked by itself.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) sender_id: String,
    pub(super) recipient_id: Option<String>,
    pub(super) content: String,
    /// As the database has it.
    pub(super) at: String,
    pub(super) conversation_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    id: String,
    sender_id: String,
    recipient_id: Option<String>,
    content: String,
    timestamp: String,
    conversation_id: Option<String>,
}

impl Line {
    /// Reads it; what the specification does not know is passed over.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let raw: Raw = arguments::parse(text).map_err(|it| format!("no message: {it}"))?;
        let ids = [
            ("id", Some(&raw.id)),
            ("senderId", Some(&raw.sender_id)),
            ("recipientId", raw.recipient_id.as_ref()),
            ("conversationId", raw.conversation_id.as_ref()),
        ];
        for (name, id) in ids {
            let fits = |id: &String| {
                !is_blank(id)
                    && id.chars().nth(ID_MAX).is_none()
                    && !id.contains(|it: char| it.is_whitespace() || it.is_control())
            };
            if !id.is_none_or(fits) {
                return Err(format!("{name} must have 1 to {ID_MAX} characters and no spaces"));
            }
        }
        if raw.recipient_id.as_ref() == Some(&raw.sender_id) {
            return Err("recipientId is the sender".to_owned());
        }
        if is_blank(&raw.content) || raw.content.chars().nth(CONTENT_MAX).is_some() {
            return Err(format!("content must have 1 to {CONTENT_MAX} characters"));
        }
        let at = Moment::read(&raw.timestamp)
            .ok_or("timestamp must be a moment: 2026-01-23T10:00:00Z")?
            .stored();
        let Raw { id, sender_id, recipient_id, content, conversation_id, .. } = raw;
        Ok(Self { id, sender_id, recipient_id, content, at, conversation_id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_specification_is_read() {
        let line = Line::read(
            r#"{"id":"msg_xxx","senderId":"worker-a","recipientId":"worker-b","content":"しりとり","timestamp":"2026-01-23T10:00:00Z","conversationId":"conv_xxx"}"#,
        );
        let line = line.unwrap();
        assert_eq!(line.at, "2026-01-23T10:00:00.000Z");
        assert_eq!(line.conversation_id.as_deref(), Some("conv_xxx"));
    }

    #[test]
    fn what_is_no_message_says_why() {
        let with = |content: &str, at: &str, to: &str| {
            Line::read(&format!(
                r#"{{"id":"m","senderId":"a","recipientId":"{to}","content":"{content}","timestamp":"{at}"}}"#
            ))
        };
        let at = "2026-01-23T10:00:00Z";
        assert!(with("x", at, "b").is_ok());
        for (line, expected) in [
            (with(" ", at, "b"), "content"),
            (with(&"x".repeat(4_001), at, "b"), "content"),
            (with("x", "yesterday", "b"), "timestamp"),
            (with("x", at, "a b"), "recipientId"),
            (with("x", at, "a"), "recipientId"),
            (Line::read("{}"), "no message"),
            (Line::read("["), "no message"),
            (Line::read(r#"{"id":1}"#), "id must be a string, not 1"),
        ] {
            let message = line.unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
