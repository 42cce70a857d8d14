//! Staff tools: closing sales, moving parties, weekly statistics (CIN-95).

use std::{path::Path, time::Duration};

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

use super::{NOON, all, bench, free, open, open_with, order, small, unfit};

const LATER: &str = "st-20261120-mini-1500";

fn showing(id: &str) -> Value {
    json!({ "showtime_id": id })
}

fn to(reservation: &Value, seats: &[&str]) -> Value {
    json!({ "reservation_id": reservation["reservation_id"], "seat_ids": seats })
}

async fn code(cinema: &Tested, tool: &str, arguments: Value) -> String {
    cinema.failure(tool, arguments).await["error"].as_str().expect("a code").to_owned()
}

#[tokio::test]
async fn closed_showing_is_not_sold_until_reopened() {
    let cinema = open().await;
    let held = cinema.call("hold_seats", order("u1", NOON, &["A1"])).await;
    let mut close = showing(NOON);
    close["reason"] = json!("映写機の故障");
    let closed = cinema.call("close_sales", close).await;
    let expected =
        json!({ "showtime_id": NOON, "is_sales_closed": true, "reason": "映写機の故障" });
    assert_eq!(closed, expected);
    let mut own = order("u1", NOON, &["A1"]);
    own["hold_token"] = held["hold_token"].clone();
    for (tool, arguments) in [
        ("hold_seats", order("u2", NOON, &["A2"])),
        ("reserve_seats", order("u2", NOON, &["A2"])),
        ("reserve_seats", own.clone()),
        ("suggest_seats", json!({ "showtime_id": NOON, "count": 2 })),
        ("join_waiting_list", json!({ "user_id": "u2", "showtime_id": NOON, "count": 2 })),
    ] {
        let failure = cinema.failure(tool, arguments).await;
        assert_eq!(
            (&failure["error"], &failure["status"]),
            (&json!("sales_closed"), &json!(409)),
            "{tool}"
        );
        assert_eq!(failure["reason"], "映写機の故障", "{tool}");
    }
    let map = cinema.call("list_available_seats", showing(NOON)).await;
    assert_eq!(
        (&map["showtime"]["is_open"], &map["showtime"]["is_sales_closed"]),
        (&json!(false), &json!(true))
    );
    let listed =
        cinema.call("list_showtimes", json!({ "movie_id": map["showtime"]["movie_id"] })).await;
    let is_open = |is: bool| {
        let showtimes = listed["showtimes"].as_array().unwrap().iter();
        showtimes.filter(|it| it["is_open"] == is).map(|it| &it["showtime_id"]).collect::<Vec<_>>()
    };
    assert!(is_open(false).contains(&&json!(NOON)), "{listed}");
    assert!(is_open(true).len() > 5, "the others are open: {listed}");
    cinema.call("open_sales", showing(NOON)).await;
    cinema.call("reserve_seats", own).await;
    assert_eq!(code(&cinema, "close_sales", showing("st-1")).await, "showtime_not_found");
}

#[tokio::test]
async fn reopened_sales_offer_seats_to_the_waiting_list() {
    let cinema = open().await;
    let mut made = Vec::new();
    for row in ["A", "B", "C", "D"] {
        let seats: Vec<_> = (1..=6).map(|it| format!("{row}{it}")).collect();
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        made.push(cinema.call("reserve_seats", order("house", NOON, &seats)).await);
    }
    let join = json!({ "user_id": "u1", "showtime_id": NOON, "count": 2 });
    cinema.call("join_waiting_list", join).await;
    cinema.call("close_sales", showing(NOON)).await;
    let cancel = json!({ "reservation_id": made[0]["reservation_id"], "user_id": "house" });
    cinema.call("cancel_reservation", cancel).await;
    cinema.run_schedule().await.unwrap();
    let waits = async || {
        cinema.call("list_waiting", json!({ "user_id": "u1" })).await["waiting"][0]["state"].clone()
    };
    assert_eq!(waits().await, "waiting");
    cinema.call("open_sales", showing(NOON)).await;
    assert_eq!(waits().await, "offered");
}

