//! Entries of waiting lists as the database keeps them.

use output::cinema::WaitingState;
use serde::Deserialize;
use toolkit::{sql, sql::Statement};

use crate::clock::Clock;

/// The columns of [`Entry`]; a WHERE may follow.
const ENTRIES: &str = "SELECT w.waiting_id, w.place, w.user_id, w.showtime_id, w.seats_count, \
     w.together, w.wheelchair, w.joined_at, w.state, w.principal, w.hold_id, h.made_at, \
     h.expires_at \
     FROM waiting w LEFT JOIN holds h ON h.hold_id = w.hold_id";

/// An entry that waits or is offered seats.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// Identifier of the entry.
    pub waiting_id: String,
    /// Grows with each entry.
    pub place: i64,
    /// Identifier of the user who waits.
    pub user_id: String,
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// How many seats they want.
    pub seats_count: u32,
    /// Whether these must be side by side.
    pub together: bool,
    /// Whether a wheelchair place must be among them.
    pub wheelchair: bool,
    /// In seconds since 1970.
    pub joined_at: i64,
    /// Whether it waits, or is offered seats.
    pub state: WaitingState,
    /// The caller who joined.
    pub principal: String,
    /// The hold that is offered.
    pub hold_id: Option<String>,
    /// When that hold counts as made.
    pub made_at: Option<i64>,
    /// When it ends.
    pub expires_at: Option<i64>,
}

impl Entry {
    /// Whether seats are offered and the deadline has yet to come.
    pub fn is_offered(&self, clock: &Clock) -> bool {
        let is_live = self.expires_at.is_some_and(|it| it > clock.second());
        self.state == WaitingState::Offered && is_live
    }

    /// Whether seats were offered, and the deadline has passed.
    pub fn is_lapsed(&self, clock: &Clock) -> bool {
        self.state == WaitingState::Offered && !self.is_offered(clock)
    }
}

/// Whether a showing has a list: a row, if it does.
pub(super) fn any(showtime_id: &str) -> Statement {
    sql!(
        "SELECT 1 FROM waiting WHERE showtime_id = $1 AND state IN ('waiting', 'offered') LIMIT 1",
        showtime_id,
    )
}

/// The entries of a showing, who comes first first.
pub fn live_of_showing(showtime_id: &str) -> Statement {
    let those = "WHERE w.showtime_id = $1 AND w.state IN ('waiting', 'offered') ORDER BY w.place";
    sql!(format!("{ENTRIES} {those}"), showtime_id)
}

/// A user's entries, the oldest first.
pub fn live_of_user(user_id: &str) -> Statement {
    let those = "WHERE w.user_id = $1 AND w.state IN ('waiting', 'offered') ORDER BY w.place";
    sql!(format!("{ENTRIES} {those}"), user_id)
}

/// How many wait before an entry.
pub fn count_ahead(entry: &Entry) -> Statement {
    sql!(
        "SELECT COUNT(*) FROM waiting WHERE showtime_id = $1 AND state = 'waiting' AND place < $2",
        &entry.showtime_id,
        entry.place,
    )
}

/// Ends the entry that a hold was offered to, since its seats are reserved.
pub fn reserved(hold_id: &str, clock: &Clock) -> Statement {
    sql!(
        "UPDATE waiting SET state = 'reserved', ended_at = $2 \
         WHERE hold_id = $1 AND state = 'offered'",
        hold_id,
        clock.second(),
    )
}

/// Ends the entry that a hold was offered to, since it is released before its deadline.
pub fn declined(hold_id: &str, clock: &Clock) -> Statement {
    sql!(
        "UPDATE waiting SET state = 'declined', ended_at = $2 \
         WHERE hold_id = $1 AND state = 'offered' AND EXISTS \
         (SELECT 1 FROM holds h WHERE h.hold_id = $1 AND h.expires_at > $2)",
        hold_id,
        clock.second(),
    )
}

pub(super) fn name(state: WaitingState) -> &'static str {
    match state {
        WaitingState::Waiting => "waiting",
        WaitingState::Offered => "offered",
        WaitingState::Reserved => "reserved",
        WaitingState::Declined => "declined",
        WaitingState::Lapsed => "lapsed",
        WaitingState::Left => "left",
    }
}
