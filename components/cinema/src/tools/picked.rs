//! The seats of a showing that a call names, and whether they can be had (CIN-42 to CIN-44): of reservations
//! and of holds alike.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use output::cinema::ReservedSeat;
use toolkit::{
    Problem, Stop, sql,
    sql::{ConstraintKind, Error, Rows, Statement},
};

use super::at_most;
use crate::{
    clock::{Clock, naive},
    programme::{ShowtimeId, Slot, days_listed},
    refusals::{
        not_saved, seat_already_reserved, seat_data_unavailable, seat_held, seat_not_found,
        showtime_closed, showtime_not_found,
    },
    slots,
};

/// Seats of a showing.
pub(super) struct Picked<'a> {
    /// The showing.
    pub(super) showtime_id: &'a str,
    /// The seats, in the order asked for.
    pub(super) seat_ids: &'a [String],
}

/// The showing, which is open.
#[derive(Debug)]
pub(super) struct Open {
    /// What is shown where.
    pub(super) slot: Slot,
    /// When it begins.
    pub(super) start: DateTime,
}

/// Identifier, row, number, whether someone has it, and the live hold that it is in with its end.
type Row = (String, String, u32, bool, Option<String>, Option<i64>);

impl Picked<'_> {
    /// What is wrong with the arguments themselves.
    pub(super) fn problems(&self, seats_max: usize) -> [Option<Problem>; 4] {
        let count = self.seat_ids.len();
        let count = (!(1..=seats_max).contains(&count))
            .then(|| Problem::at("/seat_ids", format!("must have 1 to {seats_max} seats")));
        let mut long = self.seat_ids.iter().enumerate();
        let long = long.find_map(|(index, it)| at_most(&format!("/seat_ids/{index}"), it));
        let mut seen = BTreeSet::new();
        let twice = self.seat_ids.iter().enumerate().find(|(_, it)| !seen.insert(*it));
        let twice = twice.filter(|_| long.is_none());
        let twice = twice.map(|(index, it)| {
            Problem::at(format!("/seat_ids/{index}"), format!("must not name {it} twice"))
        });
        [at_most("/showtime_id", self.showtime_id), count, long, twice]
    }

    /// What reads the showing, the seats and the catalogue on sale, for [`Picked::open`], [`Picked::free`]
    /// and [`Picked::import`].
    pub(super) fn statements(&self, clock: &Clock) -> [Statement; 3] {
        let id = ShowtimeId::read(self.showtime_id);
        let (screen_id, starts) =
            id.as_ref().map_or(("", ""), |it| (it.screen_id.as_str(), it.starts.as_str()));
        let among = sql::placeholders(4, self.seat_ids.len());
        let seats = format!(
            "SELECT s.seat_id, s.row_label, s.number, \
             CASE WHEN r.seat_id IS NULL THEN 0 ELSE 1 END, h.hold_id, h.expires_at \
             FROM seats s LEFT JOIN reserved_seats r \
             ON r.showtime_id = $1 AND r.seat_id = s.seat_id \
             LEFT JOIN held_seats d ON d.showtime_id = $1 AND d.seat_id = s.seat_id \
             LEFT JOIN holds h ON h.hold_id = d.hold_id AND h.expires_at > $3 \
             WHERE s.screen_id = $2 AND s.seat_id IN ({among})"
        );
        let seats =
            sql!(seats, self.showtime_id, screen_id, clock.second()).bind_all(self.seat_ids);
        [slots::of_screen(screen_id, starts), seats, sql!("SELECT MAX(number) FROM imports")]
    }

    /// The showing, if it is listed, to come, and has seats.
    pub(super) fn open(&self, slots: Rows, clock: &Clock) -> Result<Open, Stop> {
        let not_found = || showtime_not_found(self.showtime_id);
        let id = ShowtimeId::read(self.showtime_id).ok_or_else(not_found)?;
        let slots = slots.read::<Slot>()?;
        let listed = days_listed(clock.today()).contains(&id.date);
        let showing = slots::on(&slots, id.date).filter(|_| listed).ok_or_else(not_found)?;
        if !showing.is_open(clock.now()) {
            return Err(showtime_closed(self.showtime_id, &naive(showing.start)));
        }
        if showing.slot.seats_count == 0 {
            return Err(seat_data_unavailable(self.showtime_id));
        }
        Ok(Open { slot: showing.slot.clone(), start: showing.start })
    }

    /// The catalogue that all of it was read from.
    pub(super) fn import(&self, import: Rows) -> Result<u32, Stop> {
        let (import,) =
            import.first::<(u32,)>()?.ok_or_else(|| showtime_not_found(self.showtime_id))?;
        Ok(import)
    }

    /// The seats in the order asked for, if every one of them exists, and none is taken or in a hold other
    /// than `own`.
    pub(super) fn free(
        &self,
        rows: Rows,
        own: Option<&str>,
        clock: &Clock,
    ) -> Result<Vec<ReservedSeat>, Stop> {
        self.free_of(&rows.read::<Row>()?, own, clock)
    }

    fn free_of(
        &self,
        rows: &[Row],
        own: Option<&str>,
        clock: &Clock,
    ) -> Result<Vec<ReservedSeat>, Stop> {
        let row = |id: &String| rows.iter().find(|it| it.0 == *id);
        let those = |bad: &dyn Fn(&String) -> bool| {
            self.seat_ids.iter().filter(|it| bad(it)).cloned().collect::<Vec<_>>()
        };
        let unknown = those(&|it| row(it).is_none());
        if !unknown.is_empty() {
            return Err(seat_not_found(&unknown));
        }
        let taken = those(&|it| row(it).is_some_and(|it| it.3));
        if !taken.is_empty() {
            return Err(seat_already_reserved(&taken));
        }
        let is_held = |it: &Row| it.4.is_some() && it.4.as_deref() != own;
        let held = those(&|it| row(it).is_some_and(is_held));
        let until = rows.iter().filter(|it| is_held(it)).filter_map(|it| it.5).max();
        if let Some(until) = until {
            return Err(seat_held(&held, &clock.shows(until)));
        }
        let seat = |(seat_id, row, number, ..): &Row| ReservedSeat {
            seat_id: seat_id.clone(),
            row: row.clone(),
            number: *number,
            price: None,
        };
        Ok(self.seat_ids.iter().filter_map(row).map(seat).collect())
    }
}

