//! Passkeys that did not fit are counted, so that guessing one takes for ever (CONV-83).
//!
//! A caller that guesses shuts out only itself: ten wrong passkeys of one caller keep it from that agent. All
//! callers together, and those who have no name of their own, are only slowed down, or one of them would shut
//! out the others.

use serde::Deserialize;
use toolkit::{
    Stop, caller, sql,
    sql::{Error, Rows, Statement},
};

use crate::{clock::Moment, person, refusals};

/// Tries of one caller at one agent that may fail.
pub const MAX: u32 = 10;
/// Within so many seconds.
pub const WITHIN_S: u32 = 300;
/// Tries of all callers together at one agent that may fail before they are slowed down.
const TOGETHER_MAX: u32 = 50;
/// Tries at agents that are not there, of all callers together, that cost a hash.
const UNKNOWN_MAX: u32 = 10;
/// Where tries are slowed down, one more is looked at each so many seconds.
const PACE_S: u32 = 10;
/// Rows that tries at agents that are not there may have.
const UNKNOWN_ROWS_MAX: u32 = 10_000;
/// The id that no agent has: all those together that are not there.
const NO_AGENT: &str = "";

/// The tries at one agent.
#[derive(Deserialize)]
struct Tries {
    count: u32,
    first_at: String,
    last_at: Option<String>,
    is_own: bool,
}

/// Finds the tries at an agent: the caller's own, and those of all together.
pub fn of(agent_id: &str) -> Statement {
    toolkit::sql!(
        "SELECT count, first_at, last_at, 1 AS is_own FROM callers_tries \
         WHERE agent_id = $1 AND caller = $2 UNION ALL \
         SELECT count, first_at, last_at, 0 AS is_own FROM failed_tries WHERE agent_id = $1",
        agent_id,
        caller::principal(),
    )
}

/// Stops where too many have failed.
///
/// # Errors
/// `too_many_attempts` (429), with the seconds that are left to wait.
pub fn must_be_few(found: Rows, now: Moment) -> Result<(), Stop> {
    let is_named = by_name().is_some();
    let tries = found.read::<Tries>()?;
    let until = tries.iter().filter_map(|it| it.until(is_named)).max().filter(|it| *it > now);
    let Some(until) = until else { return Ok(()) };
    let left_s = (until.ms() - now.ms() + 999) / 1_000;
    Err(refusals::too_many_attempts(u32::try_from(left_s).unwrap_or(WITHIN_S)))
}

impl Tries {
    /// Until when no other one is looked at.
    fn until(&self, is_named: bool) -> Option<Moment> {
        let most = if self.is_own { MAX } else { TOGETHER_MAX };
        if self.count < most {
            return None;
        }
        let end = Moment::read(&self.first_at)?.after(WITHIN_S);
        if self.is_own && is_named {
            return Some(end);
        }
        let next = Moment::read(self.last_at.as_ref()?)?.after(PACE_S);
        Some(next.min(end))
    }
}

/// The caller, where their tries are those of one caller: not where all callers have the same name.
pub fn by_name() -> Option<String> {
    Some(caller::principal()).filter(|it| !person::is_alone(it))
}

/// Whether a try at an agent that is not there may still cost a hash, so that it takes as long as any; counted.
///
/// # Errors
/// When the database fails.
pub fn is_worth_a_hash(now: Moment) -> Result<bool, Error> {
    let one_more = toolkit::sql!(
        "INSERT INTO failed_tries (agent_id, count, first_at, last_at) SELECT $1, 1, $2, $2 WHERE TRUE \
         ON CONFLICT (agent_id) DO UPDATE SET count = failed_tries.count + 1, last_at = $2 \
         WHERE failed_tries.count < $3 OR failed_tries.last_at <= $4",
        NO_AGENT,
        now.stored(),
        UNKNOWN_MAX,
        now.before(PACE_S).stored(),
    );
    let [callers, all] = over(now);
    let [_, _, counted] = sql::transact([callers, all, one_more])?;
    Ok(counted.changes > 0)
}

/// Counts one that failed. The agent need not exist: the answer does not tell which do.
///
/// # Errors
/// When the database fails.
pub fn count(agent_id: &str, is_there: bool, now: Moment) -> Result<(), Error> {
    let own = toolkit::sql!(
        "INSERT INTO callers_tries (agent_id, caller, count, first_at, last_at) \
         SELECT $1, $2, 1, $3, $3 WHERE $4 <> 0 OR (SELECT COUNT(*) FROM callers_tries) < $5 \
         ON CONFLICT (agent_id, caller) \
         DO UPDATE SET count = callers_tries.count + 1, last_at = $3",
        agent_id,
        caller::principal(),
        now.stored(),
        is_there,
        UNKNOWN_ROWS_MAX,
    );
    let together = toolkit::sql!(
        "INSERT INTO failed_tries (agent_id, count, first_at, last_at) \
         SELECT $1, 1, $2, $2 WHERE $3 <> 0 OR (SELECT COUNT(*) FROM failed_tries) < $4 \
         ON CONFLICT (agent_id) DO UPDATE SET count = failed_tries.count + 1, last_at = $2",
        agent_id,
        now.stored(),
        is_there,
        UNKNOWN_ROWS_MAX,
    );
    let [callers, all] = over(now);
    sql::transact([callers, all, own, together]).map(|_| ())
}

/// Forgets the tries at an agent: earlier guesses do not count against its new passkey.
pub fn forget(agent_id: &str) -> [Statement; 2] {
    ["callers_tries", "failed_tries"]
        .map(|it| toolkit::sql!(format!("DELETE FROM {it} WHERE agent_id = $1"), agent_id))
}

/// Forgets what is long over.
fn over(now: Moment) -> [Statement; 2] {
    let before = now.before(WITHIN_S).stored();
    ["callers_tries", "failed_tries"]
        .map(|it| toolkit::sql!(format!("DELETE FROM {it} WHERE first_at <= $1"), &before))
}
