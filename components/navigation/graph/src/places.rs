//! The index of names, searched without reading the whole file.
//!
//! A header, then five tables: where each band of latitude begins among the places; each place's
//! position, by band and from west to east; where each place's record begins; the folded names, sorted,
//! in blocks of one size; the records.

mod address;
mod layout;
#[cfg(test)]
mod tests;
mod write;

use crate::{
    file::{Source, SourceError},
    names::{folded, without_area, without_begun_station, without_station},
    network::{Place, PlaceKind, Point},
};
use layout::Layout;

pub use write::write;

/// Minimum number of letters of a name with one typo.
const CLOSE_CHARS_MIN: usize = 4;
/// Minimum number of letters of a name with two typos.
const LONG_CHARS: usize = 8;

/// The quality of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// A name, reading or alias matches.
    Whole,
    /// The most specific part of the address matches.
    Part,
    /// A larger part of the address matches; more specific ones are unknown.
    Around,
    /// The beginning of a name matches.
    Beginning,
}

/// A found place.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The place.
    pub place: Place,
    /// The quality of the hit.
    pub by: Match,
}

/// An index within a source.
#[derive(Debug)]
pub struct Places<'s, S> {
    source: &'s S,
    offset: u64,
    length: u64,
    /// The area of all places, as in addresses: `Liechtenstein`.
    area: &'s str,
}

impl<'s, S: Source> Places<'s, S> {
    /// Opens the index without reading.
    pub fn open(source: &'s S, offset: u64, length: u64) -> Self {
        Self { source, offset, length, area: "" }
    }

    /// Opens the index of an area.
    pub fn within(self, area: &'s str) -> Self {
        Self { area, ..self }
    }

