//! Further cards, cards of other themes, both of two, and fewer than were asked for.

use super::*;

/// A talk in which all `sentences` are said, all but the last with results, and the calls of the last one.
fn after(sentences: &[&str]) -> (trial::Talk, Vec<ToolCall>) {
    let (last, before) = sentences.split_last().unwrap();
    let mut talk = new_talk();
    for sentence in before {
        let next = talk.say(sentence);
        let Decision::Call(calls) = next else { panic!("{sentence}: {next:?}") };
        talk.back(&calls.iter().map(result_of).collect::<Vec<_>>());
    }
    let next = talk.say(last);
    let Decision::Call(calls) = next else { panic!("{sentences:?}: {next:?}") };
    (talk, calls)
}

/// The names of the cards and themes that `sentences` fetch in the end, each with its limit.
fn fetched(sentences: &[&str]) -> Vec<(String, Option<u64>)> {
    let (_, calls) = after(sentences);
    let name = |call: &ToolCall| {
        let name = call.arguments.get("card_name").or(call.arguments.get("theme"));
        let limit = call.arguments.get("limit").and_then(|it| it.as_u64());
        (name.and_then(|it| it.as_str()).unwrap_or_default().to_owned(), limit)
    };
    calls.iter().map(name).collect()
}

/// What the tools of the bundled catalogue answer.
fn result_of(call: &ToolCall) -> ToolResult {
    let names = &super::super::catalogue::known_names().cards;
    let text = |key: &str| call.arguments.get(key).and_then(|it| it.as_str());
    let limit = call.arguments.get("limit").and_then(|it| it.as_u64()).unwrap_or(5);
    let theme = text("theme").map(|theme| {
        let at = super::super::catalogue::theme_names(language::Language::English);
        let at = at.iter().position(|name| *name == theme);
        let japanese = super::super::catalogue::theme_names(language::Language::Japanese);
        at.map_or(theme, |at| japanese[at])
    });
    let shown: Vec<&str> = match theme {
        Some(theme) => {
            let cards = names.iter().filter(|it| it.theme == theme);
            cards.take(limit as usize).map(|it| it.japanese).collect()
        }
        None => {
            let name = text("card_name").unwrap_or_default();
            let card = super::super::catalogue::card_of(name).map_or("?", |it| it.japanese);
            return output(json!({ "card_name": card, "mimeType": "image/png", "data": "AAAA" }));
        }
    };
    illustrations(&shown)
}

fn theme_of(name: &str) -> &'static str {
    super::super::catalogue::card_of(name).map_or("", |it| it.theme)
}

#[test]
fn more_cards_are_further_ones() {
    for (sentences, count) in [
        (&["show me 3 random cards", "3 more"][..], 6),
        (&["show me 2 random cards", "another two please"], 4),
        (&["ランダムなカードを2枚見せて", "もう3枚"], 5),
        (&["show me Luna", "two more"], 3),
        (&["ルナを見せて", "あと2枚"], 3),
    ] {
        let mut names = fetched(sentences);
        assert_eq!(names.len(), count, "{sentences:?}: {names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{sentences:?}: {names:?}");
    }
    for (sentences, limit) in
        [(&["青いカードを3枚", "もう3枚"][..], 6), (&["show me 2 blue cards", "two more"], 4)]
    {
        assert_eq!(fetched(sentences)[0].1, Some(limit), "{sentences:?}");
    }
}

#[test]
fn number_of_more_cards_is_understood() {
    let mut talk = new_talk();
    for sentence in ["show me 3 blue cards", "3 more"] {
        let next = talk.say(sentence);
        let Decision::Call(calls) = next else { panic!("{sentence}: {next:?}") };
        let text = concluded(&talk.back(&[result_of(&calls[0])])).text();
        assert!(!text.contains("did not understand"), "{sentence}: {text}");
    }
}

#[test]
fn other_card_is_not_the_one_shown() {
    for sentences in [
        &["ルナを見せて", "別の"][..],
        &["ルナを見せて", "別のがいい"],
        &["show me Luna", "a different one"],
        &["show me Luna", "show me another card"],
    ] {
        let names = fetched(sentences);
        let is_new = names.iter().any(|it| !theme_of(&it.0).is_empty() && it.0 != "影猫ルナ");
        assert!(is_new, "{sentences:?}: {names:?}");
    }
}

