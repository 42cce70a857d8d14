//! Prices of seats, from the map to the reservation, where they are fixed (CIN-90).

use std::path::Path;

use serde_json::{Value, json};
use tests::bench::Bench;

use super::{NOON, bench, open, open_with, order, small};

/// Tonight's film, in the small cinema.
const TONIGHT: &str = "st-20261120-s1-1830";

fn yen(amount: u32) -> Value {
    json!({ "currency": "JPY", "amount": amount })
}

/// The small cinema, with a list for all and one for its screen.
fn priced() -> Value {
    let mut catalog = small();
    catalog["prices"] = json!({ "currency": "JPY", "standard": 1_900 });
    catalog["screens"][0]["prices"] =
        json!({ "currency": "JPY", "standard": 2_000, "wheelchair": 1_000 });
    catalog
}

#[tokio::test]
async fn hall_shows_the_price_of_each_seat_kind() {
    let cinema = open().await;
    let map = cinema.call("list_available_seats", json!({ "showtime_id": NOON })).await;
    let list =
        json!({ "currency": "JPY", "standard": 1_800, "premium": 2_200, "wheelchair": 1_000 });
    assert_eq!(map["prices"], list, "the screen's own list, whole");
    let large = json!({ "showtime_id": "st-20261120-s1-1830" });
    let map = cinema.call("list_available_seats", large).await;
    assert_eq!(map["prices"]["standard"], 2_000, "the catalogue's: {}", map["prices"]);
}

#[tokio::test]
async fn holds_reservations_and_suggestions_show_prices_and_total() {
    let cinema = open().await;
    let held = cinema.call("hold_seats", order("u1", NOON, &["D1", "D6", "D5"])).await;
    let prices: Vec<_> = held["seats"].as_array().unwrap().iter().map(|it| &it["price"]).collect();
    assert_eq!(prices, [&yen(1_000), &yen(1_800), &yen(2_200)]);
    assert_eq!(held["total"], yen(5_000));
    let extend = json!({ "hold_token": held["hold_token"], "minutes": 30 });
    let extended = cinema.call("extend_hold", extend).await;
    assert_eq!((&extended["total"], &extended["seats"]), (&held["total"], &held["seats"]));
    let mut arguments = order("u1", NOON, &["D1", "D5"]);
    arguments["hold_token"] = held["hold_token"].clone();
    let made = cinema.call("reserve_seats", arguments).await;
    assert_eq!(made["total"], yen(2_800));
    assert!(made["seats"][0].get("price").is_none(), "CIN-41: {made}");
    let found = json!({ "reservation_id": made["reservation_id"] });
    assert_eq!(cinema.call("get_reservation", found).await, made);
    let asked = json!({ "showtime_id": NOON, "count": 2 });
    let suggested = cinema.call("suggest_seats", asked).await;
    assert_eq!(suggested["total"], yen(3_600), "{suggested}");
    assert_eq!(suggested["seats"][0]["seat_id"], suggested["seat_ids"][0]);
}

#[tokio::test]
async fn no_prices_are_shown_if_none_is_set() {
    let cinema = open_with(&small()).await;
    let map = cinema.call("list_available_seats", json!({ "showtime_id": TONIGHT })).await;
    assert!(map.get("prices").is_none(), "{map}");
    let held = cinema.call("hold_seats", order("u1", TONIGHT, &["A1"])).await;
    assert!(held.get("total").is_none() && held["seats"][0].get("price").is_none(), "{held}");
    let made = cinema.call("reserve_seats", order("u1", TONIGHT, &["A2"])).await;
    assert!(made.get("total").is_none() && made["seats"][0].get("price").is_none(), "{made}");
    let asked = json!({ "showtime_id": TONIGHT, "count": 2 });
    let suggested = cinema.call("suggest_seats", asked).await;
    assert!(suggested.get("total").is_none() && suggested.get("seats").is_none(), "{suggested}");
}

#[tokio::test]
async fn reservation_keeps_its_price() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let kept = |file: &Path, catalog: &Value| -> Bench {
        bench().database(file).settings(json!({ "catalog": catalog }))
    };
    let cinema = kept(&file, &priced()).start().await;
    let made = cinema.call("reserve_seats", order("u1", TONIGHT, &["A1", "B4"])).await;
    assert_eq!(made["total"], yen(3_000));
    drop(cinema);
    let mut dearer = priced();
    dearer["programme"][0]["prices"] = json!({ "currency": "JPY", "standard": 2_500 });
    let cinema = kept(&file, &dearer).start().await;
    let found = json!({ "reservation_id": made["reservation_id"] });
    assert_eq!(cinema.call("get_reservation", found).await, made);
    let other = cinema.call("reserve_seats", order("u1", TONIGHT, &["A2"])).await;
    assert_eq!(other["total"], yen(2_500), "the programme's own list is nearest");
}
