//! When tickets are scanned, and what the door says of one (CIN-92).

use jiff::civil::DateTime;
use output::cinema::{CheckIn, NotAdmitted, Reservation};
use toolkit::settings::{self, Unfit};

use crate::clock::Clock;

/// How long before a showing its tickets are scanned where the operator says nothing.
const OPENS_DEFAULT: u32 = 60;
/// Longer before than that is another day.
const OPENS_MAX: u32 = 24 * 60;
/// How long a showing lasts whose film has left the catalogue.
const MINUTES_UNKNOWN: u32 = 240;

/// How many minutes before a showing its tickets are scanned: the setting `check_in_minutes`, or 60.
///
/// # Errors
/// When it is no number from 1 to 1,440.
pub fn opens_before() -> Result<u32, Unfit> {
    settings::number("check_in_minutes", OPENS_DEFAULT, 1..=OPENS_MAX)
}

/// From when to when tickets of a showing are scanned, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    opens: i64,
    closes: i64,
}

impl Window {
    /// That of a showing, by when it begins and how many minutes its film takes.
    pub fn of(start: DateTime, before: u32, duration: Option<u32>, clock: &Clock) -> Self {
        let begins = clock.second_of(start).unwrap_or_default();
        let seconds = |minutes: u32| i64::from(minutes) * 60;
        let takes = duration.unwrap_or(MINUTES_UNKNOWN);
        Self { opens: begins - seconds(before), closes: begins + seconds(takes) }
    }
}

/// What the door says of a reservation that holds; `showing` is the one that is let in.
pub fn judge(
    reservation: Reservation,
    showing: Option<&str>,
    window: Window,
    clock: &Clock,
) -> CheckIn {
    let now = clock.second();
    let is_right_showing = showing.map(|it| it == reservation.showtime_id);
    let reason = if reservation.checked_in_at.is_some() {
        Some(NotAdmitted::AlreadyUsed)
    } else if is_right_showing == Some(false) {
        Some(NotAdmitted::WrongShowing)
    } else if now < window.opens {
        Some(NotAdmitted::TooEarly)
    } else if now >= window.closes {
        Some(NotAdmitted::TooLate)
    } else {
        None
    };
    let (opens_at, closes_at) = (clock.shows(window.opens), clock.shows(window.closes));
    let (sentence, sentence_en) = sentences(&reservation, reason, &opens_at, &closes_at);
    CheckIn {
        admitted: reason.is_none(),
        reason,
        is_right_showing,
        is_in_time: (window.opens..window.closes).contains(&now),
        opens_at,
        closes_at,
        first_used_at: reservation.checked_in_at.clone(),
        reservation,
        sentence,
        sentence_en,
    }
}

fn sentences(
    reservation: &Reservation,
    reason: Option<NotAdmitted>,
    opens: &str,
    closes: &str,
) -> (String, String) {
    let seats: Vec<_> = reservation.seats.iter().map(|it| it.seat_id.as_str()).collect();
    let (ja, en) = (seats.join("、"), seats.join(", "));
    let film = reservation.movie_title.as_deref().unwrap_or_default();
    let film_en = reservation.movie_title_en.as_deref().unwrap_or(film);
    let start = reservation.start_time.as_deref().unwrap_or_default();
    let screen = reservation.theater_name.as_deref().unwrap_or_default();
    let screen_en = reservation.theater_name_en.as_deref().unwrap_or(screen);
    match reason {
        None => (
            format!("入場できます。「{film}」{screen}、座席は{ja}です。"),
            format!("Let them in: {film_en}, {screen_en}, {en}."),
        ),
        Some(NotAdmitted::AlreadyUsed) => {
            let used = reservation.checked_in_at.as_deref().unwrap_or_default();
            (
                format!("このチケットは{used}に使用済みです。"),
                format!("This ticket was used at {used}."),
            )
        }
        Some(NotAdmitted::WrongShowing) => (
            format!("別の上映のチケットです。「{film}」{start}、{screen}です。"),
            format!("This ticket is for another showing: {film_en}, {start}, {screen_en}."),
        ),
        Some(NotAdmitted::TooEarly) => (
            format!("まだ入場できません。入場は{opens}からです。"),
            format!("It is too early: tickets of this showing are scanned from {opens}."),
        ),
        Some(NotAdmitted::TooLate) => {
            (format!("上映は{closes}に終了しました。"), format!("The showing ended at {closes}."))
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::clock::tests::clock;

    fn judged(start: DateTime, showing: Option<&str>, used: bool) -> CheckIn {
        let reservation = Reservation {
            showtime_id: "st-1".into(),
            checked_in_at: used.then(|| "2026-11-20T09:50:00".into()),
            ..Reservation::default()
        };
        judge(reservation, showing, Window::of(start, 60, Some(100), &clock()), &clock())
    }

    /// The clock says ten.
    fn at(hour: i8, minute: i8) -> DateTime {
        date(2026, 11, 20).at(hour, minute, 0, 0)
    }

    #[test]
    fn the_door_is_open_from_an_hour_before_to_the_end() {
        for (start, reason) in [
            (at(11, 1), Some(NotAdmitted::TooEarly)),
            (at(11, 0), None),
            (at(8, 21), None),
            (at(8, 20), Some(NotAdmitted::TooLate)),
        ] {
            let entry = judged(start, None, false);
            assert_eq!((entry.reason, entry.admitted), (reason, reason.is_none()), "{start}");
            assert_eq!(entry.is_in_time, reason.is_none());
        }
    }

    #[test]
    fn what_was_used_says_so_before_all_else() {
        let entry = judged(at(20, 0), Some("st-2"), true);
        assert_eq!(entry.reason, Some(NotAdmitted::AlreadyUsed));
        assert_eq!(entry.first_used_at.as_deref(), Some("2026-11-20T09:50:00"));
        assert!(entry.sentence_en.contains("09:50"), "{}", entry.sentence_en);
    }

    #[test]
    fn another_showing_is_said_before_the_time() {
        let entry = judged(at(20, 0), Some("st-2"), false);
        assert_eq!((entry.reason, entry.is_in_time), (Some(NotAdmitted::WrongShowing), false));
        assert_eq!(judged(at(10, 30), Some("st-1"), false).is_right_showing, Some(true));
        assert_eq!(judged(at(10, 30), None, false).is_right_showing, None);
    }
}
