//! Look-ups of forms: `GET /api/forms/…` on behalf of a form (FORM-49), the demo, and validation of chosen options.
//!
//! The operator decides which hosts are reachable; the host denies all others and its own network.
//! Requests carry nothing of the caller's, so that answers may be shared and cached for a minute.

mod place;

use std::time::{Duration, Instant};

use output::form::{Fault, Form, Kind, OPTIONS_MAX, Values, Wrong, choices, is_same};
use serde_json::{Value, json};
use toolkit::{
    clock::now_ms,
    endpoints::{Failure, Refusal, Request},
    http::{self, Error},
    sql::{self, Statement},
};
use url::Url;

pub use place::problems;
use place::{Place, has_credentials, is_http};

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
pub fn local_answer(url: &str) -> Option<Value> {
    match Place::read(url, &place::origins().ok()?).ok()? {
        Place::Demo(request) => crate::demo::get(&request).ok(),
        Place::Remote(url) => cached(&url).ok()?,
    }
}

fn look_up(url: &str) -> Result<Value, Failure> {
    match Place::read(url, &place::origins()?)? {
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
        Error::InvalidUrl(_) | Error::InvalidRequest(_) => {
            toolkit::endpoints::invalid("url", "cannot be asked")
        }
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
}
