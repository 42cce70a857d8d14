//! The acceptance criteria of illustrations (ILL-50 to ILL-55): a fake Gemini, the server in process, and a
//! foreign MCP server. Each request is checked field by field.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    component_bytes, fake_cards,
    fake_models::{
        FakeModel,
        gemini::{Gemini, KEY, PICTURES, TEXT, call, message, picture, text},
    },
    fixtures::library,
    rebuilt,
    server::{Folders, TestServer},
};

use super::post;
use crate::servers::{
    is_offered,
    modern::{Deed, Modern},
};

/// The specification's literal declarations (ILL-20).
const DECLARATIONS: &str = include_str!("declarations.json");

/// The prompt of ILL-30.
const PROMPT: &str = "あなたは遊戯王OCGの対戦動画サムネイルを作成するアシスタントです。\nユーザーの要望に応じて、必ずMCPツール（get_theme_illustrations または get_card_illustration）を使用して関連する公式カードイラストを参照し、それらを元に画像を生成してください。";

/// The prompt without tools, of ILL-31.
const PROMPT_WITHOUT: &str = "あなたは遊戯王OCGの対戦動画サムネイルを作成するアシスタントです。\nユーザーの要望に応じて画像を生成してください。";

/// The gateway's password, which is the other server's token (ILL-11).
const TOKEN: &str = "hunter2hunter2";

/// Pictures of one pixel.
pub(super) const BLUE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(super) const RED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

pub(super) const MADE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

/// A server, the models behind it, and the other team's server.
pub(super) struct Stage {
    pub(super) server: TestServer,
    pub(super) gemini: FakeModel,
    pub(super) art: Modern,
}

/// The foreign server's tools, with the specified schemas and further keywords.
fn tools() -> Vec<Value> {
    let declared: Value = serde_json::from_str(DECLARATIONS).unwrap();
    let described =
        |index: usize| declared[0]["functionDeclarations"][index]["description"].clone();
    let hints = json!({ "readOnlyHint": true });
    vec![
        json!({
            "name": "get_card_illustration", "title": "Card", "annotations": hints,
            "description": described(0),
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                "properties": { "card_name": {
                    "type": "string", "description": "取得したいカードの名前",
                    "minLength": 1, "maxLength": 200,
                } },
                "required": ["card_name"], "additionalProperties": false,
            },
        }),
        json!({
            "name": "get_theme_illustrations", "title": "Theme", "annotations": hints,
            "description": described(1),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "theme": {
                        "type": "string",
                        "description": "テーマ名（例: ブルーアイズ、ブラック・マジシャン）",
                    },
                    "limit": {
                        "type": "number", "default": 5, "minimum": 1, "maximum": 20,
                        "description": "取得するイラストの最大枚数（デフォルト: 5）",
                    },
                },
                "required": ["theme"],
            },
        }),
    ]
}

impl Stage {
    /// All of it, with `more` in the configuration.
    pub(super) async fn open(more: &str) -> Self {
        let stage = Self::begin(more, "").await;
        for tool in ["get_card_illustration", "get_theme_illustrations"] {
            is_offered(&stage.server, tool).await;
        }
        stage
    }

    /// The same, before the tools are listed; `art` configures the foreign server.
    async fn begin(more: &str, art: &str) -> Self {
        let modern = Modern::with(tools());
        *modern.state().token.lock().unwrap() = Some(TOKEN);
        let art = format!(
            "[servers.art]\nurl = '{}'\ntoken = {{ value = '{TOKEN}' }}\nprefix = ''\nretry_base_ms = 5\ntimeout_ms = 2000\ntrust_hints = true\n{art}",
            modern.url()
        );
        let (server, gemini) = Self::alone(&format!("{art}\n{more}")).await;
        Self { server, gemini, art: modern }
    }

    /// A server with a fake Gemini and the configuration `lines`.
    pub(super) async fn alone(lines: &str) -> (TestServer, FakeModel) {
        Self::with(&[], lines).await
    }

    /// The same with these components.
    pub(super) async fn with(components: &[&str], lines: &str) -> (TestServer, FakeModel) {
        let gemini = FakeModel::start(Gemini::default()).await;
        let models = match lines.contains("[models.gemini]") {
            true => String::new(),
            false => "[models.gemini]\n".to_owned(),
        };
        let own = format!(
            "base_url = '{}'\nkey = {{ value = '{KEY}' }}\nretry_base_ms = 1\n",
            gemini.url
        );
        // The test's configuration of the model follows this.
        let lines = match models.is_empty() {
            true => lines.replace("[models.gemini]\n", &format!("[models.gemini]\n{own}")),
            false => format!("{lines}\n{models}{own}"),
        };
        let folders = Folders::new();
        for name in components.iter().chain(&["assistant"]) {
            folders.put(name, &component_bytes(name));
        }
        let config = folders.config_with(&lines);
        (TestServer::start(folders, |it| *it = config).await, gemini)
    }

