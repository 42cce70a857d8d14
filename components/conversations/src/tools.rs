//! The tools of agents and of people, and the app in which MCP clients show a conversation.

mod agents;
mod conversation;
mod define;
mod get_next_action;
pub mod people;
mod reading;
mod sending;
mod session;

use toolkit::{Stop, Text, apps::App, invalid};

pub use agents::{RenewPasskey, RetireAgent};
pub use conversation::{EndConversation, StartConversation};
pub use define::{DefineAgent, DefineProject};
pub use get_next_action::GetNextAction;
pub(crate) use get_next_action::{Action, Next};
use people::{
    BeginConversation, EndChat, GetConversation, ImportMessages, ListConversations, MarkChatRead,
    PauseConversation, SendChat, StartChat, StopConversation, WriteMessage,
};
pub use reading::{GetConversationMessages, GetPendingMessages};
pub use sending::{RespondChat, SendMessage};
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
