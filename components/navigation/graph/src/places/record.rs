//! A place as bytes.

use crate::{
    network::{Place, Point, Text},
    source::SourceError,
};

use super::{damaged, rank};

/// Degrees are written as whole numbers of this part of one: a centimetre.
const DEGREE: f64 = 1e7;
/// Other names of one place at most.
const ALIASES_MAX: usize = 32;

/// Degrees as they are written.
pub(super) fn fixed(degrees: f64) -> i32 {
    (degrees * DEGREE).round() as i32
}

/// Degrees as they were.
pub(super) fn degrees(fixed: i32) -> f64 {
    f64::from(fixed) / DEGREE
}

/// The bytes of a place.
pub(super) fn write(place: &Place) -> Vec<u8> {
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

/// The place of these bytes.
pub(super) fn read(bytes: &[u8]) -> Result<Place, SourceError> {
    let mut rest = bytes;
    let [number, weight] = take(&mut rest)?;
    let at = Point {
        lat: degrees(i32::from_le_bytes(take(&mut rest)?)),
        lng: degrees(i32::from_le_bytes(take(&mut rest)?)),
    };
    let kind = rank::kind(number).ok_or_else(|| damaged("a place is of no kind"))?;
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

/// The next few bytes.
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
