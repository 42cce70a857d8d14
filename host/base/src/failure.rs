//! Why a call brought no output, as its caller reads it: one object for MCP and REST alike (SYS-8).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Bytes that a message may have: what quotes something longer is cut.
const MESSAGE_BYTES_MAX: usize = 4 << 10;
/// The same of a code.
const CODE_BYTES_MAX: usize = 256;

/// What is wrong with the arguments stands under `data` alone, each at its place.
pub const INVALID: &str = "invalid_params";

/// `text`, cut where it is longer than `max` bytes.
pub fn shortened(mut text: String, max: usize) -> String {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
        text.push('…');
    }
    text
}

/// An error with what is behind it, each once.
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    for it in std::iter::successors(Some(error), |it| it.source()).map(ToString::to_string) {
        if !texts.iter().any(|before| before.contains(&it)) {
            texts.push(it);
        }
    }
    texts.join(": ")
}

/// The object `{error, message, status, data?}`, with the plain facts of `data` beside them as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The code, for programs.
    pub error: String,
    /// The message, for people: what to do.
    pub message: String,
    /// The HTTP status that says the same.
    pub status: u16,
    /// More for programs: what the failure is about.
    pub data: Box<Map<String, Value>>,
    /// Whether the request itself was wrong, rather than what the tool found.
    pub is_protocol: bool,
}

impl Failure {
    pub fn new(error: &str, status: u16, message: impl Into<String>) -> Self {
        let message = shortened(message.into(), MESSAGE_BYTES_MAX);
        let error = shortened(error.to_owned(), CODE_BYTES_MAX);
        Self { error, message, status, data: Box::default(), is_protocol: false }
    }

    /// That what was sent does not fit; `message` says what.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(INVALID, 400, message)
    }

    /// The same with one fact more about it.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// The same, where the request itself was wrong.
    pub fn protocol(self) -> Self {
        Self { is_protocol: true, ..self }
    }

    /// `{error, message, status, data?}`. The facts that a refusal is about stand beside them too, as the
    /// specification has them (CONV-62), but for lists and objects.
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