    /// The status and body of `/api/chat`.
    pub(super) async fn chat(&self, body: Value) -> (u16, Value) {
        chat(&self.server, body).await
    }

    /// The answer of a successful chat.
    pub(super) async fn answer(&self, body: Value) -> Value {
        let (status, answer) = self.chat(body).await;
        assert_eq!(status, 200, "{answer}; broken: {:?}", self.gemini.broken());
        assert_eq!(self.gemini.broken(), Vec::<String>::new());
        answer
    }

    /// The requested models in order.
    fn models(&self) -> Vec<String> {
        let name = |it: String| Some(it.split_once("models/")?.1.split_once(':')?.0.to_owned());
        self.gemini.received().into_iter().filter_map(|it| name(it.path)).collect()
    }
}

pub(super) async fn chat(server: &TestServer, body: Value) -> (u16, Value) {
    let response = server.client().post("/api/chat", &[], body.to_string()).await;
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

/// An answer of the foreign server with these pictures.
pub(super) fn brings(pictures: &[(&str, &str)]) -> Deed {
    let listed = pictures
        .iter()
        .map(|(name, data)| json!({ "card_name": name, "mimeType": "image/png", "data": data }));
    let content =
        pictures.iter().map(|it| json!({ "type": "image", "mimeType": "image/png", "data": it.1 }));
    Deed::Result(json!({
        "resultType": "complete", "content": content.collect::<Vec<_>>(),
        "structuredContent": { "illustrations": listed.collect::<Vec<_>>() },
    }))
}

/// The same picture without an image block: as an object, or as text.
fn brings_as_object(picture: &Value, is_text: bool) -> Deed {
    let content = json!([{ "type": "text", "text": picture.to_string() }]);
    let mut result = json!({ "resultType": "complete", "content": content });
    if !is_text {
        result["content"] = json!([]);
        result["structuredContent"] = picture.clone();
    }
    Deed::Result(result)
}

fn user(parts: Value) -> Value {
    json!({ "role": "user", "parts": parts })
}

fn inline(data: &str) -> Value {
    json!({ "inlineData": { "mimeType": "image/png", "data": data } })
}

#[tokio::test]
async fn gemini_calls_the_tool_and_makes_a_picture_of_its_result() {
    let stage = Stage::open("").await;
    let sentence = "青眼の白龍でサムネイルを作って";
    let arguments = json!({ "card_name": "青眼の白龍" });
    stage.gemini.says(message(&[call("get_card_illustration", arguments.clone())]));
    stage.gemini.says(message(&[text("イラストを取得しました。")]));
    stage.gemini.says(message(&[text("できました。"), picture(MADE)]));
    stage.art.will([brings(&[("青眼の白龍", BLUE)])]);
    let answer = stage.answer(json!({ "message": sentence, "history": [] })).await;

    assert_eq!(stage.models(), [TEXT, TEXT, PICTURES], "ILL-29");
    let bodies = stage.gemini.bodies();
    let first = json!({
        "systemInstruction": { "parts": [{ "text": PROMPT }] },
        "contents": [user(json!([{ "text": sentence }]))],
        "tools": serde_json::from_str::<Value>(DECLARATIONS).unwrap(),
    });
    assert_eq!(bodies[0], first, "ILL-20, ILL-21, ILL-30");

    let calls = stage.art.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].1["params"]["name"], "get_card_illustration", "ILL-50");
    assert_eq!(calls[0].1["params"]["arguments"], arguments, "ILL-50");

    let called = &bodies[1]["contents"][1];
    assert_eq!(called["role"], "model");
    let part = &called["parts"][0];
    assert!(part["thoughtSignature"].is_string(), "ILL-27: {part}");
    let id = &part["functionCall"]["id"];
    let answered = user(json!([{ "functionResponse": {
        "id": id, "name": "get_card_illustration",
        "response": { "illustrations": [
            { "card_name": "青眼の白龍", "mimeType": "image/png", "data": BLUE },
        ] },
        "parts": [inline(BLUE)],
    } }]));
    let contents = json!([user(json!([{ "text": sentence }])), called, answered]);
    let second = json!({ "contents": contents, "systemInstruction": first["systemInstruction"],
        "tools": first["tools"] });
    assert_eq!(bodies[1], second, "ILL-50, ILL-24, ILL-28");

    let third = json!({
        "systemInstruction": { "parts": [{ "text": PROMPT_WITHOUT }] },
        "contents": [user(json!([{ "text": sentence }, inline(BLUE)]))],
        "generationConfig": {
            "responseModalities": ["TEXT", "IMAGE"],
            "imageConfig": { "aspectRatio": "16:9", "imageSize": "1K" },
        },
    });
    assert_eq!(bodies[2], third, "ILL-51, ILL-43");
    assert_eq!(answer["images"], json!([{ "mimeType": "image/png", "data": MADE }]), "ILL-51");
    assert_eq!(answer["text"], "できました。", "ILL-40");
    assert_eq!((&answer["provider"], &answer["model"]), (&json!("gemini"), &json!(TEXT)));
    assert_eq!(answer["toolCalls"][0]["params"], arguments);
    for asked in stage.gemini.received() {
        assert_eq!(asked.header("x-goog-api-key"), KEY);
        assert!(!asked.query.iter().any(|it| it.0 == "key"), "a key is no part of an address");
    }
}

