//! Input and result of one turn of a conversation.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
/// A tool on offer.
pub use toolkit::dialogue::Tool as Offer;

use crate::{
    language::Language,
    message::{Message, Part, joined_text},
};

/// A request of a person or an agent.
#[derive(Clone, Debug)]
pub struct Task {
    /// The new message; empty if only pending calls are answered.
    pub message: Vec<Part>,
    /// Earlier messages, oldest first; empty if they are remembered.
    pub history: Vec<Message>,
    /// The language of the answer.
    pub language: Language,
    /// Current time.
    pub now: Timestamp,
}

/// Input of a decision.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The request.
    pub task: &'a Task,
    /// Whether the task's message is new.
    pub is_first: bool,
    /// Tools on offer.
    pub offers: &'a [Offer],
    /// Results of the calls of the turn before, in order.
    pub answered: &'a [Answered],
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique in the conversation.
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
    /// The call.
    pub call: ToolCall,
    /// The result.
    pub result: ToolResult,
}

/// Result of a call.
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
    /// The call failed.
    Failed(Failure),
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Error code.
    pub error: String,
    /// Text for people: what to do about it.
    pub message: String,
    /// Matching HTTP status.
    pub status: u16,
    /// Details by name.
    pub data: Map<String, Value>,
}

impl Failure {
    /// Creates a failure without details.
    pub fn new(error: &str, status: u16, message: impl Into<String>) -> Self {
        Self { error: error.to_owned(), message: message.into(), status, data: Map::new() }
    }
}

/// Decision of a turn.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Make these calls concurrently.
    Call(Vec<ToolCall>),
    /// End the turn with this answer.
    Conclude(Conclusion),
}

/// The answer that ends a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusion {
    /// Texts and pictures, in order.
    pub parts: Vec<Part>,
    /// The chosen route, as a reference and never retyped (NAV-6).
    pub choice: Option<Choice>,
}

impl Conclusion {
    /// Joins its texts; adjacent ones are concatenated.
    pub fn text(&self) -> String {
        joined_text(&self.parts)
    }
}

/// A reference to a route among the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Call with the route; by default the last call with routes.
    pub call: Option<String>,
    /// Index in its result, from 0.
    pub index: Option<usize>,
    /// Summary, if the index does not match.
    pub summary: Option<String>,
}
