//! The layout of the index's tables, and how they are read and written.

use std::collections::BTreeSet;

use super::{Key, Places, damaged, kind_of};
use crate::{
    file::{Source, SourceError},
    names::{folded, without_area, without_station},
    network::{Place, PlaceKind, Point, Text},
};

/// First bytes of an index.
pub(super) const MAGIC: [u8; 4] = *b"PLC1";
/// Size of the header, in bytes.
const HEADER: u32 = 20;
/// Size of a block of names, in bytes.
const BLOCK: u32 = 4096;
/// Maximum size of a folded name, in bytes; longer ones are cut.
const KEY_MAX: usize = 90;
/// Height of a band in units: about 2 km.
const BAND: i32 = 200_000;
/// Size of a position, in bytes.
const POSITION: u64 = 8;
/// Number of positions read at once.
const POSITIONS_AT_ONCE: u32 = 256;
/// Maximum number of blocks read per search by name.
const WALK_MAX: u32 = 24;
/// Maximum number of blocks read per search for similar names.
const CLOSE_WALK_MAX: u32 = 256;
/// Maximum number of bands searched for the nearest place: 50 km each way.
const BANDS_MAX: i32 = 50;
/// Maximum size of a record, in bytes.
const RECORD_MAX: u32 = 1 << 17;

/// The offsets of the tables.
#[derive(Debug)]
pub(super) struct Layout {
    places: u32,
    blocks: u32,
    first_band: i32,
    bands: u32,
}

impl Layout {
    pub(super) fn read<S: Source>(index: &Places<'_, S>) -> Result<Self, SourceError> {
        let header = index.bytes(0, HEADER)?;
        let mut rest = header.as_slice();
        if take::<4>(&mut rest)? != MAGIC {
            return Err(damaged("it does not begin as one"));
        }
        let places = u32::from_le_bytes(take(&mut rest)?);
        let blocks = u32::from_le_bytes(take(&mut rest)?);
        let first_band = i32::from_le_bytes(take(&mut rest)?);
        let bands = u32::from_le_bytes(take(&mut rest)?);
        let layout = Self { places, blocks, first_band, bands };
        if layout.records_at() > index.length
            || first_band.unsigned_abs() > 10_000
            || bands > 20_000
        {
            return Err(damaged("its tables are larger than it is"));
        }
        Ok(layout)
    }

    fn bands_at(&self) -> u64 {
        u64::from(HEADER)
    }

    fn positions_at(&self) -> u64 {
        self.bands_at() + 4 * (u64::from(self.bands) + 1)
    }

    fn starts_at(&self) -> u64 {
        self.positions_at() + POSITION * u64::from(self.places)
    }

    fn blocks_at(&self) -> u64 {
        self.starts_at() + 4 * (u64::from(self.places) + 1)
    }

    fn records_at(&self) -> u64 {
        self.blocks_at() + u64::from(BLOCK) * u64::from(self.blocks)
    }

    /// Reads two adjacent numbers of a table of offsets.
    fn pair<S: Source>(&self, index: &Places<'_, S>, at: u64) -> Result<(u32, u32), SourceError> {
        let bytes = index.bytes(at, 8)?;
        let mut rest = bytes.as_slice();
        let (start, end) =
            (u32::from_le_bytes(take(&mut rest)?), u32::from_le_bytes(take(&mut rest)?));
        if start <= end { Ok((start, end)) } else { Err(damaged("a table is out of order")) }
    }

    /// Reads the place with this number.
    pub(super) fn record<S: Source>(
        &self,
        index: &Places<'_, S>,
        place: u32,
    ) -> Result<Place, SourceError> {
        if place >= self.places {
            return Err(damaged("a name is of no place"));
        }
        let (start, end) = self.pair(index, self.starts_at() + 4 * u64::from(place))?;
        if end - start > RECORD_MAX {
            return Err(damaged("a record is too large"));
        }
        read_record(&index.bytes(self.records_at() + u64::from(start), end - start)?)
    }

    /// Returns the entries whose name begins with `name`, or equals it if `exactly`.
    pub(super) fn keys_from<S: Source>(
        &self,
        index: &Places<'_, S>,
        name: &str,
        exactly: bool,
    ) -> Result<Vec<Key>, SourceError> {
        let fits = |it: &str, name: &str| if exactly { it == name } else { it.starts_with(name) };
        self.keys(index, name, WALK_MAX, fits)
    }

