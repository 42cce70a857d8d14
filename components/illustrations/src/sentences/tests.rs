//! Tests of sentences about cards, themes and thumbnails.

use language::{
    message::{Image, Part, images_of},
    trial::{self, FORM, call, concluded, output},
    turn::{Decision, Failure, ToolCall, ToolResult},
};
use serde_json::json;

mod changed;
mod further;

const TOOLS: &str = include_str!("../../tools.json");

fn new_talk() -> trial::Talk {
    let mut talk = trial::Talk::new(super::next, TOOLS);
    talk.names = crate::cards::names();
    talk
}

fn illustrations(names: &[&str]) -> ToolResult {
    let all: Vec<_> = names
        .iter()
        .map(|it| json!({ "card_name": it, "mimeType": "image/png", "data": "AAAA" }))
        .collect();
    let picture = Image { mime_type: "image/png".to_owned(), data: "AAAA".into() };
    let content = names.iter().map(|_| Part::image(picture.clone())).collect();
    ToolResult::Output { structured: json!({ "illustrations": all }), meta: json!({}), content }
}

#[test]
fn composes_thumbnail_of_a_theme() {
    let mut talk = new_talk();
    let next = talk.say("ブルー系テーマのカードで「決勝戦！」というタイトルのサムネイルを作って");
    assert_eq!(call(&next), ("get_theme_illustrations", json!({ "theme": "蒼晶竜" })));
    let next = talk.back(&[illustrations(&["蒼晶竜アズール", "蒼晶竜サフィラ"])]);
    assert_eq!(
        call(&next),
        (
            "compose_thumbnail",
            json!({ "cards": ["蒼晶竜アズール", "蒼晶竜サフィラ"], "title": "決勝戦!" })
        )
    );
    let composed = output(
        json!({ "mimeType": "image/png", "data": "BBBB", "title": "決勝戦!", "width": 1280, "height": 720, "cards": ["蒼晶竜アズール", "蒼晶竜サフィラ"] }),
    );
    let decided = talk.back(&[composed]);
    let pictures: Vec<_> = images_of(&concluded(&decided).parts).collect();
    assert_eq!((pictures.len(), &*pictures[0].data), (1, "BBBB"));
    assert!(concluded(&decided).text().contains("決勝戦"));
}

#[test]
fn fetches_two_themes_for_one_picture() {
    let mut talk = new_talk();
    let decided = talk
        .say("Make a thumbnail: Azure Crystal Dragons vs Crimson Engine, titled \"Grand Final\"");
    let Decision::Call(calls) = decided else { panic!("it calls nothing") };
    let themes: Vec<_> =
        calls.iter().map(|it| (&*it.name, it.arguments["theme"].as_str().unwrap())).collect();
    assert_eq!(
        themes,
        [
            ("get_theme_illustrations", "Azure Crystal Dragons"),
            ("get_theme_illustrations", "Crimson Engine")
        ]
    );
    let next = talk.back(&[illustrations(&["A1", "A2"]), illustrations(&["C1", "C2"])]);
    assert_eq!(
        call(&next),
        (
            "compose_thumbnail",
            json!({ "cards": ["A1", "A2", "C1", "C2"], "title": "Grand Final", "style": "versus" })
        )
    );
}

#[test]
fn shows_illustrations_without_the_compose_tool() {
    let mut talk = new_talk().without(&["compose_thumbnail"]);
    talk.say("Make a thumbnail with blue cards");
    let decided = talk.back(&[illustrations(&["A1", "A2"])]);
    assert_eq!(images_of(&concluded(&decided).parts).count(), 2);
    assert!(concluded(&decided).text().contains("compose_thumbnail"));
}

#[test]
fn searches_unknown_card_as_theme_then_suggests_names() {
    let mut talk = new_talk();
    talk.say("「ブラック・マジシャン」のサムネイルを作って");
    let missing = |names: &[&str]| {
        let mut failure = Failure::new("theme_not_found", 404, "見つかりません。");
        failure.data.insert("suggestions".to_owned(), json!(names));
        ToolResult::Failed(failure)
    };
    let next = talk.back(&[missing(&[])]);
    assert_eq!(
        call(&next),
        ("get_theme_illustrations", json!({ "theme": "ブラック・マジシャン" }))
    );
    let text = concluded(&talk.back(&[missing(&["蒼晶竜"])])).text();
    assert!(text.contains("近い名前: 蒼晶竜"), "{text}");
}

