//! Expiry of requests, conversations, pauses and sessions: checked by one read on every call and every second
//! (CONV-13, CONV-15, CONV-19, CONV-23, CONV-54).

use output::conversations::State;
use serde::Deserialize;
use toolkit::{
    Stop,
    sql::{self, Rows, Statement},
};

use crate::{
    clock::Moment,
    settings::{Cuts, IDLE_S, Timeouts},
    transition::{self, Cause, Changed, Ending, SYSTEM},
};

/// Maximum number of expired things found at once.
const DUE_MAX: usize = 50;
/// How long a chat session that was asked to log out may stay without a message, in seconds.
const GRACE_S: u32 = IDLE_S;

/// What expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// A request that was not answered.
    Pending,
    /// A conversation without new messages.
    Active,
    /// A pause of a conversation.
    Pause,
    /// An end that a member does not acknowledge.
    Terminating,
    /// A session of an agent.
    Session,
}

/// Something expired; a session is identified by the digest of its token.
#[derive(Clone, Debug, Deserialize)]
pub struct Due {
    kind: Kind,
    id: String,
}

/// A check for what has expired at a moment.
#[derive(Clone, Debug)]
pub struct ExpiryCheck {
    /// The present moment.
    pub now: Moment,
    cuts: Cuts,
}

/// Checks once, and writes what has expired.
///
/// # Errors
/// When a setting does not fit, or the database fails.
pub fn settle() -> Result<(), Stop> {
    let check = ExpiryCheck::now()?;
    let [due] = sql::query([check.due()])?;
    check.settle(due).map(drop)
}

impl ExpiryCheck {
    /// Creates the check for the present moment.
    ///
    /// # Errors
    /// When a setting does not fit.
    pub fn now() -> Result<Self, Stop> {
        let now = Moment::now();
        Ok(Self { now, cuts: Timeouts::read()?.cuts(now) })
    }

    /// Selects what has expired, by six index searches.
    pub fn due(&self) -> Statement {
        toolkit::sql!(
            format!(
                "SELECT 'pending' AS kind, id FROM conversations \
                 WHERE state = 'pending' AND since_at <= $1 \
                 UNION ALL SELECT 'active', id FROM conversations \
                 WHERE state = 'active' AND since_at <= $2 AND paused_at IS NULL \
                 UNION ALL SELECT 'pause', id FROM conversations \
                 WHERE state = 'active' AND since_at <= $3 AND paused_at IS NOT NULL \
                 UNION ALL SELECT 'terminating', id FROM conversations \
                 WHERE state = 'terminating' AND since_at <= $2 \
                 UNION ALL SELECT 'session', token FROM sessions \
                 WHERE state = 'active' AND expires_at <= $4 \
                 UNION ALL SELECT 'session', token FROM sessions \
                 WHERE state = 'terminating' AND expires_at <= $4 \
                 UNION ALL SELECT 'session', token FROM sessions \
                 WHERE state = 'active' AND purpose = 'chat' AND last_activity_at <= $5 \
                 LIMIT {DUE_MAX}"
            ),
            &self.cuts.pending,
            &self.cuts.active,
            &self.cuts.pause,
            self.now.stored(),
            self.now.before(IDLE_S + GRACE_S).stored(),
        )
    }

    /// Writes what [`ExpiryCheck::due`] found, and notifies. Returns whether there was anything: then everything read
    /// along with it has to be read again.
    ///
    /// # Errors
    /// When the database fails.
    pub fn settle(&self, due: Rows) -> Result<bool, Stop> {
        let due: Vec<Due> = due.read()?;
        if due.is_empty() {
            return Ok(false);
        }
        let batches = due.iter().map(|it| transition::where_possible(self.expire_statements(it)));
        let results = sql::transact_all(&batches.flatten().collect::<Vec<_>>())?;
        notify(results)?;
        Ok(true)
    }

    /// Returns the statements for one of them, which only apply where it is still expired.
    fn expire_statements(&self, due: &Due) -> Vec<Statement> {
        let cause = |what| Cause { at: self.now, by: SYSTEM, what };
        match due.kind {
            Kind::Pending => {
                transition::expire(&due.id, &self.cuts.pending, &cause("pending_timeout"))
            }
            Kind::Active => {
                let ending = Ending {
                    from: State::Active,
                    cut: Some(&self.cuts.active),
                    reason: "timeout",
                    reason_text: None,
                    acknowledged: None,
                };
                transition::terminate(&due.id, &ending, &cause("active_timeout"))
            }
            Kind::Pause => transition::resume(&due.id, Some(&self.cuts.pause), self.now),
            Kind::Terminating => {
                let mut statements = vec![acknowledge_all(&due.id, &self.cuts.active, self.now)];
                statements.extend(transition::finish(&due.id, &cause("terminating_timeout")));
                statements
            }
            Kind::Session => self.expire_session(&due.id),
        }
    }

