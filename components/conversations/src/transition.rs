//! State transitions of conversations (CONV-10 to CONV-19). Each is a list of statements for one `transact`; the first
//! requires the state that is left. The caller notifies afterwards: [`Changed::notify`].

use output::conversations::State;
use serde::Deserialize;
use toolkit::sql::Statement;

use crate::{clock::Moment, events, ids};

/// The actor of transitions that no agent causes (CONV-X8).
pub const SYSTEM: &str = "system";
/// Storage overhead of a conversation beyond its purpose, in bytes.
const OVERHEAD_BYTES: u32 = 2_000;
/// The columns that an update of a conversation returns.
const RETURNING: &str = "RETURNING id, project_id, initiator_agent_id, participant_agent_id";

/// The cause of a step, for its row of the trace.
#[derive(Clone, Copy, Debug)]
pub struct Cause<'a> {
    /// When it happens.
    pub at: Moment,
    /// An agent, or [`SYSTEM`].
    pub by: &'a str,
    /// The tool, or `pending_timeout`, `active_timeout`, `session_expired`, `notified` and the like.
    pub what: &'a str,
}

/// A changed conversation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Changed {
    /// The conversation's identifier.
    pub id: String,
    /// Identifier of the project.
    pub project_id: String,
    /// Identifier of the agent that asked.
    pub initiator_agent_id: String,
    /// Identifier of the agent that was asked.
    pub participant_agent_id: String,
}

impl Changed {
    /// Notifies both members, and clients that show the conversation or the list.
    pub fn notify(&self) {
        let agents = [self.initiator_agent_id.as_str(), &self.participant_agent_id];
        events::changed(&self.id, &self.project_id, &agents);
    }
}

/// A conversation to begin.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// The conversation's identifier.
    pub id: &'a str,
    /// Identifier of the project.
    pub project_id: &'a str,
    /// Identifier of the agent that asks.
    pub initiator: &'a str,
    /// Identifier of the agent that is asked.
    pub participant: &'a str,
    /// What the conversation is for.
    pub purpose: Option<&'a str>,
    /// Number of turns after which it ends by itself (CONV-32).
    pub max_turns: Option<u32>,
    /// The person who started it, where that was not the initiator.
    pub begun_by: Option<&'a str>,
}

/// Creates a pending conversation and calls the participant (CONV-11, CONV-33). The unique index `uq_open_pair`
/// refuses a second one of the same pair.
pub fn begin(beginning: &Beginning<'_>, cause: &Cause<'_>) -> Vec<Statement> {
    let at = cause.at.stored();
    let conversation = toolkit::sql!(
        "INSERT INTO conversations (id, project_id, initiator_agent_id, participant_agent_id, \
         purpose, max_turns, begun_by, created_at, since_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
        beginning.id,
        beginning.project_id,
        beginning.initiator,
        beginning.participant,
        beginning.purpose.map(str::to_owned),
        beginning.max_turns,
        beginning.begun_by.map(str::to_owned),
        &at,
    );
    let members = toolkit::sql!(
        "INSERT INTO members (conversation_id, agent_id, role, bytes) \
         VALUES ($1, $2, 'initiator', $4), ($1, $3, 'participant', 0)",
        beginning.id,
        beginning.initiator,
        beginning.participant,
        u32::try_from(beginning.purpose.map_or(0, str::len))
            .unwrap_or(u32::MAX)
            .saturating_add(OVERHEAD_BYTES),
    );
    let called = call(beginning.participant, beginning.project_id, Some(beginning.id), cause.at);
    vec![
        conversation.expect(1),
        members.expect(2),
        trace(beginning.id, State::Pending, cause),
        called,
    ]
}

/// Calls an agent to a chat (CONV-8), by a row of `pending_purposes`.
pub fn call(
    agent_id: &str,
    project_id: &str,
    conversation_id: Option<&str>,
    at: Moment,
) -> Statement {
    toolkit::sql!(
        "INSERT INTO pending_purposes (id, agent_id, project_id, purpose, conversation_id, \
         created_at) VALUES ($1, $2, $3, 'chat', $4, $5)",
        ids::purpose(at),
        agent_id,
        project_id,
        conversation_id.map(str::to_owned),
        at.stored(),
    )
}

/// Pending to active: the participant has joined (CONV-12). Its pending purpose is used up.
pub fn activate(id: &str, cause: &Cause<'_>) -> Vec<Statement> {
    let update = toolkit::sql!(
        format!(
            "UPDATE conversations SET state = 'active', activated_at = $2, since_at = $2 \
             WHERE id = $1 AND state = 'pending' {RETURNING}"
        ),
        id,
        cause.at.stored(),
    );
    let used = toolkit::sql!(
        "DELETE FROM pending_purposes WHERE conversation_id = $1 AND agent_id = \
         (SELECT participant_agent_id FROM conversations WHERE id = $1 AND state = 'active')",
        id,
    );
    vec![update.expect(1), trace(id, State::Active, cause), used]
}

