//! Navigation through REST (the literal `4-navigation.md`): sentences, routes, errors, streams.

mod failures;
mod plans;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

use super::specification::lacks;
use failures::Google;

/// A server with the built-in map.
async fn serving() -> TestServer {
    TestServer::with(&["assistant", "navigation"]).await
}

/// `POST` of `body` to `path`: the status and the answer.
async fn post(client: &Client, path: &str, body: &Value) -> (u16, Value) {
    let response = client.post(path, &[], body.to_string()).await;
    let status = response.status().as_u16();
    (status, response.json().await.expect("every answer is JSON"))
}

/// The answer of `POST /api/navigate` to `message`, from 東京駅 to 横浜駅.
async fn navigate(client: &Client, message: &str) -> Value {
    let (status, body) = post(client, "/api/navigate", &request_body(message)).await;
    assert_eq!(status, 200, "{message}: {body}");
    body
}

fn request_body(message: &str) -> Value {
    json!({ "origin": "東京駅", "destination": "横浜駅", "message": message })
}

/// An error in the specified shape (NAV-10): its code and details.
fn error(body: &Value) -> (&str, &str) {
    let error = body["error"].as_object().unwrap_or_else(|| panic!("NAV-10: {body}"));
    assert_eq!(error.len(), 3, "NAV-10: {body}");
    assert!(error["message"].as_str().is_some_and(|it| !it.is_empty()), "NAV-10: {body}");
    (error["code"].as_str().unwrap(), error["details"].as_str().unwrap())
}

// Invalid fields are reported by name before anything runs (NAV-7).

fn with(field: &str, value: Value) -> Value {
    let mut asked = request_body("一番早い");
    asked[field] = value;
    asked
}

fn entries(history: Value) -> Value {
    with("conversationHistory", history)
}

#[tokio::test]
async fn names_each_invalid_field() {
    let server = serving().await;
    let client = server.client();
    let entry = json!({ "role": "user", "content": "a" });
    for (body, field) in [
        (json!({}), "origin"),
        (with("origin", json!("")), "origin"),
        (with("origin", json!(" \n　")), "origin"),
        (with("origin", json!(7)), "origin"),
        (with("origin", json!(null)), "origin"),
        (with("origin", json!(["東京駅"])), "origin"),
        (with("origin", json!("あ".repeat(201))), "origin"),
        (with("destination", json!("x".repeat(1 << 20))), "destination"),
        (with("destination", json!({})), "destination"),
        (with("message", json!("")), "message"),
        (with("message", json!("あ".repeat(2_001))), "message"),
        (entries(json!("x")), "conversationHistory"),
        (entries(json!(vec![entry.clone(); 1_001])), "conversationHistory"),
        (entries(json!([entry, 7])), "conversationHistory[1]"),
        (entries(json!([{ "content": "a" }])), "conversationHistory[0].role"),
        (entries(json!([{ "role": "system", "content": "a" }])), "conversationHistory[0].role"),
        (entries(json!([{ "role": "user" }])), "conversationHistory[0].content"),
        (entries(json!([{ "role": "user", "content": 1 }])), "conversationHistory[0].content"),
    ] {
        let (status, answer) = post(&client, "/api/navigate", &body).await;
        assert_eq!(status, 400, "NAV-7: {field}: {answer}");
        assert_eq!(error(&answer), ("VALIDATION_ERROR", field), "NAV-7");
    }
    for (field, value) in [("travelMode", "flying"), ("routeType", "scenic")] {
        let (status, answer) = post(&client, "/api/route", &with(field, json!(value))).await;
        assert_eq!((status, error(&answer)), (400, ("VALIDATION_ERROR", field)), "NAV-18");
    }
    let (status, answer) = post(&client, "/api/route", &json!({ "origin": "東京駅" })).await;
    assert_eq!((status, error(&answer)), (400, ("VALIDATION_ERROR", "destination")), "NAV-18");
}

