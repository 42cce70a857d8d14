//! Shown cards of which themes are exchanged or counted anew, any cards, and taking a change back.

use super::*;

/// The calls that the last of `sentences` leads to, each theme with its limit, and each card by its name.
fn asked(sentences: &[&str]) -> Vec<(String, u64)> {
    let mut talk = new_talk();
    let mut calls = Vec::new();
    for sentence in sentences {
        let Decision::Call(next) = talk.say(sentence) else { panic!("{sentence}: no call") };
        let results: Vec<_> = next.iter().map(answer).collect();
        talk.back(&results);
        calls = next;
    }
    let told = calls.iter().map(|call| {
        let name = call.arguments.get("theme").or(call.arguments.get("card_name"));
        let limit = call.arguments.get("limit").and_then(serde_json::Value::as_u64);
        (name.unwrap().as_str().unwrap().to_owned(), limit.unwrap_or_default())
    });
    told.collect()
}

fn answer(call: &ToolCall) -> ToolResult {
    let name = call.arguments.get("card_name").and_then(serde_json::Value::as_str);
    let limit = call.arguments.get("limit").and_then(serde_json::Value::as_u64).unwrap_or(5);
    let theme = call.arguments.get("theme").and_then(serde_json::Value::as_str);
    match (name, theme) {
        (Some(name), _) => illustrations(&[name]),
        (None, theme) => {
            let names: Vec<_> =
                (0..limit).map(|it| format!("{} {it}", theme.unwrap_or_default())).collect();
            illustrations(&names.iter().map(String::as_str).collect::<Vec<_>>())
        }
    }
}

const GREEN: &str = "Verdant Spirits";
const RED: &str = "Crimson Engine";
const GOLD: &str = "Golden Dynasty";
const BLUE: &str = "Azure Crystal Dragons";

#[test]
fn exchanged_theme_keeps_the_others() {
    const THREE: &str = "show me two green, one red and one golden card";
    for (sentences, expected) in [
        (&[THREE, "swap the verdant for azure"][..], &[(BLUE, 2), (RED, 1), (GOLD, 1)][..]),
        (&[THREE, "swap the green for red"], &[(RED, 3), (GOLD, 1)]),
        (&[THREE, "change all of them to blue"], &[(BLUE, 4)]),
        (&["show 4 blue cards", "replace one of them with a green one"], &[(BLUE, 3), (GREEN, 1)]),
    ] {
        let found = asked(sentences);
        let found: Vec<_> = found.iter().map(|it| (&*it.0, it.1)).collect();
        assert_eq!(found, expected, "{sentences:?}");
    }
    for (sentences, expected) in [
        (&["緑と紫のカードを1枚ずつ見せて", "緑を白に"][..], &[("雪月花", 1), ("深淵魔導", 1)][..]),
        (
            &["緑と紫のカードを2枚ずつ見せて", "紫と緑を入れ替えて"],
            &[("深淵魔導", 2), ("翠森精霊", 2)],
        ),
        (&["緑のカード3枚", "全部紫にして"], &[("深淵魔導", 3)]),
        (&["緑と紫のカードを1枚ずつ見せて", "紫だけ4枚にして"], &[("深淵魔導", 4)]),
        (&["白と紺を二枚ずつ"], &[("雪月花", 2), ("星海航路", 2)]),
        (&["赤3枚と白一枚のカード"], &[("紅蓮機工", 3), ("雪月花", 1)]),
    ] {
        let found = asked(sentences);
        let found: Vec<_> = found.iter().map(|it| (&*it.0, it.1)).collect();
        assert_eq!(found, expected, "{sentences:?}");
    }
}

#[test]
fn takes_the_last_change_back() {
    for sentences in [
        &["show 4 green cards", "make it 2", "undo"][..],
        &["show 4 green cards", "swap the green for red", "undo that"],
    ] {
        assert_eq!(asked(sentences), [(GREEN.to_owned(), 4)], "{sentences:?}");
    }
    let back = asked(&["緑のカードを3枚見せて", "もう1枚", "元に戻して"]);
    assert_eq!(back, [("翠森精霊".to_owned(), 3)]);
}

