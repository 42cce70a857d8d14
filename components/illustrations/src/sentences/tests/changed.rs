//! Pictures of which a theme, a side or the number of cards is changed.

use super::*;

/// A picture of cards of two themes, and what is composed after `later`.
fn composed(later: &str) -> Option<serde_json::Value> {
    let mut talk = new_talk();
    talk.say("Make a thumbnail with the verdant theme and the azure one titled Spring Cup");
    let [green, blue] =
        [["翠森精霊リーフィ", "大樹の守り人オルド"], ["蒼晶竜アジュール", "蒼晶の幼竜ルリ"]];
    talk.back(&[illustrations(&green), illustrations(&blue)]);
    let all = [green, blue].concat();
    talk.back(&[output(json!({ "mimeType": "image/png", "data": "BBBB", "width": 1280, "height": 720, "cards": all }))]);
    match talk.say(later) {
        Decision::Call(calls) if calls[0].name == "compose_thumbnail" => {
            Some(json!(calls[0].arguments))
        }
        _ => None,
    }
}

#[test]
fn cards_of_one_theme_take_the_place_of_anothers() {
    for later in [
        "swap the verdant for crimson",
        "replace verdant with crimson",
        "翠森精霊を紅蓮機工に替えて",
    ] {
        let picture = composed(later).unwrap_or_else(|| panic!("{later}"));
        let cards = ["紅蓮機工ボルカノ", "紅蓮特急ブレイズ", "蒼晶竜アジュール", "蒼晶の幼竜ルリ"];
        assert_eq!(
            (&picture["cards"], &picture["title"]),
            (&json!(cards), &json!("Spring Cup")),
            "{later}"
        );
    }
    for later in [
        "swap the golden for crimson",
        "show me the verdant and the crimson cards",
        "swap verdant and azure",
    ] {
        let cards = composed(later).map(|it| it["cards"].to_string());
        assert!(cards.is_none_or(|it| !it.contains("紅蓮")), "{later}");
    }
}

#[test]
fn a_changed_background_keeps_the_cards() {
    for later in [
        "change the background from azure to crimson",
        "change the background color from azure to crimson",
        "change the azure background to crimson",
        "背景を蒼晶から紅蓮に変えて",
        "背景を蒼晶竜から紅蓮機工に変えて",
        "蒼晶の背景を紅蓮に変えて",
    ] {
        let picture = composed(later).unwrap_or_else(|| panic!("{later}"));
        let cards =
            ["翠森精霊リーフィ", "大樹の守り人オルド", "蒼晶竜アジュール", "蒼晶の幼竜ルリ"];
        assert_eq!(picture["cards"], json!(cards), "{later}");
        assert_eq!(picture["theme"], "Crimson Engine", "{later}");
    }
    for later in
        ["change the background to crimson instead of azure", "背景はそのままで蒼晶を紅蓮に変えて"]
    {
        let picture = composed(later).unwrap_or_default();
        let theme = picture["theme"].as_str().unwrap_or_default().to_lowercase();
        assert!(!theme.contains("azure") && !theme.contains("蒼晶"), "{later}: {picture}");
    }
}

#[test]
fn one_more_card_is_the_other_side() {
    let picture = composed("make it versus Stella").unwrap();
    assert_eq!(
        (picture["cards"].as_array().map(Vec::len), &picture["style"]),
        (Some(5), &json!("versus"))
    );
    assert_eq!(picture["title"], "Spring Cup");
    assert!(composed("make a new thumbnail of Luna versus Mimi").is_none());
}

#[test]
fn a_limit_behind_a_theme_names_no_card() {
    for (sentence, limit) in [
        ("show me cards of the snow theme, max 2", 2),
        ("show me up to 3 cards of the snow theme", 3),
    ] {
        let next = new_talk().say(sentence);
        assert_eq!(
            call(&next),
            ("get_theme_illustrations", json!({ "theme": "Snow Moon Flower", "limit": limit })),
            "{sentence}"
        );
    }
}

/// The themes and cards that `later` fetches after `first`, with their limits.
fn fetched(first: &str, later: &str) -> Vec<(String, Option<u64>)> {
    let mut talk = new_talk();
    let mut next = talk.say(first);
    if !later.is_empty() {
        let count = if let Decision::Call(calls) = &next { calls.len() } else { 0 };
        let all = ["黄金王ソレイユ", "翠森精霊リーフィ", "月下の舞姫カグヤ"]
            .map(|it| illustrations(&[it]));
        talk.back(&all[..count.min(3)]);
        next = talk.say(later);
    }
    let Decision::Call(calls) = next else { panic!("{later}: {next:?}") };
    let name = |call: &serde_json::Value| {
        call["theme"].as_str().or(call["card_name"].as_str()).unwrap().to_owned()
    };
    calls
        .iter()
        .map(|call| {
            let limit = call.arguments.get("limit").and_then(|it| it.as_u64());
            (name(&json!(call.arguments)), limit)
        })
        .collect()
}

#[test]
fn one_of_several_themes_is_changed() {
    for (first, later, expected) in [
        (
            "金のカードを二枚と緑を一枚ください",
            "緑は三枚にして",
            [("黄金王朝", 2), ("翠森精霊", 3)],
        ),
        (
            "2 golden and a verdant card",
            "swap the verdant for azure",
            [("Golden Dynasty", 2), ("Azure Crystal Dragons", 1)],
        ),
        (
            "2 golden and a verdant card",
            "make that 3 verdant instead",
            [("Golden Dynasty", 2), ("Verdant Spirits", 3)],
        ),
    ] {
        let expected = expected.map(|it| (it.0.to_owned(), Some(it.1)));
        assert_eq!(fetched(first, later), expected, "{later}");
    }
}

#[test]
fn cards_of_each_theme_are_shown() {
    for (sentence, limit) in [
        ("one card from every theme", 1),
        ("各テーマから一枚ずつ", 1),
        ("2 cards from each theme please", 2),
    ] {
        let found = fetched(sentence, "");
        assert_eq!(found.len(), 7, "{sentence}: {found:?}");
        assert!(found.iter().all(|it| it.1 == Some(limit)), "{sentence}: {found:?}");
    }
}

#[test]
fn what_is_taken_back_is_not_shown() {
    for (sentence, kept) in [
        ("星鯨と羅針盤。羅針盤はやっぱりなしで", "星鯨バレナ"),
        ("ルナとミミのカード、ミミはやっぱりいらない", "ルナ"),
    ] {
        assert_eq!(
            fetched(sentence, "").into_iter().map(|it| it.0).collect::<Vec<_>>(),
            [kept],
            "{sentence}"
        );
    }
    for (first, later) in [
        ("月下の舞姫カグヤを見せて", "同じテーマのほかのカード"),
        ("show kaguya pls", "a different one from the same theme"),
    ] {
        let other = fetched(first, later);
        assert!(other.len() == 1 && !other[0].0.contains("カグヤ"), "{later}: {other:?}");
    }
    let picture = |later| composed(later).unwrap_or_else(|| panic!("{later}"));
    assert_eq!(picture("I don't like the title, remove it").get("title"), None);
}