/// Holds only while that catalogue is on sale.
pub(super) fn on_sale(import: u32) -> Statement {
    let on_sale = sql!(
        "SELECT number FROM imports WHERE number = $1 \
         AND NOT EXISTS (SELECT 1 FROM imports WHERE number > $1)",
        import,
    );
    on_sale.expect(1)
}

/// Whether it was written; false when what it was made from has changed meanwhile, so that it is looked at again.
pub(super) fn is_written<T>(written: Result<T, Error>) -> Result<bool, Stop> {
    match written {
        Ok(_) => Ok(true),
        // Someone was faster, or sent the same key: the next look says who and what.
        Err(Error::Constraint(it)) if it.kind == ConstraintKind::Unique => Ok(false),
        // Another catalogue is on sale now, a seat was taken or held, a hold has ended, or the user holds more.
        Err(Error::UnexpectedCount(_)) => Ok(false),
        Err(Error::Unavailable(_)) => Err(not_saved()),
        Err(other) => Err(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::tests::clock;

    fn free(seat_ids: &[&str], rows: &[Row], own: Option<&str>) -> Result<Vec<ReservedSeat>, Stop> {
        let seat_ids: Vec<_> = seat_ids.iter().map(|it| (*it).to_owned()).collect();
        let picked = Picked { showtime_id: "st-20261120-s1-1000", seat_ids: &seat_ids };
        picked.free_of(rows, own, &clock())
    }

    fn row(seat_id: &str, taken: bool) -> Row {
        let number = seat_id[1..].parse().unwrap();
        (seat_id.into(), seat_id[..1].into(), number, taken, None, None)
    }

    fn held(seat_id: &str, hold: &str, seconds: i64) -> Row {
        let (id, label, number, ..) = row(seat_id, false);
        (id, label, number, false, Some(hold.into()), Some(clock().second() + seconds))
    }

    fn code(stop: Stop) -> String {
        let Stop::Refused(refusal) = stop else { panic!("{stop:?}") };
        format!("{} {}", refusal.code, refusal.details.unwrap())
    }

    #[test]
    fn seats_come_back_in_the_order_asked_for() {
        let seats = free(&["B2", "A1"], &[row("A1", false), row("B2", false)], None).unwrap();
        assert_eq!((seats[0].row.as_str(), seats[0].number, seats[1].number), ("B", 2, 1));
    }

    #[test]
    fn exactly_the_taken_seats_are_named() {
        let rows = [row("A1", true), row("A2", false), row("A3", true)];
        let stop = free(&["A1", "A2", "A3"], &rows, None).unwrap_err();
        assert_eq!(code(stop), r#"seat_already_reserved {"seat_ids":["A1","A3"]}"#);
    }

    #[test]
    fn an_unknown_seat_is_named_before_a_taken_one() {
        let stop = free(&["A1", "Z9"], &[row("A1", true)], None).unwrap_err();
        assert_eq!(code(stop), r#"seat_not_found {"seat_ids":["Z9"]}"#);
    }

    #[test]
    fn held_seats_are_named_with_the_last_end_and_after_taken_ones() {
        let rows = [held("A1", "h1", 60), held("A2", "h2", 120), row("A3", false)];
        let told = code(free(&["A2", "A3", "A1"], &rows, None).unwrap_err());
        let end = "2026-11-20T10:02:00";
        assert!(told.starts_with("seat_held ") && told.contains(end), "{told}");
        assert!(told.contains(r#""seat_ids":["A2","A1"]"#), "{told}");
        let rows = [held("A1", "h1", 60), row("A3", true)];
        let told = code(free(&["A1", "A3"], &rows, None).unwrap_err());
        assert_eq!(told, r#"seat_already_reserved {"seat_ids":["A3"]}"#);
    }

    #[test]
    fn ones_own_hold_stands_against_nothing() {
        let rows = [held("A1", "h1", 60), row("A2", false)];
        assert_eq!(free(&["A1", "A2"], &rows, Some("h1")).unwrap().len(), 2);
        assert!(free(&["A1", "A2"], &rows, Some("h2")).is_err());
    }
}
