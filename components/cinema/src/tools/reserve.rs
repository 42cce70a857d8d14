//! `reserve_seats`: reserves all seats or none (CIN-40 to CIN-48).

use std::collections::BTreeSet;

use output::cinema::{
    Change, ChangeKind, Reservation, ReservationStatus, Reservations, SeatRules, total,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    Hints, Problem, Stop, Text, Tool, User, caller, fresh_id, sql,
    sql::{Rows, Statement},
};

use super::{NAME_CHARS_MAX, SEATS, at_most, labels, length, reject_problems};
use crate::{
    clock::{Clock, naive, zone_name},
    hall::publish_seats,
    holds::{self, Held, end, free_expired},
    picks::{Chosen, Open, Picked, insert_reserved, is_written, on_sale},
    refusals::{
        already_checked_in, idempotency_conflict, not_saved, reservation_cancelled,
        reservation_not_found, reservation_transferred, reservation_user_mismatch, showtime_closed,
        ticket_cancelled,
    },
    reservation::{
        COLUMNS, Stored, as_typed, find, first, history_json, seats_json,
        seats_per_reservation_max, stored,
    },
    rules,
    waiting::{self, reserved},
};

/// Maximum attempts while the catalogue, seats or the reservation change concurrently.
pub(super) const ATTEMPTS_MAX: u32 = 5;

/// 指定座席の予約を確定。
/// en: Reserves the given seats of a showtime.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReserveSeats {
    /// 予約する利用者のID
    /// en: Whom the reservation is for
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 座席のID（list_available_seats の seat_id）。すべて予約できるか、一席も予約しない
    /// en: The seats, as list_available_seats names them. All are reserved, or none
    #[schemars(length(min = 1), inner(length(max = 200)))]
    seat_ids: Vec<String>,
    /// 任意。同じキーで再送しても予約は一度だけ
    /// en: Optional. Sent again under the same key, the reservation is made once
    #[schemars(length(min = 1, max = 200))]
    idempotency_key: Option<String>,
    /// 任意。同じ利用者の仮押さえ（hold_seats の hold_token か、list_holds の hold_id）
    /// en: Optional. The same user's hold: its hold_token, or its hold_id of list_holds
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
}

impl Tool for ReserveSeats {
    const NAME: &str = "reserve_seats";
    const TITLE: Text = Text { ja: "座席予約確定", en: "Reserve seats" };
    const LABELS: &[(&str, Text)] = &[
        labels::SHOWTIME,
        labels::SEATS,
        ("idempotency_key", Text { ja: "再送キー", en: "Idempotency key" }),
    ];
    const HINTS: Hints = Hints::ADDITIVE;
    const VIEW: Option<&str> = Some("reservation");
    const APP: Option<&str> = Some(SEATS.uri);
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        self.check(seats_per_reservation_max()?)?;
        let rules = rules::set()?;
        let clock = Clock::for_call()?;
        let own = self.hold_token.as_deref().map(holds::resolve).transpose()?;
        waiting::settle_freed(&self.showtime_id, &clock)?;
        for _ in 0..ATTEMPTS_MAX {
            match self.look(own.as_deref(), rules, &clock)? {
                Existing::Reserved(reservation) => return Ok(reservation),
                Existing::Free(plan) => {
                    if plan.write(&clock)? {
                        publish_seats(&self.showtime_id);
                        if own.is_some() {
                            // Held seats that were not reserved are free.
                            waiting::settle_freed(&self.showtime_id, &clock)?;
                        }
                        return Ok(plan.reservation);
                    }
                }
            }
        }
        Err(not_saved())
    }
}

/// State before writing.
enum Existing {
    /// The same call was made before.
    Reserved(Reservation),
    /// The seats can be reserved.
    Free(Plan),
}

