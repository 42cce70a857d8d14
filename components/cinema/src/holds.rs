//! Holds: seats kept for a user for some minutes until they are reserved.
//!
//! A hold is live until the second when it expires; after that it has no effect, whether its rows are
//! [swept](sweep) or not. A call that takes a seat sweeps it in the same transaction.

use output::cinema::{Hold, PriceList, ReservedSeat, SeatKind, total};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use toolkit::{
    Stop, caller,
    settings::{self, Unfit},
    sql,
    sql::{Rows, Statement},
};

use crate::{
    clock::Clock,
    hall::publish_seats,
    programme::{self, ShowtimeId, Slot},
    refusals::{hold_expired, hold_not_found},
};

/// Default duration of a hold, in minutes.
const MINUTES_DEFAULT: u32 = 10;
/// Default maximum duration of a hold, in minutes.
const MINUTES_MAX_DEFAULT: u32 = 60;
/// Upper limit of the maximum, in minutes.
const MINUTES_MAX_MAX: u32 = 24 * 60;

/// Prefix of handles, and digits of the hold's id in them.
const HANDLE: &str = "hd-";
const HANDLE_DIGITS: usize = 20;
/// Extension of clients that must not receive secrets.
const HANDLES: &str = "madoguchi/handles";
/// Maximum live holds of one user and caller, by their seats.
const LISTED_MAX: u32 = 400;
/// Columns of [`Held`]; a WHERE may follow.
const HOLDS: &str =
    "SELECT hold_id, principal, user_id, showtime_id, made_at, expires_at FROM holds";

/// Durations of holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutes {
    /// Default.
    pub default: u32,
    /// Maximum, from the time when it was made.
    pub max: u32,
}

impl Minutes {
    /// Reads the settings `hold_minutes` (default 10) and `hold_minutes_max` (default 60).
    ///
    /// # Errors
    /// If either is out of range.
    pub fn set() -> Result<Self, Unfit> {
        let max = settings::number("hold_minutes_max", MINUTES_MAX_DEFAULT, 1..=MINUTES_MAX_MAX)?;
        let default = settings::number("hold_minutes", MINUTES_DEFAULT.min(max), 1..=max)?;
        Ok(Self { default, max })
    }

    /// Returns the requested duration, or the default.
    ///
    /// # Errors
    /// If it is 0 or above the maximum.
    pub fn requested(self, minutes: Option<u32>) -> Result<u32, Stop> {
        let minutes = minutes.unwrap_or(self.default);
        if (1..=self.max).contains(&minutes) {
            return Ok(minutes);
        }
        Err(toolkit::invalid("/minutes", format!("must be from 1 to {}", self.max)))
    }
}

/// A row of `holds`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Held {
    /// Digest of the token.
    pub hold_id: String,
    /// Caller who made it.
    pub principal: String,
    /// User whom it is for.
    pub user_id: String,
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// When it was made, in seconds since 1970.
    pub made_at: i64,
    /// When it expires, in seconds since 1970.
    pub expires_at: i64,
}

impl Held {
    /// Whether it has not expired.
    pub fn is_live(&self, clock: &Clock) -> bool {
        self.expires_at > clock.second()
    }

    /// Converts the hold to output, with the token if the client may keep it.
    pub fn to_output(self, token: Option<String>, seats: Vec<ReservedSeat>, clock: &Clock) -> Hold {
        let left = self.expires_at - clock.second();
        Hold {
            hold_id: handle(&self.hold_id),
            hold_token: token,
            showtime_id: self.showtime_id,
            user_id: self.user_id,
            total: total(&seats),
            seats,
            expires_at: clock.shows(self.expires_at),
            seconds_left: u32::try_from(left).unwrap_or_default(),
        }
    }
}

/// Digest under which a token is stored.
pub fn digest(token: &str) -> String {
    let hash = Sha256::digest(token.as_bytes());
    hash.iter().map(|it| format!("{it:02x}")).collect()
}

/// Handle of a hold: safe to show, and valid only for the caller who made the hold.
pub fn handle(hold_id: &str) -> String {
    format!("{HANDLE}{}", hold_id.get(..HANDLE_DIGITS).unwrap_or(hold_id))
}

/// Digits of a handle; `None` for a token.
fn digits(given: &str) -> Option<&str> {
    let digits = given.strip_prefix(HANDLE)?;
    let fits = |it: u8| it.is_ascii_digit() || (b'a'..=b'f').contains(&it);
    (digits.len() == HANDLE_DIGITS && digits.bytes().all(fits)).then_some(digits)
}

