//! Look-ups of forms: `GET /api/forms/…` on behalf of a form (FORM-49), the demo, and validation of chosen options.
//!
//! The operator decides which hosts are reachable; the host denies all others and its own network.
//! Requests carry nothing of the caller's, so that answers may be shared and cached for a minute.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use output::form::{Fault, Form, Kind, OPTIONS_MAX, Values, Wrong, choices, is_same};
use serde_json::{Value, json};
use toolkit::{
    Problem, Stop,
    clock::now_ms,
    endpoints::{Failure, Refusal, Request, invalid},
    http::{self, Error},
    settings::{self, Unfit},
    sql::{self, Statement},
};
use url::Url;

/// Answers a look-up of another host or of the demo.
///
/// # Errors
/// If the look-up fails or the path is unknown.
pub fn get(request: &Request) -> Result<Value, Failure> {
    match request.path.as_str() {
        "lookup" => look_up(request.required("url")?),
        path if path.starts_with("demo/") => crate::demo::get(request),
        _ => Err(Failure::NotFound),
    }
}

/// Fetches `url` for the component itself.
///
/// # Errors
/// A sentence with the reason.
pub fn fetch(url: &str) -> Result<Value, String> {
    look_up(url).map_err(|failure| match failure {
        Failure::NotFound => "Nothing is served there.".to_owned(),
        Failure::Invalid(problems) => {
            let messages = problems.into_iter().map(|it| format!("{} {}", it.pointer, it.message));
            messages.collect::<Vec<_>>().join("; ")
        }
        Failure::Refused(it) => it.message,
        Failure::Unavailable(message) => message,
    })
}

/// Returns the answer of the demo or of the cache, without asking another host.
fn local_answer(url: &str) -> Option<Value> {
    match Place::read(url, &origins().ok()?).ok()? {
        Place::Demo(request) => crate::demo::get(&request).ok(),
        Place::Remote(url) => cached(&url).ok()?,
    }
}

fn look_up(url: &str) -> Result<Value, Failure> {
    match Place::read(url, &origins()?)? {
        Place::Demo(request) => crate::demo::get(&request),
        Place::Remote(url) => {
            if let Some(answer) = cached(&url)? {
                return Ok(answer);
            }
            let answer = ask(&url)?;
            cache(&url, &answer)?;
            Ok(answer)
        }
    }
}

fn refused(code: &str, status: u16, message: String) -> Failure {
    let code = code.to_owned();
    Failure::Refused(Refusal { code, message, status, details: None })
}

// Requests to other hosts: five seconds, JSON of at most one mebibyte, redirects re-checked.

/// Time limit, since a person is typing.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Maximum bytes of an answer.
const REMOTE_BYTES_MAX: usize = 1 << 20;
/// Maximum redirects.
const REDIRECTS_MAX: usize = 3;

/// Requests the JSON at `url`.
fn ask(url: &Url) -> Result<Value, Failure> {
    let until = Instant::now() + TIME_MAX;
    let mut at = url.clone();
    for _ in 0..=REDIRECTS_MAX {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(failed(url, "does not answer in time", None));
        }
        let request = http::Request::get(at.as_str()).header("accept", "application/json");
        let answer = request.timeout(left).body_bytes_max(REMOTE_BYTES_MAX).send();
        let answer = answer.map_err(|error| unanswered(url, &at, &error))?;
        if !answer.is_redirect() {
            return read(url, &answer);
        }
        let to = answer.header("location").and_then(|it| at.join(it).ok());
        let to = to.filter(|it| is_http(it) && !has_credentials(it));
        at = to.ok_or_else(|| failed(url, "redirects to no address", None))?;
    }
    Err(failed(url, "redirects too often", None))
}

fn read(url: &Url, answer: &http::Answer) -> Result<Value, Failure> {
    if !(200..300).contains(&answer.status) {
        let what = format!("answered with status {}", answer.status);
        return Err(failed(url, &what, Some(answer.status)));
    }
    answer.json().map_err(|_| failed(url, "did not answer with JSON", None))
}

/// Error of a request to `at`, redirected from `url`.
fn unanswered(url: &Url, at: &Url, error: &Error) -> Failure {
    match error {
        Error::Denied if url.origin() == at.origin() => not_allowed(url),
        // The target is not disclosed; it may be a secret of the other network.
        Error::Denied => refused(
            "lookup_not_allowed",
            403,
            format!("{} redirects to where look-ups are not allowed.", origin(url)),
        ),
        Error::InvalidUrl(_) | Error::InvalidRequest(_) => invalid("url", "cannot be asked"),
        Error::TooLarge => failed(url, "answered with more than 1 MiB", None),
        Error::TimedOut => failed(url, "does not answer in time", None),
        _ => failed(url, "cannot be reached", None),
    }
}