#[test]
fn says_that_unknown_name_is_no_card() {
    let mut talk = new_talk();
    let next = talk.say("青眼の白龍を見せて");
    assert_eq!(call(&next), ("get_card_illustration", json!({ "card_name": "青眼の白龍" })));
    let failed = ToolResult::Failed(Failure::new("card_not_found", 404, "ありません。"));
    let text = concluded(&talk.back(&[failed])).text();
    assert!(text.starts_with("「青眼の白龍」というカードは見つかりませんでした。"), "{text}");
}

#[test]
fn fetches_cards_of_a_history_with_their_limit() {
    let before = [
        ("雪月花のカードを2枚見せて", true),
        ("見つかったカード: 雪兎ユキ、月下の舞姫カグヤ", false),
    ];
    let next = new_talk().say_after(&before, "それでサムネイルを作って");
    assert_eq!(call(&next), ("get_theme_illustrations", json!({ "theme": "雪月花", "limit": 2 })));
    let next = new_talk().say_after(&before, "それでサムネイルを3枚で作って");
    assert_eq!(call(&next), ("get_theme_illustrations", json!({ "theme": "雪月花", "limit": 3 })));
}

#[test]
fn asks_for_missing_name() {
    let mut talk = new_talk();
    assert_eq!(call(&talk.say("サムネイルを作って")).0, FORM);
    let next = talk.say(r#"{"theme": "雪月花"}"#);
    assert_eq!(call(&next), ("get_theme_illustrations", json!({ "theme": "雪月花" })));
    assert_eq!(call(&talk.back(&[illustrations(&["白雪"])])).0, "compose_thumbnail");
}

#[test]
fn other_theme_recomposes_the_picture() {
    for (first, later) in [
        ("蒼晶竜のカードで「決勝戦」というタイトルのサムネイルを作って", "やっぱり紅蓮機工で"),
        ("Make a thumbnail with blue cards titled \"Final\"", "the Crimson Engine cards instead"),
    ] {
        let mut talk = new_talk().after(
            first,
            &[
                illustrations(&["A1", "A2"]),
                output(json!({ "mimeType": "image/png", "data": "BBBB", "cards": ["A1", "A2"] })),
            ],
        );
        assert_eq!(call(&talk.say(later)).0, "get_theme_illustrations", "{later}");
        let next = talk.back(&[illustrations(&["C1", "C2"])]);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["cards"]), ("compose_thumbnail", &json!(["C1", "C2"])));
        assert!(arguments["title"].is_string(), "{later}");
    }
}

#[test]
fn look_of_a_title_is_no_title() {
    let today = language::Date::constant(2026, 11, 21);
    for sentence in
        ["make the title bigger", "make the title smaller please", "タイトルを大きくして"]
    {
        let found = super::wording::bare(&super::sentence::Sentence::parse(sentence, today));
        assert_eq!(found, None, "{sentence}");
    }
    let found =
        super::wording::bare(&super::sentence::Sentence::parse("タイトルを頂上決戦にして", today));
    assert_eq!(found.map(|it| it.text).as_deref(), Some("頂上決戦"));
}

/// Creates a chat in which five cards of a theme were shown.
fn after_cards(first: &str) -> trial::Talk {
    new_talk().after(first, &[illustrations(&["A", "B", "C", "D", "E"])])
}

