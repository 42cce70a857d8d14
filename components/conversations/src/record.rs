//! Reads the parts of conversations, agents and messages on which decisions depend.

use output::conversations::{AgentKind, ChatMessage, State};
use serde::Deserialize;
use toolkit::{sql, sql::Rows, sql::Statement};

use crate::{clock, ids, transition::Changed};

/// The columns of [`Conversation`], of `conversations c`.
const COLUMNS: &str = "c.id, c.project_id, c.initiator_agent_id, c.participant_agent_id, c.state, \
     c.max_turns, c.messages, c.paused_at IS NOT NULL AS is_paused";

/// The part of a conversation on which decisions depend.
#[derive(Clone, Debug, Deserialize)]
pub struct Conversation {
    /// The conversation's identifier.
    pub id: String,
    /// Identifier of the project.
    pub project_id: String,
    /// Identifier of the agent that asked.
    pub initiator_agent_id: String,
    /// Identifier of the agent that was asked.
    pub participant_agent_id: String,
    /// Its state.
    pub state: State,
    /// Number of turns after which it ends.
    pub max_turns: Option<u32>,
    /// Number of messages so far.
    pub messages: u32,
    /// Whether a person has paused it.
    pub is_paused: bool,
}

impl Conversation {
    /// Returns the other member, if `agent_id` is a member.
    pub fn partner_of(&self, agent_id: &str) -> Option<&str> {
        if self.initiator_agent_id == agent_id {
            Some(&self.participant_agent_id)
        } else if self.participant_agent_id == agent_id {
            Some(&self.initiator_agent_id)
        } else {
            None
        }
    }

    /// Publishes that it has changed.
    pub fn notify(&self) {
        let (id, project_id) = (self.id.clone(), self.project_id.clone());
        let (one, other) = (self.initiator_agent_id.clone(), self.participant_agent_id.clone());
        Changed { id, project_id, initiator_agent_id: one, participant_agent_id: other }.notify();
    }
}

/// The conversation of that id.
pub fn conversation(id: &str) -> Statement {
    toolkit::sql!(format!("SELECT {COLUMNS} FROM conversations c WHERE c.id = $1"), id)
}

/// The open conversation between the agent of a session and another one, in either direction.
pub fn open_with(token: &str, other_id: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT {COLUMNS} FROM sessions s JOIN conversations c ON c.project_id = s.project_id \
             AND min(c.initiator_agent_id, c.participant_agent_id) = min(s.agent_id, $2) \
             AND max(c.initiator_agent_id, c.participant_agent_id) = max(s.agent_id, $2) \
             WHERE s.token = $1 AND c.state IN ('pending', 'active')"
        ),
        ids::digest(token),
        other_id,
    )
}

/// Selects the open conversation of a session's agent that changed last, active before pending (CONV-42).
pub fn latest_open(token: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT {COLUMNS} FROM sessions s JOIN members m ON m.agent_id = s.agent_id \
             AND m.notified_at IS NULL JOIN conversations c ON c.id = m.conversation_id \
             AND c.project_id = s.project_id \
             WHERE s.token = $1 AND c.state IN ('pending', 'active') \
             ORDER BY max(c.since_at, COALESCE(c.last_message_at, c.since_at)) DESC, c.state, \
             c.id DESC LIMIT 1"
        ),
        ids::digest(token),
    )
}

/// Counts the open conversations of a session's agent.
pub fn open_count(token: &str) -> Statement {
    toolkit::sql!(
        "SELECT COUNT(*), (SELECT COALESCE(SUM(w.bytes), 0) FROM members w \
          JOIN sessions v ON v.agent_id = w.agent_id WHERE v.token = $1) \
         FROM sessions s JOIN members m ON m.agent_id = s.agent_id \
         AND m.notified_at IS NULL JOIN conversations c ON c.id = m.conversation_id \
         AND c.project_id = s.project_id \
         WHERE s.token = $1 AND c.state IN ('pending', 'active')",
        ids::digest(token),
    )
}

/// Another agent, as a session sees it.
#[derive(Clone, Debug, Deserialize)]
pub struct Target {
    /// A program or a person.
    pub r#type: AgentKind,
    /// Whether it is in the project of the session.
    pub is_assigned: bool,
}

/// Selects an agent as the recipient of a message.
pub fn target(token: &str, agent_id: &str) -> Statement {
    toolkit::sql!(
        "SELECT a.type, EXISTS (SELECT 1 FROM assignments p JOIN sessions s \
         ON s.project_id = p.project_id WHERE s.token = $1 AND p.agent_id = a.id) AS is_assigned \
         FROM agents a WHERE a.id = $2 AND a.is_gone = 0",
        ids::digest(token),
        agent_id,
    )
}

/// The columns of [`Message`], of `messages m`; the query that uses them adds `read_at`.
pub const MESSAGE: &str = "m.id, m.conversation_id, m.chat, m.sequence, m.sender_id, \
     m.recipient_id, m.content, m.created_at";

/// A row of messages.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    /// `msg_…`.
    pub id: String,
    /// The conversation; none in a chat.
    pub conversation_id: Option<String>,
    /// The chat; none in a conversation.
    pub chat: Option<String>,
    /// Its number in its conversation or chat.
    pub sequence: u32,
    /// Identifier of its sender.
    pub sender_id: String,
    /// Identifier of the recipient, where there is one.
    pub recipient_id: Option<String>,
    /// The message's text.
    pub content: String,
    /// When it was sent, as stored.
    pub created_at: String,
    /// When it was read, as stored, where the query reads that.
    #[serde(default)]
    pub read_at: Option<String>,
}

impl Message {
    /// Converts it into the message that callers receive (CONV-6).
    pub fn into_chat_message(self) -> ChatMessage {
        ChatMessage {
            id: self.id,
            sender_id: self.sender_id,
            recipient_id: self.recipient_id,
            content: self.content,
            timestamp: clock::rfc3339(&self.created_at),
            conversation_id: self.conversation_id,
            sequence: self.sequence.into(),
            read_at: self.read_at.as_deref().map(clock::rfc3339),
        }
    }

    /// Its conversation or chat, and whether that is a conversation.
    pub fn place(&self) -> (&str, bool) {
        match (&self.conversation_id, &self.chat) {
            (Some(id), _) => (id, true),
            (None, chat) => (chat.as_deref().unwrap_or_default(), false),
        }
    }
}

/// Reads rows of messages as callers receive them.
///
/// # Errors
/// When the rows have other columns.
pub fn messages(rows: Rows) -> Result<Vec<ChatMessage>, sql::Error> {
    Ok(rows.read::<Message>()?.into_iter().map(Message::into_chat_message).collect())
}
