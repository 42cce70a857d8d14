//! Cache of providers' answers and their last status, in the component's database.
//!
//! Errors are never cached. Routes from now are cached for a minute, later ones for ten: traffic changes, and
//! providers do not allow to keep routes. Places are cached for a week; Google allows thirty days.

use output::navigation::{Comparison, Details, Place, Routes};
use serde::{Serialize, de::DeserializeOwned};
use toolkit::{Stop, clock::now_s, log, sql};

use crate::{
    ask::{CompareAsk, Departure, Language, RouteAsk},
    provider::Provider,
    refusals::{self, ProviderError},
    settings::Kind,
};

/// How long routes from now are cached, in seconds.
const NOW_S: i64 = 60;
/// How long routes of a later departure are cached, in seconds.
const LATER_S: i64 = 600;
/// How long places are cached, in seconds: Google's terms allow 30 days.
const PLACE_S: i64 = 7 * 86_400;
/// How long the last status counts as current, in seconds.
const FRESH_S: u64 = 60;
/// Maximum size of a cached request, in bytes.
const ASKED_BYTES_MAX: usize = 4_096;
/// Maximum size of a cached answer, in bytes: what fits into a row with the request.
const ANSWER_BYTES_MAX: usize = 900_000;
/// Maximum number of cached answers.
const ANSWERS_MAX: i64 = 500;
/// Maximum size of all cached answers, in bytes.
const BYTES_MAX: i64 = 16 << 20;

/// A provider with a cache.
#[derive(Debug)]
pub struct Cached<P> {
    kind: Kind,
    /// Prefix of the cache keys: the provider and its address.
    whose: String,
    provider: P,
}

/// The status of the last request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Last {
    /// Google's status: `OK`, `OVER_QUERY_LIMIT` …
    pub status: String,
    /// Its time, in RFC 3339.
    pub at: String,
    /// Whether it is recent enough to show the provider's state (NAV-15).
    #[serde(skip)]
    pub is_fresh: bool,
}

impl<P> Cached<P> {
    /// Caches the answers of `provider` at the address `base`.
    pub fn new(kind: Kind, base: &str, provider: P) -> Self {
        Self { kind, whose: format!("{} {base}", kind.name()), provider }
    }

    /// Returns the cached answer, or else that of the provider.
    fn answer<T: Serialize + DeserializeOwned>(
        &self,
        asked: &str,
        cache_s: i64,
        ask: impl FnOnce(&P) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let asked = format!("{} {asked}", self.whose);
        cached_or(&asked, cache_s, || ask(&self.provider), Some(self.kind))
    }
}

/// Returns the cached place, or else that of `ask`.
///
/// # Errors
/// Those of `ask`.
pub fn place<T: Serialize + DeserializeOwned>(
    asked: &str,
    ask: impl FnOnce() -> Result<T, ProviderError>,
) -> Result<T, ProviderError> {
    cached_or(asked, PLACE_S, ask, None)
}

/// Returns the cached answer, or else the result of `ask`, which also updates the provider's last status.
fn cached_or<T: Serialize + DeserializeOwned>(
    asked: &str,
    cache_s: i64,
    ask: impl FnOnce() -> Result<T, ProviderError>,
    kind: Option<Kind>,
) -> Result<T, ProviderError> {
    let is_short = asked.len() <= ASKED_BYTES_MAX;
    // A failing cache counts as empty.
    if is_short && let Some(kept) = find_cached(asked, now_s()).unwrap_or_else(log_error) {
        return Ok(kept);
    }
    let answer = ask();
    // Read after the answer: a place that was cached for it meanwhile is not one from the future.
    let now = now_s();
    let status = answer.as_ref().map_or_else(refusals::status, |_| "OK");
    let mut batch: Vec<_> = kind.map(|it| outcome(it, status, now)).into_iter().collect();
    if is_short && let Ok(it) = &answer {
        batch.extend(store(asked, it, now, cache_s));
    }
    if !batch.is_empty()
        && let Err(error) = sql::transact_all(&batch)
    {
        log_error(error)
    }
    answer
}

