//! The index of names, searched without reading the whole file.
//!
//! A header, then five tables: where each band of latitude begins among the places; each place's
//! position, by band and from west to east; where each place's record begins; the folded names, sorted,
//! in blocks of one size; the records.
//!
//! Splits addresses into parts; the most specific known part is the result.

mod layout;

use layout::Layout;

use crate::{
    file::{Source, SourceError},
    names::{folded, without_area, without_begun_station, without_station},
    network::{Place, PlaceKind, Point},
};

pub use layout::write;

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
        for part in parts(text) {
            let found = self.whole(layout, &part.name)?;
            let by = if part.is_all { Match::Part } else { Match::Around };
            let found = self.records(layout, found, SAME_NAME_MAX, by)?;
            if let Some(hit) = first_matching(found, &part, self.area) {
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

/// Maximum number of places of one name compared with the rest of the address.
const SAME_NAME_MAX: usize = 64;
/// Maximum number of parts of an address.
const PARTS_MAX: usize = 32;
/// Maximum number of words of an address without commas.
const WORDS_MAX: usize = 8;
/// Minimum number of characters of a part.
const CHARS_MIN: usize = 2;

/// Last characters of the larger parts of a Japanese address.
const BOUNDS: [char; 8] = ['都', '道', '府', '県', '市', '区', '町', '村'];

/// A part of an address, to be looked up.
#[derive(Debug)]
struct Part {
    /// The part's name, folded.
    name: String,
    /// The area in the address, folded: 大阪市の北区 is not the one of Tokyo.
    within: Within,
    /// Whether it is the most specific part.
    is_all: bool,
}

#[derive(Debug)]
enum Within {
    /// Each of them is in the place's address in the local language.
    Local(Vec<String>),
    /// It is in the place's address in either language, or is the area of all places.
    Area(Option<String>),
    /// It must be in the place's address, because no comma marks it as an area.
    Surely(String),
}

/// Returns the parts to look up, most specific first.
fn parts(text: &str) -> Vec<Part> {
    let text = text.chars().take(crate::names::CHARS_MAX).collect::<String>();
    let words: Vec<&str> = text.split([',', '、', '，', '\n']).collect();
    // `Marunouchi, Chiyoda City, Tokyo`: from the left; a number alone is no place.
    let is_place = |part: &&str| {
        let text = folded(part);
        text.chars().any(char::is_alphabetic) && !is_country(&text)
    };
    let words: Vec<&str> = words.into_iter().filter(is_place).collect();
    let mut parts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (name, first) = (folded(word), parts.len());
        let area = area_of(&words[at + 1..]);
        parts.extend(entrance(&name));
        parts.extend(japanese_parts(&name));
        let ways = [Some((*word).to_owned()), swap_number(word), without_number(word)];
        for (index, name) in ways.into_iter().enumerate().filter_map(|(at, it)| Some((at, it?))) {
            // The whole text has been looked up already.
            if words.len() > 1 || index > 0 {
                let within = Within::Area(area.clone());
                parts.push(Part { name: folded(&name), within, is_all: index < 2 });
            }
        }
        if words.len() == 1 {
            parts.extend(space_separated_parts(word));
        }
        if at > 0 {
            parts[first..].iter_mut().for_each(|it| it.is_all = false);
        }
    }
    parts.truncate(PARTS_MAX);
    parts
}

/// Returns the first area in the rest of an address, folded and without a postcode.
fn area_of(rest: &[&str]) -> Option<String> {
    let plain = |it: &&str| !it.chars().any(|c| c.is_ascii_digit());
    let first = rest.first().map(|it| it.split_whitespace().filter(plain).collect::<Vec<_>>());
    first.map(|it| folded(&it.join(" "))).filter(|it| !it.is_empty())
}

/// Returns `Landstrasse 10` for `10 Landstrasse`.
fn swap_number(word: &str) -> Option<String> {
    let (number, street) = word.trim().split_once(char::is_whitespace)?;
    let is_street = street.chars().any(char::is_alphabetic);
    (is_number(number) && is_street).then(|| format!("{street} {number}"))
}

/// Returns `Landstrasse` for `Landstrasse 10` and `10 Landstrasse`.
fn without_number(word: &str) -> Option<String> {
    let word = word.trim();
    let (first, last) =
        (word.split_once(char::is_whitespace), word.rsplit_once(char::is_whitespace));
    let street = match (first, last) {
        (_, Some((street, number))) if is_number(number) => street,
        (Some((number, street)), _) if is_number(number) => street,
        _ => return None,
    };
    street.chars().any(char::is_alphabetic).then(|| street.to_owned())
}

/// Whether it is a house number: `10`, `10a`, `10-12`, `10/3`.
fn is_number(word: &str) -> bool {
    let digits = word.chars().take_while(char::is_ascii_digit).count();
    let rest = word.chars().skip(digits).count();
    (1..=5).contains(&digits) && rest <= 5
}

/// Splits `Vaduz Liechtenstein`, `Landstrasse 10 Schaan` or `Schaan Landstrasse 10` into a name and its area, the
/// longest name first.
fn space_separated_parts(text: &str) -> Vec<Part> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if !(2..=WORDS_MAX).contains(&words.len()) || !text.is_ascii() && text.chars().any(is_cjk) {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for length in (1..words.len()).rev() {
        let (begin, end) = (words.split_at(length), words.split_at(words.len() - length));
        for (name, rest) in [begin, (end.1, end.0)] {
            let name = name.join(" ");
            if !name.chars().any(char::is_alphabetic) || rest.iter().any(|it| is_number(it)) {
                continue;
            }
            let Some(area) = area_of(&[&rest.join(" ")]) else { continue };
            for (name, is_all) in [(Some(name.clone()), true), (without_number(&name), false)] {
                let within = Within::Surely(area.clone());
                parts.extend(name.map(|it| Part { name: folded(&it), within, is_all }));
            }
        }
    }
    parts
}

fn is_cjk(sign: char) -> bool {
    ('\u{3040}'..='\u{9fff}').contains(&sign)
}

/// Returns the station of 新宿駅西口 or `Shinjuku Station West Exit`.
fn entrance(word: &str) -> Option<Part> {
    let ends = ["駅", "station"].iter().filter_map(|it| Some(word.find(it)? + it.len()));
    let end = ends.min().filter(|it| *it < word.len())?;
    Some(Part { name: word[..end].to_owned(), within: Within::Local(Vec::new()), is_all: true })
}

fn is_country(folded: &str) -> bool {
    matches!(folded, "日本" | "japan")
}

/// Splits 東京都千代田区丸の内1丁目9番1号 into the beginnings of 丸の内1丁目, then 千代田区 and 東京都.
fn japanese_parts(word: &str) -> Vec<Part> {
    let name = word.strip_prefix("日本").unwrap_or(word);
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let ends = name.char_indices().filter(|(_, c)| BOUNDS.contains(c));
    let bounds = ends.map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
    let mut parts = Vec::new();
    // All beginnings of the text after a bound, longest first: 丸の内1丁目, …, 丸の内. A bound may be part of a name, as
    // in 町田, so the texts after the other bounds are tried too.
    for at in (0..bounds.len()).rev() {
        shortened(&name[bounds[at]..], &areas(name, &bounds[..=at]), &mut parts);
    }
    // The ward, the town, the prefecture: 横浜市西区, then 西区, then 横浜市.
    for (at, end) in bounds.iter().enumerate().rev() {
        for first in 0..=at {
            let start = if first == 0 { 0 } else { bounds[first - 1] };
            let within = Within::Local(areas(name, &bounds[..first]));
            let is_all = *end == name.len();
            parts.push(Part { name: name[start..*end].to_owned(), within, is_all });
        }
    }
    parts
}

/// 東京都千代田区: 東京都, 千代田区.
fn areas(name: &str, bounds: &[usize]) -> Vec<String> {
    let starts = std::iter::once(0).chain(bounds.iter().copied());
    starts.zip(bounds).map(|(start, end)| name[start..*end].to_owned()).collect()
}

/// Beginnings of a name, longest first.
fn shortened(name: &str, areas: &[String], parts: &mut Vec<Part>) {
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
    for end in ends.iter().skip(CHARS_MIN - 1).rev() {
        let is_all = *end == name.len();
        let name = name[..*end].to_owned();
        if name.chars().any(char::is_alphabetic) {
            parts.push(Part { name, within: Within::Local(areas.to_vec()), is_all });
        }
    }
}

/// Returns the first place that lies in the area of the address. Places without an address match any area, and unique
/// places such as stations need not match.
fn first_matching(found: Vec<Hit>, part: &Part, area: &str) -> Option<Hit> {
    let fits = |hit: &Hit| {
        let (place, address) = (&hit.place, &hit.place.address);
        match &part.within {
            Within::Local(areas) => {
                let whole = folded(&address.local) + &folded(&place.name.local);
                address.local.is_empty() || areas.iter().all(|it| whole.contains(it.as_str()))
            }
            Within::Area(None) => true,
            Within::Area(Some(it)) => {
                // 千代田区 and Chiyoda City cannot be compared.
                let is_alike = |text: &&String| {
                    !text.is_empty() && text.chars().any(is_cjk) == it.chars().any(is_cjk)
                };
                let is_unknown = ![&address.local, &address.en].iter().any(is_alike);
                is_unknown || lies_in(hit, it, area)
            }
            Within::Surely(it) => lies_in(hit, it, area),
        }
    };
    let is_one = |hit: &Hit| {
        use crate::network::PlaceKind::{Airport, Landmark, Station};
        matches!(part.within, Within::Area(_))
            && matches!(hit.place.kind, Station | Landmark | Airport)
    };
    let at = found.iter().position(fits).or_else(|| found.iter().position(is_one))?;
    found.into_iter().nth(at)
}

/// Whether a place's address contains this area, or all places lie there.
fn lies_in(hit: &Hit, within: &str, area: &str) -> bool {
    let address = &hit.place.address;
    [&address.local, &address.en].iter().any(|it| folded(it).contains(within))
        || area.lines().any(|it| folded(it) == within)
}

#[cfg(test)]
mod tests;
