//! The layout of the index's tables, and how to read them.

use super::{
    Key, Places, damaged, kind_of,
    write::{self, cut, degrees, fixed, take},
};
use crate::{
    file::{Source, SourceError},
    network::{Place, Point},
};

/// First bytes of an index.
pub(super) const MAGIC: [u8; 4] = *b"PLC1";
/// Size of the header, in bytes.
pub(super) const HEADER: u32 = 20;
/// Size of a block of names, in bytes.
pub(super) const BLOCK: u32 = 4096;
/// Maximum size of a folded name, in bytes; longer ones are cut.
pub(super) const KEY_MAX: usize = 90;
/// Height of a band in units: about 2 km.
pub(super) const BAND: i32 = 200_000;
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
        write::read_record(&index.bytes(self.records_at() + u64::from(start), end - start)?)
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
