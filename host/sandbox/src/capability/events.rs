//! `events`: the bell that a component rings, so many times a call.

use crate::{bindings::madoguchi::tool::events, capability::state::CallState};

/// Bytes that the name of what has changed may have.
const URI_BYTES_MAX: usize = 1 << 10;

impl events::Host for CallState {
    /// At once, and never waits: whoever is called again reads what has been committed.
    async fn publish(&mut self, uri: String) {
        if self.events_left == 0 || uri.len() > URI_BYTES_MAX {
            let line = "an event was dropped: too long, or more than events_max in one call";
            let (component, call) = (&*self.context.component, self.context.call_id);
            if !self.log.take(line).is_empty() {
                tracing::warn!(target: "guest", component, call, "{line}");
            }
            return;
        }
        self.events_left -= 1;
        self.context.reach.bell.publish(&uri);
    }
}
