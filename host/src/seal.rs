//! Seals what a client carries between the rounds of a call, so that no question is answered
//! that was never asked, nor for another call, caller or version.

use std::{collections::BTreeMap, fs, io, path::Path, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;

use crate::bindings::madoguchi::tool::types::Datetime;

/// How long a question can be answered, in seconds.
pub(crate) const TTL_S: u64 = 60 * 60;
/// Bytes that a sealed state may have.
const STATE_BYTES_MAX: usize = 256 << 10;

/// What is remembered from the earlier rounds of one call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The method, what it asks for by name or URI, and the SHA-256 of the arguments, that it belongs
    /// to.
    pub(crate) method: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) principal: String,
    /// The version of the component that asked.
    pub(crate) component: String,
    /// When the first round began, in nanoseconds since 1970.
    pub(crate) first_called_at_ns: u64,
    /// When it ends to be valid, in seconds since 1970.
    pub(crate) expires_at_s: u64,
    /// What the last round asked: the key, and the kind of answer it takes.
    pub(crate) asked: BTreeMap<String, Asked>,
    /// How many rounds have asked so far.
    #[serde(default)]
    pub(crate) rounds: u32,
    /// The number of the call over all its rounds, which nobody can guess.
    #[serde(default)]
    pub(crate) call: u64,
    /// What earlier rounds were answered, as the client sent it.
    pub(crate) answers: BTreeMap<String, (Asked, Value)>,
    /// The component's own state.
    pub(crate) own: Option<String>,
    /// The approvals that its calls were held for so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) held: Vec<String>,
    /// Those of them that the last round asked for, in place of the component.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) approving: Vec<String>,
}

impl State {
    /// That of a first round that came with answers already.
    pub(crate) fn answered(
        version: &str,
        first_called_at_ns: u64,
        answers: BTreeMap<String, (Asked, Value)>,
    ) -> Self {
        let component = version.to_owned();
        Self { component, first_called_at_ns, answers, ..Self::default() }
    }

    /// When the first round began.
    pub(crate) fn first_called_at(&self) -> Datetime {
        Datetime {
            seconds: self.first_called_at_ns / 1_000_000_000,
            nanoseconds: u32::try_from(self.first_called_at_ns % 1_000_000_000).unwrap_or(0),
        }
    }

    /// Drops what was asked by, answered to and kept for another version of the component.
    pub(crate) fn belong_to(&mut self, version: &str) {
        if self.component != version {
            self.component = version.to_owned();
            self.asked.clear();
            self.answers.clear();
            self.own = None;
        }
    }
}

/// The kind of a question, which tells how its answer reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Asked {
    Elicitation,
    Sampling,
    Roots,
}

/// Why a state does not belong to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// It was made elsewhere, or changed.
    #[error(
        "requestState: not one that this server gave out; send it back unchanged, or call again without it"
    )]
    Forged,
    /// Too much time has passed.
    #[error("requestState: it has expired; call again without it to be asked again")]
    Expired,
    /// It was given out for something else.
    #[error(
        "requestState: it belongs to another call; send the same name and arguments as before, or call again without it"
    )]
    Foreign,
    /// The call that it belongs to has ended, or another round of it runs.
    #[error("requestState: it has been answered and used; call again without it to be asked again")]
    Spent,
    /// There are answers without it.
    #[error("inputResponses: they need the requestState that came with the questions")]
    Missing,
    /// What came with them is none.
    #[error(
        "inputResponses: each must be an answer, with an action, or a result with role and content or with roots"
    )]
    NoAnswer,
}

/// The key with which states are sealed.
#[derive(Clone)]
pub(crate) struct Seal(Hmac<Sha256>);

impl Seal {
    /// The key in `file`, made anew where there is none.
    pub(crate) fn open(file: &Path) -> io::Result<Self> {
        let mut key = match fs::read(file) {
            Ok(key) if key.len() == 32 => key,
            _ => Vec::new(),
        };
        if key.is_empty() {
            key = vec![0; 32];
            getrandom::fill(&mut key).map_err(io::Error::other)?;
            crate::private::write(file, &key)?;
        }
        Ok(Self::of(&key))
    }