#[tokio::test]
async fn party_is_moved_with_its_number_and_price() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    cinema.call("reserve_seats", order("u2", NOON, &["B1"])).await;
    cinema.pass(Duration::from_secs(60));
    let mut shift = to(&made, &["A3", "A2"]);
    shift["reason"] = json!("座席の故障");
    let moved = cinema.call("move_party", shift).await;
    assert_eq!(
        (&moved["reservation_id"], &moved["total"]),
        (&made["reservation_id"], &made["total"])
    );
    assert_eq!(moved["seats"][1], json!({ "seat_id": "A3", "row": "A", "number": 3 }));
    let change = json!({
        "at": "2026-11-20T10:01:00", "change": "moved", "from_showtime_id": NOON,
        "from_seat_ids": ["A1", "A2"], "reason": "座席の故障",
    });
    assert_eq!(moved["history"], json!([change]));
    let seats = free(&cinema, NOON).await;
    assert!(seats.contains(&"A1".to_owned()) && !seats.contains(&"A3".to_owned()));
    let mut later = to(&made, &["D1", "D2"]);
    later["showtime_id"] = json!(LATER);
    let moved = cinema.call("move_party", later).await;
    assert_eq!(
        (&moved["showtime_id"], &moved["start_time"]),
        (&json!(LATER), &json!("2026-11-20T15:00:00"))
    );
    assert_eq!(moved["history"].as_array().unwrap().len(), 2);
    assert_eq!((free(&cinema, NOON).await.len(), free(&cinema, LATER).await.len()), (23, 22));
    let cancel = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.call("cancel_reservation", cancel).await;
    assert_eq!(free(&cinema, LATER).await.len(), 24, "it is cancelled where it is now");
}

#[tokio::test]
async fn cin_47_a_key_gives_the_moved_party_to_the_first_order() {
    let cinema = open().await;
    let mut first = order("u1", NOON, &["A1", "A2"]);
    first["idempotency_key"] = json!("k-1");
    let made = cinema.call("reserve_seats", first.clone()).await;
    cinema.call("move_party", to(&made, &["A3", "A4"])).await;
    let mut later = to(&made, &["D1", "D2"]);
    later["showtime_id"] = json!(LATER);
    let moved = cinema.call("move_party", later).await;
    assert_eq!(cinema.call("reserve_seats", first).await, moved);
    let mut other = order("u1", LATER, &["D1", "D2"]);
    other["idempotency_key"] = json!("k-1");
    assert_eq!(code(&cinema, "reserve_seats", other).await, "idempotency_conflict");
}

#[tokio::test]
async fn party_is_moved_to_free_seats_only() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    cinema.call("reserve_seats", order("u2", NOON, &["B1"])).await;
    cinema.call("hold_seats", order("u3", NOON, &["B2"])).await;
    let other = |seats: &[&str]| to(&made, seats);
    assert_eq!(code(&cinema, "move_party", other(&["B1", "A1"])).await, "seat_already_reserved");
    assert_eq!(code(&cinema, "move_party", other(&["B2", "A1"])).await, "seat_held");
    assert_eq!(code(&cinema, "move_party", other(&["Z1", "A1"])).await, "seat_not_found");
    assert_eq!(unfit(&cinema, "move_party", other(&["B3"])).await, "seat_ids");
    assert_eq!(unfit(&cinema, "move_party", other(&["B3", "B3"])).await, "seat_ids.1");
    let mut past = other(&["A1", "A2"]);
    past["showtime_id"] = json!("st-20261119-mini-1220");
    assert_eq!(code(&cinema, "move_party", past).await, "showtime_closed");
    let found =
        cinema.call("get_reservation", json!({ "reservation_id": made["reservation_id"] })).await;
    assert_eq!(found, made, "nothing of it happened");
    let cancel = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.call("cancel_reservation", cancel).await;
    assert_eq!(code(&cinema, "move_party", other(&["A1", "A2"])).await, "reservation_cancelled");
}

