//! `services.googleMaps` in health (NAV-15): the state of the last request, without a request of its own.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tests::server::TestServer;

use super::{failures::Google, post, request_body, serving};

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
    super::navigate(&server.client(), "一番早い").await;
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
