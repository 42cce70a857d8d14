//! Output of a component during a call, within its limits: `log` lines for the operator's log and for callers who
//! request them, `progress`, `events` it publishes, and the `event-stream` of a route.

use serde::de::IgnoredAny;
use serde_json::json;

use super::Written;
use crate::{
    bindings::madoguchi::tool::{event_stream, events, log, progress, types},
    capability::state::CallState,
};
use base::call::{Level, Line, Notification, Progress};

/// Maximum length of an event name, in bytes.
const URI_BYTES_MAX: usize = 1 << 10;
/// Bytes that the name of an event may have.
const NAME_BYTES_MAX: usize = 64;
/// Maximum length of a progress message, in bytes. Longer ones are cut.
const MESSAGE_BYTES_MAX: usize = 1 << 10;

impl types::Host for CallState {}

impl log::Host for CallState {
    async fn write(&mut self, level: log::Level, message: String, data: Option<String>) {
        self.log.begin_line();
        let message = self.log.take(&message);
        let data = data.as_deref().map(|it| self.log.take(it)).filter(|it| !it.is_empty());
        if message.is_empty() {
            return;
        }
        let wanted =
            self.context.round.notifications.as_ref().filter(|it| it.wants(level_from_wit(level)));
        if let Some(notifications) = wanted {
            notifications.send(Notification::Log(Line {
                level: level_from_wit(level),
                component: self.context.component.to_string(),
                message: message.to_owned(),
                data: data.map(str::to_owned),
            }));
        }
        let (component, call) = self.component_and_call();
        match level {
            log::Level::Debug => {
                tracing::debug!(target: "guest", component, call, data, "{message}")
            }
            log::Level::Info | log::Level::Notice => {
                tracing::info!(target: "guest", component, call, data, "{message}");
            }
            log::Level::Warning => {
                tracing::warn!(target: "guest", component, call, data, "{message}");
            }
            log::Level::Error
            | log::Level::Critical
            | log::Level::Alert
            | log::Level::Emergency => {
                tracing::error!(target: "guest", component, call, data, "{message}");
            }
        }
    }
}

/// The contract has the same levels in the same order.
fn level_from_wit(level: log::Level) -> Level {
    Level::from_repr(level as usize).unwrap_or(Level::Info)
}

impl progress::Host for CallState {
    /// Never blocks: a slow caller misses notifications.
    async fn report(&mut self, progress: f64, total: Option<f64>, message: Option<String>) {
        let Some(notifications) =
            self.context.round.notifications.as_ref().filter(|it| it.progress)
        else {
            return;
        };
        if !progress.is_finite() {
            return;
        }
        if self.left.progress_max == 0 {
            self.progress_dropped += 1;
            return;
        }
        self.left.progress_max -= 1;
        let total = total.filter(|it| it.is_finite());
        let message = message.map(|mut message| {
            message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
            message
        });
        notifications.send(Notification::Progress(Progress { progress, total, message }));
    }
}

impl events::Host for CallState {
    /// Never blocks. A woken call sees what was committed.
    async fn publish(&mut self, uri: String) {
        if self.taped("events.publish", || json!([uri])).given::<()>().await.is_some() {
            return;
        }
        if self.left.events_max == 0 || uri.len() > URI_BYTES_MAX {
            let line = "an event was dropped: too long, or more than events_max in one call";
            return self.warn(line);
        }
        self.left.events_max -= 1;
        let _span = self.context.round.span.child("event publish");
        self.context.setup.reach.channel.publish(&uri);
    }
}

impl event_stream::Host for CallState {
    async fn send(&mut self, event: String, data: String) -> bool {
        let Some(events) = self.context.events.clone() else { return false };
        let is_name = |it: u8| it.is_ascii_alphanumeric() || b"_-".contains(&it);
        let fits = (1..=NAME_BYTES_MAX).contains(&event.len()) && event.bytes().all(is_name);
        if !fits
            || self.left.stream_events_max == 0
            || serde_json::from_str::<IgnoredAny>(&data).is_err()
        {
            let line = "an event of a route was dropped: a name of other than 1 to 64 of A-Z a-z 0-9 _ -, data that is not JSON, or more than stream_events_max";
            self.warn(line);
            return !events.is_closed();
        }
        self.left.stream_events_max -= 1;
        // Outside of strings a line break says nothing, and inside of them there is none.
        let data = data.replace(['\r', '\n'], " ");
        events.send(Written { name: event, data }).await.is_ok()
    }
}