#[tokio::test]
async fn accepts_limit_values_and_ignores_unknown_fields() {
    let server = serving().await;
    let client = server.client();
    let long = "高".repeat(2_000);
    for body in [
        with("message", json!(long)),
        with("origin", json!("　東京駅 \n")),
        with("colour", json!("blue")),
        entries(json!(null)),
        entries(json!([])),
        entries(json!([{ "role": "assistant", "content": "" }])),
        with("message", json!("</script><script>alert(1)</script>\u{0}\u{202e}")),
    ] {
        let (status, answer) = post(&client, "/api/navigate", &body).await;
        assert_eq!(status, 200, "NAV-7: {answer}");
        assert!(answer["route"].is_object(), "NAV-7: {answer}");
    }
}

#[tokio::test]
async fn rejects_body_that_is_no_object_or_too_long() {
    let server = serving().await;
    let client = server.client();
    for (body, status) in [
        (String::new(), 400),
        ("{".to_owned(), 400),
        ("[]".to_owned(), 400),
        ("\"a\"".to_owned(), 400),
        ("{\"origin\":\"\u{7f}\"".to_owned(), 400),
        ("[".repeat(100_000), 400),
        (with("message", json!("x".repeat(5 << 20))).to_string(), 413),
    ] {
        for path in ["/api/navigate", "/api/route"] {
            let response = client.post(path, &[], body.clone()).await;
            assert_eq!(response.status().as_u16(), status, "NAV-7: {path}");
            let answer: Value = response.json().await.unwrap();
            assert_eq!(error(&answer), ("VALIDATION_ERROR", "body"), "NAV-7");
        }
    }
    let response = client.get("/api/navigate").await;
    assert_eq!(response.status(), 405);
}

#[tokio::test]
async fn reports_errors_in_callers_language_before_a_stream_begins() {
    let server = serving().await;
    let client = server.client();
    let message = async |headers: &[(&str, &str)]| {
        let response = client.post("/api/navigate", headers, "{}").await;
        assert_eq!(response.status(), 400, "NAV-9");
        assert_eq!(response.headers()["content-type"], "application/json", "NAV-9");
        let body: Value = response.json().await.unwrap();
        body["error"]["message"].as_str().unwrap().to_owned()
    };
    assert!(message(&[]).await.contains("文字列"));
    assert!(message(&[("accept-language", "en")]).await.contains("must be a string"));
    message(&[("accept", "text/event-stream")]).await;
}

// `services.googleMaps` in health (NAV-15): the state of the last request, without a request of its own.

async fn health(server: &TestServer) -> Value {
    server.client().get("/api/health").await.json().await.unwrap()
}

/// Waits for this status in health, which is refreshed in the background.
async fn until_health_is(server: &TestServer, status: &str) -> Value {
    let mut last = Value::Null;
    tests::until(&format!("NAV-15: never {status}"), async || {
        last = health(server).await;
        last["services"]["googleMaps"] == status
    })
    .await;
    last
}

