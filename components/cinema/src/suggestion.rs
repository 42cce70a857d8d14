//! Suggests the best seats: together, central, about two thirds back, and without isolating a seat.
//!
//! The result is deterministic: ties are broken by row and column.

use std::cmp::Reverse;

use output::cinema::{PriceList, Seat, SeatKind, SeatRules};

/// Weight of the distance from the middle to a side wall; from the screen to the back it is 1,000.
const SIDE: i64 = 500;

/// Suggested seats for a party; one part if they are together.
#[derive(Debug, PartialEq, Eq)]
pub struct Suggestion<'a> {
    /// Adjacent seats, the front row first.
    pub parts: Vec<Vec<&'a Seat>>,
}

/// Returns the best `count` of `seats`, which are all seats of a hall in order; `None` if too few are free.
///
/// Wheelchair places and their companion seats are only suggested on request, with at least as many
/// places as requested. Seats of the `avoided` kind come late, pairs last. Choices that break the `rules`
/// are not suggested.
pub fn suggest(
    seats: &[Seat],
    count: usize,
    wheelchairs: usize,
    rules: SeatRules,
    avoided: Option<SeatKind>,
) -> Option<Suggestion<'_>> {
    let hall = Hall { rules, avoided, ..Hall::new(seats) };
    let wanted = |it: &Seat| wheelchairs > 0 || !is_beside_or_place(it);
    let runs = hall.runs(wanted);
    let together = runs.iter().flat_map(|it| it.blocks(count));
    let mut together: Vec<_> = together.filter(|it| it.places() >= wheelchairs).collect();
    together.sort_by_cached_key(|block| {
        let company = Reverse(block.count(SeatKind::Companion).min(1));
        let (places, pairs) = (block.places(), block.count(SeatKind::Pair));
        let avoided = hall.avoided(block);
        (places, company, pairs, avoided, block.gaps, hall.cost(block), block.row, block.first())
    });
    let keeps = |it: &Block<'_, '_>| hall.follows_rules(std::slice::from_ref(it));
    let best = together.into_iter().find(keeps);
    let is_plain = |it: &Seat| wanted(it) && it.kind != SeatKind::Pair;
    let of_kind = hall.runs(|it| is_plain(it) && Some(it.kind) != avoided);
    let without_pairs = hall.runs(is_plain);
    let parts = best.map(|it| vec![it]);
    let parts = parts.or_else(|| split(&hall, &of_kind, count, wheelchairs));
    let parts = parts.or_else(|| split(&hall, &without_pairs, count, wheelchairs));
    let parts = parts.or_else(|| split(&hall, &runs, count, wheelchairs))?;
    Some(Suggestion { parts: parts.into_iter().map(|it| it.seats.to_vec()).collect() })
}

/// The kind of seats to suggest late: ordinary ones for those who want premium, else premium ones that cost more.
pub fn avoided(wants_premium: bool, prices: Option<&PriceList>) -> Option<SeatKind> {
    let amount = |list: &PriceList, kind| list.of(kind).amount;
    let is_dearer = |it: &PriceList| amount(it, SeatKind::Premium) > amount(it, SeatKind::Standard);
    match wants_premium {
        true => Some(SeatKind::Standard),
        false => Some(SeatKind::Premium).filter(|_| prices.is_some_and(is_dearer)),
    }
}

fn is_beside_or_place(seat: &Seat) -> bool {
    matches!(seat.kind, SeatKind::Wheelchair | SeatKind::Companion)
}

fn is_place(seat: &Seat) -> bool {
    seat.kind == SeatKind::Wheelchair
}

/// Column of a seat.
fn column(seat: &Seat) -> i64 {
    seat.column.unwrap_or(seat.number).into()
}

/// A hall with its measures.
struct Hall<'a> {
    seats: &'a [Seat],
    rules: SeatRules,
    avoided: Option<SeatKind>,
    rows: Vec<&'a [Seat]>,
    left: i64,
    right: i64,
}

/// A maximal run of adjacent free seats.
struct Run<'a> {
    row: i64,
    seats: Vec<&'a Seat>,
}

