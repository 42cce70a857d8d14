//! `get_card_illustration` (ILL-1, ILL-3, ILL-4, ILL-6).

use serde_json::json;

use super::{CARD, SIZE, open, picture, read, refused, whole};

#[tokio::test]
async fn declaration_is_the_specified_one() {
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
async fn card_is_named_in_the_output_next_to_its_picture() {
    let tested = open().await;
    let arguments = json!({ "card_name": "蒼晶竜アジュール" });
    let (output, images, texts) = whole(&tested, CARD, arguments).await;
    let fields: Vec<_> = output.as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["mimeType", "uri"], "ILL-1: a picture by its name");
    assert_eq!(images.len(), 1, "ILL-3: native image content");
    picture(&output, &images[0], SIZE);
    assert!(images[0].bytes.len() <= 400 << 10, "{} bytes", images[0].bytes.len());
    assert_eq!(read(&tested, &images[0].uri).await, images[0].bytes, "the same is a resource");
    assert_eq!(texts, ["蒼晶竜アジュール"], "ILL-3: a text with the name");
}

#[tokio::test]
async fn finds_a_card_by_reading_english_and_names_not_quite_right() {
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
async fn refuses_an_unknown_card_with_up_to_five_close_names() {
    let tested = open().await;
    let (code, status, near) = refused(&tested, CARD, json!({ "card_name": "zzzz" })).await;
    assert_eq!((code.as_str(), status, near.len()), ("card_not_found", 404, 0), "ILL-4");
    let arguments = json!({ "card_name": "龍騎士" });
    let (code, _, near) = refused(&tested, CARD, arguments).await;
    assert_eq!(code, "card_not_found");
    assert_eq!(near, ["蒼晶竜騎士セイラン", "黄金翼の騎士オーラム"], "ILL-4");
    for name in near {
        let (_, _, texts) = whole(&tested, CARD, json!({ "card_name": name })).await;
        assert_eq!(texts, [name], "a close name is one that is found");
    }
}

#[tokio::test]
async fn two_calls_draw_the_same_bytes() {
    let (one, other) = (open().await, open().await);
    let uri =
        "card://%E6%B7%B1%E6%B7%B5%E9%AD%94%E5%B0%8E%E5%B8%AB%E3%83%8E%E3%82%AF%E3%82%B9/image";
    let output = one.call(CARD, json!({ "card_name": "深淵魔導師ノクス" })).await;
    assert_eq!(output["uri"], uri);
    assert_eq!(read(&one, uri).await, read(&other, uri).await);
    other.read("card://zzzz/image").await.unwrap_err();
    other.read("card://a/b/image").await.unwrap_err();
}
