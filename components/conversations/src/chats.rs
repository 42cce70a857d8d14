//! Chats of people with agents (CONV 4.6). Only the person reads a chat, not even the operator.

use output::conversations::{ChatMessage, ChatStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Stop, events,
    sql::{self, Statement},
    unavailable,
};

use crate::{
    clock::Moment,
    delivery::{self, Letter, Place, chat_of, check_content},
    events::{PURPOSES, agent, chats},
    ids,
    person::Person,
    record::Message,
    transcripts::{MESSAGE, Range},
};

/// A page of a chat, as the source project has it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatPage {
    messages: Vec<ChatMessage>,
    has_more: bool,
    total_count: u64,
}

/// The answer when a chat begins, ends or is read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chat {
    /// Always true, as the specification has it.
    pub success: bool,
    /// The agent's status: `connected`, `connecting` or `disconnected`.
    pub chat_status: ChatStatus,
}

/// Reads a page of the person's chat with an agent, and marks the messages to the person as read.
///
/// # Errors
/// As the database.
pub fn page(
    person: &Person,
    project_id: &str,
    agent_id: &str,
    range: Range,
) -> Result<ChatPage, Stop> {
    let chat = chat_of(&person.agent_id, agent_id);
    let [rows, ends] = sql::query([
        range.select("m.project_id = $1 AND m.chat = $2", &[project_id, &chat]),
        toolkit::sql!(
            "SELECT COALESCE(MIN(sequence), 0), COALESCE(MAX(sequence), 0) FROM messages \
             WHERE project_id = $1 AND chat = $2",
            project_id,
            &chat,
        ),
    ])?;
    let messages = range.read(rows)?;
    let (first, last) = ends.first::<(u64, u64)>()?.unwrap_or_default();
    let more = |message: &ChatMessage| {
        if range.is_forward() { message.sequence < last } else { message.sequence > first }
    };
    let end = if range.is_forward() { messages.last() } else { messages.first() };
    let has_more = end.is_some_and(more);
    let is_new = |it: &&ChatMessage| it.sender_id == agent_id && it.read_at.is_none();
    let new: Vec<&str> = messages.iter().filter(is_new).map(|it| it.id.as_str()).collect();
    read_these(person, project_id, agent_id, &new)?;
    let total_count = if last == 0 { 0 } else { last - first + 1 };
    Ok(ChatPage { messages, has_more, total_count })
}

/// Returns the sequence number of a message of this chat.
///
/// # Errors
/// As the database.
pub fn sequence_of(
    person: &Person,
    project_id: &str,
    agent_id: &str,
    message_id: &str,
) -> Result<Option<u32>, Stop> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT sequence FROM messages WHERE id = $1 AND project_id = $2 AND chat = $3",
        message_id,
        project_id,
        chat_of(&person.agent_id, agent_id),
    )])?;
    Ok(rows.first::<(u32,)>()?.map(|it| it.0))
}

/// Begins a chat, and calls the agent unless it is connected or called already.
///
/// # Errors
/// As the database.
pub fn start(person: &Person, project_id: &str, agent_id: &str) -> Result<Chat, Stop> {
    let now = Moment::now();
    let [_, asked] = sql::transact([
        open(person, project_id, agent_id, now),
        ask_to_come(project_id, agent_id, now),
    ])?;
    notify(project_id, agent_id, asked.changes > 0);
    status(project_id, agent_id)
}

/// Marks the chat as running; one that had ended begins anew.
fn open(person: &Person, project_id: &str, agent_id: &str, now: Moment) -> Statement {
    toolkit::sql!(
        "INSERT INTO chats (project_id, human_id, agent_id, started_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (project_id, human_id, agent_id) DO UPDATE SET ended_at = NULL, \
         started_at = CASE WHEN chats.ended_at IS NULL THEN chats.started_at \
                      ELSE excluded.started_at END",
        project_id,
        &person.agent_id,
        agent_id,
        now.stored(),
    )
}

/// Inserts a pending purpose (CONV-8), where the agent is neither connected nor called.
fn ask_to_come(project_id: &str, agent_id: &str, now: Moment) -> Statement {
    toolkit::sql!(
        "INSERT INTO pending_purposes (id, agent_id, project_id, purpose, created_at) \
         SELECT $1, $2, $3, 'chat', $4 \
         WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.agent_id = $2 AND s.project_id = $3 \
          AND s.purpose = 'chat' AND s.state = 'active' AND s.expires_at > $4) \
         AND NOT EXISTS (SELECT 1 FROM pending_purposes p WHERE p.agent_id = $2 \
          AND p.project_id = $3 AND p.purpose = 'chat')",
        ids::purpose(now),
        agent_id,
        project_id,
        now.stored(),
    )
}

/// Publishes that a chat has changed, and whether an agent is to be launched.
fn notify(project_id: &str, agent_id: &str, is_asked: bool) {
    events::publish(&agent(project_id, agent_id));
    events::publish(&chats(project_id));
    if is_asked {
        events::publish(PURPOSES);
    }
}