#[test]
fn picks_shown_cards_by_position() {
    for (first, later, cards) in [
        ("雪月花のカードを見せて", "1枚目でサムネ作って", "A"),
        ("雪月花のカードを見せて", "3枚目と5枚目でサムネイルを作って", "CE"),
        ("show me the golden cards", "make a banner out of the 2nd and 4th", "BD"),
        ("show me the golden cards", "thumbnail with the first three, titled \"Winter\"", "ABC"),
        ("show me the golden cards", "now a thumbnail of them", "ABCDE"),
        ("show me the golden cards", "use them for a thumbnail", "ABCDE"),
    ] {
        let next = after_cards(first).say(later);
        let (tool, arguments) = call(&next);
        let named: String =
            arguments["cards"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
        assert_eq!((tool, named.as_str()), ("compose_thumbnail", cards), "{later}");
    }
    let next = after_cards("雪月花のカードを見せて").say("2枚目を大きく見せて");
    assert_eq!(call(&next), ("get_card_illustration", json!({ "card_name": "B" })));
}

#[test]
fn second_pick_replaces_the_first() {
    for (first, later, cards) in [
        ("2枚目でサムネイルを作って", "やっぱり1枚目", "A"),
        ("2枚目でサムネイルを作って", "1枚目と3枚目で", "AC"),
        ("make a thumbnail from the second", "no, the first", "A"),
        ("make a thumbnail from the second", "actually the third", "C"),
        ("make a banner out of the 2nd and 3rd", "the fourth one please", "D"),
    ] {
        let shown = if first.is_ascii() {
            "show me the golden cards"
        } else {
            "雪月花のカードを見せて"
        };
        let mut talk = after_cards(shown);
        talk.say(first);
        talk.back(&[output(json!({ "mimeType": "image/png", "data": "BB" }))]);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        let named: String =
            arguments["cards"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
        assert_eq!((tool, named.as_str()), ("compose_thumbnail", cards), "{later}");
    }
}

#[test]
fn recomposes_other_cards_with_the_same_title() {
    for (first, later) in [
        ("ブルー系テーマのカードでサムネイルを作って、タイトルは「夏」", "赤に変えて"),
        ("ブルー系テーマのカードでサムネイルを作って、タイトルは「夏」", "赤いカードに変えて"),
        ("Make a thumbnail with blue cards, title \"Summer\"", "change it to red"),
    ] {
        let mut talk = after_cards(first);
        talk.back(&[output(json!({ "mimeType": "image/png", "data": "BB" }))]);
        let next = talk.say(later);
        assert_eq!(call(&next).0, "get_theme_illustrations", "{later}");
        let next = talk.back(&[illustrations(&["F", "G"])]);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "compose_thumbnail", "{later}");
        assert!(arguments["title"].is_string(), "{later}: {arguments}");
    }
}

#[test]
fn recomposes_fewer_or_further_named_cards() {
    let made = |later: &str| {
        let mut talk = after_cards(match later.is_ascii() {
            true => "Make a thumbnail with blue cards",
            false => "ブルー系テーマのカードでサムネイルを作って",
        });
        let cards = ["A", "B", "C", "D", "E"];
        talk.back(&[output(json!({ "mimeType": "image/png", "data": "BB", "cards": cards }))]);
        talk
    };
    for (later, cards) in [
        ("use only two cards instead", "AB"),
        ("drop the third", "ABDE"),
        ("2枚目と4枚目だけにして", "BD"),
    ] {
        let next = made(later).say(later);
        let (_, arguments) = call(&next);
        let named: String =
            arguments["cards"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
        assert_eq!(named, cards, "{later}");
    }
    for (later, says) in [
        ("add one more card", "Which card"),
        ("もう一枚足して", "どのカードを足しますか"),
        ("which cards did you use?", "The cards on the thumbnail: A"),
        ("どのカードを使ったの？", "サムネイルのカード: A"),
    ] {
        let text = concluded(&made(later).say(later)).text();
        assert!(text.contains(says), "{later}: {text}");
    }
}

#[test]
fn two_colours_share_one_picture() {
    for sentence in [
        "I'd like a thumbnail with blue and red cards",
        "a thumbnail of red and blue cards please",
        "青と赤のカードでサムネイルを作って",
    ] {
        let mut talk = new_talk();
        let Decision::Call(calls) = talk.say(sentence) else { panic!("it calls nothing") };
        assert!(calls.iter().all(|it| it.name == "get_theme_illustrations"), "{calls:?}");
        assert_eq!(calls.len(), 2, "{sentence}");
        let next = talk.back(&[
            illustrations(&["A1", "A2", "A3", "A4"]),
            illustrations(&["C1", "C2", "C3", "C4"]),
        ]);
        let (_, arguments) = call(&next);
        let cards = arguments["cards"].as_array().unwrap();
        let of =
            |sign: &str| cards.iter().filter(|it| it.as_str().unwrap().starts_with(sign)).count();
        assert!(of("A") >= 2 && of("C") >= 2, "{sentence}: {cards:?}");
    }
}

#[test]
fn colour_answers_which_cards_are_meant() {
    for (first, answer) in [
        ("サムネイルを作りたいんだけど", "えーと、緑で"),
        ("サムネイルを作りたいんだけど", "緑でお願いします"),
        ("show cards", "the green ones"),
        ("make a thumbnail", "green please"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(first)).0, FORM, "{first}");
        let next = talk.say(answer);
        let (tool, arguments) = call(&next);
        let theme = arguments["theme"].as_str().unwrap();
        assert_eq!(tool, "get_theme_illustrations", "{answer}");
        assert!(["翠森精霊", "Verdant Spirits"].contains(&theme), "{answer}: {theme}");
    }
    for answer in ["明日の映画は？", "やっぱりいらない", "ありがとう"] {
        let mut talk = new_talk();
        talk.say("サムネイルを作りたいんだけど");
        talk.say(answer);
        assert!(talk.confidence < 0.5, "{answer}");
    }
}

#[test]
fn filler_words_are_no_part_of_a_name() {
    for sentence in ["雪のやつの一覧", "雪のやつを見せて", "雪っぽいやつある？"]
    {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        if let Decision::Call(calls) = next {
            let arguments = format!("{:?}", calls[0].arguments);
            assert!(!arguments.contains('や'), "{sentence}: {arguments}");
        }
    }
}

#[test]
fn finds_theme_by_mood() {
    for sentence in ["雪のやつの一覧", "雪のやつを見せて", "冬のやつある？", "春っぽいの見せて"]
    {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        assert_eq!(call(&next).1["theme"], "雪月花", "{sentence}");
    }
}

#[test]
fn adds_card_of_a_colour_to_the_picture() {
    for later in
        ["青いのも一枚足して", "やっぱり赤も一枚足して", "青も追加で", "add a green one too"]
    {
        let mut talk = new_talk();
        let first = if later.is_ascii() {
            "Make a thumbnail with golden cards"
        } else {
            "黄金王朝のカードでサムネイルを作って"
        };
        talk.say(first);
        talk.back(&[illustrations(&["A1", "A2"])]);
        talk.back(&[output(
            json!({ "mimeType": "image/png", "data": "BBBB", "cards": ["A1", "A2"] }),
        )]);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        let cards = arguments["cards"].as_array().map_or(0, Vec::len);
        assert_eq!((tool, cards), ("compose_thumbnail", 3), "{later}: {arguments}");
    }
}

#[test]
fn shows_listed_theme_by_number() {
    for (list, later) in [
        ("テーマの一覧を見せて", "2番のやつ見せて"),
        ("テーマの一覧を見せて", "2つ目を見たい"),
        ("which themes are there?", "show me the second"),
        ("which themes are there?", "the second one please"),
    ] {
        let mut talk = new_talk();
        let text = concluded(&talk.say(list)).text();
        assert!(text.contains("2. "), "{text}");
        let next = talk.say(later);
        let theme = call(&next).1["theme"].clone();
        assert!(theme == "紅蓮機工" || theme == "Crimson Engine", "{later}: {theme}");
    }
}

#[test]
fn composes_shown_cards_with_others() {
    for (first, later) in [
        ("レオンのカード見せて", "これとミミで対決のサムネ作って"),
        ("レオンのカードを見せて", "それにミミを並べたサムネイルを作って"),
        ("show me Leon", "make a thumbnail of that and Mimi"),
    ] {
        let mut talk =
            new_talk().after(first, &[output(json!({ "card_name": "王冠の獅子レオン" }))]);
        let Decision::Call(calls) = talk.say(later) else { panic!("{later}: no call") };
        let names: Vec<_> =
            calls.iter().map(|it| it.arguments["card_name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), 2, "{later}: {names:?}");
        assert_eq!(names[0], "王冠の獅子レオン", "{later}");
    }
}

#[test]
fn takes_listed_theme_by_position() {
    for (list, later) in [
        ("どんなテーマがありますか", "2番のカードを全部"),
        ("どんなテーマがありますか", "２ばんめのカードみせて"),
        ("どんなテーマがありますか", "2番目のテーマでサムネ作って"),
        ("what themes are there", "cards of the second theme"),
        ("what themes are there", "make a thumbnail with the 2nd one"),
    ] {
        let mut talk = new_talk();
        assert!(matches!(talk.say(list), Decision::Conclude(_)), "{list}");
        let next = talk.say(later);
        assert!(matches!(next, Decision::Call(_)), "{later}");
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "get_theme_illustrations", "{later}");
        let theme = &arguments["theme"];
        assert!(theme == "紅蓮機工" || theme == "Crimson Engine", "{later}: {theme}");
    }
}

#[test]
fn shows_added_cards_with_earlier_ones() {
    for (first, later) in [
        ("赤いカードを三枚見せて", "青いのも一枚足して"),
        ("赤いカードを三枚見せて", "青も1枚追加して"),
        ("three red cards pls", "add a blue one too"),
        ("three red cards pls", "add one blue card as well"),
        ("three red cards pls", "Add a blue card"),
        ("three red cards pls", "Throw in a blue card please"),
    ] {
        let mut talk = new_talk().after(first, &[illustrations(&["A1", "A2", "A3"])]);
        let Decision::Call(calls) = talk.say(later) else { panic!("{later}: no call") };
        let limits: Vec<_> = calls.iter().map(|it| it.arguments["limit"].clone()).collect();
        assert_eq!(limits, [json!(3), json!(1)], "{later}");
        let all = [illustrations(&["A1", "A2", "A3"]), illustrations(&["B1"])];
        let text = concluded(&talk.back(&all)).text();
        assert!(text.contains("A3") && text.contains("B1"), "{later}: {text}");
        assert!(!text.contains('※') && !text.contains("Note:"), "{later}: {text}");
    }
}

#[test]
fn refuses_unsupported_changes() {
    for (first, later) in [
        ("蒼晶竜のカード見せて", "大きくして"),
        ("蒼晶竜のカード見せて", "もう少し明るくできる？"),
        ("show me the Azure Crystal Dragons cards", "make it larger"),
        ("show me the Azure Crystal Dragons cards", "can u make it brighter"),
    ] {
        let mut talk = new_talk().after(first, &[illustrations(&["A1", "A2"])]);
        let said = talk.say(later);
        assert!(matches!(said, Decision::Conclude(_)), "{later}");
        let text = concluded(&said).text();
        assert!(text.contains("変えられない") || text.contains("cannot be changed"), "{text}");
    }
    let mut talk = new_talk().after("みどりのカードをみせて", &[illustrations(&["A1", "A2"])]);
    let next = talk.say("さいごのやつだけおおきくみせて");
    assert_eq!(call(&next), ("get_card_illustration", json!({ "card_name": "A2" })));
}

#[test]
fn shows_cards_of_a_look_instead_of_themes() {
    for sentence in ["氷っぽいカードある？", "海っぽいカードってある？", "any icy cards?"]
    {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        assert!(matches!(next, Decision::Call(_)), "{sentence}");
        let theme = call(&next).1["theme"].clone();
        assert!(theme == "蒼晶竜" || theme == "Azure Crystal Dragons", "{sentence}: {theme}");
        let text = concluded(&talk.back(&[illustrations(&["A1"])])).text();
        assert!(!text.contains('※'), "{sentence}: {text}");
    }
}

#[test]
fn excludes_refused_cards() {
    for (first, later, theme) in [
        ("赤いカードを三枚見せて", "やっぱ赤はいらない", None),
        ("赤いカードを三枚見せて", "赤のカードはもういいや", None),
        ("赤いカードを三枚見せて", "赤はやめて緑にして", Some("翠森精霊")),
        ("赤いカードを三枚見せて", "いや、やっぱり緑で", Some("翠森精霊")),
        ("赤いカードと青いカードを見せて", "赤は外して", Some("蒼晶竜")),
        ("赤いカードと青いカードを見せて", "赤いのはいらないです", Some("蒼晶竜")),
        ("show me red cards", "I don't want red", None),
        ("show me red cards", "no not red, green", Some("Verdant Spirits")),
        ("show me red cards", "green instead of red", Some("Verdant Spirits")),
        ("show me red and blue cards", "drop the red ones", Some("Azure Crystal Dragons")),
        ("show me red and blue cards", "no more red please", Some("Azure Crystal Dragons")),
    ] {
        let mut talk = new_talk();
        let asked = match talk.say(first) {
            Decision::Call(calls) => calls.len(),
            Decision::Conclude(_) => panic!("{first}"),
        };
        talk.back(&vec![illustrations(&["A1", "A2", "A3"]); asked]);
        let Decision::Call(calls) = talk.say(later) else { panic!("{later}: no call") };
        assert_eq!(calls.len(), 1, "{later}");
        let named = calls[0].arguments.get("theme").and_then(|it| it.as_str());
        assert_eq!(named, theme, "{later}");
        assert_eq!(calls[0].name == FORM, theme.is_none(), "{later}");
        assert!(talk.confidence > 0.5, "{later}");
    }
}

#[test]
fn keeps_cards_that_are_not_refused() {
    for (first, later) in [
        ("赤いカードと青いカードを見せて", "赤は結構いいね"),
        ("show me red and blue cards", "don't forget the red ones"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[illustrations(&["A1", "A2"]), illustrations(&["B1", "B2"])]);
        let is_without_red = match talk.say(later) {
            Decision::Call(calls) => calls.iter().all(|call| {
                call.arguments["theme"].as_str().is_some_and(|it| it.contains(['蒼', 'z']))
            }),
            Decision::Conclude(_) => false,
        };
        assert!(!is_without_red, "{later}");
    }
}

#[test]
fn excludes_shown_card_by_name() {
    for (first, later) in [
        ("星海航路のカードを見せて", "鯨はいらない"),
        ("show me the starfarer cards", "without the whale"),
    ] {
        let mut talk = new_talk()
            .after(first, &[illustrations(&["星海船アルゴ", "星鯨バレナ", "航海士ステラ"])]);
        let Decision::Call(calls) = talk.say(later) else { panic!("{later}: no call") };
        let names: Vec<_> =
            calls.iter().filter_map(|it| it.arguments["card_name"].as_str()).collect();
        assert_eq!(names, ["星海船アルゴ", "航海士ステラ"], "{later}");
    }
}

#[test]
fn replaces_cards_of_a_picture() {
    for (first, later, cards) in [
        ("青いカードで「決戦」というタイトルのサムネを作って", "いや、赤にして", 1),
        ("青いカードで「決戦」というタイトルのサムネを作って", "青はやめて、赤で", 1),
        ("Make a thumbnail with blue cards titled \"Final\"", "not blue, red", 1),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let names = ["蒼晶竜アジュール", "蒼海竜リヴィエ"];
        talk.back(&[illustrations(&names)]);
        talk.back(&[output(json!({ "mimeType": "image/png", "data": "BB", "cards": names }))]);
        let Decision::Call(calls) = talk.say(later) else { panic!("{later}: no call") };
        assert_eq!(calls.len(), cards, "{later}");
        let theme = &calls[0].arguments["theme"];
        assert!(theme == "紅蓮機工" || theme == "Crimson Engine", "{later}: {theme}");
        let next = talk.back(&[illustrations(&["C1", "C2"])]);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["cards"]), ("compose_thumbnail", &json!(["C1", "C2"])));
        assert!(arguments["title"].is_string(), "{later}");
    }
}

