//! The requested seats of a showing, and whether they are available (CIN-42 to CIN-44), for reservations and holds.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use output::cinema::{Broken, PriceList, ReservedSeat, Seat, SeatKind, SeatRules, pair_up};
use serde::Deserialize;
use toolkit::{
    Problem, Stop, sql,
    sql::{ConstraintKind, Error, Rows, Statement},
};

use crate::{
    clock::{Clock, naive},
    hall::Hall,
    programme::{self, ShowtimeId, Slot, closed, days_listed, still_open},
    refusals::{
        at_most, not_saved, sales_closed, seat_already_reserved, seat_data_unavailable, seat_held,
        seat_not_found, showtime_closed, showtime_not_found,
    },
    rules,
    suggestion::{Suggestion, avoided, suggest},
};

/// Requested seats of a showing.
pub struct Picked<'a> {
    /// Identifier of the showtime.
    pub showtime_id: &'a str,
    /// Seats in the requested order.
    pub seat_ids: &'a [String],
    /// User whom they are for.
    pub user_id: &'a str,
    /// Rules for the choice.
    pub rules: SeatRules,
    /// The user's own reserved seats of the showing, which may be chosen as well.
    pub own_seats: &'a [String],
}

/// Available seats.
#[derive(Debug)]
pub struct Chosen {
    /// Seats in the requested order.
    pub seats: Vec<ReservedSeat>,
    /// Their rows.
    rows: Vec<String>,
    /// Number of unavailable seats in these rows.
    taken: usize,
}

/// Counts the seats of a user (`$2`) in a showing (`$1`) at a second (`$3`), except those of a hold (`$4`).
const OWNED_COUNT: &str = "((SELECT COUNT(*) FROM reserved_seats s JOIN reservations r \
     ON r.reservation_id = s.reservation_id WHERE s.showtime_id = $1 AND r.user_id = $2) + \
     (SELECT COUNT(*) FROM held_seats d JOIN holds h ON h.hold_id = d.hold_id \
     WHERE d.showtime_id = $1 AND h.user_id = $2 AND h.expires_at > $3 AND h.hold_id <> $4))";

/// A showing that can be booked.
#[derive(Debug)]
pub struct Open {
    /// Its slot.
    pub slot: Slot,
    /// Local start time.
    pub start: DateTime,
}

/// A seat of a requested row, whether it is taken, and its live hold.
#[derive(Clone, Debug, Deserialize)]
struct Row {
    seat_id: String,
    row_label: String,
    number: u32,
    position: u32,
    kind: SeatKind,
    is_reserved: bool,
    hold_id: Option<String>,
    expires_at: Option<i64>,
}

