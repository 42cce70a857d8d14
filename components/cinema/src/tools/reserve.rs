//! `reserve_seats`: seats become someone's, all of them or none (CIN-40 to CIN-48).

mod plan;

use std::collections::BTreeSet;

use output::cinema::{Reservation, ReservationStatus, ReservedSeat};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    English, Hints, Problem, Stop, Text, Tool, User, caller, fresh_id, sql, sql::Statement,
};

use plan::Plan;

use super::{NAME_CHARS_MAX, at_most, length, none_of};
use crate::{
    clock::{Clock, naive},
    programme::{Showing, ShowtimeId, Slot, days_listed},
    refusals::{
        idempotency_conflict, not_saved, reservation_cancelled, seat_already_reserved,
        seat_data_unavailable, seat_not_found, showtime_closed, showtime_not_found,
    },
    reservation::{COLUMNS, first, seats_per_reservation_max},
    slots,
};

/// How often a reservation is tried while the catalogue changes, or seats are cancelled, under it.
const ATTEMPTS_MAX: u32 = 5;

/// 指定座席の予約を確定。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReserveSeats {
    /// 予約する利用者のID
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
    /// 上映時間枠のID（list_showtimes の showtime_id）
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 座席のID（list_available_seats の seat_id）。すべて予約できるか、一席も予約しない
    #[schemars(length(min = 1), inner(length(max = 200)))]
    seat_ids: Vec<String>,
    /// 任意。同じキーで再送しても予約は一度だけ
    #[schemars(length(min = 1, max = 200))]
    idempotency_key: Option<String>,
}

impl Tool for ReserveSeats {
    const NAME: &str = "reserve_seats";
    const TITLE: Text = Text { ja: "座席予約確定", en: "Reserve seats" };
    const ENGLISH: English = English {
        description: "Reserves the given seats of a showtime.",
        arguments: &[
            ("user_id", "Whom the reservation is for"),
            ("showtime_id", "The showtime, as list_showtimes names it"),
            (
                "seat_ids",
                "The seats, as list_available_seats names them. All are reserved, or none",
            ),
            (
                "idempotency_key",
                "Optional. Sent again under the same key, the reservation is made once",
            ),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    const VIEW: Option<&str> = Some("reservation");
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        self.check(seats_per_reservation_max()?)?;
        let clock = Clock::of_call()?;
        for _ in 0..ATTEMPTS_MAX {
            match self.look(&clock)? {
                Found::Reserved(reservation) => return Ok(reservation),
                Found::Free(plan) => {
                    if plan.write()? {
                        return Ok(plan.reservation);
                    }
                }
            }
        }
        Err(not_saved())
    }
}

/// What there is before anything is written.
enum Found {
    /// The same call was answered before.
    Reserved(Reservation),
    /// Nothing stands against it.
    Free(Plan),
}

impl ReserveSeats {
    fn check(&self, seats_max: usize) -> Result<(), Stop> {
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
        let key = self.idempotency_key.as_ref();
        none_of([
            length("/user_id", &self.user_id, NAME_CHARS_MAX),
            at_most("/showtime_id", &self.showtime_id),
            count,
            long,
            twice,
            key.and_then(|it| length("/idempotency_key", it, NAME_CHARS_MAX)),
        ])
    }

