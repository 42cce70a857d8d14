//! `assistants`: asks those of the configuration, on the caller's behalf.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock, Weak},
};

use serde_json::json;
use tokio::{sync::mpsc, task::AbortHandle};
use wasmtime::component::Resource;

use crate::{
    assistant_run::{AssistantRun, RunEvent},
    bindings::madoguchi::tool::assistants as wit,
    call::TraceHeaders,
    caller::Caller,
    capability::state::CallState,
};

/// Events that wait for a component that is slow to take them.
const WAITING_MAX: usize = 32;
/// Arguments that are given to one part, and characters of a name that are told on.
const GIVEN_MAX: usize = 64;
const NAME_CHARS_MAX: usize = 64;

/// What one component asks.
pub(crate) struct Ask {
    pub(crate) component: Arc<str>,
    pub(crate) task: wit::Task,
    pub(crate) caller: Caller,
    /// Whom the assistant plays; none where it serves the caller.
    pub(crate) part: Option<wit::Part>,
    pub(crate) trace: TraceHeaders,
    /// Where what happens goes.
    pub(crate) events: mpsc::Sender<RunEvent>,
}

/// Who runs assistants.
pub(crate) trait Runs: Send + Sync {
    /// Begins a run: who decides in it, and the task that does it.
    fn start(&self, ask: Ask) -> (String, AbortHandle);

    /// The assistant of that name, where it is there.
    fn about(&self, assistant: &str) -> Option<wit::Facts>;
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

impl Asks {
    /// Who runs `assistant` for the component, where it may ask it.
    fn of(&self, assistant: &str) -> Option<Arc<dyn Runs>> {
        let may_ask = self.names.contains(assistant) || self.names.contains("*");
        self.assistants.0.get().filter(|_| may_ask).and_then(Weak::upgrade)
    }
}

impl CallState {
    fn run(
        &mut self,
        task: wit::Task,
        caller: Caller,
        part: Option<wit::Part>,
    ) -> wasmtime::Result<Resource<AssistantRun>> {
        let context = &self.context;
        let (sender, events) = mpsc::channel(WAITING_MAX);
        let refusal = match &part {
            None if context.is_job => {
                Some("nobody calls in a job, so that parts alone are played".to_owned())
            }
            Some(_) if !context.is_job => Some("parts are played in jobs alone".to_owned()),
            Some(it) if it.given.len() > GIVEN_MAX => {
                Some(format!("at most {GIVEN_MAX} arguments can be given"))
            }
            _ => None,
        };
        let run = match (refusal, context.reach.assistants.of(&task.assistant)) {
            (None, Some(runs)) => {
                let parent = context.span.traceparent().map(Into::into);
                let trace = TraceHeaders { parent, state: None };
                let component = context.component.clone();
                let ask = Ask { component, task, caller, part, trace, events: sender };
                let (provider, task) = runs.start(ask);
                AssistantRun { provider, events, task: Some(task) }
            }
            (refusal, _) => {
                let _ = sender.try_send(refused(&task.assistant, refusal));
                AssistantRun { provider: "none".to_owned(), events, task: None }
            }
        };
        Ok(self.table.push(run)?)
    }
}

impl wit::Host for CallState {
    async fn start(&mut self, task: wit::Task) -> wasmtime::Result<Resource<AssistantRun>> {
        let caller = self.context.caller.clone();
        self.run(task, caller, None)
    }

    async fn play(
        &mut self,
        task: wit::Task,
        part: wit::Part,
    ) -> wasmtime::Result<Resource<AssistantRun>> {
        let name: String = part.name.chars().take(NAME_CHARS_MAX).collect();
        self.run(task, Caller::agent(&name), Some(part))
    }

    async fn about(&mut self, assistant: String) -> wasmtime::Result<Option<wit::Facts>> {
        let runs = self.context.reach.assistants.of(&assistant);
        Ok(runs.and_then(|it| it.about(&assistant)))
    }
}

/// The end of a run with an assistant that the component may not ask, or not so.
fn refused(name: &str, why: Option<String>) -> RunEvent {
    let name: String = name.chars().take(NAME_CHARS_MAX).collect();
    let why = why.unwrap_or_else(|| {
        format!(
            "the component may not ask the assistant {name}; asks in its configuration says which"
        )
    });
    let failure = json!({
        "of": "model",
        "error": "missing",
        "message": why,
        "status": 500,
        "data": {},
    });
    let data = json!({ "ending": "failed", "calls": [], "failure": failure });
    RunEvent { name: "ended".to_owned(), data: data.to_string() }
}

impl wit::HostRun for CallState {
    async fn provider(&mut self, run: Resource<AssistantRun>) -> wasmtime::Result<String> {
        Ok(self.table.get(&run)?.provider.clone())
    }

    async fn next(&mut self, run: Resource<AssistantRun>) -> wasmtime::Result<Option<wit::Event>> {
        let event = self.table.get_mut(&run)?.events.recv().await;
        Ok(event.map(|it| wit::Event { name: it.name, data: it.data }))
    }

    async fn drop(&mut self, run: Resource<AssistantRun>) -> wasmtime::Result<()> {
        self.table.delete(run)?;
        Ok(())
    }
}
