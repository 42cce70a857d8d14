//! A pause between two requests to a source that asks for one, whichever calls they come from.

use toolkit::{clock::now_ms, log, pace, sql};

use super::error::{SourceError, failed};

/// The longest time that a source is left alone, in milliseconds; one further ahead was written by a
/// clock that has been put right since.
const CLOSED_MS_MAX: i64 = 86_400_000;

/// Takes the next turn at `source`, and waits for it.
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
    let insert = "INSERT INTO pace (source, at_ms, closed_until_ms) VALUES ($1, $2, 0) \
                  ON CONFLICT (source)";
    let is_turn = pace::wait(insert, source, interval_ms).map_err(unknown)?;
    is_turn.then_some(()).ok_or(SourceError::Limited { retry_after_s: 5 })
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
