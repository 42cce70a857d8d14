//! One step of settling a list: an offer ends, or is made.

use std::collections::BTreeSet;

use output::cinema::{ReservedSeat, SeatRules, WaitingState};
use toolkit::{Stop, fresh_id, sql, sql::Statement};

use super::{Entry, end, live_of_showing, offer_minutes};
use crate::{
    clock::Clock,
    hall::Hall,
    holds::{Held, Minutes, digest, free_expired, insert},
    picks::{Picked, is_written, on_sale},
    programme::ShowtimeId,
    rules,
    sales::still_open,
    suggestion::suggest,
};

/// What came of a step.
pub(super) enum Step {
    /// Nothing can be offered.
    Nothing,
    /// What was looked at has changed meanwhile.
    Again,
    /// An entry has ended or is offered seats.
    Changed {
        /// Whose entry it is.
        user_id: String,
        /// Whether seats changed with it.
        seats: bool,
    },
}

pub(super) fn step(showtime_id: &str, clock: &Clock) -> Result<Step, Stop> {
    let import = sql!("SELECT MAX(number) FROM imports");
    let [entries, free, import] =
        sql::query([live_of_showing(showtime_id), free_count(showtime_id, clock), import])?;
    let entries = entries.read::<Entry>()?;
    let has_begun = has_begun(showtime_id, clock);
    if let Some(over) = entries.iter().find(|it| has_begun || it.is_lapsed(clock)) {
        return expiry(over, clock);
    }
    let (free,) = free.first::<(i64,)>()?.unwrap_or_default();
    let waits = entries.iter().any(|it| it.state == WaitingState::Waiting);
    let (Some((import,)), true) = (import.first::<(u32,)>()?, free > 0 && waits) else {
        return Ok(Step::Nothing);
    };
    let hall = match Hall::of(showtime_id, None, clock) {
        Err(Stop::Refused(_)) => return Ok(Step::Nothing),
        hall => hall?,
    };
    if hall.showtime.is_open != Some(true) {
        return Ok(Step::Nothing);
    }
    let rules = rules::set()?;
    let (mut unfit, waiting) = (BTreeSet::new(), WaitingState::Waiting);
    for entry in entries.iter().filter(|it| it.state == waiting) {
        let asked = (entry.seats_count, entry.together, entry.wheelchair);
        if unfit.contains(&asked) {
            continue;
        }
        let Some(seats) = fitting(&hall, entry, rules) else {
            unfit.insert(asked);
            continue;
        };
        if let Some(offer) = Offer::of(entry, seats, import, rules, clock)? {
            return offer.make(clock);
        }
    }
    Ok(Step::Nothing)
}

fn has_begun(showtime_id: &str, clock: &Clock) -> bool {
    let start = ShowtimeId::read(showtime_id).and_then(|it| it.start());
    start.is_none_or(|it| clock.has_come(it))
}

/// The seats that an entry wants, if they are free.
pub(super) fn fitting(hall: &Hall, entry: &Entry, rules: SeatRules) -> Option<Vec<ReservedSeat>> {
    let count = usize::try_from(entry.seats_count).ok()?;
    let found = suggest(&hall.seats, count, usize::from(entry.wheelchair), rules)?;
    if entry.together && found.parts.len() > 1 {
        return None;
    }
    let seat = |seat: &output::cinema::Seat| ReservedSeat {
        seat_id: seat.seat_id.clone(),
        row: seat.row.clone(),
        number: seat.number,
        price: None,
    };
    Some(found.parts.into_iter().flatten().map(seat).collect())
}

/// Ends an entry whose deadline has passed, or whose showing has begun.
fn expiry(entry: &Entry, clock: &Clock) -> Result<Step, Stop> {
    let write = end(&entry.waiting_id, WaitingState::Lapsed, clock).expect(1);
    let is_written = is_written(sql::transact([write]))?;
    let changed = Step::Changed { user_id: entry.user_id.clone(), seats: true };
    Ok(if is_written { changed } else { Step::Again })
}

/// Seats that are neither reserved nor held; less than none where a catalogue has taken seats away.
fn free_count(showtime_id: &str, clock: &Clock) -> Statement {
    let screen_id = ShowtimeId::read(showtime_id).map(|it| it.screen_id).unwrap_or_default();
    sql!(
        "SELECT (SELECT COUNT(*) FROM seats WHERE screen_id = $2) \
         - (SELECT COUNT(*) FROM reserved_seats WHERE showtime_id = $1) \
         - (SELECT COUNT(*) FROM held_seats d JOIN holds h ON h.hold_id = d.hold_id \
         WHERE d.showtime_id = $1 AND h.expires_at > $3)",
        showtime_id,
        screen_id,
        clock.second(),
    )
}

/// Seats that will be held for an entry unless others are faster.
struct Offer<'a> {
    entry: &'a Entry,
    held: Held,
    screen_id: String,
    seats: Vec<ReservedSeat>,
    import: u32,
    room: Option<Statement>,
}

impl<'a> Offer<'a> {
    /// The offer, unless its user has as many seats of the showing as they may.
    fn of(
        entry: &'a Entry,
        seats: Vec<ReservedSeat>,
        import: u32,
        rules: SeatRules,
        clock: &Clock,
    ) -> Result<Option<Self>, Stop> {
        let Some(id) = ShowtimeId::read(&entry.showtime_id) else { return Ok(None) };
        let seat_ids: Vec<_> = seats.iter().map(|it| it.seat_id.clone()).collect();
        let picked = Picked {
            showtime_id: &entry.showtime_id,
            seat_ids: &seat_ids,
            user_id: &entry.user_id,
            rules,
            own_seats: &[],
        };
        let [had] = sql::query([picked.had(None, clock)])?;
        if picked.check_had(had).is_err() {
            return Ok(None);
        }
        let end = clock.second() + i64::from(offer_minutes()?) * 60;
        let start = id.start().and_then(|it| clock.second_of(it));
        let expires_at = start.map_or(end, |it| end.min(it));
        let held = Held {
            // Of a token that none is told: the caller who joined names it by its handle.
            hold_id: digest(&fresh_id("hold")),
            principal: entry.principal.clone(),
            user_id: entry.user_id.clone(),
            showtime_id: entry.showtime_id.clone(),
            // As if made so long ago that it cannot be extended: others wait for it to end.
            made_at: expires_at - i64::from(Minutes::set()?.max) * 60,
            expires_at,
        };
        let room = picked.room(None, clock);
        let screen_id = id.screen_id;
        Ok(Some(Self { entry, held, screen_id, seats, import, room }))
    }

    /// Holds the seats for the entry, all of them or none.
    fn make(self, clock: &Clock) -> Result<Step, Stop> {
        let offered = sql!(
            "UPDATE waiting SET state = 'offered', hold_id = $2 \
             WHERE waiting_id = $1 AND state = 'waiting'",
            &self.entry.waiting_id,
            &self.held.hold_id,
        );
        let mut batch = vec![on_sale(self.import)];
        batch.push(still_open(&self.entry.showtime_id));
        batch.extend(self.room);
        batch.push(free_expired(&self.entry.showtime_id, &self.seats, clock));
        batch.extend(insert(&self.held, &self.screen_id, &self.seats));
        batch.push(offered.expect(1));
        let changed = Step::Changed { user_id: self.entry.user_id.clone(), seats: true };
        Ok(if is_written(sql::transact_all(&batch))? { changed } else { Step::Again })
    }
}