#[test]
fn removes_subtitle_and_keeps_title() {
    for (first, later) in [
        ("ドラゴンのサムネ、タイトルは「王者」、サブタイトルは「第3回」", "サブタイトルはなしで"),
        ("ドラゴンのサムネ、タイトルは「王者」、サブタイトルは「第3回」", "副題を消して"),
        ("A blue thumbnail, title \"Duel\", subtitle \"Round one\"", "no subtitle"),
        ("A blue thumbnail, title \"Duel\", subtitle \"Round one\"", "remove the subtitle please"),
    ] {
        let mut talk = new_talk().after(
            first,
            &[
                illustrations(&["A1", "A2"]),
                output(json!({ "mimeType": "image/png", "data": "BB", "cards": ["A1"] })),
            ],
        );
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "compose_thumbnail", "{later}");
        assert!(arguments["title"].is_string() && arguments["subtitle"].is_null(), "{arguments}");
    }
}

#[test]
fn excludes_shown_card_by_position() {
    for (first, later) in [
        ("雪月花のカードを見せて", "最後のは消して"),
        ("雪月花のカードを見せて", "五枚目はいいや"),
        ("show me the golden cards", "the fifth one is ugly, drop it"),
        ("show me the golden cards", "remove the last one"),
    ] {
        let Decision::Call(calls) = after_cards(first).say(later) else { panic!("{later}") };
        let names: Vec<_> =
            calls.iter().filter_map(|it| it.arguments["card_name"].as_str()).collect();
        assert_eq!(names, ["A", "B", "C", "D"], "{later}");
    }
}

