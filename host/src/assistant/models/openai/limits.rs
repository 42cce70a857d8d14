//! What was learnt of servers that speak as OpenAI does: the field by which a model is told how long an
//! answer may be, and the model that a server has where none is named. Kept while the host runs.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::assistant::models::wire::WireError;

/// The field as older models and most other servers know it.
pub(super) const OLD: &str = "max_tokens";
/// The field as OpenAI's current models want it, wherever they are served.
pub(super) const NEW: &str = "max_completion_tokens";
/// Servers and models that are remembered.
const KNOWN_MAX: usize = 256;

static KNOWN: Mutex<BTreeMap<(String, String), &'static str>> = Mutex::new(BTreeMap::new());
static FOUND: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

fn lock<T>(it: &'static Mutex<T>) -> MutexGuard<'static, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The field that the model at `url` takes, where that was learnt.
pub(super) fn known(url: &str, model: &str) -> Option<&'static str> {
    lock(&KNOWN).get(&(url.to_owned(), model.to_owned())).copied()
}

/// The model at `url` takes this field.
pub(super) fn learn(url: &str, model: &str, field: &'static str) {
    let mut known = lock(&KNOWN);
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert((url.to_owned(), model.to_owned()), field);
}

/// The other field, where `error` refuses the one that was sent.
pub(super) fn other(error: &WireError, sent: &str) -> Option<&'static str> {
    let WireError::Status { status: 400 | 422, body, text, .. } = error else { return None };
    let said = format!("{text} {body}");
    let other = if sent == OLD { NEW } else { OLD };
    (said.contains(OLD) || said.contains(NEW)).then_some(other)
}

/// The server at `url` has this model first.
pub(super) fn found(url: &str, model: &str) {
    let mut found = lock(&FOUND);
    if found.len() >= KNOWN_MAX {
        found.clear();
    }
    found.insert(url.to_owned(), model.to_owned());
}

/// The model that the server at `url` had first when it was last asked.
pub(in crate::assistant::models) fn first(url: &str) -> Option<String> {
    lock(&FOUND).get(url.trim_end_matches('/')).cloned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(status: u16, message: &str, param: &str) -> WireError {
        let body = json!({ "error": { "message": message, "param": param } });
        WireError::Status { status, retry_after_s: None, body, text: message.to_owned() }
    }

    #[test]
    fn a_refused_field_leads_to_the_other_one() {
        let unsupported = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        assert_eq!(other(&refusal(400, unsupported, OLD), OLD), Some(NEW));
        let unknown = "Unrecognized request argument supplied: max_completion_tokens";
        assert_eq!(other(&refusal(400, unknown, ""), NEW), Some(OLD));
        assert_eq!(other(&refusal(422, "Extra inputs are not permitted", NEW), NEW), Some(OLD));
        assert_eq!(other(&refusal(400, "messages: wrong", ""), OLD), None);
        assert_eq!(other(&refusal(401, unsupported, OLD), OLD), None);
    }

    #[test]
    fn what_was_learnt_is_bounded() {
        for at in 0..3 * KNOWN_MAX {
            learn("http://bounded", &at.to_string(), NEW);
        }
        assert!(lock(&KNOWN).len() <= KNOWN_MAX);
        learn("http://bounded", "last", NEW);
        assert_eq!(known("http://bounded", "last"), Some(NEW));
        assert_eq!(known("http://bounded", "another"), None);
    }
}
