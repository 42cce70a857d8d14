//! Passkeys that did not fit are counted, so that guessing one takes for ever (CONV-83).

use serde::Deserialize;
use toolkit::{
    Stop, sql,
    sql::{Error, Rows, Statement},
};

use crate::{clock::Moment, refusals};

/// Tries that may fail.
pub const MAX: u32 = 10;
/// Within so many seconds.
pub const WITHIN_S: u32 = 300;
/// Agents, there or not, of which tries are kept at a time. Each try costs a hash, of which a machine
/// makes some ten thousand in five minutes.
const AGENTS_MAX: u32 = 50_000;

/// The tries of one agent.
#[derive(Deserialize)]
struct Tries {
    count: u32,
    first_at: String,
}

/// Finds the tries of an agent.
#[must_use]
pub fn of(agent_id: &str) -> Statement {
    toolkit::sql!("SELECT count, first_at FROM failed_tries WHERE agent_id = $1", agent_id)
}

/// Stops where too many have failed.
///
/// # Errors
/// `too_many_attempts` (429), with the seconds that are left to wait.
pub fn must_be_few(found: Rows, now: Moment) -> Result<(), Stop> {
    let Some(tries) = found.first::<Tries>()? else { return Ok(()) };
    let until = Moment::read(&tries.first_at).map(|it| it.after(WITHIN_S));
    match until.filter(|until| tries.count >= MAX && *until > now) {
        None => Ok(()),
        Some(until) => {
            let left_s = (until.ms() - now.ms() + 999) / 1_000;
            Err(refusals::too_many_attempts(u32::try_from(left_s).unwrap_or(WITHIN_S)))
        }
    }
}

/// Counts one that failed, of an agent that need not exist: nobody learns which do.
///
/// # Errors
/// When the database fails.
pub fn count(agent_id: &str, now: Moment) -> Result<(), Error> {
    let over = toolkit::sql!(
        "DELETE FROM failed_tries WHERE first_at <= $1",
        now.before(WITHIN_S).stored()
    );
    let one_more = toolkit::sql!(
        "INSERT INTO failed_tries (agent_id, count, first_at) SELECT $1, 1, $2 \
         WHERE (SELECT COUNT(*) FROM failed_tries) < $3 \
         ON CONFLICT (agent_id) DO UPDATE SET count = failed_tries.count + 1",
        agent_id,
        now.stored(),
        AGENTS_MAX,
    );
    sql::transact([over, one_more]).map(|_| ())
}
