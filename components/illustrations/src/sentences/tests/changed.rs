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