    /// Returns the statements that expire a session and what depends on it.
    fn expire_session(&self, token: &str) -> Vec<Statement> {
        let update = toolkit::sql!(
            "UPDATE sessions SET state = 'ended', ended_at = $2 WHERE token = $1 \
             AND state <> 'ended' AND (expires_at <= $2 OR \
             (purpose = 'chat' AND state = 'active' AND last_activity_at <= $3))",
            token,
            self.now.stored(),
            self.now.before(IDLE_S + GRACE_S).stored(),
        );
        let mut statements = vec![update];
        statements.extend(after_last_session(token, self.now));
        statements
    }
}

/// Ends a session after a logout or a closed chat, and the conversations of its agent where no other session of it is
/// live (CONV-19, CONV-85). The first statement requires a live session; changes are returned in rows for [`Changed`].
pub fn end_session(token_digest: &str, at: Moment) -> Vec<Statement> {
    let update = toolkit::sql!(
        "UPDATE sessions SET state = 'ended', ended_at = $2 WHERE token = $1 AND state <> 'ended'",
        token_digest,
        at.stored(),
    );
    let mut statements = vec![update.expect(1)];
    statements.extend(after_last_session(token_digest, at));
    statements
}

/// Notifies of all conversations in the results of [`end_session`].
///
/// # Errors
/// When the rows have other columns.
pub fn notify(results: Vec<Rows>) -> Result<(), Stop> {
    for rows in results {
        if rows.columns.iter().any(|it| it == "participant_agent_id") {
            rows.read::<Changed>()?.iter().for_each(Changed::notify);
        }
    }
    Ok(())
}

/// The condition for conversations of the agent of session `$1`, where that was its last session.
const LEFT: &str = "EXISTS (SELECT 1 FROM sessions s WHERE s.token = $1 AND s.state = 'ended' \
     AND s.project_id = conversations.project_id \
     AND s.agent_id IN (conversations.initiator_agent_id, conversations.participant_agent_id) \
     AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.agent_id = s.agent_id \
     AND o.project_id = s.project_id AND o.state <> 'ended' AND o.expires_at > $2))";

/// Returns the statements for an agent without sessions: its active conversations and own requests end, without
/// waiting for its acknowledgement.
fn after_last_session(token: &str, at: Moment) -> Vec<Statement> {
    let now = at.stored();
    let end = |state: &str, whose: &str| {
        toolkit::sql!(
            format!(
                "UPDATE conversations SET state = 'terminating', terminating_at = $2, \
                 since_at = $2, ended_by = 'system', end_reason = 'session_expired', \
                 paused_at = NULL, paused_by = NULL WHERE state = '{state}' \
                 AND {whose} = (SELECT agent_id FROM sessions WHERE token = $1) AND {LEFT} \
                 RETURNING id, project_id, initiator_agent_id, participant_agent_id"
            ),
            token,
            &now,
        )
    };
    let acknowledged = toolkit::sql!(
        format!(
            "UPDATE members SET acknowledged_at = $2 WHERE acknowledged_at IS NULL \
             AND agent_id = (SELECT agent_id FROM sessions WHERE token = $1) \
             AND conversation_id IN (SELECT id FROM conversations \
             WHERE state = 'terminating' AND {LEFT})"
        ),
        token,
        &now,
    );
    let without_purpose = toolkit::sql!(
        format!(
            "DELETE FROM pending_purposes WHERE conversation_id IN \
             (SELECT id FROM conversations WHERE state = 'terminating' AND {LEFT})"
        ),
        token,
        &now,
    );
    let traced = |state: State| {
        toolkit::sql!(
            format!(
                "INSERT INTO steps (conversation_id, position, state, at, caused_by, cause) \
                 SELECT id, (SELECT COUNT(*) FROM steps x \
                 WHERE x.conversation_id = conversations.id) + 1, state, $2, 'system', \
                 'session_expired' FROM conversations WHERE state = $3 AND since_at = $2 \
                 AND {LEFT} AND NOT EXISTS (SELECT 1 FROM steps x \
                 WHERE x.conversation_id = conversations.id AND x.state = $3)"
            ),
            token,
            &now,
            state.name(),
        )
    };
    let finished = toolkit::sql!(
        format!(
            "UPDATE conversations SET state = 'ended', ended_at = $2, since_at = $2 \
             WHERE state = 'terminating' AND {LEFT} AND NOT EXISTS (SELECT 1 FROM members m \
             WHERE m.conversation_id = conversations.id AND m.acknowledged_at IS NULL) \
             RETURNING id, project_id, initiator_agent_id, participant_agent_id"
        ),
        token,
        &now,
    );
    vec![
        end("active", "initiator_agent_id"),
        end("active", "participant_agent_id"),
        end("pending", "initiator_agent_id"),
        traced(State::Terminating),
        without_purpose,
        acknowledged,
        finished,
        traced(State::Ended),
    ]
}

/// Acknowledges an end for all members once it is older than `cut`.
fn acknowledge_all(id: &str, cut: &str, at: Moment) -> Statement {
    toolkit::sql!(
        "UPDATE members SET acknowledged_at = $3 WHERE conversation_id = $1 \
         AND acknowledged_at IS NULL AND EXISTS (SELECT 1 FROM conversations \
         WHERE id = $1 AND state = 'terminating' AND since_at <= $2)",
        id,
        cut,
        at.stored(),
    )
}
