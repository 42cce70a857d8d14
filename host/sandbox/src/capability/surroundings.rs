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

/// Calls that one call makes unasked, over all its rounds, of which what they came to is kept.
const MADE_MAX: usize = 256;
/// Bytes of what one round's calls came to, until the round ends.
const MADE_BYTES_MAX: usize = 8 << 20;

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
    /// What the whole call has changed unasked; none where nothing runs again from the top.
    made: Option<Arc<Mutex<Made>>>,
}

/// What a call has changed unasked, which is not made again when the call runs again from the top.
#[derive(Default)]
struct Made {
    /// Where it is written down.
    ids: Vec<String>,
    /// What is not yet, as text.
    unwritten: Vec<String>,
    bytes: usize,
    /// How many have begun and not ended.
    begun: usize,
    is_too_much: bool,
}

impl Asking {
    /// That of a call that came through `chain`, whose earlier rounds left the approvals `held`, and under the
    /// ids `made` what they changed unasked.
    pub fn of_call(
        chain: Vec<Arc<str>>,
        trace: TraceHeaders,
        (held, made): (&[String], &[String]),
    ) -> Self {
        let held = Arc::new(Mutex::new(held.to_vec()));
        let made = Made { ids: made.to_vec(), ..Made::default() };
        Self { chain, trace, held, made: Some(Arc::new(Mutex::new(made))), ..Self::default() }
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
        // Before another request sees it, which would take it for its own.
        self.uses(id);
        self.held.lock().push(id.to_owned());
    }

    /// Takes the approval `id` for one request of this round; false where another one has it.
    pub fn uses(&self, id: &str) -> bool {
        self.used.lock().insert(id.to_owned())
    }

    /// Whether a request of this round has the approval `id`.
    pub fn has_used(&self, id: &str) -> bool {
        self.used.lock().contains(id)
    }

    /// Where what the call changed unasked in earlier rounds is written down.
    pub fn made(&self) -> Vec<String> {
        self.made.as_ref().map(|it| it.lock().ids.clone()).unwrap_or_default()
    }

    /// A change begins; whether what it comes to is to be kept.
    pub fn begins(&self) -> bool {
        self.made.as_ref().inspect(|it| it.lock().begun += 1).is_some()
    }

    /// One that began has ended, with what is to be written down of it.
    pub fn ends(&self, written: Option<String>) {
        let Some(made) = &self.made else { return };
        let made = &mut *made.lock();
        made.begun -= 1;
        let Some(written) = written else { return };
        made.bytes += written.len();
        made.unwritten.push(written);
        let is_over = made.ids.len() + made.unwritten.len() > MADE_MAX;
        if made.is_too_much || is_over || made.bytes > MADE_BYTES_MAX {
            made.is_too_much = true;
            made.unwritten = Vec::new();
        }
    }

    /// What is not written down yet, which is then taken; none where that is not all, because it was too much, or
    /// the round has ended before its calls.
    pub fn unwritten(&self) -> Option<Vec<String>> {
        let Some(made) = &self.made else { return Some(Vec::new()) };
        let made = &mut *made.lock();
        made.bytes = 0;
        (!made.is_too_much && made.begun == 0).then(|| std::mem::take(&mut made.unwritten))
    }

    /// One was written down under that id.
    pub fn keeps(&self, id: String) {
        if let Some(made) = &self.made {
            made.lock().ids.push(id);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn asking() -> Asking {
        Asking::of_call(Vec::new(), TraceHeaders::default(), (&[], &[]))
    }

    fn makes(asking: &Asking, written: &str) {
        assert!(asking.begins());
        asking.ends(Some(written.to_owned()));
    }

    #[test]
    fn records_created_items_once() {
        let asking = asking();
        makes(&asking, "one");
        assert_eq!(asking.unwritten(), Some(vec!["one".to_owned()]));
        asking.keeps("1".to_owned());
        assert_eq!(asking.unwritten(), Some(Vec::new()));
        assert_eq!(asking.round().made(), ["1"]);
        assert!(!Asking::of_request(TraceHeaders::default(), Arc::default()).begins());
    }

    #[test]
    fn drops_record_of_too_many_items() {
        let many = asking();
        (0..MADE_MAX).for_each(|_| makes(&many, "one"));
        assert_eq!(many.unwritten().map(|it| it.len()), Some(MADE_MAX));
        (0..MADE_MAX).for_each(|it| many.keeps(it.to_string()));
        makes(&many, "one more");
        assert_eq!(many.unwritten(), None);
        let large = asking();
        makes(&large, &"x".repeat(MADE_BYTES_MAX + 1));
        makes(&large, "a small one");
        assert_eq!(large.unwritten(), None);
    }

    #[test]
    fn unfinished_round_is_not_written() {
        let asking = asking();
        assert!(asking.begins());
        assert_eq!(asking.unwritten(), None);
        asking.ends(None);
        assert_eq!(asking.unwritten(), Some(Vec::new()));
    }
}
