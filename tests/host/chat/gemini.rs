//! Gemini behind `/api/chat`: specified error texts, signatures and pictures across turns.

use serde_json::{Value, json};
use tests::{
    component_bytes,
    fake_models::{
        Course, FakeModel, Reply, Sse,
        gemini::{KEY, OLDER, PICTURES, TEXT, call, message, picture, text},
    },
    server::{Folders, TestServer},
};

use super::{
    Talk, calls, events, post, says,
    specification::{BLUE, MADE, RED, Stage, brings, chat},
};

/// A server of a text model alone.
const NO_PICTURES: &str = "[assistants.illustrations]\nmakes_pictures = false\n";

fn stops(reason: &str) -> Reply {
    Reply::Message(json!({ "parts": [], "finishReason": reason }), Course::Whole)
}

fn card() -> Value {
    message(&[call("get_card_illustration", json!({ "card_name": "a" }))])
}

#[tokio::test]
async fn reports_gemini_errors_in_the_specified_texts() {
    let (server, gemini) = Stage::alone(NO_PICTURES).await;
    let status = |status| Reply::Error { status, retry_after: None };
    let half = |course| Reply::Message(message(&[text("これは途中で終わります")]), course);
    let limited = "リクエストが多すぎます。しばらくしてからお試しください。";
    let blocked =
        "コンテンツポリシーにより生成がブロックされました。プロンプトを変更してお試しください。";
    let slow = "リクエストがタイムアウトしました。再度お試しください。";
    let key = "サーバー設定エラー。管理者にお問い合わせください。";
    let failed = "応答の生成に失敗しました。しばらくしてからお試しください。";
    let refused = "モデルの提供元がこのリクエストを受け付けませんでした。同じ内容を送り直しても変わりません。内容や画像を変えるか、新しい会話を始めてください。";
    let too_long = "会話が長くなりすぎて、モデルが受け付けません。新しい会話を始めてください。";
    let error = Sse {
        name: None,
        data:
            json!({ "error": { "code": 429, "message": "later", "status": "RESOURCE_EXHAUSTED" } })
                .to_string(),
    };
    for (replies, expected, part) in [
        (vec![status(429), status(429), status(429)], 429, limited),
        (vec![Reply::Error { status: 429, retry_after: Some("60") }], 429, limited),
        (vec![half(Course::Instead(1, error))], 429, limited),
        (vec![stops("SAFETY")], 400, blocked),
        (vec![stops("PROHIBITED_CONTENT")], 400, blocked),
        (vec![stops("IMAGE_SAFETY")], 400, blocked),
        (
            vec![Reply::Message(json!({ "parts": [], "blockReason": "OTHER" }), Course::Whole)],
            400,
            blocked,
        ),
        (vec![status(504), status(504), status(504)], 504, slow),
        (vec![status(403)], 500, key),
        (vec![status(500), status(503), status(500)], 500, failed),
        (vec![status(400)], 500, refused),
        (vec![status(413)], 413, too_long),
        (vec![Reply::Nonsense], 500, failed),
        (vec![half(Course::Cut(1))], 500, failed),
        (vec![half(Course::Ended(1))], 500, failed),
        (vec![half(Course::Broken(1))], 500, failed),
        (vec![stops("MALFORMED_FUNCTION_CALL"), stops("MALFORMED_FUNCTION_CALL")], 500, failed),
    ] {
        let case = format!("{replies:?}");
        for reply in replies {
            gemini.then(reply);
        }
        let (status, answer) = chat(&server, json!({ "message": "作って" })).await;
        assert_eq!((status, &answer["error"]), (expected, &json!(part)), "ILL-42: {case} {answer}");
        assert_eq!(gemini.left(), 0, "{case}");
        assert!(!answer.to_string().contains(KEY), "{answer}");
    }
    assert_eq!(gemini.broken(), Vec::<String>::new());
}

#[tokio::test]
async fn error_in_the_first_chunk_has_the_retry_time() {
    let (server, gemini) = Stage::alone(NO_PICTURES).await;
    let limited = |details: Value| {
        let error = json!({ "code": 429, "status": "RESOURCE_EXHAUSTED", "details": details });
        let event = Sse { name: None, data: json!({ "error": error }).to_string() };
        Reply::Message(message(&[text("いいえ")]), Course::Instead(0, event))
    };
    gemini.then(limited(json!([]))).says(message(&[text("はい")]));
    let (status, answer) = chat(&server, json!({ "message": "やって" })).await;
    assert_eq!((status, &answer["text"]), (200, &json!("はい")), "it passes: {answer}");
    gemini.then(limited(json!([{ "retryDelay": "33.5s" }])));
    let body = json!({ "message": "やって" }).to_string();
    let response = server.client().post("/api/chat", &[], body).await;
    assert_eq!((response.status().as_u16(), gemini.left()), (429, 0), "ILL-42");
    assert_eq!(response.headers()["retry-after"], "34", "ILL-42");
}

