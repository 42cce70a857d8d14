//! The signed state that a client returns between rounds. It is bound to its call, caller and version, so that no
//! question is answered that was not asked.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use sandbox::{bindings::madoguchi::tool::types::Datetime, component::StateError};
use store::seal::Seal;

/// Seconds for which a question can be answered.
pub const TTL_S: u64 = 60 * 60;
/// Seconds for which a paused call, whose state stays on the host, can resume.
pub const PAUSED_TTL_S: u64 = 366 * 24 * 60 * 60;
/// Bytes that a sealed state may have.
const STATE_BYTES_MAX: usize = 256 << 10;

/// State of a call between rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The method, the requested name or URI, and the SHA-256 of the arguments.
    pub method: String,
    pub name: String,
    pub arguments: String,
    pub principal: String,
    /// The version of the component that asked.
    pub component: String,
    /// Start of the first round, in nanoseconds since 1970.
    pub first_called_at_ns: u64,
    /// Expiry in seconds since 1970.
    pub expires_at_s: u64,
    /// Questions of the last round by key, with expected answer kinds.
    pub asked: BTreeMap<String, QuestionKind>,
    /// Number of rounds with questions.
    #[serde(default)]
    pub rounds: u32,
    /// The number of the call over all its rounds; it cannot be guessed.
    #[serde(default)]
    pub call: u64,
    /// Answers of earlier rounds as sent.
    pub answers: BTreeMap<String, (QuestionKind, Value)>,
    /// The component's own state.
    pub own: Option<String>,
    /// The approvals that its calls were held for so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// The approvals that keep what its calls changed unasked so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// Approvals among `held` that the last round asked about in place of the component, each with the digest of its
    /// questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approving: Vec<String>,
}

impl State {
    /// Start of the first round.
    pub fn first_called_at(&self) -> Datetime {
        Datetime {
            seconds: self.first_called_at_ns / 1_000_000_000,
            nanoseconds: u32::try_from(self.first_called_at_ns % 1_000_000_000).unwrap_or(0),
        }
    }

    /// Drops questions, answers and component state of other versions.
    pub fn belong_to(&mut self, version: &str) {
        if self.component != version {
            self.component = version.to_owned();
            self.asked.clear();
            self.answers.clear();
            self.own = None;
        }
    }
}

/// The kind of a question, which decides how its answer reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    Elicitation,
    Sampling,
    Roots,
}

impl State {
    /// Signs the state for the client. `None` if it is too large.
    pub fn close(self, seal: &Seal, now: Duration) -> Option<String> {
        self.close_for(TTL_S, seal, now)
    }

    /// Signs the state with a lifetime of `ttl_s` seconds.
    pub fn close_for(mut self, ttl_s: u64, seal: &Seal, now: Duration) -> Option<String> {
        self.expires_at_s = now.as_secs() + ttl_s;
        let text = serde_json::to_vec(&self).expect("a state has string keys");
        let sealed = seal.close(&text);
        (sealed.len() <= STATE_BYTES_MAX).then_some(sealed)
    }

    /// The state in `sealed`, if it is genuine, still valid, and belongs to this call.
    pub fn open(
        (seal, sealed): (&Seal, &str),
        now: Duration,
        belongs: impl FnOnce(&Self) -> bool,
    ) -> Result<Self, StateError> {
        let text = Some(sealed).filter(|it| it.len() <= STATE_BYTES_MAX);
        let text = text.and_then(|it| seal.open_text(it)).ok_or(StateError::Forged)?;
        let state: Self = serde_json::from_slice(&text).map_err(|_| StateError::Forged)?;
        if state.expires_at_s < now.as_secs() {
            return Err(StateError::Expired);
        }
        if !belongs(&state) {
            return Err(StateError::Foreign);
        }
        Ok(state)
    }
}

