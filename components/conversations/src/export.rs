//! Exports a conversation as Markdown for people and as lines of `chat.jsonl` (CONV-6).

use std::fmt::Write as _;

use output::conversations::{ChatMessage, Conversation, Step, Transcript};
use serde::Serialize;
use serde_json::json;
use toolkit::Stop;

use crate::{
    person::Person,
    refusals::say,
    transcripts::{self, PAGE_MAX, Range},
};

/// Maximum size of the messages in bytes; a longer record is cut and says so.
const BYTES_MAX: usize = 2 << 20;

/// An exported conversation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// The record as Markdown, for people.
    pub markdown: String,
    /// One message per line, with the specification's names.
    pub jsonl: String,
    /// Whether the record has all messages.
    pub is_whole: bool,
}

/// Exports the conversation `id` as `person` sees it.
///
/// # Errors
/// `conversation_not_found`, also where the person may not see it.
pub fn whole(person: &Person, id: &str) -> Result<Written, Stop> {
    let mut range = Range { before: None, after: Some(0), limit: PAGE_MAX };
    let mut transcript = transcripts::read(person, id, range)?;
    let last = u64::from(transcript.conversation.messages);
    let mut bytes: usize = transcript.messages.iter().map(|it| it.content.len()).sum();
    while let Some(message) = transcript.messages.last()
        && message.sequence < last
        && bytes < BYTES_MAX
    {
        range.after = Some(u32::try_from(message.sequence).unwrap_or(u32::MAX));
        let more = transcripts::read(person, id, range)?.messages;
        if more.is_empty() {
            break;
        }
        bytes += more.iter().map(|it| it.content.len()).sum::<usize>();
        transcript.messages.extend(more);
    }
    let is_whole = transcript.messages.last().is_none_or(|it| it.sequence >= last);
    let lines = transcript.messages.iter().map(line);
    Ok(Written { jsonl: lines.collect(), markdown: markdown(&transcript, is_whole), is_whole })
}

/// Formats one line of `chat.jsonl`, its members in the order of the specification.
fn line(message: &ChatMessage) -> String {
    let text = |it: &str| json!(it).to_string();
    let or_null = |it: &Option<String>| it.as_deref().map_or_else(|| "null".to_owned(), text);
    format!(
        "{{\"id\":{},\"senderId\":{},\"recipientId\":{},\"content\":{},\"timestamp\":{},\
         \"conversationId\":{}}}\n",
        text(&message.id),
        text(&message.sender_id),
        or_null(&message.recipient_id),
        text(&message.content),
        text(&message.timestamp),
        or_null(&message.conversation_id),
    )
}

fn markdown(transcript: &Transcript, is_whole: bool) -> String {
    let Transcript { conversation, steps, messages, .. } = transcript;
    let purpose = conversation.purpose.as_deref().unwrap_or(say("会話", "Conversation"));
    let mut text = format!("# {}\n\n", plain(purpose));
    for (name, value) in facts(conversation) {
        _ = writeln!(text, "- {name}: {}", plain(&value));
    }
    _ = writeln!(text, "\n## {}\n", say("状態の遷移", "Trace"));
    for Step { state, at, caused_by, cause } in steps {
        _ = writeln!(text, "- {at} `{}` — {} ({cause})", state.name(), plain(caused_by));
    }
    _ = writeln!(text, "\n## {}", say("メッセージ", "Messages"));
    for message in messages {
        let name = member_name(conversation, &message.sender_id);
        _ = write!(
            text,
            "\n### {}. {} — {}\n\n{}\n",
            message.sequence,
            plain(name),
            message.timestamp,
            quoted(&message.content)
        );
    }
    if !is_whole {
        let more = say("（長いため以降は省略）", "(The rest is left out for its length.)");
        _ = writeln!(text, "\n{more}");
    }
    text
}

fn facts(conversation: &Conversation) -> Vec<(&'static str, String)> {
    let who = |it: &output::conversations::Member| format!("{} ({})", it.name, it.agent_id);
    let mut facts = vec![
        ("ID", conversation.conversation_id.clone()),
        (say("プロジェクト", "Project"), conversation.project_id.clone()),
        (say("状態", "State"), conversation.state.name().to_owned()),
        (
            say("参加者", "Members"),
            conversation.members.iter().map(who).collect::<Vec<_>>().join(", "),
        ),
        (say("開始", "Begun"), conversation.created_at.clone()),
    ];
    let mut add = |name, value: &Option<String>| {
        facts.extend(value.clone().map(|value| (name, value)));
    };
    add(say("開始させた人", "Begun by"), &conversation.begun_by);
    add(say("終了", "Ended"), &conversation.ended_at);
    add(say("終了させた側", "Ended by"), &conversation.ended_by);
    add(say("終了理由", "Reason"), &conversation.end_reason);
    add(say("理由の説明", "In their words"), &conversation.reason_text);
    facts
}

fn member_name<'a>(conversation: &'a Conversation, agent_id: &'a str) -> &'a str {
    let member = conversation.members.iter().find(|it| it.agent_id == agent_id);
    member.map_or(agent_id, |it| it.name.as_str())
}

/// Escapes a text from outside as one line of Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => plain.push(' '),
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '#' | '|' => {
                plain.push('\\');
                plain.push(letter);
            }
            _ => plain.push(letter),
        }
    }
    plain
}

/// Quotes a message, so that none of it is mistaken for the record's own structure.
fn quoted(text: &str) -> String {
    text.lines().map(|it| format!("> {it}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_specified_names_and_order() {
        let message = ChatMessage {
            id: "msg_1".into(),
            sender_id: "worker-a".into(),
            recipient_id: Some("worker-b".into()),
            content: "りんご\n\"x\"".into(),
            timestamp: "2026-01-23T10:00:00Z".into(),
            sequence: 1,
            ..ChatMessage::default()
        };
        assert_eq!(
            line(&message),
            "{\"id\":\"msg_1\",\"senderId\":\"worker-a\",\"recipientId\":\"worker-b\",\
             \"content\":\"りんご\\n\\\"x\\\"\",\"timestamp\":\"2026-01-23T10:00:00Z\",\
             \"conversationId\":null}\n"
        );
    }

    #[test]
    fn escapes_messages_and_texts_in_markdown() {
        assert_eq!(quoted("# 1\n\n<b>"), "> # 1\n>\n> <b>");
        assert_eq!(plain("a\n# [b](c)"), "a \\# \\[b\\](c)");
    }
}
