//! Sentences with requests for several families, and the order of their answers.

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
fn answers_requests_for_several_families_in_turn() {
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
fn immediate_answer_comes_first() {
    let outcome = follow(&mut Talk::new(), "どんなテーマがありますか？あと明日の映画も教えて");
    assert_eq!(tools(&outcome.calls), ["list_movies"]);
    let (themes, films) =
        (outcome.text.find("蒼晶竜").unwrap(), outcome.text.find("映画").unwrap());
    assert!(themes < films, "{}", outcome.text);
    assert_eq!(outcome.text.matches("内蔵プランナー").count(), 1, "signed once: {}", outcome.text);
}

#[test]
fn last_change_is_taken_back_where_it_was_made() {
    for (between, back, is_form) in [
        ("東京駅から横浜まで", "元に戻して", false),
        ("from Tokyo Station to Yokohama", "undo", false),
        ("メールを必須に", "元に戻して", true),
    ] {
        let mut talk = Talk::new();
        for sentence in ["名前とメールと電話のフォーム", "電話はいらない", between]
        {
            follow(&mut talk, sentence);
        }
        let outcome = follow(&mut talk, back);
        let has_form = outcome.calls.iter().any(|it| it.name == "request_form");
        assert_eq!(has_form, is_form, "{between} {back}: {outcome:?}");
    }
}

#[test]
fn small_talk_does_not_hide_the_last_change() {
    let mut talk = Talk::new();
    for sentence in ["名前とメールを聞くフォームを作って", "電話番号を追加して", "ありがとう"]
    {
        follow(&mut talk, sentence);
    }
    assert_eq!(tools(&follow(&mut talk, "元に戻して").calls), ["request_form"]);
}

#[test]
fn bare_order_is_no_guess_in_another_family() {
    for before in ["新宿から鎌倉", "参加登録フォームを作って", "青いカード3枚"]
    {
        for order in ["ストップ", "stop", "続けて", "continue"] {
            let mut talk = Talk::new();
            follow(&mut talk, before);
            let outcome = follow(&mut talk, order);
            assert!(outcome.calls.is_empty(), "{before} {order}: {outcome:?}");
        }
    }
    let outcome = follow(&mut Talk::new(), "ストップ");
    assert_eq!(tools(&outcome.calls), ["list_conversations", "stop_conversation"]);
}

#[test]
fn continues_older_plan_for_its_own_sentence() {
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

/// Returns the first call of a sentence, and the calls after its result.
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
fn keeps_request_after_a_surer_one() {
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
    let outcome = follow(&mut Talk::new(), sentence);
    assert_eq!(tools(&outcome.calls), ["route_search", "begin_conversation"]);
}

#[test]
fn acts_for_several_families_in_turn() {
    let sentence = "青いカードでサムネイルを作ってから、名前を聞くフォームも作って";
    let calls = follow(&mut Talk::new(), sentence).calls;
    let expected = ["get_theme_illustrations", "compose_thumbnail", "request_form"];
    assert_eq!(tools(&calls), expected, "{sentence}");
    for sentence in [
        "Book 2 seats for Akira tomorrow and show me a form asking for name and email",
        "ゴジラを明日2枚予約して、東京駅から横浜駅までの道も教えて",
    ] {
        // The first one stops at a form; the rest follows it.
        let calls = follow(&mut Talk::new(), sentence).calls;
        assert_eq!(calls[0].name, "list_movies", "{sentence}: {:?}", tools(&calls));
    }
}

#[test]
fn favourites_of_a_form_are_no_wishes() {
    for sentence in [
        "好きな映画、最寄り駅、好きなカードのフォーム",
        "好きな映画と好きなカードと最寄り駅を聞くフォームを作って",
    ] {
        let outcome = follow(&mut Talk::new(), sentence);
        assert_eq!(tools(&outcome.calls), ["request_form"], "{sentence}");
    }
}

#[test]
fn condition_at_the_end_cancels_nothing() {
    let sentence = "cancel rsv-8, films tomorrow and a card if it's free";
    let outcome = follow(&mut Talk::new(), sentence);
    assert!(!tools(&outcome.calls).contains(&"cancel_reservation"), "{outcome:?}");
}
