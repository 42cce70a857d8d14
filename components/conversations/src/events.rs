//! Events: callers that wait for one, and clients that look at it, look again.

use toolkit::events;

/// The list of conversations: any of them has changed.
pub const LIST: &str = "conversations://list";
/// An agent is to be launched: what is due is looked at again.
pub const PURPOSES: &str = "conversations://purposes";

/// A conversation, as pages and resources name it.
pub fn conversation(id: &str) -> String {
    format!("conversation://{id}")
}

/// An agent's `get_next_action` may have something else to say.
pub fn agent(project_id: &str, agent_id: &str) -> String {
    format!("agent://{project_id}/{agent_id}")
}

/// The chats of a project with people: messages, sessions, receipts.
pub fn chats(project_id: &str) -> String {
    format!("chats://{project_id}")
}

/// Publishes that a conversation has changed, for the list that it stands in, and for its agents.
pub fn changed(conversation_id: &str, project_id: &str, agents: &[&str]) {
    agents.iter().for_each(|it| events::publish(&agent(project_id, it)));
    events::publish(&conversation(conversation_id));
    events::publish(LIST);
}
