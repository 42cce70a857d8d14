//! `transfer_reservation`: seats become another user's, under a ticket of their own (CIN-93).

use output::cinema::{Change, ChangeKind, Reservation, ReservationStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Problem, Stop, Text, Tool, User, fresh_id, sql, sql::Statement};

use super::{
    NAME_CHARS_MAX, at_most, length, none_of,
    reservations::{ATTEMPTS_MAX, can_change},
};
use crate::{
    clock::{Clock, naive},
    picks::{Picked, is_written},
    refusals::{not_saved, reservation_not_found},
    reservation::{Stored, find, history_json, stored},
    rules,
};

/// 予約を別の利用者に譲る。元のチケットは無効になり、新しい予約番号とQRコードになる。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransferReservation {
    /// 予約のID（reserve_seats の reservation_id）
    #[schemars(length(max = 200))]
    reservation_id: String,
    /// 予約した利用者のID。予約と一致しなければ譲れない
    #[schemars(length(max = 200))]
    user_id: String,
    /// 譲る相手の利用者ID
    #[schemars(length(min = 1, max = 200))]
    to_user_id: String,
}

impl Tool for TransferReservation {
    const NAME: &str = "transfer_reservation";
    const TITLE: Text = Text { ja: "予約譲渡", en: "Give a reservation away" };
    const ENGLISH: English = English {
        description: "Gives a reservation to another user. The old ticket is no longer valid; the new reservation has a number and a QR code of its own.",
        arguments: &[
            ("reservation_id", "The reservation, as reserve_seats names it"),
            ("user_id", "Whom the reservation is for; only they can give it away"),
            ("to_user_id", "Whom it is given to"),
        ],
    };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("reservation");
    const APP: Option<&str> = Some(crate::app::SEATS.uri);
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        let itself = self.to_user_id == self.user_id;
        none_of([
            at_most("/reservation_id", &self.reservation_id),
            at_most("/user_id", &self.user_id),
            length("/to_user_id", &self.to_user_id, NAME_CHARS_MAX),
            itself.then(|| Problem::at("/to_user_id", "must be another user than user_id")),
        ])?;
        let clock = Clock::of_call()?;
        for _ in 0..ATTEMPTS_MAX {
            let not_found = || reservation_not_found(&self.reservation_id);
            let found = stored(&self.reservation_id)?.ok_or_else(not_found)?;
            if let Some(given) = self.given(&found)? {
                return Ok(given);
            }
            let version = found.version;
            let found = found.reservation();
            can_change(&found, &self.user_id, &clock)?;
            if let Some(given) = self.give(&found, version, &clock)? {
                return Ok(given);
            }
        }
        Err(not_saved())
    }
}

impl TransferReservation {
    /// What the same call made of it before.
    fn given(&self, found: &Stored) -> Result<Option<Reservation>, Stop> {
        let found_id = found.next_id.clone();
        let found = found.clone().reservation();
        let is_same = found.status == ReservationStatus::Transferred
            && found.user_id == self.user_id
            && found.transferred_to.as_deref() == Some(&self.to_user_id);
        match found_id.filter(|_| is_same) {
            Some(id) => find(&id),
            None => Ok(None),
        }
    }

    /// Writes it; nothing when the reservation has changed meanwhile.
    fn give(
        &self,
        found: &Reservation,
        version: u32,
        clock: &Clock,
    ) -> Result<Option<Reservation>, Stop> {
        let now = naive(clock.now());
        let id = fresh_id("rsv");
        let change = Change {
            at: now.clone(),
            change: ChangeKind::Transferred,
            from_user_id: Some(self.user_id.clone()),
            to_user_id: Some(self.to_user_id.clone()),
            ..Change::default()
        };
        let history = history_json(&found.history, change);
        let seat_ids: Vec<_> = found.seats.iter().map(|it| it.seat_id.clone()).collect();
        let picked = Picked {
            showtime_id: &found.showtime_id,
            seat_ids: &seat_ids,
            user_id: &self.to_user_id,
            rules: rules::set()?,
            own_seats: &[],
        };
        let [had] = sql::query([picked.had(None, clock)])?;
        picked.check_had(had)?;
        let mut batch = self.old(&id, &history, version, &now);
        batch.extend(picked.room(None, clock));
        batch.push(self.taken_on(&id, &history, &now));
        let seats = "UPDATE reserved_seats SET reservation_id = $2 WHERE reservation_id = $1";
        batch.push(sql!(seats, &self.reservation_id, &id).expect(seat_ids.len()));
        if is_written(sql::transact_all(&batch))? { find(&id) } else { Ok(None) }
    }

    /// The reservation as its giver keeps it, and the user whom it is given to.
    fn old(&self, id: &str, history: &str, version: u32, now: &str) -> Vec<Statement> {
        let old = sql!(
            "UPDATE reservations SET status = 'transferred', transferred_at = $3, \
             transferred_to = $4, next_id = $5, history = $6, version = version + 1 \
             WHERE reservation_id = $1 AND version = $2 AND status = 'confirmed'",
            &self.reservation_id,
            version,
            now,
            &self.to_user_id,
            id,
            history,
        );
        let user = sql!(
            "INSERT INTO users (user_id, name, contact_info) VALUES ($1, '', '') \
             ON CONFLICT (user_id) DO NOTHING",
            &self.to_user_id,
        );
        vec![old.expect(1), user]
    }

    /// The reservation as its taker has it: the same seats at the same price.
    fn taken_on(&self, id: &str, history: &str, now: &str) -> Statement {
        sql!(
            "INSERT INTO reservations (reservation_id, user_id, showtime_id, seats, reserved_at, \
             status, movie_id, movie_title, screen_id, theater_name, theater_name_en, start_time, \
             currency, total, transferred_from, history, movie_title_en) \
             SELECT $2, $3, showtime_id, seats, $4, 'confirmed', movie_id, movie_title, screen_id, \
             theater_name, theater_name_en, start_time, currency, total, user_id, $5, \
             movie_title_en \
             FROM reservations WHERE reservation_id = $1",
            &self.reservation_id,
            id,
            &self.to_user_id,
            now,
            history,
        )
        .expect(1)
    }
}
