//! Requests to providers: how they go out, and the errors when nothing usable comes back.

use std::time::Duration;

use chrono::DateTime;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolkit::{arguments, clock::now_s, http};
use url::Url;

use super::quota;
use crate::error::ProviderError;

/// How long a provider may take: a person does not wait longer (NAV-56).
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes that an answer may have.
const BODY_BYTES_MAX: usize = 4 << 20;

/// A request to a provider; it never has a key in it, which the host adds on the way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Where, with the whole query.
    pub url: Url,
    /// Beside the ones that HTTP needs.
    pub headers: Vec<(&'static str, String)>,
    /// The body of a `POST`.
    pub body: Option<Value>,
}

impl Call {
    /// A `GET` of `path` under `base`, with these parameters in this order.
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

    /// A `POST` of JSON to `path` under `base`.
    ///
    /// # Errors
    /// When `base` is no base address.
    pub fn post(base: &str, path: &str, body: Value) -> Result<Self, ProviderError> {
        let url = address(base, path)?;
        Ok(Self { method: "POST", url, headers: Vec::new(), body: Some(body) })
    }

    /// One header more.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// `path` under `base`, which may have a path of its own.
fn address(base: &str, path: &str) -> Result<Url, ProviderError> {
    let url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).ok();
    let is_web = |it: &Url| matches!(it.scheme(), "http" | "https") && it.has_host();
    // Who writes a password into a base address would have it in every error.
    url.filter(|it| is_web(it) && it.username().is_empty() && it.password().is_none())
        .ok_or_else(|| failed("the provider's base address is not an http or https URL"))
}

/// What a provider answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// What `Retry-After` says, in seconds.
    pub retry_after_s: Option<u32>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Whether the status says success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as a `T` that is a JSON object; serde would take a list for one, field by field.
    ///
    /// # Errors
    /// When it is no JSON, or another kind of it.
    pub fn object<T: DeserializeOwned>(&self) -> Result<T, ProviderError> {
        if !self.body.trim_ascii_start().starts_with(b"{") {
            return Err(failed("the provider's answer cannot be read: it is no JSON object"));
        }
        self.json()
    }

    /// The body as a `T`.
    ///
    /// # Errors
    /// When it is no JSON, or another kind of it.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ProviderError> {
        // The message names the place and the kind of thing, and may cite a text of the answer.
        arguments::parse(&String::from_utf8_lossy(&self.body)).map_err(|fault| {
            let why = clipped(&fault.to_string());
            failed(&format!("the provider's answer cannot be read: {why}"))
        })
    }
}

/// Brings calls to providers.
pub trait Carrier {
    /// The answer, whatever its status.
    ///
    /// # Errors
    /// When there is none, or the call may not be made.
    fn carry(&self, call: &Call) -> Result<Reply, ProviderError>;

    /// Where the place is that `asked` means: as `ask` finds it, or found it lately, where that is kept.
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

/// The network, through the host.
#[derive(Clone, Copy, Debug)]
pub struct Web;

impl Carrier for Web {
    fn carry(&self, call: &Call) -> Result<Reply, ProviderError> {
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
        let answer = request.send().map_err(|error| unanswered(&call.url, &error))?;
        let retry_after_s = answer.header("retry-after").and_then(|it| seconds(it, now_s()));
        Ok(Reply { status: answer.status, retry_after_s, body: answer.body })
    }
}

/// The same, counted before each call against what a day may have (NAV-57).
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Calls that one day may have.
    pub daily_quota: u32,
}

impl Carrier for Counted {
    fn carry(&self, call: &Call) -> Result<Reply, ProviderError> {
        quota::take(self.daily_quota)?;
        Web.carry(call)
    }
}

/// What a `Retry-After` says: seconds, or a time of day (RFC 9110, 10.2.3).
fn seconds(text: &str, now_s: i64) -> Option<u32> {
    let text = text.trim();
    let left = || Some(DateTime::parse_from_rfc2822(text).ok()?.timestamp() - now_s);
    let seconds = text.parse().ok().or_else(left)?;
    u32::try_from(seconds.max(0)).ok()
}

/// Why there is no answer; of the URL its host alone.
fn unanswered(url: &Url, error: &http::Error) -> ProviderError {
    let host = url.host_str().unwrap_or_default();
    failed(&match error {
        http::Error::Denied => format!(
            "the operator has granted no request to {host}; the variables for providers and their keys are in components/navigation/README.md"
        ),
        http::Error::TimedOut => format!("{host} answers too late"),
        http::Error::TooLarge => format!("the answer of {host} is too large"),
        // It would repeat the URL.
        http::Error::InvalidUrl(_) | http::Error::InvalidRequest(_) => {
            format!("no such request can be sent to {host}")
        }
        other => format!("{host}: {other}"),
    })
}

/// A [`ProviderError::Failed`] that says `message`.
pub fn failed(message: &str) -> ProviderError {
    ProviderError::Failed { message: message.to_owned() }
}

/// `text` in one line of at most 300 characters.
pub fn clipped(text: &str) -> String {
    text.chars().take(300).map(|it| if it.is_control() { ' ' } else { it }).collect()
}

#[cfg(test)]
pub(crate) mod tests;