    /// Reads everything that decides, in one snapshot.
    fn look(&self, clock: &Clock) -> Result<Found, Stop> {
        let not_found = || showtime_not_found(&self.showtime_id);
        let id = ShowtimeId::read(&self.showtime_id);
        let (screen_id, starts) =
            id.as_ref().map_or(("", ""), |it| (it.screen_id.as_str(), it.starts.as_str()));
        let [before, slots, seats, import] = sql::query([
            self.before(),
            slots::of_screen(screen_id, starts),
            self.seats(screen_id),
            sql!("SELECT MAX(number) FROM imports"),
        ])?;
        if let Some(before) = first(before)? {
            return self.repeat(before).map(Found::Reserved);
        }
        let id = id.ok_or_else(not_found)?;
        let slots = slots.read::<Slot>()?;
        let listed = days_listed(clock.today()).contains(&id.date);
        let showing = slots::on(&slots, id.date).filter(|_| listed).ok_or_else(not_found)?;
        if !showing.is_open(clock.now()) {
            return Err(showtime_closed(&self.showtime_id, &naive(showing.start)));
        }
        if showing.slot.seats_count == 0 {
            return Err(seat_data_unavailable(&self.showtime_id));
        }
        let seats = self.free(seats.read::<Row>()?)?;
        let (import,) = import.first::<(u32,)>()?.ok_or_else(not_found)?;
        Ok(Found::Free(self.plan(&showing, seats, clock, import)))
    }

    /// What this caller has reserved under the same key for this user.
    fn before(&self) -> Statement {
        sql!(
            format!(
                "SELECT {COLUMNS} FROM reservations WHERE reservation_id IN \
                 (SELECT reservation_id FROM idempotency_keys \
                 WHERE principal = $1 AND user_id = $2 AND idempotency_key = $3) \
                 OR (idempotency_key = $3 AND user_id = $2)"
            ),
            caller::principal(),
            &self.user_id,
            self.idempotency_key.clone(),
        )
    }

    /// The seats asked for, and which of them someone has.
    fn seats(&self, screen_id: &str) -> Statement {
        let among = sql::placeholders(3, self.seat_ids.len());
        let seats = format!(
            "SELECT s.seat_id, s.row_label, s.number, \
             CASE WHEN r.seat_id IS NULL THEN 0 ELSE 1 END \
             FROM seats s LEFT JOIN reserved_seats r \
             ON r.showtime_id = $1 AND r.seat_id = s.seat_id \
             WHERE s.screen_id = $2 AND s.seat_id IN ({among})"
        );
        sql!(seats, &self.showtime_id, screen_id).bind_all(&self.seat_ids)
    }

    /// The seats in the order asked for, if every one of them exists and none is taken.
    fn free(&self, rows: Vec<Row>) -> Result<Vec<ReservedSeat>, Stop> {
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
        let seat = |(seat_id, row, number, _): &Row| ReservedSeat {
            seat_id: seat_id.clone(),
            row: row.clone(),
            number: *number,
        };
        Ok(self.seat_ids.iter().filter_map(row).map(seat).collect())
    }

    fn plan(
        &self,
        showing: &Showing<'_>,
        seats: Vec<ReservedSeat>,
        clock: &Clock,
        import: u32,
    ) -> Plan {
        let slot = showing.slot;
        let reservation = Reservation {
            reservation_id: fresh_id("rsv"),
            reserved_at: naive(clock.now()),
            seats,
            user_id: self.user_id.clone(),
            showtime_id: self.showtime_id.clone(),
            status: ReservationStatus::Confirmed,
            movie_title: Some(slot.movie_title.clone()),
            start_time: Some(naive(showing.start)),
            theater_name: Some(slot.screen_name.clone()),
            theater_name_en: slot.screen_name_en.clone(),
        };
        Plan {
            reservation,
            movie_id: slot.movie_id.clone(),
            screen_id: slot.screen_id.clone(),
            idempotency_key: self.idempotency_key.clone(),
            import,
        }
    }

    /// The reservation that the same key made before, if it was for the same and holds (CIN-47).
    fn repeat(&self, before: Reservation) -> Result<Reservation, Stop> {
        let key = self.idempotency_key.as_deref().unwrap_or_default();
        let asked: BTreeSet<_> = self.seat_ids.iter().collect();
        let made: BTreeSet<_> = before.seats.iter().map(|it| &it.seat_id).collect();
        if before.showtime_id != self.showtime_id || asked != made {
            return Err(idempotency_conflict(key));
        }
        match before.status {
            ReservationStatus::Confirmed => Ok(before),
            ReservationStatus::Cancelled => Err(reservation_cancelled(key, &before.reservation_id)),
        }
    }
}

/// Identifier, row, number, and whether someone has it.
type Row = (String, String, u32, bool);

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(seat_ids: &[&str]) -> ReserveSeats {
        ReserveSeats {
            user_id: "u1".into(),
            showtime_id: "st-20261120-s1-1000".into(),
            seat_ids: seat_ids.iter().map(|it| (*it).to_owned()).collect(),
            idempotency_key: Some("k".into()),
        }
    }

