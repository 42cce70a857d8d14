//! `assistants`: asks those of the configuration, on the caller's behalf.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock, Weak},
};

use serde_json::json;
use tokio::{sync::mpsc, task::AbortHandle};
use wasmtime::component::Resource;

use crate::{
    bindings::madoguchi::tool::assistants as wit, call_state::CallState, caller::Caller,
    telemetry::TraceHeaders,
};

/// Events that wait for a component that is slow to take them.
const WAITING_MAX: usize = 32;

/// What one component asks.
pub(crate) struct Ask {
    pub(crate) task: wit::Task,
    pub(crate) caller: Caller,
    pub(crate) trace: TraceHeaders,
    /// Where what happens goes.
    pub(crate) events: mpsc::Sender<wit::Event>,
}

/// Who runs assistants.
pub(crate) trait Runs: Send + Sync {
    /// Begins a run: who decides in it, and the task that does it.
    fn start(&self, ask: Ask) -> (String, AbortHandle);
}

/// Who runs assistants, once the server is put together, and for as long as it is there.
#[derive(Clone, Default)]
pub(crate) struct Assistants(Arc<OnceLock<Weak<dyn Runs>>>);

impl Assistants {
    /// Takes `runs`, whoever keeps it.
    pub(crate) fn put(&self, runs: &Arc<impl Runs + 'static>) {
        let runs = Arc::downgrade(runs);
        let _ = self.0.set(runs);
    }
}

/// The assistants that one component may ask.
#[derive(Clone, Default)]
pub(crate) struct Asks {
    pub(crate) names: BTreeSet<String>,
    pub(crate) assistants: Assistants,
}

/// A run, as long as the component holds it.
#[expect(unreachable_pub, reason = "the generated bindings name it in public")]
pub struct AssistantRun {
    provider: String,
    events: mpsc::Receiver<wit::Event>,
    task: Option<AbortHandle>,
}

impl Drop for AssistantRun {
    /// Ends the run with its last reader.
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl wit::Host for CallState {
    async fn start(&mut self, task: wit::Task) -> wasmtime::Result<Resource<AssistantRun>> {
        let asks = self.context.reach.assistants.clone();
        let (sender, events) = mpsc::channel(WAITING_MAX);
        let runs = asks.assistants.0.get().filter(|_| asks.names.contains(&task.assistant));
        let runs = runs.and_then(Weak::upgrade);
        let run = match runs {
            Some(runs) => {
                let parent = self.context.span.traceparent().map(Into::into);
                let trace = TraceHeaders { parent, state: None };
                let caller = self.context.caller.clone();
                let (provider, task) = runs.start(Ask { task, caller, trace, events: sender });
                AssistantRun { provider, events, task: Some(task) }
            }
            None => {
                let _ = sender.try_send(refused(&task.assistant));
                AssistantRun { provider: "none".to_owned(), events, task: None }
            }
        };
        Ok(self.table.push(run)?)
    }
}

/// The end of a run with an assistant that the component may not ask.
fn refused(name: &str) -> wit::Event {
    let name: String = name.chars().take(64).collect();
    let failure = json!({
        "of": "model",
        "error": "missing",
        "message": format!("the component may not ask the assistant {name}; asks in its configuration says which"),
        "status": 500,
        "data": {},
    });
    let data = json!({ "ending": "failed", "calls": [], "failure": failure });
    wit::Event { name: "ended".to_owned(), data: data.to_string() }
}

impl wit::HostRun for CallState {
    async fn provider(&mut self, run: Resource<AssistantRun>) -> wasmtime::Result<String> {
        Ok(self.table.get(&run)?.provider.clone())
    }

    async fn next(&mut self, run: Resource<AssistantRun>) -> wasmtime::Result<Option<wit::Event>> {
        Ok(self.table.get_mut(&run)?.events.recv().await)
    }

    async fn drop(&mut self, run: Resource<AssistantRun>) -> wasmtime::Result<()> {
        self.table.delete(run)?;
        Ok(())
    }
}
