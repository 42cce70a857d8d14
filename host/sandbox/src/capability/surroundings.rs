//! The interface of the sandbox to higher layers: tools of other components and servers, assistant runs, and dialogue
//! components.

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

/// Maximum number of unapproved calls with stored outcomes, over all rounds of a call.
const MADE_MAX: usize = 256;
/// Bytes of what one round's calls came to, until the round ends.
const MADE_BYTES_MAX: usize = 8 << 20;

/// Context of calls that a component makes.
#[derive(Clone, Default)]
pub struct Asking {
    /// The components of which calls of tools wait for this one, and the one that makes it, the outermost
    /// first. A request for a route is no call of a tool.
    pub chain: Vec<Arc<str>>,
    /// Tools that the person's client allows without approval.
    pub trusts: Arc<[String]>,
    pub(super) trace: TraceHeaders,
    /// The approvals of the whole call.
    held: Arc<Mutex<Vec<String>>>,
    /// Approvals whose outcomes this round has received.
    used: Arc<Mutex<BTreeSet<String>>>,
    /// Unapproved changes of the whole call. `None` where nothing is rerun.
    made: Option<Arc<Mutex<Made>>>,
}

/// Unapproved changes of a call, not repeated when it reruns.
#[derive(Default)]
struct Made {
    /// Ids of stored changes.
    ids: Vec<String>,
    /// Changes not stored yet, as text.
    unwritten: Vec<String>,
    bytes: usize,
    /// Number of unfinished changes.
    begun: usize,
    is_too_much: bool,
}

impl Asking {
    /// Context of a call through `chain` with earlier approvals `held` and stored changes `made`.
    pub fn of_call(
        chain: Vec<Arc<str>>,
        trace: TraceHeaders,
        (held, made): (&[String], &[String]),
    ) -> Self {
        let held = Arc::new(Mutex::new(held.to_vec()));
        let made = Made { ids: made.to_vec(), ..Made::default() };
        Self { chain, trace, held, made: Some(Arc::new(Mutex::new(made))), ..Self::default() }
    }

    /// Context of a route request.
    pub fn of_request(trace: TraceHeaders, trusts: Arc<[String]>) -> Self {
        Self { trace, trusts, ..Self::default() }
    }

    /// Context of the next round.
    pub fn round(&self) -> Self {
        Self { used: Arc::default(), ..self.clone() }
    }

    /// The approvals of the call.
    pub fn held_ids(&self) -> Vec<String> {
        self.held.lock().clone()
    }

    /// Adds an approval whose outcome is given now.
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

    /// Ids of stored changes.
    pub fn made(&self) -> Vec<String> {
        self.made.as_ref().map(|it| it.lock().ids.clone()).unwrap_or_default()
    }

    /// Starts a change. Returns whether its outcome is to be stored.
    pub fn begins(&self) -> bool {
        self.made.as_ref().inspect(|it| it.lock().begun += 1).is_some()
    }

    /// Ends a change, with the text to store.
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

    /// Takes changes to store. `None` if incomplete: there were too many, or calls are unfinished.
    pub fn unwritten(&self) -> Option<Vec<String>> {
        let Some(made) = &self.made else { return Some(Vec::new()) };
        let made = &mut *made.lock();
        made.bytes = 0;
        (!made.is_too_much && made.begun == 0).then(|| std::mem::take(&mut made.unwritten))
    }

    /// Adds the id of a stored change.
    pub fn keeps(&self, id: String) {
        if let Some(made) = &self.made {
            made.lock().ids.push(id);
        }
    }
}

/// The rules by which calls are allowed.
#[derive(Clone)]
pub enum Acts {
    /// Tools granted to the component, and those that need no approval.
    Itself(ToolCalls),
    /// Policy of an assistant that the component runs.
    Assistant(Arc<Acting>),
}

/// An assistant that calls tools.
pub struct Acting {
    pub assistant: String,
    pub policy: Arc<Policy>,
    /// The part that it plays, where there is no person.
    pub part: Option<Arc<Part>>,
    /// Language of results, if the caller has none.
    pub language: Option<String>,
    /// Capabilities of the person's client, if they differ from the caller's.
    pub capabilities: Option<String>,
}

/// A requesting component and its caller.
#[derive(Clone)]
pub struct Requested {
    pub component: Arc<str>,
    pub caller: Caller,
    pub acts: Acts,
    pub asking: Asking,
    pub trace: TraceHeaders,
}

/// A component's request to an assistant.
pub struct Ask {
    pub component: Arc<str>,
    pub task: tasks::Task,
    pub caller: Caller,
    /// The part that the assistant plays. `None` if it serves the caller.
    pub part: Option<AskedPart>,
    pub trace: TraceHeaders,
    /// The components that wait for it.
    pub chain: Vec<Arc<str>>,
    /// The channel for the events of the run.
    pub events: mpsc::Sender<Written>,
}

/// A component's reply to a turn, or an error sentence.
pub type NamedReply = (Arc<str>, Result<sentences::Reply, String>);

/// Services above the sandbox. They run components in separate tasks; see `Scheduler`.
pub trait Surroundings: Send + Sync {
    /// The tools that may be called.
    fn offers(&self, by: &Requested) -> Vec<ToolOffer>;

    /// Whether there is no tool of that name, for whatever caller.
    fn lacks(&self, tool: &str) -> bool;

    /// Makes one call on behalf of `by`.
    fn call(&self, by: Requested, request: ToolRequest) -> BoxFuture<'static, ToolOutcome>;

    /// State of a held call. Waits up to `patience` for a running one.
    fn held_call(
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

    /// Names and sample sentences of all components.
    fn names(&self, language: sentences::Language) -> BoxFuture<'static, Vec<Name>>;

    /// Asks all dialogue components about `turn`, each with its memory.
    fn consult(
        &self,
        turn: sentences::Turn,
        memories: Vec<(String, String)>,
        only: Option<String>,
    ) -> BoxFuture<'static, Vec<NamedReply>>;
}

/// Late-bound weak reference to the surroundings, because they and components refer to each other.
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
