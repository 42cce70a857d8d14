//! What parts share, put together: in a few files instead of one for each combination of parts.

use std::collections::BTreeMap;

/// How many files there are at most: fewer hold more that a part has no use for, more are more requests.
const FILES_MAX: usize = 18;
/// How much more a byte weighs that is loaded in vain by a part that many load.
const MANY_MORE: u32 = 4;

/// Pieces that are always loaded together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// The pieces of the page, by their names.
    pub(crate) pieces: Vec<String>,
    /// The parts that need one of them, a bit each.
    parts: u64,
    bytes: usize,
}

impl Group {
    /// One piece, and the numbers of the parts that need it.
    pub(crate) fn of(piece: String, parts: impl IntoIterator<Item = usize>, bytes: usize) -> Self {
        let parts = parts.into_iter().fold(0, |all, part| all | 1 << part);
        Self { pieces: vec![piece], parts, bytes }
    }

    /// What parts load more where the two are one. A byte in vain weighs more in a part of `many`, a bit each.
    fn waste(&self, other: &Self, many: u64) -> usize {
        let weight = |parts: u64| {
            parts.count_ones() as usize + (MANY_MORE * (parts & many).count_ones()) as usize
        };
        let all = weight(self.parts | other.parts);
        let of = |it: &Self| it.bytes * (all - weight(it.parts));
        of(self) + of(other)
    }
}

/// Puts together what is least wasteful, until there are few. `many` has the parts that are loaded most, a bit each.
pub(crate) fn grouped(groups: Vec<Group>, many: u64) -> Vec<Group> {
    let mut by_parts = BTreeMap::<u64, Group>::new();
    for group in groups {
        // Nothing is in vain where the same parts need both.
        let one = by_parts
            .entry(group.parts)
            .or_insert_with(|| Group { parts: group.parts, ..Group::default() });
        one.pieces.extend(group.pieces);
        one.bytes += group.bytes;
    }
    let mut groups = by_parts.into_values().collect::<Vec<_>>();
    while groups.len() > FILES_MAX {
        let pairs = (0..groups.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let least = pairs.min_by_key(|&(a, b)| groups[a].waste(&groups[b], many));
        let Some((a, b)) = least else { break };
        // The later of the two, so that the other keeps its place.
        let one = groups.remove(a);
        let other = &mut groups[b];
        other.pieces.extend(one.pieces);
        other.parts |= one.parts;
        other.bytes += one.bytes;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_common_parts_with_few_unneeded_loads() {
        let big = Group::of("big".to_owned(), [0, 1], 900);
        let other = Group::of("other".to_owned(), [2, 3], 900);
        let small = (0..FILES_MAX).map(|it| Group::of(format!("small{it}"), [0, 1, it], 9));
        let groups = grouped([big, other].into_iter().chain(small).collect(), 0);
        assert_eq!(groups.len(), FILES_MAX);
        let with = |name: &str| groups.iter().find(|it| it.pieces.iter().any(|it| it == name));
        assert_eq!(with("big").unwrap().pieces, ["big", "small0", "small1"]);
        assert_eq!(with("other").unwrap().pieces, ["other"]);
    }
}
