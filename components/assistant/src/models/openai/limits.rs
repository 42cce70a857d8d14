//! What was learnt of servers that speak as OpenAI does: the field that limits how long an
//! answer may be, and the model that a server has where none is named.

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

/// The field that the model at `url` takes, where that was learnt.
pub(super) fn learned(url: &str, model: &str) -> Option<&'static str> {
    let fact = fact(url, model)?;
    [OLD, NEW].into_iter().find(|it| *it == fact)
}

/// The model at `url` takes this field.
pub(super) fn learn(url: &str, model: &str, field: &str) {
    remember(url, model, field);
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

/// The other field, where `error` refuses the one that was sent.
pub(super) fn other(error: &WireError, sent: &str) -> Option<&'static str> {
    let WireError::Status { status: 400 | 422, body, text, .. } = error else { return None };
    let answer = format!("{text} {body}");
    let other = if sent == OLD { NEW } else { OLD };
    (answer.contains(OLD) || answer.contains(NEW)).then_some(other)
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
}
