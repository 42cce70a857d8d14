//! Reads conversations as people see them, for tools, the endpoint and resources.

use output::conversations::{
    AgentKind, ChatMessage, Conversation, Member, Role, State, Step, Transcript, Usage,
};
use serde::Deserialize;
use toolkit::{
    Stop,
    sql::{self, Statement},
};

use crate::{
    clock::rfc3339,
    person::{Person, bound, condition},
    refusals::conversation_not_found,
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
        let mut messages: Vec<ChatMessage> =
            rows.read::<MessageRow>()?.into_iter().map(MessageRow::into_chat_message).collect();
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
    let row = row.first::<Row>()?.ok_or_else(|| conversation_not_found(id))?;
    let sides = sides.read::<Side>()?.into_iter().map(Side::member).collect();
    let conversation = row.conversation(sides);
    let messages = range.read(messages)?;
    Ok(Transcript {
        may_step_in: conversation.state.is_open(),
        conversation,
        steps: steps.read::<Taken>()?.into_iter().map(Taken::step).collect(),
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
    let rows = rows.read::<Row>()?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = rows.iter().map(Row::id).collect();
    let [sides] = sql::query([members_of(&ids)])?;
    let mut sides = sides.read::<Side>()?;
    let with_members = |row: Row| {
        let is_own = |it: &mut Side| it.is_of(row.id());
        let members = sides.extract_if(.., is_own).map(Side::member).collect();
        row.conversation(members)
    };
    Ok(rows.into_iter().map(with_members).collect())
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

/// What [`Row`] reads of `conversations c`. The last message is cut: a list shows one line of it.
const CONVERSATION: &str = "c.id, c.project_id, c.state, c.purpose, c.messages, c.max_turns, \
     c.created_at, c.begun_by, c.activated_at, c.last_message_at, c.terminating_at, c.ended_at, \
     c.ended_by, c.end_reason, c.reason_text, c.paused_at, c.paused_by, \
     COALESCE((SELECT MIN(w.messages) FROM members w WHERE w.conversation_id = c.id), 0) AS turns, \
     (SELECT substr(l.content, 1, 120) FROM messages l WHERE l.conversation_id = c.id \
      AND l.sequence = c.messages) AS last_message";

/// What [`MessageRow`] reads of `messages m`; of several recipients, the last one's receipt counts.
pub(crate) const MESSAGE: &str = "m.id, m.sender_id, m.recipient_id, m.content, m.created_at, \
     m.conversation_id, m.sequence, \
     (SELECT CASE WHEN COUNT(*) = COUNT(d.read_at) THEN MAX(d.read_at) END \
      FROM deliveries d WHERE d.message_id = m.id) AS read_at";

/// A row of conversations.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    project_id: String,
    state: State,
    purpose: Option<String>,
    messages: u32,
    max_turns: Option<u32>,
    created_at: String,
    begun_by: Option<String>,
    activated_at: Option<String>,
    last_message_at: Option<String>,
    terminating_at: Option<String>,
    ended_at: Option<String>,
    ended_by: Option<String>,
    end_reason: Option<String>,
    reason_text: Option<String>,
    paused_at: Option<String>,
    paused_by: Option<String>,
    turns: u32,
    last_message: Option<String>,
}

impl Row {
    fn id(&self) -> &str {
        &self.id
    }

    fn conversation(self, members: Vec<Member>) -> Conversation {
        let at = |it: Option<String>| it.as_deref().map(rfc3339);
        Conversation {
            conversation_id: self.id,
            project_id: self.project_id,
            state: self.state,
            purpose: self.purpose,
            members,
            messages: self.messages,
            turns: self.turns,
            max_turns: self.max_turns,
            created_at: rfc3339(&self.created_at),
            begun_by: self.begun_by,
            activated_at: at(self.activated_at),
            last_message_at: at(self.last_message_at),
            last_message: self.last_message,
            terminating_at: at(self.terminating_at),
            ended_at: at(self.ended_at),
            ended_by: self.ended_by,
            end_reason: self.end_reason,
            reason_text: self.reason_text,
            paused_at: at(self.paused_at),
            paused_by: self.paused_by,
        }
    }
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
    turns: u32,
    input_tokens: u64,
    output_tokens: u64,
    cost_usd: Option<f64>,
}

impl Side {
    fn is_of(&self, conversation_id: &str) -> bool {
        self.conversation_id == conversation_id
    }

    fn member(self) -> Member {
        Member {
            agent_id: self.agent_id,
            name: self.name,
            kind: self.r#type,
            role: self.role,
            assistant: self.assistant,
            unread: self.unread,
            usage: Usage {
                turns: self.turns,
                input_tokens: self.input_tokens,
                output_tokens: self.output_tokens,
                cost_usd: self.cost_usd,
            },
        }
    }
}

/// A row of steps.
#[derive(Debug, Deserialize)]
struct Taken {
    state: State,
    at: String,
    caused_by: String,
    cause: String,
}

impl Taken {
    fn step(self) -> Step {
        let Self { state, at, caused_by, cause } = self;
        Step { state, at: rfc3339(&at), caused_by, cause }
    }
}

/// A row of messages.
#[derive(Debug, Deserialize)]
pub(crate) struct MessageRow {
    id: String,
    sender_id: String,
    recipient_id: Option<String>,
    content: String,
    created_at: String,
    conversation_id: Option<String>,
    sequence: u64,
    read_at: Option<String>,
}

impl MessageRow {
    pub(crate) fn into_chat_message(self) -> ChatMessage {
        ChatMessage {
            id: self.id,
            sender_id: self.sender_id,
            recipient_id: self.recipient_id,
            content: self.content,
            timestamp: rfc3339(&self.created_at),
            conversation_id: self.conversation_id,
            sequence: self.sequence,
            read_at: self.read_at.as_deref().map(rfc3339),
        }
    }
}