impl<P: Provider> Provider for Cached<P> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        self.answer(&format!("{ask:?}"), cache_s(ask.departure), |it| it.routes(ask))
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        self.answer(&format!("{ask:?}"), cache_s(ask.departure), |it| it.compare(ask))
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        let asked = format!("Place {language:?} {address:?}");
        self.answer(&asked, PLACE_S, |it| it.place(address, language))
    }
}

fn cache_s(departure: Departure) -> i64 {
    match departure {
        Departure::Now => NOW_S,
        Departure::At(_) => LATER_S,
    }
}

/// Returns the status of the last request; none before the first one, or without a service.
///
/// # Errors
/// Those of the database.
pub fn last(kind: Kind) -> Result<Option<Last>, Stop> {
    let read = "SELECT status, at_s FROM outcomes WHERE provider = $1";
    let [rows] = sql::query([toolkit::sql!(read, kind.name())])?;
    let row = rows.first::<(String, i64)>()?;
    let is_fresh = |at_s: i64| now_s().abs_diff(at_s) <= FRESH_S;
    Ok(row.map(|(status, at_s)| Last { status, at: rfc3339(at_s), is_fresh: is_fresh(at_s) }))
}

fn outcome(kind: Kind, status: &str, now: i64) -> sql::Statement {
    toolkit::sql!(
        "INSERT INTO outcomes (provider, status, at_s) VALUES ($1, $2, $3) \
         ON CONFLICT (provider) DO UPDATE SET status = $2, at_s = $3",
        kind.name(),
        status,
        now,
    )
}

/// Finds a cached answer that has not expired. Answers from the future are ignored after the clock was set back.
fn find_cached<T: DeserializeOwned>(asked: &str, now: i64) -> Result<Option<T>, sql::Error> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT answer FROM answers WHERE asked = $1 AND until_s > $2 AND until_s <= $3",
        asked,
        now,
        now + PLACE_S,
    )])?;
    let answer = rows.first::<(String,)>()?;
    Ok(answer.and_then(|(text,)| serde_json::from_str(&text).ok()))
}

/// Returns the statements that cache an answer and delete expired and excess ones, the earliest to expire first.
fn store(asked: &str, answer: &impl Serialize, now: i64, cache_s: i64) -> Vec<sql::Statement> {
    let Ok(text) = serde_json::to_string(answer) else { return Vec::new() };
    if text.len() > ANSWER_BYTES_MAX {
        return Vec::new();
    }
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    vec![
        toolkit::sql!(
            "DELETE FROM answers WHERE until_s <= $1 OR until_s > $2 OR asked = $3",
            now,
            now + PLACE_S,
            asked,
        ),
        toolkit::sql!(
            "DELETE FROM answers WHERE asked IN (SELECT asked FROM (SELECT asked, \
             COUNT(*) OVER newest AS place, SUM(bytes) OVER newest AS total FROM answers \
             WINDOW newest AS (ORDER BY until_s DESC, asked)) AS kept \
             WHERE place >= $1 OR total > $2)",
            ANSWERS_MAX,
            BYTES_MAX - bytes,
        ),
        toolkit::sql!(
            "INSERT INTO answers (asked, until_s, bytes, answer) VALUES ($1, $2, $3, $4)",
            asked,
            now + cache_s,
            bytes,
            text,
        ),
    ]
}

/// Logs a cache error for the operator; the caller gets its answer.
fn log_error<T: Default>(error: sql::Error) -> T {
    log::warning(&format!("what a provider answers is not remembered: {error:?}"));
    T::default()
}

fn rfc3339(at_s: i64) -> String {
    let at = chrono::DateTime::from_timestamp(at_s, 0).unwrap_or_default();
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_departure_now_for_a_minute() {
        assert_eq!(cache_s(Departure::Now), 60);
        assert_eq!(cache_s(Departure::At(std::time::UNIX_EPOCH)), 600);
        assert_eq!(store("a", &"b", 0, 60).len(), 3);
        assert!(store("a", &"b".repeat(ANSWER_BYTES_MAX), 0, 60).is_empty());
    }

    #[test]
    fn formats_moments_in_utc() {
        assert_eq!(rfc3339(1_795_168_800), "2026-11-20T10:00:00Z");
    }
}
