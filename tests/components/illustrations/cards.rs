//! `get_card_illustration` (ILL-1, ILL-3, ILL-4, ILL-6).

use serde_json::json;

use super::{CARD, SIZE, open, picture, refused, whole};

#[tokio::test]
async fn the_declaration_is_the_specifications_word_for_word() {
    let tested = open().await;
    let tool = tested.component().tools().iter().find(|it| &*it.name == CARD).unwrap();
    assert_eq!(tool.description, "指定されたカード名の公式イラストを取得します", "ILL-1");
    let schema = &tool.input_schema;
    assert_eq!(schema["properties"]["card_name"]["type"], "string");
    assert_eq!(schema["properties"]["card_name"]["description"], "取得したいカードの名前");
    assert_eq!(schema["required"], json!(["card_name"]));
    assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn a_card_is_a_picture_in_the_output_and_beside_it() {
    let tested = open().await;
    let arguments = json!({ "card_name": "蒼晶竜アジュール" });
    let (output, images, texts) = whole(&tested, CARD, arguments).await;
    let fields: Vec<_> = output.as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["mimeType", "data"], "ILL-1: exactly these");
    let bytes = picture(&output, SIZE);
    assert!(bytes.len() <= 400 << 10, "{} bytes", bytes.len());
    assert_eq!(images.len(), 1, "ILL-3: native image content");
    assert_eq!((&images[0].bytes, images[0].mime_type.as_str()), (&bytes, "image/png"));
    assert_eq!(texts, ["蒼晶竜アジュール"], "ILL-3: a text with the name");
}

#[tokio::test]
async fn a_card_is_found_by_reading_by_english_and_by_names_that_are_not_quite_right() {
    let tested = open().await;
    for (query, name) in [
        ("紅蓮機工ボルカノ", "紅蓮機工ボルカノ"),
        ("ぼるかの", "紅蓮機工ボルカノ"),
        ("Volcano Engine", "紅蓮機工ボルカノ"),
        ("ｖｏｌｃａｎｏ ｅｎｇｉｎｅ", "紅蓮機工ボルカノ"),
        ("リーフィ", "翠森精霊リーフィ"),
        ("Leafy of the Verdant", "翠森精霊リーフィ"),
        ("soleil the golden king", "黄金王ソレイユ"),
        ("ノクス", "深淵魔導師ノクス"),
        ("ゆきうさぎ", "雪兎ユキ"),
        ("星海船アルゴー", "星海船アルゴ"),
        ("そうしょうりゅうあじゅる", "蒼晶竜アジュール"),
        ("「雪兎ユキ」のイラスト", "雪兎ユキ"),
    ] {
        let (_, _, texts) = whole(&tested, CARD, json!({ "card_name": query })).await;
        assert_eq!(texts, [name], "ILL-6: {query}");
    }
}

#[tokio::test]
async fn a_card_that_there_is_not_is_refused_with_up_to_five_close_names() {
    let tested = open().await;
    let (code, status, near) = refused(&tested, CARD, json!({ "card_name": "zzzz" })).await;
    assert_eq!((code.as_str(), status, near.len()), ("card_not_found", 404, 0), "ILL-4");
    let arguments = json!({ "card_name": "蒼天竜騎兵アジル" });
    let (code, _, near) = refused(&tested, CARD, arguments).await;
    assert_eq!(code, "card_not_found");
    assert!((1..=5).contains(&near.len()), "ILL-4: {near:?}");
    let arguments = json!({ "card_name": near[0] });
    let (_, _, texts) = whole(&tested, CARD, arguments).await;
    assert_eq!(texts, near[..1], "a close name is one that is found");
}

#[tokio::test]
async fn two_calls_draw_the_same_bytes() {
    let (one, other) = (open().await, open().await);
    let arguments = json!({ "card_name": "深淵魔導師ノクス" });
    assert_eq!(one.call(CARD, arguments.clone()).await, other.call(CARD, arguments).await);
}
