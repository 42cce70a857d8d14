//! Reads conversations as people see them, for tools, the endpoint and resources.
//!
//! Exports a conversation as Markdown for people and as lines of `chat.jsonl` (CONV-6).

use std::fmt::Write as _;

use output::conversations::{
    AgentKind, ChatMessage, Conversation, Member, Role, Step, Transcript, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolkit::{
    Stop,
    sql::{self, Statement},
};

use crate::{
    clock::rfc3339,
    person::{Person, bound, condition},
    record,
    refusals::{conversation_not_found, say},
};

/// Default number of messages per page.
pub const PAGE: u32 = 50;
/// Maximum number of messages per page.
pub const PAGE_MAX: u32 = 200;

/// A page of messages between two sequence numbers. It has the newest ones, or the oldest ones where only
/// `after` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Exclusive upper bound of the sequence numbers.
    pub before: Option<u32>,
    /// Exclusive lower bound of the sequence numbers.
    pub after: Option<u32>,
    /// Maximum number of messages.
    pub limit: u32,
}

impl Default for Range {
    fn default() -> Self {
        Self { before: None, after: None, limit: PAGE }
    }
}

impl Range {
    /// Whether the page has the oldest messages of the range.
    pub fn is_forward(self) -> bool {
        self.after.is_some() && self.before.is_none()
    }

    /// Returns the conditions, order and limit for a statement on `messages m` with `taken` parameters so far.
    fn ending(self, statement: &str, taken: usize) -> String {
        let order = if self.is_forward() { "ASC" } else { "DESC" };
        format!(
            "{statement} AND m.sequence < ${} AND m.sequence > ${} ORDER BY m.sequence {order} \
             LIMIT ${}",
            taken + 1,
            taken + 2,
            taken + 3
        )
    }

    fn bound(self, statement: Statement) -> Statement {
        let before = self.before.map_or(i64::MAX, i64::from);
        statement.bind(before).bind(self.after.unwrap_or(0)).bind(self.limit.clamp(1, PAGE_MAX))
    }

    /// Selects the messages that meet `condition`, whose parameters are `values`.
    pub(crate) fn select(self, condition: &str, values: &[&str]) -> Statement {
        let select = format!("SELECT {MESSAGE} FROM messages m WHERE {condition}");
        let select = self.ending(&select, values.len());
        self.bound(Statement::new(select).bind_all(values.iter().copied()))
    }

    /// Reads the rows of [`Range::select`], oldest first.
    pub(crate) fn read(self, rows: sql::Rows) -> Result<Vec<ChatMessage>, Stop> {
        let mut messages = record::messages(rows)?;
        if !self.is_forward() {
            messages.reverse();
        }
        Ok(messages)
    }
}

/// The conversation `id` with its trace and a page of its messages, as `person` sees it.
///
/// # Errors
/// `conversation_not_found`, also where the person may not see it.
pub fn read(person: &Person, id: &str, range: Range) -> Result<Transcript, Stop> {
    let select = format!(
        "SELECT {CONVERSATION} FROM conversations c WHERE c.id = $1 AND {}",
        condition("c.project_id", 2)
    );
    let [row, sides, steps, messages] = sql::query([
        bound(toolkit::sql!(select, id), person),
        members_of(&[id]),
        toolkit::sql!(
            "SELECT state, at, caused_by, cause FROM steps \
             WHERE conversation_id = $1 ORDER BY position",
            id
        ),
        range.select("m.conversation_id = $1", &[id]),
    ])?;
    let found = row.first::<Conversation>()?.ok_or_else(|| conversation_not_found(id))?;
    let sides = sides.read::<Side>()?.into_iter().map(Side::member).collect();
    let conversation = shown(found, sides);
    let (steps, messages) = (steps.read::<Step>()?, range.read(messages)?);
    Ok(Transcript {
        may_step_in: conversation.state.is_open(),
        conversation,
        steps: steps.into_iter().map(|it| Step { at: rfc3339(&it.at), ..it }).collect(),
        has_older: messages.first().is_some_and(|it| it.sequence > 1),
        messages,
    })
}

