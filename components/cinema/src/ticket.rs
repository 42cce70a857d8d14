//! Tickets: QR codes, iCalendar files, and admission. The calendar has one event of eight lines and is
//! written here, because libraries for it depend on a second time library.

use jiff::civil::DateTime;
use output::cinema::{CheckIn, NotAdmitted, Reservation, ReservationStatus};
use qrcode::{EcLevel, QrCode, render::svg};
use toolkit::{
    Stop,
    settings::{self, Unfit},
    sql,
};

use crate::{clock::Clock, refusals::say};

/// Maximum bytes of an iCalendar line without its end (RFC 5545, 3.1).
const LINE_BYTES_MAX: usize = 75;
/// Minimum width of the QR code in pixels; it scales to any size.
const CODE_PIXELS: u32 = 200;

/// QR code of a reservation's number as SVG, black on white with a quiet zone.
///
/// # Panics
/// Never: reservation numbers fit into a code.
pub fn code(reservation_id: &str) -> String {
    let code = QrCode::with_error_correction_level(reservation_id, EcLevel::M);
    let code = code.expect("the number of a reservation is short");
    code.render::<svg::Color<'_>>().min_dimensions(CODE_PIXELS, CODE_PIXELS).build()
}

/// A reservation's showing as an iCalendar file in the caller's language: one event in UTC, cancelled
/// if the reservation is.
///
/// # Errors
/// If the database cannot be read, or the setting `timezone` is wrong.
pub fn calendar(reservation: &Reservation) -> Result<String, Stop> {
    let length =
        "SELECT duration FROM reservations JOIN movies USING (movie_id) WHERE reservation_id = $1";
    let [rows] = sql::query([sql!(length, &reservation.reservation_id)])?;
    // A removed film has no duration; the event then has no end.
    let minutes = rows.first::<(i64,)>()?.map(|it| it.0);
    Ok(event(reservation, minutes, &Clock::for_call()?))
}

fn event(reservation: &Reservation, minutes: Option<i64>, clock: &Clock) -> String {
    let number = &reservation.reservation_id;
    let status = match reservation.status {
        ReservationStatus::Confirmed => "CONFIRMED",
        ReservationStatus::Cancelled | ReservationStatus::Transferred => "CANCELLED",
    };
    let seats = reservation.seats.iter().map(|it| it.seat_id.as_str()).collect::<Vec<_>>();
    let start = reservation.start_time.as_deref().unwrap_or_default();
    let utc = |shown: &str, minutes| clock.utc(shown, minutes).unwrap_or_default();
    let seats = seats.join(", ");
    let about = say(
        format!("座席 {seats}\n予約番号 {number}"),
        format!("Seats {seats}\nReservation {number}"),
    );
    let named = |own: Option<&str>, english: Option<&str>| {
        let own = own.unwrap_or_default();
        escaped(&say(own, english.unwrap_or(own)))
    };
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Madoguchi//Cinema//JA".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{number}@cinema.madoguchi"),
        format!("DTSTAMP:{}", utc(&reservation.reserved_at, 0)),
        format!("DTSTART:{}", utc(start, 0)),
        format!("STATUS:{status}"),
        format!(
            "SUMMARY:{}",
            named(reservation.movie_title.as_deref(), reservation.movie_title_en.as_deref())
        ),
        format!(
            "LOCATION:{}",
            named(reservation.theater_name.as_deref(), reservation.theater_name_en.as_deref())
        ),
        format!("DESCRIPTION:{}", escaped(&about)),
    ];
    lines.extend(minutes.map(|it| format!("DTEND:{}", utc(start, it))));
    lines.extend(["END:VEVENT".to_owned(), "END:VCALENDAR".to_owned()]);
    lines.iter().map(|it| folded(it)).collect()
}

/// Escapes a property's value (RFC 5545, 3.3.11).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | ';' | ',' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            character if character.is_control() => {}
            character => escaped.push(character),
        }
    }
    escaped
}

/// Folds a long line; continuation lines begin with a space.
fn folded(line: &str) -> String {
    let mut folded = String::with_capacity(line.len() + 2);
    let mut bytes = 0;
    for character in line.chars() {
        if bytes + character.len_utf8() > LINE_BYTES_MAX {
            folded.push_str("\r\n ");
            bytes = 1;
        }
        folded.push(character);
        bytes += character.len_utf8();
    }
    folded + "\r\n"
}

// Admission: when tickets are valid, and the result of a scan (CIN-92).

/// Default minutes before a showing when tickets become valid.
const OPENS_DEFAULT: u32 = 60;
/// Upper limit of that.
const OPENS_MAX: u32 = 24 * 60;
/// Duration of a showing whose film was removed, in minutes.
const MINUTES_UNKNOWN: u32 = 240;

/// Minutes before a showing when tickets become valid: the setting `check_in_minutes`, default 60.
///
/// # Errors
/// If it is not from 1 to 1,440.
pub fn opens_before() -> Result<u32, Unfit> {
    settings::number("check_in_minutes", OPENS_DEFAULT, 1..=OPENS_MAX)
}

