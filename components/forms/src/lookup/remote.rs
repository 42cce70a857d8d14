//! Asking another host: within five seconds, JSON of a mebibyte at most, each redirect checked anew.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkit::{
    endpoints::{Failure, Refusal},
    http::{self, Error},
};
use url::Url;

use super::{
    place::{has_credentials, is_http},
    refused,
};

/// How long all of it may take: a person who types does not wait longer.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Bytes that an answer may have.
const BYTES_MAX: usize = 1 << 20;
/// Redirects that are followed.
const REDIRECTS_MAX: usize = 3;

/// The JSON that `url` answers with.
pub(super) fn ask(url: &Url) -> Result<Value, Failure> {
    let until = Instant::now() + TIME_MAX;
    let mut at = url.clone();
    for _ in 0..=REDIRECTS_MAX {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(failed(url, "does not answer in time", None));
        }
        let request = http::Request::get(at.as_str()).header("accept", "application/json");
        let answer = request.timeout(left).body_bytes_max(BYTES_MAX).send();
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

/// Why no answer came from `at`, on the way from `url`.
fn unanswered(url: &Url, at: &Url, error: &Error) -> Failure {
    match error {
        Error::Denied if url.origin() == at.origin() => not_allowed(url),
        // Where it leads is the other side's business, and perhaps a secret of this one's network.
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

/// What the other side did, without any of its text.
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
