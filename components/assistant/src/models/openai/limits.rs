//! What was learnt of servers that speak as OpenAI does: how they want to be asked, and the model that a server has where
//! none is named.

use toolkit::{log, sql};

use crate::models::wire::WireError;

/// The field as older models and most other servers know it.
pub(super) const OLD: &str = "max_tokens";
/// The field as OpenAI's current models want it, wherever they are served.
pub(super) const NEW: &str = "max_completion_tokens";
/// Facts that are remembered.
const KNOWN_MAX: i64 = 256;
/// Under which a server's first model is kept.
const FIRST: &str = "";
/// Ways other than the usual ones, as they are kept.
const UNLIMITED: &str = "unlimited";
const UNCOUNTED: &str = "uncounted";
const BRIDGED: &str = "bridged";
const FEW: &str = "few";

/// How a model at a server wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    /// The field that says how long an answer may be; none where it is to be as long as there is room.
    pub(super) limit: Option<&'static str>,
    /// Whether it takes `stream_options`, without which most do not count; Mistral has refused it, and counts.
    pub(super) counts: bool,
    /// Whether what the person says may not follow the results of tools.
    pub(super) bridges: bool,
    /// Whether it takes but some tools, and refuses all where there are more.
    pub(super) few: bool,
}

impl Ways {
    /// The usual ones, with this field.
    pub(super) fn with(limit: &'static str) -> Self {
        Self { limit: Some(limit), counts: true, bridges: false, few: false }
    }

    /// Other ways, where `error` refuses these, to which those have led that were tried `first`.
    pub(super) fn adapted(self, error: &WireError, first: Self) -> Option<Self> {
        let WireError::Status { status: 400 | 422 | 500, .. } = error else { return None };
        if self.counts && error.says_any(&["stream_options"]) {
            return Some(Self { counts: false, ..self });
        }
        if !self.bridges && error.says_any(&["after role", "roles must alternate"]) {
            return Some(Self { bridges: true, ..self });
        }
        if !self.few
            && !error.is_too_large()
            && error.says_any(&["tools"])
            && error.says_any(&["128"])
        {
            return Some(Self { few: true, ..self });
        }
        let sent = self.limit.filter(|_| error.says_any(&[OLD, NEW]))?;
        let other = if sent == OLD { NEW } else { OLD };
        // Where what it may answer is more than its context has room for, neither helps.
        let is_other = self.limit == first.limit && !error.is_too_large();
        Some(Self { limit: is_other.then_some(other), ..self })
    }

    fn read(fact: &str) -> Option<Self> {
        let has = |word: &str| fact.split(' ').any(|it| it == word);
        let limit = [OLD, NEW].into_iter().find(|it| has(it));
        let is_one = limit.is_some() || has(UNLIMITED);
        is_one.then(|| Self {
            limit,
            counts: !has(UNCOUNTED),
            bridges: has(BRIDGED),
            few: has(FEW),
        })
    }