/// Classifies unrequested answers in `responses` by shape, for tools that declare to accept them. All others need the
/// state of their question, or a client could confirm something that its user did not see.
pub(super) fn unasked_answers(
    are_taken: bool,
    responses: &BTreeMap<String, Value>,
) -> Result<BTreeMap<String, (QuestionKind, Value)>, StateError> {
    if !are_taken {
        return Err(StateError::Missing);
    }
    let answer = |(key, response): (&String, &Value)| {
        let kind = kind_of(response).ok_or(StateError::NoAnswer)?;
        Ok((key.clone(), (kind, response.clone())))
    };
    responses.iter().map(answer).collect()
}

/// The question kind that `response` answers, by shape.
pub(super) fn kind_of(response: &Value) -> Option<QuestionKind> {
    let response = response.as_object()?;
    let has = |name| response.contains_key(name);
    match response.get("action") {
        Some(action) => {
            let is_known = matches!(action.as_str(), Some("accept" | "decline" | "cancel"));
            let content = response.get("content");
            let is_filled_in = content.is_none_or(|it| it.is_object() || it.is_null());
            (is_known && is_filled_in).then_some(QuestionKind::Elicitation)
        }
        None if has("roots") => Some(QuestionKind::Roots),
        None if has("role") && has("content") => Some(QuestionKind::Sampling),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Duration = Duration::from_secs(1_000_000);

    fn state() -> State {
        State { name: "greet".to_owned(), ..State::default() }
    }

    #[test]
    fn state_round_trips_while_valid() {
        let seal = Seal::fresh().unwrap();
        let sealed = state().close(&seal, NOW).unwrap();
        let opened = State::open((&seal, &sealed), NOW, |it| it.name == "greet").unwrap();
        assert_eq!(State { expires_at_s: 0, ..opened }, state());
        let late = NOW + Duration::from_secs(TTL_S + 1);
        assert_eq!(State::open((&seal, &sealed), late, |_| true), Err(StateError::Expired));
        assert_eq!(State::open((&seal, &sealed), NOW, |_| false), Err(StateError::Foreign));
        let other = Seal::fresh().unwrap();
        assert_eq!(State::open((&other, &sealed), NOW, |_| true), Err(StateError::Forged));
    }

    #[test]
    fn rejects_state_too_large_to_return() {
        let seal = Seal::fresh().unwrap();
        let own = |bytes| State { own: Some("s".repeat(bytes)), ..state() };
        let sealed = own(150 << 10).close(&seal, NOW).unwrap();
        assert!(State::open((&seal, &sealed), NOW, |_| true).is_ok());
        assert_eq!(own(STATE_BYTES_MAX).close(&seal, NOW), None);
    }

    fn responses(response: Value) -> BTreeMap<String, Value> {
        BTreeMap::from([("key".to_owned(), response)])
    }

    #[test]
    fn recognizes_answer_by_its_shape() {
        let kind = |response| unasked_answers(true, &responses(response)).map(|it| it["key"].0);
        assert_eq!(
            kind(json!({ "action": "accept", "content": {} })),
            Ok(QuestionKind::Elicitation)
        );
        assert_eq!(kind(json!({ "roots": [] })), Ok(QuestionKind::Roots));
        assert_eq!(kind(json!({ "role": "assistant", "content": {} })), Ok(QuestionKind::Sampling));
        for response in [
            json!(12345),
            json!({}),
            json!({ "action": "agree" }),
            json!(null),
            json!({ "action": "accept", "content": [] }),
            json!({ "action": "accept", "content": "yes" }),
        ] {
            assert_eq!(kind(response), Err(StateError::NoAnswer));
        }
        let empty = json!({ "action": "accept", "content": null });
        assert_eq!(kind(empty), Ok(QuestionKind::Elicitation));
    }

    #[test]
    fn tool_without_declaration_accepts_no_answers() {
        let responses = responses(json!({ "action": "accept", "content": {} }));
        assert_eq!(unasked_answers(false, &responses), Err(StateError::Missing));
    }
}
