//! Reservations in the database.

use output::cinema::{Change, Price, Reservation, ReservationStatus, ReservedSeat};
use serde::Deserialize;
use toolkit::{Stop, settings, settings::Unfit, sql, sql::Rows};

use crate::clock::zone_name;

/// Default maximum of seats per call (CIN-44).
const SEATS_DEFAULT: usize = 10;
/// Upper limit of that maximum.
const SEATS_MAX: usize = 100;
/// Maximum number of changes kept in a reservation's history.
const CHANGES_MAX: usize = 50;

/// Columns of [`Stored`].
pub const COLUMNS: &str = "reservation_id, user_id, showtime_id, seats, reserved_at, status, \
     movie_title, movie_title_en, start_time, theater_name, theater_name_en, currency, total, checked_in_at, \
     transferred_to, transferred_from, history, cancelled_at, transferred_at, movie_id, screen_id, \
     next_id, version";

/// A row of `reservations`.
#[derive(Clone, Debug, Deserialize)]
pub struct Stored {
    reservation_id: String,
    user_id: String,
    showtime_id: String,
    seats: String,
    reserved_at: String,
    status: ReservationStatus,
    movie_title: String,
    movie_title_en: Option<String>,
    start_time: String,
    theater_name: String,
    theater_name_en: Option<String>,
    currency: Option<String>,
    total: Option<i64>,
    checked_in_at: Option<String>,
    transferred_to: Option<String>,
    transferred_from: Option<String>,
    history: Option<String>,
    /// Time of the cancellation.
    pub cancelled_at: Option<String>,
    /// Time when it was given away.
    pub transferred_at: Option<String>,
    /// Identifier of its film.
    pub movie_id: String,
    /// Where the seats are.
    pub screen_id: String,
    /// The new reservation after it was given away.
    pub next_id: Option<String>,
    /// Number of changes.
    pub version: u32,
}

/// Normalizes a typed reservation number: width, case and spaces.
pub fn as_typed(number: &str) -> String {
    let narrow = |it| match it {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(it) - 0xfee0).unwrap_or(it),
        'ー' | '−' | '‐' | '–' => '-',
        it => it,
    };
    number.trim().chars().map(narrow).collect::<String>().to_lowercase()
}

/// Reads the reservation in the first row, if any.
///
/// # Errors
/// If the row is invalid.
pub fn first(rows: Rows) -> Result<Option<Reservation>, Stop> {
    Ok(rows.first::<Stored>()?.map(Stored::reservation))
}

/// Finds a reservation.
///
/// # Errors
/// If the database cannot be read.
pub fn find(reservation_id: &str) -> Result<Option<Reservation>, Stop> {
    Ok(stored(reservation_id)?.map(Stored::reservation))
}

/// Finds a reservation with its internal columns.
///
/// # Errors
/// If the database cannot be read.
pub fn stored(reservation_id: &str) -> Result<Option<Stored>, Stop> {
    let sql = format!("SELECT {COLUMNS} FROM reservations WHERE reservation_id = $1");
    let [rows] = sql::query([sql!(sql, reservation_id)])?;
    Ok(rows.first()?)
}

impl Stored {
    /// Converts it to output.
    ///
    /// # Panics
    /// If its seats were not written by [`seats_json`].
    pub fn reservation(self) -> Reservation {
        let total = self.total.and_then(|it| u64::try_from(it).ok());
        let history = self.history.map(|it| serde_json::from_str(&it));
        Reservation {
            reservation_id: self.reservation_id,
            reserved_at: self.reserved_at,
            seats: serde_json::from_str(&self.seats).expect("seats are stored as JSON"),
            user_id: self.user_id,
            showtime_id: self.showtime_id,
            status: self.status,
            movie_title: Some(self.movie_title),
            movie_title_en: self.movie_title_en,
            start_time: Some(self.start_time),
            theater_name: Some(self.theater_name),
            theater_name_en: self.theater_name_en,
            total: self.currency.zip(total).map(|(currency, amount)| Price { currency, amount }),
            checked_in_at: self.checked_in_at,
            transferred_to: self.transferred_to,
            transferred_from: self.transferred_from,
            history: history.transpose().expect("changes are stored as JSON").unwrap_or_default(),
            timezone: zone_name().ok(),
        }
    }
}

/// Serializes the history with a new change.
///
/// # Panics
/// Never: texts are JSON.
pub fn history_json(before: &[Change], change: Change) -> String {
    // Drops the oldest changes beyond the limit.
    let from = (before.len() + 1).saturating_sub(CHANGES_MAX);
    let changes: Vec<_> = before[from..].iter().cloned().chain([change]).collect();
    serde_json::to_string(&changes).expect("changes are texts")
}

/// Serializes the seats for a column and for a line of `reservations.jsonl` (CIN-45), which has a total
/// instead of single prices.
///
/// # Panics
/// Never: texts and numbers are JSON.
pub fn seats_json(seats: &[ReservedSeat]) -> String {
    let seats: Vec<_> = seats.iter().map(|it| ReservedSeat { price: None, ..it.clone() }).collect();
    serde_json::to_string(&seats).expect("seats are texts and numbers")
}

/// Maximum seats per call: the setting `seats_per_reservation_max`, default 10.
///
/// # Errors
/// If the setting is not from 1 to 100.
pub fn seats_per_reservation_max() -> Result<usize, Unfit> {
    settings::number("seats_per_reservation_max", SEATS_DEFAULT, 1..=SEATS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_typed_reservation_number() {
        for typed in
            ["rsv-35n7", " RSV-35N7\n", "Rsv-35n7", "ｒｓｖ－３５ｎ７", "ｒｓｖー３５ｎ７　"]
        {
            assert_eq!(as_typed(typed), "rsv-35n7", "{typed}");
        }
    }
}
