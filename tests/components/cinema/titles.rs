//! Inexact titles (CIN-12, CIN-13, CIN-15).

use serde_json::json;
use tests::bench::Tested;

use super::{all, open, unfit};

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
