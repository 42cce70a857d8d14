//! Holds: seats that are kept for a user for some minutes, until they reserve them.
//!
//! A hold is live until the second when it ends; from then on it counts as none, whether its rows are
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
    hall::seats_changed,
    programme::{self, ShowtimeId, Slot},
    refusals::{hold_expired, hold_not_found},
};

/// How long a hold lasts when neither caller nor operator says anything.
const MINUTES_DEFAULT: u32 = 10;
/// How long one may last when the operator says nothing.
const MINUTES_MAX_DEFAULT: u32 = 60;
/// More than a day is a reservation.
const MINUTES_MAX_MAX: u32 = 24 * 60;

/// What a handle begins with, and how many digits of the hold's own name it has.
const HANDLE: &str = "hd-";
const HANDLE_DIGITS: usize = 20;
/// What clients say that keep no secrets (`extensions`).
const HANDLES: &str = "madoguchi/handles";
/// As many as one user can have of one caller: each has a seat.
const LISTED_MAX: u32 = 400;
/// The columns of [`Held`]; a WHERE may follow.
const HOLDS: &str =
    "SELECT hold_id, principal, user_id, showtime_id, made_at, expires_at FROM holds";

/// How long holds last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutes {
    /// When the caller says nothing.
    pub default: u32,
    /// At most, from when it was made.
    pub max: u32,
}

impl Minutes {
    /// The settings `hold_minutes`, or 10, and `hold_minutes_max`, or 60.
    ///
    /// # Errors
    /// When either is out of its range.
    pub fn set() -> Result<Self, Unfit> {
        let max = settings::number("hold_minutes_max", MINUTES_MAX_DEFAULT, 1..=MINUTES_MAX_MAX)?;
        let default = settings::number("hold_minutes", MINUTES_DEFAULT.min(max), 1..=max)?;
        Ok(Self { default, max })
    }

    /// Those that the caller asks for, or the default.
    ///
    /// # Errors
    /// When they are more than a hold may last, or none.
    pub fn asked(self, minutes: Option<u32>) -> Result<u32, Stop> {
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
    /// The token's digest.
    pub hold_id: String,
    /// The caller who made it.
    pub principal: String,
    /// The user that it is for.
    pub user_id: String,
    /// Identifier of its showtime.
    pub showtime_id: String,
    /// When it was made, in seconds since 1970.
    pub made_at: i64,
    /// When it ends.
    pub expires_at: i64,
}

impl Held {
    /// Whether it has yet to end.
    pub fn is_live(&self, clock: &Clock) -> bool {
        self.expires_at > clock.second()
    }

