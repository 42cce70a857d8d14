//! A hall as plain data: its rows and aisles, the picked seats, and the cursor.

use std::collections::{BTreeMap, BTreeSet};

use output::cinema::{Broken, Price, PriceList, Reservation, Seat, SeatKind, SeatMap, SeatRules};

/// Maximum number of seats in one reservation (CIN-44) if the cinema gives none.
const SEATS_MAX: usize = 10;
/// Maximum number of seats drawn: more than the bundled cinema's catalogue allows, 26 rows of 80. Omitted seats are
/// mentioned.
const HALL_MAX: usize = 4_000;
/// A hall of more seats is drawn as few shapes instead of a button per seat.
const LARGE: usize = 400;
/// Columns beyond this are not drawn: they are errors in the data.
const COLUMNS_MAX: u32 = 80;

/// The seats by row, nearest to the screen first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hall {
    pub(crate) rows: Vec<Row>,
    /// Number of places in the widest row, including aisles.
    pub(crate) columns: u32,
    /// Number of seats not drawn.
    pub(crate) left_out: usize,
    /// Maximum number of seats of one reservation.
    pub(crate) seats_max: usize,
    /// Prices, if the cinema gives them.
    pub(crate) prices: Option<PriceList>,
    /// Rules for the choice of seats.
    pub(crate) rules: SeatRules,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) places: Vec<Place>,
}

/// A seat and its column, counted from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub(crate) seat: Seat,
    pub(crate) column: u32,
}

impl Hall {
    /// Sorts the seats into rows. A number missing between two columns is an aisle.
    pub(crate) fn new(map: &SeatMap) -> Self {
        let mut rows: BTreeMap<(usize, String), Vec<Place>> = BTreeMap::new();
        for seat in map.seats.iter().take(HALL_MAX) {
            let column = seat.column.unwrap_or(seat.number).clamp(1, COLUMNS_MAX);
            // Z comes before AA, as in a hall.
            let key = (seat.row.len(), seat.row.clone());
            rows.entry(key).or_default().push(Place { seat: seat.clone(), column });
        }
        let mut columns = 0;
        let rows = rows.into_iter().map(|((_, name), mut places)| {
            places.sort_by_key(|it| (it.column, it.seat.number));
            columns = columns.max(places.last().map_or(0, |it| it.column));
            Row { name, places }
        });
        let rows = rows.collect();
        let left_out = map.seats.len().saturating_sub(HALL_MAX);
        let seats_max = map.seats_max.and_then(|it| usize::try_from(it).ok());
        Self {
            rows,
            columns,
            left_out,
            seats_max: seats_max.unwrap_or(SEATS_MAX),
            prices: map.prices.clone(),
            rules: map.rules.unwrap_or_default(),
        }
    }

    /// Marks the reserved seats that are the reader's.
    pub(crate) fn mark_own(&mut self, reservations: &[Reservation]) {
        let own: BTreeSet<&str> =
            reservations.iter().flat_map(|it| &it.seats).map(|it| it.seat_id.as_str()).collect();
        for place in self.rows.iter_mut().flat_map(|it| &mut it.places) {
            let seat = &mut place.seat;
            seat.is_mine |= seat.is_reserved && own.contains(seat.seat_id.as_str());
        }
    }

    /// The price of a kind of seat.
    pub(crate) fn price(&self, kind: SeatKind) -> Option<Price> {
        self.prices.as_ref().map(|it| it.of(kind))
    }

    /// The total price of the picked seats.
    pub(crate) fn total(&self, picks: &Picks) -> Option<Price> {
        let prices = self.prices.as_ref()?;
        let picked = self.places().filter(|it| picks.has(&it.seat.seat_id));
        let amount = picked.map(|it| prices.of(it.seat.kind).amount).sum();
        Some(Price { currency: prices.currency.clone(), amount })
    }

    /// The rules violated by the choice, which the cinema will report, too.
    pub(crate) fn broken(&self, picks: &Picks) -> Vec<Broken> {
        let of_rows =
            self.rows.iter().filter(|row| row.places.iter().any(|it| picks.has(&it.seat.seat_id)));
        let seats: Vec<_> =
            of_rows.flat_map(|row| row.places.iter().map(|it| it.seat.clone())).collect();
        self.rules.broken(&seats, &picks.ids(self))
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.rows.iter().flat_map(|row| &row.places)
    }

    pub(crate) fn seat(&self, id: &str) -> Option<&Seat> {
        self.places().map(|it| &it.seat).find(|it| it.seat_id == id)
    }

