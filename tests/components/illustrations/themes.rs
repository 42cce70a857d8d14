//! `get_theme_illustrations` (ILL-2 to ILL-6), every bundled card, and the operator's folder of cards.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::bench::{Bench, Tested};

use super::{CARD, SIZE, THEME, THUMBNAIL, open, picture, read, refused, whole};

const THEMES: [&str; 7] =
    ["蒼晶竜", "紅蓮機工", "翠森精霊", "黄金王朝", "深淵魔導", "雪月花", "星海航路"];

async fn names(tested: &Tested, arguments: Value) -> Vec<String> {
    let output = tested.call(THEME, arguments).await;
    let all = output["illustrations"].as_array().expect("a list").iter();
    all.map(|it| it["card_name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn declaration_is_the_specified_one() {
    let tested = open().await;
    let tool = tested.component().tools().iter().find(|it| &*it.name == THEME).unwrap();
    assert_eq!(
        tool.description,
        "指定されたテーマ（アーキタイプ）に属するカードのイラストを複数取得します",
        "ILL-2"
    );
    let properties = &tool.input_schema["properties"];
    assert_eq!(properties["theme"]["type"], "string");
    let described = "テーマ名（例: ブルーアイズ、ブラック・マジシャン）";
    assert_eq!(properties["theme"]["description"], described);
    assert_eq!(properties["limit"]["type"], "number", "ILL-X4");
    let described = "取得するイラストの最大枚数（デフォルト: 5）";
    assert_eq!(properties["limit"]["description"], described);
    assert_eq!(tool.input_schema["required"], json!(["theme"]));
    assert_eq!(properties.as_object().unwrap().len(), 2, "ILL-5: the alias is not advertised");
}

#[tokio::test]
async fn every_card_of_every_theme_is_a_picture_of_its_own() {
    let tested = open().await;
    let (mut distinct, mut cards) = (BTreeSet::new(), BTreeSet::new());
    for theme in THEMES {
        let (output, images, texts) =
            whole(&tested, THEME, json!({ "theme": theme, "limit": 20 })).await;
        let all = output["illustrations"].as_array().unwrap();
        assert_eq!(all.len(), 6, "{theme}");
        assert_eq!(images.len(), 6, "ILL-3: {theme}");
        let listed: Vec<_> = all.iter().map(|it| it["card_name"].as_str().unwrap()).collect();
        assert_eq!(texts, [listed.join("\n")], "ILL-3: {theme}");
        for (card, image) in all.iter().zip(images) {
            assert_eq!(card.as_object().unwrap().len(), 3, "ILL-2: exactly three fields");
            picture(card, &image, SIZE);
            let size = image.bytes.len();
            assert!(size <= 400 << 10, "{}: {size} bytes", card["card_name"]);
            assert!(distinct.insert(image.bytes), "{} is another's picture", card["card_name"]);
            assert!(cards.insert(card["card_name"].to_string()));
        }
    }
    assert_eq!(cards.len(), 42);
}

#[tokio::test]
async fn five_are_fetched_by_default() {
    let tested = open().await;
    let found = names(&tested, json!({ "theme": "雪月花" })).await;
    assert_eq!(found.len(), 5, "ILL-2");
    assert_eq!(found[0], "雪兎ユキ", "best known first");
    assert_eq!(names(&tested, json!({ "theme": "雪月花", "limit": null })).await, found);
}

#[tokio::test]
async fn limit_is_clamped_between_1_and_20() {
    let tested = open().await;
    for (limit, count) in
        [(json!(0), 1), (json!(-3), 1), (json!(1), 1), (json!(2.0), 2), (json!(1e9), 6)]
    {
        let found = names(&tested, json!({ "theme": "星海航路", "limit": limit })).await;
        assert_eq!(found.len(), count, "ILL-4: {limit}");
    }
    for limit in [json!(2.5), json!("3"), json!("NaN"), json!([3]), json!(true)] {
        let arguments = json!({ "theme": "星海航路", "limit": limit });
        let failure = tested.failure(THEME, arguments).await;
        assert_eq!(failure["error"], "invalid_params", "ILL-4: {limit}");
        assert_eq!(failure["data"]["field"], "limit", "ILL-4: {limit}");
    }
}

#[tokio::test]
async fn accepts_the_older_argument_name() {
    let tested = open().await;
    let found = names(&tested, json!({ "theme_name": "黄金王朝", "limit": 1 })).await;
    assert_eq!(found, ["黄金王ソレイユ"], "ILL-5");
}

#[tokio::test]
async fn a_theme_is_found_by_reading_english_part_and_colour() {
    let tested = open().await;
    for (query, first) in [
        ("そうしょうりゅう", "蒼晶竜アジュール"),
        ("Azure Crystal Dragons", "蒼晶竜アジュール"),
        ("crystal dragon", "蒼晶竜アジュール"),
        ("ブルー", "蒼晶竜アジュール"),
        ("青", "蒼晶竜アジュール"),
        ("blue", "蒼晶竜アジュール"),
        ("ブルー系テーマのカード", "蒼晶竜アジュール"),
        ("ぐれん", "紅蓮機工ボルカノ"),
        ("レッド", "紅蓮機工ボルカノ"),
        ("緑", "翠森精霊リーフィ"),
        ("Golden Dynasti", "黄金王ソレイユ"),
        ("紫", "深淵魔導師ノクス"),
        ("せつげっか", "雪兎ユキ"),
        ("starfarer", "星海船アルゴ"),
    ] {
        let found = names(&tested, json!({ "theme": query, "limit": 1 })).await;
        assert_eq!(found, [first], "ILL-6: {query}");
    }
}

#[tokio::test]
async fn rejects_unknown_theme_with_similar_names() {
    let tested = open().await;
    let (code, status, near) = refused(&tested, THEME, json!({ "theme": "ブルーアイズ" })).await;
    assert_eq!((code.as_str(), status), ("theme_not_found", 404), "ILL-4");
    assert_eq!(near, ["蒼晶竜"], "its colour comes near, and that is said rather than guessed");
    let (code, _, near) = refused(&tested, THEME, json!({ "theme": "zzzz" })).await;
    assert_eq!((code.as_str(), near.len()), ("theme_not_found", 0));
    for theme in ["string", "card", "Stardust Dragon", "on", "い"] {
        let (code, ..) = refused(&tested, THEME, json!({ "theme": theme })).await;
        assert_eq!(code, "theme_not_found", "another theme's pictures for {theme}");
        let thumbnail = json!({ "title": "決戦", "cards": ["雪兎ユキ"], "theme": theme });
        let (code, ..) = refused(&tested, THUMBNAIL, thumbnail).await;
        assert_eq!(code, "theme_not_found", "another theme's colours for {theme}");
    }
}

// A folder of the operator that replaces the bundled cards (ILL-6).

/// A PNG's signature and header, as large as it says.
fn png() -> Vec<u8> {
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x04\0\0\0\x04\x08\x02\0\0\0".to_vec()
}

fn catalogue() -> Value {
    json!({
        "themes": [{ "name": "青眼", "reading": "ぶるーあいず", "aliases": ["Blue-Eyes"] }],
        "cards": [
            { "name": "青い竜", "reading": "あおいりゅう", "aliases": ["Blue Dragon"],
              "themes": ["青眼"], "image": "blue/dragon.png" },
            { "name": "無い竜", "themes": ["青眼"], "image": "blue/none.png" },
            { "name": "偽の竜", "themes": ["青眼"], "image": "blue/page.png" },
            { "name": "白い竜", "themes": ["青眼"], "image": "white.png" },
        ],
    })
}

fn folder(catalogue: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("blue")).unwrap();
    fs::write(home.path().join("catalogue.json"), catalogue).unwrap();
    fs::write(home.path().join("blue/dragon.png"), png()).unwrap();
    fs::write(home.path().join("blue/page.png"), "<html>").unwrap();
    fs::write(home.path().join("white.png"), png()).unwrap();
    home
}

async fn open_with(path: &Path) -> Tested {
    let settings = json!({ "sources": "folder,builtin" });
    Bench::of("illustrations").grant_all().settings(settings).folder("/cards", path).start().await
}

#[tokio::test]
async fn folder_card_is_found_by_any_of_its_names_before_bundled_ones() {
    let home = folder(&catalogue().to_string());
    let tested = open_with(home.path()).await;
    for name in ["青い竜", "アオイリュウ", "blue dragon"] {
        let (card, images, _) = whole(&tested, CARD, json!({ "card_name": name })).await;
        assert_eq!(card["mimeType"], "image/png", "{name}");
        assert!(images[0].bytes.len() < 100, "{name} is the folder's");
        assert_eq!(read(&tested, &images[0].uri).await, images[0].bytes);
    }
    let (_, bundled, _) = whole(&tested, CARD, json!({ "card_name": "雪兎ユキ" })).await;
    assert!(bundled[0].bytes.len() > 1_000);
}

#[tokio::test]
async fn reports_missing_and_broken_pictures_and_theme_omits_them() {
    let home = folder(&catalogue().to_string());
    let tested = open_with(home.path()).await;
    let theme = tested.call(THEME, json!({ "theme": "ブルーアイズ" })).await;
    let cards = theme["illustrations"].as_array().unwrap().iter();
    let names: Vec<_> = cards.map(|it| it["card_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["青い竜", "白い竜"]);
    for (name, why) in [("無い竜", "blue/none.png"), ("偽の竜", "HTML")] {
        let failure = tested.failure(CARD, json!({ "card_name": name })).await;
        assert_eq!(failure["error"], "source_unreadable", "{name}");
        assert!(failure["data"]["reason"].as_str().unwrap().contains(why), "{failure}");
    }
}

#[tokio::test]
async fn corrected_catalogue_is_reread_and_broken_one_names_its_entry() {
    let home = folder(&catalogue().to_string());
    let tested = open_with(home.path()).await;
    let file = home.path().join("catalogue.json");
    fs::write(&file, r#"{ "cards": [{ "name": "青い竜", "image": "../a.png" }] }"#).unwrap();
    let failure = tested.failure(CARD, json!({ "card_name": "青い竜" })).await;
    assert!(failure["message"].as_str().unwrap().contains("/cards/0"), "{failure}");
    fs::write(&file, r#"{ "cards": [{ "name": "赤い竜", "image": "white.png" }] }"#).unwrap();
    tested.call(CARD, json!({ "card_name": "赤い竜" })).await;
}

#[tokio::test]
async fn uses_bundled_card_if_the_folder_has_only_a_similar_name() {
    let cards = json!({ "cards": [
        { "name": "青眼の白龍", "aliases": ["Blue-Eyes White Dragon"], "themes": ["Blue-Eyes"],
          "image": "white.png" },
        { "name": "雪兎ユキの杖", "image": "white.png" },
    ] });
    let home = folder(&cards.to_string());
    let tested = open_with(home.path()).await;
    for name in ["Red-Eyes Black Dragon", "Dragon Knight"] {
        let failure = tested.failure(CARD, json!({ "card_name": name })).await;
        assert_eq!(failure["error"], "card_not_found", "{name}");
    }
    let failure = tested.failure(THEME, json!({ "theme": "Red-Eyes" })).await;
    assert_eq!(failure["error"], "theme_not_found");
    for name in ["blue-eyes", "白龍", "Blue Eyes Whte Dragon"] {
        let (_, images, _) = whole(&tested, CARD, json!({ "card_name": name })).await;
        assert!(images[0].bytes.len() < 100, "{name} is the folder's");
    }
    let (_, bundled, _) = whole(&tested, CARD, json!({ "card_name": "雪兎ユキ" })).await;
    assert!(bundled[0].bytes.len() > 1_000, "a whole name comes before a part of one");
}
