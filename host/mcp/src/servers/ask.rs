//! What can be asked of a server: a tool to be called, a prompt, a resource, and how its words go on.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, CompleteRequest, CompleteRequestParams,
    GetPromptRequest, GetPromptRequestParams, InputRequiredResult, ReadResourceRequest,
    ReadResourceRequestParams, ServerResult,
};
use serde_json::{Map, Value, json};

use super::offer::foreign;
use base::{clean, unreadable};
use registry::upstream::{Answer, Ask, Passed, Request};
use sandbox::component::{self, CallError, InputRequired, Problem, Question, Stop};

/// Questions that a server may ask in one round.
const QUESTIONS_MAX: usize = 16;

/// The request as the server gets it, but for its `_meta`.
pub(super) fn request(ask: &Ask, it: &Request<'_>) -> Result<ClientRequest, CallError> {
    let responses = (!it.responses.is_empty()).then(|| it.responses.clone());
    let state = it.state.clone();
    Ok(match ask {
        Ask::Tool(tool) => {
            let mut params = CallToolRequestParams::new(tool.own_name.clone());
            params.arguments = Some(object(it.arguments)?);
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        }
        Ask::Prompt(prompt) => {
            let mut params = GetPromptRequestParams::new(prompt.own_name.clone());
            params.arguments = Some(object(it.arguments)?);
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        }
        Ask::Resource(uri) => {
            let mut params = ReadResourceRequestParams::new(uri.clone());
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        }
        Ask::Complete(of) => {
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
pub(super) fn answer(ask: &Ask, result: ServerResult) -> Option<Answer> {
    let result = match (ask, result) {
        (_, ServerResult::InputRequiredResult(asked)) => {
            return Some(Answer::Asked(questions(asked)));
        }
        (Ask::Tool(_), ServerResult::CallToolResult(mut it)) => {
            it.meta = foreign(it.meta.take());
            ServerResult::CallToolResult(it)
        }
        (Ask::Prompt(_), it @ ServerResult::GetPromptResult(_))
        | (Ask::Resource(_), it @ ServerResult::ReadResourceResult(_))
        | (Ask::Complete(_), it @ ServerResult::CompleteResult(_)) => it,
        _ => return None,
    };
    let is_refusal =
        matches!(&result, ServerResult::CallToolResult(it) if it.is_error == Some(true));
    let json = serde_json::to_string(&result).ok()?;
    Some(Answer::Result(Passed { json, is_refusal }))
}

fn object(text: &str) -> Result<Map<String, Value>, CallError> {
    serde_json::from_str(text).map_err(|error| wrong(&unreadable::why(&error.to_string())))
}

fn wrong(why: &str) -> CallError {
    let message = format!("The arguments do not fit: {why}");
    let problem = Problem { pointer: String::new(), message };
    CallError::Stopped(Stop::InvalidArguments(vec![problem]))
}

/// What a server asks, as a question of ours with its key.
fn questions(asked: InputRequiredResult) -> Option<InputRequired> {
    let requests = asked.input_requests.unwrap_or_default();
    if requests.len() > QUESTIONS_MAX {
        return None;
    }
    let question = |(key, request)| question(key, &serde_json::to_value(request).ok()?);
    let questions = requests.into_iter().map(question).collect::<Option<_>>()?;
    Some(InputRequired { questions, state: asked.request_state })
}

fn question(key: String, request: &Value) -> Option<Question> {
    let params = &request["params"];
    let ask = match (request["method"].as_str()?, params["url"].as_str()) {
        ("elicitation/create", Some(url)) => component::Ask::Url(url.to_owned()),
        ("elicitation/create", None) => {
            let mut schema = params["requestedSchema"].clone();
            clean::schema(&mut schema).ok()?;
            component::Ask::Form(schema.to_string())
        }
        ("sampling/createMessage", _) => component::Ask::Sampling(params.to_string()),
        ("roots/list", _) => component::Ask::Roots,
        _ => return None,
    };
    let message = clean::text(params["message"].as_str().unwrap_or_default());
    let meta = params.get("_meta").map(Value::to_string);
    Some(Question { key, message, ask, meta })
}
