//! Output of a component during a call, within its limits: `log` lines for the operator's log and for callers who
//! request them, `progress`, `events` it publishes, and the `event-stream` of a route; and its standard output and
//! error, as lines of the operator's log.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use parking_lot::Mutex;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};

use super::Written;
use crate::{
    bindings::madoguchi::tool::{event_stream, events, log, progress, types},
    capability::state::{CallContext, CallState},
    resource_limiter::LogBudget,
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

/// Writes whole lines, tagged with component and call.
#[derive(Clone)]
pub(super) struct GuestOutput {
    budget: LogBudget,
    /// Start of an unfinished line.
    begun: Arc<Mutex<Begun>>,
}

/// Logs itself when the instance ends in the middle of a line.
struct Begun {
    text: String,
    component: Arc<str>,
    call_id: u64,
}

/// Bytes after which a line without an end is written all the same.
const LINE_BYTES_MAX: usize = 4 << 10;

impl GuestOutput {
    pub(super) fn new(context: &CallContext, budget: &LogBudget) -> Self {
        let begun = Begun {
            component: context.component.clone(),
            call_id: context.round.call_id,
            text: String::new(),
        };
        Self { budget: budget.clone(), begun: Arc::new(Mutex::new(begun)) }
    }

    fn log(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut begun = self.begun.lock();
        for part in text.split_inclusive('\n') {
            if part.ends_with('\n') {
                self.budget.begin_line();
            }
            begun.text += self.budget.take(part);
            if part.ends_with('\n') {
                begun.write_remaining();
            }
        }
        if begun.text.len() > LINE_BYTES_MAX {
            begun.write_remaining();
        }
    }
}

impl Begun {
    fn write_remaining(&mut self) {
        let rest = std::mem::take(&mut self.text);
        let (line, component, call) = (rest.trim_end(), &*self.component, self.call_id);
        if !line.is_empty() {
            tracing::info!(target: "guest", component, call, "{line}");
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.write_remaining();
    }
}

impl IsTerminal for GuestOutput {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestOutput {
    /// For WASI 0.3.
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for GuestOutput {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.log(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[wasmtime_wasi_io::async_trait]
impl Pollable for GuestOutput {
    async fn ready(&mut self) {}
}

impl OutputStream for GuestOutput {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.log(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 << 10)
    }
}
