//! Names in sentences: components list them, and replaced lists apply at once.

use std::{collections::BTreeMap, fs, path::Path};

use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    component_bytes, fake_cards,
    server::{Folders, TestServer},
};

use super::post;

/// A catalogue of our own in place of the bundled one.
fn catalogue() -> Value {
    json!({
        "themes": [
            { "name": "月光楽団", "reading": "げっこうがくだん", "aliases": ["Moonlight Band"] },
            { "name": "砂塵商隊", "aliases": ["Dust Caravan"] },
        ],
        "cards": [
            { "name": "歌姫セレナ", "aliases": ["Serena the Singer", "セレナ"],
              "themes": ["月光楽団"], "image": "serena.png" },
            { "name": "太鼓のドラム丸", "themes": ["月光楽団"], "image": "drum.png" },
            { "name": "駱駝のカルム", "aliases": ["Karm the Camel"],
              "themes": ["砂塵商隊"], "image": "karm.png" },
        ],
    })
}

async fn serving(home: &Path) -> TestServer {
    let folders = Folders::new();
    for name in ["assistant", "illustrations", "library"] {
        folders.put(name, &component_bytes(name));
    }
    let home = home.to_owned();
    TestServer::start(folders, |config| {
        let library = config.components.entry("library".to_owned()).or_default();
        library.grants = Some([Grant::Events].into());
        let cards = config.components.get_mut("illustrations").expect("it is bundled");
        cards.settings.insert("sources".to_owned(), json!("folder"));
        cards.folders = BTreeMap::from([("/cards".to_owned(), home)]);
    })
    .await
}

async fn ask_and_answer(server: &TestServer, message: &str) -> Value {
    let body = json!({ "message": message, "assistant": "counter" });
    let (status, answer) = post(&server.client(), &body.to_string()).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

/// The first call that an answer lists, by its tool and its arguments.
fn call(answer: &Value) -> (&str, &Value) {
    let call = &answer["toolCalls"][0];
    (call["name"].as_str().unwrap_or_else(|| panic!("{answer}")), &call["params"])
}

fn put(home: &Path, catalogue: &Value) {
    fs::write(home.join("catalogue.json"), catalogue.to_string()).unwrap();
    for image in ["serena.png", "drum.png", "karm.png"] {
        fs::write(home.join(image), fake_cards::png()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn understands_another_catalogues_names_and_drops_bundled_ones() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), &catalogue());
    let server = serving(home.path()).await;
    for (message, tool, arguments) in [
        ("月光楽団のカードを見せて", "get_theme_illustrations", json!({ "theme": "月光楽団" })),
        (
            "show me the dust caravan cards",
            "get_theme_illustrations",
            json!({ "theme": "Dust Caravan" }),
        ),
        ("セレナを見せて", "get_card_illustration", json!({ "card_name": "セレナ" })),
        (
            "駱駝のカルムの絵が見たい",
            "get_card_illustration",
            json!({ "card_name": "駱駝のカルム" }),
        ),
    ] {
        let answer = ask_and_answer(&server, message).await;
        let (called, with) = call(&answer);
        assert_eq!(called, tool, "{message}: {answer}");
        for (name, value) in arguments.as_object().unwrap() {
            let called = with[name].as_str().unwrap_or_default().to_lowercase();
            assert_eq!(called, value.as_str().unwrap().to_lowercase(), "{message}");
        }
        assert_eq!(answer["toolCalls"][0]["isError"], false, "{message}: {answer}");
    }
    let themes = ask_and_answer(&server, "どんなテーマがありますか？").await;
    let text = themes["text"].as_str().unwrap();
    assert!(text.contains("月光楽団（2枚）") && text.contains("砂塵商隊（1枚）"), "{text}");
    for bundled in ["蒼晶竜", "雪月花", "紅蓮機工"] {
        assert!(!text.contains(bundled), "{text}");
    }
    // Names of another component are added.
    assert!(text.contains("図書館の棚"), "{text}");
    // A colour of the bundled catalogue means nothing here.
    let blue = ask_and_answer(&server, "青いカードでサムネイルを作って").await;
    assert!(!blue["text"].as_str().unwrap().contains("蒼晶竜"), "{blue}");
}

#[tokio::test(flavor = "multi_thread")]
async fn knows_a_name_added_while_serving_in_the_next_sentence() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), &catalogue());
    let server = serving(home.path()).await;
    let mut more = catalogue();
    more["themes"].as_array_mut().unwrap().push(json!({ "name": "氷河書院" }));
    let card = json!({ "name": "司書ミゾレ", "themes": ["氷河書院"], "image": "karm.png" });
    more["cards"].as_array_mut().unwrap().push(card);
    put(home.path(), &more);
    let answer = ask_and_answer(&server, "どんなテーマがありますか？").await;
    assert!(answer["text"].as_str().unwrap().contains("氷河書院（1枚）"), "{answer}");
    let answer = ask_and_answer(&server, "司書ミゾレのカードを見せて").await;
    assert_eq!(call(&answer).1["card_name"], "司書ミゾレ", "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn component_unable_to_list_its_names_leaves_others_understood() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), &catalogue());
    let server = serving(home.path()).await;
    fs::write(home.path().join("catalogue.json"), "{").unwrap();
    let answer = ask_and_answer(&server, "どんなテーマがありますか？").await;
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("図書館の棚") && !text.contains("月光楽団"), "{text}");
}
