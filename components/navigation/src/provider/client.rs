//! HTTP requests to providers: sending, the daily quota of paid ones (NAV-57), and errors. Days are those of Pacific
//! time, when Google's quotas are reset.

use std::time::Duration;

use chrono::DateTime;
use output::navigation::{Comparison, Details, Place, Routes};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolkit::{
    Stop, arguments,
    clock::now_s,
    http, log,
    sql::{self, Error},
};
use url::Url;

use crate::{
    ask::{CompareAsk, Departure, Language, RouteAsk},
    provider::Provider,
    refusals::{self, ProviderError},
    settings::Kind,
};

/// Time limit of a request; people do not wait longer (NAV-56).
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of an answer, in bytes.
const BODY_BYTES_MAX: usize = 4 << 20;
/// Default retry delay at a rate limit, in seconds.
pub(super) const RETRY_S: u32 = 60;

/// A request to a provider, without the key, which the host adds.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The URL with its query.
    pub url: Url,
    /// Additional headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body of a `POST`.
    pub body: Option<Value>,
}

impl Call {
    /// Creates a `GET` of `path` under `base`, with these parameters in order.
    ///
    /// # Errors
    /// When `base` is no base address.
    pub fn get(base: &str, path: &str, parameters: &[(&str, &str)]) -> Result<Self, ProviderError> {
        let mut url = address(base, path)?;
        if !parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(parameters);
        }
        Ok(Self { method: "GET", url, headers: Vec::new(), body: None })
    }

    /// Creates a `POST` of JSON to `path` under `base`.
    ///
    /// # Errors
    /// When `base` is no base address.
    pub fn post(base: &str, path: &str, body: Value) -> Result<Self, ProviderError> {
        let url = address(base, path)?;
        Ok(Self { method: "POST", url, headers: Vec::new(), body: Some(body) })
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// Appends `path` to `base`, which may have a path.
fn address(base: &str, path: &str) -> Result<Url, ProviderError> {
    let url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).ok();
    let is_web = |it: &Url| matches!(it.scheme(), "http" | "https") && it.has_host();
    // A password in a base address would appear in every error.
    url.filter(|it| is_web(it) && it.username().is_empty() && it.password().is_none())
        .ok_or_else(|| failed("the provider's base address is not an http or https URL"))
}

/// The answer of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The header `Retry-After`, in seconds.
    pub retry_after_s: Option<u32>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Whether the status is one of success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Converts the HTTP status into an error.
    pub(super) fn refusal(&self) -> ProviderError {
        match self.status {
            429 => self.over_limit(),
            status => failed(&format!("the provider answers with the HTTP status {status}")),
        }
    }

    /// Returns the error for a rate limit.
    pub(super) fn over_limit(&self) -> ProviderError {
        ProviderError::OverQueryLimit { retry_after_s: self.retry_after_s.unwrap_or(RETRY_S) }
    }

    /// Parses the body as a JSON object; serde alone would accept a list of the fields.
    ///
    /// # Errors
    /// When it is no JSON, or another kind of it.
    pub fn object<T: DeserializeOwned>(&self) -> Result<T, ProviderError> {
        if !self.body.trim_ascii_start().starts_with(b"{") {
            return Err(failed("the provider's answer cannot be read: it is no JSON object"));
        }
        self.json()
    }

    /// Parses the body as JSON.
    ///
    /// # Errors
    /// When it is no JSON, or another kind of it.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ProviderError> {
        // The message may quote a text of the answer.
        arguments::parse(&String::from_utf8_lossy(&self.body)).map_err(|fault| {
            let why = clipped(&fault.to_string());
            failed(&format!("the provider's answer cannot be read: {why}"))
        })
    }
}

/// Sends requests to providers.
pub trait HttpClient {
    /// Returns the answer, with any status.
    ///
    /// # Errors
    /// When there is no answer, or the request is not allowed.
    fn send(&self, call: &Call) -> Result<Reply, ProviderError>;

    /// Finds the place that `asked` means by `ask`, or in the cache where there is one.
    ///
    /// # Errors
    /// Those of `ask`.
    fn place<T: Serialize + DeserializeOwned>(
        &self,
        _asked: &str,
        ask: impl FnOnce() -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        ask()
    }
}

/// The host's network.
#[derive(Clone, Copy, Debug)]
pub struct Web;

impl HttpClient for Web {
    fn send(&self, call: &Call) -> Result<Reply, ProviderError> {
        let mut request = http::Request::new(call.method, call.url.as_str())
            .timeout(TIMEOUT)
            .body_bytes_max(BODY_BYTES_MAX)
            .header("accept", "application/json");
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        if let Some(body) = &call.body {
            request = request.json(body);
        }
        let answer = request.send().map_err(|error| request_error(&call.url, &error))?;
        let retry_after_s = answer.header("retry-after").and_then(|it| seconds(it, now_s()));
        Ok(Reply { status: answer.status, retry_after_s, body: answer.body })
    }
}

/// The host's network with a daily quota (NAV-57).
#[derive(Clone, Copy, Debug)]
pub struct DailyQuota {
    /// Maximum number of requests per day.
    pub daily_quota: u32,
}

