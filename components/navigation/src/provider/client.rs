//! HTTP requests to providers: sending, the daily quota of paid ones (NAV-57), and errors. Days are those of Pacific
//! time, when Google's quotas are reset.

use std::time::Duration;

use chrono::DateTime;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolkit::{
    arguments,
    clock::now_s,
    http,
    sql::{self, Error},
};
use url::Url;

use crate::refusals::ProviderError;

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
}
