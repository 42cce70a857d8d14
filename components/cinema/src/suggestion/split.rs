//! A party that no row can take together: as few parts as can be, near each other, and no single seat.

use std::cmp::Reverse;

use output::cinema::Seat;

use super::{Block, Hall, Run, is_place};

/// What a row between two parts weighs, where a seat between them weighs 2.
const ROW_APART: i64 = 4;
/// What the way between the parts weighs against the place in the hall.
const APART: i64 = 20_000;

/// The best parts; none where too few seats are free.
pub(super) fn split<'r, 'a>(
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
            if !hall.keeps(&parts) {
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

/// The part, and those nearest to it for the others of the party; `evenly`, so that no last one is alone.
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
        // The nearest of those that take the most.
        // Places for wheelchairs are left to others as long as there are seats, once there are enough of them.
        let most = |(index, run): &(usize, &&Run<'a>)| {
            (places(run) != (lacking > 0), Reverse(run.seats.len().min(left)), *index)
        };
        let (index, _) = others.iter().enumerate().min_by_key(most)?;
        let run = others.remove(index);
        let mut size = left.min(run.seats.len());
        // Two go on together rather than one alone.
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

/// Whether the part is one of the run's.
fn has(run: &Run<'_>, part: &Block<'_, '_>) -> bool {
    let is = |it: &&Seat| part.seats.first().is_some_and(|first| first.seat_id == it.seat_id);
    run.seats.iter().any(is)
}

/// The way between the middles of two parts.
fn apart(one: &Block<'_, '_>, other: &Block<'_, '_>) -> i64 {
    (one.row - other.row).abs() * ROW_APART + (one.middle() - other.middle()).abs()
}

/// What is less is better: parts, wheelchair places, people alone, seats left alone, then way and place.
fn score(hall: &Hall<'_>, parts: &[Block<'_, '_>]) -> (usize, usize, usize, u32, i64) {
    let places = parts.iter().map(Block::places).sum();
    let alone = parts.iter().filter(|it| it.seats.len() == 1).count();
    let gaps = parts.iter().map(|it| u32::from(it.gaps)).sum();
    let way: i64 = parts.iter().skip(1).map(|it| apart(&parts[0], it)).sum();
    let cost: i64 = parts.iter().map(|it| hall.cost(it)).sum();
    let count = i64::try_from(parts.len()).unwrap_or(i64::MAX).max(1);
    (parts.len(), places, alone, gaps, way * APART + cost / count)
}
