//! `progress`: how far along a call is, told to a caller who wants to know.

use crate::{
    bindings::madoguchi::tool::progress,
    call_state::{CallState, Progress},
};

impl progress::Host for CallState {
    /// Never waits: a caller who is slow to listen misses a note.
    async fn report(&mut self, progress: f64, total: Option<f64>, message: Option<String>) {
        let Some(sender) = &self.context.progress else { return };
        if self.progress_left == 0 || !progress.is_finite() {
            return;
        }
        self.progress_left -= 1;
        let total = total.filter(|it| it.is_finite());
        let _ = sender.try_send(Progress { progress, total, message });
    }
}
