//! `compose_thumbnail`: cards and a title in one picture (ILL-43).

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{Image, THUMBNAIL, open, picture, read, refused, whole};

const CARDS: [&str; 5] =
    ["蒼晶竜アジュール", "紅蓮機工ボルカノ", "翠森精霊リーフィ", "黄金王ソレイユ", "雪兎ユキ"];
/// As YouTube has it.
const BYTES_MAX: usize = 2 << 20;
const SIZE: (u32, u32) = (1280, 720);

#[tokio::test]
async fn one_to_five_cards_and_a_title_make_a_thumbnail_size_picture() {
    let tested = open().await;
    for count in 1..=5 {
        let arguments = json!({ "cards": CARDS[..count], "title": "蒼晶竜 対 紅蓮機工" });
        let (output, images, texts) = whole(&tested, THUMBNAIL, arguments).await;
        assert_eq!(images.len(), 1, "ILL-3");
        picture(&output, &images[0], SIZE);
        let size = images[0].bytes.len();
        assert!(size <= BYTES_MAX, "ILL-43: {size} bytes");
        assert_eq!(output["cards"], json!(CARDS[..count]));
        assert_eq!((&output["width"], &output["height"]), (&json!(1280), &json!(720)));
        assert_eq!(output["title"], "蒼晶竜 対 紅蓮機工");
        assert_eq!(texts, [CARDS[..count].join("\n")], "ILL-3");
    }
}

#[tokio::test]
async fn each_text_and_option_shows_and_repeating_it_draws_the_same() {
    let tested = open().await;
    let plain = json!({ "cards": CARDS[..2] });
    let mut pictures = vec![drawn(&tested, plain.clone()).await];
    for (field, value) in [
        ("title", json!("決戦")),
        ("subtitle", json!("第1回")),
        ("style", json!("spread")),
        ("style", json!("spotlight")),
        ("theme", json!("雪月花")),
        ("theme", json!("緑")),
    ] {
        let mut arguments = plain.clone();
        arguments[field] = value;
        let made = drawn(&tested, arguments.clone()).await;
        assert_eq!(drawn(&tested, arguments.clone()).await, made, "{arguments}");
        assert!(!pictures.contains(&made), "{arguments} makes no difference");
        pictures.push(made);
    }
    // Some models write nothing where they may leave something out.
    let blank = json!({ "cards": CARDS[..2], "title": "", "subtitle": "", "theme": "" });
    assert_eq!(drawn(&tested, blank).await, pictures[0]);
    let arguments: Value = json!({ "cards": CARDS[..2], "style": "versus" });
    assert_eq!(drawn(&tested, arguments).await, pictures[0], "two cards are rivals");
}

/// The bytes of a thumbnail, which are the same where it is read as a resource.
async fn drawn(tested: &Tested, arguments: Value) -> Vec<u8> {
    let (_, mut images, _) = whole(tested, THUMBNAIL, arguments).await;
    let Image { bytes, uri, .. } = images.remove(0);
    assert_eq!(read(tested, &uri).await, bytes, "{uri}");
    bytes
}

#[tokio::test]
async fn reports_letters_missing_in_the_font_and_still_draws() {
    let tested = open().await;
    let arguments = json!({ "cards": ["雪兎ユキ"], "title": "雪月花🐉❄\u{fe0f}" });
    let (output, images, texts) = whole(&tested, THUMBNAIL, arguments).await;
    picture(&output, &images[0], SIZE);
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[1].contains('🐉') && texts[1].contains('〓'), "{texts:?}");
}

#[tokio::test]
async fn rejects_unknown_names_like_the_other_tools() {
    let tested = open().await;
    let arguments = json!({ "cards": ["雪兎ユキ", "zzzz"] });
    let (code, status, _) = refused(&tested, THUMBNAIL, arguments).await;
    assert_eq!((code.as_str(), status), ("card_not_found", 404));
    let arguments = json!({ "cards": ["雪兎ユキ"], "theme": "zzzz" });
    let (code, status, near) = refused(&tested, THUMBNAIL, arguments).await;
    assert_eq!((code.as_str(), status), ("theme_not_found", 404));
    assert!(near.len() <= 5);
}
