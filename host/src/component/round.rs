//! What one round of a call brings along, whoever asks for it.

use tokio::sync::mpsc;

use crate::{call_state::Progress, caller::Caller, record::next_call_id, telemetry::Span};

/// What one round of a call brings along.
pub(crate) struct Round {
    /// Tells calls apart, in errors and in the log.
    pub(crate) call_id: u64,
    pub(crate) caller: Caller,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    pub(crate) span: Span,
}

impl Round {
    /// One that the host itself asks for.
    pub(crate) fn of_host() -> Self {
        let caller = Caller::anonymous();
        Self { call_id: next_call_id(), caller, progress: None, span: Span::default() }
    }
}