impl Picked<'_> {
    /// Validates the arguments.
    pub fn problems(&self, seats_max: usize) -> [Option<Problem>; 4] {
        let count = self.seat_ids.len();
        let count = (!(1..=seats_max).contains(&count))
            .then(|| Problem::at("/seat_ids", format!("must have 1 to {seats_max} seats")));
        let mut long = self.seat_ids.iter().enumerate();
        let long = long.find_map(|(index, it)| at_most(&format!("/seat_ids/{index}"), it));
        let mut distinct = BTreeSet::new();
        let twice = self.seat_ids.iter().enumerate().find(|(_, it)| !distinct.insert(*it));
        let twice = twice.filter(|_| long.is_none());
        let twice = twice.map(|(index, id)| {
            Problem::at(format!("/seat_ids/{index}"), format!("must not name {id} twice"))
        });
        [at_most("/showtime_id", self.showtime_id), count, long, twice]
    }

    /// Selects the showing, the seats, the catalogue on sale and closed sales, for [`Picked::open`],
    /// [`Picked::free`] and [`Picked::import`].
    pub fn statements(&self, clock: &Clock) -> [Statement; 4] {
        let id = ShowtimeId::read(self.showtime_id);
        let (screen_id, starts) =
            id.as_ref().map_or(("", ""), |it| (it.screen_id.as_str(), it.starts.as_str()));
        let among = sql::placeholders(4, self.seat_ids.len());
        // Whole rows, because the rules examine neighbours.
        let seats = format!(
            "SELECT s.seat_id, s.row_label, s.number, s.position, s.kind, \
             CASE WHEN r.seat_id IS NULL THEN 0 ELSE 1 END AS is_reserved, \
             h.hold_id, h.expires_at \
             FROM seats s LEFT JOIN reserved_seats r \
             ON r.showtime_id = $1 AND r.seat_id = s.seat_id \
             LEFT JOIN held_seats d ON d.showtime_id = $1 AND d.seat_id = s.seat_id \
             LEFT JOIN holds h ON h.hold_id = d.hold_id AND h.expires_at > $3 \
             WHERE s.screen_id = $2 AND s.row_label IN \
             (SELECT p.row_label FROM seats p WHERE p.screen_id = $2 AND p.seat_id IN ({among})) \
             ORDER BY s.row_label, s.number"
        );
        let seats =
            sql!(seats, self.showtime_id, screen_id, clock.second()).bind_all(self.seat_ids);
        [
            programme::of_screen(screen_id, starts),
            seats,
            sql!("SELECT MAX(number) FROM imports"),
            closed(self.showtime_id),
        ]
    }

    /// Returns the showing if it is listed, in the future, has seats, and its sales are open.
    ///
    /// # Errors
    /// If it is not.
    pub fn open(&self, slots: Rows, closed: Rows, clock: &Clock) -> Result<Open, Stop> {
        let open = self.to_come(slots, clock)?;
        match closed.first::<(Option<String>,)>()? {
            None => Ok(open),
            Some((reason,)) => Err(sales_closed(self.showtime_id, reason.as_deref())),
        }
    }

    /// Returns the showing if it is listed, in the future, and has seats.
    pub fn to_come(&self, slots: Rows, clock: &Clock) -> Result<Open, Stop> {
        let not_found = || showtime_not_found(self.showtime_id);
        let id = ShowtimeId::read(self.showtime_id).ok_or_else(not_found)?;
        let slots = slots.read::<Slot>()?;
        let listed = days_listed(clock.today()).contains(&id.date);
        let showing = programme::on(&slots, id.date).filter(|_| listed).ok_or_else(not_found)?;
        let start = showing.begins(clock);
        if !showing.is_open(clock) {
            return Err(showtime_closed(self.showtime_id, &naive(start)));
        }
        if showing.slot.seats_count == 0 {
            return Err(seat_data_unavailable(self.showtime_id));
        }
        Ok(Open { slot: showing.slot.clone(), start })
    }

    /// Returns the number of the import on sale.
    pub fn import(&self, import: Rows) -> Result<u32, Stop> {
        let (import,) =
            import.first::<(u32,)>()?.ok_or_else(|| showtime_not_found(self.showtime_id))?;
        Ok(import)
    }

    /// Returns the seats in the requested order with their prices. Each has to exist, must not be taken or
    /// in a hold other than `own`, and the choice has to follow the rules.
    pub fn free(
        &self,
        rows: Rows,
        own: Option<&str>,
        prices: Option<&PriceList>,
        clock: &Clock,
    ) -> Result<Chosen, Stop> {
        let mut rows = rows.read::<Row>()?;
        for row in &mut rows {
            row.is_reserved &= !self.own_seats.contains(&row.seat_id);
        }
        let mut seats = self.free_of(&rows, own, clock)?;
        for seat in &mut seats {
            let kind = rows.iter().find(|it| it.seat_id == seat.seat_id).map(|it| it.kind);
            seat.price = prices.zip(kind).map(|(list, kind)| list.of(kind));
        }
        let mut around: Vec<_> = rows.iter().map(|it| it.seat(own)).collect();
        pair_up(&mut around);
        let broken = self.rules.broken(&around, self.seat_ids);
        if !broken.is_empty() {
            return Err(self.refuse(&broken, own, clock)?);
        }
        let taken = around.iter().filter(|it| !it.is_available()).count();
        let mut labels: Vec<_> = around.into_iter().map(|it| it.row).collect();
        labels.dedup();
        Ok(Chosen { seats, rows: labels, taken })
    }

    /// Rejects a choice that breaks rules, suggesting other seats if there are some.
    fn refuse(&self, broken: &[Broken], own: Option<&str>, clock: &Clock) -> Result<Stop, Stop> {
        let hall = Hall::load(self.showtime_id, own, clock)?;
        let count_of = |kind| {
            let is_such = |it: &&Seat| it.kind == kind && self.seat_ids.contains(&it.seat_id);
            hall.seats.iter().filter(is_such).count()
        };
        let wheelchairs = count_of(SeatKind::Wheelchair);
        let avoided = avoided(count_of(SeatKind::Premium) > 0, hall.prices.as_ref());
        let found = suggest(&hall.seats, self.seat_ids.len(), wheelchairs, self.rules, avoided);
        let seat_ids = |found: Suggestion<'_>| -> Vec<_> {
            found.parts.into_iter().flatten().map(|it| it.seat_id.clone()).collect()
        };
        Ok(rules::refusal(broken, found.map(seat_ids).as_deref()))
    }

    /// Counts the user's seats of the showing, except those of the hold `own`; 0 without a rule that needs it.
    pub fn owned_count(&self, own: Option<&str>, clock: &Clock) -> Statement {
        if self.rules.seats_per_person_max.is_none() {
            // Would read every reserved seat of the showing.
            return sql!("SELECT 0");
        }
        let count = format!("SELECT {OWNED_COUNT}");
        sql!(count, self.showtime_id, self.user_id, clock.second(), own.unwrap_or_default())
    }

    /// Rejects more seats of a showing than one person may have.
    pub fn check_owned(&self, owned_count: Rows) -> Result<(), Stop> {
        let Some(max) = self.rules.seats_per_person_max else { return Ok(()) };
        let (owned_count,) = owned_count.first::<(u32,)>()?.unwrap_or_default();
        let with =
            usize::try_from(owned_count).unwrap_or(usize::MAX).saturating_add(self.seat_ids.len());
        if with <= usize::try_from(max).unwrap_or(usize::MAX) {
            return Ok(());
        }
        Err(rules::too_many(max, owned_count, self.seat_ids))
    }

    /// Requires in the batch that the user may still have these seats.
    pub fn room(&self, own: Option<&str>, clock: &Clock) -> Option<Statement> {
        let max = self.rules.seats_per_person_max?;
        let room = i64::from(max) - i64::try_from(self.seat_ids.len()).unwrap_or(i64::MAX);
        let own = own.unwrap_or_default();
        let owned_count = format!("SELECT 1 WHERE {OWNED_COUNT} <= $5");
        let owned_count =
            sql!(owned_count, self.showtime_id, self.user_id, clock.second(), own, room);
        Some(owned_count.expect(1))
    }

    /// Conditions of a batch for rules beyond the seats themselves: each returns one row while the rows and
    /// the user's seats are unchanged.
    pub fn preconditions(
        &self,
        chosen: &Chosen,
        own: Option<&str>,
        clock: &Clock,
    ) -> Vec<Statement> {
        let mut preconditions = vec![still_open(self.showtime_id)];
        preconditions.extend(self.room(own, clock));
        let own = own.unwrap_or_default();
        if self.rules.no_single_gap {
            let among = sql::placeholders(6, chosen.rows.len());
            let screen = "SELECT s.seat_id FROM seats s WHERE s.screen_id = $2";
            let rows = format!("seat_id IN ({screen} AND s.row_label IN ({among}))");
            let taken = format!(
                "SELECT 1 WHERE (SELECT COUNT(*) FROM reserved_seats \
                 WHERE showtime_id = $1 AND {rows}) + \
                 (SELECT COUNT(*) FROM held_seats WHERE showtime_id = $1 AND {rows} AND hold_id IN \
                 (SELECT h.hold_id FROM holds h WHERE h.expires_at > $3 AND h.hold_id <> $4)) = $5"
            );
            let screen_id = ShowtimeId::read(self.showtime_id).map(|it| it.screen_id);
            let taken = sql!(
                taken,
                self.showtime_id,
                screen_id.unwrap_or_default(),
                clock.second(),
                own,
                i64::try_from(chosen.taken).unwrap_or(i64::MAX),
            );
            preconditions.push(taken.bind_all(&chosen.rows).expect(1));
        }
        preconditions
    }

    fn free_of(
        &self,
        rows: &[Row],
        own: Option<&str>,
        clock: &Clock,
    ) -> Result<Vec<ReservedSeat>, Stop> {
        let row = |id: &String| rows.iter().find(|it| it.seat_id == *id);
        let those = |bad: &dyn Fn(&String) -> bool| {
            self.seat_ids.iter().filter(|it| bad(it)).cloned().collect::<Vec<_>>()
        };
        let unknown = those(&|it| row(it).is_none());
        if !unknown.is_empty() {
            return Err(seat_not_found(&unknown));
        }
        let taken = those(&|it| row(it).is_some_and(|it| it.is_reserved));
        if !taken.is_empty() {
            return Err(seat_already_reserved(&taken));
        }
        let is_held = |it: &Row| it.hold_id.is_some() && it.hold_id.as_deref() != own;
        let held = those(&|it| row(it).is_some_and(is_held));
        let until = self.seat_ids.iter().filter_map(row).filter(|it| is_held(it));
        let until = until.filter_map(|it| it.expires_at).max();
        if let Some(until) = until {
            return Err(seat_held(&held, &clock.shows(until)));
        }
        let seat = |row: &Row| ReservedSeat {
            seat_id: row.seat_id.clone(),
            row: row.row_label.clone(),
            number: row.number,
            price: None,
        };
        Ok(self.seat_ids.iter().filter_map(row).map(seat).collect())
    }
}

