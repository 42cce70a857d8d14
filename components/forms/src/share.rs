//! How much of the room one caller may take.

use toolkit::{Stop, caller, sql, sql::Statement};

use crate::{clock::now, listing, record, refusals, settings};

/// Forms of one caller that may wait for an answer.
pub const WAITING_MAX: u32 = 1_000;
/// Forms that are kept, of all callers.
pub const FORMS_MAX: u32 = 20_000;

/// What one caller may keep.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Forms, answered ones among them.
    pub forms: u32,
    /// Bytes of definitions and of what was filled in, beyond which no other form is asked for.
    pub asked_bytes: i64,
    /// The same, beyond which nothing more is filled in: more, for the person who fills in has not asked.
    pub filled_bytes: i64,
}

/// Of the 256 MiB that a database has, a caller with a token: others have room beside them.
const OF_ONE: Share = Share { forms: 5_000, asked_bytes: 32 << 20, filled_bytes: 48 << 20 };
/// Where no token is needed, all are one caller.
const OF_ALL: Share = Share { forms: FORMS_MAX, asked_bytes: 128 << 20, filled_bytes: 192 << 20 };

/// The share of `principal`.
pub fn of(principal: &str) -> Share {
    if listing::is_everybody(principal) { OF_ALL } else { OF_ONE }
}

/// Forms that were closed without an answer, and cannot be taken up again, make room for their caller's next.
pub fn make_room(principal: &str) -> Statement {
    toolkit::sql!(
        "DELETE FROM forms WHERE principal = $1 AND status IN ('cancelled', 'declined') \
         AND answered_at < $2",
        principal,
        now() - record::REOPEN_MS,
    )
}

/// Why there is no room for another form of the caller.
pub fn full() -> Stop {
    let principal = caller::principal();
    match taken(&principal) {
        Ok((waiting, _, _)) if waiting >= WAITING_MAX => {
            refusals::too_many_waiting(waiting, WAITING_MAX)
        }
        Ok((_, kept, bytes)) => {
            let share = of(&principal);
            let most = (share.forms, share.asked_bytes);
            let days = settings::keep_days().unwrap_or_default();
            refusals::too_much_kept((kept, bytes), most, days)
        }
        Err(stop) => stop,
    }
}

/// Forms that wait, forms that are kept, and their bytes.
fn taken(principal: &str) -> Result<(u32, u32, i64), Stop> {
    let [waiting, kept] = sql::query([
        toolkit::sql!(
            "SELECT COUNT(*) FROM forms WHERE principal = $1 AND status = 'waiting'",
            principal
        ),
        toolkit::sql!(
            "SELECT COUNT(*), COALESCE(SUM(definition_bytes + filled_bytes), 0) FROM forms \
             WHERE principal = $1",
            principal
        ),
    ])?;
    let (waiting,) = waiting.first::<(u32,)>()?.unwrap_or_default();
    let (kept, bytes) = kept.first::<(u32, i64)>()?.unwrap_or_default();
    Ok((waiting, kept, bytes))
}
