//! How a conversation begins: conversation, call and first message in one transaction (CONV-33), of
//! rivals the unique index lets one through.

use output::conversations::State;
use serde::Deserialize;
use toolkit::{
    Stop, events as host_events, sql,
    sql::{ConstraintKind, Error, Rows, Statement},
};

use crate::{
    delivery::{self, Letter, SHARE_BYTES, Stored},
    events, refusals,
    transition::{self, Beginning, Cause},
};

/// Open conversations of one agent in one project.
pub const OPEN_MAX: u32 = 100;
/// Letters of a purpose, and of a reason.
pub const PURPOSE_MAX: usize = 1_000;
/// Turns that a conversation may be limited to (CONV-32).
pub const TURNS_MAX: u32 = 1_000;

/// Begins a conversation, with its first message, if any. `before` must hold first (the session is
/// live), `after` holds with it. Then notifies the agent that is asked, and what launches agents.
/// Gives the first message where the very same was sent a moment ago: then nothing begins.
///
/// # Errors
/// `conversation_already_active` where the pair has an open one, in either direction.
pub fn start(
    beginning: &Beginning<'_>,
    cause: &Cause<'_>,
    before: Vec<Statement>,
    first: Option<&Letter<'_>>,
    after: Vec<Statement>,
) -> Result<Option<Stored>, Stop> {
    let must_hold = before.len();
    let mut batch = before;
    batch.extend(transition::begin(beginning, cause));
    batch.extend(first.into_iter().flat_map(delivery::statements));
    batch.extend(after);
    match sql::transact_all(&batch) {
        Ok(_) => {
            let agents = [beginning.participant, beginning.initiator];
            events::changed(beginning.id, beginning.project_id, &agents);
            host_events::publish(events::PURPOSES);
            Ok(None)
        }
        Err(Error::Constraint(it)) if is_open_pair(it.kind, &it.name) => {
            let open =
                open_between(beginning.project_id, beginning.initiator, beginning.participant)?;
            Err(refusals::conversation_already_active(
                beginning.initiator,
                beginning.participant,
                open.as_ref(),
            ))
        }
        Err(Error::UnexpectedCount(it)) if (it.statement as usize) < must_hold => {
            Err(refusals::invalid_session())
        }
        Err(error) => match first {
            Some(letter) => delivery::failed(letter, error).map(Some),
            None => Err(error.into()),
        },
    }
}

/// Stops where an agent has as many open conversations as it may have, or has written as much as it may
/// keep; of [`record::open_count`].
///
/// # Errors
/// `too_many_conversations`, `too_much_kept`.
///
/// [`record::open_count`]: crate::record::open_count
pub fn must_be_few(open: Rows, agent_id: &str) -> Result<(), Stop> {
    let (open, kept) = open.first::<(u32, i64)>()?.unwrap_or_default();
    match open {
        OPEN_MAX.. => Err(refusals::too_many_conversations(agent_id)),
        _ if kept >= SHARE_BYTES => Err(refusals::too_much_kept(agent_id, kept, SHARE_BYTES)),
        _ => Ok(()),
    }
}

fn is_open_pair(kind: ConstraintKind, name: &str) -> bool {
    kind == ConstraintKind::Unique && name == "uq_open_pair"
}

/// The open conversation of a pair, as far as a refusal tells of it.
#[derive(Clone, Debug, Deserialize)]
pub struct Open {
    /// The conversation's identifier.
    pub id: String,
    /// Whether the participant has joined.
    pub state: State,
    /// Identifier of the agent that was asked.
    pub participant_agent_id: String,
}

/// The open conversation of a pair.
///
/// # Errors
/// When the database fails.
fn open_between(project_id: &str, one: &str, other: &str) -> Result<Option<Open>, Stop> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT id, state, participant_agent_id FROM conversations WHERE project_id = $1 \
         AND min(initiator_agent_id, participant_agent_id) = min($2, $3) \
         AND max(initiator_agent_id, participant_agent_id) = max($2, $3) \
         AND state IN ('pending', 'active')",
        project_id,
        one,
        other,
    )])?;
    Ok(rows.first::<Open>()?)
}
