//! Releases the seats of holds that have expired, forgets what was chosen in apps, and notifies clients that look at them.

use toolkit::{Stop, sql, sql::Statement};

use crate::{clock::Clock, notices::seats_changed};

/// Showings that are swept in one run; the rest waits for the next.
const SHOWTIMES_MAX: usize = 50;
/// How long a hold that has expired is remembered, and what was chosen in an app, in seconds.
const REMEMBERED_S: i64 = 86_400;

/// One sweep.
///
/// # Errors
/// When the database fails.
pub fn sweep(clock: &Clock) -> Result<(), Stop> {
    let expired = toolkit::sql!(
        format!(
            "SELECT DISTINCT d.showtime_id FROM holds h JOIN held_seats d ON d.hold_id = h.hold_id \
             WHERE h.expires_at <= $1 LIMIT {SHOWTIMES_MAX}"
        ),
        clock.second(),
    );
    let forgotten = clock.second() - REMEMBERED_S;
    let old = toolkit::sql!("SELECT 1 FROM holds WHERE expires_at <= $1 LIMIT 1", forgotten);
    let chosen = toolkit::sql!("SELECT 1 FROM choices WHERE kept_at <= $1 LIMIT 1", forgotten);
    let [expired, old, chosen] = sql::query([expired, old, chosen])?;
    let expired: Vec<(String,)> = expired.read()?;
    let mut batch = Vec::new();
    if !expired.is_empty() {
        let among = sql::placeholders(2, expired.len());
        let free = Statement::new(format!(
            "DELETE FROM held_seats WHERE showtime_id IN ({among}) \
             AND hold_id IN (SELECT hold_id FROM holds WHERE expires_at <= $1)"
        ));
        batch.push(free.bind(clock.second()).bind_all(expired.iter().map(|it| &it.0)));
    }
    if !old.is_empty() {
        let forget = "DELETE FROM holds WHERE expires_at <= $1 \
             AND hold_id NOT IN (SELECT hold_id FROM held_seats)";
        batch.push(toolkit::sql!(forget, forgotten));
    }
    if !chosen.is_empty() {
        batch.push(toolkit::sql!("DELETE FROM choices WHERE kept_at <= $1", forgotten));
    }
    if !batch.is_empty() {
        sql::transact_all(&batch)?;
    }
    expired.iter().for_each(|it| seats_changed(&it.0));
    Ok(())
}
