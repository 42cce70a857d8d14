//! A chat is read, and is over.

use toolkit::{Stop, events, sql, sql::Statement};

use super::{Chat, notify, status};
use crate::{clock::Moment, events::chats, person::Person};

/// Messages of one page are marked as read in one batch.
const READ_MAX: usize = crate::transcripts::PAGE_MAX as usize;

/// Ends the person's chat with an agent, again and again if they like. The agent gets `exit` at
/// its next `get_next_action` (CONV 4.6), unless it has another conversation or chat.
///
/// # Errors
/// As the database.
pub fn end(person: &Person, project_id: &str, agent_id: &str) -> Result<Chat, Stop> {
    let now = Moment::now().stored();
    let over = toolkit::sql!(
        "UPDATE chats SET ended_at = $4 \
         WHERE project_id = $1 AND human_id = $2 AND agent_id = $3 AND ended_at IS NULL",
        project_id,
        &person.agent_id,
        agent_id,
        &now,
    );
    let [over, left, forgotten] = sql::transact([
        over,
        leave(
            "UPDATE sessions SET state = 'terminating' \
             WHERE state = 'active' AND purpose = 'chat'",
            project_id,
            agent_id,
        ),
        leave(
            "DELETE FROM pending_purposes WHERE purpose = 'chat' AND conversation_id IS NULL",
            project_id,
            agent_id,
        ),
    ])?;
    if over.changes + left.changes + forgotten.changes > 0 {
        notify(project_id, agent_id, forgotten.changes > 0);
    }
    status(project_id, agent_id)
}

/// The statement for the agent in the project, where it has no other conversation or chat.
fn leave(statement: &str, project_id: &str, agent_id: &str) -> Statement {
    let statement = format!(
        "{statement} AND project_id = $1 AND agent_id = $2 \
         AND NOT EXISTS (SELECT 1 FROM chats c \
          WHERE c.project_id = $1 AND c.agent_id = $2 AND c.ended_at IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM members m JOIN conversations c ON c.id = m.conversation_id \
          WHERE m.agent_id = $2 AND c.project_id = $1 AND c.state IN ('pending', 'active'))"
    );
    toolkit::sql!(statement, project_id, agent_id)
}

/// Marks all that the agent wrote to the person as read.
///
/// # Errors
/// As the database.
pub fn mark_read(person: &Person, project_id: &str, agent_id: &str) -> Result<Chat, Stop> {
    let [read] = sql::transact([toolkit::sql!(
        "UPDATE deliveries SET read_at = $1 \
         WHERE agent_id = $2 AND project_id = $3 AND sender_id = $4 AND read_at IS NULL",
        Moment::now().stored(),
        &person.agent_id,
        project_id,
        agent_id,
    )])?;
    if read.changes > 0 {
        events::publish(&chats(project_id));
    }
    status(project_id, agent_id)
}

/// These messages, which went to the person, are read.
pub(super) fn read_these(
    person: &Person,
    project_id: &str,
    agent_id: &str,
    ids: &[&str],
) -> Result<(), Stop> {
    let ids = &ids[..ids.len().min(READ_MAX)];
    if ids.is_empty() {
        return Ok(());
    }
    let update = format!(
        "UPDATE deliveries SET read_at = $1 WHERE agent_id = $2 AND project_id = $3 \
         AND sender_id = $4 AND read_at IS NULL AND message_id IN ({})",
        sql::placeholders(5, ids.len())
    );
    let update =
        toolkit::sql!(update, Moment::now().stored(), &person.agent_id, project_id, agent_id);
    let [read] = sql::transact([update.bind_all(ids.iter().copied())])?;
    if read.changes > 0 {
        events::publish(&chats(project_id));
    }
    Ok(())
}