/// Part of a run.
#[derive(Clone, Debug)]
struct Block<'r, 'a> {
    row: i64,
    seats: &'r [&'a Seat],
    /// Seats of the run that would be isolated.
    gaps: u8,
}

impl<'a> Hall<'a> {
    fn new(seats: &'a [Seat]) -> Self {
        let columns = || seats.iter().map(column);
        let (left, right) = (columns().min().unwrap_or(0), columns().max().unwrap_or(0));
        let rows = seats.chunk_by(|one, next| one.row == next.row).collect();
        Self { seats, rules: SeatRules::default(), avoided: None, rows, left, right }
    }

    /// Number of seats of the avoided kind.
    fn avoided(&self, block: &Block<'_, '_>) -> usize {
        self.avoided.map_or(0, |it| block.count(it))
    }

    /// Whether choosing these parts follows the rules.
    fn follows_rules(&self, parts: &[Block<'_, '_>]) -> bool {
        if self.rules == SeatRules::default() {
            return true;
        }
        let picked = parts.iter().flat_map(|it| it.seats).map(|it| it.seat_id.clone());
        self.rules.broken(self.seats, &picked.collect::<Vec<_>>()).is_empty()
    }

    /// Runs of the wanted free seats.
    fn runs(&self, wanted: impl Fn(&Seat) -> bool) -> Vec<Run<'a>> {
        let mut runs = Vec::new();
        for (row, seats) in (0_i64..).zip(&self.rows) {
            let free: Vec<_> = seats.iter().filter(|it| it.is_available() && wanted(it)).collect();
            let together = free.chunk_by(|one, next| column(one) + 1 == column(next));
            runs.extend(together.map(|it| Run { row, seats: it.to_vec() }));
        }
        runs
    }

    /// Average distance from the best place of the hall.
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
    /// All blocks of `count` adjacent seats.
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

    /// Twice the middle column.
    fn middle(&self) -> i64 {
        self.first() + self.seats.last().map_or(0, |it| column(it))
    }
}

impl Suggestion<'_> {
    /// Describes the seats, in Japanese and in English.
    pub fn sentences(&self) -> (String, String) {
        let count: usize = self.parts.iter().map(Vec::len).sum();
        let names =
            |to: &str| -> Vec<_> { self.parts.iter().map(|it| format_seats(it, to)).collect() };
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
        // Who asks for one wheelchair place knows what it is.
        let kinds = [
            (SeatKind::Premium, "プレミアム席", "Premium seats"),
            (SeatKind::Wheelchair, "車椅子スペース", "Wheelchair places"),
            (SeatKind::Companion, "同伴者席", "Companions' seats"),
        ];
        let kinds = &kinds[..if count == 1 { 1 } else { kinds.len() }];
        let are = kinds.iter().filter_map(|(kind, name, name_en)| {
            let seats = self.parts.iter().flatten().filter(|it| it.kind == *kind);
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

/// Formats seats as a range, such as `F5〜F8`.
fn format_seats(seats: &[&Seat], to: &str) -> String {
    match seats {
        [first, .., last] => format!("{}{to}{}", first.seat_id, last.seat_id),
        _ => seats.iter().map(|it| it.seat_id.as_str()).collect(),
    }
}

// Splits a party that no row can seat together: as few parts as possible, close together, and none of one person.

/// Weight of a row between two parts; a column weighs 2.
const ROW_APART: i64 = 4;
/// Weight of the distance between parts against the place in the hall.
const APART: i64 = 20_000;

/// Returns the best parts; `None` if too few seats are free.
fn split<'r, 'a>(
    hall: &Hall<'a>,
    runs: &'r [Run<'a>],
    count: usize,
    wheelchairs: usize,
) -> Option<Vec<Block<'r, 'a>>> {
    let mut best = None;
    for run in runs {
        for size in (1..count.min(run.seats.len() + 1)).rev() {
            let first = run.blocks(size).filter(|it| wheelchairs == 0 || it.places() > 0);
            let first = first.min_by_key(|block| {
                (block.places().abs_diff(wheelchairs), block.gaps, hall.cost(block), block.first())
            });
            let Some(first) = first else { continue };
            let evenly = around(first.clone(), runs, (count, wheelchairs), true);
            let Some(parts) = evenly.or_else(|| around(first, runs, (count, wheelchairs), false))
            else {
                continue;
            };
            if !hall.follows_rules(&parts) {
                continue;
            }
            let score = score(hall, &parts);
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, parts));
            }
        }
    }
    let (_, mut parts) = best?;
    parts.sort_by_key(|it| (it.row, it.first()));
    Some(parts)
}

