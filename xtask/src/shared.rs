//! Groups code that parts share into a few files.

use std::collections::{BTreeMap, BinaryHeap};

/// Bytes, uncompressed, that take as long to load as one more request.
const REQUEST_BYTES: i64 = 24_000;

/// How often parts are loaded: bit sets of parts, and how often each of a set is for each time that any other is.
pub(crate) type Weights = Vec<(u64, i64)>;

/// Pieces that are always loaded together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// The pieces of the page, by their names.
    pub(crate) pieces: Vec<String>,
    /// The parts that need one of them, a bit each.
    parts: u64,
    bytes: i64,
}

impl Group {
    /// One piece, and numbers of parts that need it.
    pub(crate) fn new(piece: String, parts: impl IntoIterator<Item = usize>, bytes: usize) -> Self {
        let parts = parts.into_iter().fold(0, |all, part| all | 1 << part);
        Self { pieces: vec![piece], parts, bytes: i64::try_from(bytes).unwrap_or(i64::MAX) }
    }

    /// What merging spares: requests of the parts that need both, less bytes that those load in vain that need one.
    fn gain(&self, other: &Self, weights: &Weights) -> i64 {
        let weight = |parts: u64| {
            let more = weights.iter().map(|(of, weight)| count(parts & of) * (weight - 1));
            count(parts) + more.sum::<i64>()
        };
        let all = weight(self.parts | other.parts);
        let in_vain = |it: &Self| it.bytes * (all - weight(it.parts));
        REQUEST_BYTES * weight(self.parts & other.parts) - in_vain(self) - in_vain(other)
    }

    fn append(&mut self, other: Self) {
        self.pieces.extend(other.pieces);
        self.parts |= other.parts;
        self.bytes += other.bytes;
    }
}

fn count(parts: u64) -> i64 {
    i64::from(parts.count_ones())
}

/// Merges groups, those with the most gain first, while there is a gain.
pub(crate) fn grouped(groups: Vec<Group>, weights: &Weights) -> Vec<Group> {
    let mut by_parts = BTreeMap::<u64, Group>::new();
    for group in groups {
        // Nothing is in vain where the same parts need both.
        by_parts.entry(group.parts).or_default().append(group);
    }
    // A merged group has a place of its own, and those that it is made of have none.
    let mut groups: Vec<Option<Group>> = Vec::new();
    let mut gains = BinaryHeap::new();
    let add = |new: Group, groups: &mut Vec<Option<Group>>, gains: &mut BinaryHeap<_>| {
        for (at, group) in groups.iter().enumerate() {
            let gain = group.as_ref().map_or(0, |it| it.gain(&new, weights));
            if gain > 0 {
                gains.push((gain, at, groups.len()));
            }
        }
        groups.push(Some(new));
    };
    by_parts.into_values().for_each(|group| add(group, &mut groups, &mut gains));
    while let Some((_, a, b)) = gains.pop() {
        if groups[a].is_none() || groups[b].is_none() {
            continue;
        }
        let both = [a, b].map(|at| groups[at].take());
        let merged = both.into_iter().flatten().reduce(|mut one, other| {
            one.append(other);
            one
        });
        merged.into_iter().for_each(|it| add(it, &mut groups, &mut gains));
    }
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, parts: &[usize], bytes: usize) -> Group {
        Group::new(name.to_owned(), parts.iter().copied(), bytes)
    }

    fn names(groups: Vec<Group>, weights: &Weights) -> Vec<String> {
        let mut names: Vec<_> =
            grouped(groups, weights).iter().map(|it| it.pieces.join(" ")).collect();
        names.sort();
        names
    }

    #[test]
    fn groups_what_spares_requests_and_loads_little_in_vain() {
        let groups = vec![
            group("big", &[0, 1], 900_000),
            group("other", &[2, 3], 900_000),
            group("small", &[0, 1, 2], 9_000),
            group("same", &[0, 1], 9),
            group("far", &[5], 9),
        ];
        assert_eq!(names(groups, &Vec::new()), ["big same", "far", "other", "small"]);
    }

    #[test]
    fn parts_that_are_often_loaded_load_less_in_vain() {
        let groups = || vec![group("common", &[0, 1, 2], 9_000), group("rare", &[1, 2], 30_000)];
        assert_eq!(names(groups(), &Vec::new()), ["rare common"]);
        assert_eq!(names(groups(), &vec![(1, 9)]), ["common", "rare"]);
    }
}
