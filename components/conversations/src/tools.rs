//! The tools, in the order in which an agent meets them, then those of people.

mod authenticate;
mod define_agent;
mod define_project;
mod end_conversation;
mod get_conversation_messages;
mod get_next_action;
mod get_pending_messages;
mod list_agents;
mod logout;
mod renew_passkey;
mod respond_chat;
mod retire_agent;
mod send_message;
mod start_conversation;

pub mod people;

pub use authenticate::{Authenticate, Authentication, enter};
pub use define_agent::DefineAgent;
pub use define_project::DefineProject;
pub use end_conversation::EndConversation;
pub use get_conversation_messages::GetConversationMessages;
pub use get_next_action::GetNextAction;
pub(crate) use get_next_action::{Action, Next};
pub use get_pending_messages::GetPendingMessages;
pub use list_agents::ListAgents;
pub use logout::Logout;
pub use renew_passkey::RenewPasskey;
pub use respond_chat::RespondChat;
pub use retire_agent::RetireAgent;
pub use send_message::SendMessage;
pub use start_conversation::StartConversation;

use people::{
    BeginConversation, EndChat, GetConversation, ImportMessages, ListConversations, MarkChatRead,
    PauseConversation, SendChat, StartChat, StopConversation, WriteMessage,
};

toolkit::export_tools!(
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

/// Only pages see these: `_meta` of a tool that no model sees.
const FOR_PAGES: &str = r#"{"ui":{"visibility":["app"]}}"#;