/// Pending to expired, where the participant has not joined since `cut` or longer (CONV-13). Deletes its pending
/// purpose and its unread deliveries.
pub fn expire(id: &str, cut: &str, cause: &Cause<'_>) -> Vec<Statement> {
    let update = toolkit::sql!(
        format!(
            "UPDATE conversations SET state = 'expired', ended_at = $2, since_at = $2, \
             ended_by = $4 \
             WHERE id = $1 AND state = 'pending' AND since_at <= $3 {RETURNING}"
        ),
        id,
        cause.at.stored(),
        cut,
        cause.by,
    );
    let unread = toolkit::sql!(
        "DELETE FROM deliveries WHERE read_at IS NULL AND agent_id = \
         (SELECT participant_agent_id FROM conversations WHERE id = $1 AND state = 'expired') \
         AND message_id IN (SELECT id FROM messages WHERE conversation_id = $1)",
        id,
    );
    vec![update.expect(1), trace(id, State::Expired, cause), without_purpose(id), unread]
}

/// The end of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// The state that it leaves: pending or active (CONV-15, CONV-18).
    pub from: State,
    /// Only applies where nothing has happened since then.
    pub cut: Option<&'a str>,
    /// `initiator_ended` and the like.
    pub reason: &'a str,
    /// The reason given by the member that ends it.
    pub reason_text: Option<&'a str>,
    /// The member that has acknowledged it: the one that ends it (CONV-54).
    pub acknowledged: Option<&'a str>,
}

/// Pending or active to terminating: by a member or by time (CONV-15, CONV-18, CONV-19).
pub fn terminate(id: &str, ending: &Ending<'_>, cause: &Cause<'_>) -> Vec<Statement> {
    let at = cause.at.stored();
    let update = toolkit::sql!(
        format!(
            "UPDATE conversations SET state = 'terminating', terminating_at = $2, since_at = $2, \
             ended_by = $3, end_reason = $4, reason_text = $5, paused_at = NULL, \
             paused_by = NULL WHERE id = $1 AND state = $6 AND since_at <= $7 {RETURNING}"
        ),
        id,
        &at,
        cause.by,
        ending.reason,
        ending.reason_text.map(str::to_owned),
        ending.from.name(),
        // Sorts after every stored moment.
        ending.cut.unwrap_or("~"),
    );
    let mut statements =
        vec![update.expect(1), trace(id, State::Terminating, cause), without_purpose(id)];
    statements.extend(ending.acknowledged.map(|agent| acknowledge(id, agent, cause.at)));
    statements
}

/// Records that a member has been notified of the end (CONV-54).
pub fn acknowledge(id: &str, agent_id: &str, at: Moment) -> Statement {
    toolkit::sql!(
        "UPDATE members SET acknowledged_at = $3 WHERE conversation_id = $1 AND agent_id = $2 \
         AND acknowledged_at IS NULL \
         AND EXISTS (SELECT 1 FROM conversations WHERE id = $1 AND state = 'terminating')",
        id,
        agent_id,
        at.stored(),
    )
}

/// Terminating to ended, once every member has acknowledged (CONV-16).
pub fn finish(id: &str, cause: &Cause<'_>) -> Vec<Statement> {
    let update = toolkit::sql!(
        format!(
            "UPDATE conversations SET state = 'ended', ended_at = $2, since_at = $2 \
             WHERE id = $1 AND state = 'terminating' AND NOT EXISTS (SELECT 1 FROM members m \
             WHERE m.conversation_id = $1 AND m.acknowledged_at IS NULL) {RETURNING}"
        ),
        id,
        cause.at.stored(),
    );
    vec![update, trace(id, State::Ended, cause)]
}

/// Pauses an active conversation: time does not count and agents may not write.
pub fn pause(id: &str, cause: &Cause<'_>) -> Vec<Statement> {
    let update = toolkit::sql!(
        format!(
            "UPDATE conversations SET paused_at = $2, paused_by = $3, since_at = $2 \
             WHERE id = $1 AND state = 'active' AND paused_at IS NULL {RETURNING}"
        ),
        id,
        cause.at.stored(),
        cause.by,
    );
    vec![update.expect(1)]
}

/// Resumes a paused conversation, with a `cut` only where the pause is at least that old.
pub fn resume(id: &str, cut: Option<&str>, at: Moment) -> Vec<Statement> {
    let update = toolkit::sql!(
        format!(
            "UPDATE conversations SET paused_at = NULL, paused_by = NULL, since_at = $2 \
             WHERE id = $1 AND state = 'active' AND paused_at <= $3 {RETURNING}"
        ),
        id,
        at.stored(),
        cut.unwrap_or("~"),
    );
    vec![update.expect(1)]
}

/// Makes statements optional: those that do not apply are skipped.
pub fn where_possible(mut statements: Vec<Statement>) -> Vec<Statement> {
    statements.iter_mut().for_each(|it| it.expect = None);
    statements
}

/// Inserts the row of the trace, where the conversation is in that state and the row is missing.
pub fn trace(id: &str, state: State, cause: &Cause<'_>) -> Statement {
    toolkit::sql!(
        "INSERT INTO steps (conversation_id, position, state, at, caused_by, cause) \
         SELECT c.id, (SELECT COUNT(*) FROM steps s WHERE s.conversation_id = c.id) + 1, \
         c.state, $3, $4, $5 FROM conversations c WHERE c.id = $1 AND c.state = $2 \
         AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.conversation_id = c.id AND s.state = $2)",
        id,
        state.name(),
        cause.at.stored(),
        cause.by,
        cause.what,
    )
}

/// Deletes the pending purposes of a conversation that is not open.
fn without_purpose(id: &str) -> Statement {
    toolkit::sql!(
        "DELETE FROM pending_purposes WHERE conversation_id = $1 AND EXISTS \
         (SELECT 1 FROM conversations WHERE id = $1 AND state NOT IN ('pending', 'active'))",
        id,
    )
}
