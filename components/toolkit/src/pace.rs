//! Rate limiting of requests to a service, across calls.

use std::time::Duration;

use crate::{clock::now_ms, sql};

/// Maximum wait for a slot, in milliseconds; callers wait no longer.
const WAIT_MS_MAX: i64 = 5_000;

/// Reserves the next slot at `service` and waits for it; false if too many wait already. The database
/// assigns slots one by one, so that concurrent calls get different ones.
///
/// `insert` stores that `service` (`$1`) has its slot at `$2`, up to the conflict target: `INSERT INTO
/// pace (service, at_ms) VALUES ($1, $2) ON CONFLICT (service)`.
///
/// # Errors
/// If the database fails.
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
        // Slots further ahead come from a clock that was wrong.
        now_ms + 2 * WAIT_MS_MAX + i64::from(interval_ms)
    )])?;
    let turn = rows.first::<(i64,)>()?;
    if let Some((at_ms,)) = turn {
        let wait_ms = (at_ms - now_ms).clamp(0, WAIT_MS_MAX);
        std::thread::sleep(Duration::from_millis(wait_ms.unsigned_abs()));
    }
    Ok(turn.is_some())
}
