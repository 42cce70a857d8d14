//! Sentences with requests for several families, and the messages after another one has led.

use language::{
    trial::output,
    turn::{Decision, ToolCall},
};
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

/// What a sentence calls first, and what it calls once that has been done.
fn both(sentence: &str) -> (String, Vec<String>) {
    let mut talk = Talk::new();
    let first = follow(&mut talk, sentence).calls.pop().unwrap().name;
    let begun = json!({ "conversation": { "conversation_id": "conv_7", "members": [] } });
    let calls = match talk.back(&[output(begun)]) {
        Decision::Call(calls) => calls.into_iter().map(|it| it.name).collect(),
        Decision::Conclude(_) => Vec::new(),
    };
    (first, calls)
}

#[test]
fn the_wish_after_a_surer_one_is_not_lost() {
    for sentence in [
        "Let worker-a and worker-b play a word chain. Then show me the way from Tokyo to Yokohama",
        "worker-aとworker-bでしりとりをして。それから東京駅から横浜駅までの道も教えて",
        "worker-aとworker-bでしりとりをして、東京駅から横浜駅までの道も教えて",
    ] {
        let expected = ("begin_conversation".to_owned(), vec!["route_search".to_owned()]);
        assert_eq!(both(sentence), expected, "{sentence}");
    }
    let sentence =
        "Show me the way from Tokyo to Yokohama. Then let worker-a and worker-b play a word chain";
    let came = follow(&mut Talk::new(), sentence);
    assert_eq!(tools(&came.calls), ["route_search", "begin_conversation"]);
}

#[test]
fn deeds_of_several_families_are_done_one_after_another() {
    let sentence = "青いカードでサムネイルを作ってから、名前を聞くフォームも作って";
    let calls = follow(&mut Talk::new(), sentence).calls;
    let expected = ["get_theme_illustrations", "compose_thumbnail", "request_form"];
    assert_eq!(tools(&calls), expected, "{sentence}");
    for sentence in [
        "Book 2 seats for Akira tomorrow and show me a form asking for name and email",
        "ゴジラを明日2枚予約して、東京駅から横浜駅までの道も教えて",
    ] {
        // The first stops at a form; the rest comes behind it.
        let calls = follow(&mut Talk::new(), sentence).calls;
        assert_eq!(calls[0].name, "list_movies", "{sentence}: {:?}", tools(&calls));
    }
}
