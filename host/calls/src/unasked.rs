//! Answers that come before their questions, which a tool takes only where it says that it does.
//!
//! Everywhere else an answer needs the state that came with its question: or a client could agree,
//! in its user's name, to what nobody was shown.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::state::Asked;
use sandbox::component::StateError;

/// What the answers in `responses` are answers to, told by how they look.
pub(super) fn answers(
    are_taken: bool,
    responses: &BTreeMap<String, Value>,
) -> Result<BTreeMap<String, (Asked, Value)>, StateError> {
    if !are_taken {
        return Err(StateError::Missing);
    }
    let answer = |(key, response): (&String, &Value)| {
        let kind = kind(response).ok_or(StateError::NoAnswer)?;
        Ok((key.clone(), (kind, response.clone())))
    };
    responses.iter().map(answer).collect()
}

fn kind(response: &Value) -> Option<Asked> {
    let response = response.as_object()?;
    let has = |name| response.contains_key(name);
    match response.get("action") {
        Some(action) => {
            let is_known = matches!(action.as_str(), Some("accept" | "decline" | "cancel"));
            is_known.then_some(Asked::Elicitation)
        }
        None if has("roots") => Some(Asked::Roots),
        None if has("role") && has("content") => Some(Asked::Sampling),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn responses(response: Value) -> BTreeMap<String, Value> {
        BTreeMap::from([("key".to_owned(), response)])
    }

    #[test]
    fn an_answer_is_told_by_how_it_looks() {
        let kind = |response| answers(true, &responses(response)).map(|it| it["key"].0);
        assert_eq!(kind(json!({ "action": "accept", "content": {} })), Ok(Asked::Elicitation));
        assert_eq!(kind(json!({ "roots": [] })), Ok(Asked::Roots));
        assert_eq!(kind(json!({ "role": "assistant", "content": {} })), Ok(Asked::Sampling));
        for response in [json!(12345), json!({}), json!({ "action": "agree" }), json!(null)] {
            assert_eq!(kind(response), Err(StateError::NoAnswer));
        }
    }

    #[test]
    fn a_tool_that_does_not_say_so_takes_none() {
        let responses = responses(json!({ "action": "accept", "content": {} }));
        assert_eq!(answers(false, &responses), Err(StateError::Missing));
    }
}
