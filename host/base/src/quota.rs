//! A bounded number of slots, with a limit for each known caller.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use crate::caller::Caller;

/// The slots and their holders. Clones share them.
#[derive(Clone, Debug)]
pub struct Quota {
    all_max: usize,
    caller_max: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// Slots by known caller.
    each: HashMap<Arc<str>, usize>,
}

/// Why there is no place.
#[derive(Debug, PartialEq, Eq)]
pub enum TooMany {
    /// All slots are taken.
    All,
    /// The caller has as many as they may.
    Own,
}

/// One slot, released on drop.
#[derive(Debug)]
pub struct Place {
    quota: Quota,
    owner: Option<Arc<str>>,
}

impl Quota {
    /// `all_max` places, of which one caller has at most `caller_max`.
    pub fn new(all_max: usize, caller_max: usize) -> Self {
        Self { all_max, caller_max, taken: Arc::default() }
    }

    /// `all_max` places, of which one caller has at most half.
    pub fn halved(all_max: usize) -> Self {
        Self::new(all_max, all_max.div_ceil(2))
    }

    /// Takes a slot for `caller`. Unknown callers share all slots.
    ///
    /// # Errors
    /// If there is none.
    pub fn take(&self, caller: &Caller) -> Result<Place, TooMany> {
        self.take_of(caller.share())
    }

    /// Takes a slot for `owner`.
    pub fn take_of(&self, owner: Option<Arc<str>>) -> Result<Place, TooMany> {
        let mut taken = self.taken.lock();
        let own = owner.as_ref().and_then(|it| taken.each.get(it)).copied().unwrap_or(0);
        if own >= self.caller_max && owner.is_some() {
            return Err(TooMany::Own);
        }
        if taken.all >= self.all_max {
            return Err(TooMany::All);
        }
        taken.all += 1;
        if let Some(owner) = &owner {
            taken.each.insert(owner.clone(), own + 1);
        }
        drop(taken);
        Ok(Place { quota: self.clone(), owner })
    }

    /// Number of taken slots.
    pub fn taken(&self) -> usize {
        self.taken.lock().all
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.quota.taken.lock();
        taken.all -= 1;
        let Some(owner) = &self.owner else { return };
        match taken.each.get_mut(owner) {
            Some(own) if *own > 1 => *own -= 1,
            _ => _ = taken.each.remove(owner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::Scopes;

    #[test]
    fn limits_known_callers_each_and_unknown_ones_together() {
        let named = |name| Caller::named(name, &[], Scopes::default());
        let quota = Quota::halved(5);
        let ann: Vec<_> = (0..3).map(|_| quota.take(&named("ann")).unwrap()).collect();
        assert_eq!(quota.take(&named("ann")).unwrap_err(), TooMany::Own);
        let rest: Vec<_> = (0..2).map(|_| quota.take(&Caller::anonymous()).unwrap()).collect();
        assert_eq!(quota.take(&named("ben")).unwrap_err(), TooMany::All);
        assert_eq!(quota.take(&Caller::anonymous()).unwrap_err(), TooMany::All);
        drop((ann, rest));
        assert_eq!(quota.taken(), 0);
        assert!(quota.taken.lock().each.is_empty(), "nothing is kept of who is gone");
        let all: Vec<_> = (0..5).map(|_| quota.take(&Caller::anonymous()).unwrap()).collect();
        assert_eq!((all.len(), quota.taken()), (5, 5));
    }
}
