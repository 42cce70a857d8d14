//! Named locks, which exist while held or awaited.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

/// Locks by name. Clones share them.
#[derive(Clone, Default)]
pub struct Locks(Arc<Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>>);

impl Locks {
    /// Waits for the lock of that name.
    pub async fn lock(&self, name: &str) -> OwnedMutexGuard<()> {
        let lock = self.lock_of(name);
        lock.lock_owned().await
    }

    fn lock_of(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.0.lock();
        locks.retain(|_, it| it.strong_count() > 0);
        let known = locks.get(name).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let lock = Arc::default();
            locks.insert(name.to_owned(), Arc::downgrade(&lock));
            lock
        })
    }

    /// Takes the lock if it is free.
    pub fn try_lock(&self, name: &str) -> Option<OwnedMutexGuard<()>> {
        self.lock_of(name).try_lock_owned().ok()
    }

    /// Whether it is held now.
    pub fn is_locked(&self, name: &str) -> bool {
        let locks = self.0.lock();
        let lock = locks.get(name).and_then(Weak::upgrade);
        lock.is_some_and(|it| it.try_lock().is_err())
    }
}
