//! `get_reservation`, `list_reservations`, `cancel_reservation` and `transfer_reservation`.

use output::cinema::{Change, ChangeKind, Reservation, ReservationStatus, Reservations};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Problem, Stop, Text, Tool, User, fresh_id, sql, sql::Statement};

use super::{NAME_CHARS_MAX, SEATS, at_most, length, reject_problems};
use crate::{
    clock::{Clock, naive},
    hall::publish_seats,
    picks::{Picked, is_written},
    refusals::{
        already_checked_in, not_saved, reservation_not_found, reservation_transferred,
        reservation_user_mismatch, showtime_closed, ticket_cancelled,
    },
    reservation::{COLUMNS, Stored, as_typed, find, history_json, stored},
    rules, waiting,
};

/// Maximum attempts while the reservation changes concurrently.
pub(super) const ATTEMPTS_MAX: u32 = 5;
/// Maximum reservations per listing.
const LISTED_MAX: u32 = 100;

/// 予約の内容を取得。
/// en: Looks up a reservation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetReservation {
    /// 予約のID（reserve_seats の reservation_id）
    /// en: The reservation, as reserve_seats names it
    #[schemars(length(max = 200))]
    reservation_id: String,
}

impl Tool for GetReservation {
    const NAME: &str = "get_reservation";
    const TITLE: Text = Text { ja: "予約内容確認", en: "Look up a reservation" };
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("reservation");
    const APP: Option<&str> = Some(SEATS.uri);
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        look_up(&as_typed(&self.reservation_id))
    }
}

/// 利用者の予約を新しい順に取得（最大100件）。
/// en: Lists a user's reservations, newest first, at most 100.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListReservations {
    /// 予約した利用者のID
    /// en: Whom the reservations are for
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
    /// 任意。true なら取り消した予約・譲渡した予約も含める
    /// en: Optional. With true, those cancelled or given away as well
    #[serde(default)]
    include_cancelled: bool,
}

impl Tool for ListReservations {
    const NAME: &str = "list_reservations";
    const TITLE: Text = Text { ja: "予約一覧", en: "List reservations" };
    const LABELS: &[(&str, Text)] = &[(
        "include_cancelled",
        Text { ja: "取り消した予約も含める", en: "Include cancelled reservations" },
    )];
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Reservations;

    fn call(self, _: &User) -> Result<Reservations, Stop> {
        reject_problems([length("/user_id", &self.user_id, NAME_CHARS_MAX)])?;
        let those = "FROM reservations WHERE user_id = $1 AND (status = 'confirmed' OR $2 = 1)";
        let listed = format!(
            "SELECT {COLUMNS} {those} \
             ORDER BY reserved_at DESC, start_time DESC, reservation_id LIMIT {LISTED_MAX}"
        );
        let [listed, count] = sql::query([
            sql!(listed, &self.user_id, self.include_cancelled),
            sql!(format!("SELECT COUNT(*) {those}"), &self.user_id, self.include_cancelled),
        ])?;
        let listed = listed.read::<Stored>()?.into_iter().map(Stored::reservation);
        let reservations_count = count.first::<(u32,)>()?.map_or(0, |it| it.0);
        let reservations: Vec<_> = listed.collect();
        let now = match reservations.is_empty() {
            true => None,
            false => Some(naive(Clock::for_call()?.now())),
        };
        Ok(Reservations { reservations, reservations_count, now })
    }
}

/// 予約を取り消し、座席を空ける。上映開始後は取り消せない。
/// en: Cancels a reservation and frees its seats, until the showing begins.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelReservation {
    /// 予約のID（reserve_seats の reservation_id）
    /// en: The reservation, as reserve_seats names it
    #[schemars(length(max = 200))]
    reservation_id: String,
    /// 予約した利用者のID。予約と一致しなければ取り消せない
    /// en: Whom the reservation is for; only they can cancel it
    #[schemars(length(max = 200))]
    user_id: String,
}

