//! Rows of conversations, their sides, steps and messages, and what people read of them.

use output::conversations::{
    AgentKind, ChatMessage, Conversation, Member, Role, State, Step, Usage,
};
use serde::Deserialize;

use crate::clock::rfc3339;

/// What [`Row`] reads of `conversations c`. The last message is cut: a list shows one line of it.
pub(super) const CONVERSATION: &str = "c.id, c.project_id, c.state, c.purpose, c.messages, c.max_turns, \
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

/// One conversation as the database has it.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
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
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn conversation(self, members: Vec<Member>) -> Conversation {
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

/// One side of a conversation.
#[derive(Debug, Deserialize)]
pub(super) struct Side {
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
    pub(super) fn is_of(&self, conversation_id: &str) -> bool {
        self.conversation_id == conversation_id
    }

    pub(super) fn member(self) -> Member {
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

/// One step of the trace.
#[derive(Debug, Deserialize)]
pub(super) struct Taken {
    state: State,
    at: String,
    caused_by: String,
    cause: String,
}

impl Taken {
    pub(super) fn step(self) -> Step {
        let Self { state, at, caused_by, cause } = self;
        Step { state, at: rfc3339(&at), caused_by, cause }
    }
}

/// One message as the database has it.
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