impl HttpClient for DailyQuota {
    fn send(&self, call: &Call) -> Result<Reply, ProviderError> {
        take_from_quota(self.daily_quota)?;
        Web.send(call)
    }
}

/// Parses `Retry-After`: seconds or a date (RFC 9110, 10.2.3).
fn seconds(text: &str, now_s: i64) -> Option<u32> {
    let text = text.trim();
    let left = || Some(DateTime::parse_from_rfc2822(text).ok()?.timestamp() - now_s);
    let seconds = text.parse().ok().or_else(left)?;
    u32::try_from(seconds.max(0)).ok()
}

/// Converts a failed request into an error that only names the URL's host.
fn request_error(url: &Url, error: &http::Error) -> ProviderError {
    let host = url.host_str().unwrap_or_default();
    failed(&match error {
        http::Error::Denied => format!(
            "the operator has granted no request to {host}; the variables for providers and their keys are in components/navigation/README.md"
        ),
        http::Error::TimedOut => format!("{host} answers too late"),
        http::Error::TooLarge => format!("the answer of {host} is too large"),
        // The message would repeat the URL.
        http::Error::InvalidUrl(_) | http::Error::InvalidRequest(_) => {
            format!("no such request can be sent to {host}")
        }
        other => format!("{host}: {other}"),
    })
}

/// Creates a [`ProviderError::Failed`] with `message`.
pub fn failed(message: &str) -> ProviderError {
    ProviderError::Failed { message: message.to_owned() }
}

/// Returns `text` as one line of at most 300 characters.
pub fn clipped(text: &str) -> String {
    text.chars().take(300).map(|it| if it.is_control() { ' ' } else { it }).collect()
}

const DAY_S: i64 = 86_400;

/// Takes one request from today's quota. The database has a single writer, so concurrent calls cannot exceed it.
///
/// # Errors
/// [`ProviderError::OverQueryLimit`] with the time of the reset, once none is left.
pub fn take_from_quota(daily_quota: u32) -> Result<(), ProviderError> {
    let (day, left_s) = today(now_s());
    let over = ProviderError::OverQueryLimit { retry_after_s: left_s };
    if daily_quota == 0 {
        return Err(over);
    }
    let taken = sql::transact([
        toolkit::sql!("DELETE FROM quota WHERE day < $1", day),
        toolkit::sql!(
            "INSERT INTO quota (day, used) VALUES ($1, 1) \
             ON CONFLICT (day) DO UPDATE SET used = quota.used + 1 WHERE quota.used < $2",
            day,
            i64::from(daily_quota)
        )
        .expect(1),
    ]);
    match taken {
        Ok(_) => Ok(()),
        Err(Error::UnexpectedCount(_)) => Err(over),
        // Requests that cannot be counted are refused, to avoid costs.
        Err(_) => Err(failed("the daily quota cannot be counted, so nothing is asked")),
    }
}

/// Returns the day of Pacific time at `now_s`, counted from 1970, and the seconds until the next one.
fn today(now_s: i64) -> (i64, u32) {
    let local_s = now_s + pacific_offset_s(now_s);
    let day = local_s.div_euclid(DAY_S);
    // On the two days of a change this is off by an hour, which only affects the shown time.
    let left_s = DAY_S - local_s.rem_euclid(DAY_S);
    (day, u32::try_from(left_s).unwrap_or(0).max(1))
}

/// Returns the offset: −7 hours from the second Sunday of March to the first of November, at two o'clock, else −8.
fn pacific_offset_s(now_s: i64) -> i64 {
    const STANDARD_S: i64 = -8 * 3_600;
    let standard = now_s + STANDARD_S;
    let year = year_of(standard.div_euclid(DAY_S));
    let begins = sunday_from(day_of(year, 3, 8)) * DAY_S + 2 * 3_600;
    // Two o'clock of summer is one o'clock of winter.
    let ends = sunday_from(day_of(year, 11, 1)) * DAY_S + 3_600;
    if (begins..ends).contains(&standard) { STANDARD_S + 3_600 } else { STANDARD_S }
}

/// Returns the first Sunday from `day` on; the first day of 1970 was a Thursday.
fn sunday_from(day: i64) -> i64 {
    day + (3 - day).rem_euclid(7)
}

/// Returns the days from 1970 to that day, for the years 1970 to 9999.
fn day_of(year: i32, month: u32, day: u32) -> i64 {
    let date = chrono::NaiveDate::from_ymd_opt(year, month, day);
    date.map_or(0, |it| i64::from(it.to_epoch_days()))
}

fn year_of(day: i64) -> i32 {
    use chrono::Datelike;
    let day = i32::try_from(day).unwrap_or(0);
    chrono::NaiveDate::from_epoch_days(day).map_or(1970, |it| it.year())
}