#[test]
fn excluded_themes_are_not_shown() {
    for (sentences, count, without) in [
        (&["赤以外のカード4枚"][..], 4, &["紅蓮機工"][..]),
        (&["赤以外のカードを3枚見せて"], 3, &["紅蓮機工"]),
        (&["show me 4 cards that aren't red or blue"], 4, &["紅蓮機工", "蒼晶竜"]),
        (&["all cards that aren't red or blue, max 4"], 4, &["紅蓮機工", "蒼晶竜"]),
        (&["any 3 cards except the golden ones"], 3, &["黄金王朝"]),
    ] {
        let names = fetched(sentences);
        assert_eq!(names.len(), count, "{sentences:?}: {names:?}");
        let is_out = names.iter().any(|it| without.contains(&theme_of(&it.0)));
        assert!(!is_out, "{sentences:?}: {names:?}");
    }
    for sentence in ["赤以外のカードを見せて", "show me cards that are not red"] {
        let names = fetched(&[sentence]);
        let is_out = names.iter().any(|it| ["紅蓮機工", "Crimson Engine"].contains(&&*it.0));
        assert!(names.len() == 6 && !is_out, "{sentence}: {names:?}");
    }
}

#[test]
fn both_are_this_card_and_the_one_before() {
    for (sentences, composes) in [
        (&["ボルカノを見せて", "ブレイズを見せて", "両方並べて"][..], true),
        (&["ボルカノを見せて", "ブレイズを見せて", "二枚とも見せて"], false),
        (&["show me Luna", "show me Nox", "put both on one thumbnail"], true),
        (&["show me Luna", "show me Nox", "show me both"], false),
    ] {
        let (mut talk, calls) = after(sentences);
        assert_eq!(calls.len(), 2, "{sentences:?}: {calls:?}");
        let next = talk.back(&calls.iter().map(result_of).collect::<Vec<_>>());
        let is_composed =
            matches!(&next, Decision::Call(calls) if calls[0].name == "compose_thumbnail");
        assert_eq!(is_composed, composes, "{sentences:?}: {next:?}");
    }
}

#[test]
fn says_that_fewer_were_found() {
    for (sentence, told) in [
        ("Give me 20 gold cards", "Of the 20 asked for, 6 were found"),
        ("金色のカードを10枚", "10枚のうち、見つかったのは6枚"),
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        let Decision::Call(calls) = next else { panic!("{sentence}: {next:?}") };
        let text = concluded(&talk.back(&[result_of(&calls[0])])).text();
        assert!(text.contains(told), "{sentence}: {text}");
    }
}

#[test]
fn last_card_of_a_theme_is_the_last() {
    for (sentence, last) in [
        ("show me the last one of the white theme", "Thousand-Year"),
        ("白いテーマの最後の1枚を見せて", "千年桜"),
        ("show me the last card of the blue theme", "Spire"),
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        let Decision::Call(calls) = next else { panic!("{sentence}: {next:?}") };
        let next = talk.back(&[result_of(&calls[0])]);
        let shown = concluded(&next);
        let text = shown.text();
        assert!(text.contains(last) && !text.contains("、"), "{sentence}: {text}");
        assert_eq!(images_of(&shown.parts).count(), 1, "{sentence}");
    }
}

#[test]
fn shape_and_size_of_pictures_are_fixed() {
    for (first, later) in [
        ("ルナのサムネイルを作って", "縦長にして"),
        ("ルナのサムネイルを作って", "1920x1080にして"),
        ("make a thumbnail of Luna", "make it 1920x1080"),
        ("make a thumbnail of Luna", "make it portrait"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[illustrations(&["影猫ルナ"])]);
        let next = talk.say(later);
        let text = concluded(&next).text();
        let is_told = text.contains("変えられ")
            || text.contains("変えたりする")
            || text.contains("cannot be");
        assert!(is_told, "{later}: {text}");
    }
}

#[test]
fn title_is_kept_while_cards_are_asked_for() {
    for (first, later, cards, title) in [
        ("サムネイルを作って", "タイトルは最終決戦！", "ルナで", "最終決戦!"),
        ("make a thumbnail", "title: Final Night", "with Luna", "Final Night"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(first)).0, FORM);
        assert_eq!(call(&talk.say(later)).0, FORM, "{later}");
        let next = talk.say(cards);
        assert_eq!(call(&next).0, "get_card_illustration", "{cards}");
        let next = talk.back(&[illustrations(&["影猫ルナ"])]);
        assert_eq!(call(&next).1["title"], title);
    }
}

#[test]
fn mood_after_something_is_taken() {
    for (sentence, theme) in [
        ("i want something scary", "Abyssal Arcana"),
        ("something cute please", "Snow Moon Flower"),
        ("something royal instead", "Golden Dynasty"),
    ] {
        assert_eq!(fetched(&[sentence])[0].0, theme, "{sentence}");
    }
}
