//! Reads the programme and what is taken of it from the database.

use std::collections::BTreeMap;

use toolkit::{Stop, sql, sql::Statement};

use crate::programme::{Showing, Slot};

/// The columns of [`Slot`]; a WHERE may follow.
const SLOTS: &str = "SELECT p.screen_id, p.starts, p.movie_id, p.weekdays, p.valid_from, \
     p.valid_until, s.name AS screen_name, s.name_en AS screen_name_en, m.title AS movie_title, \
     m.duration, s.seats_count \
     FROM programme p \
     JOIN screens s ON s.screen_id = p.screen_id \
     JOIN movies m ON m.movie_id = p.movie_id";

/// The whole programme.
#[must_use]
pub fn all() -> Statement {
    sql!(SLOTS)
}

/// When a film is on.
#[must_use]
pub fn of_movie(movie_id: &str) -> Statement {
    sql!(format!("{SLOTS} WHERE p.movie_id = $1"), movie_id)
}

/// What is on a screen at a time of day, on whichever days.
#[must_use]
pub fn of_screen(screen_id: &str, starts: &str) -> Statement {
    sql!(format!("{SLOTS} WHERE p.screen_id = $1 AND p.starts = $2"), screen_id, starts)
}

/// How many seats of each showing are taken, counted now (CIN-22).
///
/// # Errors
/// When the database fails.
pub fn taken(showings: &[Showing<'_>]) -> Result<BTreeMap<String, u32>, Stop> {
    if showings.is_empty() {
        return Ok(BTreeMap::new());
    }
    let among = sql::placeholders(1, showings.len());
    let counted = Statement::new(format!(
        "SELECT r.showtime_id, COUNT(*) FROM reserved_seats r \
         JOIN seats s ON s.screen_id = r.screen_id AND s.seat_id = r.seat_id \
         WHERE r.showtime_id IN ({among}) GROUP BY r.showtime_id"
    ));
    let [rows] = sql::query([counted.bind_all(showings.iter().map(Showing::id))])?;
    Ok(rows.read::<(String, u32)>()?.into_iter().collect())
}

/// Which of the slots is shown on `date`.
#[must_use]
pub fn on(slots: &[Slot], date: jiff::civil::Date) -> Option<Showing<'_>> {
    slots.iter().find_map(|it| it.on(date))
}
