//! Why a call brought no output, as the host and tools say it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `{error, message, status, data?}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Failure {
    /// The error's code, for programs.
    pub(crate) error: String,
    /// For people: what is wrong and how to fix it.
    pub(crate) message: String,
    /// The HTTP status that says the same.
    pub(crate) status: u16,
    /// What it is about.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) data: Map<String, Value>,
    /// Plain facts of it that stand beside the message, too.
    #[serde(flatten)]
    pub(crate) beside: Map<String, Value>,
    /// Whether the request itself was wrong, rather than what the tool found.
    #[serde(rename = "isProtocol", skip_serializing)]
    pub(crate) is_protocol: bool,
}

impl Failure {
    pub(crate) fn new(error: &str, status: u16, message: impl Into<String>) -> Self {
        Self { error: error.to_owned(), status, message: message.into(), ..Self::default() }
    }

    /// As the host says it.
    pub(crate) fn read(json: &str) -> Self {
        serde_json::from_str(json)
            .unwrap_or_else(|_| Self::new("internal_error", 500, "The failure cannot be read."))
    }

    /// As the JSON object of the contract.
    pub(crate) fn object(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Whether no other argument and no other call could correct it: only an error that one could correct goes back
    /// to the model (NAV-40, NAV-55).
    pub(crate) fn is_fatal(&self) -> bool {
        self.status >= 500 || self.is_protocol
    }
}
