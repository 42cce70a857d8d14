//! Invalid fields are reported by name before anything runs (NAV-7).

use serde_json::{Value, json};

use super::{error, post, request_body, serving};

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