    /// The hold as it goes out to its caller, with the token where it is the one who is to keep it.
    pub fn shown(self, token: Option<String>, seats: Vec<ReservedSeat>, clock: &Clock) -> Hold {
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

/// What is kept of a token.
pub fn digest(token: &str) -> String {
    let hash = Sha256::digest(token.as_bytes());
    hash.iter().map(|it| format!("{it:02x}")).collect()
}

/// The name of a hold that may be shown: it is good for the caller who made the hold alone.
pub fn handle(hold_id: &str) -> String {
    format!("{HANDLE}{}", hold_id.get(..HANDLE_DIGITS).unwrap_or(hold_id))
}

/// The digits of a handle; none where it is something else.
fn digits(given: &str) -> Option<&str> {
    let digits = given.strip_prefix(HANDLE)?;
    let fits = |it: u8| it.is_ascii_digit() || (b'a'..=b'f').contains(&it);
    (digits.len() == HANDLE_DIGITS && digits.bytes().all(fits)).then_some(digits)
}

/// The hold that is meant by its token, or by the handle of one that this caller made; what is neither names none.
///
/// # Errors
/// When the database fails.
pub fn named(given: &str) -> Result<String, Stop> {
    let Some(digits) = digits(given) else { return Ok(digest(given)) };
    // From the digits up to the first that none can be: `g` comes after all of them.
    let found = "SELECT hold_id FROM holds WHERE hold_id >= $1 AND hold_id < $2 AND principal = $3";
    let found = sql!(found, digits, format!("{digits}g"), caller::principal());
    let [found] = sql::query([found])?;
    Ok(found.first::<(String,)>()?.map_or_else(|| digest(given), |it| it.0))
}

/// The token as the client that made the hold is told it: not where it keeps no secrets, since what it is told is read
/// by a model or shown to people.
pub fn kept(token: String) -> Option<String> {
    let capabilities = caller::client_capabilities();
    let keeps = capabilities["extensions"][HANDLES].is_null();
    keeps.then_some(token)
}

/// A hold, as long as it is remembered.
pub fn of_id(hold_id: &str) -> Statement {
    sql!(format!("{HOLDS} WHERE hold_id = $1"), hold_id)
}

/// What this caller holds for a user, of all showings or of one, the newest first. Offers of waiting lists are not
/// among them: these are told there, and can be declined.
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

/// Writes a hold and its seats. The primary key of `held_seats` lets each seat have one holder.
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

/// Puts seats that are not reserved into a hold, all of them.
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

/// The seats of a hold, rows alphabetical, numbers ascending.
pub fn seats_of(hold_id: &str) -> Statement {
    sql!(
        "SELECT s.seat_id, s.row_label, s.number, s.kind FROM held_seats d \
         JOIN seats s ON s.screen_id = d.screen_id AND s.seat_id = d.seat_id \
         WHERE d.hold_id = $1 ORDER BY s.row_label, s.number",
        hold_id,
    )
}

/// The seats that [`seats_of`] found, with what they cost.
///
/// # Errors
/// When the database holds something else.
pub fn read_seats(rows: Rows, prices: Option<&PriceList>) -> Result<Vec<ReservedSeat>, Stop> {
    let seat = |(seat_id, row, number, kind): (String, String, u32, SeatKind)| ReservedSeat {
        seat_id,
        row,
        number,
        price: prices.map(|it| it.of(kind)),
    };
    Ok(rows.read()?.into_iter().map(seat).collect())
}

/// What the seats of a hold cost.
///
/// # Errors
/// When the database cannot be read.
pub fn prices_of(showtime_id: &str) -> Result<Option<PriceList>, Stop> {
    let Some(id) = ShowtimeId::read(showtime_id) else { return Ok(None) };
    let [slots] = sql::query([programme::of_screen(&id.screen_id, &id.starts)])?;
    let slots = slots.read::<Slot>()?;
    Ok(programme::on(&slots, id.date).and_then(|it| it.slot.price_list()))
}

/// The hold that was found, if it is live.
///
/// # Errors
/// When there is none, or none any more.
pub fn live(found: Option<Held>, clock: &Clock) -> Result<Held, Stop> {
    let held = found.ok_or_else(hold_not_found)?;
    if held.is_live(clock) { Ok(held) } else { Err(hold_expired(&clock.shows(held.expires_at))) }
}

/// Takes the seats of a showing out of holds that have expired.
pub fn free_expired(showtime_id: &str, seats: &[ReservedSeat], clock: &Clock) -> Statement {
    let among = sql::placeholders(3, seats.len());
    let free = format!(
        "DELETE FROM held_seats WHERE showtime_id = $1 AND seat_id IN ({among}) \
         AND hold_id IN (SELECT hold_id FROM holds WHERE expires_at <= $2)"
    );
    sql!(free, showtime_id, clock.second()).bind_all(seats.iter().map(|it| &it.seat_id))
}

/// Ends a hold: its row if it is live, and its seats in any case; both say what they removed.
pub fn end(hold_id: &str, clock: &Clock) -> [Statement; 2] {
    let hold = "DELETE FROM holds WHERE hold_id = $1 AND expires_at > $2 RETURNING hold_id";
    let seats = "DELETE FROM held_seats WHERE hold_id = $1 RETURNING showtime_id";
    [sql!(hold, hold_id, clock.second()), sql!(seats, hold_id)]
}

// Releases the seats of holds that have expired, forgets what was chosen in apps, and notifies clients that look at them.

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
    fn a_hold_is_live_until_the_second_when_it_ends() {
        assert!(live(Some(held(1)), &clock()).is_ok());
        let Stop::Refused(over) = live(Some(held(0)), &clock()).unwrap_err() else { panic!() };
        assert_eq!((over.code.as_str(), over.status), ("hold_expired", 409));
        assert!(over.message.contains("2026-11-20T10:00:00"), "{}", over.message);
        let Stop::Refused(none) = live(None, &clock()).unwrap_err() else { panic!() };
        assert_eq!((none.code.as_str(), none.status), ("hold_not_found", 404));
    }

    #[test]
    fn a_hold_says_when_it_ends_and_how_long_that_is() {
        let hold = held(600).shown(Some("hold-1".into()), Vec::new(), &clock());
        assert_eq!((hold.expires_at.as_str(), hold.seconds_left), ("2026-11-20T10:10:00", 600));
        assert_eq!(hold.hold_id, "hd-eee747155659e77fdd5a", "of the digest");
    }

    #[test]
    fn a_handle_is_told_from_a_token() {
        let shown = handle(&digest("hold-1"));
        assert_eq!(digits(&shown), digest("hold-1").get(..HANDLE_DIGITS));
        for token in ["", "hd-", "hold-1", "hd-0123456789abcdef012", "hd-0123456789ABCDEF0123"] {
            assert_eq!(digits(token), None, "{token}");
        }
    }

    #[test]
    fn minutes_are_asked_for_within_what_the_operator_lets() {
        let minutes = Minutes { default: 10, max: 60 };
        assert_eq!(minutes.asked(None).unwrap(), 10);
        assert_eq!(minutes.asked(Some(60)).unwrap(), 60);
        assert!(minutes.asked(Some(61)).is_err() && minutes.asked(Some(0)).is_err());
    }

    #[test]
    fn of_a_token_the_digest_alone_is_kept() {
        assert!(digest("abc").starts_with("ba7816bf") && digest("abc").len() == 64);
    }
}
