//! Outgoing HTTP, to the hosts that the operator granted.
//!
//! Secrets are the operator's: the host adds them to the request on its way out, and the component
//! never sees them. A component that uses this needs the grant `http`.
//!
//! ```no_run
//! use toolkit::{Stop, http};
//!
//! fn stations() -> Result<Vec<String>, Stop> {
//!     let answer = http::get("https://api.example.com/stations")?.successful()?;
//!     Ok(answer.json()?)
//! }
//! ```

#[cfg(target_arch = "wasm32")]
mod wasi;

use std::time::{Duration, Instant};

use serde::{Serialize, de::DeserializeOwned};

use crate::{Problem, Stop, arguments::parse, definition::json, refused, unavailable};

/// Maximum redirects of one request.
const REDIRECTS_MAX: u32 = 5;
/// Default maximum bytes of an answer's body.
const BODY_BYTES_MAX: usize = 4 << 20;

/// Sends a `GET` to `url`.
///
/// # Errors
/// See [`Request::send`].
pub fn get(url: &str) -> Result<Answer, Error> {
    Request::get(url).send()
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Request {
    method: String,
    url: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    redirects: u32,
    body_bytes_max: usize,
    timeout: Option<Duration>,
}

impl Request {
    /// A request of any method: `GET`, `POST` and so on.
    pub fn new(method: &str, url: &str) -> Self {
        Self {
            method: method.to_owned(),
            url: url.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            redirects: 0,
            body_bytes_max: BODY_BYTES_MAX,
            timeout: None,
        }
    }

    /// A `GET` of `url`.
    pub fn get(url: &str) -> Self {
        Self::new("GET", url)
    }

    /// A `POST` to `url`.
    pub fn post(url: &str) -> Self {
        Self::new("POST", url)
    }

    /// Adds a header. `content-type` is replaced instead.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if name.eq_ignore_ascii_case("content-type") {
            self.headers.retain(|(it, _)| !it.eq_ignore_ascii_case(name));
        }
        self.headers.push((name.to_owned(), value.as_bytes().to_vec()));
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets `value` as JSON; `application/json` unless there is a `content-type`.
    pub fn json(self, value: &impl Serialize) -> Self {
        let is_said = self.headers.iter().any(|(it, _)| it.eq_ignore_ascii_case("content-type"));
        let named = if is_said { self } else { self.header("content-type", "application/json") };
        named.body(json(value))
    }

    /// Follows up to five redirects of a `GET`; each has to be granted.
    pub fn follow_redirects(mut self) -> Self {
        self.redirects = REDIRECTS_MAX;
        self
    }

    /// Limits the answer's body in bytes.
    pub fn body_bytes_max(mut self, bytes: usize) -> Self {
        self.body_bytes_max = bytes;
        self
    }

    /// Limits the wait for the answer, and for each further part of it; the host's `http_timeout_ms` limits all of it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends it and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn send(mut self) -> Result<Answer, Error> {
        loop {
            let answer = exchange(&self)?;
            let to = match answer.header("location") {
                Some(to) if answer.is_redirect() && self.redirects > 0 && self.method == "GET" => {
                    to
                }
                _ => return Ok(answer),
            };
            self.redirect(to)?;
        }
    }

    /// Sends it and returns once the answer begins, to be read in parts. Follows no redirects.
    ///
    /// # Errors
    /// See [`Error`]; also if no answer begins until `until`.
    pub fn open(&self, until: Option<Instant>) -> Result<Incoming, Error> {
        open(self, until)
    }

    fn redirect(&mut self, to: &str) -> Result<(), Error> {
        let next = resolve(&self.url, to).ok_or_else(|| Error::InvalidUrl(to.into()))?;
        if origin(&next) != origin(&self.url) {
            // Credentials are for one host only.
            let personal = ["authorization", "cookie"];
            self.headers
                .retain(|(name, _)| !personal.iter().any(|it| name.eq_ignore_ascii_case(it)));
        }
        self.redirects -= 1;
        self.url = next;
        Ok(())
    }
}

/// An answer that is read in parts.
pub struct Incoming {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    #[cfg(target_arch = "wasm32")]
    body: Option<wasi::Body>,
}

