//! `progress`: how far along a call is, told to a caller who wants to know.

use crate::{bindings::madoguchi::tool::progress, capability::state::CallState};
use base::notes::{Note, Progress};

/// Bytes of a note's message; what is beyond is cut off.
const MESSAGE_BYTES_MAX: usize = 1 << 10;

impl progress::Host for CallState {
    /// Never waits: a caller who is slow to listen misses a note.
    async fn report(&mut self, progress: f64, total: Option<f64>, message: Option<String>) {
        let Some(notes) = self.context.notes.as_ref().filter(|it| it.progress) else { return };
        if !progress.is_finite() {
            return;
        }
        if self.progress_left == 0 {
            self.progress_dropped += 1;
            return;
        }
        self.progress_left -= 1;
        let total = total.filter(|it| it.is_finite());
        let message = message.map(|mut it| {
            it.truncate(it.floor_char_boundary(MESSAGE_BYTES_MAX));
            it
        });
        notes.send(Note::Progress(Progress { progress, total, message }));
    }
}
