//! Showings whose sales the staff has closed (CIN-95).

use toolkit::{sql, sql::Statement};

/// Why a showing is closed: a row, if it is.
pub fn closed(showtime_id: &str) -> Statement {
    sql!("SELECT reason FROM closed_sales WHERE showtime_id = $1", showtime_id)
}

/// The showings that are closed, from an identifier on.
pub fn closed_from(first_id: &str) -> Statement {
    sql!("SELECT showtime_id FROM closed_sales WHERE showtime_id >= $1", first_id)
}

/// Holds only while the sales of a showing are open.
pub fn still_open(showtime_id: &str) -> Statement {
    let open = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM closed_sales WHERE showtime_id = $1)";
    sql!(open, showtime_id).expect(1)
}
