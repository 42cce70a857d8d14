//! What people do: by who they are, without a session.

mod begin;
mod chats;
mod get;
mod import;
mod list;
mod pause;
mod stop;
mod write;

pub use begin::BeginConversation;
pub use chats::{EndChat, MarkChatRead, SendChat, StartChat};
pub use get::GetConversation;
pub use import::ImportMessages;
pub use list::ListConversations;
pub use pause::PauseConversation;
pub use stop::StopConversation;
pub use write::WriteMessage;

use output::conversations::State;
use serde::Deserialize;
use toolkit::{Stop, sql};

use crate::{
    expiry,
    person::{self, Person},
    refusals::conversation_not_found,
    visibility::{bound, condition},
};

/// What stepping in needs to know of a conversation.
#[derive(Debug, Deserialize)]
struct Found {
    project_id: String,
    state: State,
    initiator_agent_id: String,
    participant_agent_id: String,
    has_max_turns: bool,
}

/// The person who calls; what is over by then is over (CONV-23).
///
/// # Errors
/// When the caller is no person.
fn calling(tool: &str) -> Result<Person, Stop> {
    let person = person::calling(tool)?;
    expiry::settle()?;
    Ok(person)
}

/// The person who calls, and a conversation that they see.
///
/// # Errors
/// When the caller is no person, or there is none that they see.
fn seeing(tool: &str, conversation_id: &str) -> Result<(Person, Found), Stop> {
    let person = calling(tool)?;
    let select = format!(
        "SELECT c.project_id, c.state, c.initiator_agent_id, c.participant_agent_id, \
         c.max_turns IS NOT NULL AS has_max_turns FROM conversations c WHERE c.id = $1 AND {}",
        condition("c.project_id", 2)
    );
    let [rows] = sql::query([bound(toolkit::sql!(select, conversation_id), &person)])?;
    let found = rows.first::<Found>()?.ok_or_else(|| conversation_not_found(conversation_id))?;
    Ok((person, found))
}