/// Reads the conversations of a statement that begins with [`select`], with their members.
///
/// # Errors
/// As the database.
pub fn read_all(statement: Statement) -> Result<Vec<Conversation>, Stop> {
    let [rows] = sql::query([statement])?;
    let found = rows.read::<Conversation>()?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = found.iter().map(|it| it.conversation_id.as_str()).collect();
    let [sides] = sql::query([members_of(&ids)])?;
    let mut sides = sides.read::<Side>()?;
    let with_members = |found: Conversation| {
        let is_own = |it: &mut Side| it.conversation_id == found.conversation_id;
        let members = sides.extract_if(.., is_own).map(Side::member).collect();
        shown(found, members)
    };
    Ok(found.into_iter().map(with_members).collect())
}

/// Returns the beginning of a statement: `SELECT … FROM conversations c`.
pub fn select() -> String {
    format!("SELECT {CONVERSATION} FROM conversations c")
}

/// Selects the members of these conversations, the initiator first.
fn members_of(ids: &[&str]) -> Statement {
    let select = format!(
        "SELECT m.conversation_id, m.agent_id, a.name, a.type, m.role, a.assistant, m.turns, \
         m.input_tokens, m.output_tokens, m.cost_usd, \
         (SELECT COUNT(*) FROM deliveries d JOIN messages s ON s.id = d.message_id \
          WHERE d.agent_id = m.agent_id AND d.read_at IS NULL \
          AND s.conversation_id = m.conversation_id) AS unread \
         FROM members m JOIN agents a ON a.id = m.agent_id \
         WHERE m.conversation_id IN ({}) ORDER BY m.role, m.agent_id",
        sql::placeholders(1, ids.len())
    );
    Statement::new(select).bind_all(ids.iter().copied())
}

/// What a [`Conversation`] has of `conversations c`. The last message is cut: a list shows one line of it.
const CONVERSATION: &str = "c.id AS conversation_id, c.project_id, c.state, c.purpose, c.messages, \
     c.max_turns, c.created_at, c.begun_by, c.activated_at, c.last_message_at, c.terminating_at, c.ended_at, \
     c.ended_by, c.end_reason, c.reason_text, c.paused_at, c.paused_by, \
     COALESCE((SELECT MIN(w.messages) FROM members w WHERE w.conversation_id = c.id), 0) AS turns, \
     (SELECT substr(l.content, 1, 120) FROM messages l WHERE l.conversation_id = c.id \
      AND l.sequence = c.messages) AS last_message";

/// What a [`Message`](record::Message) has of `messages m`; of several recipients, the last one's receipt counts.
pub(crate) const MESSAGE: &str = "m.id, m.sender_id, m.recipient_id, m.content, m.created_at, \
     m.conversation_id, m.sequence, \
     (SELECT CASE WHEN COUNT(*) = COUNT(d.read_at) THEN MAX(d.read_at) END \
      FROM deliveries d WHERE d.message_id = m.id) AS read_at";

/// Puts in who takes part, and writes the times as callers receive them (CONV-6).
fn shown(mut found: Conversation, members: Vec<Member>) -> Conversation {
    found.created_at = rfc3339(&found.created_at);
    for at in [
        &mut found.activated_at,
        &mut found.last_message_at,
        &mut found.terminating_at,
        &mut found.ended_at,
        &mut found.paused_at,
    ] {
        *at = at.as_deref().map(rfc3339);
    }
    Conversation { members, ..found }
}

/// A row of members.
#[derive(Debug, Deserialize)]
struct Side {
    conversation_id: String,
    agent_id: String,
    name: String,
    r#type: AgentKind,
    role: Role,
    assistant: Option<String>,
    unread: u32,
    #[serde(flatten)]
    usage: Usage,
}

impl Side {
    fn member(self) -> Member {
        Member {
            agent_id: self.agent_id,
            name: self.name,
            kind: self.r#type,
            role: self.role,
            assistant: self.assistant,
            unread: self.unread,
            usage: self.usage,
        }
    }
}

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
    let mut transcript = read(person, id, range)?;
    let last = u64::from(transcript.conversation.messages);
    let mut bytes: usize = transcript.messages.iter().map(|it| it.content.len()).sum();
    while let Some(message) = transcript.messages.last()
        && message.sequence < last
        && bytes < BYTES_MAX
    {
        range.after = Some(u32::try_from(message.sequence).unwrap_or(u32::MAX));
        let more = read(person, id, range)?.messages;
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
    let who = |it: &Member| format!("{} ({})", it.name, it.agent_id);
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
