//! Reads the programme and what is taken of it from the database.

use std::collections::BTreeMap;

use toolkit::{Stop, sql, sql::Statement};

use crate::{
    clock::Clock,
    programme::{Showing, Slot},
};

/// Showings that one statement asks for: the host lets it have 500 values.
const AMONG_MAX: usize = 400;
/// The columns of [`Slot`]; a WHERE may follow.
const SLOTS: &str = "SELECT p.screen_id, p.starts, p.movie_id, p.weekdays, p.valid_from, \
     p.valid_until, s.name AS screen_name, s.name_en AS screen_name_en, m.title AS movie_title, \
     m.title_en AS movie_title_en, m.duration, s.seats_count, p.prices \
     FROM programme p \
     JOIN screens s ON s.screen_id = p.screen_id \
     JOIN movies m ON m.movie_id = p.movie_id";

/// The whole programme.
pub fn all() -> Statement {
    sql!(SLOTS)
}

/// When a film is on.
pub fn of_movie(movie_id: &str) -> Statement {
    sql!(format!("{SLOTS} WHERE p.movie_id = $1"), movie_id)
}

/// What is on a screen at a time of day, on whichever days.
pub fn of_screen(screen_id: &str, starts: &str) -> Statement {
    sql!(format!("{SLOTS} WHERE p.screen_id = $1 AND p.starts = $2"), screen_id, starts)
}

/// How many seats of each showing are taken or held, counted now (CIN-22).
///
/// # Errors
/// When the database fails.
pub fn taken(showings: &[Showing<'_>], clock: &Clock) -> Result<BTreeMap<String, u32>, Stop> {
    if showings.is_empty() {
        return Ok(BTreeMap::new());
    }
    let statements: Vec<_> = showings.chunks(AMONG_MAX).map(|it| counted(it, clock)).collect();
    let mut taken = BTreeMap::new();
    for rows in sql::query_all(&statements)? {
        taken.extend(rows.read::<(String, u32)>()?);
    }
    Ok(taken)
}

/// Counts what is taken of some showings, at most [`AMONG_MAX`].
fn counted(showings: &[Showing<'_>], clock: &Clock) -> Statement {
    let among = sql::placeholders(2, showings.len());
    // No seat is in both tables.
    let counted = Statement::new(format!(
        "SELECT t.showtime_id, COUNT(*) FROM \
         (SELECT showtime_id, screen_id, seat_id FROM reserved_seats \
         WHERE showtime_id IN ({among}) UNION ALL \
         SELECT d.showtime_id, d.screen_id, d.seat_id FROM held_seats d \
         JOIN holds h ON h.hold_id = d.hold_id AND h.expires_at > $1 \
         WHERE d.showtime_id IN ({among})) t \
         JOIN seats s ON s.screen_id = t.screen_id AND s.seat_id = t.seat_id \
         GROUP BY t.showtime_id"
    ));
    counted.bind(clock.second()).bind_all(showings.iter().map(Showing::id))
}

/// Which of the slots is shown on `date`.
pub fn on(slots: &[Slot], date: jiff::civil::Date) -> Option<Showing<'_>> {
    slots.iter().find_map(|it| it.on(date))
}