impl Incoming {
    /// First header of that name, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// Returns the next bytes; `None` at the end. Nothing follows an error.
    ///
    /// # Errors
    /// If the connection is lost, or none arrive until `until`.
    pub fn next(&mut self, until: Option<Instant>) -> Result<Option<Vec<u8>>, Error> {
        #[cfg(target_arch = "wasm32")]
        {
            let next = self.body.as_ref().map_or(Ok(None), |it| it.next(until));
            if !matches!(next, Ok(Some(_))) {
                self.body = None;
            }
            next
        }
        #[cfg(not(target_arch = "wasm32"))]
        {
            let _ = until;
            Ok(None)
        }
    }
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is no `http` or `https` URL.
    InvalidUrl(String),
    /// The operator has not granted it; the log shows the missing grant.
    Denied,
    /// A header or the method cannot be sent.
    InvalidRequest(String),
    /// The answer exceeds the limit.
    TooLarge,
    /// The answer cannot be parsed.
    InvalidAnswer(String),
    /// The answer's status is no success.
    Status(u16),
    /// The host did not answer in time.
    TimedOut,
    /// The host is unreachable, or the connection was lost.
    Unavailable(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::InvalidUrl(url) => write!(f, "{url:?} is not an http or https URL"),
            Self::Denied => f.write_str("the operator has not granted this request"),
            Self::InvalidRequest(what) => write!(f, "{what} cannot be sent"),
            Self::TooLarge => f.write_str("the answer is too large"),
            Self::InvalidAnswer(why) => write!(f, "the answer cannot be read: {why}"),
            Self::Status(status) => write!(f, "the host answered with status {status}"),
            Self::TimedOut => f.write_str("the host answers too late"),
            Self::Unavailable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

/// Missing grants are refusals; failures of other hosts may be temporary.
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        let message = format!("An outgoing request failed: {error}.");
        match error {
            Error::Denied => refused("http_denied", 403, message),
            Error::InvalidUrl(_) | Error::InvalidRequest(_) => {
                refused("http_invalid", 400, message)
            }
            _ => unavailable(message, None),
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn exchange(request: &Request) -> Result<Answer, Error> {
    wasi::exchange(request)
}

#[cfg(target_arch = "wasm32")]
fn open(request: &Request, until: Option<Instant>) -> Result<Incoming, Error> {
    wasi::open(request, until)
}

/// Unit tests run without a host.
#[cfg(not(target_arch = "wasm32"))]
fn open(request: &Request, _: Option<Instant>) -> Result<Incoming, Error> {
    exchange(request).map(|it| Incoming { status: it.status, headers: it.headers })
}

/// Reads the whole answer.
#[cfg(not(target_arch = "wasm32"))]
fn exchange(_: &Request) -> Result<Answer, Error> {
    Err(Error::Unavailable("there is no network outside the sandbox".to_owned()))
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Bytes of the body.
    pub body: Vec<u8>,
}

impl Answer {
    /// First header of that name, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// Body as text.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.body)
            .map_err(|_| Error::InvalidAnswer("it is not UTF-8".to_owned()))
    }

    /// Body parsed as JSON.
    ///
    /// # Errors
    /// If it is no `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let parse_with_schema = |it: Problem| Error::InvalidAnswer(it.to_string());
        parse(self.text()?).map_err(parse_with_schema)
    }

    /// Returns the answer if its status is a success.
    ///
    /// # Errors
    /// The status otherwise.
    pub fn successful(self) -> Result<Self, Error> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(Error::Status(self.status)) }
    }

    /// Whether it is a redirect.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

/// First of `headers` with that name, if it is text.
fn header<'a>(headers: &'a [(String, Vec<u8>)], name: &str) -> Option<&'a str> {
    let (_, value) = headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(value).ok()
}

// Minimal parsing of URLs; the host validates them.

/// Parts of an `http` or `https` URL.
pub(crate) struct Parts<'a> {
    pub(crate) is_https: bool,
    pub(crate) authority: &'a str,
    /// Path and query; empty if there is neither.
    pub(crate) rest: &'a str,
}

