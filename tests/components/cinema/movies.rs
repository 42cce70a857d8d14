//! `list_movies`: what is on, and when (CIN-10, CIN-11, CIN-14 to CIN-17, CIN-X3, CIN-X4, CIN-X6), and titles.

use std::path::Path;

use host::grants::Grant;
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

use super::{NOON, all, bench, open, open_with, order, small, unfit};

async fn on(cinema: &Tested, date: &str) -> Vec<String> {
    let listed = cinema.call("list_movies", json!({ "date": date })).await;
    all(&listed["movies"], "movie_id")
}

#[tokio::test]
async fn a_film_has_the_specified_fields_and_the_agreed_extensions() {
    let listed = open().await.call("list_movies", json!({})).await;
    let expected = json!({
        "movie_id": "kiminonawa",
        "title": "君の名は。",
        "description": "山深い町に暮らす女子高生・三葉と東京の男子高生・瀧。夢の中で入れ替わる二人は、やがて互いを探し始める。",
        "rating": 4.5,
        "title_en": "Your Name.",
        "description_en": "Mitsuha in a mountain town and Taki in Tokyo keep waking up in each other's lives, and then set out to meet.",
        "genre": "アニメ",
        "genre_en": "Animation",
        "duration": 107,
        "release_date": "2016-08-26",
        "showtimes_count": 21,
    });
    assert_eq!(listed["movies"][0], expected, "CIN-10, CIN-17");
    let names: Vec<_> = listed.as_object().unwrap().keys().collect();
    assert_eq!(names, ["movies", "now", "timezone"], "CIN-13: suggestions only if nothing fits");
    for movie in listed["movies"].as_array().unwrap() {
        let rating = movie["rating"].as_f64().expect("CIN-10: a number");
        assert!((0.0..=5.0).contains(&rating), "CIN-X6: {movie}");
        for text in ["movie_id", "title", "description"] {
            assert!(movie[text].as_str().is_some_and(|it| !it.is_empty()), "CIN-10: {movie}");
        }
    }
}

#[tokio::test]
async fn without_arguments_lists_every_film_on_in_the_operators_order() {
    let cinema = open().await;
    let listed = cinema.call("list_movies", json!({})).await;
    let expected = [
        "kiminonawa",
        "shichinin-no-samurai",
        "tokyo-monogatari",
        "rashomon",
        "tonari-no-totoro",
        "sen-to-chihiro",
        "akira",
        "ikiru",
        "godzilla",
        "kono-sekai-no-katasumi-ni",
        "manbiki-kazoku",
        "okuribito",
    ];
    assert_eq!(all(&listed["movies"], "movie_id"), expected, "CIN-11");
    let nulls = json!({ "date": null, "title_query": null });
    assert_eq!(cinema.call("list_movies", nulls).await, listed, "CIN-11: null is as good as none");
    let blank = cinema.call("list_movies", json!({ "title_query": "  " })).await;
    assert_eq!(blank, listed, "CIN-11: a blank query asks for nothing");
}

#[tokio::test]
async fn film_without_showtimes_is_hidden_rating_has_one_decimal() {
    let listed = open_with(&small()).await.call("list_movies", json!({})).await;
    assert_eq!(all(&listed["movies"], "movie_id"), ["kimi", "rashomon"], "CIN-11");
    assert_eq!(listed["movies"][1]["rating"], 4.3, "CIN-X6: 4.26 with one decimal");
    for unknown in ["genre", "genre_en"] {
        assert_eq!(listed["movies"][1].get(unknown), None, "CIN-17: what is unknown is left out");
    }
}

#[tokio::test]
async fn a_date_keeps_the_films_that_are_on_that_day() {
    let cinema = open_with(&small()).await;
    assert_eq!(on(&cinema, "2026-11-20").await, ["kimi", "rashomon"], "CIN-14: Friday");
    assert_eq!(on(&cinema, "2026-11-21").await, ["kimi", "rashomon"], "CIN-14: Saturday");
    assert_eq!(on(&cinema, "2026-11-22").await, ["kimi"], "CIN-14: Sunday");
    let day = cinema.call("list_movies", json!({ "date": "2026-11-22" })).await;
    assert_eq!(day["movies"][0]["showtimes_count"], 2, "CIN-17: of that day");
}