/// Completes the part with its nearest neighbours; `evenly` avoids a last part of one.
fn around<'r, 'a>(
    first: Block<'r, 'a>,
    runs: &'r [Run<'a>],
    (count, wheelchairs): (usize, usize),
    evenly: bool,
) -> Option<Vec<Block<'r, 'a>>> {
    let mut left = count - first.seats.len();
    let mut lacking = wheelchairs.saturating_sub(first.places());
    let places = |run: &Run<'a>| run.seats.iter().any(|it| is_place(it));
    let near =
        |run: &Run<'a>| run.blocks(left.min(run.seats.len())).map(|it| apart(&first, &it)).min();
    let mut others: Vec<_> = runs.iter().filter(|it| !has(it, &first)).collect();
    others.sort_by_cached_key(|it| (places(it), near(it)));
    let mut parts = vec![first];
    while left > 0 {
        // The nearest of those with the most seats. Once the party has enough wheelchair places, they are spared as
        // long as there are other seats.
        let most = |(index, run): &(usize, &&Run<'a>)| {
            (places(run) != (lacking > 0), Reverse(run.seats.len().min(left)), *index)
        };
        let (index, _) = others.iter().enumerate().min_by_key(most)?;
        let run = others.remove(index);
        let mut size = left.min(run.seats.len());
        // Leaves two for the last part rather than one.
        if evenly && left - size == 1 && size > 2 {
            size -= 1;
        }
        let near = |block: &Block<'r, 'a>| {
            (block.places().abs_diff(lacking), apart(&parts[0], block), block.gaps, block.first())
        };
        let part = run.blocks(size).min_by_key(near)?;
        lacking = lacking.saturating_sub(part.places());
        left -= size;
        parts.push(part);
    }
    (lacking == 0).then_some(parts)
}

/// Whether the part belongs to the run.
fn has(run: &Run<'_>, part: &Block<'_, '_>) -> bool {
    let is = |it: &&Seat| part.seats.first().is_some_and(|first| first.seat_id == it.seat_id);
    run.seats.iter().any(is)
}

/// Distance between the middles of two parts.
fn apart(one: &Block<'_, '_>, other: &Block<'_, '_>) -> i64 {
    (one.row - other.row).abs() * ROW_APART + (one.middle() - other.middle()).abs()
}

