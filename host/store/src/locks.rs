//! Locks by name, each there for as long as it is held or waited for.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

/// One lock for each name. A clone is another handle on the same ones.
#[derive(Clone, Default)]
pub struct Locks(Arc<Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>>);

impl Locks {
    /// The one right to change what has that name; waits until it is free.
    pub async fn lock(&self, name: &str) -> OwnedMutexGuard<()> {
        let lock = self.of(name);
        lock.lock_owned().await
    }

    fn of(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.0.lock();
        locks.retain(|_, it| it.strong_count() > 0);
        let known = locks.get(name).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let lock = Arc::default();
            locks.insert(name.to_owned(), Arc::downgrade(&lock));
            lock
        })
    }

    /// The same where it is free, at once.
    pub fn try_lock(&self, name: &str) -> Option<OwnedMutexGuard<()>> {
        self.of(name).try_lock_owned().ok()
    }

    /// Whether it is held now.
    pub fn is_locked(&self, name: &str) -> bool {
        let locks = self.0.lock();
        let lock = locks.get(name).and_then(Weak::upgrade);
        lock.is_some_and(|it| it.try_lock().is_err())
    }
}