#[tokio::test]
async fn statistics_cover_a_range_of_days() {
    let cinema = bench().settings(json!({ "check_in_minutes": 180 })).start().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2", "D1"])).await;
    cinema.call("reserve_seats", order("u2", LATER, &["A1"])).await;
    cinema.call("hold_seats", order("u3", NOON, &["B1"])).await;
    cinema.call("check_in", json!({ "code": made["reservation_id"] })).await;
    cinema.call("close_sales", showing(LATER)).await;
    let day = json!({ "from": "2026-11-20", "until": "2026-11-20" });
    let output = cinema.call("occupancy", day).await;
    let of = |id: &str| {
        output["showtimes"].as_array().unwrap().iter().find(|it| it["showtime_id"] == id).unwrap()
    };
    let noon = json!({
        "showtime_id": NOON, "movie_id": "tokyo-monogatari", "movie_title": "東京物語",
        "theater_name": "ミニシアター",
        "start_time": "2026-11-20T12:20:00", "seats_count": 24, "sold_count": 3, "held_count": 1,
        "checked_in_count": 3, "revenue": [{ "currency": "JPY", "amount": 4_600 }],
    });
    assert_eq!(of(NOON), &noon);
    assert_eq!(
        (&of(LATER)["is_sales_closed"], &of(LATER)["sold_count"]),
        (&json!(true), &json!(1))
    );
    assert_eq!((&output["sold_count"], &output["held_count"]), (&json!(4), &json!(1)));
    assert_eq!(output["revenue"], json!([{ "currency": "JPY", "amount": 6_400 }]));
    // 12:20 in Tokyo.
    cinema.pass(Duration::from_secs(140 * 60));
    let begun = cinema.call("occupancy", json!({ "until": "2026-11-20" })).await;
    let of = |id: &str| {
        begun["showtimes"].as_array().unwrap().iter().find(|it| it["showtime_id"] == id).unwrap()
    };
    assert_eq!(of(NOON)["has_begun"], true, "nothing of it is on sale any more");
    assert_eq!(of(LATER)["has_begun"], Value::Null);
    let week = cinema.call("occupancy", json!({})).await;
    assert_eq!((&week["from"], &week["until"]), (&json!("2026-11-20"), &json!("2026-11-26")));
    for (arguments, field) in [
        (json!({ "from": "2026-11-12" }), "from"),
        (json!({ "until": "2026-11-27" }), "until"),
        (json!({ "from": "soon" }), "from"),
        (json!({ "from": "2026-11-22", "until": "2026-11-21" }), "until"),
    ] {
        assert_eq!(unfit(&cinema, "occupancy", arguments).await, field);
    }
}

#[tokio::test]
async fn staff_tools_are_refused_to_customers() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    let mut customer = Caller::anonymous();
    customer.principal = "page".into();
    customer.scopes = ["component:cinema".to_owned()].into();
    cinema.speak(customer);
    for (tool, arguments) in [
        ("close_sales", showing(NOON)),
        ("open_sales", showing(NOON)),
        ("move_party", to(&made, &["A2"])),
        ("occupancy", json!({})),
    ] {
        assert_eq!(code(&cinema, tool, arguments).await, "staff_only", "{tool}");
    }
}

// Changes of the catalogue: staff edits, exports and imports it (CIN-96), and a new one replaces it.

/// Tonight's film, in the small cinema.
const TONIGHT: &str = "st-20261120-s1-1830";

async fn films(cinema: &Tested) -> Vec<String> {
    all(&cinema.call("list_movies", json!({})).await["movies"], "movie_id")
}

async fn showings(cinema: &Tested, movie: &str) -> Vec<String> {
    let listed = cinema.call("list_showtimes", json!({ "movie_id": movie })).await;
    all(&listed["showtimes"], "showtime_id")
}

fn kept(file: &Path, catalog: &Value) -> Bench {
    bench().database(file).settings(json!({ "catalog": catalog }))
}

