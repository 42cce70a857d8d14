//! What a provider answered lately, and how it went last: in the component's own database.
//!
//! An error is never kept. Routes from now hold for a minute, later ones for ten: traffic changes, and
//! providers do not allow routes to be kept. Where a place is holds for a week; Google allows thirty days.

use output::navigation::{Comparison, Details, Place, Routes};
use serde::{Serialize, de::DeserializeOwned};
use toolkit::{Stop, clock::now_s, log, sql};

use crate::{
    ask::{CompareAsk, Departure, Language, RouteAsk},
    provider::Provider,
    refusals::{self, ProviderError},
    settings::Kind,
};

/// How long routes from now hold.
const NOW_S: i64 = 60;
/// How long routes of a later departure hold.
const LATER_S: i64 = 600;
/// How long a place stays where it is: Google's terms allow 30 days.
const PLACE_S: i64 = 7 * 86_400;
/// How long what a provider last answered says something, in seconds.
const FRESH_S: u64 = 60;
/// Bytes of a question that is remembered.
const ASKED_BYTES_MAX: usize = 4_096;
/// Bytes of an answer that is remembered: what the database takes in one row, less the question.
const ANSWER_BYTES_MAX: usize = 900_000;
/// Answers that are remembered.
const ANSWERS_MAX: i64 = 500;
/// Bytes that they may have together.
const BYTES_MAX: i64 = 16 << 20;

/// A provider that is asked for what is not known from lately.
#[derive(Debug)]
pub struct Remembering<P> {
    kind: Kind,
    /// Whose answers they are: another provider's, or those from elsewhere, are others.
    whose: String,
    provider: P,
}

/// How it went when the provider was last asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Last {
    /// Google's status: `OK`, `OVER_QUERY_LIMIT` …
    pub status: String,
    /// When, in RFC 3339.
    pub at: String,
    /// Whether that is so lately that it says how the provider fares (NAV-15).
    #[serde(skip)]
    pub is_fresh: bool,
}

impl<P> Remembering<P> {
    /// Remembers what `provider` answers under the address `base`.
    pub fn new(kind: Kind, base: &str, provider: P) -> Self {
        Self { kind, whose: format!("{} {base}", kind.name()), provider }
    }

    /// What is remembered of the question, or else what the provider answers.
    fn answer<T: Serialize + DeserializeOwned>(
        &self,
        asked: &str,
        holds_s: i64,
        ask: impl FnOnce(&P) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let asked = format!("{} {asked}", self.whose);
        recalled(&asked, holds_s, || ask(&self.provider), Some(self.kind))
    }
}

/// Where a place was found lately, or else where `ask` finds it.
///
/// # Errors
/// Those of `ask`.
pub fn place<T: Serialize + DeserializeOwned>(
    asked: &str,
    ask: impl FnOnce() -> Result<T, ProviderError>,
) -> Result<T, ProviderError> {
    recalled(asked, PLACE_S, ask, None)
}

/// What is remembered of the question, or else what `ask` comes to, which says how a provider of that kind fares.
fn recalled<T: Serialize + DeserializeOwned>(
    asked: &str,
    holds_s: i64,
    ask: impl FnOnce() -> Result<T, ProviderError>,
    kind: Option<Kind>,
) -> Result<T, ProviderError> {
    let is_short = asked.len() <= ASKED_BYTES_MAX;
    let now = now_s();
    // A memory that fails is none; the provider still answers.
    if is_short && let Some(kept) = kept(asked, now).unwrap_or_else(forgotten) {
        return Ok(kept);
    }
    let answer = ask();
    let status = answer.as_ref().map_or_else(refusals::status, |_| "OK");
    let mut batch: Vec<_> = kind.map(|it| outcome(it, status, now)).into_iter().collect();
    if is_short && let Ok(it) = &answer {
        batch.extend(keep(asked, it, now, holds_s));
    }
    if !batch.is_empty()
        && let Err(error) = sql::transact_all(&batch)
    {
        forgotten(error)
    }
    answer
}

impl<P: Provider> Provider for Remembering<P> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        self.answer(&format!("{ask:?}"), holds_s(ask.departure), |it| it.routes(ask))
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        self.answer(&format!("{ask:?}"), holds_s(ask.departure), |it| it.compare(ask))
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        let asked = format!("Place {language:?} {address:?}");
        self.answer(&asked, PLACE_S, |it| it.place(address, language))
    }
}

fn holds_s(departure: Departure) -> i64 {
    match departure {
        Departure::Now => NOW_S,
        Departure::At(_) => LATER_S,
    }
}

/// How it went when a provider of that kind was last asked; none where it never was, or needs no service.
///
/// # Errors
/// Those of the database.
pub fn last(kind: Kind) -> Result<Option<Last>, Stop> {
    let read = "SELECT status, at_s FROM outcomes WHERE provider = $1";
    let [rows] = sql::query([toolkit::sql!(read, kind.name())])?;
    let row = rows.first::<(String, i64)>()?;
    let is_fresh = |at_s: i64| now_s().abs_diff(at_s) <= FRESH_S;
    Ok(row.map(|(status, at_s)| Last { status, at: written(at_s), is_fresh: is_fresh(at_s) }))
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

/// The answer that still holds. One from a future that the clock was set back from does not.
fn kept<T: DeserializeOwned>(asked: &str, now: i64) -> Result<Option<T>, sql::Error> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT answer FROM answers WHERE asked = $1 AND until_s > $2 AND until_s <= $3",
        asked,
        now,
        now + PLACE_S,
    )])?;
    let answer = rows.first::<(String,)>()?;
    Ok(answer.and_then(|(text,)| serde_json::from_str(&text).ok()))
}

/// What keeps an answer, and lets go of what holds no more or is too much: the first to go is what
/// would have gone first anyway.
fn keep(asked: &str, answer: &impl Serialize, now: i64, holds_s: i64) -> Vec<sql::Statement> {
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
            now + holds_s,
            bytes,
            text,
        ),
    ]
}

/// That something could not be remembered is for the operator; the caller has its answer.
fn forgotten<T: Default>(error: sql::Error) -> T {
    log::warning(&format!("what a provider answers is not remembered: {error:?}"));
    T::default()
}

fn written(at_s: i64) -> String {
    let at = chrono::DateTime::from_timestamp(at_s, 0).unwrap_or_default();
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn departure_now_is_kept_a_minute_and_too_long_answers_never() {
        assert_eq!(holds_s(Departure::Now), 60);
        assert_eq!(holds_s(Departure::At(std::time::UNIX_EPOCH)), 600);
        assert_eq!(keep("a", &"b", 0, 60).len(), 3);
        assert!(keep("a", &"b".repeat(ANSWER_BYTES_MAX), 0, 60).is_empty());
    }

    #[test]
    fn a_moment_is_written_in_utc() {
        assert_eq!(written(1_795_168_800), "2026-11-20T10:00:00Z");
    }
}
