//! Tools that an assistant may call now, calls that were decided on, and what came of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolkit::assistants::running::{self, Tool};

use crate::{Part, ToolCall};

/// A tool that may be called.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    /// JSON Schema of its arguments.
    pub(crate) schema: Arc<Map<String, Value>>,
    /// Entries of a request's `_meta` that a model may set, as JSON Schemas by their names.
    pub(crate) request_meta: Arc<Map<String, Value>>,
    /// Whose it is: the name of a component, or of another server.
    pub(crate) owner: String,
    /// Whether it changes nothing.
    pub(crate) is_read_only: bool,
    /// Whether a person has to allow each call.
    pub(crate) asks_first: bool,
    /// Whether it is there for pages alone.
    pub(crate) is_for_pages: bool,
    /// Which view draws its output.
    pub(crate) view: Option<String>,
}

impl Offer {
    /// Those of the assistant of that name.
    pub(crate) fn all(assistant: &str) -> Vec<Self> {
        running::tools(assistant).into_iter().map(Self::of).collect()
    }

    fn of(it: Tool) -> Self {
        let request_meta = it.request_meta.and_then(|it| serde_json::from_str(&it).ok());
        let owner = it.owner.split_once(':').map_or(it.owner.as_str(), |it| it.1).to_owned();
        Self {
            schema: Arc::new(serde_json::from_str(&it.input_schema).unwrap_or_default()),
            request_meta: Arc::new(request_meta.unwrap_or_default()),
            owner,
            name: it.name,
            title: it.title,
            description: it.description,
            is_read_only: it.read_only,
            asks_first: it.asks_first,
            is_for_pages: it.for_pages,
            view: it.view,
        }
    }
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

/// Why a call brought no output, as the host and tools say it: `{error, message, status, data?}`.
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
