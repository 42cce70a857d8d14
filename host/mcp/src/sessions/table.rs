//! The table of open sessions or streams: their owners, and which is evicted for a new one.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Open sessions or streams with owners.
pub(crate) struct SessionTable<Id> {
    max: usize,
    entries: Mutex<HashMap<Id, Entry>>,
}

struct Entry {
    principal: Arc<str>,
    used: Instant,
    /// Requests that are being answered, and streams that are listened to.
    users: usize,
    end: CancellationToken,
}

impl<Id: Clone + Eq + Hash> SessionTable<Id> {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, entries: Mutex::default() }
    }

    /// Opens a session of `principal` and returns evicted ones. `None` if none may be evicted.
    ///
    /// Evicts the longest idle of the caller with most, so that no caller displaces another. Open streams are cut
    /// only if their owner has more than a fair share and the newcomer less.
    pub(crate) fn open(&self, id: Id, principal: Arc<str>) -> Option<Vec<Id>> {
        let mut entries = self.entries.lock();
        let mut struck = Vec::new();
        while entries.len() >= self.max {
            let id = session_to_evict(&entries, &principal, self.max)?;
            let entry = entries.remove(&id)?;
            entry.end.cancel();
            struck.push(id);
        }
        let (used, end) = (Instant::now(), CancellationToken::new());
        entries.insert(id, Entry { principal, used, users: 0, end });
        Some(struck)
    }

    pub(super) fn is_of(&self, id: &Id, principal: &str) -> bool {
        self.entries.lock().get(id).is_some_and(|it| &*it.principal == principal)
    }

    /// Ends the session named `id`, where it is open.
    pub(crate) fn evict(&self, id: &Id) {
        if let Some(entry) = self.entries.lock().remove(id) {
            entry.end.cancel();
        }
    }

    /// Ids of open sessions.
    pub(super) fn ids(&self) -> Vec<Id> {
        self.entries.lock().keys().cloned().collect()
    }

    /// Ids of sessions in use.
    pub(super) fn in_use(&self) -> Vec<Id> {
        let entries = self.entries.lock();
        entries.iter().filter(|it| it.1.users > 0).map(|it| it.0.clone()).collect()
    }

    /// Strikes out those that were not used for `idle`.
    pub(super) fn take_idle(&self, now: Instant, idle: Duration) -> Vec<Id> {
        let mut entries = self.entries.lock();
        let is_over = |it: &Entry| it.users == 0 && now.saturating_duration_since(it.used) >= idle;
        entries.extract_if(|_, it| is_over(it)).map(|(id, _)| id).collect()
    }

    /// Marks the session named `id` as used.
    pub(crate) fn enter(self: &Arc<Self>, id: &Id) -> Option<InUse<Id>> {
        let mut entries = self.entries.lock();
        let entry = entries.get_mut(id)?;
        entry.users += 1;
        entry.used = Instant::now();
        Some(InUse { table: self.clone(), id: id.clone(), end: entry.end.clone() })
    }
}

/// The session to evict for one of `newcomer`.
fn session_to_evict<Id: Clone>(
    entries: &HashMap<Id, Entry>,
    newcomer: &Arc<str>,
    max: usize,
) -> Option<Id> {
    let mut counts: HashMap<&str, usize> = HashMap::from([(&**newcomer, 0)]);
    for entry in entries.values() {
        *counts.entry(&entry.principal).or_default() += 1;
    }
    let count = |it: &Entry| counts.get(&*it.principal).copied().unwrap_or(0);
    let own = counts.get(&**newcomer).copied().unwrap_or(0);
    // On a tie, the newcomer's own is evicted.
    let idle = entries.iter().filter(|(_, it)| it.users == 0 && count(it) >= own);
    let greed = |it: &Entry| (count(it), it.principal == *newcomer);
    let idle = idle.max_by_key(|(_, it)| (greed(it), std::cmp::Reverse(it.used)));
    let share = max / counts.len();
    let cut = || {
        let greedy = entries.iter().filter(|(_, it)| own < share && count(it) > share.max(1));
        greedy.max_by_key(|(_, it)| (count(it), std::cmp::Reverse(it.used)))
    };
    idle.or_else(cut).map(|(id, _)| id.clone())
}

