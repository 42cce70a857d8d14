//! Which seats are best: together, central, about two thirds back, and leaving no seat alone.
//!
//! The same hall gives the same seats each time: what is equal is decided by row and column.

mod split;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use output::cinema::{Seat, SeatKind, SeatRules};

/// What the way from the middle to a side wall weighs, where the way from the screen to the back is 1,000.
const SIDE: i64 = 500;

/// The seats for a party: one part where they are together.
#[derive(Debug, PartialEq, Eq)]
pub struct Suggestion<'a> {
    /// Seats side by side, the front row first.
    pub parts: Vec<Vec<&'a Seat>>,
}

/// The best `count` of `seats`, which are all seats of a hall in their order; none where too few are free.
///
/// Wheelchair places and the seats beside them are for those who ask for some: then at least so many places are
/// among the seats, with a companion's seat where there is one. Pairs come last. What `rules` refuse is not suggested.
pub fn suggest(
    seats: &[Seat],
    count: usize,
    wheelchairs: usize,
    rules: SeatRules,
) -> Option<Suggestion<'_>> {
    let hall = Hall { rules, ..Hall::of(seats) };
    let wanted = |it: &Seat| wheelchairs > 0 || !is_beside_or_place(it);
    let runs = hall.runs(wanted);
    let together = runs.iter().flat_map(|it| it.blocks(count));
    let mut together: Vec<_> = together.filter(|it| it.places() >= wheelchairs).collect();
    together.sort_by_cached_key(|block| {
        let company = Reverse(block.count(SeatKind::Companion).min(1));
        let (places, pairs) = (block.places(), block.count(SeatKind::Pair));
        (places, company, pairs, block.gaps, hall.cost(block), block.row, block.first())
    });
    let keeps = |it: &Block<'_, '_>| hall.keeps(std::slice::from_ref(it));
    let best = together.into_iter().find(keeps);
    let without_pairs = hall.runs(|it| wanted(it) && it.kind != SeatKind::Pair);
    let parts = best.map(|it| vec![it]);
    let parts = parts.or_else(|| split::split(&hall, &without_pairs, count, wheelchairs));
    let parts = parts.or_else(|| split::split(&hall, &runs, count, wheelchairs))?;
    Some(Suggestion { parts: parts.into_iter().map(|it| it.seats.to_vec()).collect() })
}

fn is_beside_or_place(seat: &Seat) -> bool {
    matches!(seat.kind, SeatKind::Wheelchair | SeatKind::Companion)
}

fn is_place(seat: &Seat) -> bool {
    seat.kind == SeatKind::Wheelchair
}

/// Where in its row a seat stands.
fn column(seat: &Seat) -> i64 {
    seat.column.unwrap_or(seat.number).into()
}

/// A hall and its measures.
struct Hall<'a> {
    seats: &'a [Seat],
    rules: SeatRules,
    rows: Vec<&'a [Seat]>,
    left: i64,
    right: i64,
}

/// Free seats side by side, as many as there are.
struct Run<'a> {
    row: i64,
    seats: Vec<&'a Seat>,
}

/// Some seats of a run.
#[derive(Clone, Debug)]
struct Block<'r, 'a> {
    row: i64,
    seats: &'r [&'a Seat],
    /// Seats of the run that would be left alone.
    gaps: u8,
}

impl<'a> Hall<'a> {
    fn of(seats: &'a [Seat]) -> Self {
        let columns = || seats.iter().map(column);
        let (left, right) = (columns().min().unwrap_or(0), columns().max().unwrap_or(0));
        let rows = seats.chunk_by(|one, next| one.row == next.row).collect();
        Self { seats, rules: SeatRules::default(), rows, left, right }
    }

    /// Whether the choice of these parts keeps to the rules.
    fn keeps(&self, parts: &[Block<'_, '_>]) -> bool {
        if self.rules == SeatRules::default() {
            return true;
        }
        let picked = parts.iter().flat_map(|it| it.seats).map(|it| it.seat_id.clone());
        self.rules.broken(self.seats, &picked.collect::<Vec<_>>()).is_empty()
    }

