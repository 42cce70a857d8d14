//! Writes the index and places as bytes.

use std::collections::BTreeSet;

use super::{
    damaged, kind_of,
    layout::{BAND, BLOCK, HEADER, KEY_MAX, MAGIC},
};
use crate::{
    file::SourceError,
    names::{folded, without_area, without_station},
    network::{Place, PlaceKind, Point, Text},
};

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
pub(super) fn fixed(degrees: f64) -> i32 {
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
pub(super) fn read_record(bytes: &[u8]) -> Result<Place, SourceError> {
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
