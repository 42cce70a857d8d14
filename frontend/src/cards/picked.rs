//! Which of some pictures are wanted (ILL-45): a set that knows how many there are.

use std::collections::BTreeSet;

/// A choice among `count` things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picked {
    count: usize,
    chosen: BTreeSet<usize>,
}

impl Picked {
    /// All of them: a reader who only wants to go on has nothing to do.
    pub(crate) fn all(count: usize) -> Self {
        Self { count, chosen: (0..count).collect() }
    }

    /// None of them.
    pub(crate) fn none(count: usize) -> Self {
        Self { count, chosen: BTreeSet::new() }
    }

    /// Takes one in, or out.
    pub(crate) fn turn(&mut self, index: usize) {
        if index < self.count && !self.chosen.remove(&index) {
            self.chosen.insert(index);
        }
    }

    pub(crate) fn has(&self, index: usize) -> bool {
        self.chosen.contains(&index)
    }

    /// How many are chosen, and of how many.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.chosen.len(), self.count)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.chosen.len() == self.count
    }

    /// The things themselves, in their own order.
    pub(crate) fn of<T>(&self, all: impl IntoIterator<Item = T>) -> Vec<T> {
        all.into_iter().enumerate().filter(|(it, _)| self.has(*it)).map(|it| it.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_taken_in_and_out_and_the_order_stays() {
        let mut picked = Picked::none(3);
        for index in [2, 0, 9] {
            picked.turn(index);
        }
        assert_eq!(picked.counts(), (2, 3));
        assert_eq!(picked.of(["a", "b", "c"]), ["a", "c"]);
        picked.turn(2);
        assert!(picked.has(0) && !picked.has(2) && !picked.is_full() && !picked.is_empty());
    }

    #[test]
    fn all_and_none_are_what_they_say() {
        assert!(Picked::all(2).is_full());
        assert!(Picked::none(2).is_empty());
        assert_eq!(Picked::all(2).of(["a", "b"]), ["a", "b"]);
    }
}
