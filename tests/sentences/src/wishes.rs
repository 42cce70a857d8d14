//! Sentences with requests for several families, and the messages after another one has led.

use language::turn::ToolCall;
use serde_json::json;

use super::{Talk, house::follow};

fn tools(calls: &[ToolCall]) -> Vec<&str> {
    calls.iter().map(|it| it.name.as_str()).collect()
}

#[test]
fn wishes_for_several_families_are_answered_one_after_another() {
    for (sentence, expected) in [
        ("明日の映画を教えて。それと渋谷から横浜までのルートも", ["list_movies", "route_search"]),
        (
            "蒼晶竜のカードを見せて。あと明日の映画も教えて",
            ["get_theme_illustrations", "list_movies"],
        ),
        ("Show me Luna and also what's on tomorrow", ["get_card_illustration", "list_movies"]),
        (
            "Which films are on tomorrow? And how do I get from Shibuya to Yokohama?",
            ["list_movies", "route_search"],
        ),
    ] {
        assert_eq!(tools(&follow(&mut Talk::new(), sentence).calls), expected, "{sentence}");
    }
}

#[test]
fn immediate_answer_stands_before_the_answer_to_what_comes_next() {
    let came = follow(&mut Talk::new(), "どんなテーマがありますか？あと明日の映画も教えて");
    assert_eq!(tools(&came.calls), ["list_movies"]);
    let (themes, films) = (came.text.find("蒼晶竜").unwrap(), came.text.find("映画").unwrap());
    assert!(themes < films, "{}", came.text);
    assert_eq!(came.text.matches("内蔵プランナー").count(), 1, "signed once: {}", came.text);
}

#[test]
fn older_plan_goes_on_where_the_sentence_is_for_it_alone() {
    let mut talk = Talk::new();
    follow(&mut talk, "東京駅から横浜駅まで");
    follow(&mut talk, "明日の映画を教えて");
    let films = follow(&mut talk, "明後日は？").calls;
    assert_eq!(
        (tools(&films), &films[0].arguments["date"]),
        (vec!["list_movies"], &json!("2026-11-23"))
    );
    let way = follow(&mut talk, "有料道路は避けて").calls;
    assert_eq!(
        (tools(&way), &way[0].arguments["avoid"]),
        (vec!["route_search"], &json!(["tolls"]))
    );
}