/// Resolves a token, or a handle of this caller's hold, to the hold's id. Unknown ones resolve to no hold.
///
/// # Errors
/// If the database fails.
pub fn resolve(given: &str) -> Result<String, Stop> {
    let Some(digits) = digits(given) else { return Ok(digest(given)) };
    // The upper bound `g` follows all hexadecimal digits.
    let found = "SELECT hold_id FROM holds WHERE hold_id >= $1 AND hold_id < $2 AND principal = $3";
    let found = sql!(found, digits, format!("{digits}g"), caller::principal());
    let [found] = sql::query([found])?;
    Ok(found.first::<(String,)>()?.map_or_else(|| digest(given), |it| it.0))
}

/// Returns the token unless the client must not receive secrets, because models or people would read it.
pub fn disclosable(token: String) -> Option<String> {
    let capabilities = caller::client_capabilities();
    let keeps = capabilities["extensions"][HANDLES].is_null();
    keeps.then_some(token)
}

/// Selects a hold by its id.
pub fn of_id(hold_id: &str) -> Statement {
    sql!(format!("{HOLDS} WHERE hold_id = $1"), hold_id)
}

/// Selects this caller's live holds for a user, newest first, of one showing or all. Offers of waiting
/// lists are listed there instead.
pub fn of_caller(user_id: &str, showtime_id: Option<&str>, clock: &Clock) -> Statement {
    let those = "WHERE user_id = $1 AND principal = $2 AND expires_at > $3 \
         AND ($4 IS NULL OR showtime_id = $4) AND NOT EXISTS (SELECT 1 FROM waiting w \
         WHERE w.hold_id = holds.hold_id AND w.state = 'offered') ORDER BY made_at DESC, hold_id LIMIT $5";
    sql!(
        format!("{HOLDS} {those}"),
        user_id,
        caller::principal(),
        clock.second(),
        showtime_id.map(str::to_owned),
        LISTED_MAX,
    )
}

/// Inserts a hold and its seats. The primary key of `held_seats` permits one hold per seat.
pub fn insert(held: &Held, screen_id: &str, seats: &[ReservedSeat]) -> [Statement; 2] {
    let hold = sql!(
        "INSERT INTO holds (hold_id, user_id, showtime_id, made_at, expires_at, principal) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        &held.hold_id,
        &held.user_id,
        &held.showtime_id,
        held.made_at,
        held.expires_at,
        &held.principal,
    );
    [hold, insert_seats(held, screen_id, seats)]
}

/// Inserts seats into a hold if none is reserved, all of them.
pub fn insert_seats(held: &Held, screen_id: &str, seats: &[ReservedSeat]) -> Statement {
    let among = sql::placeholders(4, seats.len());
    let insert = format!(
        "INSERT INTO held_seats (showtime_id, seat_id, screen_id, hold_id) \
         SELECT $1, s.seat_id, s.screen_id, $2 FROM seats s \
         WHERE s.screen_id = $3 AND s.seat_id IN ({among}) AND NOT EXISTS \
         (SELECT 1 FROM reserved_seats r WHERE r.showtime_id = $1 AND r.seat_id = s.seat_id)"
    );
    sql!(insert, &held.showtime_id, &held.hold_id, screen_id)
        .bind_all(seats.iter().map(|it| &it.seat_id))
        .expect(seats.len())
}

/// Selects the seats of a hold, rows alphabetical, numbers ascending.
pub fn seats_of(hold_id: &str) -> Statement {
    sql!(
        "SELECT s.seat_id, s.row_label, s.number, s.kind FROM held_seats d \
         JOIN seats s ON s.screen_id = d.screen_id AND s.seat_id = d.seat_id \
         WHERE d.hold_id = $1 ORDER BY s.row_label, s.number",
        hold_id,
    )
}

/// Reads the seats of [`seats_of`] with their prices.
///
/// # Errors
/// If the rows are invalid.
pub fn read_seats(rows: Rows, prices: Option<&PriceList>) -> Result<Vec<ReservedSeat>, Stop> {
    let seat = |(seat_id, row, number, kind): (String, String, u32, SeatKind)| ReservedSeat {
        seat_id,
        row,
        number,
        price: prices.map(|it| it.of(kind)),
    };
    Ok(rows.read()?.into_iter().map(seat).collect())
}

