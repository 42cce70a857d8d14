//! The tools, in the order in which an agent meets them, then those of people.

mod end_conversation;
mod get_conversation_messages;
mod get_next_action;
mod get_pending_messages;
mod list_agents;
mod respond_chat;
mod send_message;
mod start_conversation;

pub use end_conversation::EndConversation;
pub use get_conversation_messages::GetConversationMessages;
pub use get_next_action::GetNextAction;
pub use get_pending_messages::GetPendingMessages;
pub use list_agents::ListAgents;
pub use respond_chat::RespondChat;
pub use send_message::SendMessage;
pub use start_conversation::StartConversation;