#[tokio::test]
async fn a_day_without_showtimes_has_an_empty_list_and_no_error() {
    let cinema = open().await;
    for date in ["2025-07-13", "2026-11-27", "2026-11-12", "9999-12-31", "0001-01-01"] {
        let listed = cinema.call("list_movies", json!({ "date": date })).await;
        assert_eq!(listed, json!({ "movies": [] }), "CIN-14: {date}");
    }
}

#[tokio::test]
async fn date_with_a_time_keeps_later_showings() {
    let cinema = open().await;
    let late = ["rashomon", "akira", "godzilla"];
    assert_eq!(on(&cinema, "2026-11-20T20:45").await, late, "CIN-16: at the minute itself");
    assert_eq!(on(&cinema, "2026-11-20T20:45:01").await, ["rashomon", "godzilla"], "CIN-16");
    assert_eq!(on(&cinema, "2026-11-22T21:00").await, ["godzilla"], "CIN-16: a Sunday");
    assert_eq!(on(&cinema, "2026-11-20T23:11").await, Vec::<String>::new(), "CIN-16");
    let counted = cinema.call("list_movies", json!({ "date": "2026-11-20T20:45" })).await;
    let counts: Vec<_> =
        counted["movies"].as_array().unwrap().iter().map(|it| &it["showtimes_count"]).collect();
    assert_eq!(counts, [2, 1, 1], "CIN-16: what began before does not count");
}

#[tokio::test]
async fn a_time_with_an_offset_becomes_the_cinemas_own() {
    let cinema = open().await;
    for (elsewhere, here) in [
        ("2026-11-20T11:45:00Z", "2026-11-20T20:45"),
        ("2026-11-20T06:45:00-05:00", "2026-11-20T20:45"),
        ("2026-11-20T21:00:00+09:00", "2026-11-20T21:00"),
        ("2026-11-22T07:00:00-05:00", "2026-11-22T21:00"),
        // The date changes with the zone.
        ("2026-11-21T15:30:00Z", "2026-11-22T00:30"),
    ] {
        assert_eq!(on(&cinema, elsewhere).await, on(&cinema, here).await, "CIN-X4: {elsewhere}");
    }
    assert_ne!(on(&cinema, "2026-11-20T20:45").await, on(&cinema, "2026-11-20T11:45").await);
}

#[tokio::test]
async fn rejects_invalid_date_in_the_specified_text() {
    let cinema = open().await;
    let message = "Invalid date format. Use YYYY-MM-DD.";
    let expected = json!({
        "error": "invalid_params",
        "message": message,
        "status": 400,
        "data": {
            "field": "date",
            "reason": message,
            "problems": [{ "pointer": "/date", "message": message }],
        },
    });
    for date in [
        "tomorrow",
        "",
        "2026-13-01",
        "2026-02-29",
        "20261120",
        "2026/11/20",
        "2026-11-20T25:00",
        "2026-11-20T",
        " 2026-11-20",
        "２０２６-11-20",
    ] {
        for tool in ["list_movies", "list_showtimes"] {
            let mut arguments = json!({ "date": date });
            if tool == "list_showtimes" {
                arguments["movie_id"] = json!("akira");
            }
            assert_eq!(cinema.failure(tool, arguments).await, expected, "CIN-15: {tool} {date:?}");
        }
    }
    let number = cinema.failure("list_movies", json!({ "date": 20_261_120 })).await;
    assert_eq!(number["data"]["field"], Value::from("date"), "CIN-15: {number}");
}

// Inexact titles (CIN-12, CIN-13, CIN-15).

async fn found(cinema: &Tested, query: &str) -> Vec<String> {
    let listed = cinema.call("list_movies", json!({ "title_query": query })).await;
    all(&listed["movies"], "movie_id")
}

/// Holds that each query finds its film before every other one.
async fn finds(queries: &[(&str, &str)]) {
    let cinema = open().await;
    for (query, movie_id) in queries {
        let found = found(&cinema, query).await;
        assert_eq!(found.first().map(String::as_str), Some(*movie_id), "{query}: {found:?}");
    }
}

#[tokio::test]
async fn a_part_of_a_title_or_more_than_the_title_finds_the_film() {
    // CIN-12: partial match.
    finds(&[
        ("君の名は。", "kiminonawa"),
        ("名は", "kiminonawa"),
        ("映画「君の名は。」を観たい", "kiminonawa"),
        ("千と千尋", "sen-to-chihiro"),
        ("東京", "tokyo-monogatari"),
        ("侍", "shichinin-no-samurai"),
    ])
    .await;
}

