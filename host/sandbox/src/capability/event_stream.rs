//! `event-stream`: what a route writes to its client while it answers.

use serde::de::IgnoredAny;

use super::Written;
use crate::{bindings::madoguchi::tool::event_stream, capability::state::CallState};

/// Bytes that the name of an event may have.
const NAME_BYTES_MAX: usize = 64;

impl event_stream::Host for CallState {
    async fn send(&mut self, event: String, data: String) -> bool {
        let Some(events) = self.context.events.clone() else { return false };
        let is_name = |it: u8| it.is_ascii_alphanumeric() || b"_-".contains(&it);
        let fits = (1..=NAME_BYTES_MAX).contains(&event.len()) && event.bytes().all(is_name);
        if !fits || self.written_left == 0 || serde_json::from_str::<IgnoredAny>(&data).is_err() {
            let line = "an event of a route was dropped: a name of other than 1 to 64 of A-Z a-z 0-9 _ -, data that is not JSON, or more than stream_events_max";
            let (component, call) = (&*self.context.component, self.context.call_id);
            if !self.log.take(line).is_empty() {
                tracing::warn!(target: "guest", component, call, "{line}");
            }
            return !events.is_closed();
        }
        self.written_left -= 1;
        // Outside of strings a line break says nothing, and inside of them there is none.
        let data = data.replace(['\r', '\n'], " ");
        events.send(Written { name: event, data }).await.is_ok()
    }
}
