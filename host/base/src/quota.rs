//! So many places, of which no caller who is known takes more than half.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use crate::caller::Caller;

/// The places, and who has how many of them.
pub struct Quota {
    places: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: usize,
    by_caller: HashMap<Arc<str>, usize>,
}

/// One place, free again when this is dropped.
pub struct Place {
    quota: Arc<Quota>,
    caller: Option<Arc<str>>,
}

impl Quota {
    /// That many places.
    pub fn new(places: usize) -> Arc<Self> {
        Arc::new(Self { places, held: Mutex::default() })
    }

    /// A place for `caller`; none where all are taken, or the caller has their half. Those who are not known share all.
    pub fn take(self: &Arc<Self>, caller: &Caller) -> Option<Place> {
        let (caller, mut held) = (caller.share(), self.held.lock());
        if held.all >= self.places {
            return None;
        }
        if let Some(caller) = &caller {
            let own = held.by_caller.get(caller).copied().unwrap_or(0);
            if own >= self.places.div_ceil(2) {
                return None;
            }
            held.by_caller.insert(caller.clone(), own + 1);
        }
        held.all += 1;
        drop(held);
        Some(Place { quota: self.clone(), caller })
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        self.held.lock().all
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = self.quota.held.lock();
        held.all -= 1;
        let Some(caller) = &self.caller else { return };
        match held.by_caller.get_mut(caller) {
            Some(own) if *own > 1 => *own -= 1,
            _ => _ = held.by_caller.remove(caller),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::Scopes;

    #[test]
    fn a_known_caller_takes_half_and_those_unknown_what_is_there() {
        let named = |name| Caller::named(name, &[], Scopes::default());
        let quota = Quota::new(5);
        let ann: Vec<_> = (0..5).map_while(|_| quota.take(&named("ann"))).collect();
        assert_eq!((ann.len(), quota.taken()), (3, 3));
        let rest: Vec<_> = (0..5).map_while(|_| quota.take(&Caller::anonymous())).collect();
        assert_eq!((rest.len(), quota.taken()), (2, 5));
        assert!(quota.take(&named("ben")).is_none(), "all are taken");
        drop((ann, rest));
        assert_eq!(quota.taken(), 0);
        assert!(quota.held.lock().by_caller.is_empty(), "nothing is kept of who is gone");
        let all: Vec<_> = (0..9).map_while(|_| quota.take(&Caller::anonymous())).collect();
        assert_eq!(all.len(), 5);
    }
}