    /// Finds up to `most` places for `text`, best first. Whole names come before beginnings.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn named(&self, text: &str, most: usize) -> Result<Vec<Place>, SourceError> {
        Ok(self.hits(text, most)?.into_iter().map(|hit| hit.place).collect())
    }

    /// Finds up to `most` places for `text` with their quality, best first: whole names, else the most specific part of
    /// the address, then beginnings.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn hits(&self, text: &str, most: usize) -> Result<Vec<Hit>, SourceError> {
        let Some(layout) = self.layout()? else { return Ok(Vec::new()) };
        let name = folded(text);
        if name.is_empty() || most == 0 {
            return Ok(Vec::new());
        }
        let mut hits = self.records(&layout, self.whole(&layout, &name)?, most, Match::Whole)?;
        if hits.is_empty() {
            hits.extend(self.part(&layout, text)?);
        }
        let left = most.saturating_sub(hits.len());
        if left > 0 {
            let found = best(layout.keys_from(self, &name, false)?, true);
            for hit in self.records(&layout, found, most, Match::Beginning)? {
                if hits.len() < most && hits.iter().all(|it| it.place.id != hit.place.id) {
                    hits.push(hit);
                }
            }
        }
        if hits.is_empty()
            && let Some(short) = without_begun_station(&name)
        {
            let mut keys = layout.keys_from(self, short, true)?;
            keys.retain(|key| key.kind == PlaceKind::Station);
            hits = self.records(&layout, keys, most, Match::Beginning)?;
        }
        Ok(hits)
    }

    /// Finds up to `most` places with names similar to `text`, with the number of typos, best first. They begin with
    /// the same letter and are no houses.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn close(&self, text: &str, most: usize) -> Result<Vec<(usize, Place)>, SourceError> {
        let Some(layout) = self.layout()? else { return Ok(Vec::new()) };
        let name: Vec<char> = folded(text).chars().collect();
        let Some(first) = name.first().filter(|_| name.len() >= CLOSE_CHARS_MIN) else {
            return Ok(Vec::new());
        };
        let most_other = if name.len() < LONG_CHARS { 1 } else { 2 };
        let other = |it: &str| other_letters(&name, &it.chars().collect::<Vec<_>>(), most_other);
        let mut keys = layout.keys_like(self, &first.to_string(), |it| other(it).is_some())?;
        keys.retain(|it| it.kind != PlaceKind::House);
        let mut keys = best(keys, true);
        keys.sort_by_key(|it| other(&it.name));
        let place =
            |it: Key| Ok((other(&it.name).unwrap_or_default(), layout.record(self, it.place)?));
        keys.into_iter().take(most).map(place).collect()
    }

    /// Finds the place nearest to `at` within `metres_max`.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn nearest(&self, at: Point, metres_max: f64) -> Result<Option<Place>, SourceError> {
        let Some(layout) = self.layout()? else { return Ok(None) };
        if !at.is_on_globe() || !metres_max.is_finite() {
            return Ok(None);
        }
        match layout.nearest(self, at, metres_max)? {
            Some(index) => Ok(Some(layout.record(self, index)?)),
            None => Ok(None),
        }
    }

    /// Finds places with exactly this name; stations and towns with or without their suffix.
    fn whole(&self, layout: &Layout, name: &str) -> Result<Vec<Key>, SourceError> {
        let mut keys = layout.keys_from(self, name, true)?;
        if keys.is_empty()
            && let Some(short) = without_station(name)
        {
            keys = layout.keys_from(self, short, true)?;
            keys.retain(|key| key.kind == PlaceKind::Station);
        }
        if keys.is_empty()
            && let Some(short) = without_area(name)
        {
            keys = layout.keys_from(self, short, true)?;
            keys.retain(|key| matches!(key.kind, PlaceKind::Town | PlaceKind::Quarter));
        }
        Ok(best(keys, false))
    }

    /// Finds the most specific known part of an address.
    fn part(&self, layout: &Layout, text: &str) -> Result<Option<Hit>, SourceError> {
        for part in address::parts(text) {
            let found = self.whole(layout, &part.name)?;
            let by = if part.is_all { Match::Part } else { Match::Around };
            let found = self.records(layout, found, address::SAME_NAME_MAX, by)?;
            if let Some(hit) = address::first_matching(found, &part, self.area) {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    fn records(
        &self,
        layout: &Layout,
        keys: Vec<Key>,
        most: usize,
        by: Match,
    ) -> Result<Vec<Hit>, SourceError> {
        let record = |key: Key| Ok(Hit { place: layout.record(self, key.place)?, by });
        keys.into_iter().take(most).map(record).collect()
    }

    fn layout(&self) -> Result<Option<Layout>, SourceError> {
        if self.length == 0 { Ok(None) } else { Layout::read(self).map(Some) }
    }

    /// Reads exactly `length` bytes of the index from `at`.
    fn bytes(&self, at: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        let end = at.checked_add(u64::from(length));
        if end.is_none_or(|end| end > self.length) {
            return Err(damaged("a table reaches beyond its end"));
        }
        let offset = self.offset.checked_add(at).ok_or_else(|| damaged("it lies nowhere"))?;
        let bytes = self.source.read(offset, length)?;
        if bytes.len() == length as usize { Ok(bytes) } else { Err(damaged("it is cut off")) }
    }
}

/// Returns the error for a damaged file.
fn damaged(what: &str) -> SourceError {
    SourceError(format!("the map's index of names is damaged: {what}"))
}

/// An entry of the table of names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    /// The folded name.
    name: String,
    /// Number of its place.
    place: u32,
    /// Whether it is the name itself, not an alias or the name without its ending.
    own: bool,
    kind: PlaceKind,
    weight: u8,
}

impl Key {
    /// Returns the rank; smaller ones come first. A whole name prefers towns to stations, a name without its suffix
    /// prefers stations: 品川 is 品川駅 before 品川区.
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
        // 羽田 means the airport, although a junction has exactly that name.
        let is_own = self.own && kind < 6;
        (!is_own, kind, 255 - self.weight, self.place)
    }
}

/// Returns each place once, best first. Among beginnings, larger places come first.
fn best(mut keys: Vec<Key>, are_beginnings: bool) -> Vec<Key> {
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
fn kind_of(number: u8) -> Option<PlaceKind> {
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

/// Returns the edit distance with swaps of neighbours; none above `most`.
fn other_letters(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, one) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, two) in b.iter().enumerate() {
            let swapped = i > 0 && j > 0 && a[i - 1] == *two && b[j - 1] == *one && one != two;
            let mut least = (row[j] + usize::from(one != two)).min(row[j + 1] + 1).min(next[j] + 1);
            if swapped {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|it| *it <= most)
}
