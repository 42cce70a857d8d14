//! What an agent is notified of once in its conversations: ends, requests that were not answered, and
//! requests (CONV-51 to CONV-54).

use output::conversations::State;
use serde::Deserialize;
use toolkit::{Stop, sql, sql::Statement};

use crate::{
    activity,
    clock::Moment,
    ids,
    session::Session,
    transition::{self, Cause, Changed},
};

/// The tool that delivers them.
const TOOL: &str = "get_next_action";

/// The kinds of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A conversation that has ended, or is ending.
    Ended,
    /// A request of one's own that was not answered.
    Expired,
    /// A request of another agent.
    Request,
}

/// A notice that an agent is to receive.
#[derive(Clone, Debug, Deserialize)]
pub struct Notice {
    /// Its kind.
    pub kind: Kind,
    /// Identifier of the conversation.
    pub id: String,
    /// Identifier of the project.
    pub project_id: String,
    /// Identifier of the agent that asked.
    pub initiator_agent_id: String,
    /// The name of the agent that asked.
    pub initiator_name: Option<String>,
    /// Identifier of the agent that was asked.
    pub participant_agent_id: String,
    /// How far the conversation has come.
    pub state: State,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// The agent that ended it, or `system`.
    pub ended_by: Option<String>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// The text of the side that ended it.
    pub reason_text: Option<String>,
}

/// The next one for the agent of a session: ends before expiries before requests, the oldest first.
pub fn next(token: &str) -> Statement {
    toolkit::sql!(
        "SELECT CASE WHEN c.state IN ('terminating', 'ended') THEN 'ended' \
         WHEN c.state = 'expired' THEN 'expired' ELSE 'request' END AS kind, \
         c.id, c.project_id, c.initiator_agent_id, a.name AS initiator_name, \
         c.participant_agent_id, c.state, c.purpose, c.ended_by, c.end_reason, c.reason_text \
         FROM sessions s JOIN members m ON m.agent_id = s.agent_id AND m.notified_at IS NULL \
         JOIN conversations c ON c.id = m.conversation_id AND c.project_id = s.project_id \
         JOIN agents a ON a.id = c.initiator_agent_id \
         WHERE s.token = $1 AND (c.state IN ('terminating', 'ended') \
         OR (c.state = 'expired' AND m.role = 'initiator') \
         OR (c.state IN ('pending', 'active') AND m.role = 'participant' \
         AND m.requested_at IS NULL)) \
         ORDER BY CASE c.state WHEN 'terminating' THEN 0 WHEN 'ended' THEN 0 \
         WHEN 'expired' THEN 1 ELSE 2 END, COALESCE(c.terminating_at, c.ended_at, c.created_at), \
         c.id LIMIT 1",
        ids::digest(token),
    )
}

impl Notice {
    /// Delivers it: exactly one call gets to say it. False where another one was faster, or the
    /// conversation has gone on meanwhile.
    ///
    /// # Errors
    /// When the database fails.
    pub fn deliver(&self, session: &Session, at: Moment) -> Result<bool, Stop> {
        let batch = match self.kind {
            Kind::Ended => self.ended(session, at),
            Kind::Expired => vec![self.notified(session, at, "state = 'expired'")],
            Kind::Request => self.requested(session, at),
        };
        let is_delivered = sql::if_expected(sql::transact_all(&batch))?.is_some();
        if is_delivered {
            self.changed().notify();
        }
        Ok(is_delivered)
    }

    /// The agent knows of the end; where both sides do, it is over (CONV-16).
    fn ended(&self, session: &Session, at: Moment) -> Vec<Statement> {
        let cause = Cause { at, by: &session.agent_id, what: "notified" };
        let mut batch = vec![self.notified(session, at, "state IN ('terminating', 'ended')")];
        if self.state == State::Terminating {
            batch.push(transition::acknowledge(&self.id, &session.agent_id, at));
            batch.extend(transition::finish(&self.id, &cause));
        }
        batch
    }

    fn notified(&self, session: &Session, at: Moment, is_so: &str) -> Statement {
        let update = toolkit::sql!(
            format!(
                "UPDATE members SET notified_at = $3 WHERE conversation_id = $1 \
                 AND agent_id = $2 AND notified_at IS NULL \
                 AND EXISTS (SELECT 1 FROM conversations WHERE id = $1 AND {is_so})"
            ),
            &self.id,
            &session.agent_id,
            at.stored(),
        );
        update.expect(1)
    }

    /// The participant is there: the conversation is active, if it was not yet, and the session is
    /// there to talk (CONV-12, CONV-51, CONV-111).
    fn requested(&self, session: &Session, at: Moment) -> Vec<Statement> {
        let cause = Cause { at, by: &session.agent_id, what: TOOL };
        let requested = toolkit::sql!(
            "UPDATE members SET requested_at = $3 WHERE conversation_id = $1 AND agent_id = $2 \
             AND requested_at IS NULL AND EXISTS (SELECT 1 FROM conversations WHERE id = $1 \
             AND state IN ('pending', 'active'))",
            &self.id,
            &session.agent_id,
            at.stored(),
        );
        let mut batch = activity::talks(session, at);
        batch.push(requested.expect(1));
        batch.extend(transition::where_possible(transition::activate(&self.id, &cause)));
        batch
    }

    fn changed(&self) -> Changed {
        Changed {
            id: self.id.clone(),
            project_id: self.project_id.clone(),
            initiator_agent_id: self.initiator_agent_id.clone(),
            participant_agent_id: self.participant_agent_id.clone(),
        }
    }
}
