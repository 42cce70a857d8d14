//! Navigation through REST (the literal `4-navigation.md`): sentences, routes, errors, streams.

mod failures;

use std::sync::{Arc, Mutex};

use futures::future::join_all;
use jiff::ToSpan;
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

// The five guideline phrases through the tools (NAV-51), the normal mode (NAV-18), and missing routes
// (NAV-8).

#[tokio::test(flavor = "multi_thread")]
async fn five_phrases_use_the_specified_tools() {
    let server = serving().await;
    let client = server.client();
    let mut all: Vec<Value> = Vec::new();
    for (phrase, tools) in [
        (
            "渋滞を避けて",
            json!([["route_search", { "alternatives": true, "departure_time": "now" }]]),
        ),
        ("高速使わない", json!([["route_search", { "avoid": ["highways"] }]])),
        ("一番早い", json!([["route_search", { "alternatives": true }]])),
        (
            "比較して",
            json!([
                ["route_search", { "alternatives": true }],
                ["distance_compare", { "origins": ["東京駅"], "destinations": ["横浜駅"] }],
            ]),
        ),
        ("右折少なめ", json!([["route_search", { "alternatives": true }]])),
    ] {
        let body = navigate(&client, phrase).await;
        let used = body["reasoning"]["toolsUsed"].as_array().unwrap();
        let used: Vec<_> = used
            .iter()
            .map(|call| {
                let mut params = call["params"].clone();
                for name in ["origin", "destination"] {
                    params.as_object_mut().unwrap().shift_remove(name);
                }
                assert!(call["reason"].as_str().is_some_and(|it| !it.is_empty()), "NAV-3: {call}");
                json!([call["name"], params])
            })
            .collect();
        assert_eq!(json!(used), tools, "NAV-51: {phrase}");
        let text = body["reasoning"]["message"].clone();
        assert!(!all.contains(&text), "NAV-51: {phrase} is a plan of its own: {text}");
        all.push(text);
        let route = &body["route"];
        assert!(route["polyline"].as_array().is_some_and(|it| it.len() > 10), "NAV-2: {phrase}");
        assert!(
            route["distance"]["value"].as_u64() > Some(20_000),
            "{phrase}: {}",
            route["distance"]
        );
        assert_eq!(route["duration"], route["durationInTraffic"], "NAV-X5: {phrase}");
    }
}

#[tokio::test]
async fn avoiding_motorways_is_another_route() {
    let server = serving().await;
    let client = server.client();
    let summary = async |phrase| navigate(&client, phrase).await["route"]["summary"].clone();
    assert_ne!(summary("高速使わない").await, summary("一番早い").await, "NAV-51, NAV-68");
}

#[tokio::test(flavor = "multi_thread")]
async fn same_question_has_same_answer_sixteen_times_at_once() {
    let server = serving().await;
    let client = server.client();
    let answers =
        join_all((0..16).map(|_| navigate(&client, "高速を使わないで一番早いルート"))).await;
    for answer in &answers {
        assert_eq!(answer["reasoning"]["toolsUsed"], answers[0]["reasoning"]["toolsUsed"]);
        assert_eq!(answer["route"]["summary"], answers[0]["route"]["summary"]);
    }
}

#[tokio::test]
async fn no_route_is_null_with_a_reason_and_a_history() {
    let server = serving().await;
    let client = server.client();
    for (destination, message) in [("どこにもない場所ぬぬぬ", "一番早い"), ("99.9,200", "no tolls")]
    {
        let mut asked = request_body(message);
        asked["destination"] = json!(destination);
        let (status, body) = post(&client, "/api/navigate", &asked).await;
        assert_eq!((status, &body["route"]), (200, &Value::Null), "NAV-8: {body}");
        assert!(body["reasoning"]["message"].as_str().is_some_and(|it| !it.is_empty()), "NAV-8");
        assert_eq!(body["conversationHistory"].as_array().unwrap().len(), 2, "NAV-4");
        assert_eq!(body["reasoning"]["toolsUsed"].as_array().unwrap().len(), 1, "NAV-3");
    }
}

#[tokio::test]
async fn a_walk_is_longer_than_a_drive() {
    let server = serving().await;
    let client = server.client();
    let seconds = async |message: &str| {
        let mut asked = request_body(message);
        asked["destination"] = json!("品川駅");
        let (_, body) = post(&client, "/api/navigate", &asked).await;
        body["route"]["duration"]["value"].as_u64().unwrap_or_else(|| panic!("{body}"))
    };
    assert!(seconds("歩いて").await > 2 * seconds("車で").await, "NAV-18");
}

#[tokio::test]
async fn explanation_is_in_the_callers_language() {
    let server = serving().await;
    let client = server.client();
    for (header, message, english) in [
        (Some("en-GB"), "一番早い", true),
        (Some("ja"), "the fastest", false),
        (None, "the fastest", true),
        (None, "一番早い", false),
    ] {
        let headers: Vec<_> = header.map(|it| ("accept-language", it)).into_iter().collect();
        let response =
            client.post("/api/navigate", &headers, request_body(message).to_string()).await;
        let body: Value = response.json().await.unwrap();
        let text = body["reasoning"]["message"].as_str().unwrap();
        assert_eq!(text.contains("built-in planner"), english, "{header:?} {message}: {text}");
    }
}