#[test]
fn any_cards_are_different_ones_and_counted_anew() {
    for (first, later) in [
        ("5 random cards", "actually three"),
        ("show me five random cards", "make it 3"),
        ("おまかせで5枚", "やっぱり3枚"),
        ("ランダムにカードを5枚見せて", "3枚だけ"),
    ] {
        let mut five = asked(&[first]);
        let three = asked(&[first, later]);
        assert_eq!((five.len(), three.len()), (5, 3), "{first}, {later}");
        five.sort();
        five.dedup();
        assert_eq!(five.len(), 5, "{first}: {five:?}");
    }
}

#[test]
fn shows_what_was_found_once_more() {
    for (first, again, expected) in [
        ("青いカード2枚", "もう一回", ("蒼晶竜", 2)),
        ("show 2 blue cards", "once more", (BLUE, 2)),
    ] {
        assert_eq!(asked(&[first, again]), [(expected.0.to_owned(), expected.1)], "{again}");
    }
}

#[test]
fn all_cards_of_another_theme_are_no_exchange() {
    let found = asked(&["青いカード2枚", "全部の赤いカード"]);
    assert!(found[0].0 == "紅蓮機工" && found[0].1 > 5, "{found:?}");
    let found = asked(&["any cards with dragons?"]);
    assert_eq!(found[0].0, BLUE);
}

#[test]
fn exchange_on_a_picture_leaves_no_word_unread() {
    let mut talk = new_talk();
    talk.say("緑と紫のカードでサムネイルを作って");
    let [green, purple] =
        [["翠森精霊リーフィ", "大樹の守り人オルド"], ["深淵魔導師ノクス", "禁書アビスノート"]];
    let composed =
        || output(json!({ "mimeType": "image/png", "data": "BBBB", "width": 1280, "height": 720 }));
    talk.back(&[illustrations(&green), illustrations(&purple)]);
    talk.back(&[composed()]);
    for (later, expected) in
        [("緑と紫を入れ替えて", [purple, green].concat()), ("元に戻して", [green, purple].concat())]
    {
        let next = talk.say(later);
        assert_eq!(call(&next).1["cards"], json!(expected), "{later}");
        let text = concluded(&talk.back(&[composed()])).text();
        assert!(!text.contains('※'), "{later}: {text}");
    }
}

#[test]
fn counts_cards_of_a_mood() {
    assert_eq!(asked(&["show 3 dragons"]), [(BLUE.to_owned(), 3)]);
    assert_eq!(asked(&["show me two robots"]), [(RED.to_owned(), 2)]);
}

#[test]
fn names_of_all_themes_are_listed() {
    for sentence in ["各テーマの名前を教えて", "全テーマの名前は？", "list the theme names"]
    {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("翠森精霊") || text.contains(GREEN), "{sentence}: {text}");
    }
}

#[test]
fn shown_cards_are_named_with_their_limit() {
    let found = asked(&["緑のカードを2枚見せて", "カードの名前を教えて"]);
    assert_eq!(found, [("翠森精霊".to_owned(), 2)]);
}

#[test]
fn two_of_more_change_places() {
    for (sentence, expected) in [
        ("swap the first two", [1, 0, 2]),
        ("最初の2枚を入れ替えて", [1, 0, 2]),
        ("1枚目と3枚目を入れ替えて", [2, 1, 0]),
        ("逆にして", [2, 1, 0]),
    ] {
        let mut talk = new_talk();
        let Decision::Call(calls) = talk.say("thumbnail with 3 blue cards") else { panic!("none") };
        let next = talk.back(&calls.iter().map(answer).collect::<Vec<_>>());
        let cards = call(&next).1["cards"].clone();
        let picture = json!({ "mimeType": "image/png", "data": "BBBB", "cards": cards });
        talk.back(&[output(picture)]);
        let next = talk.say(sentence);
        let places = expected.map(|it: usize| cards[it].clone());
        assert_eq!(call(&next), ("compose_thumbnail", json!({ "cards": places })), "{sentence}");
    }
}
