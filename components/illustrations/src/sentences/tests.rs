//! Cards, themes, and the thumbnail that is composed of them.

use language::{
    message::{Image, Part, images_of},
    trial::{self, FORM, call, concluded, output},
    turn::{Decision, Failure, ToolResult},
};
use serde_json::json;

const TOOLS: &str = include_str!("../../tools.json");

fn new_talk() -> trial::Talk {
    let mut talk = trial::Talk::new(super::next, TOOLS);
    talk.names = crate::spoken::names();
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
fn thumbnail_is_composed_of_a_themes_cards_and_is_the_answer() {
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
fn two_themes_are_fetched_at_once_and_share_one_picture() {
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
fn shows_the_illustrations_where_nothing_composes_and_says_so() {
    let mut talk = new_talk().without(&["compose_thumbnail"]);
    talk.say("Make a thumbnail with blue cards");
    let decided = talk.back(&[illustrations(&["A1", "A2"])]);
    assert_eq!(images_of(&concluded(&decided).parts).count(), 2);
    assert!(concluded(&decided).text().contains("compose_thumbnail"));
}

#[test]
fn unknown_card_is_sought_as_a_theme_else_gets_close_names() {
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
fn without_a_name_one_is_asked_for() {
    let mut talk = new_talk();
    assert_eq!(call(&talk.say("サムネイルを作って")).0, FORM);
    let next = talk.say(r#"{"theme": "雪月花"}"#);
    assert_eq!(call(&next), ("get_theme_illustrations", json!({ "theme": "雪月花" })));
    assert_eq!(call(&talk.back(&[illustrations(&["白雪"])])).0, "compose_thumbnail");
}

#[test]
fn another_theme_instead_makes_the_picture_anew() {
    for (first, later) in [
        ("蒼晶竜のカードで「決勝戦」というタイトルのサムネイルを作って", "やっぱり紅蓮機工で"),
        ("Make a thumbnail with blue cards titled \"Final\"", "the Crimson Engine cards instead"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[illustrations(&["A1", "A2"])]);
        talk.back(&[output(
            json!({ "mimeType": "image/png", "data": "BBBB", "cards": ["A1", "A2"] }),
        )]);
        assert_eq!(call(&talk.say(later)).0, "get_theme_illustrations", "{later}");
        let next = talk.back(&[illustrations(&["C1", "C2"])]);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["cards"]), ("compose_thumbnail", &json!(["C1", "C2"])));
        assert!(arguments["title"].is_string(), "{later}");
    }
}

#[test]
fn how_a_title_is_to_look_is_no_title() {
    let today = language::Date::constant(2026, 11, 21);
    for sentence in
        ["make the title bigger", "make the title smaller please", "タイトルを大きくして"]
    {
        let found = super::wording::bare(&super::sentence::Sentence::of(sentence, today));
        assert_eq!(found, None, "{sentence}");
    }
    let found =
        super::wording::bare(&super::sentence::Sentence::of("タイトルを頂上決戦にして", today));
    assert_eq!(found.map(|it| it.text).as_deref(), Some("頂上決戦"));
}
