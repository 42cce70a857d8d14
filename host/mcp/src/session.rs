//! What a session of the era before has asked for: lines of the log, and news of resources.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use base::notes::Level;

/// Resources that one listener may subscribe to.
pub(super) const SUBSCRIPTIONS_MAX: usize = 256;

/// Calls of one session that have ended and whose questions may still be answered.
const LATER_MAX: usize = 16;

/// What lasts as long as the session; a modern request has one of its own.
#[derive(Clone)]
pub(super) struct Session {
    asked: Arc<Mutex<Asked>>,
    /// Places for calls that have ended and whose questions are still open.
    later: Arc<Semaphore>,
}

impl Default for Session {
    fn default() -> Self {
        Self { asked: Arc::default(), later: Arc::new(Semaphore::new(LATER_MAX)) }
    }
}

#[derive(Default)]
struct Asked {
    log_level: Option<Level>,
    /// The resources it subscribed to.
    uris: BTreeSet<String>,
}

impl Session {
    /// A place for one more call that has ended and whose question is still open.
    pub(super) fn place_for_later(&self) -> Option<OwnedSemaphorePermit> {
        self.later.clone().try_acquire_owned().ok()
    }

    /// From which level on it wants to be told of the log; nothing before it has said so.
    pub(super) fn log_level(&self) -> Option<Level> {
        self.asked().log_level
    }

    pub(super) fn set_log_level(&self, level: Level) {
        self.asked().log_level = Some(level);
    }

    /// Subscribes to `uri`; not where it has as many subscriptions as it may.
    pub(super) fn subscribe(&self, uri: String) -> bool {
        let mut asked = self.asked();
        let is_known = asked.uris.contains(&uri);
        if !is_known && asked.uris.len() >= SUBSCRIPTIONS_MAX {
            return false;
        }
        asked.uris.insert(uri);
        true
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.asked().uris.remove(uri);
    }

    /// Whether it subscribed to `uri`.
    pub(super) fn wants(&self, uri: &str) -> bool {
        self.asked().uris.contains(uri)
    }

    /// Everything that it subscribed to.
    pub(super) fn uris(&self) -> Vec<String> {
        self.asked().uris.iter().cloned().collect()
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(|it| it.into_inner())
    }
}
