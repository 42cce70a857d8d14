//! What a session does when a message is sent or delivered in it.

use toolkit::sql::Statement;

use crate::{
    clock::Moment,
    session::{Purpose, Session},
};

/// A message was sent: the session is not idle (CONV-66). The first statement finds it live, or
/// nothing holds.
pub fn goes_on(session: &Session, at: Moment) -> Vec<Statement> {
    let update = toolkit::sql!(
        "UPDATE sessions SET last_activity_at = max($2, last_activity_at) \
         WHERE token = $1 AND state <> 'ended'",
        &session.token,
        at.stored(),
    );
    vec![update.expect(1)]
}

/// A session in which a conversation begins, or is delivered, is there to talk from now on: it must
/// read answers (CONV-111). It is then the one chat session of its agent (CONV-82).
pub fn talks(session: &Session, at: Moment) -> Vec<Statement> {
    if session.purpose == Purpose::Chat {
        return goes_on(session, at);
    }
    let update = toolkit::sql!(
        "UPDATE sessions SET purpose = 'chat', last_activity_at = $2 \
         WHERE token = $1 AND state <> 'ended'",
        &session.token,
        at.stored(),
    );
    let others = toolkit::sql!(
        "UPDATE sessions SET state = 'ended', ended_at = $4 WHERE agent_id = $1 \
         AND project_id = $2 AND purpose = 'chat' AND state <> 'ended' AND token <> $3",
        &session.agent_id,
        &session.project_id,
        &session.token,
        at.stored(),
    );
    vec![update.expect(1), others]
}