#[tokio::test]
async fn kana_width_case_spaces_and_marks_make_no_difference() {
    // CIN-13: NFKC, lower case, kana folded, spaces, punctuation and 長音 dropped.
    finds(&[
        ("となりのととろ", "tonari-no-totoro"),
        ("ﾄﾄﾛ", "tonari-no-totoro"),
        ("キミノナハ", "kiminonawa"),
        ("君の 名は", "kiminonawa"),
        ("ＡＫＩＲＡ", "akira"),
        ("アキラ", "akira"),
        ("ごじら！", "godzilla"),
        ("ラショーモン", "rashomon"),
    ])
    .await;
}

#[tokio::test]
async fn a_reading_finds_the_film_that_is_written_in_kanji() {
    finds(&[
        ("きみのなは", "kiminonawa"),
        ("しちにんのさむらい", "shichinin-no-samurai"),
        ("らしょうもん", "rashomon"),
        ("いきる", "ikiru"),
    ])
    .await;
}

#[tokio::test]
async fn a_typo_finds_the_film_all_the_same() {
    // CIN-13: 「きみのなわ」 find 「君の名は。」.
    finds(&[
        ("きみのなわ", "kiminonawa"),
        ("七人の待", "shichinin-no-samurai"),
        ("せんとちひろの神かくし", "sen-to-chihiro"),
        ("この世の片隅に", "kono-sekai-no-katasumi-ni"),
        ("ゴヂラ", "godzilla"),
        ("ととろう", "tonari-no-totoro"),
        ("生きろ", "ikiru"),
        ("ゴジロ", "godzilla"),
    ])
    .await;
}

#[tokio::test]
async fn the_english_title_finds_the_film_typos_included() {
    finds(&[
        ("your name", "kiminonawa"),
        ("Seven Samurais", "shichinin-no-samurai"),
        ("spirted away", "sen-to-chihiro"),
        ("rashmon", "rashomon"),
        ("TOTORO", "tonari-no-totoro"),
    ])
    .await;
}

#[tokio::test]
async fn unknown_title_is_refused_with_similar_ones() {
    let cinema = open().await;
    for query in ["スパイダーマン", "Star Wars", "zzzz", "！？。", "%", "_"] {
        assert_eq!(found(&cinema, query).await, Vec::<String>::new(), "CIN-13: {query}");
    }
    // What shares nothing sensible with any title is not even near: the specification's own
    // placeholder among it.
    for query in ["string", "zzzz", "12345", "スパイダーマン"] {
        let listed = cinema.call("list_movies", json!({ "title_query": query })).await;
        assert_eq!(listed, json!({ "movies": [] }), "CIN-13: {query}");
    }
    let listed = cinema.call("list_movies", json!({ "title_query": "ゴリラ" })).await;
    assert_eq!(listed["movies"], json!([]), "CIN-13: no hit is an empty list");
    assert_eq!(listed["suggestions"][0], "ゴジラ", "CIN-13: the nearest first");
    let suggestions = listed["suggestions"].as_array().expect("CIN-13: suggestions");
    assert!((1..=3).contains(&suggestions.len()), "{suggestions:?}");
    let every = cinema.call("list_movies", json!({})).await;
    let titles = all(&every["movies"], "title");
    for title in suggestions {
        assert!(titles.contains(&title.as_str().unwrap().to_owned()), "{title} is no title");
    }
}

#[tokio::test]
async fn title_and_time_both_filter() {
    let cinema = open().await;
    let ask = |title: &str| json!({ "title_query": title, "date": "2026-11-20T21:00" });
    let late = cinema.call("list_movies", ask("らしょうもん")).await;
    assert_eq!(all(&late["movies"], "movie_id"), ["rashomon"], "CIN-10");
    let gone = cinema.call("list_movies", ask("君の名は。")).await;
    assert_eq!(gone["movies"], json!([]), "CIN-14: its last showing began at 18:30");
    assert_eq!(gone["suggestions"][0], "君の名は。", "CIN-13: it exists, but not then");
}