/// A session while it is used.
pub(crate) struct InUse<Id: Clone + Eq + Hash> {
    table: Arc<SessionTable<Id>>,
    id: Id,
    end: CancellationToken,
}

impl<Id: Clone + Eq + Hash> InUse<Id> {
    /// Comes when the session is over.
    pub(crate) fn ended(&self) -> WaitForCancellationFutureOwned {
        self.end.clone().cancelled_owned()
    }
}

impl<Id: Clone + Eq + Hash> Drop for InUse<Id> {
    fn drop(&mut self) {
        if let Some(entry) = self.table.entries.lock().get_mut(&self.id) {
            entry.users -= 1;
            entry.used = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::transport::streamable_http_server::SessionId;

    use super::*;

    fn table(max: usize) -> Arc<SessionTable<SessionId>> {
        Arc::new(SessionTable::new(max))
    }

    /// Opens a session and returns the evicted one.
    fn open(sessions: &SessionTable<SessionId>, id: &str, principal: &str) -> Option<Vec<String>> {
        let struck = sessions.open(id.into(), Arc::from(principal))?;
        Some(struck.iter().map(|it| it.to_string()).collect())
    }

    #[test]
    fn evicts_longest_idle_and_keeps_one_in_use() {
        let sessions = table(3);
        for id in ["a", "b", "c"] {
            assert_eq!(open(&sessions, id, "ann"), Some(vec![]));
        }
        let listening = sessions.enter(&"a".into()).unwrap();
        drop(sessions.enter(&"b".into()).unwrap());
        assert_eq!(open(&sessions, "d", "ann"), Some(vec!["c".to_owned()]));
        assert_eq!(open(&sessions, "e", "ann"), Some(vec!["b".to_owned()]));
        assert!(sessions.is_of(&"a".into(), "ann") && !sessions.is_of(&"c".into(), "ann"));
        drop(listening);
        assert_eq!(sessions.entries.lock().len(), 3);
    }

    #[test]
    fn evicts_from_the_busiest_caller_not_from_newcomers() {
        let all = table(4);
        assert_eq!(open(&all, "ben", "ben"), Some(vec![]));
        for id in ["a", "b", "c"] {
            open(&all, id, "ann");
        }
        for (id, gone) in [("d", "a"), ("e", "b"), ("f", "c")] {
            assert_eq!(open(&all, id, "ann"), Some(vec![gone.to_owned()]));
        }
        assert!(all.is_of(&"ben".into(), "ben"), "the oldest of all, and another's");
        assert_eq!(open(&all, "ben2", "ben"), Some(vec!["d".to_owned()]));
        assert_eq!(open(&all, "ben3", "ben"), Some(vec!["ben".to_owned()]), "as many: its own");
    }

    #[test]
    fn cuts_streams_only_for_callers_below_their_fair_share() {
        let sessions = table(4);
        let ids = ["a", "b", "c", "d"];
        for id in ids {
            open(&sessions, id, "ann");
        }
        let listening = ids.map(|id| sessions.enter(&id.into()).unwrap());
        assert_eq!(open(&sessions, "e", "ann"), None, "all are in use, by the same");
        assert_eq!(open(&sessions, "ben", "ben"), Some(vec!["a".to_owned()]));
        assert!(listening[0].end.is_cancelled() && !listening[1].end.is_cancelled());
        let own = sessions.enter(&"ben".into()).unwrap();
        assert_eq!(open(&sessions, "ben2", "ben"), Some(vec!["b".to_owned()]));
        let owns = (own, sessions.enter(&"ben2".into()).unwrap());
        assert_eq!(open(&sessions, "ben3", "ben"), None, "half is a fair share of two");
        drop((owns, listening));
    }

    #[test]
    fn removes_idle_sessions_and_keeps_those_with_listeners() {
        let sessions = table(4);
        open(&sessions, "a", "ann");
        open(&sessions, "b", "ann");
        let _listening = sessions.enter(&"b".into()).unwrap();
        let idle = Duration::from_secs(60);
        assert_eq!(sessions.take_idle(Instant::now(), idle), []);
        let later = Instant::now() + idle;
        assert_eq!(sessions.take_idle(later, idle), ["a".into()]);
        assert!(sessions.is_of(&"b".into(), "ann"));
    }
}
