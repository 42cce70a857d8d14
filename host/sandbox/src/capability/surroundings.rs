//! What instances ask of the layers above the sandbox: tools of other components and servers, runs of assistants,
//! and what components that understand sentences make of one.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock, Weak},
    time::Duration,
};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::{sync::mpsc, task::AbortHandle};

use super::{Part, Running, ToolCalls, Written};
pub use crate::bindings::madoguchi::tool::assistant_calls::{
    Approval as HeldCall, Outcome as ToolOutcome, Request as ToolRequest, Standing,
    Tool as ToolOffer,
};
use crate::bindings::madoguchi::tool::{
    assistants::Part as AskedPart, sentences, tasks, types::Name,
};
use base::{call::TraceHeaders, caller::Caller, config::Policy};

/// What a component's calls go by while it answers a call or a request.
#[derive(Clone, Default)]
pub struct Asking {
    /// The components of which calls of tools wait for this one, and the one that makes it, the outermost
    /// first. A request for a route is no call of a tool.
    pub chain: Vec<Arc<str>>,
    /// The tools that the person lets happen unasked, as their client says.
    pub trusts: Arc<[String]>,
    pub(super) trace: TraceHeaders,
    /// The approvals of the whole call.
    held: Arc<Mutex<Vec<String>>>,
    /// Those whose outcomes this round has been given.
    used: Arc<Mutex<BTreeSet<String>>>,
}

impl Asking {
    /// That of a call that came through `chain`, whose earlier rounds left the approvals `held`.
    pub fn of_call(chain: Vec<Arc<str>>, trace: TraceHeaders, held: &[String]) -> Self {
        let held = Arc::new(Mutex::new(held.to_vec()));
        Self { chain, trace, held, ..Self::default() }
    }

    /// That of a request for a route.
    pub fn of_request(trace: TraceHeaders, trusts: Arc<[String]>) -> Self {
        Self { trace, trusts, ..Self::default() }
    }

    /// That of the next round.
    pub fn round(&self) -> Self {
        Self { used: Arc::default(), ..self.clone() }
    }

    /// The approvals of the call.
    pub fn held(&self) -> Vec<String> {
        self.held.lock().clone()
    }

    /// One more, whose outcome is given now.
    pub fn hold(&self, id: &str) {
        self.held.lock().push(id.to_owned());
        self.uses(id);
    }

    /// Takes the approval `id` for one request of this round; false where another one has it.
    pub fn uses(&self, id: &str) -> bool {
        self.used.lock().insert(id.to_owned())
    }
}

/// The rules by which calls are allowed.
#[derive(Clone)]
pub enum Acts {
    /// What the component was given: its tools, and those that run without being allowed one by one.
    Itself(ToolCalls),
    /// What an assistant of the configuration may do, which the component runs.
    Assistant(Arc<Acting>),
}

/// An assistant that calls tools.
pub struct Acting {
    pub assistant: String,
    pub policy: Arc<Policy>,
    /// The part that it plays, where there is no person.
    pub part: Option<Arc<Part>>,
    /// What results are written in where the caller does not say.
    pub language: Option<String>,
    /// What the person's client can do, where it is not what the caller says.
    pub capabilities: Option<String>,
}

/// Which component asks, on whose behalf.
#[derive(Clone)]
pub struct Requested {
    pub component: Arc<str>,
    pub caller: Caller,
    pub acts: Acts,
    pub asking: Asking,
    pub trace: TraceHeaders,
}

/// What a component asks of an assistant.
pub struct Ask {
    pub component: Arc<str>,
    pub task: tasks::Task,
    pub caller: Caller,
    /// The part that the assistant plays; none where it serves the caller.
    pub part: Option<AskedPart>,
    pub trace: TraceHeaders,
    /// The components that wait for it.
    pub chain: Vec<Arc<str>>,
    /// The channel for the events of the run.
    pub events: mpsc::Sender<Written>,
}

/// What a component answers to a turn; its failure in a sentence.
pub type NamedReply = (Arc<str>, Result<sentences::Reply, String>);

/// What is above the sandbox. What it runs of components is in tasks of its own: see `Scheduler`.
pub trait Surroundings: Send + Sync {
    /// The tools that may be called.
    fn offers(&self, by: &Requested) -> Vec<ToolOffer>;

    /// Whether there is no tool of that name, for whatever caller.
    fn lacks(&self, tool: &str) -> bool;

    /// Makes one call on behalf of `by`.
    fn call(&self, by: Requested, request: ToolRequest) -> BoxFuture<'static, ToolOutcome>;

    /// How a call stands that was held; one that is being made is waited for as long as `patience`.
    fn held(
        &self,
        by: Requested,
        id: String,
        patience: Duration,
    ) -> BoxFuture<'static, Option<HeldCall>>;

    /// Takes back a request that waits.
    fn withdraw(&self, by: Requested, id: String) -> BoxFuture<'static, ()>;

    /// Begins to count a run of an assistant.
    fn tally(&self, assistant: &str, provider: &str) -> Option<Running>;

    /// Begins a run of an assistant, in a task of its own; its last event is `ended`.
    fn run(&self, ask: Ask) -> AbortHandle;

    /// The assistant of that name, where it is there.
    fn about(&self, assistant: String) -> BoxFuture<'static, Option<tasks::Facts>>;

    /// What all components call things, and what may be written to them.
    fn names(&self, language: sentences::Language) -> BoxFuture<'static, Vec<Name>>;

    /// What the components that understand sentences make of `turn`, each with its own of the memories.
    fn consult(
        &self,
        turn: sentences::Turn,
        memories: Vec<(String, String)>,
        only: Option<String>,
    ) -> BoxFuture<'static, Vec<NamedReply>>;
}

/// The surroundings, once the server is put together, and for as long as it is there: components hold this, and
/// are held by what they ask.
#[derive(Clone, Default)]
pub struct Around(Arc<OnceLock<Weak<dyn Surroundings>>>);

impl Around {
    /// Takes `surroundings`, which another keeps.
    pub fn put(&self, surroundings: &Arc<impl Surroundings + 'static>) {
        let surroundings = Arc::downgrade(surroundings);
        let _ = self.0.set(surroundings);
    }

    pub(super) fn get(&self) -> Option<Arc<dyn Surroundings>> {
        self.0.get()?.upgrade()
    }
}
