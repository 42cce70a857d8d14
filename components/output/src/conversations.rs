//! Conversations between agents and with people: outputs of tools, drawn by the page (CONV-1 to CONV-111).
//!
//! Times are in UTC, `2026-01-23T10:00:00Z`. A chat message has the specification's field names
//! (CONV-6), everything else those of the tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a conversation has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// 開始要求済み、相手未参加
    #[default]
    Pending,
    /// 両者参加中
    Active,
    /// 終了要求済み、終了通知待ち
    Terminating,
    /// 終了完了
    Ended,
    /// 応答なし
    Expired,
}

impl State {
    /// Name in the database and the specification.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Terminating => "terminating",
            Self::Ended => "ended",
            Self::Expired => "expired",
        }
    }

    /// Whether messages may still be written.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Active)
    }
}

/// Who an agent is (CONV-9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// A program.
    #[default]
    Ai,
    /// A person.
    Human,
}

/// An agent of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    /// Its name for programs: `worker-a`.
    pub agent_id: String,
    /// Its name for people.
    pub name: String,
    /// `ai` or `human`.
    #[serde(rename = "type")]
    pub kind: AgentKind,
    /// What it is good at.
    pub skills: Vec<String>,
    /// Whether it has a live session in the project.
    pub online: bool,
    /// The assistant of the host that plays it; none for one that comes from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assistant: Option<String>,
}

/// What `list_agents` puts out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agents {
    /// Whose project it is.
    pub project_id: String,
    /// The agent that asks, by its name for programs.
    pub my_agent_id: String,
    /// All agents of the project, by their ids.
    pub agents: Vec<Agent>,
}

/// One chat message, in the specification's names (CONV-6, CONV-X14).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    /// `msg_` and a UUID of version 7.
    pub id: String,
    /// Identifier of its sender.
    pub sender_id: String,
    /// To whom; none where it went to all members of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient_id: Option<String>,
    /// Text, as it was written.
    pub content: String,
    /// When it was sent.
    pub timestamp: String,
    /// The conversation; none between a person and an agent (CONV-7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// Its number in its conversation or chat, from 1, without gaps.
    pub sequence: u64,
    /// When its recipient read it, where the caller may know; of several recipients, the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<String>,
}

/// One side of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// The agent's name for programs.
    pub agent_id: String,
    /// Its name for people.
    pub name: String,
    /// `ai` or `human`.
    #[serde(rename = "type")]
    pub kind: AgentKind,
    /// Whether it began the conversation: `initiator` or `participant`.
    pub role: Role,
    /// The assistant of the host that plays it; none for one that comes from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assistant: Option<String>,
    /// Messages that it has not read.
    pub unread: u32,
    /// What the host took to play it in this conversation.
    #[serde(default)]
    pub usage: Usage,
}

/// Which side of a conversation an agent is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The side that began it.
    #[default]
    Initiator,
    /// The side that was asked.
    Participant,
}

/// What the host took to play an agent in one conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// How often its assistant was asked.
    pub turns: u32,
    /// Tokens that went into models.
    pub input_tokens: u64,
    /// Tokens that came out of them.
    pub output_tokens: u64,
    /// US dollars, where a price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// One conversation as people see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conversation {
    /// `conv_` and a UUID of version 7.
    pub conversation_id: String,
    /// The project's name for programs.
    pub project_id: String,
    /// How far it has come.
    pub state: State,
    /// What it is for; none where it was begun without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Both sides, the initiator first.
    #[serde(default)]
    pub members: Vec<Member>,
    /// Messages so far.
    pub messages: u32,
    /// Turns so far: messages of the side that wrote fewer (CONV-32).
    pub turns: u32,
    /// Turns after which it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// When it was begun.
    pub created_at: String,
    /// Who had it begun, where that was not the initiator itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_by: Option<String>,
    /// When the participant came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<String>,
    /// When something was last written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message_at: Option<String>,
    /// What was last written, cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<String>,
    /// When a side, a person or the system ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminating_at: Option<String>,
    /// When it was over: all sides had been notified, or the participant did not come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Who ended it: an agent, or `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// Why: `initiator_ended`, `participant_ended`, `timeout`, `session_expired`, `max_turns` or
    /// `operator_ended`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_reason: Option<String>,
    /// The text of the side that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_text: Option<String>,
    /// Since when a person holds it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<String>,
    /// The person who holds it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<String>,
}

/// One step of a conversation's life, and who caused it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The state that it came to.
    pub state: State,
    /// When it came to it.
    pub at: String,
    /// Who: an agent, or `system`.
    pub caused_by: String,
    /// By what: the tool, or `pending_timeout`, `active_timeout`, `session_expired`, `notified`.
    pub cause: String,
}

/// What `get_conversation` puts out, and the view `conversation` draws: one conversation, its trace,
/// and a page of its messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transcript {
    /// The conversation itself.
    pub conversation: Conversation,
    /// Its trace, oldest first.
    pub steps: Vec<Step>,
    /// Messages, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Whether there are older ones.
    pub has_older: bool,
    /// Whether the caller may step in.
    pub may_step_in: bool,
}

/// What `list_conversations` puts out, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conversations {
    /// One page of them.
    pub conversations: Vec<Conversation>,
    /// Asks for the next page; none is the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What `GET /api/projects` says: everything that a person may know of projects and their agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Projects {
    /// The projects, by their ids.
    pub projects: Vec<Project>,
    /// The agent that the caller talks as.
    pub me: String,
    /// Whether they may define projects and agents.
    pub is_operator: bool,
}

/// One project with its agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Project {
    /// Its name for programs.
    pub project_id: String,
    /// Its name for people.
    pub name: String,
    /// Whether it stands in the configuration, where alone it can be changed.
    pub is_configured: bool,
    /// Its agents, by their ids.
    pub agents: Vec<ProjectAgent>,
}

/// One agent of a project, as people see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectAgent {
    /// The agent itself.
    #[serde(flatten)]
    pub agent: Agent,
    /// Whether it stands in the configuration, where alone it can be changed.
    pub is_configured: bool,
    /// Whether it has a passkey, so that it can come from outside.
    pub has_passkey: bool,
    /// Whether the person's chat with it is on.
    pub chat: ChatStatus,
    /// Messages of it that the person has not read.
    pub unread: u32,
}

/// Whether an agent is there for a person's chat (CONV 4.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatStatus {
    /// It has a live chat session.
    Connected,
    /// It was asked to come.
    Connecting,
    /// It is not there.
    #[default]
    Disconnected,
}