/// Prices of a hold's showing.
///
/// # Errors
/// If the database cannot be read.
pub fn prices_of(showtime_id: &str) -> Result<Option<PriceList>, Stop> {
    let Some(id) = ShowtimeId::read(showtime_id) else { return Ok(None) };
    let [slots] = sql::query([programme::of_screen(&id.screen_id, &id.starts)])?;
    let slots = slots.read::<Slot>()?;
    Ok(programme::on(&slots, id.date).and_then(|it| it.slot.price_list()))
}

/// Returns the hold if it is live.
///
/// # Errors
/// If it is missing or has expired.
pub fn live(found: Option<Held>, clock: &Clock) -> Result<Held, Stop> {
    let held = found.ok_or_else(hold_not_found)?;
    if held.is_live(clock) { Ok(held) } else { Err(hold_expired(&clock.shows(held.expires_at))) }
}

/// Deletes the seats of a showing from expired holds.
pub fn free_expired(showtime_id: &str, seats: &[ReservedSeat], clock: &Clock) -> Statement {
    let among = sql::placeholders(3, seats.len());
    let free = format!(
        "DELETE FROM held_seats WHERE showtime_id = $1 AND seat_id IN ({among}) \
         AND hold_id IN (SELECT hold_id FROM holds WHERE expires_at <= $2)"
    );
    sql!(free, showtime_id, clock.second()).bind_all(seats.iter().map(|it| &it.seat_id))
}

/// Deletes a live hold, and the seats of any; both return the deleted rows.
pub fn end(hold_id: &str, clock: &Clock) -> [Statement; 2] {
    let hold = "DELETE FROM holds WHERE hold_id = $1 AND expires_at > $2 RETURNING hold_id";
    let seats = "DELETE FROM held_seats WHERE hold_id = $1 RETURNING showtime_id";
    [sql!(hold, hold_id, clock.second()), sql!(seats, hold_id)]
}

// Releases the seats of expired holds, deletes old choices of apps, and notifies subscribed clients.

/// Maximum showings of one sweep.
const SHOWTIMES_MAX: usize = 50;
/// Seconds for which expired holds and choices of apps are kept.
const REMEMBERED_S: i64 = 86_400;

/// Runs one sweep.
///
/// # Errors
/// If the database fails.
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
    expired.iter().for_each(|it| publish_seats(&it.0));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::tests::clock;

    fn held(seconds: i64) -> Held {
        Held {
            hold_id: digest("hold-1"),
            principal: "p".into(),
            user_id: "u1".into(),
            showtime_id: "st-20261120-s1-1000".into(),
            made_at: clock().second(),
            expires_at: clock().second() + seconds,
        }
    }

    #[test]
    fn hold_is_live_until_its_expiry_second() {
        assert!(live(Some(held(1)), &clock()).is_ok());
        let Stop::Refused(over) = live(Some(held(0)), &clock()).unwrap_err() else { panic!() };
        assert_eq!((over.code.as_str(), over.status), ("hold_expired", 409));
        assert!(over.message.contains("2026-11-20T10:00:00"), "{}", over.message);
        let Stop::Refused(none) = live(None, &clock()).unwrap_err() else { panic!() };
        assert_eq!((none.code.as_str(), none.status), ("hold_not_found", 404));
    }

    #[test]
    fn hold_reports_expiry_and_seconds_left() {
        let hold = held(600).to_output(Some("hold-1".into()), Vec::new(), &clock());
        assert_eq!((hold.expires_at.as_str(), hold.seconds_left), ("2026-11-20T10:10:00", 600));
        assert_eq!(hold.hold_id, "hd-eee747155659e77fdd5a", "of the digest");
    }

    #[test]
    fn distinguishes_handle_from_token() {
        let shown = handle(&digest("hold-1"));
        assert_eq!(digits(&shown), digest("hold-1").get(..HANDLE_DIGITS));
        for token in ["", "hd-", "hold-1", "hd-0123456789abcdef012", "hd-0123456789ABCDEF0123"] {
            assert_eq!(digits(token), None, "{token}");
        }
    }

    #[test]
    fn limits_minutes_to_the_settings() {
        let minutes = Minutes { default: 10, max: 60 };
        assert_eq!(minutes.requested(None).unwrap(), 10);
        assert_eq!(minutes.requested(Some(60)).unwrap(), 60);
        assert!(minutes.requested(Some(61)).is_err() && minutes.requested(Some(0)).is_err());
    }

    #[test]
    fn stores_only_the_digest_of_a_token() {
        assert!(digest("abc").starts_with("ba7816bf") && digest("abc").len() == 64);
    }
}
