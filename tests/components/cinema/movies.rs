//! `list_movies`: what is on, and when (CIN-10, CIN-11, CIN-14 to CIN-17, CIN-X3, CIN-X4, CIN-X6), and titles.

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{all, open, open_with, small, unfit};

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
