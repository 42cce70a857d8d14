//! A hold that only has to be written, and the one transaction that writes it.

use output::cinema::ReservedSeat;
use serde::Deserialize;
use toolkit::{Stop, sql, sql::Statement};

use crate::{
    clock::Clock,
    holds::{self, Held, free_expired, insert_seats},
    picks::{is_written, on_sale},
    refusals::too_many_held,
    waiting,
};

/// How many reservations' worth of seats one user may hold of one showing, and of all.
const OF_SHOWTIME: usize = 2;
const OF_ALL: usize = 4;

/// How many seats a user holds: of the showing, and of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Counts {
    of_showtime: u32,
    of_all: u32,
}

impl Counts {
    /// Counts them now, without those of the hold that is to be replaced.
    pub(super) fn statement(
        user_id: &str,
        showtime_id: &str,
        replaced: Option<&str>,
        clock: &Clock,
    ) -> Statement {
        sql!(
            "SELECT COUNT(CASE WHEN d.showtime_id = $2 THEN 1 END) AS of_showtime, \
             COUNT(*) AS of_all FROM held_seats d JOIN holds h ON h.hold_id = d.hold_id \
             WHERE h.user_id = $1 AND h.expires_at > $3 AND h.hold_id <> $4",
            user_id,
            showtime_id,
            clock.second(),
            replaced.unwrap_or_default(),
        )
    }
}

/// What will be held unless another call is faster.
#[derive(Debug)]
pub(super) struct Plan {
    /// The hold as it is stored.
    pub(super) held: Held,
    /// The seats that it holds.
    pub(super) seats: Vec<ReservedSeat>,
    /// Identifier of their screen.
    pub(super) screen_id: String,
    /// The catalogue that the plan was made from.
    pub(super) import: u32,
    /// How many seats one reservation may have.
    pub(super) seats_max: usize,
    /// What has to be so still.
    pub(super) guards: Vec<Statement>,
    /// The id of the hold that it takes the place of.
    pub(super) replaced: Option<String>,
}

impl Plan {
    /// The plan, if its user does not hold too many seats with it.
    pub(super) fn within(self, counts: Counts) -> Result<Self, Stop> {
        let (of_showtime, of_all) = self.room();
        if counts.of_showtime > of_showtime || counts.of_all > of_all {
            let (showtime_max, all_max) = (OF_SHOWTIME * self.seats_max, OF_ALL * self.seats_max);
            return Err(too_many_held(showtime_max, all_max, counts.of_showtime, counts.of_all));
        }
        Ok(self)
    }

    /// How many seats the user may hold already: of the showing, and of all.
    fn room(&self) -> (u32, u32) {
        let room = |it: usize| (it * self.seats_max).saturating_sub(self.seats.len());
        let room = |it: usize| u32::try_from(room(it)).unwrap_or(u32::MAX);
        (room(OF_SHOWTIME), room(OF_ALL))
    }

    /// Writes all of it or nothing; none when what the plan was made from has changed meanwhile. Gives the showing whose
    /// seats the hold before had.
    pub(super) fn write(&self, clock: &Clock) -> Result<Option<Option<String>>, Stop> {
        let showtime_id = &self.held.showtime_id;
        let mut batch = vec![on_sale(self.import)];
        batch.extend(self.guards.iter().cloned());
        let mut freed_at = None;
        if let Some(replaced) = &self.replaced {
            batch.push(waiting::declined(replaced, clock));
            batch.extend(holds::end(replaced, clock));
            freed_at = Some(batch.len() - 1);
        }
        batch.extend([
            free_expired(showtime_id, &self.seats, clock),
            self.hold(clock),
            insert_seats(&self.held, &self.screen_id, &self.seats),
        ]);
        let mut freed = None;
        let written = sql::transact_all(&batch).map(|rows| {
            freed = freed_at.and_then(|it| rows.into_iter().nth(it));
        });
        if !is_written(written)? {
            return Ok(None);
        }
        let freed = freed.map(|it| it.first::<(String,)>()).transpose()?.flatten();
        Ok(Some(freed.map(|it| it.0)))
    }

    /// Holds only while there is room for it, for the user may be holding other seats just now.
    fn hold(&self, clock: &Clock) -> Statement {
        let held = &self.held;
        let (of_showtime, of_all) = self.room();
        let count = "SELECT COUNT(*) FROM held_seats d JOIN holds h ON h.hold_id = d.hold_id \
             WHERE h.user_id = $2 AND h.expires_at > $6";
        let hold = format!(
            "INSERT INTO holds (hold_id, user_id, showtime_id, made_at, expires_at, principal) \
             SELECT $1, $2, $3, $4, $5, $9 \
             WHERE ({count} AND d.showtime_id = $3) <= $7 AND ({count}) <= $8"
        );
        sql!(
            hold,
            &held.hold_id,
            &held.user_id,
            &held.showtime_id,
            held.made_at,
            held.expires_at,
            clock.second(),
            of_showtime,
            of_all,
            &held.principal,
        )
        .expect(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(of_showtime: u32, of_all: u32, seats: usize) -> bool {
        let held = Held {
            hold_id: "h".into(),
            principal: "p".into(),
            user_id: "u".into(),
            showtime_id: "st".into(),
            made_at: 0,
            expires_at: 600,
        };
        let seats = vec![ReservedSeat::default(); seats];
        let (screen_id, guards) = ("s1".into(), Vec::new());
        let plan =
            Plan { held, seats, screen_id, import: 1, seats_max: 10, guards, replaced: None };
        plan.within(Counts { of_showtime, of_all }).is_ok()
    }

    #[test]
    fn one_user_holds_twenty_seats_of_a_showing_and_forty_in_all() {
        assert!(within(0, 0, 10) && within(10, 10, 10) && within(10, 30, 10));
        assert!(!within(11, 11, 10) && !within(0, 31, 10) && within(0, 39, 1));
    }
}