/// Reads the agent's status.
fn status(project_id: &str, agent_id: &str) -> Result<Chat, Stop> {
    #[derive(Deserialize)]
    struct There {
        is_there: bool,
        is_asked: bool,
    }
    let [rows] = sql::query([toolkit::sql!(
        "SELECT EXISTS (SELECT 1 FROM sessions s WHERE s.agent_id = $1 AND s.project_id = $2 \
         AND s.purpose = 'chat' AND s.state = 'active' AND s.expires_at > $3) AS is_there, \
         EXISTS (SELECT 1 FROM pending_purposes p WHERE p.agent_id = $1 AND p.project_id = $2 \
         AND p.purpose = 'chat') AS is_asked",
        agent_id,
        project_id,
        Moment::now().stored(),
    )])?;
    let chat_status = match rows.first::<There>()? {
        Some(There { is_there: true, .. }) => ChatStatus::Connected,
        Some(There { is_asked: true, .. }) => ChatStatus::Connecting,
        _ => ChatStatus::Disconnected,
    };
    Ok(Chat { success: true, chat_status })
}

/// A stored message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sent {
    /// Always true, as the specification has it.
    pub success: bool,
    /// `msg_…`.
    pub message_id: String,
    /// The message as stored.
    pub message: ChatMessage,
}

/// Sends a message to the agent, which is called if it is not connected.
///
/// # Errors
/// When the message is empty, too long, or differs from an earlier one with the same client identifier.
pub fn say(
    person: &Person,
    project_id: &str,
    agent_id: &str,
    content: &str,
    client_message_id: Option<&str>,
) -> Result<Sent, Stop> {
    check_content(content)?;
    let at = Moment::now();
    let letter = Letter {
        id: &ids::message(at),
        project_id,
        place: Place::Chat { human_id: &person.agent_id, agent_id },
        sender_id: &person.agent_id,
        recipients: &[agent_id],
        content,
        related_task_id: None,
        client_message_id,
        at,
    };
    let before =
        vec![open(person, project_id, agent_id, at), ask_to_come(project_id, agent_id, at)];
    let stored = delivery::deliver(&letter, before)?;
    events::publish(PURPOSES);
    let select = format!("SELECT {MESSAGE} FROM messages m WHERE m.id = $1");
    let [rows] = sql::query([toolkit::sql!(select, &stored.id)])?;
    let message = rows.first::<Message>()?.map(Message::into_chat_message);
    let message = message.ok_or_else(|| unavailable("The message is gone.", None))?;
    Ok(Sent { success: true, message_id: stored.id, message })
}

/// Maximum number of messages marked as read in one batch: one page.
const READ_MAX: usize = crate::transcripts::PAGE_MAX as usize;

/// Ends the person's chat with an agent; may be repeated. The agent gets `exit` at its next `get_next_action`
/// (CONV 4.6), unless it has another conversation or chat.
///
/// # Errors
/// As the database.
pub fn end(person: &Person, project_id: &str, agent_id: &str) -> Result<Chat, Stop> {
    let now = Moment::now().stored();
    let over = toolkit::sql!(
        "UPDATE chats SET ended_at = $4 \
         WHERE project_id = $1 AND human_id = $2 AND agent_id = $3 AND ended_at IS NULL",
        project_id,
        &person.agent_id,
        agent_id,
        &now,
    );
    let [over, left, forgotten] = sql::transact([
        over,
        leave(
            "UPDATE sessions SET state = 'terminating' \
             WHERE state = 'active' AND purpose = 'chat'",
            project_id,
            agent_id,
        ),
        leave(
            "DELETE FROM pending_purposes WHERE purpose = 'chat' AND conversation_id IS NULL",
            project_id,
            agent_id,
        ),
    ])?;
    if over.changes + left.changes + forgotten.changes > 0 {
        notify(project_id, agent_id, forgotten.changes > 0);
    }
    status(project_id, agent_id)
}

/// Restricts a statement to an agent of the project that has no other conversation or chat.
fn leave(statement: &str, project_id: &str, agent_id: &str) -> Statement {
    let statement = format!(
        "{statement} AND project_id = $1 AND agent_id = $2 \
         AND NOT EXISTS (SELECT 1 FROM chats c \
          WHERE c.project_id = $1 AND c.agent_id = $2 AND c.ended_at IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM members m JOIN conversations c ON c.id = m.conversation_id \
          WHERE m.agent_id = $2 AND c.project_id = $1 AND c.state IN ('pending', 'active'))"
    );
    toolkit::sql!(statement, project_id, agent_id)
}

/// Marks all messages of the agent to the person as read.
///
/// # Errors
/// As the database.
pub fn mark_read(person: &Person, project_id: &str, agent_id: &str) -> Result<Chat, Stop> {
    let [read] = sql::transact([toolkit::sql!(
        "UPDATE deliveries SET read_at = $1 \
         WHERE agent_id = $2 AND project_id = $3 AND sender_id = $4 AND read_at IS NULL",
        Moment::now().stored(),
        &person.agent_id,
        project_id,
        agent_id,
    )])?;
    if read.changes > 0 {
        events::publish(&chats(project_id));
    }
    status(project_id, agent_id)
}

/// Marks these messages to the person as read.
fn read_these(person: &Person, project_id: &str, agent_id: &str, ids: &[&str]) -> Result<(), Stop> {
    let ids = &ids[..ids.len().min(READ_MAX)];
    if ids.is_empty() {
        return Ok(());
    }
    let update = format!(
        "UPDATE deliveries SET read_at = $1 WHERE agent_id = $2 AND project_id = $3 \
         AND sender_id = $4 AND read_at IS NULL AND message_id IN ({})",
        sql::placeholders(5, ids.len())
    );
    let update =
        toolkit::sql!(update, Moment::now().stored(), &person.agent_id, project_id, agent_id);
    let [read] = sql::transact([update.bind_all(ids.iter().copied())])?;
    if read.changes > 0 {
        events::publish(&chats(project_id));
    }
    Ok(())
}
