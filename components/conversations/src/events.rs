//! Names of events, and their publication to waiting callers and subscribed clients.

use toolkit::events;

/// Any conversation has changed.
pub const LIST: &str = "conversations://list";
/// An agent is to be launched.
pub const PURPOSES: &str = "conversations://purposes";

/// A conversation has changed; also its resource URI.
pub fn conversation(id: &str) -> String {
    format!("conversation://{id}")
}

/// The next action of an agent may have changed.
pub fn agent(project_id: &str, agent_id: &str) -> String {
    format!("agent://{project_id}/{agent_id}")
}

/// Messages, sessions or receipts of a project's chats with people have changed.
pub fn chats(project_id: &str) -> String {
    format!("chats://{project_id}")
}

/// Publishes that a conversation has changed, to the list and to its agents as well.
pub fn changed(conversation_id: &str, project_id: &str, agents: &[&str]) {
    agents.iter().for_each(|it| events::publish(&agent(project_id, it)));
    events::publish(&conversation(conversation_id));
    events::publish(LIST);
}
