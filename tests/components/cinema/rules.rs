//! The operator's rules of choosing seats, shown in the map and applied to holds and reservations (CIN-91).

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, all, bench, open, order, small};

/// A showing in the small cinema with a row of everything: `A` ordinary, `B` wheelchair and companions, `C` pairs.
const TONIGHT: &str = "st-20261120-s1-1830";

async fn ruled(rules: &Value) -> Tested {
    let mut catalog = small();
    catalog["screens"][0]["rows"] = json!([
        { "row": "A", "seats": "sssss" },
        { "row": "B", "seats": "cwc_s" },
        { "row": "C", "seats": "dddd_" },
    ]);
    bench().settings(json!({ "catalog": catalog, "rules": rules })).start().await
}

fn every() -> Value {
    json!({ "no_single_gap": true, "companion_beside_wheelchair": true })
}

#[tokio::test]
async fn map_shows_rules_and_pairs() {
    let cinema = ruled(&json!({ "no_single_gap": true, "seats_per_person_max": 4 })).await;
    let map = cinema.call("list_available_seats", json!({ "showtime_id": TONIGHT })).await;
    let rules = json!({ "no_single_gap": true, "pairs_together": true, "seats_per_person_max": 4 });
    assert_eq!(map["rules"], rules);
    let of = |id: &str| map["seats"].as_array().unwrap().iter().find(|it| it["seat_id"] == id);
    let pair = of("C3").unwrap();
    assert_eq!((&pair["kind"], &pair["pair_with"]), (&json!("pair"), &json!("C4")));
    assert_eq!(of("B1").unwrap()["kind"], "companion");
    let seats = cinema.read(&format!("cinema://showtimes/{TONIGHT}/seats")).await.unwrap();
    assert!(format!("{seats:?}").contains("seats_per_person_max"), "the resource tells them too");
}

#[tokio::test]
async fn without_rules_only_pairs_stay_together() {
    let cinema = ruled(&json!({})).await;
    let map = cinema.call("list_available_seats", json!({ "showtime_id": TONIGHT })).await;
    assert_eq!(map["rules"], json!({ "pairs_together": true }));
    cinema.call("hold_seats", order("u1", TONIGHT, &["A2", "B1"])).await;
    let failure = cinema.failure("hold_seats", order("u1", TONIGHT, &["C2"])).await;
    assert_eq!(failure["error"], "seats_against_rules");
    let free = ruled(&json!({ "pairs_together": false })).await;
    free.call("reserve_seats", order("u1", TONIGHT, &["C2"])).await;
}

#[tokio::test]
async fn violated_rule_names_seats_and_alternatives() {
    let cinema = ruled(&every()).await;
    for tool in ["hold_seats", "reserve_seats"] {
        let failure = cinema.failure(tool, order("u1", TONIGHT, &["A2", "A3"])).await;
        assert_eq!(
            (&failure["error"], &failure["status"]),
            (&json!("seats_against_rules"), &json!(409))
        );
        let rules = json!([{ "rule": "no_single_gap", "seat_ids": ["A1"] }]);
        assert_eq!(failure["data"]["rules"], rules, "{tool}");
        let text = failure["message"].as_str().unwrap();
        assert!(text.starts_with("A1 would be left alone; choose so that"), "{text}");
        assert!(failure["data"]["message_ja"].as_str().unwrap().starts_with("A1が一席だけ"));
        let seats = all_texts(&failure["data"]["suggestion"]["seat_ids"]);
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        assert_eq!(seats.len(), 2, "{failure}");
        let held = cinema.call("hold_seats", order("u2", TONIGHT, &seats)).await;
        cinema.call("release_hold", json!({ "hold_token": held["hold_token"] })).await;
    }
    let failure = cinema.failure("reserve_seats", order("u1", TONIGHT, &["B3", "C1"])).await;
    let rules = json!([
        { "rule": "pairs_together", "seat_ids": ["C2"] },
        { "rule": "companion_beside_wheelchair", "seat_ids": ["B3"] },
    ]);
    assert_eq!(failure["data"]["rules"], rules);
    cinema.call("reserve_seats", order("u1", TONIGHT, &["B2", "B3", "C1", "C2"])).await;
}

fn all_texts(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn ones_own_hold_counts_as_free_for_the_rules() {
    let cinema = ruled(&every()).await;
    let held = cinema.call("hold_seats", order("u1", TONIGHT, &["A1", "A2", "A3"])).await;
    let mut arguments = order("u1", TONIGHT, &["A2"]);
    arguments["hold_token"] = held["hold_token"].clone();
    let failure = cinema.failure("reserve_seats", arguments.clone()).await;
    assert_eq!(failure["data"]["rules"][0]["seat_ids"], json!(["A1"]));
    arguments["seat_ids"] = json!(["A1", "A2", "A3"]);
    cinema.call("reserve_seats", arguments).await;
}

#[tokio::test]
async fn seats_per_user_and_showing_are_limited() {
    let cinema = ruled(&json!({ "seats_per_person_max": 3 })).await;
    cinema.call("reserve_seats", order("u1", TONIGHT, &["A1"])).await;
    let held = cinema.call("hold_seats", order("u1", TONIGHT, &["A2"])).await;
    for tool in ["hold_seats", "reserve_seats"] {
        let failure = cinema.failure(tool, order("u1", TONIGHT, &["A3", "A4"])).await;
        assert_eq!(failure["error"], "seats_against_rules", "{tool}");
        assert_eq!(failure["data"]["rules"][0]["rule"], "seats_per_person_max");
        assert_eq!(
            (&failure["data"]["seats_count"], &failure["data"]["seats_per_person_max"]),
            (&json!(2), &json!(3))
        );
    }
    let mut arguments = order("u1", TONIGHT, &["A2", "A3"]);
    arguments["hold_token"] = held["hold_token"].clone();
    cinema.call("reserve_seats", arguments).await;
    cinema.call("reserve_seats", order("u2", TONIGHT, &["A4"])).await;
    let tomorrow = order("u1", "st-20261121-s1-1830", &["A1", "A2", "A3"]);
    cinema.call("reserve_seats", tomorrow).await;
}

#[tokio::test]
async fn suggestions_follow_the_rules() {
    let cinema = ruled(&every()).await;
    loop {
        let ask = json!({ "showtime_id": TONIGHT, "count": 2 });
        let round = cinema.round("suggest_seats", ask, json!({})).await;
        let workbench::solo::SoloOutcome::Done(output) = round else { break };
        let found: Value = serde_json::from_str(&output.structured.unwrap()).unwrap();
        let seats = all_texts(&found["seat_ids"]);
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        cinema.call("reserve_seats", order("u1", TONIGHT, &seats)).await;
    }
    let map = cinema.call("list_available_seats", json!({ "showtime_id": TONIGHT })).await;
    assert_eq!(all(&map["seats"], "seat_id"), ["B1", "B2", "B3"], "no more than these are left");
}

#[tokio::test]
async fn invalid_rules_prevent_the_start() {
    for (wrong, named) in [
        (json!({ "no_gap": true }), "/rules/no_gap"),
        (json!({ "seats_per_person_max": 0 }), "/rules/seats_per_person_max"),
        (json!("strict"), "/rules"),
    ] {
        let settings = json!({ "rules": wrong });
        let error = bench().settings(settings).try_start().await.err().expect("it must not start");
        assert!(error.contains(named), "{wrong}: {error}");
    }
    let demo = open().await;
    demo.call("hold_seats", order("u1", NOON, &["A2"])).await;
}
