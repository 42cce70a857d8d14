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

/// Redirects that one request follows at most.
const REDIRECTS_MAX: u32 = 5;
/// Bytes that an answer's body may have unless the request says otherwise.
const BODY_BYTES_MAX: usize = 4 << 20;

/// A `GET` of `url`.
///
/// # Errors
/// See [`Request::send`].
pub fn get(url: &str) -> Result<Answer, Error> {
    Request::get(url).send()
}

/// A request, not sent yet.
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

    /// One header more. Of `content-type` there is one: the last that is said.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if name.eq_ignore_ascii_case("content-type") {
            self.headers.retain(|(it, _)| !it.eq_ignore_ascii_case(name));
        }
        self.headers.push((name.to_owned(), value.as_bytes().to_vec()));
        self
    }

    /// The body that is sent.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// `value` as JSON is sent, as `application/json` unless a `content-type` is said.
    pub fn json(self, value: &impl Serialize) -> Self {
        let is_said = self.headers.iter().any(|(it, _)| it.eq_ignore_ascii_case("content-type"));
        let named = if is_said { self } else { self.header("content-type", "application/json") };
        named.body(json(value))
    }

    /// Follows up to five redirects of a `GET`; each is a request of its own that must be granted.
    pub fn follow_redirects(mut self) -> Self {
        self.redirects = REDIRECTS_MAX;
        self
    }

    /// Reads no more than so many bytes of the answer's body; more is an error.
    pub fn body_bytes_max(mut self, bytes: usize) -> Self {
        self.body_bytes_max = bytes;
        self
    }

    /// Waits no longer than so for the answer to begin, and for each further piece of it; the host's own
    /// `http_timeout_ms` holds for all of it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends it and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// When there is no answer: see [`Error`].
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

    /// Sends it and returns once its answer begins, which is read piece by piece. Follows no redirect.
    ///
    /// # Errors
    /// When there is no answer, or none until then.
    pub fn open(&self, until: Option<Instant>) -> Result<Incoming, Error> {
        open(self, until)
    }

    fn redirect(&mut self, to: &str) -> Result<(), Error> {
        let next = resolve(&self.url, to).ok_or_else(|| Error::InvalidUrl(to.into()))?;
        if origin(&next) != origin(&self.url) {
            // What was meant for one host is no business of another.
            let personal = ["authorization", "cookie"];
            self.headers
                .retain(|(name, _)| !personal.iter().any(|it| name.eq_ignore_ascii_case(it)));
        }
        self.redirects -= 1;
        self.url = next;
        Ok(())
    }
}

/// An answer that is read piece by piece, as it comes.
pub struct Incoming {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    #[cfg(target_arch = "wasm32")]
    body: Option<wasi::Body>,
}

impl Incoming {
    /// The first header of that name, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The bytes that come next; none at the end. Nothing follows an error.
    ///
    /// # Errors
    /// When the connection breaks off, or none come until then.
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

/// Why a request brought no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is not an `http` or `https` URL.
    InvalidUrl(String),
    /// The operator has not granted it; the log says what would.
    Denied,
    /// A header or the method cannot be sent.
    InvalidRequest(String),
    /// The answer is more than the request asked for.
    TooLarge,
    /// The answer is not what it was taken for.
    InvalidAnswer(String),
    /// The host does not answer with success; its status.
    Status(u16),
    /// The host answers too late.
    TimedOut,
    /// The host cannot be reached, or breaks off.
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

/// What is not granted is refused; what another host did may be over the next time.
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

/// There is no host around a component's unit tests.
#[cfg(not(target_arch = "wasm32"))]
fn open(request: &Request, _: Option<Instant>) -> Result<Incoming, Error> {
    exchange(request).map(|it| Incoming { status: it.status, headers: it.headers })
}

/// The same, read to its end.
#[cfg(not(target_arch = "wasm32"))]
fn exchange(_: &Request) -> Result<Answer, Error> {
    Err(Error::Unavailable("there is no network outside the sandbox".to_owned()))
}

/// An answer, read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of that name, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The body as text.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.body)
            .map_err(|_| Error::InvalidAnswer("it is not UTF-8".to_owned()))
    }

    /// The body as a `T` in JSON.
    ///
    /// # Errors
    /// When it is not one.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let unfit = |it: Problem| Error::InvalidAnswer(it.to_string());
        parse(self.text()?).map_err(unfit)
    }

    /// The same answer, if its status says success.
    ///
    /// # Errors
    /// The status that says otherwise.
    pub fn successful(self) -> Result<Self, Error> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(Error::Status(self.status)) }
    }

    /// Whether it points elsewhere.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

/// The first of `headers` with that name, if it is text.
fn header<'a>(headers: &'a [(String, Vec<u8>)], name: &str) -> Option<&'a str> {
    let (_, value) = headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(value).ok()
}

// URLs in their parts, as far as a client needs them: the host reads them in earnest.

/// The parts of an `http` or `https` URL.
pub(crate) struct Parts<'a> {
    pub(crate) is_https: bool,
    pub(crate) authority: &'a str,
    /// Path and query; empty where the URL has neither.
    pub(crate) rest: &'a str,
}

/// The parts of `url`, without its fragment.
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

/// Where `to` leads when `from` says it.
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
        // A scheme that is none of ours: `mailto:`, `ftp:`.
        Some(_) if to.split('/').next()?.contains(':') => return None,
        Some(_) => format!("{}/{to}", &path[..path.rfind('/').unwrap_or(0)]),
    };
    Some(format!("{scheme}://{authority}{rest}"))
}

/// Scheme and authority, which say whose a URL is.
fn origin(url: &str) -> Option<(bool, String)> {
    parts(url).map(|it| (it.is_https, it.authority.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_to_another_host_leaves_credentials_behind() {
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
    fn a_body_has_one_content_type_and_the_authors_own_wins() {
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
    fn what_is_denied_is_a_refusal_and_what_is_down_may_come_back() {
        assert!(matches!(Stop::from(Error::Denied), Stop::Refused(it) if it.status == 403));
        assert!(matches!(get("https://a.example").map_err(Stop::from), Err(Stop::Unavailable(_))));
    }

    #[test]
    fn a_location_is_read_from_where_it_is_said() {
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
    fn only_http_has_parts() {
        assert!(parts("ftp://a.example/").is_none() && parts("https:///x").is_none());
        let found = parts("HTTP://a.example?x").unwrap();
        assert_eq!((found.is_https, found.authority, found.rest), (false, "a.example", "?x"));
    }
}