impl ReserveSeats {
    fn picked(&self, rules: SeatRules) -> Picked<'_> {
        let Self { showtime_id, seat_ids, user_id, .. } = self;
        Picked { showtime_id, seat_ids, user_id, rules, own_seats: &[] }
    }

    fn check(&self, seats_max: usize) -> Result<(), Stop> {
        let (key, token) = (self.idempotency_key.as_ref(), self.hold_token.as_ref());
        let [showtime, count, long, twice] = self.picked(SeatRules::default()).problems(seats_max);
        reject_problems([
            length("/user_id", &self.user_id, NAME_CHARS_MAX),
            showtime,
            count,
            long,
            twice,
            key.and_then(|it| length("/idempotency_key", it, NAME_CHARS_MAX)),
            token.and_then(|it| at_most("/hold_token", it)),
        ])
    }

    /// Reads all inputs of the decision in one snapshot.
    fn look(&self, own: Option<&str>, rules: SeatRules, clock: &Clock) -> Result<Existing, Stop> {
        let picked = self.picked(rules);
        let [slots, seats, import, closed] = picked.statements(clock);
        let owned_count = picked.owned_count(own, clock);
        let hold = holds::of_id(own.unwrap_or_default());
        let [before, hold, slots, seats, import, closed, owned_count] =
            sql::query([self.before(), hold, slots, seats, import, closed, owned_count])?;
        if let Some(before) = first(before)? {
            return self.repeat(before).map(Existing::Reserved);
        }
        let open = picked.open(slots, closed, clock)?;
        let hold_id = self.hold(hold, clock)?;
        let prices = open.slot.price_list();
        let chosen = picked.free(seats, hold_id.as_deref(), prices.as_ref(), clock)?;
        picked.check_owned(owned_count)?;
        let import = picked.import(import)?;
        let preconditions = picked.preconditions(&chosen, hold_id.as_deref(), clock);
        let plan = self.plan(open, chosen, hold_id, clock, import);
        Ok(Existing::Free(Plan { preconditions, ..plan }))
    }

    /// The caller's own live hold for this user and showing, if named.
    fn hold(&self, found: Rows, clock: &Clock) -> Result<Option<String>, Stop> {
        if self.hold_token.is_none() {
            return Ok(None);
        }
        let is_own = |it: &Held| it.user_id == self.user_id && it.showtime_id == self.showtime_id;
        let found = found.first::<Held>()?.filter(is_own);
        Ok(Some(holds::live(found, clock)?.hold_id))
    }

    /// Selects this caller's reservation with the same key and user.
    fn before(&self) -> Statement {
        if self.idempotency_key.is_none() {
            return sql!(format!("SELECT {COLUMNS} FROM reservations WHERE 1 = 0"));
        }
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

    fn plan(
        &self,
        open: Open,
        chosen: Chosen,
        hold_id: Option<String>,
        clock: &Clock,
        import: u32,
    ) -> Plan {
        let Open { slot, start } = open;
        let reservation = Reservation {
            reservation_id: fresh_id("rsv"),
            reserved_at: naive(clock.now()),
            total: total(&chosen.seats),
            seats: chosen.seats,
            user_id: self.user_id.clone(),
            showtime_id: self.showtime_id.clone(),
            status: ReservationStatus::Confirmed,
            movie_title: Some(slot.movie_title),
            movie_title_en: slot.movie_title_en,
            start_time: Some(naive(start)),
            theater_name: Some(slot.screen_name),
            theater_name_en: slot.screen_name_en,
            timezone: zone_name().ok(),
            ..Reservation::default()
        };
        Plan {
            reservation,
            movie_id: slot.movie_id,
            screen_id: slot.screen_id,
            idempotency_key: self.idempotency_key.clone(),
            hold_id,
            import,
            preconditions: Vec::new(),
        }
    }

    /// Returns the earlier reservation of the same key, if it matches and is valid (CIN-47).
    fn repeat(&self, before: Reservation) -> Result<Reservation, Stop> {
        let key = self.idempotency_key.as_deref().unwrap_or_default();
        let asked: BTreeSet<_> = self.seat_ids.iter().collect();
        // For a moved reservation, compares the original seats.
        let moved = before.history.iter().find(|it| it.change == ChangeKind::Moved);
        let (showtime_id, made): (_, BTreeSet<_>) = match moved {
            Some(moved) => (moved.from_showtime_id.as_ref(), moved.from_seat_ids.iter().collect()),
            None => {
                (Some(&before.showtime_id), before.seats.iter().map(|it| &it.seat_id).collect())
            }
        };
        if showtime_id != Some(&self.showtime_id) || asked != made {
            return Err(idempotency_conflict(key));
        }
        match before.status {
            ReservationStatus::Confirmed => Ok(before),
            ReservationStatus::Cancelled => Err(reservation_cancelled(key, &before.reservation_id)),
            ReservationStatus::Transferred => {
                Err(reservation_transferred(&before.reservation_id, None))
            }
        }
    }
}

// A checked reservation, and the transaction that writes it.

