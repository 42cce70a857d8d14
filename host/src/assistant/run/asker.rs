//! Who has an assistant run: a person, or a component that has it play a part.

use crate::{assistant::Played, call::TraceHeaders, caller::Caller};

/// On whose behalf.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    pub(crate) trace: TraceHeaders,
    /// The tools that they let happen without being asked again.
    pub(crate) trusts: Vec<String>,
    /// Whether they want to choose among the pictures that tools bring (ILL-45).
    pub(crate) chooses: bool,
    /// The part that it plays, if any; nobody is there to be asked.
    pub(crate) played: Option<Played>,
}

impl Asker {
    /// Somebody who is asked before anything changes, and chooses nothing.
    pub(crate) fn new(caller: Caller, trace: TraceHeaders) -> Self {
        Self { caller, trace, trusts: Vec::new(), chooses: false, played: None }
    }

    /// One who plays a part.
    pub(crate) fn playing(self, played: Played) -> Self {
        Self { played: Some(played), ..self }
    }
}