#[tokio::test]
async fn a_query_has_at_most_a_hundred_characters() {
    let cinema = open().await;
    for letter in ["a", "あ", "🎬"] {
        let listed = cinema.call("list_movies", json!({ "title_query": letter.repeat(100) })).await;
        assert!(listed["movies"].is_array(), "CIN-15: 100 characters, however many bytes");
        let long = json!({ "title_query": letter.repeat(101) });
        assert_eq!(unfit(&cinema, "list_movies", long).await, "title_query", "CIN-15");
    }
}

// The operator's catalogue: all its errors are reported at once, with JSON pointers; prices of seats.

/// The pointers of everything that is wrong with a catalogue, in order.
async fn wrong(catalog: Value) -> Vec<String> {
    let bench = bench().settings(json!({ "catalog": catalog }));
    let error = bench.try_start().await.err().expect("it must not start");
    let (head, problems) = error.split_once("its settings: ").expect(&error);
    assert_eq!(head, "it does not accept ", "{error}");
    // `/pointer: message; /pointer: message`, and a message may have a `; ` of its own.
    let problems = problems.split("; ").filter(|it| it.starts_with('/'));
    let pointer = |it: &str| it.split_once(": ").expect("a pointer and a message").0.to_owned();
    problems.map(pointer).collect()
}

/// The small catalogue with some of its values replaced.
fn with(changes: &[(&str, Value)]) -> Value {
    let mut catalog = small();
    for (pointer, value) in changes {
        let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
        match catalog.pointer_mut(parent).expect("it is there") {
            Value::Array(list) => list[field.parse::<usize>().expect("an index")] = value.clone(),
            other => other[field] = value.clone(),
        }
    }
    catalog
}

#[tokio::test]
async fn rejects_value_that_is_no_catalogue() {
    for catalog in [json!("demo"), json!([]), json!(7), json!(null)] {
        assert_eq!(wrong(catalog).await, ["/catalog"]);
    }
}

#[tokio::test]
async fn missing_unknown_and_mistyped_fields_are_each_named() {
    let mut catalog = with(&[
        ("/screens/0/rows/0/seats", json!(4)),
        ("/movies/0/raiting", json!(4.5)),
        ("/movies/1/duration", json!("88")),
        ("/programme/0/times", json!("12:00")),
    ]);
    catalog["movies"][2].as_object_mut().unwrap().remove("title");
    let mut found = wrong(catalog).await;
    found.sort();
    let expected = [
        "/catalog/movies/0/raiting",
        "/catalog/movies/1/duration",
        "/catalog/movies/2/title",
        "/catalog/programme/0/times",
        "/catalog/screens/0/rows/0/seats",
    ];
    assert_eq!(found, expected, "all at once");
    assert_eq!(wrong(json!({})).await.len(), 3, "screens, movies and programme are missing");
    let day = with(&[("/programme/1/days", json!(["sat", "someday"]))]);
    assert_eq!(wrong(day).await, ["/catalog/programme/1/days/1"]);
}

#[tokio::test]
async fn wrong_screens_are_each_named() {
    let row = |row: &str, seats: &str| json!({ "row": row, "seats": seats });
    let rows = json!([
        row("AA", "ss"),
        row("a", "ss"),
        row("B", "s-s"),
        row("B", "____"),
        row("C", ""),
        row("D", &"s".repeat(81)),
    ]);
    let found = wrong(with(&[
        ("/screens/0/name", json!(" ")),
        ("/screens/0/rows", rows),
        ("/screens/1/screen_id", json!("s1")),
        ("/programme/2/screen_id", json!("s1")),
        ("/programme/2/times", json!(["21:00"])),
    ]));
    let expected = [
        "/catalog/screens/0/name",
        "/catalog/screens/0/rows/0/row",
        "/catalog/screens/0/rows/1/row",
        "/catalog/screens/0/rows/2/row",
        "/catalog/screens/0/rows/2/seats",
        "/catalog/screens/0/rows/3/row",
        "/catalog/screens/0/rows/3/seats",
        "/catalog/screens/0/rows/4/seats",
        "/catalog/screens/0/rows/5/seats",
        "/catalog/screens/1/screen_id",
    ];
    assert_eq!(found.await, expected);
}

