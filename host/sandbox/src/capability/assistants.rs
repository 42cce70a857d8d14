//! The interface `assistants` asks configured assistants on the caller's behalf.

use std::collections::BTreeSet;

use serde_json::json;
use tokio::sync::mpsc;
use wasmtime::component::Resource;

use super::{Ask, Written};
use crate::{
    bindings::{
        Run,
        madoguchi::tool::{assistants as wit, tasks},
    },
    capability::state::CallState,
};
use base::{call::TraceHeaders, caller::Caller};

/// Events that wait for a component that is slow to take them.
const WAITING_MAX: usize = 32;
/// Arguments that are given to one part, and characters of a name that are passed on.
const GIVEN_MAX: usize = 64;
const NAME_CHARS_MAX: usize = 64;
/// Last event of a run, with its result.
pub const ENDED: &str = "ended";

impl CallState {
    /// Whether the component may ask the assistant.
    fn may_ask(&self, assistant: &str) -> bool {
        let names: &BTreeSet<String> = &self.context.setup.reach.asks;
        names.contains(assistant) || names.contains("*")
    }

    fn run(
        &mut self,
        task: tasks::Task,
        caller: Caller,
        part: Option<wit::Part>,
    ) -> wasmtime::Result<Resource<Run>> {
        let context = &self.context;
        let (events, receiver) = mpsc::channel(WAITING_MAX);
        let name: String = task.assistant.chars().take(NAME_CHARS_MAX).collect();
        let refusal = match &part {
            None if context.is_job => {
                Some("nobody calls in a job, so that parts alone are played".to_owned())
            }
            Some(_) if !context.is_job => Some("parts are played in jobs alone".to_owned()),
            Some(part) if part.given.len() > GIVEN_MAX => {
                Some(format!("at most {GIVEN_MAX} arguments can be given"))
            }
            _ if !self.may_ask(&task.assistant) => Some(format!(
                "the component may not ask the assistant {name}; asks in its configuration says which"
            )),
            _ => None,
        };
        let task = match (refusal, context.setup.reach.around.get()) {
            (None, Some(around)) => {
                let parent = context.round.span.traceparent().map(Into::into);
                let trace = TraceHeaders { parent, state: None };
                let component = context.component.clone();
                let chain =
                    context.round.asking.as_ref().map(|it| it.chain.clone()).unwrap_or_default();
                Some(around.run(Ask { component, task, caller, part, trace, chain, events }))
            }
            (refusal, _) => {
                let why = refusal.unwrap_or_else(|| "nothing runs assistants here".to_owned());
                let _ = events.try_send(failed("missing", 500, &why));
                None
            }
        };
        let (provider, first) = (None, None);
        Ok(self.table.push(Run { provider, first, events: receiver, task })?)
    }
}

/// The end of a run that failed as a whole.
pub fn failed(error: &str, status: u16, why: &str) -> Written {
    let failure =
        json!({ "of": "model", "error": error, "message": why, "status": status, "data": {} });
    let data = json!({ "ending": "failed", "calls": [], "failure": failure });
    Written { name: ENDED.to_owned(), data: data.to_string() }
}

impl wit::Host for CallState {
    async fn start(&mut self, task: tasks::Task) -> wasmtime::Result<Resource<Run>> {
        let caller = self.context.round.caller.clone();
        self.run(task, caller, None)
    }

    async fn play(
        &mut self,
        task: tasks::Task,
        part: wit::Part,
    ) -> wasmtime::Result<Resource<Run>> {
        let name: String = part.name.chars().take(NAME_CHARS_MAX).collect();
        self.run(task, Caller::agent(&name), Some(part))
    }

    async fn about(&mut self, assistant: String) -> wasmtime::Result<Option<tasks::Facts>> {
        let around = self.context.setup.reach.around.get().filter(|_| self.may_ask(&assistant));
        Ok(match around {
            Some(it) => it.about(assistant).await,
            None => None,
        })
    }
}

impl wit::HostRun for CallState {
    async fn provider(&mut self, run: Resource<Run>) -> wasmtime::Result<String> {
        Ok(self.table.get_mut(&run)?.provider().await)
    }

    async fn next(&mut self, run: Resource<Run>) -> wasmtime::Result<Option<wit::Event>> {
        let event = self.table.get_mut(&run)?.next().await;
        Ok(event.map(|it| wit::Event { name: it.name, data: it.data }))
    }

    async fn drop(&mut self, run: Resource<Run>) -> wasmtime::Result<()> {
        self.table.delete(run)?;
        Ok(())
    }
}
