//! Calls that somebody decided on, and what came of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Part;
use crate::{definition::Shown, failure::Failure};

/// A tool that whoever decides may call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    pub(crate) name: Arc<str>,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    /// JSON Schema of its arguments, as `tools/list` has it.
    pub(crate) schema: Arc<Map<String, Value>>,
    /// Whose it is: a component, or another server.
    pub(crate) owner: Arc<str>,
    /// Whether it changes nothing. What another server says of that counts where the operator trusts it.
    pub(crate) is_read_only: bool,
    /// Whether its server has changed it since it was first seen: nothing that was trusted before holds.
    pub(crate) is_changed: bool,
    /// What it says of itself.
    pub(crate) shown: Arc<Shown>,
    /// Which view draws its output.
    pub(crate) view: Option<String>,
}

impl Offer {
    /// Whether a person's `trusts` have it: by its name and what it says, or by its name alone where it
    /// is a component's, which only the operator changes.
    pub(crate) fn is_trusted_in(&self, trusts: &[String]) -> bool {
        let own = self.shown.trusted_as(&self.name);
        trusts.iter().any(|it| *it == own || !self.shown.is_served() && **it == *self.name)
    }
}

/// A call that somebody decided on.
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

/// What came of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ToolResult {
    /// The tool's object, the result's `_meta`, and its content: texts and pictures.
    Output { structured: Value, meta: Value, content: Vec<Part> },
    /// What whoever decides may mend; what is worse may end the run.
    Failed(Failure),
}

/// A call that waits for the person before the run can go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) call: ToolCall,
    pub(crate) wait: Wait,
    /// The tool as it was when the person was asked: the answer holds for that one only.
    #[serde(default)]
    pub(crate) shown: Option<Shown>,
    /// What of the tool has changed since the person was asked before, where that is why they are asked
    /// anew.
    #[serde(default)]
    pub(crate) changed: Vec<String>,
}

/// What a call waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Wait {
    /// That the person lets it happen: it changes something, and has not begun.
    Approval,
    /// The tool's own questions, each `{key, message, schema}` or `{key, message, url}`, and the state
    /// that goes back with their answers.
    Answers { questions: Vec<Value>, state: String },
    /// That the person fills the form in that it asked for (FORM-3): its result is there, and what the
    /// person sends comes as the next message.
    Form { result: ToolResult },
    /// That the person picks pictures among those of its result (ILL-45).
    Choice { result: ToolResult },
}