/// A checked reservation, valid unless another call is faster.
struct Plan {
    /// The output.
    reservation: Reservation,
    /// Film, for later imports.
    movie_id: String,
    /// Where the seats are.
    screen_id: String,
    /// Key under which the same caller may repeat the call.
    idempotency_key: Option<String>,
    /// Hold that becomes the reservation.
    hold_id: Option<String>,
    /// Import that it was checked against.
    import: u32,
    /// Preconditions of the batch.
    preconditions: Vec<Statement>,
}

impl Plan {
    /// Writes the batch; false if its preconditions changed.
    fn write(&self, clock: &Clock) -> Result<bool, Stop> {
        is_written(sql::transact_all(&self.batch(clock)))
    }

    fn batch(&self, clock: &Clock) -> Vec<Statement> {
        let user = sql!(
            "INSERT INTO users (user_id, name, contact_info) VALUES ($1, '', '') \
             ON CONFLICT (user_id) DO NOTHING",
            &self.reservation.user_id,
        );
        let mut batch = vec![on_sale(self.import)];
        batch.extend(self.preconditions.iter().cloned());
        batch.extend([user, self.reservation()]);
        if let Some(hold_id) = &self.hold_id {
            let [hold, seats] = end(hold_id, clock);
            batch.extend([hold.expect(1), seats, reserved(hold_id, clock)]);
        }
        let made = &self.reservation;
        batch.extend([
            free_expired(&made.showtime_id, &made.seats, clock),
            insert_reserved(&made.showtime_id, &made.reservation_id, &self.screen_id, &made.seats),
        ]);
        batch.extend(self.key());
        batch
    }

    /// Inserts the key. The primary key of `idempotency_keys` permits one reservation per key and caller (CIN-47).
    fn key(&self) -> Option<Statement> {
        let key = self.idempotency_key.as_ref()?;
        Some(sql!(
            "INSERT INTO idempotency_keys (principal, user_id, idempotency_key, reservation_id) \
             VALUES ($1, $2, $3, $4)",
            caller::principal(),
            &self.reservation.user_id,
            key,
            &self.reservation.reservation_id,
        ))
    }

    fn reservation(&self) -> Statement {
        let made = &self.reservation;
        sql!(
            "INSERT INTO reservations (reservation_id, user_id, showtime_id, seats, reserved_at, \
             status, movie_id, movie_title, screen_id, theater_name, theater_name_en, start_time, \
             currency, total, movie_title_en) \
             VALUES ($1, $2, $3, $4, $5, 'confirmed', $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            &made.reservation_id,
            &made.user_id,
            &made.showtime_id,
            seats_json(&made.seats),
            &made.reserved_at,
            &self.movie_id,
            made.movie_title.clone(),
            &self.screen_id,
            made.theater_name.clone(),
            made.theater_name_en.clone(),
            made.start_time.clone(),
            made.total.as_ref().map(|it| it.currency.clone()),
            made.total.as_ref().and_then(|it| i64::try_from(it.amount).ok()),
            made.movie_title_en.clone(),
        )
    }
}

// `get_reservation`, `list_reservations`, `cancel_reservation` and `transfer_reservation`.

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

#[cfg(test)]
mod tests {
    use output::cinema::ReservedSeat;

    use super::*;

    fn asks(seat_ids: &[&str]) -> ReserveSeats {
        ReserveSeats {
            user_id: "u1".into(),
            showtime_id: "st-20261120-s1-1000".into(),
            seat_ids: seat_ids.iter().map(|it| (*it).to_owned()).collect(),
            idempotency_key: Some("k".into()),
            hold_token: None,
        }
    }

    fn code(stop: Stop) -> String {
        match stop {
            Stop::Refused(refusal) => format!("{} {}", refusal.code, refusal.details.unwrap()),
            Stop::InvalidArguments(problems) => problems[0].pointer.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rejects_no_too_many_or_duplicate_seats() {
        assert_eq!(code(asks(&[]).check(10).unwrap_err()), "/seat_ids");
        assert_eq!(code(asks(&["A1", "A2", "A3"]).check(2).unwrap_err()), "/seat_ids");
        assert_eq!(code(asks(&["A1", "A2", "A1"]).check(10).unwrap_err()), "/seat_ids/2");
        assert!(asks(&["A1", "A2"]).check(2).is_ok());
    }

    #[test]
    fn too_long_identifier_is_not_echoed() {
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
    fn same_key_repeats_or_conflicts() {
        let seat =
            |it: &str| ReservedSeat { seat_id: it.into(), row: "A".into(), number: 1, price: None };
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
        let expected = r#"reservation_cancelled {"idempotency_key":"k","reservation_id":"r"}"#;
        assert_eq!(code(stop), expected);
    }
}