    /// The key in `file`, if there is one; nothing is made.
    pub(crate) fn look(file: &Path) -> Option<Self> {
        fs::read(file).ok().filter(|it| it.len() == 32).map(|it| Self::of(&it))
    }

    /// A key that nobody keeps.
    pub(crate) fn fresh() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        Ok(Self::of(&key))
    }

    fn of(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes a key of any length"))
    }

    /// A key derived from this one for another purpose: what is tagged with either says nothing
    /// with the other.
    pub(crate) fn derive(&self, purpose: &str) -> Self {
        Self::of(&self.tag(format!("derived key: {purpose}").as_bytes()))
    }

    /// The beginning of a tag, for what comes in pieces.
    pub(crate) fn begin(&self) -> Hmac<Sha256> {
        self.0.clone()
    }

    /// Says of `text` that it comes from here.
    pub(crate) fn tag(&self, text: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(text);
        mac.finalize().into_bytes().into()
    }

    /// The state for its way to the client and back; none if it is too big for that.
    pub(crate) fn close(&self, mut state: State, now: Duration) -> Option<String> {
        state.expires_at_s = now.as_secs() + TTL_S;
        let text = serde_json::to_vec(&state).expect("a state has string keys");
        let mut mac = self.0.clone();
        mac.update(&text);
        let tag = mac.finalize().into_bytes();
        let sealed = format!("{}.{}", URL_SAFE_NO_PAD.encode(tag), URL_SAFE_NO_PAD.encode(text));
        (sealed.len() <= STATE_BYTES_MAX).then_some(sealed)
    }

    /// The state in `sealed`, if it is genuine, still valid, and belongs to this call.
    pub(crate) fn open_state(
        &self,
        sealed: &str,
        now: Duration,
        belongs: impl FnOnce(&State) -> bool,
    ) -> Result<State, StateError> {
        let state = self.genuine(sealed).ok_or(StateError::Forged)?;
        if state.expires_at_s < now.as_secs() {
            return Err(StateError::Expired);
        }
        if !belongs(&state) {
            return Err(StateError::Foreign);
        }
        Ok(state)
    }

    fn genuine(&self, sealed: &str) -> Option<State> {
        if sealed.len() > STATE_BYTES_MAX {
            return None;
        }
        let (tag, text) = sealed.split_once('.')?;
        let text = URL_SAFE_NO_PAD.decode(text).ok()?;
        let mut mac = self.0.clone();
        mac.update(&text);
        mac.verify_slice(&URL_SAFE_NO_PAD.decode(tag).ok()?).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1_000_000);

    fn seal() -> Seal {
        Seal(Hmac::new_from_slice(&[7; 32]).unwrap())
    }

    fn state() -> State {
        State { name: "greet".to_owned(), ..State::default() }
    }

    #[test]
    fn a_state_comes_back_as_it_was_while_it_is_valid() {
        let sealed = seal().close(state(), NOW).unwrap();
        let opened = seal().open_state(&sealed, NOW, |it| it.name == "greet").unwrap();
        assert_eq!(State { expires_at_s: 0, ..opened }, state());
        let late = NOW + Duration::from_secs(TTL_S + 1);
        assert_eq!(seal().open_state(&sealed, late, |_| true), Err(StateError::Expired));
    }

    #[test]
    fn a_state_that_could_not_come_back_is_not_given_out() {
        let own = |bytes| State { own: Some("s".repeat(bytes)), ..state() };
        let sealed = seal().close(own(150 << 10), NOW).unwrap();
        assert!(seal().open_state(&sealed, NOW, |_| true).is_ok());
        assert_eq!(seal().close(own(STATE_BYTES_MAX), NOW), None);
    }

    #[test]
    fn a_changed_foreign_or_forged_state_is_refused() {
        let sealed = seal().close(state(), NOW).unwrap();
        assert_eq!(seal().open_state(&sealed, NOW, |_| false), Err(StateError::Foreign));
        for at in 0..sealed.len() {
            let mut forged = sealed.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(seal().open_state(&forged, NOW, |_| true), Err(StateError::Forged), "{at}");
        }
        let other = Seal(Hmac::new_from_slice(&[8; 32]).unwrap());
        assert_eq!(other.open_state(&sealed, NOW, |_| true), Err(StateError::Forged));
    }
}
