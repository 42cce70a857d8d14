//! A person says something to an agent: written once, however often it is sent.

use output::conversations::ChatMessage;
use schemars::JsonSchema;
use serde::Serialize;
use toolkit::{Stop, events, sql, unavailable};

use super::{ask_to_come, open};
use crate::{
    clock::Moment,
    delivery::{self, Letter, Place, checked},
    events::PURPOSES,
    ids,
    person::Person,
    transcripts::{MESSAGE, MessageRow},
};

/// A message that is stored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sent {
    /// Always true, as the specification has it.
    pub success: bool,
    /// `msg_…`.
    pub message_id: String,
    /// The message as it is stored.
    pub message: ChatMessage,
}

/// Says it to the agent, who is asked to come where it is not there.
///
/// # Errors
/// When it is empty, too long, or another message than before under the same client's id.
pub fn say(
    person: &Person,
    project_id: &str,
    agent_id: &str,
    content: &str,
    client_message_id: Option<&str>,
) -> Result<Sent, Stop> {
    checked(content)?;
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
    let message = rows.first::<MessageRow>()?.map(MessageRow::into_chat_message);
    let message = message.ok_or_else(|| unavailable("The message is gone.", None))?;
    Ok(Sent { success: true, message_id: stored.id, message })
}
