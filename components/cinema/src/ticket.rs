//! What one brings to the door: a reservation's number as a QR code, and its showing as an iCalendar file.
//! The file has one event of eight lines, so that it is written here: the libraries for it bring a second time
//! library along.

use output::cinema::{Reservation, ReservationStatus};
use qrcode::{EcLevel, QrCode, render::svg};
use toolkit::{Stop, sql};

use crate::{clock::Clock, refusals::say};

/// Bytes of a line of an iCalendar file, without its end (RFC 5545, 3.1).
const LINE_BYTES_MAX: usize = 75;
/// How wide the code is at least, in pixels; it is drawn in any size.
const CODE_PIXELS: u32 = 200;

/// The number of a reservation as a QR code in SVG, black on white with the quiet zone that scanners want.
///
/// # Panics
/// Never: numbers of reservations are far shorter than what a code holds.
pub fn code(reservation_id: &str) -> String {
    let code = QrCode::with_error_correction_level(reservation_id, EcLevel::M);
    let code = code.expect("the number of a reservation is short");
    code.render::<svg::Color<'_>>().min_dimensions(CODE_PIXELS, CODE_PIXELS).build()
}

/// The showing of a reservation as an iCalendar file in the caller's language: one event, in UTC, cancelled where the
/// reservation is.
///
/// # Errors
/// When the database cannot be read, or the operator's `timezone` is wrong.
pub fn calendar(reservation: &Reservation) -> Result<String, Stop> {
    let length =
        "SELECT duration FROM reservations JOIN movies USING (movie_id) WHERE reservation_id = $1";
    let [rows] = sql::query([sql!(length, &reservation.reservation_id)])?;
    // A film that has left the catalogue has no length any more; the event has no end then.
    let minutes = rows.first::<(i64,)>()?.map(|it| it.0);
    Ok(event(reservation, minutes, &Clock::of_call()?))
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
    let it = reservation;
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Madoguchi//Cinema//JA".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{number}@cinema.madoguchi"),
        format!("DTSTAMP:{}", utc(&reservation.reserved_at, 0)),
        format!("DTSTART:{}", utc(start, 0)),
        format!("STATUS:{status}"),
        format!("SUMMARY:{}", named(it.movie_title.as_deref(), it.movie_title_en.as_deref())),
        format!("LOCATION:{}", named(it.theater_name.as_deref(), it.theater_name_en.as_deref())),
        format!("DESCRIPTION:{}", escaped(&about)),
    ];
    lines.extend(minutes.map(|it| format!("DTEND:{}", utc(start, it))));
    lines.extend(["END:VEVENT".to_owned(), "END:VCALENDAR".to_owned()]);
    lines.iter().map(|it| folded(it)).collect()
}

/// A text as the value of a property (RFC 5545, 3.3.11).
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

/// A line with its end, broken where it is too long: what follows a break begins with a blank.
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

#[cfg(test)]
mod tests {
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
    fn a_reservation_is_an_event_in_utc() {
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
    fn long_lines_are_folded_between_characters() {
        let line = format!("SUMMARY:{}", "長い題名".repeat(40));
        let folded = folded(&line);
        assert!(folded.split("\r\n").all(|it| it.len() <= LINE_BYTES_MAX), "{folded}");
        assert_eq!(folded.replace("\r\n ", "").trim_end(), line);
    }

    #[test]
    fn a_value_cannot_begin_a_line_of_its_own() {
        let title = Some("題\r\nATTENDEE:x".to_owned());
        let file = event(&Reservation { movie_title: title, ..reservation() }, None, &clock());
        assert!(file.contains("SUMMARY:題\\nATTENDEE:x\r\n"), "{file}");
    }

    #[test]
    fn the_code_is_a_picture_of_the_number_alone() {
        let svg = code("rsv_0123456789abcdefghjkmnpqrs");
        assert!(svg.contains("<svg") && svg.contains("viewBox"), "{svg}");
        assert_ne!(svg, code("rsv_1"));
    }
}
