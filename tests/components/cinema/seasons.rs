//! Changes of the clocks in the cinema's zone (CIN-X4): the skipped hour and the repeated one.

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

use super::order;

/// A cinema in Berlin with one screen, whose films begin at night.
async fn berlin(now: &str) -> Tested {
    let catalog = json!({
        "screens": [{ "screen_id": "s1", "name": "館", "rows": [{ "row": "A", "seats": "ssss" }] }],
        "movies": [
            { "movie_id": "long", "title": "長編", "description": "夢", "duration": 120, "rating": 4 },
            { "movie_id": "short", "title": "短編", "description": "光", "duration": 20, "rating": 4 },
        ],
        "programme": [
            { "screen_id": "s1", "movie_id": "long", "times": ["22:30"] },
            { "screen_id": "s1", "movie_id": "short", "times": ["01:45", "02:30"] },
        ],
    });
    let settings = json!({ "catalog": catalog, "timezone": "Europe/Berlin" });
    Bench::of("cinema").grant_all().at(now).settings(settings).start().await
}

async fn on(cinema: &Tested, film: &str, day: &str) -> Vec<Value> {
    let arguments = json!({ "movie_id": film, "date": day });
    let listed = cinema.call("list_showtimes", arguments).await;
    listed["showtimes"].as_array().unwrap().clone()
}

async fn code(cinema: &Tested, tool: &str, arguments: Value) -> String {
    cinema.failure(tool, arguments).await["error"].as_str().unwrap().to_owned()
}

/// On 29 March 2026 the clocks go from 02:00 to 03:00.
#[tokio::test]
async fn showing_in_the_skipped_hour_begins_as_long_after_it() {
    // 01:50 in Berlin.
    let cinema = berlin("2026-03-29T00:50:00").await;
    let shown = on(&cinema, "short", "2026-03-29").await;
    assert_eq!(shown[0]["start_time"], "2026-03-29T01:45:00");
    assert_eq!(shown[0]["end_time"], "2026-03-29T03:05:00", "it runs over the gap");
    assert_eq!(shown[1]["showtime_id"], "st-20260329-s1-0230");
    assert_eq!(shown[1]["start_time"], "2026-03-29T03:30:00", "there is no 02:30 that night");
    assert_eq!(shown[1]["is_open"], true);
    let night = "st-20260329-s1-0230";
    let made = cinema.call("reserve_seats", order("u1", night, &["A1"])).await;
    assert_eq!(made["start_time"], "2026-03-29T03:30:00");
    let week = cinema.call("occupancy", json!({ "until": "2026-03-29" })).await;
    assert_eq!(week["showtimes"][1]["start_time"], "2026-03-29T03:30:00");
    // 03:29 in Berlin: forty minutes later, and not an hour and forty.
    cinema.pass(Duration::from_secs(39 * 60));
    cinema.call("reserve_seats", order("u2", night, &["A2"])).await;
    let ticket = json!({ "code": made["reservation_id"] });
    assert_eq!(cinema.call("check_in", ticket).await["closes_at"], "2026-03-29T03:50:00");
    cinema.pass(Duration::from_secs(60));
    assert_eq!(
        code(&cinema, "reserve_seats", order("u3", night, &["A3"])).await,
        "showtime_closed"
    );
}

/// On 25 October 2026 the clocks go from 03:00 back to 02:00.
#[tokio::test]
async fn showing_in_the_repeated_hour_begins_once() {
    let night = "st-20261025-s1-0230";
    // 02:20 in Berlin, for the first time.
    let cinema = berlin("2026-10-25T00:20:00").await;
    let made = cinema.call("reserve_seats", order("u1", night, &["A1"])).await;
    let shown = on(&cinema, "short", "2026-10-25").await;
    assert_eq!(
        (&shown[1]["is_open"], &shown[1]["end_time"]),
        (&json!(true), &json!("2026-10-25T02:50:00"))
    );
    let id = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    // 02:15 for the second time: it has begun, whatever the clock shows.
    cinema.pass(Duration::from_secs(55 * 60));
    assert_eq!(on(&cinema, "short", "2026-10-25").await[1]["is_open"], false);
    for (tool, arguments) in [
        ("reserve_seats", order("u2", night, &["A2"])),
        ("hold_seats", order("u2", night, &["A2"])),
        ("cancel_reservation", id.clone()),
    ] {
        assert_eq!(code(&cinema, tool, arguments).await, "showtime_closed", "{tool}");
    }
    let ticket = json!({ "code": made["reservation_id"] });
    assert_eq!(cinema.call("check_in", ticket).await["reason"], "too_late", "it ended at 02:50");
}

#[tokio::test]
async fn holds_last_as_long_when_the_clocks_change() {
    for now in ["2026-03-29T00:55:00", "2026-10-25T00:55:00"] {
        let cinema = berlin(now).await;
        let day = &now[..10].replace('-', "");
        let mut arguments = order("u1", &format!("st-{day}-s1-2230"), &["A1"]);
        arguments["minutes"] = json!(10);
        let held = cinema.call("hold_seats", arguments).await;
        assert_eq!(held["seconds_left"], 600);
        cinema.pass(Duration::from_secs(599));
        let token = json!({ "hold_token": held["hold_token"], "minutes": 10 });
        cinema.call("extend_hold", token.clone()).await;
        cinema.pass(Duration::from_secs(601));
        assert_eq!(code(&cinema, "extend_hold", token).await, "hold_expired", "{now}");
    }
}