// Cache of providers' answers and their last status, in the component's database.
//
// Errors are never cached. Routes from now are cached for a minute, later ones for ten: traffic changes, and
// providers do not allow to keep routes. Places are cached for a week; Google allows thirty days.

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
fn find_cached<T: DeserializeOwned>(asked: &str, now: i64) -> Result<Option<T>, Error> {
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
fn log_error<T: Default>(error: Error) -> T {
    log::warning(&format!("what a provider answers is not remembered: {error:?}"));
    T::default()
}

fn rfc3339(at_s: i64) -> String {
    let at = DateTime::from_timestamp(at_s, 0).unwrap_or_default();
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{collections::VecDeque, sync::Mutex};

    use serde_json::Value;

    use super::*;

    /// Scripted answers, and the recorded requests.
    #[derive(Default)]
    pub(crate) struct Script {
        replies: Mutex<VecDeque<Reply>>,
        calls: Mutex<Vec<Call>>,
    }

    impl Script {
        /// Creates it with these bodies, each with status 200.
        pub(crate) fn of(bodies: impl IntoIterator<Item = Value>) -> Self {
            Self::with(bodies.into_iter().map(|it| (200, it.to_string())))
        }

        /// Creates it with these statuses and bodies.
        pub(crate) fn with(replies: impl IntoIterator<Item = (u16, String)>) -> Self {
            let reply = |(status, body): (u16, String)| Reply {
                status,
                retry_after_s: None,
                body: body.into_bytes(),
            };
            Self {
                replies: Mutex::new(replies.into_iter().map(reply).collect()),
                ..Self::default()
            }
        }

        /// Returns the requests so far.
        pub(crate) fn calls(&self) -> Vec<Call> {
            self.calls.lock().unwrap().clone()
        }
    }

    impl HttpClient for &Script {
        fn send(&self, call: &Call) -> Result<Reply, ProviderError> {
            self.calls.lock().unwrap().push(call.clone());
            Ok(self.replies.lock().unwrap().pop_front().expect("no more was to be asked"))
        }
    }

    #[test]
    fn base_address_may_have_path_but_no_password() {
        let call = Call::get("https://a.example/osrm/", "/route", &[("a", "b|c d")]).unwrap();
        assert_eq!(call.url.as_str(), "https://a.example/osrm/route?a=b%7Cc+d");
        for wrong in
            ["", "a.example", "ftp://a.example", "https://me:hunter2@a.example", "file:///etc"]
        {
            let Err(ProviderError::Failed { message }) = Call::get(wrong, "/", &[]) else {
                panic!("{wrong} passes")
            };
            assert!(!message.contains("hunter2"), "{message}");
        }
    }

    #[test]
    fn request_error_names_only_the_host() {
        let url = Url::parse("https://a.example/secret/path?key=hunter2").unwrap();
        for error in [
            http::Error::Denied,
            http::Error::TimedOut,
            http::Error::TooLarge,
            http::Error::InvalidUrl(url.to_string()),
            http::Error::Unavailable("it broke off".to_owned()),
        ] {
            let ProviderError::Failed { message } = request_error(&url, &error) else {
                panic!("{error}")
            };
            assert!(message.contains("a.example"), "{message}");
            assert!(!message.contains("hunter2") && !message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn reports_invalid_json_in_one_line() {
        for body in ["", "{", "[1]", "\u{0}", "{\"a\": \"x\\ny\"}"] {
            let reply = Reply { status: 200, retry_after_s: None, body: body.into() };
            let error = reply.json::<std::collections::BTreeMap<String, u32>>();
            let Err(ProviderError::Failed { message }) = error else { panic!("{body:?} passes") };
            assert!(!message.contains('\n') && message.len() < 400, "{message}");
        }
    }

    #[test]
    fn reads_retry_after_seconds_or_date() {
        let now = DateTime::parse_from_rfc3339("2026-10-21T07:28:00Z").unwrap().timestamp();
        for (said, left) in [
            (" 7 ", Some(7)),
            ("0", Some(0)),
            ("Wed, 21 Oct 2026 07:30:30 GMT", Some(150)),
            ("Wed, 21 Oct 2026 07:00:00 GMT", Some(0)),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(seconds(said, now), left, "{said:?}");
        }
    }

    fn s(time: &str) -> i64 {
        DateTime::parse_from_rfc3339(time).unwrap().timestamp()
    }

    #[test]
    fn day_begins_at_midnight_pacific_time_in_winter_and_in_summer() {
        for (last, first) in [
            ("2026-11-21T07:59:59Z", "2026-11-21T08:00:00Z"),
            ("2026-07-01T06:59:59Z", "2026-07-01T07:00:00Z"),
        ] {
            let (before, after) = (today(s(last)), today(s(first)));
            assert_eq!(after.0, before.0 + 1, "{first}");
            assert_eq!((before.1, after.1), (1, 86_400), "{first}");
        }
    }

    #[test]
    fn summer_time_begins_and_ends_on_its_sundays_at_two() {
        for (time, hours) in [
            ("2026-03-08T09:59:59Z", -8),
            ("2026-03-08T10:00:00Z", -7),
            ("2026-11-01T08:59:59Z", -7),
            ("2026-11-01T09:00:00Z", -8),
            ("2027-03-14T10:00:00Z", -7),
            ("2027-11-07T09:00:00Z", -8),
        ] {
            assert_eq!(pacific_offset_s(s(time)), hours * 3_600, "{time}");
        }
    }

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
