//! A call of another server's tool: the same record, scopes and sealed state as a component's.

use std::sync::Arc;

use super::{CallOutcome, Calls, Method, spend};
use crate::record::Record;
use base::{caller::Caller, tool_set::Owner};
use registry::upstream::{Answer, Ask, Request, Upstream};
use sandbox::component::CallError;
use store::clock::Clock;

impl Calls {
    /// One round, asked of `server`.
    pub(super) async fn pass<M: Method>(
        &self,
        record: &mut Record<'_>,
        server: Arc<dyn Upstream>,
        ask: Ask,
    ) -> Result<CallOutcome<M::Output>, CallError> {
        let call = &record.call;
        if let Some(scope) = lacking(&call.caller, &*server, &ask) {
            return Err(CallError::Forbidden { scope });
        }
        record.server = Some(server.clone());
        let mut state = self.state::<M>(call, (server.label(), &Clock::System), false)?;
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
                Ok(CallOutcome::Passed(result))
            }
            Answer::Asked(asked) => {
                state.belong_to(server.label());
                let asked = asked.ok_or_else(|| CallError::Broken {
                    component: server.label().clone(),
                    call_id: record.id,
                    what: "it asks in a way that is not known, or too many questions at once"
                        .to_owned(),
                })?;
                let asks = (server.label(), &Clock::System);
                self.seal::<M>(asks, (call, record.id), asked, state)
            }
        }
    }
}

/// The scope that `caller` would need and does not have.
pub(super) fn lacking(caller: &Caller, server: &dyn Upstream, ask: &Ask) -> Option<String> {
    let (may, scope) = match ask {
        Ask::Tool(tool) => (tool.is_open_to(caller), format!("tool:{}", tool.name)),
        _ => (caller.may_use(Owner::Server(server.name())), format!("server:{}", server.name())),
    };
    (!may).then_some(scope)
}
