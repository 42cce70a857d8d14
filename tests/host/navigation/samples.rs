//! The specification's literal samples, answered in the specified shape (NAV-1, NAV-15).

use serde_json::{Value, json};

use super::{navigate, post, serving};
use crate::specification::shape::lacks;

/// The literal specification.
const SPECIFICATION: &str = include_str!("../4-navigation.md");

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
    let mut asked = super::request_body("一番早い");
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
    let mut asked = super::request_body("一番早い");
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
