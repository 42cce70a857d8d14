//! What has been answered and done with: a call whose questions were answered ends once.
//!
//! The state between the rounds of a call is in the client's hand, who could send it twice. So
//! each call that asks has a number in its state, the same in all its rounds; while a round of it
//! runs no other may, and once it has ended none may any more. A round that broke off, or that asked
//! further, may be repeated.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

use crate::seal::StateError;

/// Calls that are remembered, about 12 MB of them.
const REMEMBERED_MAX: usize = 1 << 18;

/// The calls that have ended and the ones that run. A clone is another handle on the same ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spent(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// Those that run, or have ended.
    calls: HashSet<u64>,
    /// Those that have ended, with the second after which no state of theirs is valid.
    ended: VecDeque<(u64, u64)>,
    /// States that expire until then are no longer told apart from those that have ended.
    forgotten_until_s: u64,
}

/// One round of a call, while it runs.
#[derive(Debug)]
pub(crate) struct Claim {
    spent: Spent,
    /// None once the call has ended.
    call: Option<u64>,
}

impl Spent {
    /// Begins a round of `call`, whose state is valid until `expires_at_s`.
    pub(crate) fn claim(
        &self,
        call: u64,
        expires_at_s: u64,
        now_s: u64,
    ) -> Result<Claim, StateError> {
        let mut known = self.known();
        known.forget(now_s, REMEMBERED_MAX);
        if expires_at_s <= known.forgotten_until_s {
            return Err(StateError::Expired);
        }
        match known.calls.insert(call) {
            true => Ok(Claim { spent: self.clone(), call: Some(call) }),
            false => Err(StateError::Spent),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(|it| it.into_inner())
    }
}

impl Known {
    /// Forgets what has expired, and the eldest where there are too many: what could then no longer
    /// be told apart is taken for expired, so that nothing that has ended is ever taken again.
    fn forget(&mut self, now_s: u64, most: usize) {
        while let Some((expires_at_s, call)) = self.ended.front().copied() {
            let has_expired = expires_at_s < now_s;
            if !has_expired && self.ended.len() <= most {
                return;
            }
            if !has_expired {
                self.forgotten_until_s = self.forgotten_until_s.max(expires_at_s);
            }
            self.ended.pop_front();
            self.calls.remove(&call);
        }
    }
}

impl Claim {
    /// The call has ended: no state of it that is valid until `expires_at_s` is taken any more.
    pub(crate) fn spend(mut self, expires_at_s: u64) {
        if let Some(call) = self.call.take() {
            self.spent.known().ended.push_back((expires_at_s, call));
        }
    }
}

impl Drop for Claim {
    /// It has not: the same state may come again.
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            self.spent.known().calls.remove(&call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_ends_once_and_runs_once_at_a_time_and_may_be_repeated_until_then() {
        let spent = Spent::default();
        let first = spent.claim(7, 100, 10).unwrap();
        assert_eq!(spent.claim(7, 100, 10).unwrap_err(), StateError::Spent, "it runs");
        assert!(spent.claim(8, 100, 10).is_ok(), "another call");
        drop(first);
        spent.claim(7, 100, 10).unwrap().spend(110);
        assert_eq!(spent.claim(7, 100, 10).unwrap_err(), StateError::Spent, "it has ended");
        assert_eq!(spent.claim(7, 109, 109).unwrap_err(), StateError::Spent, "a later round");
    }

    #[test]
    fn what_has_expired_is_forgotten_and_what_must_be_forgotten_before_counts_as_expired() {
        let spent = Spent::default();
        for call in 1..=3 {
            spent.claim(call, 100 + call, 10).unwrap().spend(100 + call);
        }
        spent.known().forget(102, usize::MAX);
        assert_eq!(spent.known().ended.len(), 2, "the first has expired");
        spent.known().forget(102, 1);
        assert_eq!(spent.claim(2, 102, 102).unwrap_err(), StateError::Expired, "forgotten");
        assert_eq!(spent.claim(9, 102, 102).unwrap_err(), StateError::Expired, "as old as that");
        assert_eq!(spent.claim(3, 103, 102).unwrap_err(), StateError::Spent, "remembered");
        assert!(spent.claim(9, 104, 102).is_ok());
        assert_eq!(spent.known().calls.len(), 1, "nothing else is kept");
    }
}
