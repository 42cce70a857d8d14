//! The tools of agents and of people, the app in which MCP clients show a conversation, and the examples that the host
//! tries before it serves the component: authentication, definitions and a start.

mod conversation;
mod define;
mod get_next_action;
pub mod people;
mod reading;
mod session;

use people::{
    BeginConversation, EndChat, GetConversation, ImportMessages, ListConversations, MarkChatRead,
    PauseConversation, SendChat, StartChat, StopConversation, WriteMessage,
};
use serde_json::json;
use toolkit::{Example, Stop, Text, Tool, apps::App, example, invalid};

pub use conversation::{EndConversation, StartConversation};
pub use define::{DefineAgent, DefineProject, RenewPasskey, RetireAgent};
pub use get_next_action::GetNextAction;
pub(crate) use get_next_action::{Action, Next};
pub use reading::{GetConversationMessages, GetPendingMessages, RespondChat, SendMessage};
pub use session::{Authenticate, Authentication, ListAgents, Logout, enter};

toolkit::export_tools!(
    readings "readings.txt";
    Authenticate,
    ListAgents,
    StartConversation,
    SendMessage,
    GetNextAction,
    GetPendingMessages,
    RespondChat,
    GetConversationMessages,
    EndConversation,
    Logout,
    BeginConversation,
    ListConversations,
    GetConversation,
    WriteMessage,
    PauseConversation,
    StopConversation,
    StartChat,
    SendChat,
    EndChat,
    MarkChatRead,
    ImportMessages,
    DefineProject,
    DefineAgent,
    RenewPasskey,
    RetireAgent,
);

/// `_meta` of a tool for pages that models do not see.
const FOR_PAGES: &str = r#"{"ui":{"visibility":["app"]}}"#;

/// Refuses a text that is too long, without repeating it.
fn bounded(pointer: &str, text: Option<&str>, most: usize) -> Result<(), Stop> {
    match text.and_then(|it| it.chars().nth(most)) {
        None => Ok(()),
        Some(_) => Err(invalid(pointer, format!("must have at most {most} characters"))),
    }
}

/// Refuses a number that is not from 1 to `most`.
fn within(pointer: &str, number: Option<u32>, most: u32) -> Result<(), Stop> {
    match number {
        Some(number) if !(1..=most).contains(&number) => {
            Err(invalid(pointer, format!("must be 1 to {most}")))
        }
        _ => Ok(()),
    }
}

/// The app that shows a conversation and writes into it, pauses and ends it.
pub const CONVERSATION: App = App {
    uri: "ui://conversations/conversation",
    name: "conversation_app",
    title: Text { ja: "会話", en: "Conversation" },
    style: include_str!("../app/conversation.css"),
    script: &[include_str!("../app/conversation.js")],
};

/// Returns the examples: the demo project exists, unknown agents are refused, and the operator defines agents.
pub fn examples() -> Vec<Example> {
    vec![
        example(
            "a stranger is not let in (CONV-80)",
            Authenticate::NAME,
            json!({ "agent_id": "worker-a", "passkey": "sesame", "project_id": "demo" }),
        )
        .gives(json!({
            "success": false,
            "error": "Authentication failed",
            "action": "exit",
        })),
        example(
            "a token that never was is told so (CONV-83)",
            ListAgents::NAME,
            json!({ "session_token": "sess_0" }),
        )
        .refuses("invalid_session"),
        example(
            "a person has two agents of the demo talk (CONV-11)",
            BeginConversation::NAME,
            json!({ "target_agent_id": "worker-b", "purpose": "しりとり", "max_turns": 5 }),
        )
        .gives(json!({
            "conversation": {
                "project_id": "demo",
                "state": "pending",
                "purpose": "しりとり",
                "members": [
                    { "agent_id": "worker-a", "role": "initiator" },
                    { "agent_id": "worker-b", "role": "participant" },
                ],
                "begun_by": "operator",
            },
            "steps": [{ "state": "pending", "caused_by": "operator" }],
        })),
        example(
            "not twice at a time, in either direction (CONV-95)",
            BeginConversation::NAME,
            json!({ "target_agent_id": "worker-a", "initiator_agent_id": "worker-b" }),
        )
        .refuses("conversation_already_active"),
        example(
            "and sees them in the list",
            ListConversations::NAME,
            json!({ "state": "pending" }),
        )
        .gives(json!({ "conversations": [{ "state": "pending" }] })),
        example(
            "an operator opens a project",
            DefineProject::NAME,
            json!({ "project_id": "shop", "name": "Web shop" }),
        )
        .gives(json!({ "project_id": "shop", "name": "Web shop" })),
        example(
            "and lets an agent in from outside, with a passkey of its own",
            DefineAgent::NAME,
            json!({ "agent_id": "guest", "name": "Guest", "type": "ai", "project_ids": ["shop"] }),
        )
        .gives(json!({ "agent_id": "guest", "project_ids": ["shop"] })),
        example(
            "what stands in the configuration is changed there",
            RetireAgent::NAME,
            json!({ "agent_id": "worker-a" }),
        )
        .refuses("agent_is_configured"),
    ]
}