#[tokio::test]
async fn picture_given_only_in_an_object_reaches_models_as_one() {
    let stage = Stage::open("").await;
    let one = json!({ "mimeType": "image/png", "data": BLUE });
    let listed =
        json!({ "illustrations": [{ "card_name": "x", "mimeType": "image/png", "data": BLUE }] });
    for (object, is_text) in [(&one, true), (&one, false), (&listed, true), (&listed, false)] {
        stage.gemini.says(message(&[call("get_card_illustration", json!({ "card_name": "a" }))]));
        stage.gemini.says(message(&[text("取得しました。")]));
        stage.gemini.says(message(&[text("できました。"), picture(MADE)]));
        stage.art.will([brings_as_object(object, is_text)]);
        let answer = stage.answer(json!({ "message": "aのサムネイル" })).await;
        assert_eq!(answer["images"][0]["data"], MADE, "ILL-51");
        let bodies = stage.gemini.bodies();
        let response = &bodies[bodies.len() - 2]["contents"][2]["parts"][0]["functionResponse"];
        assert_eq!(response["parts"], json!([inline(BLUE)]), "ILL-28: {object} {is_text}");
        assert_eq!(response["response"], *object, "ILL-50");
        let made = user(json!([{ "text": "aのサムネイル" }, inline(BLUE)]));
        assert_eq!(
            bodies[bodies.len() - 1]["contents"],
            json!([made]),
            "ILL-51: {object} {is_text}"
        );
    }
}

/// A wrong token is reported and not tried again.
#[tokio::test]
async fn sends_token_with_each_call_and_never_retries_a_wrong_one() {
    let stage = Stage::open("").await;
    stage.gemini.says(message(&[call("get_card_illustration", json!({ "card_name": "a" }))]));
    stage.gemini.says(message(&[text("拒否されました。")]));
    stage.gemini.says(message(&[text("イラストなしで作りました。"), picture(MADE)]));
    stage.art.will([Deed::Status(401, None)]);
    let answer = stage.answer(json!({ "message": "aのサムネイル" })).await;
    let calls = stage.art.calls();
    assert_eq!(calls.len(), 1, "ILL-52: not tried again");
    assert_eq!(calls[0].0, format!("Bearer {TOKEN}"), "ILL-11, ILL-52");
    assert_eq!(answer["toolCalls"][0]["isError"], true, "{answer}");
    let bodies = stage.gemini.bodies();
    let text = &bodies[1]["contents"][2]["parts"][0]["functionResponse"]["response"]["error"];
    assert_eq!(text["error"], "upstream_unauthorized", "ILL-26, ILL-52: {text}");
    assert!(!format!("{answer}{bodies:?}").contains(TOKEN), "no secret is told");
}

#[tokio::test]
async fn gives_up_on_unresponsive_server_and_continues_the_loop() {
    let stage = Stage::begin("", "").await;
    is_offered(&stage.server, "get_card_illustration").await;
    for (deed, expected) in [
        (Deed::Never, "がタイムアウトしました"),
        (Deed::Status(503, None), "の実行に失敗しました（最大リトライ回数超過）"),
    ] {
        let before = stage.art.calls().len();
        stage.gemini.says(message(&[call("get_card_illustration", json!({ "card_name": "a" }))]));
        stage.gemini.says(message(&[text("取得できませんでした。")]));
        stage.gemini.says(message(&[text("できました。"), picture(MADE)]));
        stage.art.will([0; 4].map(|_| deed.clone()));
        let answer = stage.answer(json!({ "message": "aのサムネイル" })).await;
        assert_eq!(stage.art.calls().len() - before, 4, "ILL-12, ILL-14: three more attempts");
        let bodies = stage.gemini.bodies();
        let response = &bodies[bodies.len() - 2]["contents"][2]["parts"][0]["functionResponse"];
        let text = response["response"]["error"]["message"].as_str().unwrap();
        assert!(text.contains(expected), "ILL-15, ILL-53: {text}");
        assert_eq!(answer["images"][0]["data"], MADE, "ILL-53: the loop still answers");
    }
}

