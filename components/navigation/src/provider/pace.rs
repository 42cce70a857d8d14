//! A pause between two requests to a provider that asks for one, whichever calls they come from.

use std::time::{Duration, SystemTime};

use toolkit::sql;

use super::carrier::failed;
use crate::error::ProviderError;

/// The longest time that a request waits for its turn, in milliseconds; after it the caller has gone.
const WAIT_MS_MAX: i64 = 5_000;

/// Takes the next turn at `provider`, and waits for it. The database gives turns out one by one, so
/// that two calls at once have two.
///
/// # Errors
/// [`ProviderError::OverQueryLimit`] when too many wait already.
pub fn wait(provider: &str, interval_ms: u32) -> Result<(), ProviderError> {
    if interval_ms == 0 {
        return Ok(());
    }
    let now_ms = now_ms();
    let turn = sql::transact([toolkit::sql!(
        "INSERT INTO pace (provider, at_ms) VALUES ($1, $2) \
         ON CONFLICT (provider) DO UPDATE SET at_ms = CASE \
         WHEN pace.at_ms + $3 > $2 AND pace.at_ms < $4 THEN pace.at_ms + $3 ELSE $2 END \
         WHERE pace.at_ms + $3 <= $4 OR pace.at_ms > $5 \
         RETURNING at_ms",
        provider,
        now_ms,
        i64::from(interval_ms),
        now_ms + WAIT_MS_MAX,
        // A turn so far ahead was taken by a clock that has been put right since.
        now_ms + 2 * WAIT_MS_MAX + i64::from(interval_ms)
    )]);
    let unknown = |_| failed("whose turn it is at the geocoder cannot be told");
    let [rows] = turn.map_err(unknown)?;
    match rows.first::<(i64,)>().map_err(unknown)? {
        None => Err(ProviderError::OverQueryLimit { retry_after_s: 5 }),
        Some((at_ms,)) => {
            let wait_ms = (at_ms - now_ms).clamp(0, WAIT_MS_MAX);
            std::thread::sleep(Duration::from_millis(wait_ms.unsigned_abs()));
            Ok(())
        }
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |it| i64::try_from(it.as_millis()).unwrap_or(i64::MAX / 2))
}
