//! A reservation that only has to be written, and the one transaction that writes it.

use output::cinema::Reservation;
use toolkit::{Stop, caller, sql, sql::Statement};

use crate::{
    clock::Clock,
    holds::{end, free_expired},
    picks::{insert_reserved, is_written, on_sale},
    reservation::seats_json,
    waiting::reserved,
};

/// What will be reserved unless another call is faster.
pub(super) struct Plan {
    /// As it will go out.
    pub(super) reservation: Reservation,
    /// The film, for imports to come.
    pub(super) movie_id: String,
    /// Where the seats are.
    pub(super) screen_id: String,
    /// Under which the same call of the same caller may come again.
    pub(super) idempotency_key: Option<String>,
    /// The hold that becomes the reservation.
    pub(super) hold_id: Option<String>,
    /// The catalogue that the plan was made from.
    pub(super) import: u32,
    /// What has to be so still.
    pub(super) guards: Vec<Statement>,
}

impl Plan {
    /// Writes all of it or nothing; false when what the plan was made from has changed meanwhile.
    pub(super) fn write(&self, clock: &Clock) -> Result<bool, Stop> {
        is_written(sql::transact_all(&self.batch(clock)))
    }

    fn batch(&self, clock: &Clock) -> Vec<Statement> {
        let user = sql!(
            "INSERT INTO users (user_id, name, contact_info) VALUES ($1, '', '') \
             ON CONFLICT (user_id) DO NOTHING",
            &self.reservation.user_id,
        );
        let mut batch = vec![on_sale(self.import)];
        batch.extend(self.guards.iter().cloned());
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

    /// The primary key of `idempotency_keys` lets each key of a caller make one reservation (CIN-47).
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
