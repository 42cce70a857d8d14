//! `/api/chat`: who answers there, what is kept of conversations, and the gateway before it: `[chat]`.

use serde::Deserialize;

use super::Given;

/// What `/api/chat` is; what a file does not say is in the program's own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatConfig {
    /// The assistant that answers where a request names none.
    pub assistant: String,
    /// The password of the gateway (ILL-44); none is no gateway.
    pub password: Option<Given>,
    /// What those may do who came in by the password, where tokens say what others may.
    pub scopes: Vec<String>,
    /// Bytes that a request's body may have: pictures of what was said before are in it.
    pub body_bytes_max: usize,
    /// What is kept of conversations.
    #[serde(flatten)]
    pub turns: TurnLimits,
}

/// What is kept of conversations; the oldest turns go first.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct TurnLimits {
    /// Turns, of all conversations together.
    pub turns_max: usize,
    /// Bytes of all of them.
    pub turns_bytes_max: u64,
    /// Bytes of one, with all that was said before it.
    pub turn_bytes_max: u64,
}