/// Period in which tickets of a showing are valid, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    opens: i64,
    closes: i64,
}

impl Window {
    /// Computes it from the start, the film's duration, and the minutes `before`.
    pub fn new(start: DateTime, before: u32, duration: Option<u32>, clock: &Clock) -> Self {
        let begins = clock.second_of(start).unwrap_or_default();
        let seconds = |minutes: u32| i64::from(minutes) * 60;
        let takes = duration.unwrap_or(MINUTES_UNKNOWN);
        Self { opens: begins - seconds(before), closes: begins + seconds(takes) }
    }
}

/// Decides on the admission of a valid reservation; `showing` is the one that is being admitted.
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
    use output::cinema::ReservedSeat;

    use super::*;
    use crate::clock::tests::clock;

    fn reservation() -> Reservation {
        let seat = |id: &str| ReservedSeat { seat_id: id.into(), ..ReservedSeat::default() };
        Reservation {
            reservation_id: "rsv_1".into(),
            reserved_at: "2026-03-01T12:00:00".into(),
            seats: vec![seat("A1"), seat("A2")],
            user_id: "hanako".into(),
            showtime_id: "s".into(),
            movie_title: Some("夜、雨; そして\\星".into()),
            start_time: Some("2026-03-02T23:30:00".into()),
            theater_name: Some("スクリーン1".into()),
            theater_name_en: Some("Screen 1".into()),
            ..Reservation::default()
        }
    }

    #[test]
    fn calendar_event_is_in_utc() {
        let file = event(&reservation(), Some(100), &clock());
        for line in [
            "BEGIN:VCALENDAR",
            "UID:rsv_1@cinema.madoguchi",
            "DTSTAMP:20260301T030000Z",
            "DTSTART:20260302T143000Z",
            "DTEND:20260302T161000Z",
            "STATUS:CONFIRMED",
            "SUMMARY:夜、雨\\; そして\\\\星",
            "LOCATION:Screen 1",
            "DESCRIPTION:Seats A1\\, A2\\nReservation rsv_1",
        ] {
            assert!(file.contains(&format!("{line}\r\n")), "{line}: {file}");
        }
        let endless = event(&reservation(), None, &clock());
        assert!(!endless.contains("DTEND"), "{endless}");
        let status = ReservationStatus::Cancelled;
        let cancelled = event(&Reservation { status, ..reservation() }, None, &clock());
        assert!(cancelled.contains("STATUS:CANCELLED"), "{cancelled}");
    }

    #[test]
    fn folds_long_lines_at_character_boundaries() {
        let line = format!("SUMMARY:{}", "長い題名".repeat(40));
        let folded = folded(&line);
        assert!(folded.split("\r\n").all(|it| it.len() <= LINE_BYTES_MAX), "{folded}");
        assert_eq!(folded.replace("\r\n ", "").trim_end(), line);
    }

    #[test]
    fn escapes_line_breaks_in_values() {
        let title = Some("題\r\nATTENDEE:x".to_owned());
        let file = event(&Reservation { movie_title: title, ..reservation() }, None, &clock());
        assert!(file.contains("SUMMARY:題\\nATTENDEE:x\r\n"), "{file}");
    }

    #[test]
    fn qr_code_contains_only_the_number() {
        let svg = code("rsv_0123456789abcdefghjkmnpqrs");
        assert!(svg.contains("<svg") && svg.contains("viewBox"), "{svg}");
        assert_ne!(svg, code("rsv_1"));
    }

    fn judged(start: DateTime, showing: Option<&str>, used: bool) -> CheckIn {
        let reservation = Reservation {
            showtime_id: "st-1".into(),
            checked_in_at: used.then(|| "2026-11-20T09:50:00".into()),
            ..Reservation::default()
        };
        judge(reservation, showing, Window::new(start, 60, Some(100), &clock()), &clock())
    }

    /// A clock at ten.
    fn at(hour: i8, minute: i8) -> DateTime {
        date(2026, 11, 20).at(hour, minute, 0, 0)
    }

    #[test]
    fn admits_from_an_hour_before_to_the_end() {
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
    fn reports_used_ticket_first() {
        let entry = judged(at(20, 0), Some("st-2"), true);
        assert_eq!(entry.reason, Some(NotAdmitted::AlreadyUsed));
        assert_eq!(entry.first_used_at.as_deref(), Some("2026-11-20T09:50:00"));
        assert!(entry.sentence_en.contains("09:50"), "{}", entry.sentence_en);
    }

    #[test]
    fn reports_other_showing_before_the_time() {
        let entry = judged(at(20, 0), Some("st-2"), false);
        assert_eq!((entry.reason, entry.is_in_time), (Some(NotAdmitted::WrongShowing), false));
        assert_eq!(judged(at(10, 30), Some("st-1"), false).is_right_showing, Some(true));
        assert_eq!(judged(at(10, 30), None, false).is_right_showing, None);
    }
}
