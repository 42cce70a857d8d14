//! What a session of the era before has asked for: lines of the log, and news of resources.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use crate::notes::Level;

/// Resources that one listener may subscribe to.
pub(super) const SUBSCRIPTIONS_MAX: usize = 256;

/// What lasts as long as the session; a modern request has one of its own.
#[derive(Clone, Default)]
pub(super) struct Session {
    asked: Arc<Mutex<Asked>>,
}

#[derive(Default)]
struct Asked {
    log_level: Option<Level>,
    /// The resources it subscribed to.
    uris: BTreeSet<String>,
}

impl Session {
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
