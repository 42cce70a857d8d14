//! One call: as it is made, and what it came to.

use std::sync::Arc;

use serde_json::Value;

use super::Asker;
use crate::{
    assistant::{Answered, Held, ToolCall, ToolResult, Wait},
    call::Surface,
    call::{Call, Via},
    registry::Catalog,
};

/// `call` as the counter takes it.
pub(super) fn made(call: &ToolCall, asker: &Asker, catalog: &Catalog, asked_by: &Arc<str>) -> Call {
    let bound = asker.played.as_ref().map(|it| it.arguments(call, catalog));
    let arguments = bound.unwrap_or_else(|| call.arguments.clone());
    let surface = if asker.played.is_some() { Surface::Agent } else { Surface::Rest };
    let arguments = Value::Object(arguments).to_string();
    let caller = (asker.caller.clone(), surface);
    Call {
        meta: Value::Object(call.meta.clone()).to_string(),
        via: Via { asked_by: Some(asked_by.clone()), ..Via::default() },
        ..Call::new(call.name.clone(), arguments, caller, asker.trace.clone())
    }
}

/// What a call came to.
#[derive(Clone)]
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
