//! `/api/chat`: who answers there, and the gateway before it: `[chat]`.

use serde::Deserialize;

use crate::servers::Given;

/// What `/api/chat` is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatConfig {
    /// The assistant that answers where a request names none.
    pub assistant: String,
    /// The password of the gateway (ILL-44); none is no gateway.
    pub password: Option<Given>,
}
