//! Options that come from elsewhere: fetched a few at a time, bounded, remembered for a while.

pub(crate) mod address;
pub(crate) mod combo;
pub(crate) mod memory;
pub(crate) mod narrow;
pub(crate) mod offer;

#[cfg(test)]
mod combo_tests;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use gloo_net::http::{Request, Response};
use output::form::{Choice, Lookup};
use serde_json::Value;
use web_sys::{AbortController, AbortSignal};

use crate::access;
use crate::browser;
use crate::error::{CallError, Refusal};
use crate::gate::Gate;
use crate::request::{answered, for_json, in_time, lost};
use crate::text::{Key, Lang};
use memory::Memory;

/// Bytes of an answer, as the host has it for what it passes on (FORM-49).
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Look-ups under way at once: the rest of a browser's six connections to one host is for calls.
const AT_ONCE: usize = 4;
/// Longer than the host waits for others.
const DEADLINE: Duration = Duration::from_secs(15);

/// Options, in the order of the answer.
pub(crate) type Options = Arc<[Choice]>;

thread_local! {
    static GATE: Gate = Gate::new(AT_ONCE);
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Ends a look-up when it is dropped.
#[derive(Default)]
pub(crate) struct Hold(Option<AbortController>);

impl Hold {
    pub(crate) fn new() -> Self {
        Self(AbortController::new().ok())
    }

    /// For [`fetch`].
    pub(crate) fn stop(&self) -> Option<AbortController> {
        self.0.clone()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// The options at a URL of [`Lookup::url`], asked for by the form of this id.
pub(crate) async fn fetch(
    form: &str,
    lookup: &Lookup,
    url: &str,
    stop: Option<AbortController>,
) -> Result<Options, CallError> {
    let key = memory::key(form, lookup, url);
    if let Some(options) = remembered(&key) {
        return Ok(options);
    }
    let address = address::of(url).ok_or_else(|| refusal("invalid_url", url.to_owned()))?;
    let _pass = GATE.with(Gate::clone).enter().await;
    // Another field may have asked the same while this one waited.
    if let Some(options) = remembered(&key) {
        return Ok(options);
    }
    if stop.as_ref().is_some_and(|it| it.signal().aborted()) {
        return Err(CallError::Stopped);
    }
    let answer = ask(&address, stop).await?;
    let choices = output::form::choices(lookup, &answer);
    let options = Options::from(choices.map_err(|it| refusal("invalid_answer", it))?);
    MEMORY.with_borrow_mut(|it| it.put(key, Arc::clone(&options), browser::now_ms()));
    Ok(options)
}

fn remembered(key: &str) -> Option<Options> {
    MEMORY.with_borrow(|it| it.get(key, browser::now_ms()))
}

async fn ask(address: &str, stop: Option<AbortController>) -> Result<Value, CallError> {
    let signal = stop.as_ref().map(AbortController::signal);
    let late = || refusal("timeout", String::new());
    in_time(DEADLINE, stop, late, read(address, signal.as_ref())).await
}

async fn read(address: &str, signal: Option<&AbortSignal>) -> Result<Value, CallError> {
    let response = answered(for_json(Request::get(address), signal).send().await, signal)?;
    let length = response.headers().get("content-length").and_then(|it| it.parse::<usize>().ok());
    if length.is_some_and(|it| it > ANSWER_BYTES_MAX) {
        return Err(refusal("invalid_answer", "The answer is too long.".to_owned()));
    }
    let status = response.status();
    let text = text(response).await?;
    if status == 401 {
        access::refused();
    }
    if !(200..300).contains(&status) {
        return Err(failed(status, &text));
    }
    serde_json::from_str(&text).map_err(|_| CallError::unreadable(status, &text))
}

async fn text(response: Response) -> Result<String, CallError> {
    let text = response.text().await.map_err(|_| lost())?;
    if text.len() > ANSWER_BYTES_MAX {
        return Err(refusal("invalid_answer", "The answer is too long.".to_owned()));
    }
    Ok(text)
}

/// A failure `{error, message, status}`, or whatever else came instead.
pub(crate) fn failed(status: u16, text: &str) -> CallError {
    let refusal = serde_json::from_str::<Refusal>(text).ok().filter(|it| !it.code.is_empty());
    match refusal {
        // Of a look-up's own refusals the code says more than the status.
        Some(refusal) if refusal.code.starts_with("lookup_") => CallError::Refused(refusal.into()),
        refusal => CallError::of_status(status, text).unwrap_or_else(|| match refusal {
            Some(refusal) => CallError::Refused(refusal.into()),
            None => CallError::unreadable(status, text),
        }),
    }
}

/// The text for the reader who wants to choose; that for the operator is in its details.
pub(crate) fn why(error: &CallError, lang: Lang) -> String {
    let code = match error {
        CallError::Refused(refusal) => refusal.code.as_str(),
        _ => "",
    };
    let key = match code {
        "lookup_not_allowed" | "lookup_not_elsewhere" | "invalid_url" => Key::LookupNotAllowed,
        "lookup_failed" => Key::LookupNoAnswer,
        "invalid_answer" | "not_found" => Key::LookupUnreadable,
        _ => return error.mend(lang),
    };
    lang.say(key).to_owned()
}

fn refusal(code: &str, message: String) -> CallError {
    CallError::Refused(Box::new(Refusal { code: code.to_owned(), message, ..Refusal::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_look_up_says_why_in_the_words_of_whoever_refused_it() {
        let text = r#"{"error": "gone", "message": "Not there.", "status": 404}"#;
        assert_eq!(why(&failed(404, text), Lang::Ja), "Not there.");
        let text = r#"{"error": "not_found", "message": "Nothing is there.", "status": 404}"#;
        assert_eq!(why(&failed(404, text), Lang::Ja), Lang::Ja.say(Key::LookupUnreadable));
        let text = r#"{"error": "lookup_not_allowed", "message": "Allow it so.", "status": 403}"#;
        let refused = failed(403, text);
        assert_eq!(why(&refused, Lang::En), Lang::En.say(Key::LookupNotAllowed));
        let details = refused.details(&why(&refused, Lang::En));
        assert!(details.is_some_and(|it| it.contains("Allow it so.")), "{refused:?}");
        let CallError::Protocol { code, .. } = failed(502, "<html>") else { panic!("no refusal") };
        assert_eq!(code, 502);
        assert_eq!(failed(401, ""), CallError::Unauthorized);
    }
}