#[test]
fn limits_each_theme_by_number_before_it() {
    for (sentence, limits) in [
        ("a thumbnail with 2 golden and 1 crimson", [json!(2), json!(1)]),
        ("show me 3 golden and two crimson ones", [json!(3), json!(2)]),
        ("show me golden and crimson cards", [json!(null), json!(null)]),
    ] {
        let Decision::Call(calls) = new_talk().say(sentence) else { panic!("{sentence}") };
        let found: Vec<_> = calls.iter().map(|it| it.arguments.get("limit")).collect();
        let limits: Vec<_> = limits.iter().map(|it| Some(it).filter(|it| !it.is_null())).collect();
        assert_eq!(found, limits, "{sentence}");
    }
}

#[test]
fn keeps_limit_of_each_theme() {
    for sentence in ["show me 3 golden vs 2 crimson", "show me three golden vs two crimson"] {
        let mut talk = new_talk();
        talk.say(sentence);
        let cards = [illustrations(&["黄金王"]), illustrations(&["紅蓮機工"])];
        let next = talk.back(&cards);
        let text = concluded(&next).text();
        assert!(!text.contains("left it out"), "{sentence}: {text}");
    }
}

#[test]
fn card_named_with_its_theme_appears_once() {
    let mut talk = new_talk();
    let next = talk.say("show me the golden cards and Leon");
    assert!(matches!(&next, Decision::Call(calls) if calls.len() == 2), "{next:?}");
    let names = ["王冠の獅子レオン", "黄金王"];
    let leon = ToolResult::Output {
        structured: json!({ "card_name": names[0] }),
        meta: json!({}),
        content: match illustrations(&names[..1]) {
            ToolResult::Output { content, .. } => content,
            ToolResult::Failed(it) => panic!("{it:?}"),
        },
    };
    let next = talk.back(&[illustrations(&names), leon]);
    let answer = concluded(&next);
    assert_eq!(answer.text().matches("Leon").count(), 1, "{}", answer.text());
    assert_eq!(answer.parts.len(), 3, "{answer:?}");
}

