//! Which of several places of one name goes first.

use crate::network::PlaceKind;

/// An entry of the table of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// The folded name.
    pub(super) name: String,
    /// Number of its place.
    pub(super) place: u32,
    /// Whether it is the name itself, not an alias or the name without its ending.
    pub(super) own: bool,
    pub(super) kind: PlaceKind,
    pub(super) weight: u8,
}

impl Key {
    /// Smaller goes first. A whole name means a town before a station; a name without
    /// its ending means the station: 品川 is 品川駅 before 品川区.
    fn rank(&self) -> (bool, u8, u8, u32) {
        let kind = match self.kind {
            PlaceKind::Town if self.own => 0,
            PlaceKind::Station => 1,
            PlaceKind::Town => 2,
            PlaceKind::Airport => 3,
            PlaceKind::Landmark => 4,
            PlaceKind::Quarter => 5,
            PlaceKind::Junction => 6,
            PlaceKind::Street => 7,
            PlaceKind::House => 8,
        };
        // 羽田 means the airport, even where a junction is called just so.
        let is_own = self.own && kind < 6;
        (!is_own, kind, 255 - self.weight, self.place)
    }
}

/// Each place once, best first. Of beginnings the bigger go first, whatever their kind.
pub(super) fn best(mut keys: Vec<Key>, are_beginnings: bool) -> Vec<Key> {
    if are_beginnings {
        keys.sort_by_key(|key| (255 - key.weight, key.rank()));
    } else {
        keys.sort_by_key(Key::rank);
    }
    let mut places = std::collections::HashSet::new();
    keys.retain(|key| places.insert(key.place));
    keys
}

/// A kind by the number that it is written as.
pub(super) fn kind(number: u8) -> Option<PlaceKind> {
    Some(match number {
        0 => PlaceKind::Station,
        1 => PlaceKind::Town,
        2 => PlaceKind::Quarter,
        3 => PlaceKind::Landmark,
        4 => PlaceKind::Airport,
        5 => PlaceKind::Street,
        6 => PlaceKind::Junction,
        7 => PlaceKind::House,
        _ => return None,
    })
}
