//! Pictures of which a theme, a side or the number of cards is changed, themes that are exchanged or
//! counted anew, any cards, and taking a change back.

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
