//! Downloads of blobs on their way: each holds an open file, so there are so many at a time, and so many of one caller.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

/// Downloads that can be on their way at a time.
pub(crate) const DOWNLOADS_MAX: usize = 256;

/// How many downloads are on their way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Downloads(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    /// Those of each identified caller.
    each: HashMap<Arc<str>, usize>,
}

/// Why one more cannot begin.
#[derive(Debug, PartialEq)]
pub(super) enum TooMany {
    /// All together are as many as can be.
    All,
    /// Those of one caller are as many as they may.
    Own,
}

/// A download that is on its way until this is dropped.
#[derive(Debug)]
pub(super) struct Download {
    all: Downloads,
    owner: Option<Arc<str>>,
}

impl Downloads {
    /// One more of `owner`, who may have `own_max`.
    pub(super) fn begin(
        &self,
        owner: Option<Arc<str>>,
        own_max: usize,
    ) -> Result<Download, TooMany> {
        let mut counts = self.0.lock();
        if let Some(owner) = &owner
            && counts.each.get(owner).is_some_and(|it| *it >= own_max)
        {
            return Err(TooMany::Own);
        }
        if counts.all >= DOWNLOADS_MAX {
            return Err(TooMany::All);
        }
        counts.all += 1;
        if let Some(owner) = &owner {
            *counts.each.entry(owner.clone()).or_default() += 1;
        }
        drop(counts);
        Ok(Download { all: self.clone(), owner })
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        let mut counts = self.all.0.lock();
        counts.all -= 1;
        if let Some(owner) = &self.owner
            && let Some(own) = counts.each.get_mut(owner)
        {
            *own -= 1;
            if *own == 0 {
                counts.each.remove(owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downloads_are_counted_in_all_and_of_each_caller() {
        let downloads = Downloads::default();
        let begin = |owner: Option<&str>| downloads.begin(owner.map(Arc::from), 2);
        let anns = [begin(Some("ann")).unwrap(), begin(Some("ann")).unwrap()];
        assert_eq!(begin(Some("ann")).unwrap_err(), TooMany::Own);
        let mut others: Vec<_> = (2..DOWNLOADS_MAX).map(|_| begin(None).unwrap()).collect();
        assert_eq!(begin(Some("ben")).unwrap_err(), TooMany::All);
        assert_eq!(begin(None).unwrap_err(), TooMany::All);
        drop(others.pop());
        drop(begin(Some("ben")).unwrap());
        drop(anns);
        assert!(begin(Some("ann")).is_ok(), "what is over makes room");
        drop(others);
        let counts = downloads.0.lock();
        assert!(counts.all == 0 && counts.each.is_empty(), "{counts:?}");
    }
}
