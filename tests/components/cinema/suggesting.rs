//! `suggest_seats`: the best seats that are free.

use serde_json::{Value, json};

use super::{NOON, free, open, order, refusal, unfit};

fn ask(count: u32) -> Value {
    json!({ "showtime_id": NOON, "count": count })
}

#[tokio::test]
async fn an_empty_hall_gives_seats_together_and_a_sentence() {
    let cinema = open().await;
    let found = cinema.call("suggest_seats", ask(2)).await;
    let price = json!({ "currency": "JPY", "amount": 1_800 });
    let expected = json!({
        "showtime_id": NOON,
        "seat_ids": ["D2", "D3"],
        "is_split": false,
        "sentence": "D2〜D3の2席が並びで空いています。",
        "sentence_en": "D2–D3: 2 seats are free side by side.",
        "seats": [
            { "seat_id": "D2", "row": "D", "number": 2, "price": price },
            { "seat_id": "D3", "row": "D", "number": 3, "price": price },
        ],
        "total": { "currency": "JPY", "amount": 3_600 },
    });
    assert_eq!(found, expected, "of three seats in row C one would be left alone");
    let large = json!({ "showtime_id": "st-20261120-s1-1830", "count": 2 });
    let large = cinema.call("suggest_seats", large).await;
    assert_eq!(large["seat_ids"], json!(["H10", "H11"]), "central, two thirds back");
    assert_eq!(cinema.call("suggest_seats", ask(2)).await, found, "the same hall, the same seats");
    assert_eq!(free(&cinema, NOON).await.len(), 24, "nothing is reserved or held");
}

#[tokio::test]
async fn what_is_suggested_can_be_reserved_until_the_hall_is_full() {
    let cinema = open().await;
    let mut left = 23;
    for (round, count) in [3, 3, 2, 4, 5, 1, 3, 2].into_iter().enumerate() {
        let found = cinema.call("suggest_seats", ask(count)).await;
        let seats = found["seat_ids"].as_array().unwrap();
        let seats: Vec<_> = seats.iter().map(|it| it.as_str().unwrap()).collect();
        assert_eq!(seats.len(), count as usize, "{found}");
        assert!(!seats.contains(&"D1"), "a place for a wheelchair: {found}");
        if count > 3 {
            assert_eq!(found["is_split"], true, "no row has so many beside each other: {found}");
            assert!(found["sentence"].as_str().unwrap().contains("分かれます"), "{found}");
        }
        let tool = if round % 2 == 0 { "hold_seats" } else { "reserve_seats" };
        cinema.call(tool, order("u1", NOON, &seats)).await;
        left -= count;
    }
    assert_eq!(left, 0);
    let failure = cinema.failure("suggest_seats", ask(1)).await;
    let words =
        "Only 0 seats and 1 wheelchair places are free; ask for fewer, or choose another showtime.";
    assert_eq!(refusal(&failure), ("not_enough_seats", words, 409));
    let data = json!({
        "showtime_id": NOON, "free_seats_count": 0, "free_wheelchair_places_count": 1,
    });
    assert_eq!(failure["data"], data);
    let mut wheelchair = ask(1);
    wheelchair["wheelchair"] = json!(true);
    let found = cinema.call("suggest_seats", wheelchair).await;
    assert_eq!(found["seat_ids"], json!(["D1"]));
    assert_eq!(found["sentence"], "D1が空いています。");
    assert_eq!(found["sentence_en"], "D1 is free.");
}

#[tokio::test]
async fn what_cannot_be_suggested_is_said() {
    let cinema = open().await;
    for (arguments, code) in [
        (json!({ "showtime_id": "st-1", "count": 1 }), "showtime_not_found"),
        (json!({ "showtime_id": "st-20261119-mini-1220", "count": 1 }), "showtime_closed"),
    ] {
        assert_eq!(cinema.failure("suggest_seats", arguments).await["error"], code);
    }
    for (arguments, field) in [
        (ask(0), "count"),
        (ask(11), "count"),
        (json!({ "showtime_id": NOON }), "count"),
        (json!({ "showtime_id": "x".repeat(201), "count": 1 }), "showtime_id"),
        (json!({ "showtime_id": NOON, "count": "two" }), "count"),
    ] {
        assert_eq!(unfit(&cinema, "suggest_seats", arguments).await, field);
    }
}
