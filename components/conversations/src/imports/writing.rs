//! The statements that store a line in its place.

use toolkit::sql::Statement;

use super::{line::Line, places::Place};
use crate::{clock::Moment, delivery::chat_of, transition::SYSTEM};

/// By what an imported conversation came to its states.
const CAUSE: &str = "import_messages";

/// Stores a line; `is_first` makes its conversation before, which is over.
pub(super) fn statements(line: &Line, place: &Place, is_first: bool) -> Vec<Statement> {
    match place {
        Place::Chat { project_id, ends } => in_chat(line, project_id, ends),
        Place::Conversation { project_id, id } => {
            let mut statements = if is_first { made(line, project_id, id) } else { Vec::new() };
            statements.extend(in_conversation(line, project_id, id));
            statements
        }
    }
}

/// A conversation that was held elsewhere: all its members know that it is over.
fn made(line: &Line, project_id: &str, id: &str) -> Vec<Statement> {
    let participant = line.recipient_id.clone();
    let conversation = toolkit::sql!(
        "INSERT INTO conversations (id, project_id, initiator_agent_id, participant_agent_id, \
         state, created_at, activated_at, ended_at, ended_by, since_at) \
         VALUES ($1, $2, $3, $4, 'ended', $5, $5, $5, $6, $7)",
        id,
        project_id,
        &line.sender_id,
        participant.clone(),
        &line.at,
        SYSTEM,
        // From now on it is kept as long as others are.
        Moment::now().stored(),
    );
    let members = toolkit::sql!(
        "INSERT INTO members (conversation_id, agent_id, role, requested_at, acknowledged_at, \
         notified_at) VALUES ($1, $2, 'initiator', $4, $4, $4), ($1, $3, 'participant', $4, $4, $4)",
        id,
        &line.sender_id,
        participant,
        &line.at,
    );
    let steps = toolkit::sql!(
        "INSERT INTO steps (conversation_id, position, state, at, caused_by, cause) \
         VALUES ($1, 1, 'pending', $2, $3, $5), ($1, 2, 'ended', $2, $4, $5)",
        id,
        &line.at,
        &line.sender_id,
        SYSTEM,
        CAUSE,
    );
    vec![conversation, members, steps]
}

/// Into a conversation that is over; one that was imported lasted until its last message.
fn in_conversation(line: &Line, project_id: &str, id: &str) -> Vec<Statement> {
    let insert = toolkit::sql!(
        "INSERT INTO messages (id, project_id, conversation_id, sequence, sender_id, recipient_id, \
         content, created_at) SELECT $1, c.project_id, c.id, c.messages + 1, $4, $5, $6, $7 \
         FROM conversations c WHERE c.id = $2 AND c.project_id = $3 \
         AND c.state IN ('ended', 'expired')",
        &line.id,
        id,
        project_id,
        &line.sender_id,
        line.recipient_id.clone(),
        &line.content,
        &line.at,
    );
    let count = toolkit::sql!(
        "UPDATE conversations SET messages = messages + 1, \
         last_message_at = max($2, COALESCE(last_message_at, $2)), \
         ended_at = CASE WHEN end_reason IS NULL AND state = 'ended' THEN max($2, ended_at) \
         ELSE ended_at END WHERE id = $1",
        id,
        &line.at,
    );
    let wrote = toolkit::sql!(
        "UPDATE members SET messages = messages + 1 WHERE conversation_id = $1 AND agent_id = $2",
        id,
        &line.sender_id,
    );
    let step = toolkit::sql!(
        "UPDATE steps SET at = max($2, at) \
         WHERE conversation_id = $1 AND state = 'ended' AND cause = $3",
        id,
        &line.at,
        CAUSE,
    );
    vec![insert.expect(1), count, wrote, step]
}

/// Between two, behind their messages here already. It counts as read.
fn in_chat(line: &Line, project_id: &str, [human_id, agent_id]: &[String; 2]) -> Vec<Statement> {
    let count = toolkit::sql!(
        "INSERT INTO chats (project_id, human_id, agent_id, started_at, ended_at, messages, \
         last_message_at) VALUES ($1, $2, $3, $4, $4, 1, $4) \
         ON CONFLICT (project_id, human_id, agent_id) DO UPDATE SET \
         messages = chats.messages + 1, \
         last_message_at = max($4, COALESCE(chats.last_message_at, $4))",
        project_id,
        human_id,
        agent_id,
        &line.at,
    );
    let insert = toolkit::sql!(
        "INSERT INTO messages (id, project_id, chat, sequence, sender_id, recipient_id, content, \
         created_at) SELECT $1, project_id, $2, messages, $3, $4, $5, $6 FROM chats \
         WHERE project_id = $7 AND human_id = $8 AND agent_id = $9",
        &line.id,
        chat_of(human_id, agent_id),
        &line.sender_id,
        line.recipient_id.clone(),
        &line.content,
        &line.at,
        project_id,
        human_id,
        agent_id,
    );
    vec![count, insert.expect(1)]
}