/// Score, lower is better: parts, wheelchair places, avoided seats, single people, isolated seats, then distance and
/// place.
fn score(hall: &Hall<'_>, parts: &[Block<'_, '_>]) -> (usize, usize, usize, usize, u32, i64) {
    let avoided = parts.iter().map(|it| hall.avoided(it)).sum();
    let places = parts.iter().map(Block::places).sum();
    let alone = parts.iter().filter(|it| it.seats.len() == 1).count();
    let gaps = parts.iter().map(|it| u32::from(it.gaps)).sum();
    let way: i64 = parts.iter().skip(1).map(|it| apart(&parts[0], it)).sum();
    let cost: i64 = parts.iter().map(|it| hall.cost(it)).sum();
    let count = i64::try_from(parts.len()).unwrap_or(i64::MAX).max(1);
    (parts.len(), places, avoided, alone, gaps, way * APART + cost / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hall::lay_out;

    /// Suggested seats, part by part.
    fn suggested(rows: &[&str], count: usize, wheelchair: bool) -> Option<Vec<String>> {
        let seats = drawn(rows);
        let found = suggest(&seats, count, usize::from(wheelchair), SeatRules::default(), None)?;
        Some(found.parts.iter().map(|it| format_seats(it, "-")).collect())
    }

    fn drawn(rows: &[&str]) -> Vec<Seat> {
        let labels: Vec<_> = ('A'..='Z').map(String::from).collect();
        let plain: Vec<_> = rows.iter().map(|it| it.replace(['x', 'h'], "s")).collect();
        let plan = labels.iter().map(String::as_str).zip(plain.iter().map(String::as_str));
        let mut seats = lay_out(plan);
        for seat in &mut seats {
            let row = labels.iter().position(|it| *it == seat.row).unwrap();
            let sign = rows[row].as_bytes()[usize::try_from(column(seat)).unwrap() - 1];
            seat.is_reserved = sign == b'x';
            seat.is_held = sign == b'h';
        }
        seats
    }

    fn parts(rows: &[&str], count: usize) -> Vec<String> {
        suggested(rows, count, false).expect("seats are free")
    }

    #[test]
    fn empty_hall_suggests_the_middle_two_thirds_back() {
        assert_eq!(parts(&["ssssssss"; 7], 2), ["E4-E5"]);
        assert_eq!(parts(&["ssssssss"; 7], 4), ["E3-E6"]);
        assert_eq!(parts(&["ssssssss"; 10], 8), ["G1-G8"]);
        assert_eq!(parts(&["sssssssss"; 4], 1), ["C5"]);
    }

    #[test]
    fn front_is_suggested_last() {
        assert_eq!(parts(&["ssss", "xxxx", "xxss"], 2), ["C3-C4"]);
        assert_eq!(parts(&["ssss", "xxxx", "xxxs"], 2), ["A1-A2"], "no seat is left alone");
    }

    #[test]
    fn avoids_isolating_a_seat() {
        assert_eq!(parts(&["sssss"], 2), ["A1-A2"], "three are left together");
        assert_eq!(parts(&["sssss"], 3), ["A1-A3"]);
        assert_eq!(parts(&["sss"], 2), ["A1-A2"], "here one is, whatever is chosen");
        assert_eq!(parts(&["xsssxx", "xssssx", "xssssx"], 3), ["A2-A4"], "the whole rest of a row");
    }

    #[test]
    fn skips_taken_held_and_wheelchair_places() {
        assert_eq!(parts(&["ssss", "sxhs", "wwww"], 2), ["A1-A2"]);
        assert_eq!(suggested(&["xx", "hh", "ww"], 1, false), None);
        assert_eq!(suggested(&["xxs", "hhs", "wws"], 4, false), None);
    }

    #[test]
    fn aisle_separates_seats() {
        assert_eq!(parts(&["ss_ss", "ss_xs", "xx_ss"], 2), ["B1-B2"]);
        assert_eq!(parts(&["sss_sss"], 4), ["A2-A3", "A4-A5"], "two and two, side by the aisle");
    }

    #[test]
    fn splits_party_into_adjacent_rows() {
        assert_eq!(parts(&["ssxss", "ssxss", "ssxss", "ssxss"], 4), ["B1-B2", "C1-C2"]);
        assert_eq!(parts(&["xxxxss", "xxxxxx", "xxxxss", "xxxxss"], 4), ["C5-C6", "D5-D6"]);
    }

    #[test]
    fn avoids_single_guests() {
        assert_eq!(
            parts(&["ssssx", "ssssx"], 5),
            ["A2-A4", "B3-B4"],
            "three and two, not four and one"
        );
        assert_eq!(parts(&["sxsxs", "sxsxs"], 3).len(), 3, "where they must, they do");
    }

    #[test]
    fn splits_into_fewest_parts() {
        assert_eq!(parts(&["sxsxsxss", "xxxxxxss", "sssxxxxx"], 5).len(), 2);
        let rows = vec!["sxsxs"; 4];
        assert_eq!(parts(&rows, 12).len(), 12, "the whole rest of the hall");
        assert_eq!(suggested(&rows, 13, false), None);
    }

    #[test]
    fn wheelchair_gets_a_place_with_company() {
        assert_eq!(suggested(&["ssss", "wwss"], 1, true).unwrap(), ["B1"], "B1 is not left alone");
        assert_eq!(suggested(&["ssss", "wwss"], 3, true).unwrap(), ["B2-B4"]);
        assert_eq!(suggested(&["ssss", "ssss"], 1, true), None);
        assert_eq!(suggested(&["ssss", "wxss"], 3, true).unwrap()[1], "B1", "company is near");
    }

    #[test]
    fn seats_several_wheelchairs_together_or_apart() {
        let of = |rows: &[&str], count, places| {
            let seats = drawn(rows);
            let found = suggest(&seats, count, places, SeatRules::default(), None)?;
            Some(found.parts.iter().map(|it| format_seats(it, "-")).collect::<Vec<_>>())
        };
        assert_eq!(of(&["ssss", "wwss"], 3, 2).unwrap(), ["B1-B3"]);
        assert_eq!(of(&["w_ssss_w", "ssssssss"], 2, 2).unwrap(), ["A1", "A8"], "across the hall");
        assert_eq!(of(&["wc_ssss_cw"], 4, 2).unwrap(), ["A1-A2", "A7-A8"], "each with company");
        assert_eq!(of(&["ssss", "wwss"], 4, 3), None, "there are two");
    }

    #[test]
    fn companion_seat_follows_the_wheelchair() {
        let seats = drawn(&["ssss", "wcss"]);
        let found = suggest(&seats, 2, 1, SeatRules::default(), None).unwrap();
        let (ja, en) = found.sentences();
        assert_eq!(ja, "B1〜B2の2席が並びで空いています。車椅子スペース: B1。同伴者席: B2。");
        let right =
            "B1–B2: 2 seats are free side by side. Wheelchair places: B1. Companions' seats: B2.";
        assert_eq!(en, right);
    }

    #[test]
    fn premium_seats_are_for_those_who_ask() {
        let priced = |premium| PriceList { standard: 2_000, premium, ..PriceList::default() };
        let dearer = priced(Some(2_600));
        assert_eq!(avoided(false, Some(&dearer)), Some(SeatKind::Premium));
        assert_eq!(avoided(true, Some(&dearer)), Some(SeatKind::Standard));
        let alike = [None, Some(&priced(None)), Some(&priced(Some(1_500)))];
        assert_eq!(alike.map(|it| avoided(false, it)), [None; 3], "they cost no more");
        let of = |rows: &[&str], count, asked| {
            let seats = drawn(rows);
            let rules = SeatRules::default();
            let found = suggest(&seats, count, 0, rules, avoided(asked, Some(&dearer))).unwrap();
            let names = found.parts.iter().map(|it| format_seats(it, "-")).collect::<Vec<_>>();
            (names.join(" "), found.sentences().1)
        };
        let hall = ["ssssss", "ssssss", "pppppp", "ssssss"];
        assert_eq!(of(&hall, 2, false).0, "B3-B4", "the best of the ordinary ones");
        let (seats, sentence) = of(&hall, 2, true);
        assert_eq!(seats, "C3-C4");
        assert!(sentence.ends_with(" Premium seats: C3, C4."), "{sentence}");
        assert_eq!(of(&["sxsxsx", "ppxxxx"], 2, false).0, "B1-B2", "together is better");
        assert_eq!(of(&["sxsxsx", "pxpxxx"], 2, false).0, "A3 A5", "apart, ordinary ones do");
        assert_eq!(of(&["sxxxxx", "pxpxxx"], 2, false).0, "A1 B1", "where it must, it takes one");
        assert_eq!(of(&["ssssss", "xxxxxx"], 2, true).0, "A3-A4", "there are no premium ones");
        assert!(of(&["xxxx", "xppx"], 1, false).1.ends_with(" Premium seats: B2."));
    }

    #[test]
    fn describes_where_the_seats_are() {
        let seats = drawn(&["ssxss", "ssxss"]);
        let text =
            |count| suggest(&seats, count, 0, SeatRules::default(), None).unwrap().sentences();
        assert_eq!(text(1).1.split(' ').count(), 3);
        let (ja, en) = text(2);
        assert!(ja.contains("2席が並びで空いています"), "{ja}");
        assert!(en.ends_with(": 2 seats are free side by side."), "{en}");
        let (ja, en) = text(3);
        assert!(ja.contains("分かれます") && en.starts_with("No 3 seats"), "{ja} {en}");
    }

    #[test]
    fn suggestion_is_free_whole_and_deterministic() {
        // All patterns of taken seats in a small hall.
        for pattern in 0_u32..512 {
            let row = |row: u32| -> String {
                let is_taken =
                    |seat: u32| (pattern.wrapping_mul(2_654_435_761) >> (row * 7 + seat)) & 1;
                let sign = |seat| match (seat, is_taken(seat)) {
                    (3, _) => '_',
                    (_, 1) => 'x',
                    (0, _) => 'w',
                    _ => 's',
                };
                (0..7).map(sign).collect()
            };
            let rows: Vec<_> = (0..4).map(row).collect();
            let rows: Vec<_> = rows.iter().map(String::as_str).collect();
            let seats = drawn(&rows);
            let free = seats.iter().filter(|it| it.is_free() && !is_place(it)).count();
            for count in 1..=10 {
                let found = suggest(&seats, count, 0, SeatRules::default(), None);
                assert_eq!(found.is_some(), free >= count, "{rows:?} {count}");
                let Some(found) = found else { continue };
                let all: Vec<_> = found.parts.iter().flatten().collect();
                assert!(all.iter().all(|it| it.is_free() && !is_place(it)), "{rows:?}: {all:?}");
                let mut ids: Vec<_> = all.iter().map(|it| &it.seat_id).collect();
                ids.sort();
                ids.dedup();
                assert_eq!(ids.len(), count, "{rows:?}");
                assert_eq!(
                    suggest(&seats, count, 0, SeatRules::default(), None).as_ref(),
                    Some(&found)
                );
            }
        }
    }

    /// Suggested seats under every rule, part by part.
    fn ruled(rows: &[&str], count: usize, wheelchair: bool) -> Option<Vec<String>> {
        let rules = SeatRules {
            no_single_gap: true,
            companion_beside_wheelchair: true,
            pairs_together: true,
            seats_per_person_max: None,
        };
        let seats = drawn(rows);
        let found = suggest(&seats, count, usize::from(wheelchair), rules, None)?;
        Some(found.parts.iter().map(|it| format_seats(it, "-")).collect())
    }

    #[test]
    fn suggests_companion_seat_next_to_wheelchair() {
        assert_eq!(ruled(&["ssss", "swcs"], 2, true).unwrap(), ["B2-B3"]);
        assert_eq!(ruled(&["xxxx", "xwcx"], 1, false), None, "it is not for others");
        assert_eq!(ruled(&["xxxx", "xxcx"], 1, true), None, "the place is taken");
    }

    #[test]
    fn suggests_pairs_whole_and_last() {
        assert_eq!(ruled(&["ssss", "dddd"], 2, false).unwrap(), ["A1-A2"]);
        assert_eq!(ruled(&["xxxx", "dddd"], 2, false).unwrap(), ["B1-B2"]);
        assert_eq!(ruled(&["xxxx", "dddd"], 1, false), None);
        assert_eq!(ruled(&["xxxx", "sddd"], 3, false).unwrap(), ["B1-B3"]);
    }

    #[test]
    fn never_suggests_what_the_rules_reject() {
        assert_eq!(ruled(&["sssss"], 3, false).unwrap(), ["A1-A3"]);
        for count in 1..=7 {
            for signs in ["sssssss", "ssxssss", "dddd_ss", "wcsss_s", "sdds_ss", "ss_pp_s"] {
                let Some(parts) = ruled(&[signs], count, false) else { continue };
                assert!(!parts.is_empty(), "{signs} {count}");
            }
        }
    }
}
