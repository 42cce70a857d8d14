//! A person says something to an agent: written once, however often it is sent.

use output::conversations::ChatMessage;
use toolkit::{
    Stop, refused, sql,
    sql::{Error, Statement},
};

use super::{ask_to_come, open, place, ring};
use crate::{
    clock::Moment,
    ids,
    person::Person,
    refusals,
    transcripts::{MESSAGE, Said},
};

/// Characters of one message (CONV-65).
const CONTENT_MAX: usize = 4_000;

/// What somebody says, checked.
#[derive(Clone, Debug)]
pub struct Message {
    /// The text, as it was written.
    pub content: String,
    /// Whatever the sender calls it, so that sending it again sends it once.
    pub client_message_id: Option<String>,
}

impl Message {
    /// # Errors
    /// When it is empty or too long (CONV-65).
    pub fn new(content: String, client_message_id: Option<String>) -> Result<Self, Stop> {
        if content.trim().is_empty() {
            return Err(refusals::content_required());
        }
        if content.chars().count() > CONTENT_MAX {
            return Err(refusals::content_too_long());
        }
        Ok(Self { content, client_message_id })
    }
}

/// Says it to the agent, who is asked to come where it is not there.
///
/// # Errors
/// As the database.
pub fn say(
    person: &Person,
    project_id: &str,
    agent_id: &str,
    message: &Message,
) -> Result<ChatMessage, Stop> {
    let is_here = |it: &ChatMessage| {
        it.conversation_id.is_none() && it.recipient_id.as_deref() == Some(agent_id)
    };
    if let Some(said) = said_before(person, project_id, message, is_here)? {
        return Ok(said);
    }
    let now = Moment::now();
    let id = ids::message(now);
    let chat = place(&person.agent_id, agent_id);
    let insert = toolkit::sql!(
        "INSERT INTO messages (id, project_id, chat, sequence, sender_id, recipient_id, content, \
         created_at, client_message_id) \
         SELECT $1, $2, $3, COALESCE(MAX(m.sequence), 0) + 1, $4, $5, $6, $7, $8 \
         FROM messages m WHERE m.project_id = $2 AND m.chat = $3",
        &id,
        project_id,
        &chat,
        &person.agent_id,
        agent_id,
        &message.content,
        now.stored(),
        message.client_message_id.clone(),
    );
    let count = toolkit::sql!(
        "UPDATE chats SET messages = messages + 1 \
         WHERE project_id = $1 AND human_id = $2 AND agent_id = $3",
        project_id,
        &person.agent_id,
        agent_id,
    );
    let batch = [
        open(person, project_id, agent_id, now),
        insert.expect(1),
        deliver(&id, project_id, &person.agent_id, agent_id, now),
        count.expect(1),
        ask_to_come(project_id, agent_id, now),
        one(&id),
    ];
    match sql::transact(batch) {
        Ok([.., asked, said]) => {
            ring(project_id, agent_id, asked.changes > 0);
            let said = said.first::<Said>()?;
            said.map(Said::told).ok_or_else(|| refusals::agent_not_found(agent_id))
        }
        // The same message came in twice at once, and the other one was faster.
        Err(Error::Constraint(_)) if message.client_message_id.is_some() => {
            let said = said_before(person, project_id, message, is_here)?;
            said.ok_or_else(|| refusals::agent_not_found(agent_id))
        }
        Err(error) => Err(error.into()),
    }
}

/// The message goes to `agent_id`, who has not read it.
pub(crate) fn deliver(
    id: &str,
    project_id: &str,
    sender_id: &str,
    agent_id: &str,
    now: Moment,
) -> Statement {
    toolkit::sql!(
        "INSERT INTO deliveries (agent_id, message_id, project_id, sender_id, created_at) \
         VALUES ($1, $2, $3, $4, $5)",
        agent_id,
        id,
        project_id,
        sender_id,
        now.stored(),
    )
}

/// What the person said before under the same name, in the place that `is_here` knows.
///
/// # Errors
/// When the name was for something said elsewhere.
pub(crate) fn said_before(
    person: &Person,
    project_id: &str,
    message: &Message,
    is_here: impl Fn(&ChatMessage) -> bool,
) -> Result<Option<ChatMessage>, Stop> {
    let Some(name) = &message.client_message_id else { return Ok(None) };
    let select = format!(
        "SELECT {MESSAGE} FROM messages m \
         WHERE m.project_id = $1 AND m.sender_id = $2 AND m.client_message_id = $3"
    );
    let [rows] = sql::query([toolkit::sql!(select, project_id, &person.agent_id, name)])?;
    match rows.first::<Said>()?.map(Said::told) {
        Some(said) if !is_here(&said) => Err(refused(
            "client_message_id_used",
            409,
            refusals::say(
                "このclient_message_idは別のメッセージに使われています。",
                "Another message has this client_message_id.",
            ),
        )),
        said => Ok(said),
    }
}

fn one(id: &str) -> Statement {
    toolkit::sql!(format!("SELECT {MESSAGE} FROM messages m WHERE m.id = $1"), id)
}
