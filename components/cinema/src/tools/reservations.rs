//! `get_reservation` and `cancel_reservation`: what was reserved, and giving it back.

use output::cinema::{Reservation, ReservationStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

use super::{at_most, none_of};
use crate::{
    clock::{Clock, naive},
    refusals::{reservation_not_found, reservation_user_mismatch, showtime_closed},
    reservation::{COLUMNS, first},
};

/// 予約の内容を取得。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetReservation {
    /// 予約のID（reserve_seats の reservation_id）
    #[schemars(length(max = 200))]
    reservation_id: String,
}

impl Tool for GetReservation {
    const NAME: &str = "get_reservation";
    const TITLE: Text = Text { ja: "予約内容確認", en: "Look up a reservation" };
    const ENGLISH: English = English {
        description: "Looks up a reservation.",
        arguments: &[("reservation_id", "The reservation, as reserve_seats names it")],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("reservation");
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        look_up(&self.reservation_id)
    }
}

/// 予約を取り消し、座席を空ける。上映開始後は取り消せない。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelReservation {
    /// 予約のID（reserve_seats の reservation_id）
    #[schemars(length(max = 200))]
    reservation_id: String,
    /// 予約した利用者のID。予約と一致しなければ取り消せない
    #[schemars(length(max = 200))]
    user_id: String,
}

impl Tool for CancelReservation {
    const NAME: &str = "cancel_reservation";
    const TITLE: Text = Text { ja: "予約取消", en: "Cancel a reservation" };
    const ENGLISH: English = English {
        description: "Cancels a reservation and frees its seats, until the showing begins.",
        arguments: &[
            ("reservation_id", "The reservation, as reserve_seats names it"),
            ("user_id", "Whom the reservation is for; only they can cancel it"),
        ],
    };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("reservation");
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        none_of([at_most("/user_id", &self.user_id)])?;
        let found = look_up(&self.reservation_id)?;
        if found.user_id != self.user_id {
            return Err(reservation_user_mismatch(&self.reservation_id));
        }
        if found.status == ReservationStatus::Cancelled {
            return Ok(found);
        }
        let now = naive(Clock::of_call()?.now());
        let start = found.start_time.as_deref().unwrap_or_default();
        if start <= now.as_str() {
            return Err(showtime_closed(&found.showtime_id, start));
        }
        let cancel = sql!(
            "UPDATE reservations SET status = 'cancelled', cancelled_at = $2 \
             WHERE reservation_id = $1 AND status = 'confirmed'",
            &self.reservation_id,
            now,
        );
        let free =
            sql!("DELETE FROM reserved_seats WHERE reservation_id = $1", &self.reservation_id);
        sql::transact([cancel, free])?;
        Ok(Reservation { status: ReservationStatus::Cancelled, ..found })
    }
}

fn look_up(reservation_id: &str) -> Result<Reservation, Stop> {
    none_of([at_most("/reservation_id", reservation_id)])?;
    let sql = format!("SELECT {COLUMNS} FROM reservations WHERE reservation_id = $1");
    let [rows] = sql::query([sql!(sql, reservation_id)])?;
    first(rows)?.ok_or_else(|| reservation_not_found(reservation_id))
}
