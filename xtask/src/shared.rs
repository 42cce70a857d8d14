//! Groups code that parts share into a few files.

use std::collections::BTreeMap;

/// Maximum number of files. Fewer load more unneeded bytes, more need more requests.
const FILES_MAX: usize = 18;
/// Weight of unneeded bytes in frequently loaded parts.
const GROWTH_MAX: u32 = 4;

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
    /// One piece, and numbers of parts that need it.
    pub(crate) fn new(piece: String, parts: impl IntoIterator<Item = usize>, bytes: usize) -> Self {
        let parts = parts.into_iter().fold(0, |all, part| all | 1 << part);
        Self { pieces: vec![piece], parts, bytes }
    }

    /// Unneeded bytes if merged, weighted for parts in the bit set `many`.
    fn waste(&self, other: &Self, many: u64) -> usize {
        let weight = |parts: u64| {
            parts.count_ones() as usize + (GROWTH_MAX * (parts & many).count_ones()) as usize
        };
        let all = weight(self.parts | other.parts);
        let of = |it: &Self| it.bytes * (all - weight(it.parts));
        of(self) + of(other)
    }
}

/// Merges groups with the least waste until there are few. `many` is the bit set of frequently loaded parts.
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
        let big = Group::new("big".to_owned(), [0, 1], 900);
        let other = Group::new("other".to_owned(), [2, 3], 900);
        let small = (0..FILES_MAX).map(|it| Group::new(format!("small{it}"), [0, 1, it], 9));
        let groups = grouped([big, other].into_iter().chain(small).collect(), 0);
        assert_eq!(groups.len(), FILES_MAX);
        let with = |name: &str| groups.iter().find(|it| it.pieces.iter().any(|it| it == name));
        assert_eq!(with("big").unwrap().pieces, ["big", "small0", "small1"]);
        assert_eq!(with("other").unwrap().pieces, ["other"]);
    }
}
