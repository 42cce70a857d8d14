//! What a server says without being asked: that its lists have changed, and how far along it is.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken,
        ProtocolVersion,
    },
    service::NotificationContext,
};
use tokio::sync::Notify;

use base::notes::{Note, Notes, Progress};

/// Our ear at one connection. A clone is the same ear.
#[derive(Clone, Default)]
pub(super) struct Hears(Arc<Heard>);

#[derive(Default)]
struct Heard {
    changed: Notify,
    calls: Mutex<HashMap<ProgressToken, Notes>>,
}

/// A call whose progress is passed on until this is dropped.
pub(super) struct Followed<'a> {
    hears: &'a Hears,
    token: ProgressToken,
}

impl Hears {
    /// Comes once one of the server's lists has changed since the last time.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// One of them has.
    pub(super) fn change(&self) {
        self.0.changed.notify_one();
    }

    pub(super) fn follow(&self, token: ProgressToken, to: Notes) -> Followed<'_> {
        self.calls().insert(token.clone(), to);
        Followed { hears: self, token }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, Notes>> {
        self.0.calls.lock().unwrap_or_else(|it| it.into_inner())
    }
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        self.hears.calls().remove(&self.token);
    }
}

impl ClientHandler for Hears {
    /// No capabilities: nobody here can answer what a server asks in the middle of a call. What the
    /// caller's client can do is told with each call, to servers that ask by `input_required`.
    fn get_info(&self) -> ClientConfig {
        let this = Implementation::new("madoguchi", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), this)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn on_progress(&self, it: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let call = self.calls().get(&it.progress_token).cloned();
        if let Some(call) = call {
            let note = Progress { progress: it.progress, total: it.total, message: it.message };
            call.send(Note::Progress(note));
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change();
    }
}
