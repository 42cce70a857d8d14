//! Waiting lists: when seats are freed, they are held for the first matching entry until a deadline (CIN-94).
//!
//! [`settle`] makes the offers. It runs after seats are freed, before seats of a showing with a list
//! are taken, and on a schedule, so that an expired hold's seats are offered before others can take
//! them. An offer is a hold like any other: no seat is ever in two.

use std::collections::BTreeSet;

use output::cinema::{ReservedSeat, SeatRules, WaitingState};
use serde::Deserialize;
use toolkit::{
    Stop, fresh_id,
    settings::{self, Unfit},
    sql,
    sql::Statement,
};

use crate::{
    clock::Clock,
    hall::{Hall, publish_seats, publish_waiting},
    holds::{Held, Minutes, digest, free_expired, insert, sweep},
    picks::{Picked, is_written, on_sale},
    programme::{ShowtimeId, still_open},
    rules,
    suggestion::{avoided, suggest},
};

/// Maximum entries of one showing.
pub const OF_SHOWTIME_MAX: u32 = 200;
/// Maximum showings that one user may wait for.
pub const OF_USER_MAX: u32 = 10;
/// Maximum steps of one run; the rest follows in the next.
const STEPS_MAX: usize = 50;
/// Maximum showings of one scheduled run.
const SHOWTIMES_MAX: usize = 50;
/// Default minutes of an offer.
const MINUTES_DEFAULT: u32 = 15;
/// Upper limit of that.
const MINUTES_MAX: u32 = 24 * 60;
/// Seconds for which ended entries are kept.
const REMEMBERED_S: i64 = 7 * 86_400;

/// Minutes of an offer: the setting `waiting_offer_minutes`, default 15.
///
/// # Errors
/// If it is not from 1 to 1,440.
pub fn offer_minutes() -> Result<u32, Unfit> {
    settings::number("waiting_offer_minutes", MINUTES_DEFAULT, 1..=MINUTES_MAX)
}

/// Ends expired offers of a showing and offers free seats to the first entries.
///
/// # Errors
/// If the database fails or a setting is wrong.
pub fn settle(showtime_id: &str, clock: &Clock) -> Result<(), Stop> {
    let mut users = BTreeSet::new();
    let mut has_seats = false;
    for _ in 0..STEPS_MAX {
        match step(showtime_id, clock)? {
            Step::Nothing => break,
            Step::Again => {}
            Step::Changed { user_id, seats } => {
                has_seats |= seats;
                users.insert(user_id);
            }
        }
    }
    if has_seats {
        publish_seats(showtime_id);
    }
    users.iter().for_each(|it| publish_waiting(it));
    Ok(())
}

/// Like [`settle`], with a single query if the showing has no list.
///
/// # Errors
/// The same as those of [`settle`].
pub fn settle_freed(showtime_id: &str, clock: &Clock) -> Result<(), Stop> {
    let [list] = sql::query([any(showtime_id)])?;
    if list.is_empty() { Ok(()) } else { settle(showtime_id, clock) }
}

/// Settles every list.
///
/// # Errors
/// If the database fails or a setting is wrong.
fn settle_all(clock: &Clock) -> Result<(), Stop> {
    let lists = sql!(format!(
        "SELECT DISTINCT showtime_id FROM waiting WHERE state IN ('waiting', 'offered') \
         ORDER BY showtime_id LIMIT {SHOWTIMES_MAX}"
    ));
    let forgotten = clock.second() - REMEMBERED_S;
    let old = sql!("SELECT 1 FROM waiting WHERE ended_at <= $1 LIMIT 1", forgotten);
    let [lists, old] = sql::query([lists, old])?;
    for (showtime_id,) in lists.read::<(String,)>()? {
        settle(&showtime_id, clock)?;
    }
    if !old.is_empty() {
        sql::transact([sql!("DELETE FROM waiting WHERE ended_at <= $1", forgotten)])?;
    }
    Ok(())
}

/// Ends a waiting or offered entry.
pub fn end(waiting_id: &str, state: WaitingState, clock: &Clock) -> Statement {
    sql!(
        "UPDATE waiting SET state = $2, ended_at = $3 \
         WHERE waiting_id = $1 AND state IN ('waiting', 'offered')",
        waiting_id,
        sql::name_of(state),
        clock.second(),
    )
}

/// Columns of [`Entry`]; a WHERE may follow.
const ENTRIES: &str = "SELECT w.waiting_id, w.place, w.user_id, w.showtime_id, w.seats_count, \
     w.together, w.wheelchair, w.joined_at, w.state, w.principal, w.hold_id, h.made_at, \
     h.expires_at \
     FROM waiting w LEFT JOIN holds h ON h.hold_id = w.hold_id";

/// A waiting or offered entry.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// Identifier of the entry.
    pub waiting_id: String,
    /// Position, which grows with each entry.
    pub place: i64,
    /// User who waits.
    pub user_id: String,
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// Number of wanted seats.
    pub seats_count: u32,
    /// Whether they must be adjacent.
    pub together: bool,
    /// Whether they must include a wheelchair place.
    pub wheelchair: bool,
    /// When the user joined, in seconds since 1970.
    pub joined_at: i64,
    /// Whether it waits or is offered seats.
    pub state: WaitingState,
    /// Caller who joined.
    pub principal: String,
    /// Hold of the offer.
    pub hold_id: Option<String>,
    /// Time from which that hold counts.
    pub made_at: Option<i64>,
    /// Expiry of that hold.
    pub expires_at: Option<i64>,
}

impl Entry {
    /// Whether seats are offered and the deadline has not passed.
    pub fn is_offered(&self, clock: &Clock) -> bool {
        let is_live = self.expires_at.is_some_and(|it| it > clock.second());
        self.state == WaitingState::Offered && is_live
    }