#[test]
fn shows_more_cards_of_same_theme() {
    for (first, later, limit) in [
        ("three red cards pls", "one more", 4),
        ("three red cards pls", "another two please", 5),
        ("赤いカードを三枚見せて", "あと1枚", 4),
    ] {
        let mut talk = new_talk().after(first, &[illustrations(&["A1", "A2", "A3"])]);
        assert_eq!(call(&talk.say(later)).1["limit"], json!(limit), "{later}");
    }
}

#[test]
fn adds_colour_with_also() {
    for (first, later, theme) in [
        ("赤いカード見せて", "青も", "蒼晶竜"),
        ("青いカードを見せて", "あと赤も！", "紅蓮機工"),
        ("青いカードを見せて", "赤いのもね", "紅蓮機工"),
    ] {
        let mut talk = new_talk().after(first, &[illustrations(&["蒼晶竜アジュール"])]);
        let next = talk.say(later);
        assert!(format!("{next:?}").contains(theme), "{later}: {next:?}");
    }
}

#[test]
fn says_that_excluded_colour_is_absent() {
    for (later, has) in [
        ("やっぱ赤はいらない", "紅蓮機工"),
        ("赤いのは要らないです", "紅蓮機工"),
        ("I don't want red", "Crimson Engine"),
        ("no red ones", "Crimson Engine"),
    ] {
        let mut talk = new_talk().after(
            if later.is_ascii() { "show me blue cards" } else { "青いカードを3枚見せて" },
            &[illustrations(&["蒼晶竜アジュール", "蒼晶の幼竜ルリ"])],
        );
        let next = talk.say(later);
        assert!(concluded(&next).text().contains(has), "{later}: {next:?}");
    }
}

