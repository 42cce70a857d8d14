//! What can be asked of a server: a tool to be called, a prompt, a resource, and how its words go on.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, CompleteRequest, CompleteRequestParams,
    GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
    ServerResult,
};
use serde_json::{Map, Value, json};

use super::{Answer, Request, ServerPrompt, ServerTool, offer::foreign};
use crate::{
    component::{CallError, Problem, Stop},
    unreadable,
};

/// What is asked.
pub(crate) enum Ask {
    Tool(Arc<ServerTool>),
    Prompt(Arc<ServerPrompt>),
    /// By its URI.
    Resource(String),
    /// How the value of an argument may go on: of a prompt, by the name that the server knows, or of
    /// a template, by its text. The arguments are `{argument, value, arguments}`.
    Complete(String),
}

impl Ask {
    /// As its caller knows it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Tool(tool) => &tool.name,
            Self::Prompt(prompt) => &prompt.listed.name,
            Self::Resource(name) | Self::Complete(name) => name,
        }
    }

    /// Whether twice is the same as once; only of tools is that to be doubted.
    pub(super) fn is_repeatable(&self) -> bool {
        match self {
            Self::Tool(tool) => tool.is_repeatable,
            _ => true,
        }
    }

    /// The request as the server gets it, but for its `_meta`.
    pub(super) fn request(&self, it: &Request<'_>) -> Result<ClientRequest, CallError> {
        let responses = (!it.responses.is_empty()).then(|| it.responses.clone());
        let state = it.state.clone();
        Ok(match self {
            Self::Tool(tool) => {
                let mut params = CallToolRequestParams::new(tool.own_name.clone());
                params.arguments = Some(object(it.arguments)?);
                (params.input_responses, params.request_state) = (responses, state);
                ClientRequest::CallToolRequest(CallToolRequest::new(params))
            }
            Self::Prompt(prompt) => {
                let mut params = GetPromptRequestParams::new(prompt.own_name.clone());
                params.arguments = Some(object(it.arguments)?);
                (params.input_responses, params.request_state) = (responses, state);
                ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
            }
            Self::Resource(uri) => {
                let mut params = ReadResourceRequestParams::new(uri.clone());
                (params.input_responses, params.request_state) = (responses, state);
                ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
            }
            Self::Complete(of) => {
                // The names of prompts have no colon, and templates begin with a scheme.
                let reference = match of.contains(':') {
                    true => json!({ "type": "ref/resource", "uri": of }),
                    false => json!({ "type": "ref/prompt", "name": of }),
                };
                let about = object(it.arguments)?;
                let params = json!({
                    "ref": reference,
                    "argument": { "name": about.get("argument"), "value": about.get("value") },
                    "context": { "arguments": about.get("arguments") },
                });
                let params = serde_json::from_value::<CompleteRequestParams>(params);
                let params = params.map_err(|it| wrong(&unreadable::why(&it.to_string())))?;
                ClientRequest::CompleteRequest(CompleteRequest::new(params))
            }
        })
    }

    /// The answer, if it is one to what was asked; without what only we say.
    pub(super) fn answer(&self, result: ServerResult) -> Option<Answer> {
        let result = match (self, result) {
            (_, ServerResult::InputRequiredResult(asked)) => return Some(Answer::Asked(asked)),
            (Self::Tool(_), ServerResult::CallToolResult(mut it)) => {
                it.meta = foreign(it.meta.take());
                ServerResult::CallToolResult(it)
            }
            (Self::Prompt(_), it @ ServerResult::GetPromptResult(_))
            | (Self::Resource(_), it @ ServerResult::ReadResourceResult(_))
            | (Self::Complete(_), it @ ServerResult::CompleteResult(_)) => it,
            _ => return None,
        };
        Some(Answer::Result(Box::new(result)))
    }
}

fn object(text: &str) -> Result<Map<String, Value>, CallError> {
    serde_json::from_str(text).map_err(|error| wrong(&unreadable::why(&error.to_string())))
}

fn wrong(why: &str) -> CallError {
    let message = format!("The arguments do not fit: {why}");
    let problem = Problem { pointer: String::new(), message };
    CallError::Stopped(Stop::InvalidArguments(vec![problem]))
}
