//! A pause between two requests to a service that asks for one, whichever calls they come from.

use std::time::Duration;

use crate::{clock::now_ms, sql};

/// The longest time that a request waits for its turn, in milliseconds; after it the caller has gone.
const WAIT_MS_MAX: i64 = 5_000;

/// Takes the next turn at `service`, and waits for it; false where too many wait already. The database gives turns out
/// one by one, so that two calls at once have two.
///
/// `insert` keeps that `service`, which is `$1`, has its turn at `$2`, and ends with the conflict of the two:
/// `INSERT INTO pace (service, at_ms) VALUES ($1, $2) ON CONFLICT (service)`.
///
/// # Errors
/// Those of the database.
pub fn wait(insert: &str, service: &str, interval_ms: u32) -> Result<bool, sql::Error> {
    let now_ms = now_ms();
    let next = "DO UPDATE SET at_ms = CASE \
                WHEN pace.at_ms + $3 > $2 AND pace.at_ms < $4 THEN pace.at_ms + $3 ELSE $2 END \
                WHERE pace.at_ms + $3 <= $4 OR pace.at_ms > $5 \
                RETURNING at_ms";
    let [rows] = sql::transact([crate::sql!(
        format!("{insert} {next}"),
        service,
        now_ms,
        i64::from(interval_ms),
        now_ms + WAIT_MS_MAX,
        // A turn so far ahead was taken by a clock that has been put right since.
        now_ms + 2 * WAIT_MS_MAX + i64::from(interval_ms)
    )])?;
    let turn = rows.first::<(i64,)>()?;
    if let Some((at_ms,)) = turn {
        let wait_ms = (at_ms - now_ms).clamp(0, WAIT_MS_MAX);
        std::thread::sleep(Duration::from_millis(wait_ms.unsigned_abs()));
    }
    Ok(turn.is_some())
}