    /// The other seat of a pair.
    pub(crate) fn other_half(&self, seat: &Seat) -> Option<&Seat> {
        let other = seat.pair_with.as_deref().filter(|_| self.rules.pairs_together)?;
        self.seat(other)
    }

    /// Number of free seats, and of all.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let free = self.places().filter(|it| is_free(&it.seat)).count();
        (free, self.places().count())
    }

    /// Whether it has too many seats for an element each.
    pub(crate) fn is_large(&self) -> bool {
        self.rows.iter().map(|it| it.places.len()).sum::<usize>() > LARGE
    }

    /// Finds a place by its row, counted from 0, and column, counted from 1.
    pub(crate) fn find(&self, row: usize, column: u32) -> Option<Cursor> {
        let places = &self.rows.get(row)?.places;
        let place = places.iter().position(|it| it.column == column)?;
        Some(Cursor { row, place })
    }

    /// The first wheelchair place: a free one, if any.
    pub(crate) fn wheelchair(&self) -> Option<Cursor> {
        let find = |is_asked: fn(&Seat) -> bool| {
            self.rows.iter().enumerate().find_map(|(row, line)| {
                let place = line.places.iter().position(|it| is_asked(&it.seat))?;
                Some(Cursor { row, place })
            })
        };
        find(|it| it.kind == SeatKind::Wheelchair && is_free(it))
            .or_else(|| find(|it| it.kind == SeatKind::Wheelchair))
    }

    /// The initial cursor: the first free seat, or the first of all.
    pub(crate) fn first(&self) -> Cursor {
        let free = self.rows.iter().enumerate().find_map(|(row, line)| {
            let place = line.places.iter().position(|it| is_free(&it.seat))?;
            Some(Cursor { row, place })
        });
        free.unwrap_or_default()
    }

    pub(crate) fn at(&self, cursor: Cursor) -> Option<&Place> {
        self.rows.get(cursor.row)?.places.get(cursor.place)
    }

    /// The cursor after a step; unchanged at an edge.
    pub(crate) fn step(&self, from: Cursor, step: Step) -> Cursor {
        let Some(row) = self.rows.get(from.row) else { return self.first() };
        let last =
            |row: usize| self.rows.get(row).map_or(0, |it| it.places.len().saturating_sub(1));
        let bottom = self.rows.len().saturating_sub(1);
        let to_row =
            |to: usize| self.nearest(to, row.places.get(from.place).map_or(1, |it| it.column));
        match step {
            Step::Left => Cursor { place: from.place.saturating_sub(1), ..from },
            Step::Right => Cursor { place: (from.place + 1).min(last(from.row)), ..from },
            Step::Up => to_row(from.row.saturating_sub(1)),
            Step::Down => to_row((from.row + 1).min(bottom)),
            Step::RowStart => Cursor { place: 0, ..from },
            Step::RowEnd => Cursor { place: last(from.row), ..from },
            Step::Top => to_row(0),
            Step::Bottom => to_row(bottom),
            Step::First => Cursor::default(),
            Step::Last => Cursor { row: bottom, place: last(bottom) },
        }
    }

    /// The place of a row nearest to a column.
    fn nearest(&self, row: usize, column: u32) -> Cursor {
        let places = self.rows.get(row).map(|it| it.places.as_slice()).unwrap_or_default();
        let distance = |it: &Place| it.column.abs_diff(column);
        let place = (0..places.len()).min_by_key(|it| distance(&places[*it])).unwrap_or_default();
        Cursor { row, place }
    }
}

/// The position of the keyboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) row: usize,
    pub(crate) place: usize,
}

/// A keyboard move of the ARIA grid pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Left,
    Right,
    Up,
    Down,
    RowStart,
    RowEnd,
    Top,
    Bottom,
    First,
    Last,
}

impl Step {
    /// The step of a key, if any.
    pub(crate) fn of_key(key: &str, control: bool) -> Option<Self> {
        Some(match (key, control) {
            ("ArrowLeft", false) => Self::Left,
            ("ArrowRight", false) => Self::Right,
            ("ArrowUp", false) => Self::Up,
            ("ArrowDown", false) => Self::Down,
            ("Home", false) => Self::RowStart,
            ("End", false) => Self::RowEnd,
            ("PageUp", false) => Self::Top,
            ("PageDown", false) => Self::Bottom,
            ("Home", true) => Self::First,
            ("End", true) => Self::Last,
            _ => return None,
        })
    }
}