    /// Returns the entries that begin with `begin` and match `like`, within [`CLOSE_WALK_MAX`] blocks.
    pub(super) fn keys_like<S: Source>(
        &self,
        index: &Places<'_, S>,
        begin: &str,
        like: impl Fn(&str) -> bool,
    ) -> Result<Vec<Key>, SourceError> {
        self.keys(index, begin, CLOSE_WALK_MAX, |it, begin| it.starts_with(begin) && like(it))
    }

    fn keys<S: Source>(
        &self,
        index: &Places<'_, S>,
        name: &str,
        blocks_max: u32,
        fits: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<Key>, SourceError> {
        let name = cut(name);
        // Starts with the last block that begins before the name.
        let (mut low, mut high) = (0, self.blocks);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_name(index, middle)?.as_bytes() < name.as_bytes() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut found = Vec::new();
        let start = low.saturating_sub(1);
        for block in start..self.blocks.min(start.saturating_add(blocks_max)) {
            for key in self.block(index, block)? {
                if fits(&key.name, &name) {
                    found.push(key);
                } else if key.name > name && !key.name.starts_with(&name) {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }

    fn block_at(&self, block: u32) -> u64 {
        self.blocks_at() + u64::from(BLOCK) * u64::from(block)
    }

    fn first_name<S: Source>(
        &self,
        index: &Places<'_, S>,
        block: u32,
    ) -> Result<String, SourceError> {
        let bytes = index.bytes(self.block_at(block), 3 + KEY_MAX as u32)?;
        name(&mut &bytes[2..])
    }

    fn block<S: Source>(&self, index: &Places<'_, S>, block: u32) -> Result<Vec<Key>, SourceError> {
        let bytes = index.bytes(self.block_at(block), BLOCK)?;
        let mut rest = bytes.as_slice();
        let count = u16::from_le_bytes(take(&mut rest)?);
        let mut keys = Vec::new();
        for _ in 0..count {
            let name = name(&mut rest)?;
            let place = u32::from_le_bytes(take(&mut rest)?);
            let [own, number, weight] = take(&mut rest)?;
            let kind = kind_of(number).ok_or_else(|| damaged("a name is of no kind"))?;
            keys.push(Key { name, place, own: own == 1, kind, weight });
        }
        Ok(keys)
    }

    /// Returns the number of the place nearest to `at` within `metres_max`.
    pub(super) fn nearest<S: Source>(
        &self,
        index: &Places<'_, S>,
        at: Point,
        metres_max: f64,
    ) -> Result<Option<u32>, SourceError> {
        let mut best = None::<(f64, u32)>;
        let own = fixed(at.lat).div_euclid(BAND);
        for distance in 0..=BANDS_MAX {
            for band in [own - distance, own + distance] {
                let limit = best.map_or(metres_max, |(metres, _)| metres);
                let low = f64::from(band) * degrees(BAND);
                let gap = (low - at.lat).max(at.lat - low - degrees(BAND)).max(0.0);
                if gap * METRES_PER_DEGREE <= limit {
                    self.nearest_in(index, band, at, limit, &mut best)?;
                }
            }
        }
        Ok(best.map(|(_, place)| place))
    }

    /// Searches one band between the meridians that are near enough.
    fn nearest_in<S: Source>(
        &self,
        index: &Places<'_, S>,
        band: i32,
        at: Point,
        limit: f64,
        best: &mut Option<(f64, u32)>,
    ) -> Result<(), SourceError> {
        let number = i64::from(band) - i64::from(self.first_band);
        let Some(number) = u32::try_from(number).ok().filter(|it| *it < self.bands) else {
            return Ok(());
        };
        let (start, end) = self.pair(index, self.bands_at() + 4 * u64::from(number))?;
        if end > self.places {
            return Err(damaged("a band has places that are not there"));
        }
        let width = limit / (METRES_PER_DEGREE * at.lat.to_radians().cos().max(0.01));
        let (mut low, mut high) = (start, end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.positions(index, middle, 1)?[0].lng < at.lng - width {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        while low < end {
            let count = (end - low).min(POSITIONS_AT_ONCE);
            for (place, position) in (low..).zip(self.positions(index, low, count)?) {
                if position.lng > at.lng + width {
                    return Ok(());
                }
                let metres = at.metres_to(position);
                if metres <= best.map_or(limit, |(metres, _)| metres) {
                    *best = Some((metres, place));
                }
            }
            low += count;
        }
        Ok(())
    }

    fn positions<S: Source>(
        &self,
        index: &Places<'_, S>,
        from: u32,
        count: u32,
    ) -> Result<Vec<Point>, SourceError> {
        let at = self.positions_at() + POSITION * u64::from(from);
        let bytes = index.bytes(at, count * POSITION as u32)?;
        let mut rest = bytes.as_slice();
        let mut point = || {
            let lat = degrees(i32::from_le_bytes(take(&mut rest)?));
            Ok(Point { lat, lng: degrees(i32::from_le_bytes(take(&mut rest)?)) })
        };
        (0..count).map(|_| point()).collect()
    }
}

/// Metres per degree of latitude.
const METRES_PER_DEGREE: f64 = 111_194.9;

/// Returns the name of an entry.
fn name(rest: &mut &[u8]) -> Result<String, SourceError> {
    let [length] = take(rest)?;
    let split = rest.split_at_checked(usize::from(length));
    let (head, tail) = split.ok_or_else(|| damaged("a name reaches beyond its block"))?;
    *rest = tail;
    String::from_utf8(head.to_vec()).map_err(|_| damaged("a name is no text"))
}

/// Returns the bytes of the index of these places, without those that are off the globe or have no name.
pub fn write(places: &[Place]) -> Vec<u8> {
    let has_name = |it: &&Place| it.at.is_on_globe() && !keys(it).is_empty();
    let mut places = places.iter().filter(has_name).collect::<Vec<_>>();
    if places.is_empty() {
        return Vec::new();
    }
    let order = |it: &&Place| (band(it), fixed(it.at.lng), fixed(it.at.lat), it.id.clone());
    places.sort_by_cached_key(order);
    let blocks = blocks(&places);
    let first = places.first().map_or(0, |it| band(it));
    let bands = places.last().map_or(0, |it| band(it) - first + 1);
    let mut out = Vec::new();
    out.extend(MAGIC);
    out.extend((places.len() as u32).to_le_bytes());
    out.extend((blocks.len() as u32).to_le_bytes());
    out.extend(first.to_le_bytes());
    out.extend((bands as u32).to_le_bytes());
    debug_assert_eq!(out.len(), HEADER as usize, "the header is as long as it is read");
    for number in first..=first + bands {
        let start = places.partition_point(|it| band(it) < number);
        out.extend((start as u32).to_le_bytes());
    }
    for place in &places {
        out.extend(fixed(place.at.lat).to_le_bytes());
        out.extend(fixed(place.at.lng).to_le_bytes());
    }
    let records = places.iter().map(|it| write_record(it)).collect::<Vec<_>>();
    let mut start = 0_u32;
    for record in &records {
        out.extend(start.to_le_bytes());
        start = start.saturating_add(record.len() as u32);
    }
    out.extend(start.to_le_bytes());
    out.extend(blocks.into_iter().flatten());
    out.extend(records.into_iter().flatten());
    out
}

/// Returns the band of latitude of a place.
fn band(place: &Place) -> i32 {
    fixed(place.at.lat).div_euclid(BAND)
}

/// Returns the sorted names in blocks of equal size.
fn blocks(places: &[&Place]) -> Vec<Vec<u8>> {
    let mut entries = Vec::new();
    for (index, place) in places.iter().enumerate() {
        for (name, own) in keys(place) {
            entries.push((name, !own, index as u32));
        }
    }
    entries.sort();
    let mut blocks = Vec::new();
    let (mut block, mut count) = (vec![0; 2], 0_u16);
    for (name, is_alias, index) in entries {
        let place = places[index as usize];
        let mut entry = vec![name.len() as u8];
        entry.extend(name.as_bytes());
        entry.extend(index.to_le_bytes());
        entry.extend([u8::from(!is_alias), place.kind as u8, place.weight]);
        if block.len() + entry.len() > BLOCK as usize {
            blocks.push(full(std::mem::replace(&mut block, vec![0; 2]), count));
            count = 0;
        }
        block.extend(entry);
        count += 1;
    }
    blocks.push(full(block, count));
    blocks
}

fn full(mut block: Vec<u8>, count: u16) -> Vec<u8> {
    block[..2].copy_from_slice(&count.to_le_bytes());
    block.resize(BLOCK as usize, 0);
    block
}

/// Returns the folded keys of a place, and whether each is its own name.
fn keys(place: &Place) -> Vec<(String, bool)> {
    let own = [&place.name.local, &place.name.en].map(|it| folded(it));
    let mut others = BTreeSet::new();
    for name in own.iter().cloned().chain(place.aliases.iter().map(|it| folded(it))) {
        let short = match place.kind {
            PlaceKind::Station => without_station(&name),
            PlaceKind::Town | PlaceKind::Quarter => without_area(&name),
            _ => None,
        };
        others.extend(short.map(str::to_owned));
        others.insert(name);
    }
    let own = own.into_iter().collect::<BTreeSet<_>>();
    let others = others.difference(&own).map(|it| (cut(it), false)).collect::<Vec<_>>();
    let all = own.iter().map(|it| (cut(it), true)).chain(others);
    all.filter(|(name, _)| !name.is_empty()).collect()
}

/// Cuts a name to the maximum length of an entry.
pub(super) fn cut(name: &str) -> String {
    let mut length = name.len().min(KEY_MAX);
    while !name.is_char_boundary(length) {
        length -= 1;
    }
    name[..length].to_owned()
}

/// Units per degree: about a centimetre.
const DEGREE: f64 = 1e7;
/// Maximum number of other names of a place.
const ALIASES_MAX: usize = 32;

/// Converts degrees to units.
fn fixed(degrees: f64) -> i32 {
    (degrees * DEGREE).round() as i32
}

/// Converts units to degrees.
pub(super) fn degrees(fixed: i32) -> f64 {
    f64::from(fixed) / DEGREE
}

/// The bytes of a place.
fn write_record(place: &Place) -> Vec<u8> {
    let mut out = vec![place.kind as u8, place.weight];
    out.extend(fixed(place.at.lat).to_le_bytes());
    out.extend(fixed(place.at.lng).to_le_bytes());
    let aliases = &place.aliases[..place.aliases.len().min(ALIASES_MAX)];
    out.push(aliases.len() as u8);
    let texts = [&place.id, &place.name.local, &place.name.en, &place.address.local];
    for text in texts.into_iter().chain([&place.address.en]).chain(aliases) {
        let mut length = text.len().min(usize::from(u16::MAX));
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        out.extend((length as u16).to_le_bytes());
        out.extend(&text.as_bytes()[..length]);
    }
    out
}

/// Parses a place.
fn read_record(bytes: &[u8]) -> Result<Place, SourceError> {
    let mut rest = bytes;
    let [number, weight] = take(&mut rest)?;
    let at = Point {
        lat: degrees(i32::from_le_bytes(take(&mut rest)?)),
        lng: degrees(i32::from_le_bytes(take(&mut rest)?)),
    };
    let kind = kind_of(number).ok_or_else(|| damaged("a place is of no kind"))?;
    let [aliases] = take(&mut rest)?;
    if !at.is_on_globe() || usize::from(aliases) > ALIASES_MAX {
        return Err(damaged("a place is nowhere"));
    }
    let id = text(&mut rest)?;
    let name = Text { local: text(&mut rest)?, en: text(&mut rest)? };
    let address = Text { local: text(&mut rest)?, en: text(&mut rest)? };
    let aliases = (0..aliases).map(|_| text(&mut rest)).collect::<Result<_, _>>()?;
    Ok(Place { id, name, aliases, address, kind, at, weight })
}

/// Takes the next bytes.
pub(super) fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], SourceError> {
    let (head, tail) =
        rest.split_first_chunk::<N>().ok_or_else(|| damaged("a record is cut off"))?;
    *rest = tail;
    Ok(*head)
}

fn text(rest: &mut &[u8]) -> Result<String, SourceError> {
    let length = usize::from(u16::from_le_bytes(take(rest)?));
    let (head, tail) = rest.split_at_checked(length).ok_or_else(|| damaged("a name is cut off"))?;
    *rest = tail;
    String::from_utf8(head.to_vec()).map_err(|_| damaged("a name is no text"))
}