fn not_allowed(url: &Url) -> Failure {
    let origin = origin(url);
    let mut lines = vec![
        "[[components.forms.http]]".to_owned(),
        format!("host = {:?}", url.host_str().unwrap_or_default()),
    ];
    if url.scheme() == "http" {
        lines.push("scheme = \"http\"".to_owned());
    }
    lines.extend(url.port().map(|it| format!("port = {it}")));
    let lines = lines.join("\n");
    let message = format!(
        "Look-ups at {origin} are not allowed. To allow them, the operator puts {origin} into FORM_LOOKUP_ALLOW, or into the configuration:\n{lines}\nAddresses of the server's own network need more; its log says what."
    );
    let details = Some(json!({ "origin": origin }).to_string());
    let code = "lookup_not_allowed".to_owned();
    Failure::Refused(Refusal { code, message, status: 403, details })
}

/// Describes the other host's error without quoting it.
fn failed(url: &Url, what: &str, status: Option<u16>) -> Failure {
    let origin = origin(url);
    let mut details = json!({ "origin": origin });
    if let Some(status) = status {
        details["status"] = status.into();
    }
    Failure::Refused(Refusal {
        code: "lookup_failed".to_owned(),
        message: format!("{origin} {what}."),
        status: 502,
        details: Some(details.to_string()),
    })
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

// Cache of recent answers, so that many people who fill in one form cause one request.

/// Lifetime of an answer.
const FRESH_MS: i64 = 60_000;
/// Maximum cached answers.
const ANSWERS_MAX: usize = 500;
/// Maximum bytes of all answers.
const BYTES_MAX: usize = 16 << 20;
/// Maximum bytes of one: a database row, less the URL.
const ANSWER_BYTES_MAX: usize = 1_000_000;

/// Returns a fresh answer.
fn cached(url: &Url) -> Result<Option<Value>, sql::Error> {
    let now = now_ms();
    let [rows] = sql::query([toolkit::sql!(
        "SELECT answer FROM lookups WHERE url = $1 AND asked_at > $2 AND asked_at <= $3",
        url.as_str(),
        now - FRESH_MS,
        now,
    )])?;
    let answer = rows.first::<(String,)>()?;
    Ok(answer.and_then(|(text,)| serde_json::from_str(&text).ok()))
}

/// Stores an answer and evicts old ones.
fn cache(url: &Url, answer: &Value) -> Result<(), sql::Error> {
    let text = answer.to_string();
    if text.len() > ANSWER_BYTES_MAX {
        return Ok(());
    }
    let now = now_ms();
    let [rows] = sql::query([toolkit::sql!(
        "SELECT url, bytes FROM lookups WHERE asked_at > $1 AND asked_at <= $2 AND url <> $3 \
         ORDER BY asked_at DESC, url",
        now - FRESH_MS,
        now,
        url.as_str(),
    )])?;
    let surplus = surplus(rows.read()?, text.len());
    let mut batch = vec![
        // Includes those from the future, in case the clock was set back.
        toolkit::sql!(
            "DELETE FROM lookups WHERE asked_at <= $1 OR asked_at > $2 OR url = $3",
            now - FRESH_MS,
            now,
            url.as_str(),
        ),
    ];
    batch.extend(surplus.iter().map(|it| toolkit::sql!("DELETE FROM lookups WHERE url = $1", it)));
    batch.push(insert(url, &text, now));
    sql::transact_all(&batch).map(|_| ())
}

/// Evicts expired answers.
///
/// # Errors
/// If the database fails.
pub fn sweep() -> Result<(), sql::Error> {
    let now = now_ms();
    let old = "DELETE FROM lookups WHERE asked_at <= $1 OR asked_at > $2";
    sql::transact([toolkit::sql!(old, now - FRESH_MS, now)]).map(|_| ())
}

fn insert(url: &Url, text: &str, now: i64) -> Statement {
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    toolkit::sql!(
        "INSERT INTO lookups (url, asked_at, bytes, answer) VALUES ($1, $2, $3, $4)",
        url.as_str(),
        now,
        bytes,
        text,
    )
}

/// URLs to evict before adding one of `bytes`; `cached` is newest first.
fn surplus(cached: Vec<(String, i64)>, bytes: usize) -> Vec<String> {
    let (mut left, mut room) = (BYTES_MAX.saturating_sub(bytes), ANSWERS_MAX - 1);
    let goes = |(_, bytes): &(String, i64)| {
        let bytes = usize::try_from(*bytes).unwrap_or(usize::MAX);
        let stays = room > 0 && bytes <= left;
        (left, room) = if stays { (left - bytes, room - 1) } else { (0, 0) };
        !stays
    };
    cached.into_iter().filter(goes).map(|it| it.0).collect()
}

// Validates chosen options against known ones (FORM-43): those of the demo and of the cache. Others are accepted.

/// Chosen values in `values`, a validated submission, that are no known option.
pub fn unknown_options(form: &Form, values: &Values) -> Vec<Fault> {
    let mut faults = Vec::new();
    for field in &form.fields {
        // A search never returns all options.
        let (Kind::CascadingSelect(select) | Kind::AsyncSelect(select)) = &field.kind else {
            continue;
        };
        let Some(value) = values.get(&field.name) else { continue };
        let parent = select.depends_on.as_ref().and_then(|(name, _)| values.get(name));
        let choices =
            local_answer(&select.url("", parent)).and_then(|found| choices(select, &found).ok());
        // The list may be truncated.
        let Some(choices) = choices.filter(|it| it.len() < OPTIONS_MAX) else { continue };
        if !choices.iter().any(|it| is_same(&it.value, value)) {
            let (field, label) = (field.name.clone(), field.label.clone());
            faults.push(Fault { field, label, wrong: Wrong::NoOption });
        }
    }
    faults
}

/// Maximum bytes of a URL.
const URL_BYTES_MAX: usize = 4 << 10;
/// Alias of the demo in the setting `origins`.
const DEMO: &str = "demo";
/// Paths of the demo on this server.
const OWN_PATHS: [&str; 2] = ["/api/demo/", "/api/forms/demo/"];

/// Target of a look-up.
#[derive(Debug)]
enum Place {
    /// The demo lists.
    Demo(Request),
    /// Another host, if the host permits it.
    Remote(Url),
}

/// Origins with an alias: `https://api.example.com` for `demo`.
type Origins = BTreeMap<String, String>;

/// Reads the setting `origins`.
fn origins() -> Result<Origins, Failure> {
    let written =
        settings::get::<Origins>("origins").map_err(|it| Failure::from(Stop::from(it)))?;
    let written = written.unwrap_or_default();
    check(&written).map_err(|it| Failure::from(Stop::from(it)))
}

/// Problems of the setting.
pub fn problems() -> Vec<Problem> {
    let checked = settings::get::<Origins>("origins").and_then(|it| check(&it.unwrap_or_default()));
    checked.err().map(Problem::from).into_iter().collect()
}

/// Normalizes and validates the origins.
fn check(written: &Origins) -> Result<Origins, Unfit> {
    let unfit = |origin: &str, message: &str| {
        // Escaped for a JSON pointer.
        let name = origin.replace('~', "~0").replace('/', "~1");
        let problem = Problem::at(format!("/{name}"), message);
        Unfit { name: "origins".to_owned(), problem }
    };
    let mut origins = Origins::new();
    for (origin, to) in written {
        let url = Url::parse(origin).ok();
        let url = url.filter(|it| is_http(it) && it.path() == "/" && it.query().is_none());
        let Some(url) = url.filter(|it| it.fragment().is_none() && !has_credentials(it)) else {
            return Err(unfit(origin, "is not an origin such as \"https://api.example.com\""));
        };
        if to != DEMO {
            return Err(unfit(origin, "must stand for \"demo\""));
        }
        origins.insert(url.origin().ascii_serialization(), to.clone());
    }
    Ok(origins)
}

impl Place {
    fn read(text: &str, origins: &Origins) -> Result<Self, Failure> {
        if text.len() > URL_BYTES_MAX {
            return Err(invalid("url", format!("has more than {URL_BYTES_MAX} bytes")));
        }
        let text = text.trim();
        if text.starts_with('/') && !text.starts_with("//") && !text.starts_with("/\\") {
            return Self::parse_own_path(text);
        }
        let mut url = Url::parse(text).map_err(|_| {
            invalid("url", "must be a URL such as https://directory.example/people")
        })?;
        if !is_http(&url) {
            return Err(invalid("url", "must begin with https://"));
        }
        if has_credentials(&url) {
            return Err(invalid("url", "must not have credentials"));
        }
        url.set_fragment(None);
        match origins.contains_key(&url.origin().ascii_serialization()) {
            true => Ok(Self::Demo(request(url.path().trim_start_matches('/'), &url)?)),
            false => Ok(Self::Remote(url)),
        }
    }

    /// Parses a path of this server; only the demo's are permitted.
    fn parse_own_path(text: &str) -> Result<Self, Failure> {
        let base = Url::parse("http://here.invalid/").map_err(|_| Failure::NotFound)?;
        let url = base.join(text).map_err(|_| invalid("url", "must be a URL or a path"))?;
        let path = OWN_PATHS.iter().find_map(|it| url.path().strip_prefix(it));
        let Some(path) = path else {
            let message = format!(
                "{} is this server's own: the page asks for it directly, without the look-up.",
                url.path()
            );
            return Err(refused("lookup_not_elsewhere", 400, message));
        };
        Ok(Self::Demo(request(path, &url)?))
    }
}

/// Request to the demo: its path, and the query of `url`.
fn request(path: &str, url: &Url) -> Result<Request, Failure> {
    // No path of the demo needs escapes.
    if path.contains('%') {
        return Err(Failure::NotFound);
    }
    let query = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned()));
    Ok(Request { path: path.to_owned(), query: query.collect(), meta: "{}".to_owned() })
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicts_oldest_beyond_count_or_bytes() {
        let cached = |count: usize, bytes: i64| {
            (0..count).map(|it| (it.to_string(), bytes)).collect::<Vec<_>>()
        };
        assert!(surplus(cached(499, 10), 10).is_empty());
        assert_eq!(surplus(cached(501, 10), 10), ["499", "500"]);
        let mebibyte = 1 << 20;
        assert!(surplus(cached(15, mebibyte), 1 << 20).is_empty());
        assert_eq!(surplus(cached(17, mebibyte), 1 << 20), ["15", "16"]);
    }

    fn sample() -> Origins {
        let sample = [("https://API.example.com:443/".to_owned(), "demo".to_owned())];
        check(&Origins::from(sample)).unwrap()
    }

    fn demo(url: &str) -> Option<(String, Vec<(String, String)>)> {
        match Place::read(url, &sample()) {
            Ok(Place::Demo(it)) => Some((it.path, it.query)),
            _ => None,
        }
    }

    #[test]
    fn sample_origin_and_own_path_reach_the_demo() {
        let query = |value: &str| vec![("q".to_owned(), value.to_owned())];
        for url in [
            "https://api.example.com/users/search?q=%E8%8A%B1+%E5%AD%90",
            "https://API.EXAMPLE.COM:443/users/search?q=花%20子#x",
            "/api/demo/users/search?q=花 子",
            "/api/forms/demo/users/search?q=花+子",
            " /api/demo/x/../users/search?q=花+子 ",
        ] {
            assert_eq!(demo(url), Some(("users/search".to_owned(), query("花 子"))), "{url}");
        }
        for other in [
            "http://api.example.com/users/search",
            "https://api.example.com:8443/users/search",
            "https://api.example.com.evil.test/users/search",
            "//api.example.com/users/search",
        ] {
            assert_eq!(demo(other), None, "{other}");
        }
    }

    #[test]
    fn rejects_other_paths_of_the_server() {
        for url in ["/api/health", "/api/demo/../blobs/1", "/mcp", "/", "/api/demo"] {
            let Err(Failure::Refused(refusal)) = Place::read(url, &sample()) else {
                panic!("{url} is the page's")
            };
            assert_eq!((refusal.status, refusal.code.as_str()), (400, "lookup_not_elsewhere"));
            assert!(refusal.message.contains("directly"), "{}", refusal.message);
        }
    }

    #[test]
    fn rejects_non_web_urls() {
        let long = format!("https://a.example/{}", "a".repeat(URL_BYTES_MAX));
        for url in [
            "",
            "people",
            "ftp://a.example/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:,x",
            "https://",
            "https://me:word@a.example/",
            "https://me@a.example/",
            &long,
            "/\\a.example/",
        ] {
            let Err(Failure::Invalid(problems)) = Place::read(url, &sample()) else {
                panic!("{url} is none")
            };
            assert_eq!(problems[0].pointer, "/url");
            assert!(!problems[0].message.contains("word"));
        }
    }

    #[test]
    fn remote_url_keeps_all_but_the_fragment() {
        let Ok(Place::Remote(url)) = Place::read("https://A.example/b?c=d#e", &sample()) else {
            panic!("it is elsewhere")
        };
        assert_eq!(url.as_str(), "https://a.example/b?c=d");
    }

    #[test]
    fn names_invalid_origin() {
        for (origin, to) in [
            ("api.example.com", "demo"),
            ("https://api.example.com/path", "demo"),
            ("https://me@api.example.com", "demo"),
            ("ftp://api.example.com", "demo"),
            ("https://api.example.com", "elsewhere"),
        ] {
            let written = Origins::from([(origin.to_owned(), to.to_owned())]);
            let problem = Problem::from(check(&written).unwrap_err());
            assert!(problem.pointer.starts_with("/origins/"), "{}", problem.pointer);
        }
    }
}
