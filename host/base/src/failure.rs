//! The error object of a failed call, the same for MCP and REST (SYS-8).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Bytes that a message may have: what quotes something longer is cut.
const MESSAGE_BYTES_MAX: usize = 4 << 10;
/// Maximum length of a code, in bytes.
const CODE_BYTES_MAX: usize = 256;

/// Code of invalid arguments, whose details are under `data` only.
pub const INVALID: &str = "invalid_params";

/// The member that marks what the host says.
const IS_HOSTS: &str = "isHosts";

/// `text`, cut where it is longer than `max` bytes.
pub fn shortened(mut text: String, max: usize) -> String {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
        text.push('…');
    }
    text
}

/// An error with its sources, each text once.
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in std::iter::successors(Some(error), |it| it.source()).map(ToString::to_string) {
        if !texts.iter().any(|before| before.contains(&text)) {
            texts.push(text);
        }
    }
    texts.join(": ")
}

/// The error object `{error, message, status, data?}`, with scalar facts of `data` beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The code, for programs.
    pub error: String,
    /// The message, for people: what to do.
    pub message: String,
    /// The corresponding HTTP status.
    pub status: u16,
    /// More for programs: what the failure is about.
    pub data: Box<Map<String, Value>>,
    /// Whether the request itself was wrong, rather than what the tool found.
    pub is_protocol: bool,
    /// Whether the host says so, rather than the tool; unknown of failures that an earlier version has kept.
    #[serde(default)]
    pub is_hosts: bool,
}

impl Failure {
    pub fn new(error: &str, status: u16, message: impl Into<String>) -> Self {
        let message = shortened(message.into(), MESSAGE_BYTES_MAX);
        let error = shortened(error.to_owned(), CODE_BYTES_MAX);
        let data = Box::default();
        Self { error, message, status, data, is_protocol: false, is_hosts: true }
    }

    /// An invalid request; `message` says what is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(INVALID, 400, message)
    }

    /// Adds a fact.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Marks what the tool says itself.
    pub fn tools(self) -> Self {
        Self { is_hosts: false, ..self }
    }

    /// Marks the request itself as invalid.
    pub fn protocol(self) -> Self {
        Self { is_protocol: true, ..self }
    }

    /// The object as components receive it: also whether the host says so, which no fact of the tool can feign.
    pub fn object_for_components(&self) -> Map<String, Value> {
        let mut object = match self.object() {
            Value::Object(object) => object,
            _ => Map::new(),
        };
        object.remove(IS_HOSTS);
        if self.is_hosts {
            object.insert(IS_HOSTS.to_owned(), true.into());
        }
        object
    }

    /// Builds `{error, message, status, data?}`. Scalar facts are repeated beside them, as the specification requires
    /// (CONV-62).
    pub fn object(&self) -> Value {
        let mut object = Map::new();
        object.insert("error".to_owned(), self.error.as_str().into());
        object.insert("message".to_owned(), self.message.as_str().into());
        object.insert("status".to_owned(), self.status.into());
        if self.data.is_empty() {
            return Value::Object(object);
        }
        let is_plain = |it: &Value| !it.is_object() && !it.is_array();
        if self.error != INVALID {
            for (name, fact) in self.data.iter().filter(|it| is_plain(it.1) && it.0 != "data") {
                object.entry(name).or_insert_with(|| fact.clone());
            }
        }
        object.insert("data".to_owned(), Value::Object((*self.data).clone()));
        Value::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_cannot_speak_for_the_host() {
        let failure = || Failure::new("not_allowed", 403, "No.").with(IS_HOSTS, true);
        assert_eq!(failure().tools().object_for_components().get(IS_HOSTS), None);
        assert_eq!(failure().object_for_components()[IS_HOSTS], true);
        let kept = serde_json::to_value(failure()).unwrap();
        assert!(serde_json::from_value::<Failure>(kept.clone()).unwrap().is_hosts);
        let mut earlier = kept;
        earlier.as_object_mut().unwrap().remove("is_hosts");
        assert!(!serde_json::from_value::<Failure>(earlier).unwrap().is_hosts);
    }
}