    /// The free seats that are wanted.
    fn runs(&self, wanted: impl Fn(&Seat) -> bool) -> Vec<Run<'a>> {
        let mut runs = Vec::new();
        for (row, seats) in (0_i64..).zip(&self.rows) {
            let free: Vec<_> = seats.iter().filter(|it| it.is_available() && wanted(it)).collect();
            let together = free.chunk_by(|one, next| column(one) + 1 == column(next));
            runs.extend(together.map(|it| Run { row, seats: it.to_vec() }));
        }
        runs
    }

    /// How far from the best place of the hall the seats are, each on the average.
    fn cost(&self, block: &Block<'_, '_>) -> i64 {
        let depth = i64::try_from(self.rows.len()).unwrap_or(i64::MAX).saturating_sub(1).max(1);
        let back = (3 * block.row - 2 * depth).abs() * 1_000 / (3 * depth);
        let (width, middle) = ((self.right - self.left).max(1), self.left + self.right);
        let side = |it: &&Seat| (2 * column(it) - middle).abs() * SIDE / width;
        let square = |it: i64| it * it;
        let cost = |it| square(back) + square(side(it));
        let count = i64::try_from(block.seats.len()).unwrap_or(i64::MAX).max(1);
        block.seats.iter().map(cost).sum::<i64>() / count
    }
}

impl<'a> Run<'a> {
    /// Every choice of so many seats side by side.
    fn blocks<'r>(&'r self, count: usize) -> impl Iterator<Item = Block<'r, 'a>> + use<'r, 'a> {
        let windows = self.seats.windows(count.max(1)).enumerate();
        windows.map(move |(before, seats)| {
            let behind = self.seats.len() - before - seats.len();
            let gaps = u8::from(before == 1) + u8::from(behind == 1);
            Block { row: self.row, seats, gaps }
        })
    }
}

impl Block<'_, '_> {
    fn places(&self) -> usize {
        self.count(SeatKind::Wheelchair)
    }

    fn count(&self, kind: SeatKind) -> usize {
        self.seats.iter().filter(|it| it.kind == kind).count()
    }

    fn first(&self) -> i64 {
        self.seats.first().map_or(0, |it| column(it))
    }

    /// Twice the column of its middle.
    fn middle(&self) -> i64 {
        self.first() + self.seats.last().map_or(0, |it| column(it))
    }
}

impl Suggestion<'_> {
    /// Where the seats are, in a sentence: in Japanese, and in English.
    pub fn sentences(&self) -> (String, String) {
        let count: usize = self.parts.iter().map(Vec::len).sum();
        let names = |to: &str| -> Vec<_> { self.parts.iter().map(|it| named(it, to)).collect() };
        let (ja, en) = (names("〜"), names("–"));
        let (mut ja, mut en) = match (self.parts.as_slice(), count) {
            ([_], 1) => (format!("{}が空いています。", ja[0]), format!("{} is free.", en[0])),
            ([_], _) => (
                format!("{}の{count}席が並びで空いています。", ja[0]),
                format!("{}: {count} seats are free side by side.", en[0]),
            ),
            _ => (
                format!("{count}席の並びは空いていないため、近くの{}に分かれます。", ja.join("、")),
                format!(
                    "No {count} seats are free side by side; these are near each other: {}.",
                    en.join(", ")
                ),
            ),
        };
        if count == 1 {
            return (ja, en);
        }
        // Which of them are what was asked for.
        let kinds = [
            (SeatKind::Wheelchair, "車椅子スペース", "Wheelchair places"),
            (SeatKind::Companion, "同伴者席", "Companions' seats"),
        ];
        let are = kinds.into_iter().filter_map(|(kind, name, name_en)| {
            let seats = self.parts.iter().flatten().filter(|it| it.kind == kind);
            let seats: Vec<_> = seats.map(|it| it.seat_id.as_str()).collect();
            (!seats.is_empty()).then_some((name, name_en, seats))
        });
        for (name, name_en, seats) in are {
            ja += &format!("{name}: {}。", seats.join("、"));
            en += &format!(" {name_en}: {}.", seats.join(", "));
        }
        (ja, en)
    }
}

/// The seats as a range, such as `F5〜F8`.
fn named(seats: &[&Seat], to: &str) -> String {
    match seats {
        [first, .., last] => format!("{}{to}{}", first.seat_id, last.seat_id),
        _ => seats.iter().map(|it| it.seat_id.as_str()).collect(),
    }
}