#[tokio::test]
async fn wrong_films_are_each_named() {
    let found = wrong(with(&[
        ("/movies/0/movie_id", json!("rashomon")),
        ("/movies/0/title", json!("")),
        ("/movies/0/reading", json!("")),
        ("/movies/0/duration", json!(0)),
        ("/movies/0/rating", json!(5.1)),
        ("/movies/0/release_date", json!("2016-8-26")),
        ("/movies/1/description", json!("長".repeat(2_001))),
        ("/movies/1/duration", json!(1441)),
        ("/movies/1/rating", json!(-0.1)),
        ("/movies/2/movie_id", json!("Maboroshi 2")),
        ("/programme/0/movie_id", json!("rashomon")),
    ]));
    let expected = [
        "/catalog/movies/0/title",
        "/catalog/movies/0/reading",
        "/catalog/movies/0/duration",
        "/catalog/movies/0/rating",
        "/catalog/movies/0/release_date",
        "/catalog/movies/1/description",
        "/catalog/movies/1/duration",
        "/catalog/movies/1/rating",
        "/catalog/movies/2/movie_id",
        "/catalog/movies/1/movie_id",
    ];
    let (mut found, mut expected) = (found.await, expected.map(str::to_owned).to_vec());
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "CIN-X6 among them");
}

#[tokio::test]
async fn a_wrong_programme_is_named_entry_by_entry() {
    let found = wrong(with(&[
        ("/programme/0/screen_id", json!("s9")),
        ("/programme/0/movie_id", json!("nothing")),
        ("/programme/0/times", json!(["12:00", "24:00", "9:30"])),
        ("/programme/1/times", json!([])),
        ("/programme/1/days", json!([])),
        ("/programme/2/from", json!("2026-11-31")),
        ("/programme/2/until", json!("2026-11-01")),
    ]));
    let expected = [
        "/catalog/programme/0/screen_id",
        "/catalog/programme/0/movie_id",
        "/catalog/programme/0/times/1",
        "/catalog/programme/0/times/2",
        "/catalog/programme/1/times",
        "/catalog/programme/1/days",
        "/catalog/programme/2/from",
        "/catalog/programme/2/until",
    ];
    assert_eq!(found.await, expected);
}

#[tokio::test]
async fn two_films_on_one_screen_at_once_are_refused() {
    // The first film runs from 12:00 for 107 minutes; Saturdays have another one.
    let early = with(&[("/programme/1/times", json!(["13:46"]))]);
    assert_eq!(wrong(early).await, ["/catalog/programme/1/times/0"]);
    let in_time = with(&[("/programme/1/times", json!(["13:47"]))]);
    bench().settings(json!({ "catalog": in_time })).start().await;
}

#[tokio::test]
async fn rejects_oversized_catalogue() {
    let screens: Vec<_> = (0..51)
        .map(|it| json!({ "screen_id": format!("s{it}"), "name": "館", "rows": [] }))
        .collect();
    assert_eq!(wrong(with(&[("/screens", json!(screens))])).await, ["/catalog/screens"]);
    let many = vec![json!({ "screen_id": "S", "name": "館", "rows": [] }); 50];
    assert_eq!(wrong(with(&[("/screens", json!(many))])).await.len(), 50, "fifty are told");
}

#[tokio::test]
async fn accepts_catalogue_at_the_film_limit() {
    let film = |number: u32| {
        json!({ "movie_id": format!("m{number}"), "title": format!("映画{number}"),
                "description": "光。", "duration": 90, "rating": 4 })
    };
    let films: Vec<_> = (0..1_000).map(film).collect();
    let last = json!({ "screen_id": "s1", "movie_id": "m999", "times": ["18:30"] });
    let catalog = with(&[("/movies", json!(films)), ("/programme", json!([last]))]);
    let listed = open_with(&catalog).await.call("list_movies", json!({})).await;
    assert_eq!(all(&listed["movies"], "movie_id"), ["m999"]);
}

#[tokio::test]
async fn cinema_lacking_a_grant_does_not_start_and_says_which() {
    let needed = [Grant::Sql, Grant::Settings, Grant::Clock, Grant::Random, Grant::Events];
    for lacking in needed {
        let granted = Grant::ALL.into_iter().filter(|it| *it != lacking);
        let bench = granted.fold(Bench::of("cinema"), Bench::grant);
        let error = bench.try_start().await.err().expect("it must not start");
        assert!(error.contains("which is not granted"), "{lacking}: {error}");
        assert!(error.contains(&lacking.to_string()), "{lacking}: {error}");
    }
    Grant::ALL.into_iter().fold(Bench::of("cinema"), Bench::grant).start().await;
}

// Prices of seats, from the map to the reservation, where they are fixed (CIN-90).

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
