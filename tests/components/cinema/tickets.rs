//! Tickets: a reservation's number as a code, and its showing as a calendar entry.

use host::{caller::Caller, component::ResourceBody};
use serde_json::json;

use super::{NOON, Tested, open, order};

/// What is at an address, and its type.
async fn read(cinema: &Tested, uri: &str) -> (String, String) {
    let mut contents = cinema.read(uri).await.unwrap();
    let found = contents.remove(0);
    let ResourceBody::Text(text) = found.body else { panic!("{uri} is a text") };
    (text, found.mime_type.unwrap())
}

#[tokio::test]
async fn reservation_goes_into_a_calendar_and_leaves_when_cancelled() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    let id = made["reservation_id"].as_str().unwrap();
    let uri = format!("cinema://reservations/{id}/calendar");
    let (english, _) = read(&cinema, &uri).await;
    let title = format!("SUMMARY:{}\r\n", made["movie_title_en"].as_str().unwrap());
    assert!(english.contains(&title) && english.contains("DESCRIPTION:Seats"), "{english}");
    cinema.speak(Caller { locale: Some("ja".into()), ..Caller::anonymous() });
    let (file, mime_type) = read(&cinema, &uri).await;
    assert_eq!(mime_type, "text/calendar");
    let lines: Vec<_> = file.split_terminator("\r\n").collect();
    assert_eq!((lines[0], *lines.last().unwrap()), ("BEGIN:VCALENDAR", "END:VCALENDAR"));
    let title = format!("SUMMARY:{}", made["movie_title"].as_str().unwrap());
    let starts = made["start_time"].as_str().unwrap();
    assert_eq!(starts, "2026-11-20T12:20:00");
    for line in [title.as_str(), "DTSTART:20261120T032000Z", "STATUS:CONFIRMED"] {
        assert!(lines.contains(&line), "{line}: {file}");
    }
    assert!(file.contains("DTEND:20261120T0") && file.contains("座席 A1\\, A2"), "{file}");
    assert!(!file.contains("u1"), "whose it is, is not told: {file}");
    let cancel = json!({ "reservation_id": id, "user_id": "u1" });
    cinema.call("cancel_reservation", cancel).await;
    let (file, _) = read(&cinema, &uri).await;
    assert!(file.contains("STATUS:CANCELLED\r\n"), "{file}");
}

#[tokio::test]
async fn a_reservation_has_a_code_of_its_own() {
    let cinema = open().await;
    let mut codes = Vec::new();
    for seat in ["A1", "A2"] {
        let made = cinema.call("reserve_seats", order("u1", NOON, &[seat])).await;
        let id = made["reservation_id"].as_str().unwrap();
        let uri = format!("cinema://reservations/{id}/code");
        let (svg, mime_type) = read(&cinema, &uri).await;
        assert_eq!(mime_type, "image/svg+xml");
        assert!(svg.contains("<svg") && !svg.contains("<script"), "{svg}");
        assert_eq!(read(&cinema, &uri).await.0, svg, "always the same");
        codes.push(svg);
    }
    assert_ne!(codes[0], codes[1]);
}

#[tokio::test]
async fn unknown_reservation_has_neither_code_nor_calendar() {
    let cinema = open().await;
    let long = format!("cinema://reservations/{}/code", "r".repeat(500));
    for uri in
        ["cinema://reservations/rsv_1/code", "cinema://reservations/'/calendar", long.as_str()]
    {
        cinema.read(uri).await.unwrap_err();
    }
}
