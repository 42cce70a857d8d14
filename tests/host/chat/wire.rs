//! The exact request and response of `/api/chat`, and the same as events.

use serde_json::{Value, json};
use tests::{
    component_bytes,
    fake_models::{Course, Reply},
    server::{Folders, TestServer},
};

use super::{Talk, calls, events, post, says};

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
    assert!(!text.contains(tests::fake_models::gemini::KEY), "no key in it");
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
