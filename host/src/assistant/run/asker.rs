//! Who has an assistant run: a person, or the counter for an agent that it plays.

use crate::{assistant::Binding, caller::Caller, telemetry::TraceHeaders};

/// On whose behalf.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    pub(crate) trace: TraceHeaders,
    /// The tools that they let happen without being asked again.
    pub(crate) trusts: Vec<String>,
    /// Whether they want to choose among the pictures that tools bring (ILL-45).
    pub(crate) chooses: bool,
    /// What the counter adds to the calls of an agent that it plays; nobody is there to be asked.
    pub(crate) binding: Option<Binding>,
}

impl Asker {
    /// Somebody who is asked before anything changes, and chooses nothing.
    pub(crate) fn new(caller: Caller, trace: TraceHeaders) -> Self {
        Self { caller, trace, trusts: Vec::new(), chooses: false, binding: None }
    }

    /// An agent that the counter plays.
    pub(crate) fn played(caller: Caller, binding: Binding) -> Self {
        Self { binding: Some(binding), ..Self::new(caller, TraceHeaders::default()) }
    }
}