#[tokio::test]
async fn two_rounds_and_three_calls_at_once_come_back_in_their_order() {
    let stage = Stage::open("").await;
    let card = |name: &str| call("get_card_illustration", json!({ "card_name": name }));
    stage.gemini.says(message(&[
        json!({ "text": "まずテーマを調べます", "thought": true }),
        call("get_theme_illustrations", json!({ "theme": "ブルーアイズ", "limit": 2 })),
    ]));
    stage.gemini.says(message(&[card("a"), card("b"), card("c")]));
    stage.gemini.says(message(&[text("そろいました。")]));
    stage.gemini.says(message(&[picture(MADE)]));
    stage.art.will([brings(&[("x", BLUE), ("y", RED)])]);
    // None of the three answers before the test lets it.
    stage.art.will([Deed::Progress, Deed::Progress, Deed::Progress]);
    let begun = async {
        while stage.art.calls().len() < 4 {
            tokio::task::yield_now().await;
        }
        stage.art.state().leave.as_ref().unwrap().add_permits(3);
    };
    let (answer, ()) = futures::join!(stage.answer(json!({ "message": "作って" })), begun);

    let bodies = stage.gemini.bodies();
    assert_eq!(bodies.len(), 4, "ILL-54");
    let first = bodies[1]["contents"][1]["parts"].clone();
    assert_eq!(first[0]["thought"], true, "each part goes back: {first}");
    let contents = bodies[2]["contents"].as_array().unwrap();
    let roles: Vec<_> = contents.iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "model", "user", "model", "user"], "ILL-54");
    assert_eq!(contents[1]["parts"], first, "ILL-27: the same again");
    let (made, came) = (&contents[3]["parts"], &contents[4]["parts"]);
    let signed = |it: &Value| it.get("thoughtSignature").is_some();
    let signed: Vec<_> = made.as_array().unwrap().iter().map(signed).collect();
    assert_eq!(signed, [true, false, false], "ILL-27: only the first is signed");
    for (index, name) in ["a", "b", "c"].into_iter().enumerate() {
        let (call, response) = (&made[index]["functionCall"], &came[index]["functionResponse"]);
        assert_eq!((&call["id"], &call["name"]), (&response["id"], &response["name"]), "ILL-24");
        assert_eq!(response["response"]["arguments"]["card_name"], name, "ILL-24: in call order");
    }
    let references = json!([{ "text": "作って" }, inline(BLUE), inline(RED)]);
    assert_eq!(bodies[3]["contents"], json!([user(references)]), "ILL-51");
    assert_eq!(answer["toolCalls"].as_array().unwrap().len(), 4);
    assert_eq!(answer["usage"]["inputTokens"], 400);
}

#[tokio::test]
async fn chat_without_tools_uses_other_prompt_and_still_answers() {
    let (server, gemini) = Stage::alone("").await;
    gemini.says(message(&[text("どうぞ。"), picture(MADE)]));
    let (status, answer) = chat(&server, json!({ "message": "青いサムネイル" })).await;
    assert_eq!((status, gemini.broken()), (200, Vec::new()), "ILL-55: {answer}");
    assert_eq!(answer["images"][0]["data"], MADE, "ILL-55");
    let bodies = gemini.bodies();
    assert_eq!(bodies.len(), 1, "there is nothing to decide");
    let prompt = &bodies[0]["systemInstruction"]["parts"][0]["text"];
    assert_eq!(prompt, PROMPT_WITHOUT, "ILL-31");
    assert_eq!(bodies[0].get("tools"), None, "ILL-55");
}

// Chats without a model: sentence components together, alone, swapped and broken.

/// The assistant's answer to `message`, optionally after `turn`.
async fn say(server: &TestServer, message: &str, turn: Option<&Value>) -> (u16, Value) {
    let mut body = json!({ "message": message, "assistant": "counter" });
    if let Some(turn) = turn {
        body["turn"] = turn.clone();
    }
    post(&server.client(), &body.to_string()).await
}