#[tokio::test]
async fn the_built_in_map_is_no_provider_and_degrades_nothing() {
    let server = serving().await;
    navigate(&server.client(), "一番早い").await;
    let health = until_health_is(&server, "not_configured").await;
    assert_eq!(health["status"], "ok", "NAV-15");
    assert_eq!(health["services"]["mcpServer"], "running", "NAV-15");
    assert!(health["tools"].as_array().unwrap().contains(&json!("route_search")), "NAV-15");
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_is_connected_until_it_fails_and_again_once_it_works() {
    let reply = Arc::new(Mutex::new(Some(json!({ "status": "ZERO_RESULTS", "routes": [] }))));
    let google = Google::start(reply.clone()).await;
    let server = google.serving().await;
    assert_eq!(until_health_is(&server, "connected").await["status"], "ok", "NAV-15");
    *reply.lock().unwrap() = Some(json!({ "status": "REQUEST_DENIED" }));
    // Others than before: answers are kept for a while.
    let mut other = request_body("一番早い");
    other["origin"] = json!("品川駅");
    assert_eq!(post(&server.client(), "/api/navigate", &other).await.0, 500, "NAV-40");
    assert_eq!(until_health_is(&server, "error").await["status"], "degraded", "NAV-15");
    *reply.lock().unwrap() = Some(json!({ "status": "ZERO_RESULTS", "routes": [] }));
    assert_eq!(post(&server.client(), "/api/navigate", &request_body("一番早い")).await.0, 200);
    assert_eq!(until_health_is(&server, "connected").await["status"], "ok", "NAV-15");
}

// The specification's literal samples, answered in the specified shape (NAV-1, NAV-15).

/// The literal specification.
const SPECIFICATION: &str = include_str!("4-navigation.md");

/// The JSON after the first heading with this text.
fn sample(heading: &str) -> Value {
    let part = SPECIFICATION.split_once(heading).expect("the heading is there").1;
    let block = part.split_once("```json\n").expect("a block begins").1;
    let block = block.split_once("```").expect("a block ends").0;
    let lines: Vec<_> = block.lines().filter(|it| it.trim() != "...").collect();
    let json = lines.join("\n").replace("},\n    ],", "}\n    ],");
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{heading}: {error}: {json}"))
}

#[tokio::test]
async fn sample_request_gets_the_sample_response_shape() {
    let server = serving().await;
    let (request, response) = (sample("#### リクエスト"), sample("#### レスポンス（成功: 200）"));
    let (status, body) = post(&server.client(), "/api/navigate", &request).await;
    assert_eq!(status, 200, "NAV-1: {body}");
    let mut expected = response.clone();
    // Which of the sample's parameters are there, the sentence says (NAV-X4).
    expected["reasoning"]["toolsUsed"][0]["params"] =
        json!({ "origin": "", "destination": "", "alternatives": true, "departure_time": "" });
    let lacking = lacks(&expected, &body, "");
    assert!(lacking.is_empty(), "NAV-1: {lacking:#?}");
    let point = &body["route"]["polyline"][0];
    let near = |name: &str, at: f64| (point[name].as_f64().unwrap() - at).abs() < 0.05;
    assert!(near("lat", 35.68) && near("lng", 139.77), "NAV-2: {point}");
    let history = body["conversationHistory"].as_array().unwrap();
    assert_eq!(history.len(), 2, "NAV-5: the sample's question is there already");
    assert_eq!(history[0], response["conversationHistory"][0], "NAV-4");
    assert_eq!(history[1]["content"], body["reasoning"]["message"], "NAV-4");
    let used = &body["reasoning"]["toolsUsed"][0];
    assert_eq!(used["params"]["departure_time"], "now", "NAV-3: {used}");
}

#[tokio::test]
async fn health_has_the_fields_of_its_sample() {
    let server = serving().await;
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    let lacking = lacks(&sample("### 2.3 GET /api/health"), &health, "");
    assert!(lacking.is_empty(), "NAV-15: {lacking:#?}");
}

#[tokio::test]
async fn error_has_the_fields_of_its_sample() {
    let server = serving().await;
    let (status, body) = post(&server.client(), "/api/navigate", &json!({})).await;
    assert_eq!(status, 400, "NAV-10");
    let lacking = lacks(&sample("#### レスポンス（エラー"), &body, "");
    assert!(lacking.is_empty(), "NAV-10: {lacking:#?}");
}

#[tokio::test]
async fn history_grows_by_question_and_answer_and_is_used() {
    let server = serving().await;
    let client = server.client();
    let first = navigate(&client, "高速使わない").await;
    let mut asked = request_body("一番早い");
    asked["conversationHistory"] = first["conversationHistory"].clone();
    let (_, second) = post(&client, "/api/navigate", &asked).await;
    let history = second["conversationHistory"].as_array().unwrap();
    assert_eq!(history.len(), 4, "NAV-4");
    assert_eq!(history[..2], first["conversationHistory"].as_array().unwrap()[..], "NAV-4");
    assert_eq!(history[2], json!({ "role": "user", "content": "一番早い" }), "NAV-4");
    let params = &second["reasoning"]["toolsUsed"][0]["params"];
    assert_eq!(params["avoid"], json!(["highways"]), "NAV-66: {params}");
    assert_eq!(params["alternatives"], true, "NAV-51: {params}");
}

#[tokio::test]
async fn counts_last_twenty_entries_of_long_history_and_returns_all() {
    let server = serving().await;
    let entry = |content: &str| json!({ "role": "user", "content": content });
    let mut asked = request_body("一番早い");
    for (at, holds) in [(0, false), (5, true)] {
        let mut history = vec![entry("ありがとう"); 24];
        history[at] = entry("高速使わない");
        asked["conversationHistory"] = json!(history);
        let (status, body) = post(&server.client(), "/api/navigate", &asked).await;
        assert_eq!(status, 200, "NAV-5: {body}");
        assert_eq!(body["conversationHistory"].as_array().unwrap().len(), 26, "NAV-4");
        let avoid = &body["reasoning"]["toolsUsed"][0]["params"]["avoid"];
        assert_eq!(avoid.is_array(), holds, "NAV-5: entry {at} of 24");
    }
}

// Callers without the tools' scope get no route but the name of the missing scope.

const MAY: &str = "mdg_may-search";

const MAY_NOT: &str = "mdg_may-not";

#[tokio::test]
async fn names_the_scope_to_a_caller_lacking_it_and_answers_others() {
    let folders = Folders::new();
    for name in ["assistant", "navigation"] {
        folders.put(name, &component_bytes(name));
    }
    let entry = |name: &str, token: &str, scope: &str| {
        let digest = host::digest::digest(token.as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['{scope}']\n")
    };
    let lines = entry("ann", MAY, "tool:route_search") + &entry("ben", MAY_NOT, "tool:geocode");
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let ask = async |token: &str| {
        let asked = request_body("比較して").to_string();
        server.client_with(token).post("/api/navigate", &[], asked).await
    };
    let refused = ask(MAY_NOT).await;
    assert_eq!(refused.status(), 403);
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap().to_owned();
    assert!(challenge.contains("scope=\"tool:route_search\""), "{challenge}");
    let body: Value = refused.json().await.unwrap();
    assert_eq!(error(&body), ("FORBIDDEN", "tool:route_search"), "NAV-10");
    let answered = ask(MAY).await;
    assert_eq!(answered.status(), 200);
    let body: Value = answered.json().await.unwrap();
    let used = body["reasoning"]["toolsUsed"].as_array().unwrap();
    assert_eq!(used.len(), 1, "what the caller may not call is not planned: {used:?}");
    let unknown =
        server.client().post("/api/navigate", &[], request_body("比較して").to_string()).await;
    assert_eq!(unknown.status(), 401);
}

// Map tiles of the operator's choice: announced to the page, and allowed by its policy as pictures alone.

async fn policy(server: &TestServer) -> String {
    let response = server.client().get("/").await;
    response.headers()["content-security-policy"].to_str().unwrap().to_owned()
}

async fn page(server: &TestServer) -> Value {
    let response = server.client().get("/api/page").await;
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

/// A server with these lines, and no origin for the apps of others.
async fn serve(lines: &str) -> TestServer {
    let folders = Folders::new();
    let config = folders.config_with(&format!("{lines}[apps]\naddr = false\n"));
    TestServer::start(folders, |it| *it = config).await
}

#[tokio::test]
async fn informs_page_of_missing_tiles_and_admits_no_other_origin() {
    let server = serve("").await;
    assert_eq!(page(&server).await, json!({ "tiles": null }));
    assert!(!policy(&server).await.contains("http"), "{}", policy(&server).await);
}

#[tokio::test]
async fn informs_page_of_tiles_and_admits_their_origin_for_pictures() {
    let server = serve(
        "[page.tiles]\nurl = 'https://tiles.example:8443/{z}/{x}/{y}.png'\n\
         attribution = '© Everybody'\nmax_zoom = 18\n",
    )
    .await;
    let tiles = json!({
        "url": "https://tiles.example:8443/{z}/{x}/{y}.png",
        "attribution": "© Everybody",
        "maxZoom": 18,
    });
    assert_eq!(page(&server).await, json!({ "tiles": tiles }));
    let with = policy(&server).await;
    let without = policy(&serve("").await).await;
    assert!(with.contains("img-src 'self' data: blob: https://tiles.example:8443;"), "{with}");
    assert_eq!(with.replace(" https://tiles.example:8443", ""), without);
}
