//! One call: as it is made, and what it came to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Asker;
use crate::{
    assistant::{Answered, Held, ToolCall, ToolResult, Wait},
    calls::Call,
    record::Surface,
    registry::Catalog,
};

/// `call` as the counter takes it.
pub(super) fn made(call: &ToolCall, response: Response, asker: &Asker, catalog: &Catalog) -> Call {
    let bound = asker.binding.as_ref().map(|it| it.arguments(call, catalog));
    let arguments = bound.unwrap_or_else(|| call.arguments.clone());
    Call {
        name: call.name.clone(),
        arguments: Value::Object(arguments).to_string(),
        meta: Value::Object(call.meta.clone()).to_string(),
        caller: asker.caller.clone(),
        responses: response.answers,
        state: response.state,
        notes: None,
        surface: if asker.binding.is_some() { Surface::Agent } else { Surface::Rest },
        trace: asker.trace.clone(),
    }
}

/// What the person answered to a call's questions.
#[derive(Default)]
pub(crate) struct Response {
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) state: Option<String>,
}

/// What a call came to.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Came {
    Back(Answered),
    Held(Held),
}

impl Came {
    /// The call itself.
    pub(super) fn call(&self) -> &ToolCall {
        match self {
            Self::Back(it) => &it.call,
            Self::Held(it) => &it.call,
        }
    }

    /// The result, where there is one.
    pub(super) fn result(&self) -> Option<&ToolResult> {
        match self {
            Self::Back(it) => Some(&it.result),
            Self::Held(Held { wait: Wait::Form { result } | Wait::Choice { result }, .. }) => {
                Some(result)
            }
            Self::Held(_) => None,
        }
    }
}

pub(super) fn back(call: &ToolCall, result: ToolResult) -> Answered {
    Answered { call: call.clone(), result }
}