#[tokio::test]
async fn the_normal_mode_finds_routes_by_their_kind() {
    let server = serving().await;
    let client = server.client();
    let mut summaries = Vec::new();
    for (kind, mode) in [
        (json!(null), json!(null)),
        (json!("recommended"), json!("driving")),
        (json!("fastest"), json!("DRIVING")),
        (json!("shortest"), json!("driving")),
        (json!("cheapest"), json!("driving")),
        (json!("no_highways"), json!("driving")),
        (json!("no_tolls"), json!("driving")),
        (json!("no_ferries"), json!("driving")),
        (json!("fewest_right_turns"), json!("driving")),
        (json!("recommended"), json!("walking")),
        (json!("recommended"), json!("bicycling")),
    ] {
        let asked = json!({
            "origin": "東京駅", "destination": "横浜駅", "travelMode": mode, "routeType": kind,
        });
        let (status, body) = post(&client, "/api/route", &asked).await;
        assert_eq!((status, &body["mode"]), (200, &json!("normal")), "NAV-18: {body}");
        assert!(
            body["route"]["steps"].as_array().is_some_and(|it| !it.is_empty()),
            "NAV-18: {kind}"
        );
        assert_eq!(body.as_object().unwrap().len(), 2, "NAV-18: and nothing else: {kind}");
        summaries.push(body["route"]["summary"].clone());
    }
    assert_eq!(summaries[0], summaries[1], "NAV-18: recommended is what one gets");
    assert_ne!(summaries[2], summaries[5], "NAV-18: motorways are the fastest");
    let nowhere = json!({ "origin": "東京駅", "destination": "どこにもない場所ぬぬぬ" });
    let (status, body) = post(&client, "/api/route", &nowhere).await;
    assert_eq!((status, &body["route"]), (200, &Value::Null), "NAV-8: {body}");
    assert!(body["message"].is_string(), "NAV-8: {body}");
}

#[tokio::test]
async fn shortest_and_cheapest_are_right_and_stops_are_kept() {
    let server = serving().await;
    let client = server.client();
    let route = async |more: Value| {
        let mut asked = json!({ "origin": "渋谷駅", "destination": "横浜駅" });
        for (name, value) in more.as_object().unwrap() {
            asked[name] = value.clone();
        }
        let (status, body) = post(&client, "/api/route", &asked).await;
        assert_eq!(status, 200, "NAV-18: {body}");
        body["route"].clone()
    };
    let metres = |route: &Value| route["distance"]["value"].as_u64().unwrap();
    let fastest = route(json!({})).await;
    let shortest = route(json!({ "routeType": "shortest" })).await;
    assert!(metres(&shortest) < 27_000 && metres(&fastest) > 27_000, "{shortest}");
    let cheapest = route(json!({ "routeType": "cheapest" })).await;
    let no_tolls = route(json!({ "routeType": "no_tolls" })).await;
    assert!(metres(&cheapest) <= metres(&no_tolls), "a free road leads there: {cheapest}");
    let avoided = route(json!({ "avoid": ["Highways", "tolls"] })).await;
    let no_highways = route(json!({ "routeType": "no_highways", "avoid": ["tolls"] })).await;
    assert_eq!(
        (&avoided["summary"], metres(&avoided)),
        (&no_highways["summary"], metres(&no_highways))
    );
    assert_ne!(metres(&avoided), metres(&fastest), "{avoided}");
    let tomorrow = jiff::Timestamp::now() + 24.hours();
    for departure in [tomorrow.to_string(), "now".to_owned()] {
        assert!(route(json!({ "departureTime": departure })).await["steps"].is_array());
    }
    let via = route(json!({ "via": ["川崎駅"] })).await;
    let messages = via["steps"].as_array().unwrap().iter();
    assert!(messages.clone().any(|it| it["instruction"] == "川崎駅に到着"), "{via}");
    let there = jiff::Timestamp::now() + 24.hours();
    let by = route(json!({ "arrivalTime": there.to_string() })).await;
    let leaves: jiff::Timestamp = by["departureTime"].as_str().unwrap().parse().unwrap();
    let takes = by["duration"]["value"].as_i64().unwrap();
    assert!((there.as_second() - leaves.as_second() - takes).abs() <= 1, "{by}");
    let far = route(json!({ "destination": "35.4270,139.6800" })).await;
    assert!(far["warnings"][0].as_str().is_some_and(|it| it.contains("離れています")), "{far}");
    let (_, body) = post(
        &client,
        "/api/route",
        &json!({
            "origin": "渋谷駅", "destination": "35.5,139.85",
        }),
    )
    .await;
    assert!(body["message"].as_str().is_some_and(|it| it.contains("道路から")), "{body}");
    let sentence = |message: &str| {
        let mut asked = request_body(message);
        asked["origin"] = json!("渋谷駅");
        asked
    };
    let (_, body) = post(&client, "/api/navigate", &sentence("一番短い距離で")).await;
    assert_eq!(metres(&body["route"]), metres(&shortest), "NAV-51: {body}");
    let (_, body) = post(&client, "/api/navigate", &sentence("一番安いルートで")).await;
    let text = body["reasoning"]["message"].as_str().unwrap();
    assert!(text.contains("通行料金はかかりません"), "{text}");
    for (field, value) in [
        ("via", json!("川崎駅")),
        ("via", json!(vec!["川崎駅"; 11])),
        ("via", json!([""])),
        ("avoid", json!(["tolls", "hills"])),
        ("avoid", json!("tolls")),
        ("departureTime", json!("9 o'clock")),
        ("departureTime", json!("2020-01-01T09:00:00+09:00")),
        ("arrivalTime", json!("9 o'clock")),
        ("arrivalTime", json!("2020-01-01T09:00:00+09:00")),
        ("arrivalTime", json!("2999-01-01T09:00:00+09:00")),
    ] {
        let asked = json!({ "origin": "渋谷駅", "destination": "横浜駅", field: value });
        let (status, answer) = post(&client, "/api/route", &asked).await;
        assert_eq!((status, error(&answer)), (400, ("VALIDATION_ERROR", field)), "NAV-18");
    }
}
