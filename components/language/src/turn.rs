//! One turn of a conversation: what is known in it, and what comes next.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
/// A tool that may be called.
pub use toolkit::dialogue::Tool as Offer;

use crate::{
    language::Language,
    message::{Message, Part, told},
};

/// What a person or an agent asks for.
#[derive(Clone, Debug)]
pub struct Task {
    /// The new message; empty where only calls that waited are answered.
    pub message: Vec<Part>,
    /// Earlier messages, oldest first; empty where it is remembered.
    pub history: Vec<Message>,
    /// The language of the answer.
    pub language: Language,
    /// When it is asked.
    pub now: Timestamp,
}

/// What a decision goes by.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// What is asked for.
    pub task: &'a Task,
    /// Whether the task's message has not been received yet.
    pub is_first: bool,
    /// The tools that may be called now.
    pub offers: &'a [Offer],
    /// What the calls of the turn before came to, in their order.
    pub answered: &'a [Answered],
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Tells it from the others of the conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The tool's arguments.
    pub arguments: Map<String, Value>,
    /// Entries of the request's `_meta`.
    pub meta: Map<String, Value>,
    /// Why it is called, in a sentence for people (NAV-54).
    pub reason: String,
}

/// A call and its result.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The call that was made.
    pub call: ToolCall,
    /// What came of it.
    pub result: ToolResult,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub enum ToolResult {
    /// The tool's output.
    Output {
        /// The tool's object.
        structured: Value,
        /// The result's `_meta`.
        meta: Value,
        /// Texts and pictures.
        content: Vec<Part>,
    },
    /// The call failed, and why.
    Failed(Failure),
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The error's code.
    pub error: String,
    /// What to do about it, for people.
    pub message: String,
    /// The HTTP status that says the same.
    pub status: u16,
    /// Facts about it, by name.
    pub data: Map<String, Value>,
}

impl Failure {
    /// A failure without facts.
    pub fn new(error: &str, status: u16, message: impl Into<String>) -> Self {
        Self { error: error.to_owned(), message: message.into(), status, data: Map::new() }
    }
}

/// What happens after a turn.
#[derive(Clone, Debug)]
pub enum Decision {
    /// These calls, all at once.
    Call(Vec<ToolCall>),
    /// The answer; nothing more is called.
    Conclude(Conclusion),
}

/// The answer that ends a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusion {
    /// Texts and pictures, in order.
    pub parts: Vec<Part>,
    /// The route that was chosen, if any. Named, never retyped (NAV-6).
    pub choice: Option<Choice>,
}

impl Conclusion {
    /// Its texts: those that follow each other are one, as they came.
    pub fn text(&self) -> String {
        told(&self.parts)
    }
}

/// A route among the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The call whose result has it; the last call with routes where there is none.
    pub call: Option<String>,
    /// Its place there, from 0.
    pub index: Option<usize>,
    /// Its summary, where the index does not fit.
    pub summary: Option<String>,
}