impl Row {
    /// The seat as the holder of `own` sees it.
    fn seat(&self, own: Option<&str>) -> Seat {
        Seat {
            seat_id: self.seat_id.clone(),
            row: self.row_label.clone(),
            number: self.number,
            is_reserved: self.is_reserved,
            is_held: self.hold_id.is_some(),
            is_mine: self.hold_id.is_some() && self.hold_id.as_deref() == own,
            column: Some(self.position),
            kind: self.kind,
            pair_with: None,
        }
    }
}

/// Requires in the batch that this import is still on sale.
pub fn on_sale(import: u32) -> Statement {
    let on_sale = sql!(
        "SELECT number FROM imports WHERE number = $1 \
         AND NOT EXISTS (SELECT 1 FROM imports WHERE number > $1)",
        import,
    );
    on_sale.expect(1)
}

/// Assigns free seats of a showing to a reservation, all of them. The primary key of `reserved_seats`
/// lets one caller win each seat (CIN-43). A seat that is still held belongs to another user.
pub fn insert_reserved(
    showtime_id: &str,
    reservation_id: &str,
    screen_id: &str,
    seats: &[ReservedSeat],
) -> Statement {
    let among = sql::placeholders(4, seats.len());
    let insert = format!(
        "INSERT INTO reserved_seats (showtime_id, seat_id, screen_id, reservation_id) \
         SELECT $1, s.seat_id, s.screen_id, $2 FROM seats s \
         WHERE s.screen_id = $3 AND s.seat_id IN ({among}) AND NOT EXISTS \
         (SELECT 1 FROM held_seats d WHERE d.showtime_id = $1 AND d.seat_id = s.seat_id)"
    );
    sql!(insert, showtime_id, reservation_id, screen_id)
        .bind_all(seats.iter().map(|it| &it.seat_id))
        .expect(seats.len())
}