#[tokio::test]
async fn an_empty_text_behind_a_call_is_not_sent_back() {
    let stage = Stage::open(NO_PICTURES).await;
    let mut called = card();
    called["parts"].as_array_mut().unwrap().push(text(""));
    stage.gemini.says(called).says(message(&[text("見えます")]));
    stage.art.will([brings(&[("x", BLUE)])]);
    let answer = stage.answer(json!({ "message": "見て" })).await;
    assert_eq!(answer["text"], "見えます");
    let parts = stage.gemini.bodies()[1]["contents"][1]["parts"].clone();
    assert_eq!(parts.as_array().unwrap().len(), 1, "{parts}");
}

#[tokio::test]
async fn reports_empty_search_before_the_picture() {
    let stage = Stage::open("").await;
    let why = "そのカードは見つかりませんでした。";
    stage.gemini.says(card()).says(message(&[text(why)]));
    stage.gemini.says(message(&[text("代わりに描きました。"), picture(MADE)]));
    let failure = json!({ "error": "card_not_found", "message": "No.", "status": 404 });
    stage.art.will([crate::servers::modern::Deed::Result(json!({
        "resultType": "complete", "isError": true,
        "content": [{ "type": "text", "text": failure.to_string() }],
    }))]);
    let answer = stage.answer(json!({ "message": "aのサムネイル" })).await;
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with(why) && text.ends_with("代わりに描きました。"), "ILL-26: {text}");
    assert_eq!(answer["images"][0]["data"], MADE, "ILL-53");
    let asked = stage.gemini.bodies().pop().unwrap();
    let parts = asked["contents"][0]["parts"].clone();
    assert!(parts[1]["text"].as_str().unwrap().contains(why), "ILL-26: {parts}");
}

#[tokio::test]
async fn asks_once_more_for_a_picture_that_did_not_come() {
    let (server, gemini) = Stage::alone("").await;
    gemini.then(stops("NO_IMAGE")).says(message(&[picture(MADE)]));
    let (status, answer) = chat(&server, json!({ "message": "作って" })).await;
    assert_eq!((status, &answer["images"][0]["data"]), (200, &json!(MADE)), "{answer}");
    gemini.then(stops("NO_IMAGE")).then(stops("NO_IMAGE"));
    assert_eq!(chat(&server, json!({ "message": "作って" })).await.0, 500);
    assert_eq!((gemini.left(), gemini.broken()), (0, Vec::<String>::new()));
}

#[tokio::test]
async fn unanswered_request_times_out() {
    let lines = "[assistants.illustrations]\ndecision_ms_max = 200\n";
    let (server, gemini) = Stage::alone(lines).await;
    gemini.then(Reply::Hang);
    let (status, answer) = chat(&server, json!({ "message": "作って" })).await;
    let slow = "リクエストがタイムアウトしました。再度お試しください。";
    assert_eq!((status, &answer["error"]), (504, &json!(slow)), "ILL-42");
    let stalled = Course::Stalled(1);
    let unended = message(&[text("これは途中で"), text("止まります")]);
    gemini.then(Reply::Message(unended, stalled));
    assert_eq!(chat(&server, json!({ "message": "作って" })).await.0, 504, "ILL-42");
}

#[tokio::test]
async fn reports_failed_picture() {
    let lines = "[models.gemini]\n";
    let (server, gemini) = Stage::alone(lines).await;
    gemini.fails(500).fails(500).fails(500);
    let (status, answer) = chat(&server, json!({ "message": "作って" })).await;
    let failed = "画像生成に失敗しました。しばらくしてからお試しください。";
    assert_eq!((status, &answer["error"]), (500, &json!(failed)), "ILL-42");

    let lines = format!("[models.gemini]\npicture_model = '{TEXT}'\n");
    let (server, gemini) = Stage::alone(&lines).await;
    let (status, answer) = chat(&server, json!({ "message": "作って" })).await;
    let unsupported = "このモデルは画像生成に対応していません。別のモデルをお試しください。";
    assert_eq!((status, &answer["error"]), (400, &json!(unsupported)), "ILL-42");
    assert_eq!(gemini.broken().len(), 1, "it is not tried again");
}

