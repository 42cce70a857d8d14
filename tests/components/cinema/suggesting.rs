//! `suggest_seats`: the best seats that are free.

use serde_json::{Value, json};

use super::{NOON, free, open, order, refusal, unfit};

fn ask(count: u32) -> Value {
    json!({ "showtime_id": NOON, "count": count })
}

#[tokio::test]
async fn empty_hall_gives_adjacent_seats_and_a_sentence() {
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
async fn suggestions_are_reservable_until_the_hall_is_full() {
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
    let message =
        "Only 0 seats and 1 wheelchair places are free; ask for fewer, or choose another showtime.";
    assert_eq!(refusal(&failure), ("not_enough_seats", message, 409));
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
async fn reports_when_no_seats_can_be_suggested() {
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

#[tokio::test]
async fn wheelchair_places_are_suggested_with_companions() {
    let cinema = open().await;
    let with = |count: u32, more: Value| {
        let mut arguments = ask(count);
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let found = cinema.call("suggest_seats", with(2, json!({ "wheelchair": true }))).await;
    assert_eq!(found["seat_ids"], json!(["D1", "D2"]));
    let (ja, en) = (found["sentence"].as_str().unwrap(), found["sentence_en"].as_str().unwrap());
    assert!(
        ja.ends_with("車椅子スペース: D1。") && en.ends_with("Wheelchair places: D1."),
        "{found}"
    );
    let one = cinema.call("suggest_seats", with(2, json!({ "wheelchair_places": 1 }))).await;
    assert_eq!(one["seat_ids"], found["seat_ids"]);
    let failure = cinema.failure("suggest_seats", with(2, json!({ "wheelchair_places": 2 }))).await;
    assert_eq!(failure["error"], "not_enough_seats", "the hall has one");
    for places in [json!(0), json!(3), json!(-1), json!("one")] {
        let arguments = with(2, json!({ "wheelchair_places": places }));
        assert_eq!(unfit(&cinema, "suggest_seats", arguments).await, "wheelchair_places");
    }
}
