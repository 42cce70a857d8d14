//! `list_available_seats`: free seats and their map (CIN-30 to CIN-35, CIN-X2).

use serde_json::{Value, json};

use super::{NOON, all, free, open, open_with, order, refusal, small, unfit};

fn ask(showtime_id: &str) -> Value {
    json!({ "showtime_id": showtime_id })
}

#[tokio::test]
async fn a_seat_has_the_specified_fields_and_the_agreed_extensions() {
    let map = open().await.call("list_available_seats", ask(NOON)).await;
    let seat = |seat_id: &str| {
        let seats = map["seats"].as_array().unwrap();
        seats.iter().find(|it| it["seat_id"] == seat_id).unwrap().clone()
    };
    let expected = json!({
        "seat_id": "A4", "row": "A", "number": 4, "is_reserved": false,
        "column": 5,
    });
    assert_eq!(seat("A4"), expected, "CIN-30: fourth seat, behind the aisle");
    let plain = json!({ "seat_id": "A1", "row": "A", "number": 1, "is_reserved": false });
    assert_eq!(seat("A1"), plain, "CIN-30: nothing twice, nothing that goes without saying");
    assert_eq!(seat("D1")["kind"], "wheelchair");
    assert_eq!(seat("D6")["kind"], "premium");
    let showtime = json!({
        "showtime_id": NOON,
        "movie_id": "tokyo-monogatari",
        "start_time": "2026-11-20T12:20:00",
        "available_seats_count": 24,
        "end_time": "2026-11-20T14:36:00",
        "theater_id": "mini",
        "theater_name": "ミニシアター",
        "theater_name_en": "Mini Theatre",
        "total_seats_count": 24,
        "movie_title": "東京物語",
        "movie_title_en": "Tokyo Story",
        "is_open": true,
    });
    assert_eq!(map["showtime"], showtime, "CIN-4: the showing itself");
}

#[tokio::test]
async fn free_seats_are_listed_and_taken_ones_only_when_asked_for() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A2", "B4"])).await;
    let map = cinema.call("list_available_seats", ask(NOON)).await;
    let seats = map["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 22, "CIN-31");
    assert!(seats.iter().all(|it| it["is_reserved"] == false), "CIN-31");
    assert_eq!(map["showtime"]["available_seats_count"], 22, "CIN-22");
    let no = json!({ "showtime_id": NOON, "include_reserved": false });
    assert_eq!(cinema.call("list_available_seats", no).await, map, "CIN-32: false is the default");
    let yes = json!({ "showtime_id": NOON, "include_reserved": true });
    let map = cinema.call("list_available_seats", yes).await;
    let seats = map["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 24, "CIN-32: every seat");
    let taken: Vec<_> = seats.iter().filter(|it| it["is_reserved"] == true).cloned().collect();
    assert_eq!(all(&json!(taken), "seat_id"), ["A2", "B4"], "CIN-32, CIN-X2: the real state");
}

#[tokio::test]
async fn rows_come_by_the_alphabet_and_numbers_ascend_as_numbers() {
    let map = open().await.call("list_available_seats", ask("st-20261120-s1-1830")).await;
    let seats = map["seats"].as_array().unwrap();
    let places: Vec<_> = seats
        .iter()
        .map(|it| (it["row"].as_str().unwrap(), it["number"].as_u64().unwrap()))
        .collect();
    assert!(places.is_sorted(), "CIN-33: 9 comes before 10");
    assert_eq!((places.len(), places[0], places[217]), (218, ("A", 2), ("K", 20)), "CIN-33");
}

#[tokio::test]
async fn the_map_for_chat_clients_looks_as_specified() {
    let mut catalog = small();
    catalog["screens"][0]["rows"] = json!([{ "row": "A", "seats": "ssss" }]);
    let cinema = open_with(&catalog).await;
    cinema.call("reserve_seats", order("u1", "st-20261120-s1-1200", &["A3"])).await;
    let texts = cinema.texts("list_available_seats", ask("st-20261120-s1-1200")).await;
    assert_eq!(texts, ["    1  2  3  4\nA [ ○  ○  ×  ○ ]"], "CIN-35: verbatim");
}

#[tokio::test]
async fn map_shows_taken_seats_and_the_aisle_though_the_list_does_not() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A2", "D6"])).await;
    let expected = "    1  2  3     4  5  6
A [ ○  ×  ○     ○  ○  ○ ]
B [ ○  ○  ○     ○  ○  ○ ]
C [ ○  ○  ○     ○  ○  ○ ]
D [ ○  ○  ○     ○  ○  × ]";
    assert_eq!(cinema.texts("list_available_seats", ask(NOON)).await, [expected], "CIN-35");
}

#[tokio::test]
async fn a_showing_that_is_sold_out_has_an_empty_list() {
    let cinema = open().await;
    for seats in free(&cinema, NOON).await.chunks(10) {
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        cinema.call("reserve_seats", order("u1", NOON, &seats)).await;
    }
    let map = cinema.call("list_available_seats", ask(NOON)).await;
    assert_eq!(map["seats"], json!([]), "CIN-31");
    assert_eq!(map["showtime"]["available_seats_count"], 0, "CIN-22");
    let texts = cinema.texts("list_available_seats", ask(NOON)).await;
    assert!(texts[0].contains('×') && !texts[0].contains('○'), "CIN-35: {}", texts[0]);
}

#[tokio::test]
async fn an_unknown_showtime_is_refused() {
    let cinema = open().await;
    for unknown in [
        "string",
        "",
        "st-20261120-s1-1831",
        "st-20261120-s9-1830",
        "st-20261127-s1-1830",
        "st-20261332-s1-1830",
        // Rashomon runs late on Fridays and Saturdays only.
        "st-20261122-s2-2300",
    ] {
        let failure = cinema.failure("list_available_seats", ask(unknown)).await;
        let expected = ("showtime_not_found", "Schedule not found.", 404);
        assert_eq!(refusal(&failure), expected, "CIN-34: {unknown}");
        assert_eq!(failure["data"], json!({ "showtime_id": unknown }), "2.3");
    }
    assert_eq!(unfit(&cinema, "list_available_seats", json!({})).await, "showtime_id", "CIN-30");
    let wrong = json!({ "showtime_id": NOON, "include_reserved": "yes" });
    assert_eq!(unfit(&cinema, "list_available_seats", wrong).await, "include_reserved", "CIN-32");
}

#[tokio::test]
async fn screen_without_plan_is_listed_with_no_seats_to_show_or_sell() {
    let cinema = open_with(&small()).await;
    let arguments = json!({ "movie_id": "rashomon", "date": "2026-11-20" });
    let listed = cinema.call("list_showtimes", arguments).await;
    assert_eq!(listed["showtimes"][0]["available_seats_count"], 0, "CIN-34: {listed}");
    let showtime = listed["showtimes"][0]["showtime_id"].as_str().unwrap();
    let expected = ("seat_data_unavailable", "Seat data not available.", 404);
    let failure = cinema.failure("list_available_seats", ask(showtime)).await;
    assert_eq!(refusal(&failure), expected, "CIN-34");
    let failure = cinema.failure("reserve_seats", order("u1", showtime, &["A1"])).await;
    assert_eq!(refusal(&failure), expected, "CIN-34");
}
