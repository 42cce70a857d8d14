//! The waiting list of a showing: when seats are freed, the first entry that they fit has them held until a
//! deadline (CIN-94).
//!
//! Offers are made by [`settle`], which runs after seats are freed, before seats of a showing with a list are
//! taken, and by the schedule. So what an expired hold frees is offered before others can have it. An offer is a
//! hold like any other: no seat is ever in two.

mod offer;
mod store;

use std::collections::BTreeSet;

use output::cinema::WaitingState;
use toolkit::{Stop, settings, settings::Unfit, sql, sql::Statement};

pub use store::{Entry, count_ahead, declined, live_of_showing, live_of_user, reserved};

use crate::{
    clock::Clock,
    notices::{seats_changed, waiting_changed},
};

/// Entries that may wait for one showing.
pub const OF_SHOWTIME_MAX: u32 = 200;
/// Showings that one user may wait for.
pub const OF_USER_MAX: u32 = 10;
/// Offers that are made, or end, in one go; the rest waits for the next.
const STEPS_MAX: usize = 50;
/// Showings that are looked at in one run of the schedule.
const SHOWTIMES_MAX: usize = 50;
/// How long seats are held for an entry where the operator says nothing.
const MINUTES_DEFAULT: u32 = 15;
/// Longer than a day is too long for those behind.
const MINUTES_MAX: u32 = 24 * 60;
/// How long an entry that has ended is remembered, in seconds.
const REMEMBERED_S: i64 = 7 * 86_400;

/// How many minutes seats are held for an entry: the setting `waiting_offer_minutes`, or 15.
///
/// # Errors
/// When it is no number from 1 to 1,440.
pub fn offer_minutes() -> Result<u32, Unfit> {
    settings::number("waiting_offer_minutes", MINUTES_DEFAULT, 1..=MINUTES_MAX)
}

/// Ends the offers of a showing whose deadline has passed, and offers what is free to those who come first.
///
/// # Errors
/// When the database fails, or a setting is wrong.
pub fn settle(showtime_id: &str, clock: &Clock) -> Result<(), Stop> {
    let mut users = BTreeSet::new();
    let mut has_seats = false;
    for _ in 0..STEPS_MAX {
        match offer::step(showtime_id, clock)? {
            offer::Step::Nothing => break,
            offer::Step::Again => {}
            offer::Step::Changed { user_id, seats } => {
                has_seats |= seats;
                users.insert(user_id);
            }
        }
    }
    if has_seats {
        seats_changed(showtime_id);
    }
    users.iter().for_each(|it| waiting_changed(it));
    Ok(())
}

/// As [`settle`], at the cost of one look where the showing has no list.
///
/// # Errors
/// As those of [`settle`].
pub fn settle_freed(showtime_id: &str, clock: &Clock) -> Result<(), Stop> {
    let [list] = sql::query([store::any(showtime_id)])?;
    if list.is_empty() { Ok(()) } else { settle(showtime_id, clock) }
}

/// What the schedule does for every list.
///
/// # Errors
/// When the database fails, or a setting is wrong.
pub fn run(clock: &Clock) -> Result<(), Stop> {
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

/// Ends an entry that waits or is offered seats.
pub fn end(waiting_id: &str, state: WaitingState, clock: &Clock) -> Statement {
    let state = store::name(state);
    sql!(
        "UPDATE waiting SET state = $2, ended_at = $3 \
         WHERE waiting_id = $1 AND state IN ('waiting', 'offered')",
        waiting_id,
        state,
        clock.second(),
    )
}