/// The seats picked by the reader, those lost to other users, and those offered to the reader by the waiting list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picks {
    picked: BTreeSet<String>,
    lost: BTreeSet<String>,
    offered: BTreeSet<String>,
}

/// Result of picking a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Picked {
    Yes,
    Undone,
    Taken,
    /// Another user holds it.
    Held,
    TooMany,
}

/// Whether another user holds the seat.
pub(crate) fn is_held(seat: &Seat) -> bool {
    seat.is_held && !seat.is_mine
}

/// Whether the reader can pick it.
fn is_free(seat: &Seat) -> bool {
    !seat.is_reserved && !is_held(seat)
}

impl Picks {
    /// Picks or unpicks a seat; up to `max` in all.
    pub(crate) fn toggle(&mut self, seat: &Seat, max: usize) -> Picked {
        if self.picked.remove(&seat.seat_id) {
            return Picked::Undone;
        }
        if seat.is_reserved || self.lost.contains(&seat.seat_id) {
            return Picked::Taken;
        }
        if is_held(seat) {
            return Picked::Held;
        }
        if self.picked.len() >= max {
            return Picked::TooMany;
        }
        self.picked.insert(seat.seat_id.clone());
        Picked::Yes
    }

    /// Picks those of these seats that are free, for example after a reload.
    pub(crate) fn restore(&mut self, hall: &Hall, ids: &[String]) {
        for id in ids {
            if let Some(seat) = hall.seat(id).filter(|it| !self.has(&it.seat_id)) {
                self.toggle(seat, hall.seats_max);
            }
        }
    }

    /// Picks these seats instead, though they are held: for the reader.
    pub(crate) fn take(&mut self, hall: &Hall, ids: &[String]) {
        let known = ids.iter().filter(|it| hall.seat(it).is_some());
        *self = Self { picked: known.cloned().collect(), ..Self::default() };
    }

    /// Marks the offered seats. Returns whether they are others than before.
    pub(crate) fn offer(&mut self, ids: impl Iterator<Item = String>) -> bool {
        let offered = ids.collect();
        std::mem::replace(&mut self.offered, offered) != self.offered
    }

    /// Marks seats lost to another user. Returns those that were picked.
    pub(crate) fn lose(&mut self, ids: &[String]) -> Vec<String> {
        let lost: Vec<String> = ids.iter().filter(|it| self.picked.remove(*it)).cloned().collect();
        self.lost.extend(ids.iter().cloned());
        lost
    }

    /// Updates the picks for the current hall: taken seats are lost, freed ones are no longer lost, unknown ones are
    /// dropped. Returns the newly lost ones.
    pub(crate) fn refresh(&mut self, hall: &Hall) -> Vec<String> {
        let is_taken = |id: &String| hall.seat(id).is_none_or(|it| !is_free(it));
        let taken: Vec<String> = self.picked.iter().filter(|it| is_taken(it)).cloned().collect();
        self.lost.retain(is_taken);
        self.lose(&taken)
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.picked.contains(id)
    }

    pub(crate) fn has_lost(&self, id: &str) -> bool {
        self.lost.contains(id)
    }

    pub(crate) fn has_offered(&self, id: &str) -> bool {
        self.offered.contains(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.picked.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.picked.is_empty()
    }

    /// Whether a seat is picked that was not picked `before`.
    pub(crate) fn has_more_than(&self, before: &Self) -> bool {
        !self.picked.is_subset(&before.picked)
    }

    /// Where the seats are that are picked and were not picked `before`, in the order of the hall.
    pub(crate) fn added(&self, before: &Self, hall: &Hall) -> Vec<Cursor> {
        let is_new = |id: &String| self.picked.contains(id) && !before.picked.contains(id);
        let rows = hall.rows.iter().enumerate();
        let cursors = rows.flat_map(|(row, line)| {
            let places = line.places.iter().enumerate();
            let new = places.filter(|it| is_new(&it.1.seat.seat_id));
            new.map(move |(place, _)| Cursor { row, place })
        });
        cursors.collect()
    }

    /// The picked ids in the order of the hall.
    pub(crate) fn ids(&self, hall: &Hall) -> Vec<String> {
        let places = hall.places().map(|it| &it.seat.seat_id);
        places.filter(|it| self.picked.contains(*it)).cloned().collect()
    }
}

#[cfg(test)]
#[path = "hall_tests.rs"]
mod tests;
