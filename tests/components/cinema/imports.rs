//! A new catalogue replaces the current one, unless a sold seat would disappear.

use std::path::Path;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

use super::{all, bench, free, order, small};

/// Tonight's film, in the small cinema.
const TONIGHT: &str = "st-20261120-s1-1830";

fn kept(file: &Path, catalog: &Value) -> Bench {
    bench().database(file).settings(json!({ "catalog": catalog }))
}

async fn films(cinema: &Tested) -> Vec<String> {
    all(&cinema.call("list_movies", json!({})).await["movies"], "movie_id")
}

#[tokio::test]
async fn operators_catalogue_replaces_the_demo_and_the_demo_returns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = bench().database(&file).start().await;
    assert_eq!(films(&cinema).await.len(), 12);
    drop(cinema);
    let cinema = kept(&file, &small()).start().await;
    assert_eq!(films(&cinema).await, ["kimi", "rashomon"]);
    assert_eq!(free(&cinema, TONIGHT).await, ["A1", "A2", "A3", "A4", "B1", "B2", "B4"]);
    let unknown = cinema.failure("list_showtimes", json!({ "movie_id": "akira" })).await;
    assert_eq!(unknown["error"], "movie_not_found", "nothing of the demo is left");
    drop(cinema);
    assert_eq!(films(&bench().database(&file).start().await).await.len(), 12);
}

#[tokio::test]
async fn rejected_catalogue_leaves_the_current_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = kept(&file, &small()).start().await;
    cinema.call("reserve_seats", order("u1", TONIGHT, &["A1"])).await;
    drop(cinema);
    let mut bad = small();
    bad["movies"][0]["title"] = json!("君の名は。改");
    bad["movies"][1]["rating"] = json!(11);
    kept(&file, &bad).try_start().await.err().expect("it must not start");
    let cinema = kept(&file, &small()).start().await;
    let listed = cinema.call("list_movies", json!({})).await;
    assert_eq!(listed["movies"][0]["title"], "君の名は。", "not even the good part was taken");
    assert_eq!(free(&cinema, TONIGHT).await.len(), 6, "and what is sold is sold");
}

#[tokio::test]
async fn refuses_import_that_would_remove_sold_seats_and_lists_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = kept(&file, &small()).start().await;
    let made = cinema.call("reserve_seats", order("u1", TONIGHT, &["A4", "A1"])).await;
    let reservation = made["reservation_id"].as_str().unwrap();
    drop(cinema);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut catalog = small();
        change(&mut catalog);
        catalog
    };
    let seat = |seat: &str| format!("{seat} ({reservation})");
    let both = [seat("A1"), seat("A4")].join(", ");
    for (what, catalog, seats) in [
        (
            "a seat less",
            changed(&|it| it["screens"][0]["rows"][0]["seats"] = json!("sss")),
            seat("A4"),
        ),
        (
            "another time",
            changed(&|it| it["programme"][0]["times"][0] = json!("18:40")),
            both.clone(),
        ),
        (
            "another film",
            changed(&|it| it["programme"][0]["movie_id"] = json!("maboroshi")),
            both.clone(),
        ),
        (
            "another day",
            changed(&|it| it["programme"][0]["days"] = json!(["sat", "thu"])),
            both.clone(),
        ),
        (
            "a season over",
            changed(&|it| it["programme"][0]["until"] = json!("2026-11-19")),
            both.clone(),
        ),
        ("no programme", changed(&|it| it["programme"] = json!([])), both.clone()),
    ] {
        let error = kept(&file, &catalog).try_start().await.err().expect(what);
        let line = format!("/catalog: would remove sold seats of {TONIGHT}: {seats}");
        assert!(error.ends_with(&line), "{what}: {error}");
    }
    let error = bench().database(&file).try_start().await.err().expect("the demo has none of it");
    assert!(error.contains(&format!("{TONIGHT}: {both}")), "{error}");
    let cinema = kept(&file, &small()).start().await;
    assert_eq!(free(&cinema, TONIGHT).await.len(), 5, "nothing was lost");
}

#[tokio::test]
async fn import_with_every_sold_seat_takes_effect_and_they_stay_sold() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = kept(&file, &small()).start().await;
    let made = cinema.call("reserve_seats", order("u1", TONIGHT, &["A1"])).await;
    drop(cinema);
    let mut larger = small();
    larger["screens"][0]["rows"][0]["seats"] = json!("ssssss");
    larger["movies"][0]["title"] = json!("君の名は。4K");
    larger["programme"][0]["times"] = json!(["18:30", "21:00"]);
    let cinema = kept(&file, &larger).start().await;
    assert_eq!(free(&cinema, TONIGHT).await.len(), 8, "two seats more, one sold");
    let failure = cinema.failure("reserve_seats", order("u2", TONIGHT, &["A1"])).await;
    assert_eq!(failure["error"], "seat_already_reserved", "{failure}");
    let arguments = json!({ "reservation_id": made["reservation_id"] });
    let stored = cinema.call("get_reservation", arguments).await;
    assert_eq!(stored, made, "a reservation is what it was when it was made");
}

#[tokio::test]
async fn past_and_cancelled_seats_block_no_import() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = kept(&file, &small()).start().await;
    let made = cinema.call("reserve_seats", order("u1", TONIGHT, &["A1"])).await;
    let noon = cinema.call("reserve_seats", order("u1", "st-20261120-s1-1200", &["A1"])).await;
    let arguments = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.call("cancel_reservation", arguments).await;
    drop(cinema);
    let error = bench().database(&file).try_start().await.err().expect("one is to come at noon");
    assert!(error.contains("st-20261120-s1-1200: A1"), "{error}");
    assert!(!error.contains(TONIGHT), "{error}");
    // At 12:00 that film has begun.
    let cinema = bench().database(&file).at("2026-11-20T03:00:00").start().await;
    assert_eq!(films(&cinema).await.len(), 12);
    let arguments = json!({ "reservation_id": noon["reservation_id"] });
    assert_eq!(cinema.call("get_reservation", arguments).await, noon, "it can still be looked up");
}
