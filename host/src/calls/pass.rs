//! A call of another server's tool: the same record, scopes and sealed state as a component's.

use std::sync::Arc;

use rmcp::model::InputRequiredResult;
use serde_json::Value;

use super::{Calls, Method, Outcome, spend};
use crate::{
    caller::Caller,
    clean,
    clock::Clock,
    component::{self, CallError, InputRequired, Question},
    record::Record,
    servers::{Answer, Ask, Request, Server},
    tool_set::Owner,
};

/// Questions that a server may ask in one round.
const QUESTIONS_MAX: usize = 16;

impl Calls {
    /// One round, asked of `server`.
    pub(super) async fn pass<M: Method>(
        &self,
        record: &mut Record<'_>,
        server: Arc<Server>,
        ask: Ask,
    ) -> Result<Outcome<M::Output>, CallError> {
        let call = &record.call;
        if let Some(scope) = lacking(&call.caller, &server, &ask) {
            return Err(CallError::Forbidden { scope });
        }
        record.server = Some(server.clone());
        let mut state = self.state::<M>(call, (&server.label, &Clock::System), false)?;
        let claim = self.claim(&state, &Clock::System)?;
        record.round = state.rounds + 1;
        // A server keeps what it wants to know in its own state: it gets this round's answers only.
        let answers = std::mem::take(&mut state.answers);
        let request = Request {
            arguments: &call.arguments,
            meta: &call.meta,
            capabilities: &call.caller.client_capabilities,
            responses: answers.into_iter().map(|(key, (_, it))| (key, it)).collect(),
            state: state.own.take(),
            notes: call.notes.clone(),
            traceparent: record.span.traceparent(),
        };
        match server.ask(&ask, request).await? {
            Answer::Result(result) => {
                spend(claim, &Clock::System);
                Ok(Outcome::Passed { result })
            }
            Answer::Asked(asked) => {
                state.belong_to(&server.label);
                let asked = questions(asked).ok_or_else(|| CallError::Broken {
                    component: server.label.clone(),
                    call_id: record.id,
                    what: format!(
                        "it asks in a way that is not known, or more than {QUESTIONS_MAX} questions"
                    ),
                })?;
                let asks = (&server.label, &Clock::System);
                self.seal::<M>(asks, (call, record.id), asked, state)
            }
        }
    }
}

/// The scope that `caller` would need and does not have.
pub(super) fn lacking(caller: &Caller, server: &Server, ask: &Ask) -> Option<String> {
    let (may, scope) = match ask {
        Ask::Tool(tool) => (tool.is_open_to(caller), format!("tool:{}", tool.name)),
        _ => (caller.may_use(Owner::Server(&server.name)), format!("server:{}", server.name)),
    };
    (!may).then_some(scope)
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