    fn row(seat_id: &str, taken: bool) -> Row {
        (seat_id.into(), seat_id[..1].into(), seat_id[1..].parse().unwrap(), taken)
    }

    fn code(stop: Stop) -> String {
        match stop {
            Stop::Refused(refusal) => format!("{} {}", refusal.code, refusal.details.unwrap()),
            Stop::InvalidArguments(problems) => problems[0].pointer.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn seats_come_back_in_the_order_asked_for() {
        let seats = asks(&["B2", "A1"]).free(vec![row("A1", false), row("B2", false)]).unwrap();
        assert_eq!((seats[0].row.as_str(), seats[0].number, seats[1].number), ("B", 2, 1));
    }

    #[test]
    fn exactly_the_taken_seats_are_named() {
        let rows = vec![row("A1", true), row("A2", false), row("A3", true)];
        let stop = asks(&["A1", "A2", "A3"]).free(rows).unwrap_err();
        assert_eq!(code(stop), r#"seat_already_reserved {"seat_ids":["A1","A3"]}"#);
    }

    #[test]
    fn an_unknown_seat_is_named_before_a_taken_one() {
        let stop = asks(&["A1", "Z9"]).free(vec![row("A1", true)]).unwrap_err();
        assert_eq!(code(stop), r#"seat_not_found {"seat_ids":["Z9"]}"#);
    }

    #[test]
    fn none_too_many_and_double_seats_are_refused() {
        assert_eq!(code(asks(&[]).check(10).unwrap_err()), "/seat_ids");
        assert_eq!(code(asks(&["A1", "A2", "A3"]).check(2).unwrap_err()), "/seat_ids");
        assert_eq!(code(asks(&["A1", "A2", "A1"]).check(10).unwrap_err()), "/seat_ids/2");
        assert!(asks(&["A1", "A2"]).check(2).is_ok());
    }

    #[test]
    fn an_identifier_that_is_too_long_is_named_and_not_repeated() {
        let long = "A".repeat(201);
        let Stop::InvalidArguments(problems) = asks(&["A1", &long, &long]).check(10).unwrap_err()
        else {
            panic!()
        };
        assert_eq!(problems[0].pointer, "/seat_ids/1");
        assert!(problems.iter().all(|it| !it.message.contains(&long)), "{problems:?}");
        let showtime = ReserveSeats { showtime_id: long, ..asks(&["A1"]) };
        assert_eq!(code(showtime.check(10).unwrap_err()), "/showtime_id");
    }

    #[test]
    fn the_same_key_answers_the_same_call_and_refuses_another() {
        let seat = |it: &str| ReservedSeat { seat_id: it.into(), row: "A".into(), number: 1 };
        let before = Reservation {
            user_id: "u1".into(),
            showtime_id: "st-20261120-s1-1000".into(),
            seats: vec![seat("A1"), seat("A2")],
            ..Reservation::default()
        };
        assert!(asks(&["A2", "A1"]).repeat(before.clone()).is_ok());
        let stop = asks(&["A1"]).repeat(before.clone()).unwrap_err();
        assert_eq!(code(stop), r#"idempotency_conflict {"idempotency_key":"k"}"#);
        let status = ReservationStatus::Cancelled;
        let cancelled = Reservation { status, reservation_id: "r".into(), ..before };
        let stop = asks(&["A1", "A2"]).repeat(cancelled).unwrap_err();
        let told = r#"reservation_cancelled {"idempotency_key":"k","reservation_id":"r"}"#;
        assert_eq!(code(stop), told);
    }
}
