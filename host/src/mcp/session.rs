//! What a session of the era before has asked for: lines of the log.

use std::sync::{Arc, Mutex};

use crate::notes::Level;

/// What lasts as long as the session; a modern request has one of its own.
#[derive(Clone, Default)]
pub(super) struct Session {
    asked: Arc<Mutex<Asked>>,
}

#[derive(Default)]
struct Asked {
    log_level: Option<Level>,
}

impl Session {
    /// From which level on it wants to be told of the log; nothing before it has said so.
    pub(super) fn log_level(&self) -> Option<Level> {
        self.asked().log_level
    }

    pub(super) fn set_log_level(&self, level: Level) {
        self.asked().log_level = Some(level);
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(|it| it.into_inner())
    }
}
