//! What parts share, put together: in a few files instead of one for each combination of parts.

/// How many files there are at most: fewer hold more that a part has no use for, more are more requests.
const FILES_MAX: usize = 18;

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

    /// What all parts load of it, each by itself.
    fn load(&self) -> usize {
        self.bytes * self.parts.count_ones() as usize
    }

    /// What parts load more where the two are one.
    fn waste(&self, other: &Self) -> usize {
        let both = (self.bytes + other.bytes) * (self.parts | other.parts).count_ones() as usize;
        both - self.load() - other.load()
    }
}

/// Puts together what is least wasteful, until there are few.
pub(crate) fn grouped(mut groups: Vec<Group>) -> Vec<Group> {
    while groups.len() > FILES_MAX {
        let pairs = (0..groups.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let Some((a, b)) = pairs.min_by_key(|&(a, b)| groups[a].waste(&groups[b])) else { break };
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
    fn groups_what_the_same_parts_need_and_loads_little_in_vain() {
        let big = Group::of("big".to_owned(), [0, 1], 900);
        let other = Group::of("other".to_owned(), [2, 3], 900);
        let small = (0..FILES_MAX).map(|it| Group::of(format!("small{it}"), [0, 1, it], 9));
        let groups = grouped([big, other].into_iter().chain(small).collect());
        assert_eq!(groups.len(), FILES_MAX);
        let with = |name: &str| groups.iter().find(|it| it.pieces.iter().any(|it| it == name));
        assert_eq!(with("big").unwrap().pieces, ["big", "small0", "small1"]);
        assert_eq!(with("other").unwrap().pieces, ["other"]);
    }
}
