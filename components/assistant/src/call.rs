//! Calls that were decided on, and what came of them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Failure, Part};

/// A call that was decided on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolCall {
    /// Tells it from the others of the same run.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
    /// Entries of the request's `_meta`.
    pub(crate) meta: Map<String, Value>,
    /// Why it is called, for people (NAV-54).
    pub(crate) reason: String,
}

/// A call and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) call: ToolCall,
    pub(crate) result: ToolResult,
}

impl Answered {
    pub(crate) fn new(call: &ToolCall, result: ToolResult) -> Self {
        Self { call: call.clone(), result }
    }

    /// A call that failed.
    pub(crate) fn failed(call: &ToolCall, failure: Failure) -> Self {
        Self::new(call, ToolResult::Failed(failure))
    }
}

/// What came of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ToolResult {
    /// The tool's object, the result's `_meta`, and its content: texts and pictures.
    Output { structured: Value, meta: Value, content: Vec<Part> },
    /// An error that the model may correct; anything worse may end the run.
    Failed(Failure),
}

/// A call that waits for the person before the run can go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) call: ToolCall,
    pub(crate) wait: Wait,
    /// The host's approval that it waits for; none where the person fills in a form or chooses.
    #[serde(default)]
    pub(crate) approval: String,
    /// By which the person may trust the tool as it is now.
    #[serde(default)]
    pub(crate) trust: String,
    /// What of the tool has changed since the person was asked before, where that is why they are asked
    /// anew.
    #[serde(default)]
    pub(crate) changed: Vec<String>,
}

impl Held {
    /// One for which the person does something else than to answer the host.
    pub(crate) fn for_person(call: &ToolCall, wait: Wait) -> Self {
        let (approval, trust, changed) = Default::default();
        Self { call: call.clone(), wait, approval, trust, changed }
    }
}

/// What a call waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Wait {
    /// That the person lets it happen: it changes something, and has not begun.
    Approval,
    /// The tool's own questions, each `{key, message, schema}` or `{key, message, url}`.
    Answers { questions: Vec<Value> },
    /// That the person fills the form in that it asked for (FORM-3): its result is there, and what the
    /// person sends comes as the next message.
    Form { result: ToolResult },
    /// That the person picks pictures among those of its result (ILL-45).
    Choice { result: ToolResult },
}