/// The same, which is answered.
async fn answered(server: &TestServer, message: &str, turn: Option<&Value>) -> Value {
    let (status, answer) = say(server, message, turn).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

fn answer_text(answer: &Value) -> &str {
    answer["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn best_understanding_component_leads_and_each_keeps_its_memory() {
    let server = library(&["cinema", "assistant"]).await;
    let films = answered(&server, "今日の映画は？", None).await;
    assert!(
        answer_text(&films).contains("上映") && !answer_text(&films).contains("library"),
        "{films}"
    );
    let first = answered(&server, "what does the library lend?", Some(&films["turn"])).await;
    assert_eq!(answer_text(&first), "the library, asked 1 times, true");
    let films = answered(&server, "明日の映画は？", Some(&first["turn"])).await;
    assert!(!answer_text(&films).contains("library"), "{films}");
    let again = answered(&server, "and the library again?", Some(&films["turn"])).await;
    assert_eq!(answer_text(&again), "the library, asked 2 times, true");
}

#[tokio::test(flavor = "multi_thread")]
async fn others_answer_where_one_fails_spins_or_claims_nan_certainty() {
    // It sorts first by name, so that NaN would keep it in front.
    let folders = Folders::new();
    for (name, bytes) in [("cinema", "cinema"), ("clerk", "library"), ("assistant", "assistant")] {
        folders.put(name, &component_bytes(bytes));
    }
    let server = TestServer::start(folders, |config| {
        let aide = config.components.entry("aide".to_owned()).or_default();
        aide.grants = Some([Grant::Events].into());
    })
    .await;
    for word in ["spin", "broken", "surest"] {
        let answer = answered(&server, &format!("今日の映画は？ {word}"), None).await;
        assert!(answer_text(&answer).contains("上映"), "{word}: {answer}");
    }
    let alone = library(&["assistant"]).await;
    for word in ["spin", "broken"] {
        let (status, answer) = say(&alone, word, None).await;
        assert_eq!(status, 500, "{word}: {answer}");
        assert!(!answer.to_string().contains("closed today"), "for the operator alone: {answer}");
    }
    let answer = answered(&alone, "図書館", None).await;
    assert_eq!(
        answer_text(&answer),
        "the library, asked 1 times, false",
        "it calls what is not there"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn names_the_missing_component_if_none_understands() {
    let server = TestServer::with(&["assistant", "echo"]).await;
    let (status, answer) = say(&server, "今日の映画は？", None).await;
    assert_eq!(status, 500, "{answer}");
    let details = answer["details"].as_str().unwrap();
    assert!(details.contains("serve one that exports dialogue"), "{answer}");
}

/// Slow calls share one worker, which a waiting chat must not occupy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_chats_do_not_block_the_only_slow_worker() {
    let folders = Folders::new();
    for name in ["cinema", "illustrations", "navigation", "assistant"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |it| it.sandbox.slow_lane = Some(1)).await;
    let server = &server;
    let chats = (0..12).map(async |at| {
        let message = ["今日の映画は？", "東京駅から横浜駅まで", "青眼のカードを見せて"][at % 3];
        answered(server, message, None).await
    });
    let all = futures::future::join_all(chats);
    let answers = tokio::time::timeout(tests::PATIENCE, all).await.expect("none hangs");
    assert!(answers.iter().all(|it| !answer_text(it).is_empty()), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn assistants_are_swapped_during_chats_without_a_failure() {
    let server = TestServer::with(&["cinema", "assistant"]).await;
    let is_over = AtomicBool::new(false);
    let chats = async {
        let mut turn = answered(&server, "今日の映画は？", None).await["turn"].clone();
        while !is_over.load(Ordering::Relaxed) {
            turn = answered(&server, "明日の映画は？", Some(&turn)).await["turn"].clone();
        }
    };
    let swaps = async {
        for mark in 1..11 {
            let name = if mark % 2 == 0 { "cinema" } else { "assistant" };
            let bytes = rebuilt(&component_bytes(name), mark);
            let digest = host::digest::digest(&bytes);
            let mut changes = server.server().calls.registry.changes();
            server.folders.put(name, &bytes);
            let is_there = changes
                .wait_for(|it| it.component(name).is_some_and(|it| **it.digest() == *digest));
            let swapped = tokio::time::timeout(tests::PATIENCE, is_there);
            swapped.await.expect("in time").expect("it serves");
        }
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(chats, swaps);
}

// Names in sentences: components list them, and replaced lists apply at once.

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
fn named_call(answer: &Value) -> (&str, &Value) {
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
        let (called, with) = named_call(&answer);
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
    assert_eq!(named_call(&answer).1["card_name"], "司書ミゾレ", "{answer}");
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