fn lines(answer: &Value) -> Vec<&str> {
    answer["changes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_film_is_changed_added_and_taken_out() {
    let cinema = open_with(&small()).await;
    let mut change =
        json!({ "movie_id": "kimi", "title": "君", "genre": "アニメ", "dry_run": true });
    let output = cinema.call("edit_movie", change.clone()).await;
    assert_eq!((&output["imported"], &output["changes_count"]), (&json!(false), &json!(2)));
    assert_eq!(lines(&output)[1], "~ movies/kimi title: \"君の名は。\" → \"君\"");
    let title = async || cinema.call("list_movies", json!({})).await["movies"][0]["title"].clone();
    assert_eq!(title().await, "君の名は。", "it was a trial");
    change["dry_run"] = json!(false);
    assert_eq!(cinema.call("edit_movie", change.clone()).await["imported"], true);
    assert_eq!(title().await, "君");
    assert_eq!(cinema.call("edit_movie", change).await["changes_count"], 0, "once more is nothing");
    let added = json!({
        "movie_id": "akira", "title": "AKIRA", "description": "東京。", "duration": 124, "rating": 4.4,
    });
    cinema.call("edit_movie", added).await;
    let show = json!({
        "movie_id": "akira", "screen_id": "s1", "start_time": "2026-11-21T21:00",
    });
    cinema.call("edit_showtime", show).await;
    assert_eq!(showings(&cinema, "akira").await, ["st-20261121-s1-2100"]);
    let gone = json!({ "movie_id": "akira", "remove": true });
    assert_eq!(
        unfit(&cinema, "edit_movie", gone.clone()).await,
        "remove",
        "it is in the programme"
    );
    let out = json!({ "showtime_id": "st-20261121-s1-2100", "remove": true });
    cinema.call("edit_showtime", out).await;
    cinema.call("edit_movie", gone).await;
    assert_eq!(films(&cinema).await, ["kimi", "rashomon"]);
    for (arguments, field) in [
        (json!({ "movie_id": "new" }), "title"),
        (json!({ "movie_id": "kimi", "rating": 6 }), "rating"),
        (json!({ "movie_id": "kimi", "title": "" }), "title"),
        (json!({ "movie_id": "nothing", "remove": true }), "movie_id"),
    ] {
        assert_eq!(unfit(&cinema, "edit_movie", arguments).await, field);
    }
}

#[tokio::test]
async fn a_film_whose_season_is_over_can_be_removed() {
    // A week back is listed still.
    for (until, is_over) in [("2026-11-12", true), ("2026-11-13", false)] {
        let mut catalog = small();
        let season = json!({
            "screen_id": "bare", "movie_id": "maboroshi", "times": ["20:00"], "until": until,
        });
        catalog["programme"].as_array_mut().unwrap().push(season);
        let cinema = open_with(&catalog).await;
        let gone = json!({ "movie_id": "maboroshi", "remove": true });
        if is_over {
            assert_eq!(cinema.call("edit_movie", gone).await["changes_count"], 1);
        } else {
            assert_eq!(unfit(&cinema, "edit_movie", gone).await, "remove");
        }
    }
}

#[tokio::test]
async fn a_screen_comes_as_a_layout_or_as_rows() {
    let cinema = open_with(&small()).await;
    let layout = json!({ "screen_id": "bare", "layout": "A wc_ss\nB dd_ss\n" });
    cinema.call("edit_screen", layout).await;
    let later = "st-20261120-bare-1500";
    assert_eq!(free(&cinema, later).await, ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4"]);
    let rows = json!({ "screen_id": "bare", "rows": [{ "row": "A", "seats": "sss" }] });
    cinema.call("edit_screen", rows).await;
    assert_eq!(free(&cinema, later).await.len(), 3);
    for (arguments, field) in [
        (json!({ "screen_id": "bare", "layout": "A s?s" }), "layout"),
        (json!({ "screen_id": "bare", "layout": "Asss" }), "layout"),
        (json!({ "screen_id": "bare", "layout": "A ss", "rows": [] }), "layout"),
        (json!({ "screen_id": "bare", "rows": [{ "row": "A", "seats": "d" }] }), "rows.0.seats"),
        (json!({ "screen_id": "s9" }), "name"),
        (json!({ "screen_id": "s1", "remove": true }), "remove"),
    ] {
        assert_eq!(unfit(&cinema, "edit_screen", arguments).await, field);
    }
}

#[tokio::test]
async fn one_showing_is_moved_and_the_rest_of_the_week_stays() {
    let mut catalog = small();
    catalog["cleaning_minutes"] = json!(15);
    let cinema = open_with(&catalog).await;
    let before = showings(&cinema, "kimi").await;
    let later = json!({ "showtime_id": TONIGHT, "start_time": "2026-11-20T19:00" });
    cinema.call("edit_showtime", later).await;
    let mut expected = before.clone();
    let at = expected.iter().position(|it| it == TONIGHT).unwrap();
    expected[at] = "st-20261120-s1-1900".into();
    assert_eq!(showings(&cinema, "kimi").await, expected);
    let meets = json!({
        "movie_id": "rashomon", "screen_id": "s1", "start_time": "2026-11-20T20:50",
    });
    assert_eq!(unfit(&cinema, "edit_showtime", meets.clone()).await, "start_time", "it is cleaned");
    let mut fits = meets;
    fits["start_time"] = json!("2026-11-20T21:02");
    cinema.call("edit_showtime", fits).await;
    for (arguments, field) in [
        (json!({ "movie_id": "kimi" }), "screen_id"),
        (json!({ "remove": true }), "showtime_id"),
        (json!({ "showtime_id": "st-20261120-s1-1900", "start_time": "late" }), "start_time"),
        (json!({ "showtime_id": "st-20261120-s1-1900", "movie_id": "none" }), "movie_id"),
        (
            json!({ "movie_id": "kimi", "screen_id": "s1", "start_time": "2025-11-20T09:00" }),
            "start_time",
        ),
    ] {
        assert_eq!(unfit(&cinema, "edit_showtime", arguments).await, field);
    }
    let unknown = json!({ "showtime_id": TONIGHT, "remove": true });
    assert_eq!(cinema.failure("edit_showtime", unknown).await["error"], "showtime_not_found");
}

#[tokio::test]
async fn sold_seats_cannot_be_edited_away() {
    let cinema = open_with(&small()).await;
    let made = cinema.call("reserve_seats", order("u1", TONIGHT, &["A4"])).await;
    let id = made["reservation_id"].as_str().unwrap();
    for (tool, arguments) in [
        ("edit_showtime", json!({ "showtime_id": TONIGHT, "remove": true })),
        (
            "edit_showtime",
            json!({ "showtime_id": TONIGHT, "movie_id": "rashomon", "dry_run": true }),
        ),
        ("edit_screen", json!({ "screen_id": "s1", "layout": "A sss" })),
    ] {
        let failure = cinema.failure(tool, arguments).await;
        let sold = (&failure["error"], &failure["status"]);
        assert_eq!(sold, (&json!("sold_seats_would_be_lost"), &json!(409)), "{tool}");
        assert_eq!(failure["data"]["showtimes"], json!([format!("{TONIGHT}: A4 ({id})")]));
    }
    cinema.call("edit_screen", json!({ "screen_id": "s1", "layout": "A ssss" })).await;
    assert_eq!(free(&cinema, TONIGHT).await, ["A1", "A2", "A3"]);
}

#[tokio::test]
async fn catalogue_round_trips_as_json_and_as_a_table() {
    let cinema = open_with(&small()).await;
    for format in ["json", "csv"] {
        let file = cinema.call("export_catalogue", json!({ "format": format })).await;
        assert_eq!((&file["source"], &file["format"]), (&json!("operator"), &json!(format)));
        let same = json!({ "text": file["text"], "format": format });
        let done = cinema.call("import_catalogue", same).await;
        assert_eq!((&done["imported"], &done["changes"]), (&json!(false), &json!([])), "{format}");
    }
    let file = cinema.call("export_catalogue", json!({ "format": "csv" })).await;
    let text = file["text"].as_str().unwrap().replace("君の名は。", "君");
    let mut other = json!({ "text": text, "format": "csv", "dry_run": true });
    assert_eq!(cinema.call("import_catalogue", other.clone()).await["changes_count"], 1);
    other["dry_run"] = json!(false);
    let output = cinema.call("import_catalogue", other).await;
    assert_eq!((&output["imported"], &output["before"]), (&json!(true), &json!(1)));
    let now = cinema.call("export_catalogue", json!({})).await;
    assert_eq!((&now["source"], &now["import"]), (&json!("staff"), &json!(2)));
    let before = cinema.call("export_catalogue", json!({ "import": 1 })).await;
    assert!(before["text"].as_str().unwrap().contains("君の名は。"));
    let none = cinema.failure("export_catalogue", json!({ "import": 9 })).await;
    assert_eq!(none["error"], "import_not_found");
    for text in ["{}", "record,title\nmovie", ""] {
        let wrong = json!({ "text": text, "format": if text == "{}" { "json" } else { "csv" } });
        assert_eq!(unfit(&cinema, "import_catalogue", wrong).await, "text", "{text:?}");
    }
}

#[tokio::test]
async fn edit_stays_until_the_operators_file_changes_and_is_kept_then() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = kept(&file, &small()).start().await;
    cinema.call("edit_movie", json!({ "movie_id": "kimi", "title": "君" })).await;
    cinema.call("edit_movie", json!({ "movie_id": "kimi", "genre": "アニメ" })).await;
    drop(cinema);
    let title = async |cinema: &Tested| {
        cinema.call("list_movies", json!({})).await["movies"][0]["title"].clone()
    };
    let cinema = kept(&file, &small()).start().await;
    assert_eq!(title(&cinema).await, "君", "the same file changes nothing");
    drop(cinema);
    let mut other = small();
    other["movies"][1]["title"] = json!("藪の中");
    let cinema = kept(&file, &other).start().await;
    assert_eq!(title(&cinema).await, "君の名は。", "a file that has changed is on sale");
    let edited = cinema.call("export_catalogue", json!({ "import": 3 })).await;
    assert_eq!(edited["source"], "staff", "and what was edited is kept");
    let back = json!({ "text": edited["text"] });
    cinema.call("import_catalogue", back).await;
    assert_eq!(title(&cinema).await, "君");
}

// A new catalogue replaces the current one, unless a sold seat would disappear.

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