#[tokio::test]
async fn lost_signature_is_reported_like_by_the_real_api() {
    let stage = Stage::open("").await;
    stage.gemini.says(card()).says(message(&[text("はい")])).says(message(&[picture(MADE)]));
    stage.answer(json!({ "message": "作って" })).await;
    let asked = stage.gemini.received().remove(1);
    let client = tests::client::Client::new(&stage.gemini.url);
    let path = format!("{}?alt=sse", asked.path);
    let part = "/contents/1/parts/0";
    type Change = fn(&mut Value);
    let tampered: [(&str, Change); 4] = [
        ("missing a thought_signature", |part| {
            part.as_object_mut().unwrap().remove("thoughtSignature");
        }),
        ("Corrupted thought signature", |it| it["thoughtSignature"] = "b3RoZXI=".into()),
        ("Corrupted thought signature", |it| it["functionCall"]["args"] = json!({})),
        ("does not match", |it| it["functionCall"]["id"] = "other".into()),
    ];
    for (expected, change) in tampered {
        let mut body = asked.body.clone();
        change(body.pointer_mut(part).unwrap());
        let response = client.post(&path, &[("x-goog-api-key", KEY)], body.to_string()).await;
        assert_eq!(response.status(), 400, "ILL-27: {expected}");
        let error: Value = response.json().await.unwrap();
        assert!(error["error"]["message"].as_str().unwrap().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn sends_answer_signatures_back_with_its_history_and_its_turn() {
    let stage = Stage::open("").await;
    let first = stage.gemini.says(message(&[text("はい")]));
    first.says(message(&[text("どうぞ"), picture(MADE)]));
    let answer = stage.answer(json!({ "message": "作って" })).await;
    let parts = answer["parts"].clone();
    assert!(parts[0]["thoughtSignature"].is_string(), "ILL-41: {parts}");
    assert_eq!(parts[1]["inlineData"]["data"], MADE);
    assert!(parts[1]["thoughtSignature"].is_string(), "ILL-41: {parts}");

    let history = json!([
        { "role": "user", "parts": [{ "text": "作って" }] }, { "role": "model", "parts": parts },
    ]);
    for again in [
        json!({ "message": "もっと赤く", "history": history }),
        json!({ "message": "もっと赤く", "turn": answer["turn"] }),
    ] {
        stage.gemini.says(message(&[text("はい")])).says(message(&[picture(RED)]));
        stage.answer(again).await;
        let body = stage.gemini.bodies().pop().unwrap();
        assert_eq!(body["contents"][1]["parts"], parts, "ILL-27, ILL-41: verbatim");
        assert_eq!(body["contents"][2]["parts"], json!([{ "text": "もっと赤く" }]));
    }
    // The model of texts is sent none of them: they are not its own.
    let texts = stage.gemini.bodies();
    let texts = texts.iter().filter(|it| it.get("tools").is_some());
    assert!(texts.clone().count() >= 3);
    assert!(!texts.clone().any(|it| it.to_string().contains("thoughtSignature")));
    // Clients that lost the signatures still get an answer.
    let mut history = history;
    for part in history[1]["parts"].as_array_mut().unwrap() {
        part.as_object_mut().unwrap().remove("thoughtSignature");
    }
    stage.gemini.says(message(&[text("はい")])).says(message(&[picture(RED)]));
    stage.answer(json!({ "message": "もっと赤く", "history": history })).await;
}

#[tokio::test]
async fn person_chooses_the_base_of_the_picture() {
    let stage = Stage::open("").await;
    stage.gemini.says(card());
    stage.art.will([brings(&[("x", BLUE), ("y", RED)])]);
    let answer = stage.answer(json!({ "message": "作って", "choose": true })).await;
    assert_eq!(answer["type"], "mcp_results", "ILL-45: {answer}");
    assert_eq!(
        (&answer["images"][0]["name"], &answer["images"][1]["data"]),
        (&json!("x"), &json!(RED))
    );
    assert_eq!(stage.gemini.bodies().len(), 1, "nothing is made before");

    stage.gemini.says(message(&[text("はい")])).says(message(&[picture(MADE)]));
    let chosen = json!([{ "mimeType": "image/png", "data": RED }]);
    let answer = stage
        .answer(json!({ "message": "", "turn": answer["turn"], "selectedImages": chosen }))
        .await;
    assert_eq!(answer["images"][0]["data"], MADE, "ILL-45");
    let body = stage.gemini.bodies().pop().unwrap();
    let parts = json!([{ "text": "作って" }, { "inlineData": chosen[0] }]);
    assert_eq!(body["contents"][0]["parts"], parts, "ILL-45: what was chosen, and nothing else");
}

#[tokio::test]
async fn older_model_gets_pictures_after_the_responses() {
    let lines = format!("{NO_PICTURES}[models.gemini]\nmodel = '{OLDER}'\n");
    let stage = Stage::open(&lines).await;
    stage.gemini.says(card()).says(message(&[text("見えます")]));
    stage.art.will([brings(&[("x", BLUE)])]);
    let answer = stage.answer(json!({ "message": "見て" })).await;
    assert_eq!(answer["text"], "見えます");
    let parts = stage.gemini.bodies()[1]["contents"][2]["parts"].clone();
    assert_eq!(parts[0]["functionResponse"].get("parts"), None, "ILL-28");
    assert_eq!(parts[0]["functionResponse"].get("id"), None, "it had none");
    assert_eq!(parts[1]["inlineData"]["data"], BLUE, "ILL-28");
}

#[tokio::test]
async fn form_ends_the_turn_and_its_answer_joins_the_tools_result() {
    let stage = Stage::open(NO_PICTURES).await;
    stage.gemini.says(card());
    let form =
        json!({ "type": "form_request", "status": "waiting_for_input", "schema": { "a": 1 } });
    stage.art.will([crate::servers::modern::Deed::Result(json!({
        "resultType": "complete", "content": [], "structuredContent": form,
    }))]);
    let answer = stage.answer(json!({ "message": "予約したい" })).await;
    assert_eq!(answer["waiting"][0]["type"], "form", "FORM-3: {answer}");
    assert_eq!(stage.gemini.bodies().len(), 1, "FORM-3: nobody is asked before it is filled in");
    stage.gemini.says(message(&[text("承りました。")]));
    let sent = r#"{"name":"花子"}"#;
    stage.answer(json!({ "message": sent, "turn": answer["turn"] })).await;
    let parts = stage.gemini.bodies()[1]["contents"][2]["parts"].clone();
    assert_eq!(parts[0]["functionResponse"]["response"], form, "FORM-7");
    assert_eq!(parts[1], json!({ "text": sent }), "FORM-7: the same turn, response first");
}

#[tokio::test]
async fn reports_a_cut_answer_and_requests_a_malformed_call_again() {
    let (server, gemini) = Stage::alone(NO_PICTURES).await;
    gemini.says(json!({ "parts": [text("ここまで")], "finishReason": "MAX_TOKENS" }));
    let (status, answer) = chat(&server, json!({ "message": "長い話" })).await;
    assert_eq!((status, &answer["text"]), (200, &json!("ここまで")), "{answer}");
    assert_eq!(answer["stopReason"], "max_tokens", "{answer}");
    gemini.says(json!({ "parts": [], "finishReason": "MALFORMED_FUNCTION_CALL" }));
    gemini.says(message(&[text("はい")]));
    let (status, answer) = chat(&server, json!({ "message": "もう一度" })).await;
    assert_eq!((status, &answer["text"]), (200, &json!("はい")), "{answer}");
    let bodies = gemini.bodies();
    assert_eq!(bodies[1], bodies[2], "the same is asked again");
}

#[tokio::test]
async fn call_in_a_cut_answer_is_not_made() {
    let (server, gemini) = Stage::alone(NO_PICTURES).await;
    let call = json!({ "functionCall": { "name": "get_card_illustration", "args": {} } });
    gemini.says(json!({ "parts": [call], "finishReason": "MAX_TOKENS" }));
    let (_, answer) = chat(&server, json!({ "message": "見せて" })).await;
    assert_eq!((&answer["stopReason"], &answer["toolCalls"]), (&json!("max_tokens"), &json!([])));
}

#[tokio::test]
async fn texts_are_streamed_and_thoughts_are_not() {
    let (server, gemini) = Stage::alone(NO_PICTURES).await;
    let long = "これは八文字よりも長い返事です。";
    gemini.says(message(&[json!({ "text": "秘密の考え", "thought": true }), text(long)]));
    let events = streamed(&server, json!({ "message": "こんにちは" })).await;
    let deltas: Vec<_> = events.iter().filter(|it| it.0 == "text_delta").collect();
    assert!(deltas.len() > 1, "{events:?}");
    let whole: String = deltas.iter().map(|it| it.1["text"].as_str().unwrap()).collect();
    assert_eq!(whole, long);
    let (name, done) = events.last().unwrap();
    assert_eq!((name.as_str(), &done["text"]), ("done", &json!(long)));
    assert!(!format!("{events:?}").contains("秘密"), "{events:?}");
}

#[tokio::test]
async fn shows_picture_and_repeats_no_text_before_it() {
    let stage = Stage::open("").await;
    stage.gemini.says(message(&[text("準備ができました。")]));
    stage.gemini.says(message(&[text("どうぞ"), picture(MADE)]));
    let events = streamed(&stage.server, json!({ "message": "作って" })).await;
    let of =
        |name: &str| events.iter().filter(|it| it.0 == name).map(|it| &it.1).collect::<Vec<_>>();
    assert_eq!(of("text_delta"), [&json!({ "text": "どうぞ" })]);
    assert_eq!(of("image"), [&json!({ "mimeType": "image/png", "data": MADE })]);
    assert_eq!(of("done")[0]["text"], "どうぞ", "{events:?}");
}

#[tokio::test]
async fn fake_rejects_undocumented_fields_by_name() {
    let gemini = FakeModel::start(tests::fake_models::gemini::Gemini::default()).await;
    let client = tests::client::Client::new(&gemini.url);
    let contents = json!([{ "role": "user", "parts": [{ "text": "a" }] }]);
    let object = json!({ "type": "OBJECT", "properties": {} });
    let declared = json!([{ "functionDeclarations": [
        { "name": "f", "description": "f", "parameters": object },
    ] }]);
    for (model, body, expected) in [
        (TEXT, json!({ "contents": contents, "top": 1 }), "Unknown name \"top\""),
        (
            TEXT,
            json!({ "contents": [{ "role": "tool", "parts": [{ "text": "a" }] }] }),
            "valid role",
        ),
        (TEXT, json!({ "contents": [{ "role": "user", "parts": [] }] }), "must not be empty"),
        (TEXT, json!({ "contents": contents, "tools": declared }), "should be non-empty"),
        (PICTURES, json!({ "contents": contents, "tools": [] }), "Function calling is not enabled"),
        (
            TEXT,
            json!({ "contents": contents, "generationConfig": { "responseModalities": ["IMAGE"] } }),
            "response modalities",
        ),
        (
            PICTURES,
            json!({ "contents": contents, "generationConfig": { "imageConfig": { "imageSize": "1k" } } }),
            "image_config",
        ),
    ] {
        let path = format!("/v1beta/models/{model}:generateContent");
        let response = client.post(&path, &[("x-goog-api-key", KEY)], body.to_string()).await;
        assert_eq!(response.status(), 400, "{body}");
        let error: Value = response.json().await.unwrap();
        assert_eq!(error["error"]["status"], "INVALID_ARGUMENT");
        assert!(error["error"]["message"].as_str().unwrap().contains(expected), "{error}");
    }
    let path = format!("/v1beta/models/{TEXT}:generateContent");
    for (key, status) in [("wrong", 400), ("", 403)] {
        let response = client.post(&path, &[("x-goog-api-key", key)], "{}").await;
        assert_eq!(response.status().as_u16(), status, "{key}");
    }
}

#[tokio::test]
async fn all_bundled_tools_can_be_declared_to_gemini() {
    let (server, gemini) = Stage::with(&["cinema", "forms", "navigation"], "").await;
    gemini.says(message(&[text("はい。")]));
    let (status, answer) =
        chat(&server, json!({ "message": "こんにちは", "assistant": "counter" })).await;
    assert_eq!((status, gemini.broken()), (200, Vec::new()), "{answer}");
    let tools = gemini.bodies()[0]["tools"][0]["functionDeclarations"].as_array().cloned().unwrap();
    let names: Vec<_> = tools.iter().map(|it| it["name"].as_str().unwrap()).collect();
    for name in ["reserve_seats", "request_form", "route_search"] {
        assert!(names.contains(&name), "ILL-21: {names:?}");
    }
    let reasons = tools.iter().filter_map(|it| it.get("parameters"));
    assert!(reasons.clone().count() > 3, "{tools:?}");
    for parameters in reasons {
        assert_eq!(parameters["properties"]["reason"]["type"], "STRING", "NAV-54");
    }
}

/// The events of an answer.
async fn streamed(server: &TestServer, body: Value) -> Vec<(String, Value)> {
    let accept = [("accept", "text/event-stream")];
    let response = server.client().post("/api/chat", &accept, body.to_string()).await;
    let text = response.text().await.expect("it arrives");
    let field = |event: &str, name: &str| {
        event.lines().find_map(|it| it.strip_prefix(name)).map(|it| it.trim().to_owned())
    };
    let events = text.split("\n\n").filter_map(|event| {
        let data = serde_json::from_str(&field(event, "data:")?).expect("JSON");
        Some((field(event, "event:")?, data))
    });
    events.collect()
}

// The exact request and response of `/api/chat`, and the same as events.

/// A client that has nothing but the specification.
#[tokio::test]
async fn with_no_key_the_built_in_model_answers_text_and_images() {
    let server = TestServer::with(&["assistant", "cinema", "echo"]).await;
    let body = json!({ "message": "こんにちは", "history": [
        { "role": "user", "parts": [{ "text": "はじめまして" }] },
        { "role": "model", "parts": [{ "text": "どうも" }, { "inlineData": { "mimeType": "image/png", "data": "aGk=" } }] },
    ] });
    let (status, answer) = post(&server.client(), &body.to_string()).await;
    assert_eq!(status, 200, "ILL-40: {answer}");
    assert!(answer["text"].as_str().is_some_and(|it| !it.is_empty()), "ILL-40: {answer}");
    assert!(answer["images"].is_array(), "ILL-40: {answer}");
    let found = ["assistant", "provider", "model", "stopReason"].map(|it| answer[it].clone());
    assert_eq!(found, ["illustrations", "builtin", "builtin", "end"], "{answer}");
    assert!(answer["turn"].is_string() && answer["parts"].is_array(), "{answer}");
}

#[tokio::test]
async fn reports_body_mistakes_in_the_specified_texts() {
    let server = TestServer::with(&["assistant", "echo"]).await;
    let client = server.client();
    let required = "message は必須のフィールドです";
    let unread = "リクエストボディの解析に失敗しました";
    let entry =
        |part: Value| json!({ "message": "a", "history": [{ "role": "user", "parts": [part] }] });
    for (body, error, place) in [
        (json!({}), required, "1文字以上"),
        (json!({ "message": " \n" }), required, "1文字以上"),
        (json!({ "message": 7 }), required, "文字列"),
        (json!([]), unread, "body"),
        (json!({ "message": "a", "history": {} }), unread, "history"),
        (json!({ "message": "a", "history": [{ "role": "system" }] }), unread, "history[0].role"),
        (json!({ "message": "a", "history": [{ "role": "user" }] }), unread, "history[0].parts"),
        (entry(json!({ "image": 1 })), unread, "history[0].parts[0]"),
        (
            entry(json!({ "inlineData": { "mimeType": "image/svg+xml", "data": "aGk=" } })),
            unread,
            "history[0].parts[0].inlineData.mimeType",
        ),
        (
            json!({ "message": "a", "images": [{ "mimeType": "image/png", "data": "%" }] }),
            unread,
            "images[0].data",
        ),
        (json!({ "message": "あ", "assistant": "nobody" }), unread, "counter"),
        (json!({ "message": "a", "turn": 7 }), unread, "turn"),
        (json!({ "message": "a", "trusts": ["b"] }), unread, "Madoguchi-Trusts"),
        (json!({ "message": "a", "choose": "yes" }), unread, "choose"),
        (json!({ "message": "a", "approvals": { "c": "allow" } }), unread, "/api/approvals/"),
        (json!({ "message": "a", "answers": {} }), unread, "/api/approvals/"),
    ] {
        let (status, answer) = post(&client, &body.to_string()).await;
        assert_eq!((status, &answer["error"]), (400, &json!(error)), "ILL-42: {body} {answer}");
        assert!(answer["details"].as_str().unwrap().contains(place), "ILL-41: {body} {answer}");
    }
    let (status, answer) = post(&client, "{\"message\": ").await;
    assert_eq!((status, &answer["error"]), (400, &json!(unread)), "ILL-42: {answer}");
    let english = [("accept-language", "en")];
    let answer = client.post("/api/chat", &english, "{}").await;
    assert_eq!(answer.json::<Value>().await.unwrap()["error"], "message is required");
}

#[tokio::test]
async fn allows_room_for_past_pictures_and_refuses_more_by_its_size() {
    let talk = Talk::with(&["echo"], "[chat]\nbody_bytes_max = 6000000").await;
    talk.model.says(says("はい"));
    let picture = |bytes: usize| {
        json!({ "message": "続けて", "history": [
            { "role": "user", "parts": [{ "inlineData": { "mimeType": "image/png", "data": "AAAA".repeat(bytes / 4) } }] },
            { "role": "model", "parts": [{ "text": "はい" }] },
        ] })
    };
    // More than other routes take.
    let answer = talk.answer(&picture(5_000_000)).await;
    assert_eq!(answer["text"], "はい", "ILL-41");
    let (status, answer) = talk.say(&picture(6_000_000)).await;
    assert_eq!(status, 413, "{answer}");
    assert!(answer["details"].as_str().unwrap().contains("6000000"), "{answer}");
    let long = json!({ "message": "あ".repeat(700_000) });
    let (status, answer) = talk.say(&long).await;
    assert_eq!(status, 400, "{answer}");
    assert!(answer["details"].as_str().unwrap().contains("600000"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_in_order_and_end_with_the_answer() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(calls(&[("echo", json!({ "value": { "a": 1 }, "reason": "見るため" }))]));
    talk.model.says(says("値は1でした。ほかに何かありますか。"));
    let body = json!({ "message": "echoして", "assistant": "counter" });
    let events = events(&talk.server.client(), &body).await;
    let mut names: Vec<_> = events.iter().map(|it| it.0.as_str()).collect();
    names.dedup();
    let order = ["status", "tool_call", "tool_result", "status", "text_delta", "usage", "done"];
    assert_eq!(names, order);
    let of =
        |name: &str| events.iter().filter(|it| it.0 == name).map(|it| &it.1).collect::<Vec<_>>();
    let states: Vec<_> = of("status").iter().map(|it| it["state"].clone()).collect();
    assert_eq!(states, ["thinking", "running", "thinking"]);
    let (call, result, done) = (of("tool_call")[0], of("tool_result")[0], of("done")[0]);
    assert_eq!((&call["name"], &call["server"]), (&json!("echo"), &json!("echo")), "{call}");
    assert_eq!(
        (&call["reason"], &call["params"]),
        (&json!("見るため"), &json!({ "value": { "a": 1 } }))
    );
    assert_eq!((&result["id"], &result["isError"]), (&call["id"], &json!(false)));
    assert_eq!(result["result"], json!({ "value": { "a": 1 } }));
    assert!(result["ms"].is_u64());
    let deltas: String = of("text_delta").iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(deltas, done["text"]);
    let made = &done["toolCalls"][0];
    assert_eq!((&made["id"], &made["params"]), (&call["id"], &call["params"]), "{made}");
    assert!(made["ms"].is_u64() && made["isError"] == false, "{made}");
    assert_eq!((&done["provider"], &done["stopReason"]), (&json!("gemini"), &json!("end")));
    assert_eq!(done["usage"]["outputTokens"], 40, "both of its answers count: {done}");
    assert_eq!(done["usage"], *of("usage")[0]);
    assert_eq!(talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_model_failure_status_and_text_plain_and_streamed() {
    let talk = Talk::with(&["echo"], "").await;
    let limited = || Reply::Error { status: 429, retry_after: Some("0") };
    let text = "リクエストが多すぎます。しばらくしてからお試しください。";
    let body = json!({ "message": "やあ", "assistant": "counter" });
    (0..20).for_each(|_| _ = talk.model.then(limited()));
    let (status, answer) = talk.say(&body).await;
    assert_eq!((status, &answer["error"]), (429, &json!(text)), "ILL-42: {answer}");
    // The language comes from the header, not from the message.
    let english = json!({ "message": "Hello there", "assistant": "counter" });
    let (_, answer) = talk.say(&english).await;
    assert_eq!(answer["error"], text, "ILL-42: {answer}");
    let header = [("accept-language", "en")];
    let answer = talk.server.client().post("/api/chat", &header, english.to_string()).await;
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["error"], "Too many requests; try again in a while.", "ILL-42");
    let events = events(&talk.server.client(), &body).await;
    let (name, error) = events.last().unwrap();
    assert_eq!((name.as_str(), &error["status"]), ("error", &json!(429)), "{error}");
    assert_eq!(error["error"], text, "ILL-42");
    assert!(!events.iter().any(|it| it.0 == "done"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unanswering_model_ends_with_504() {
    let lines = "[assistants.counter]\ndecision_ms_max = 100";
    let talk = Talk::with(&["echo"], lines).await;
    talk.model.then(Reply::Hang);
    let (status, answer) = talk.say(&json!({ "message": "やあ" })).await;
    let text = "リクエストがタイムアウトしました。再度お試しください。";
    assert_eq!((status, &answer["error"]), (504, &json!(text)), "ILL-42: {answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_endless_tool_calls_and_answers_with_its_results() {
    let talk = Talk::with(&["echo"], "[assistants.counter]\nrounds_max = 2").await;
    for round in 0..3 {
        talk.model.says(calls(&[("echo", json!({ "value": { "round": round } }))]));
    }
    let answer = talk.answer(&json!({ "message": "ずっと" })).await;
    assert_eq!(answer["stopReason"], "max_tool_rounds", "ILL-25: {answer}");
    assert_eq!(answer["toolCalls"].as_array().unwrap().len(), 2, "ILL-25: {answer}");
    assert!(answer["notice"].as_str().is_some_and(|it| answer["text"] == it), "ILL-25: {answer}");
}

#[tokio::test]
async fn assistants_are_listed_without_a_key() {
    let talk = Talk::with(&["echo"], "[assistants.navigation]\nenabled = false").await;
    let response = talk.server.client().get("/api/chat").await;
    let text = response.text().await.unwrap();
    assert!(!text.contains(KEY), "no key in it");
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&list["default"], &list["gateway"]), (&json!("illustrations"), &json!(false)));
    let names: Vec<_> =
        list["assistants"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["counter", "illustrations"], "{list}");
    assert_eq!(list["players"][0]["name"], "talker", "who plays agents is told apart: {list}");
    let counter = &list["assistants"][0];
    assert_eq!((&counter["titleJa"], &counter["provider"]), (&json!("窓口"), &json!("gemini")));
    assert!(counter["model"].as_str().unwrap().starts_with("gemini"), "{list}");
    assert!(counter["makesPictures"].is_boolean(), "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_client_ends_the_tool_call() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.then(Reply::Message(
        calls(&[("count_slowly", json!({ "steps": 20_000 }))]),
        Course::Whole,
    ));
    let accept = [("accept", "text/event-stream")];
    let body = json!({ "message": "数えて", "assistant": "counter" }).to_string();
    let mut response = talk.server.client().post("/api/chat", &accept, body).await;
    let mut text = String::new();
    while !text.contains("event: tool_call") {
        text += &String::from_utf8_lossy(&response.chunk().await.unwrap().expect("more comes"));
    }
    // It is announced before it is made.
    let running = "madoguchi_calls_running{component=\"echo\"} 1";
    let says = async |line: &str| {
        let text = || talk.server().calls.watch.metrics.text();
        tests::until(line, async || text().contains(line)).await;
    };
    says(running).await;
    drop(response);
    says("madoguchi_calls_total{component=\"echo\",outcome=\"cancelled\"} 1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn assistant_with_unserved_tools_says_so_when_model_calls_one() {
    let lines = "[assistants.own]\nprovider = 'gemini'\nprompt = 'p'\nprompt_without_tools = 'none'\ntools = ['get_card_illustration']";
    let talk = Talk::with(&["echo"], lines).await;
    talk.model.says(calls(&[("get_card_illustration", json!({ "card_name": "x" }))]));
    let (status, answer) = talk.say(&json!({ "message": "描いて", "assistant": "own" })).await;
    let text = "MCPサーバーが設定されていません。";
    assert_eq!((status, &answer["error"]), (500, &json!(text)), "ILL-16: {answer}");
    let asked = &talk.model.bodies()[0];
    assert_eq!(asked["systemInstruction"]["parts"][0]["text"], "none", "ILL-31: {asked}");
    assert_eq!(asked.get("tools"), None, "ILL-55: {asked}");
}

#[tokio::test]
async fn custom_assistant_answers_and_a_disabled_one_does_not() {
    let folders = Folders::new();
    for name in ["assistant", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(
        "[chat]\nassistant = 'mine'\n[assistants.mine]\ntitle = 'Mine'\nprompt = 'p'\nprovider = 'builtin'\n[assistants.counter]\nenabled = false",
    );
    let server = TestServer::start(folders, |it| *it = config).await;
    let (status, answer) = post(&server.client(), "{\"message\": \"hi\"}").await;
    assert_eq!((status, &answer["assistant"]), (200, &json!("mine")), "{answer}");
    let (status, answer) =
        post(&server.client(), "{\"message\": \"hi\", \"assistant\": \"counter\"}").await;
    assert_eq!(status, 400, "{answer}");
}

#[tokio::test]
async fn model_learns_of_an_added_component_in_the_next_round() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(says("はい")).says(says("はい"));
    let declared = |at: usize| talk.model.bodies()[at]["tools"].to_string();
    talk.answer(&json!({ "message": "やあ" })).await;
    assert!(declared(0).contains("\"echo\"") && !declared(0).contains("\"list_movies\""), "ILL-21");
    talk.server.folders.put("cinema", &component_bytes("cinema"));
    let client = talk.server.client();
    let offered = async {
        while !client.tools().await.iter().any(|it| it == "list_movies") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, offered).await.expect("it is offered");
    talk.answer(&json!({ "message": "やあ" })).await;
    assert!(declared(1).contains("\"list_movies\""), "ILL-21: {}", declared(1));
}