#[test]
fn searches_card_to_be_drawn_by_name() {
    for sentence in ["Draw me a snowy birthday card", "draw a snowy birthday card please"] {
        let next = new_talk().say(sentence);
        let told = format!("{next:?}");
        assert!(
            told.contains("\"snowy birthday\"") && !told.to_lowercase().contains("\"draw"),
            "{told}"
        );
    }
}

#[test]
fn ignores_counts_of_other_families() {
    for later in ["2枚予約したい", "明日2枚予約", "予約2枚で", "book two for tonight"]
    {
        let mut talk = new_talk().after(
            "ブルー系のカードを見せて",
            &[illustrations(&["蒼晶竜アジュール", "蒼晶の幼竜ルリ", "蒼海竜リヴィエ"])],
        );
        let mut name = talk.names[0].clone();
        (name.kind, name.within) = ("word".to_owned(), Some("cinema".to_owned()));
        (name.also, name.hints) = Default::default();
        name.moods = vec!["予約".to_owned(), "book".to_owned()];
        talk.names.push(name);
        let next = talk.say(later);
        assert!(matches!(next, Decision::Conclude(_)), "{later}: {next:?}");
    }
}

#[test]
fn lists_themes_without_excluded_ones() {
    for (sentence, without) in [
        ("雪月花以外のテーマを教えて", "雪月花"),
        ("which themes are there except starfarer?", "Starfarer"),
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("6") && !text.contains(without), "{sentence}: {text}");
    }
}