    fn fact(self) -> String {
        let counts = (!self.counts).then_some(UNCOUNTED);
        let words = [counts, self.bridges.then_some(BRIDGED), self.few.then_some(FEW)];
        let words = words.into_iter().flatten();
        std::iter::once(self.limit.unwrap_or(UNLIMITED)).chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// How the model at `url` wants to be asked, where that was learnt.
pub(super) fn learned(url: &str, model: &str) -> Option<Ways> {
    Ways::read(&fact(url, model)?)
}

/// The model at `url` wants to be asked so.
pub(super) fn learn(url: &str, model: &str, ways: Ways) {
    remember(url, model, &ways.fact());
}

/// The server at `url` has this model first.
pub(super) fn found(url: &str, model: &str) {
    remember(url, FIRST, model);
}

/// The model that the server at `url` had first when it was last asked.
pub(in crate::models) fn first(url: &str) -> Option<String> {
    fact(url.trim_end_matches('/'), FIRST)
}

fn fact(url: &str, model: &str) -> Option<String> {
    let sql = "SELECT fact FROM learnt WHERE url = $1 AND model = $2";
    let [rows] = sql::query([toolkit::sql!(sql, url, model)]).ok()?;
    rows.read::<(String,)>().ok()?.pop().map(|it| it.0)
}

/// What cannot be remembered is learnt again.
fn remember(url: &str, model: &str, fact: &str) {
    let put = "INSERT INTO learnt (url, model, fact, position) \
        SELECT $1, $2, $3, coalesce(max(position), 0) + 1 FROM learnt WHERE true \
        ON CONFLICT (url, model) DO UPDATE SET fact = excluded.fact, position = excluded.position";
    let forget = "DELETE FROM learnt WHERE position <= (SELECT max(position) FROM learnt) - $1";
    let done =
        sql::transact([toolkit::sql!(put, url, model, fact), toolkit::sql!(forget, KNOWN_MAX)]);
    if let Err(error) = done {
        log::warning(&format!("what was learnt of a model is not kept: {error:?}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(status: u16, message: &str, param: &str) -> WireError {
        let body = json!({ "error": { "message": message, "param": param } });
        WireError::Status { status, retry_after_s: None, body, text: message.to_owned() }
    }

    /// The ways that `error` leads to from `ways`.
    fn next(ways: Ways, error: &WireError) -> Option<Ways> {
        ways.adapted(error, Ways::with(OLD))
    }

    #[test]
    fn a_refused_field_leads_to_the_other_one() {
        let unsupported = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let (old, new) = (Ways::with(OLD), Ways::with(NEW));
        assert_eq!(old.adapted(&refusal(400, unsupported, OLD), old), Some(new));
        let unknown = "Unrecognized request argument supplied: max_completion_tokens";
        assert_eq!(new.adapted(&refusal(400, unknown, ""), new), Some(old));
        let extra = refusal(422, "Extra inputs are not permitted", NEW);
        assert_eq!(new.adapted(&extra, new), Some(old));
        assert_eq!(old.adapted(&refusal(400, "messages: wrong", ""), old), None);
        assert_eq!(old.adapted(&refusal(401, unsupported, OLD), old), None);
        // Then none of both, and nothing after that.
        let none = Ways { limit: None, ..old };
        assert_eq!(next(new, &refusal(400, unknown, "")), Some(none));
        assert_eq!(next(none, &refusal(400, unknown, "")), None);
    }

    #[test]
    fn an_answer_that_a_context_has_no_room_for_is_not_limited() {
        let small = "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 6000 input tokens.";
        let error = refusal(400, small, "");
        assert!(error.is_too_large());
        assert_eq!(next(Ways::with(OLD), &error), Some(Ways { limit: None, ..Ways::with(OLD) }));
    }

    #[test]
    fn a_stricter_server_is_asked_as_it_wants_to_be() {
        let usual = Ways::with(OLD);
        let extra = json!({ "detail": [{ "loc": ["body", "stream_options", "include_usage"] }] });
        let body = json!({ "object": "error", "message": extra });
        let text = String::new();
        let error = WireError::Status { status: 422, retry_after_s: None, body, text };
        let uncounted = Ways { counts: false, ..usual };
        assert_eq!(next(usual, &error), Some(uncounted));
        assert_eq!(next(uncounted, &error), None, "it is not asked so for ever");
        for (status, order) in [
            (400, "Unexpected role 'user' after role 'tool'"),
            (500, "conversation roles must alternate user and assistant roles"),
        ] {
            let error = refusal(status, order, "");
            assert_eq!(next(uncounted, &error), Some(Ways { bridges: true, ..uncounted }));
        }
    }

    #[test]
    fn a_server_of_few_tools_is_given_no_more() {
        let many = "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 131 instead.";
        let few = Ways { few: true, ..Ways::with(NEW) };
        assert_eq!(next(Ways::with(NEW), &refusal(400, many, "tools")), Some(few));
        assert_eq!(next(few, &refusal(400, many, "tools")), None, "it is not asked so for ever");
    }

    #[test]
    fn what_was_learnt_is_read_as_it_was_kept() {
        for ways in [
            Ways::with(NEW),
            Ways { counts: false, bridges: true, few: true, ..Ways::with(OLD) },
            Ways { limit: None, ..Ways::with(OLD) },
        ] {
            assert_eq!(Ways::read(&ways.fact()), Some(ways));
        }
        assert_eq!(Ways::read("max_completion_tokens"), Some(Ways::with(NEW)));
        assert_eq!(Ways::read("qwen4:8b"), None);
    }
}
