//! The statements that store one message.

use output::conversations::State;
use toolkit::sql::Statement;

use super::{CHAT_KEPT, Letter, MESSAGES_MAX, Place, SHARE_BYTES, Voice, chat_of};
use crate::{
    clock::Moment,
    transition::{self, Cause, SYSTEM},
};

/// The statements that store a message; the first finds the place open, or nothing holds.
pub fn statements(letter: &Letter<'_>) -> Vec<Statement> {
    let mut statements = match letter.place {
        Place::Conversation { id, voice, has_max_turns } => {
            let mut statements = in_conversation(letter, id, voice);
            if has_max_turns && voice != Voice::Last {
                statements.extend(last_turn(id, letter.at));
            }
            statements
        }
        Place::Chat { human_id, agent_id } => in_chat(letter, human_id, agent_id),
    };
    statements.extend(letter.recipients.iter().map(|recipient| {
        toolkit::sql!(
            "INSERT INTO deliveries (agent_id, message_id, project_id, sender_id, created_at, \
             sequence) SELECT $1, id, project_id, sender_id, created_at, sequence \
             FROM messages WHERE id = $2",
            *recipient,
            letter.id,
        )
    }));
    statements
}

/// Into a conversation. Its messages are in the order of their numbers, whatever clocks say.
fn in_conversation(letter: &Letter<'_>, id: &str, voice: Voice) -> Vec<Statement> {
    let open = match voice {
        Voice::Member => format!(
            "(c.state = 'active' OR (c.state = 'pending' AND c.initiator_agent_id = $3)) \
             AND c.paused_at IS NULL AND (SELECT COALESCE(SUM(w.bytes), 0) FROM members w \
             WHERE w.agent_id = $3) < {SHARE_BYTES}"
        ),
        Voice::Last | Voice::Person => "c.state IN ('pending', 'active')".to_owned(),
    };
    let insert = toolkit::sql!(
        format!(
            "INSERT INTO messages (id, project_id, conversation_id, sequence, sender_id, \
             recipient_id, content, created_at, related_task_id, client_message_id) \
             SELECT $1, c.project_id, c.id, c.messages + 1, $3, $4, $5, \
             max($6, COALESCE(c.last_message_at, $6)), $7, $8 FROM conversations c \
             WHERE c.id = $2 AND c.project_id = $9 AND c.messages < {MESSAGES_MAX} AND {open}"
        ),
        letter.id,
        id,
        letter.sender_id,
        letter.recipient().map(str::to_owned),
        letter.content,
        letter.at.stored(),
        letter.related_task_id.map(str::to_owned),
        letter.client_message_id.map(str::to_owned),
        letter.project_id,
    );
    // A message does not prolong waiting for the participant, nor a pause.
    let count = toolkit::sql!(
        "UPDATE conversations SET messages = messages + 1, \
         last_message_at = max($2, COALESCE(last_message_at, $2)), since_at = CASE \
         WHEN state = 'active' AND paused_at IS NULL THEN max($2, since_at) ELSE since_at END \
         WHERE id = $1",
        id,
        letter.at.stored(),
    );
    let wrote = toolkit::sql!(
        "UPDATE members SET messages = messages + 1, bytes = bytes + $3 \
         WHERE conversation_id = $1 AND agent_id = $2",
        id,
        letter.sender_id,
        letter.bytes(),
    );
    vec![insert.expect(1), count.expect(1), wrote]
}

/// Between a person and an agent. A chat that was not started is counted, and not on.
fn in_chat(letter: &Letter<'_>, human_id: &str, agent_id: &str) -> Vec<Statement> {
    let count = toolkit::sql!(
        "INSERT INTO chats (project_id, human_id, agent_id, started_at, ended_at, messages, \
         last_message_at) VALUES ($1, $2, $3, $4, $4, 1, $4) \
         ON CONFLICT (project_id, human_id, agent_id) DO UPDATE SET \
         messages = chats.messages + 1, \
         last_message_at = max($4, COALESCE(chats.last_message_at, $4))",
        letter.project_id,
        human_id,
        agent_id,
        letter.at.stored(),
    );
    let insert = toolkit::sql!(
        "INSERT INTO messages (id, project_id, chat, sequence, sender_id, recipient_id, content, \
         created_at, related_task_id, client_message_id) \
         SELECT $1, project_id, $2, messages, $3, $4, $5, last_message_at, $6, $7 FROM chats \
         WHERE project_id = $8 AND human_id = $9 AND agent_id = $10",
        letter.id,
        chat_of(human_id, agent_id),
        letter.sender_id,
        letter.recipient().map(str::to_owned),
        letter.content,
        letter.related_task_id.map(str::to_owned),
        letter.client_message_id.map(str::to_owned),
        letter.project_id,
        human_id,
        agent_id,
    );
    let [deliveries, messages] = [
        "DELETE FROM deliveries WHERE message_id IN (SELECT id FROM messages WHERE",
        "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE",
    ]
    .map(|delete| {
        toolkit::sql!(
            format!(
                "{delete} chat IS NOT NULL AND project_id = $1 AND chat = $2 AND sequence <= \
                 (SELECT c.messages FROM chats c WHERE c.project_id = $1 AND c.human_id = $3 \
                 AND c.agent_id = $4) - {CHAT_KEPT})"
            ),
            letter.project_id,
            chat_of(human_id, agent_id),
            human_id,
            agent_id,
        )
    });
    vec![count.expect(1), insert.expect(1), deliveries, messages]
}

/// Ends a conversation whose turns are used up; neither side knows of it yet (CONV-32).
fn last_turn(id: &str, at: Moment) -> Vec<Statement> {
    let cause = Cause { at, by: SYSTEM, what: "max_turns" };
    let update = toolkit::sql!(
        "UPDATE conversations SET state = 'terminating', terminating_at = $2, since_at = $2, \
         ended_by = $3, end_reason = 'max_turns', paused_at = NULL, paused_by = NULL \
         WHERE id = $1 AND state = 'active' AND max_turns <= \
         (SELECT MIN(m.messages) FROM members m WHERE m.conversation_id = $1)",
        id,
        at.stored(),
        SYSTEM,
    );
    vec![update, transition::trace(id, State::Terminating, &cause)]
}