#[test]
fn positions_follow_the_list_without_excluded_themes() {
    let mut talk = new_talk();
    let text = concluded(&talk.say("雪月花以外のテーマを教えて")).text();
    let second = text.lines().find_map(|it| it.strip_prefix("2. ")).unwrap().to_owned();
    let (_, arguments) = call(&talk.say("2番のカードを見せて"));
    let theme = arguments["theme"].as_str().unwrap();
    assert!(second.starts_with(theme), "{second}: {theme}");
}

#[test]
fn cards_without_a_theme_request_no_list() {
    for sentence in [
        "show me 3 cards but not the snow theme",
        "雪月花以外のテーマのカードを3枚見せて",
        "show me something without the Starfarer theme",
    ] {
        let decided = new_talk().say(sentence);
        let is_list = matches!(&decided, Decision::Conclude(it) if it.text().contains("1. "));
        assert!(!is_list, "{sentence}: {decided:?}");
    }
    for later in [
        "the same without the Crimson Engine theme",
        "show me the same without the Crimson Engine theme",
        "drop the Crimson Engine deck",
    ] {
        let mut talk = new_talk();
        talk.say("a thumbnail of Leon and Volcano");
        let cards = ["王冠の獅子レオン", "紅蓮機工ボルカノ"];
        talk.back(&cards.map(|it| illustrations(&[it])));
        talk.back(&[output(json!({ "mimeType": "image/png", "data": "BB", "cards": cards }))]);
        let Decision::Call(calls) = talk.say(later) else { panic!("{later}: no call") };
        let is_left_out = |it: &ToolCall| it.arguments["card_name"] != cards[1];
        assert!(calls.iter().all(is_left_out), "{later}: {calls:?}");
    }
}

#[test]
fn changes_subtitle() {
    let mut talk = new_talk();
    talk.say("Thumbnail of Leon and Volcano, title \"FINAL\", subtitle \"round 3\"");
    let cards = [illustrations(&["王冠の獅子レオン"]), illustrations(&["紅蓮機工ボルカノ"])];
    talk.back(&cards);
    let composed = json!({ "mimeType": "image/png", "data": "BBBB", "title": "FINAL", "width": 1280, "height": 720, "cards": ["王冠の獅子レオン", "紅蓮機工ボルカノ"] });
    talk.back(&[output(composed)]);
    let decided = talk.say("change the subtitle to round 4");
    assert_eq!(call(&decided).1["subtitle"], "round 4");
}