impl Tool for CancelReservation {
    const NAME: &str = "cancel_reservation";
    const TITLE: Text = Text { ja: "予約取消", en: "Cancel a reservation" };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("reservation");
    const APP: Option<&str> = Some(SEATS.uri);
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        reject_problems([at_most("/user_id", &self.user_id)])?;
        let clock = Clock::for_call()?;
        let now = naive(clock.now());
        for _ in 0..ATTEMPTS_MAX {
            let found = look_up(&self.reservation_id)?;
            if found.user_id == self.user_id && found.status == ReservationStatus::Cancelled {
                return Ok(found);
            }
            can_change(&found, &self.user_id, &clock)?;
            let cancel = sql!(
                "UPDATE reservations SET status = 'cancelled', cancelled_at = $2, \
                 version = version + 1 WHERE reservation_id = $1 AND status = 'confirmed' \
                 AND checked_in_at IS NULL AND showtime_id = $3",
                &self.reservation_id,
                &now,
                &found.showtime_id,
            );
            let free =
                sql!("DELETE FROM reserved_seats WHERE reservation_id = $1", &self.reservation_id);
            if is_written(sql::transact([cancel.expect(1), free]))? {
                publish_seats(&found.showtime_id);
                waiting::settle_freed(&found.showtime_id, &clock)?;
                return Ok(Reservation { status: ReservationStatus::Cancelled, ..found });
            }
        }
        Err(not_saved())
    }
}

/// Whether its user can still cancel it or give it away: it is theirs, valid, unused, and of a future showing.
fn can_change(found: &Reservation, user_id: &str, clock: &Clock) -> Result<(), Stop> {
    let id = &found.reservation_id;
    if found.user_id != user_id {
        return Err(reservation_user_mismatch(id));
    }
    match found.status {
        ReservationStatus::Confirmed => {}
        ReservationStatus::Cancelled => return Err(ticket_cancelled(id, None)),
        ReservationStatus::Transferred => return Err(reservation_transferred(id, None)),
    }
    if let Some(at) = &found.checked_in_at {
        return Err(already_checked_in(id, at));
    }
    let start = found.start_time.as_deref().unwrap_or_default();
    if clock.moment(start).is_none_or(|it| clock.has_passed(it)) {
        return Err(showtime_closed(&found.showtime_id, start));
    }
    Ok(())
}

fn look_up(reservation_id: &str) -> Result<Reservation, Stop> {
    reject_problems([at_most("/reservation_id", reservation_id)])?;
    find(reservation_id)?.ok_or_else(|| reservation_not_found(reservation_id))
}

// `transfer_reservation`: gives the seats to another user with a new ticket (CIN-93).

/// 予約を別の利用者に譲る。元のチケットは無効になり、新しい予約番号とQRコードになる。
/// en: Gives a reservation to another user. The old ticket is no longer valid; the new reservation has a number and a
/// QR code of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransferReservation {
    /// 予約のID（reserve_seats の reservation_id）
    /// en: The reservation, as reserve_seats names it
    #[schemars(length(max = 200))]
    reservation_id: String,
    /// 予約した利用者のID。予約と一致しなければ譲れない
    /// en: Whom the reservation is for; only they can give it away
    #[schemars(length(max = 200))]
    user_id: String,
    /// 譲る相手の利用者ID
    /// en: Whom it is given to
    #[schemars(length(min = 1, max = 200))]
    to_user_id: String,
}

impl Tool for TransferReservation {
    const NAME: &str = "transfer_reservation";
    const TITLE: Text = Text { ja: "予約譲渡", en: "Give a reservation away" };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("reservation");
    const APP: Option<&str> = Some(SEATS.uri);
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        let itself = self.to_user_id == self.user_id;
        reject_problems([
            at_most("/reservation_id", &self.reservation_id),
            at_most("/user_id", &self.user_id),
            length("/to_user_id", &self.to_user_id, NAME_CHARS_MAX),
            itself.then(|| Problem::at("/to_user_id", "must be another user than user_id")),
        ])?;
        let clock = Clock::for_call()?;
        for _ in 0..ATTEMPTS_MAX {
            let not_found = || reservation_not_found(&self.reservation_id);
            let found = stored(&self.reservation_id)?.ok_or_else(not_found)?;
            if let Some(given) = self.earlier_transfer(&found)? {
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
    /// Result of the same earlier call.
    fn earlier_transfer(&self, found: &Stored) -> Result<Option<Reservation>, Stop> {
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

    /// Writes the transfer; `None` if the reservation changed concurrently.
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
        let [owned_count] = sql::query([picked.owned_count(None, clock)])?;
        picked.check_owned(owned_count)?;
        let mut batch = self.old(&id, &history, version, &now);
        batch.extend(picked.room(None, clock));
        batch.push(self.taken_on(&id, &history, &now));
        let seats = "UPDATE reserved_seats SET reservation_id = $2 WHERE reservation_id = $1";
        batch.push(sql!(seats, &self.reservation_id, &id).expect(seat_ids.len()));
        if is_written(sql::transact_all(&batch))? { find(&id) } else { Ok(None) }
    }

    /// Updates the giver's reservation.
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

    /// Inserts the receiver's reservation: the same seats at the same price.
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