/// Splits `url`, without its fragment.
pub(crate) fn parts(url: &str) -> Option<Parts<'_>> {
    let (scheme, after) = url.split_once("://")?;
    let is_https = scheme.eq_ignore_ascii_case("https");
    if !is_https && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    let after = after.split('#').next()?;
    let end = after.find(['/', '?']).unwrap_or(after.len());
    let (authority, rest) = after.split_at(end);
    (!authority.is_empty()).then_some(Parts { is_https, authority, rest })
}

/// Resolves a redirect `to`, relative to `from`.
fn resolve(from: &str, to: &str) -> Option<String> {
    let to = to.trim();
    if to.contains("://") && parts(to).is_some() {
        return Some(to.to_owned());
    }
    let Parts { is_https, authority, rest } = parts(from)?;
    let scheme = if is_https { "https" } else { "http" };
    if let Some(after) = to.strip_prefix("//") {
        return parts(&format!("{scheme}://{after}")).map(|_| format!("{scheme}://{after}"));
    }
    let path = rest.split('?').next()?;
    let rest = match to.chars().next() {
        None | Some('#') => rest.to_owned(),
        Some('/') => to.to_owned(),
        Some('?') => format!("{path}{to}"),
        // Another scheme: `mailto:`, `ftp:`.
        Some(_) if to.split('/').next()?.contains(':') => return None,
        Some(_) => format!("{}/{to}", &path[..path.rfind('/').unwrap_or(0)]),
    };
    Some(format!("{scheme}://{authority}{rest}"))
}

/// Scheme and authority.
fn origin(url: &str) -> Option<(bool, String)> {
    parts(url).map(|it| (it.is_https, it.authority.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirect_to_another_host_drops_credentials() {
        let mut request = Request::get("https://a.example/x")
            .header("Authorization", "Bearer mine")
            .header("accept", "text/plain")
            .follow_redirects();
        request.redirect("/y").unwrap();
        assert_eq!((request.url.as_str(), request.headers.len()), ("https://a.example/y", 2));
        request.redirect("https://b.example/z").unwrap();
        assert_eq!(request.headers, [("accept".to_owned(), b"text/plain".to_vec())]);
        assert_eq!(request.redirects, REDIRECTS_MAX - 2);
    }

    #[test]
    fn authors_content_type_wins() {
        let own = "application/merge-patch+json";
        let before = Request::post("https://a.example").header("Content-Type", own).json(&1);
        let after = Request::post("https://a.example").json(&1).header("Content-Type", own);
        for request in [before, after] {
            let kinds: Vec<_> = request.headers.iter().map(|(_, it)| it.as_slice()).collect();
            assert_eq!(kinds, [own.as_bytes()]);
        }
        let plain = Request::post("https://a.example").json(&1);
        assert_eq!(plain.headers, [("content-type".to_owned(), b"application/json".to_vec())]);
    }

    #[test]
    fn denied_is_refused_and_down_is_unavailable() {
        assert!(matches!(Stop::from(Error::Denied), Stop::Refused(it) if it.status == 403));
        assert!(matches!(get("https://a.example").map_err(Stop::from), Err(Stop::Unavailable(_))));
    }

    #[test]
    fn resolves_relative_locations() {
        let from = "https://a.example:8443/dir/page?x=1#top";
        for (to, expected) in [
            ("http://b.example/", Some("http://b.example/")),
            ("//b.example/y", Some("https://b.example/y")),
            ("/y?z=2", Some("https://a.example:8443/y?z=2")),
            ("other", Some("https://a.example:8443/dir/other")),
            ("?q", Some("https://a.example:8443/dir/page?q")),
            ("mailto:someone", None),
            ("ftp://b.example/", None),
        ] {
            assert_eq!(resolve(from, to).as_deref(), expected, "{to}");
        }
        assert_eq!(resolve("http://a.example", "y").as_deref(), Some("http://a.example/y"));
    }

    #[test]
    fn splits_only_http_urls() {
        assert!(parts("ftp://a.example/").is_none() && parts("https:///x").is_none());
        let found = parts("HTTP://a.example?x").unwrap();
        assert_eq!((found.is_https, found.authority, found.rest), (false, "a.example", "?x"));
    }
}
