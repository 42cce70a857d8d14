//! Look-ups elsewhere, on behalf of a form: `GET /api/form/lookup?url=…` (FORM-49).
//!
//! The operator decides where they may go: the host refuses whatever is not granted, and addresses
//! of its own network. They carry nothing of the caller's, so what they bring is no caller's own and may be
//! kept for a minute.

mod cache;
mod place;
mod remote;

use serde_json::Value;
use toolkit::endpoints::{Failure, Refusal, Request};

pub use cache::sweep;
use place::Place;
pub use place::problems;

/// The answer to `lookup?url=…`.
///
/// # Errors
/// Where the URL cannot be looked up, is not allowed, or does not answer with JSON.
pub fn get(request: &Request) -> Result<Value, Failure> {
    look_up(request.required("url")?)
}

/// The same for the component itself.
///
/// # Errors
/// A sentence that says why there is no answer.
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

/// The answer where it is known without asking another host: the demo's, or one that was looked up lately.
pub fn found(url: &str) -> Option<Value> {
    match Place::read(url, &place::origins().ok()?).ok()? {
        Place::Demo(request) => crate::demo::get(&request).ok(),
        Place::Remote(url) => cache::kept(&url).ok()?,
    }
}

fn look_up(url: &str) -> Result<Value, Failure> {
    match Place::read(url, &place::origins()?)? {
        Place::Demo(request) => crate::demo::get(&request),
        Place::Remote(url) => {
            if let Some(answer) = cache::kept(&url)? {
                return Ok(answer);
            }
            let answer = remote::ask(&url)?;
            cache::keep(&url, &answer)?;
            Ok(answer)
        }
    }
}

fn refused(code: &str, status: u16, message: String) -> Failure {
    let code = code.to_owned();
    Failure::Refused(Refusal { code, message, status, details: None })
}
