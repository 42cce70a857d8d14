//! A folder of the operator that replaces the bundled cards (ILL-6).

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::bench::{Bench, Tested};

use super::{CARD, THEME, read, whole};

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

async fn open(path: &Path) -> Tested {
    let settings = json!({ "sources": "folder,builtin" });
    Bench::of("illustrations").grant_all().settings(settings).folder("/cards", path).start().await
}

#[tokio::test]
async fn folder_card_is_found_by_any_of_its_names_before_bundled_ones() {
    let home = folder(&catalogue().to_string());
    let tested = open(home.path()).await;
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
    let tested = open(home.path()).await;
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
    let tested = open(home.path()).await;
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
    let tested = open(home.path()).await;
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