/// Whether the batch was written; false if its preconditions changed, so that it is tried again.
pub fn is_written<T>(written: Result<T, Error>) -> Result<bool, Stop> {
    match written {
        Ok(_) => Ok(true),
        // Another call was faster, or used the same key; the next attempt finds out.
        Err(Error::Constraint(it)) if it.kind == ConstraintKind::Unique => Ok(false),
        // Another import is on sale, a seat was taken or held, a hold has expired, or the user holds more.
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
        let (showtime_id, rules) = ("st-20261120-s1-1000", SeatRules::default());
        let picked =
            Picked { showtime_id, seat_ids: &seat_ids, user_id: "u1", rules, own_seats: &[] };
        picked.free_of(rows, own, &clock())
    }

    fn row(seat_id: &str, taken: bool) -> Row {
        let number = seat_id[1..].parse().unwrap();
        Row {
            seat_id: seat_id.into(),
            row_label: seat_id[..1].into(),
            number,
            position: number,
            kind: SeatKind::Standard,
            is_reserved: taken,
            hold_id: None,
            expires_at: None,
        }
    }

    fn held(seat_id: &str, hold: &str, seconds: i64) -> Row {
        let expires_at = Some(clock().second() + seconds);
        Row { hold_id: Some(hold.into()), expires_at, ..row(seat_id, false) }
    }

    fn code(stop: Stop) -> String {
        let Stop::Refused(refusal) = stop else { panic!("{stop:?}") };
        format!("{} {}", refusal.code, refusal.details.unwrap())
    }

    #[test]
    fn returns_seats_in_requested_order() {
        let seats = free(&["B2", "A1"], &[row("A1", false), row("B2", false)], None).unwrap();
        assert_eq!((seats[0].row.as_str(), seats[0].number, seats[1].number), ("B", 2, 1));
    }

    #[test]
    fn names_exactly_the_taken_seats() {
        let rows = [row("A1", true), row("A2", false), row("A3", true)];
        let stop = free(&["A1", "A2", "A3"], &rows, None).unwrap_err();
        assert_eq!(code(stop), r#"seat_already_reserved {"seat_ids":["A1","A3"]}"#);
    }

    #[test]
    fn reports_unknown_seat_before_taken_one() {
        let stop = free(&["A1", "Z9"], &[row("A1", true)], None).unwrap_err();
        assert_eq!(code(stop), r#"seat_not_found {"seat_ids":["Z9"]}"#);
    }

    #[test]
    fn reports_held_seats_with_latest_expiry() {
        let rows = [held("A1", "h1", 60), held("A2", "h2", 120), row("A3", false)];
        let text = code(free(&["A2", "A3", "A1"], &rows, None).unwrap_err());
        let end = "2026-11-20T10:02:00";
        assert!(text.starts_with("seat_held ") && text.contains(end), "{text}");
        assert!(text.contains(r#""seat_ids":["A2","A1"]"#), "{text}");
        let rows = [held("A1", "h1", 60), row("A3", true)];
        let text = code(free(&["A1", "A3"], &rows, None).unwrap_err());
        assert_eq!(text, r#"seat_already_reserved {"seat_ids":["A3"]}"#);
    }

    #[test]
    fn own_hold_does_not_block() {
        let rows = [held("A1", "h1", 60), row("A2", false)];
        assert_eq!(free(&["A1", "A2"], &rows, Some("h1")).unwrap().len(), 2);
        assert!(free(&["A1", "A2"], &rows, Some("h2")).is_err());
    }
}
