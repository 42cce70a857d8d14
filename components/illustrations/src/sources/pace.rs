//! A pause between two requests to a source that asks for one, whichever calls they come from.

use std::time::{Duration, SystemTime};

use toolkit::{log, sql};

use super::error::{SourceError, failed};

/// The longest time that a request waits for its turn, in milliseconds; after it the caller has gone.
const WAIT_MS_MAX: i64 = 5_000;
/// The longest time that a source is left alone, in milliseconds; one further ahead was written by a
/// clock that has been put right since.
const CLOSED_MS_MAX: i64 = 86_400_000;

/// Takes the next turn at `source`, and waits for it. The database gives turns out one by one, so that
/// two calls at once have two.
///
/// # Errors
/// [`SourceError::Limited`] when too many wait already, or the source is to be left alone.
pub fn wait(source: &str, interval_ms: u32) -> Result<(), SourceError> {
    let now_ms = now_ms();
    let unknown = |_| failed("whose turn it is cannot be told, so nothing is asked");
    let [closed] = sql::query([toolkit::sql!(
        "SELECT closed_until_ms FROM pace WHERE source = $1 AND closed_until_ms > $2 \
         AND closed_until_ms <= $3",
        source,
        now_ms,
        now_ms + CLOSED_MS_MAX
    )])
    .map_err(unknown)?;
    if let Some((until_ms,)) = closed.first::<(i64,)>().map_err(unknown)? {
        let left_s = u32::try_from((until_ms - now_ms) / 1_000 + 1).unwrap_or(u32::MAX);
        return Err(SourceError::Limited { retry_after_s: left_s });
    }
    let turn = sql::transact([toolkit::sql!(
        "INSERT INTO pace (source, at_ms, closed_until_ms) VALUES ($1, $2, 0) \
         ON CONFLICT (source) DO UPDATE SET at_ms = CASE \
         WHEN pace.at_ms + $3 > $2 AND pace.at_ms < $4 THEN pace.at_ms + $3 ELSE $2 END \
         WHERE pace.at_ms + $3 <= $4 OR pace.at_ms > $5 \
         RETURNING at_ms",
        source,
        now_ms,
        i64::from(interval_ms),
        now_ms + WAIT_MS_MAX,
        now_ms + 2 * WAIT_MS_MAX + i64::from(interval_ms)
    )]);
    let [rows] = turn.map_err(unknown)?;
    match rows.first::<(i64,)>().map_err(unknown)? {
        None => Err(SourceError::Limited { retry_after_s: 5 }),
        Some((at_ms,)) => {
            let wait_ms = (at_ms - now_ms).clamp(0, WAIT_MS_MAX);
            std::thread::sleep(Duration::from_millis(wait_ms.unsigned_abs()));
            Ok(())
        }
    }
}

/// Nothing goes to `source` for so long: a client that asks on is shut out for longer.
pub fn close(source: &str, retry_after_s: u32) {
    let until_ms = now_ms() + (i64::from(retry_after_s) * 1_000).min(CLOSED_MS_MAX);
    let kept = sql::transact([toolkit::sql!(
        "INSERT INTO pace (source, at_ms, closed_until_ms) VALUES ($1, 0, $2) \
         ON CONFLICT (source) DO UPDATE SET closed_until_ms = $2",
        source,
        until_ms
    )]);
    if let Err(error) = kept {
        log::warning(&format!("that {source} wants no requests is not remembered: {error:?}"));
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |it| i64::try_from(it.as_millis()).unwrap_or(i64::MAX / 2))
}