    /// Whether seats were offered and the deadline has passed.
    pub fn is_expired(&self, clock: &Clock) -> bool {
        self.state == WaitingState::Offered && !self.is_offered(clock)
    }
}

/// Selects one row if a showing has a list.
fn any(showtime_id: &str) -> Statement {
    sql!(
        "SELECT 1 FROM waiting WHERE showtime_id = $1 AND state IN ('waiting', 'offered') LIMIT 1",
        showtime_id,
    )
}

/// Selects the entries of a showing in order.
pub fn live_of_showing(showtime_id: &str) -> Statement {
    let those = "WHERE w.showtime_id = $1 AND w.state IN ('waiting', 'offered') ORDER BY w.place";
    sql!(format!("{ENTRIES} {those}"), showtime_id)
}

/// Selects a user's entries, oldest first.
pub fn live_of_user(user_id: &str) -> Statement {
    let those = "WHERE w.user_id = $1 AND w.state IN ('waiting', 'offered') ORDER BY w.place";
    sql!(format!("{ENTRIES} {those}"), user_id)
}

/// Counts the entries before one.
pub fn count_before(entry: &Entry) -> Statement {
    sql!(
        "SELECT COUNT(*) FROM waiting WHERE showtime_id = $1 AND state = 'waiting' AND place < $2",
        &entry.showtime_id,
        entry.place,
    )
}

/// Ends the entry of an offered hold whose seats were reserved.
pub fn reserved(hold_id: &str, clock: &Clock) -> Statement {
    sql!(
        "UPDATE waiting SET state = 'reserved', ended_at = $2 \
         WHERE hold_id = $1 AND state = 'offered'",
        hold_id,
        clock.second(),
    )
}

/// Ends the entry of an offered hold that was released before its deadline.
pub fn declined(hold_id: &str, clock: &Clock) -> Statement {
    sql!(
        "UPDATE waiting SET state = 'declined', ended_at = $2 \
         WHERE hold_id = $1 AND state = 'offered' AND EXISTS \
         (SELECT 1 FROM holds h WHERE h.hold_id = $1 AND h.expires_at > $2)",
        hold_id,
        clock.second(),
    )
}

/// Scheduled run: releases expired holds and offers their seats.
///
/// # Errors
/// Text for the operator's log.
pub fn scheduled() -> Result<(), String> {
    let both = |clock: Clock| -> Result<(), Stop> {
        sweep(&clock)?;
        settle_all(&clock)
    };
    Clock::for_call().and_then(both).map_err(|it| format!("{it:?}"))
}

// One step of settling a list: ends or makes an offer.

/// Result of a step.
enum Step {
    /// No offer is possible.
    Nothing,
    /// The data changed concurrently.
    Again,
    /// An entry has ended or is offered seats.
    Changed {
        /// Its user.
        user_id: String,
        /// Whether seats changed.
        seats: bool,
    },
}

fn step(showtime_id: &str, clock: &Clock) -> Result<Step, Stop> {
    let import = sql!("SELECT MAX(number) FROM imports");
    let [entries, free, import] =
        sql::query([live_of_showing(showtime_id), free_count(showtime_id, clock), import])?;
    let entries = entries.read::<Entry>()?;
    let has_begun = has_begun(showtime_id, clock);
    if let Some(over) = entries.iter().find(|it| has_begun || it.is_expired(clock)) {
        return expiry(over, clock);
    }
    let (free,) = free.first::<(i64,)>()?.unwrap_or_default();
    let waits = entries.iter().any(|it| it.state == WaitingState::Waiting);
    let (Some((import,)), true) = (import.first::<(u32,)>()?, free > 0 && waits) else {
        return Ok(Step::Nothing);
    };
    let hall = match Hall::load(showtime_id, None, clock) {
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
        if let Some(offer) = Offer::prepare(entry, seats, import, rules, clock)? {
            return offer.make(clock);
        }
    }
    Ok(Step::Nothing)
}

fn has_begun(showtime_id: &str, clock: &Clock) -> bool {
    let start = ShowtimeId::read(showtime_id).and_then(|it| it.start());
    start.is_none_or(|it| clock.has_passed(it))
}

/// Finds free seats for an entry.
fn fitting(hall: &Hall, entry: &Entry, rules: SeatRules) -> Option<Vec<ReservedSeat>> {
    let count = usize::try_from(entry.seats_count).ok()?;
    let avoided = avoided(false, hall.prices.as_ref());
    let found = suggest(&hall.seats, count, usize::from(entry.wheelchair), rules, avoided)?;
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

/// Counts unreserved and unheld seats; negative if a catalogue has removed seats.
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

/// Seats to offer, unless others are faster.
struct Offer<'a> {
    entry: &'a Entry,
    held: Held,
    screen_id: String,
    seats: Vec<ReservedSeat>,
    import: u32,
    room: Option<Statement>,
}

impl<'a> Offer<'a> {
    /// Prepares the offer, unless its user already has as many seats of the showing as permitted.
    fn prepare(
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
        let [owned_count] = sql::query([picked.owned_count(None, clock)])?;
        if picked.check_owned(owned_count).is_err() {
            return Ok(None);
        }
        let end = clock.second() + i64::from(offer_minutes()?) * 60;
        let start = id.start().and_then(|it| clock.second_of(it));
        let expires_at = start.map_or(end, |it| end.min(it));
        let held = Held {
            // The token is disclosed to no caller; the one who joined uses the handle.
            hold_id: digest(&fresh_id("hold")),
            principal: entry.principal.clone(),
            user_id: entry.user_id.clone(),
            showtime_id: entry.showtime_id.clone(),
            // Backdated, so that it cannot be extended while others wait.
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
