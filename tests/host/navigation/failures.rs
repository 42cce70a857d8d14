//! Failures outside become the specified errors (NAV-10, NAV-40), and the response as events (NAV-9).

use std::sync::{Arc, Mutex};

use axum::{Json, Router, routing::get};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};
use tokio::{net::TcpListener, sync::Semaphore};

use super::{error, navigate, request_body, serving};

/// A fake Google that only returns statuses.
pub(super) struct Google {
    port: u16,
    requested: Arc<Semaphore>,
    hung_up: Arc<Semaphore>,
}

/// Adds a permit when it is dropped with its caller.
struct Gone(Arc<Semaphore>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl Google {
    /// A Google that answers every request like this.
    pub(super) async fn answering(answer: Value) -> Self {
        Self::start(Arc::new(Mutex::new(Some(answer)))).await
    }

    /// A Google that never answers.
    pub(super) async fn silent() -> Self {
        Self::start(Arc::default()).await
    }

    pub(super) async fn start(answer: Arc<Mutex<Option<Value>>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let (requested, hung_up) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let (asks, goes) = (requested.clone(), hung_up.clone());
        let answer = move || {
            let (answer, asks, gone) = (answer.clone(), asks.clone(), Gone(goes.clone()));
            async move {
                asks.add_permits(1);
                let answer = answer.lock().expect("no test panics while it serves").clone();
                let answer = match answer {
                    Some(answer) => answer,
                    None => std::future::pending().await,
                };
                drop(gone);
                Json(answer)
            }
        };
        let router = Router::new().fallback(get(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { port, requested, hung_up }
    }

    /// A server that uses it.
    pub(super) async fn serving(&self) -> TestServer {
        let folders = Folders::new();
        for name in ["assistant", "navigation"] {
            folders.put(name, &component_bytes(name));
        }
        let port = self.port;
        let config = folders.config_with(&format!(
            "[components.navigation.settings]\nprovider = 'google-legacy'\n\
             google_url = 'http://127.0.0.1:{port}'\n\
             [[components.navigation.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {port}\nprivate = true\n"
        ));
        TestServer::start(folders, |it| *it = config).await
    }

    /// Waits for a request.
    pub(super) async fn until_requested(&self) {
        within(&self.requested).await;
    }

    /// Waits until the request has ended.
    pub(super) async fn until_hung_up(&self) {
        within(&self.hung_up).await;
    }
}

/// Takes one permit within a time limit.
async fn within(permits: &Semaphore) {
    let one = tokio::time::timeout(tests::PATIENCE, permits.acquire()).await;
    one.expect("it happens").expect("it is never closed").forget();
}

/// The provider's status and the expected answer: status, code, details, retry.
#[tokio::test(flavor = "multi_thread")]
async fn maps_every_provider_status() {
    for (expected, status, code, details, comes_back) in [
        ("OVER_QUERY_LIMIT", 503, "GOOGLE_MAPS_ERROR", "OVER_QUERY_LIMIT", true),
        ("OVER_DAILY_LIMIT", 503, "GOOGLE_MAPS_ERROR", "OVER_QUERY_LIMIT", true),
        ("REQUEST_DENIED", 500, "INTERNAL_ERROR", "REQUEST_DENIED", false),
        ("UNKNOWN_ERROR", 502, "GOOGLE_MAPS_ERROR", "UNKNOWN_ERROR", false),
        ("SOMETHING_NEW", 502, "GOOGLE_MAPS_ERROR", "UNKNOWN_ERROR", false),
    ] {
        let google = Google::answering(json!({ "status": expected })).await;
        let server = google.serving().await;
        for path in ["/api/navigate", "/api/route"] {
            let response =
                server.client().post(path, &[], request_body("一番早い").to_string()).await;
            assert_eq!(response.status().as_u16(), status, "NAV-40: {expected}");
            let retry = response.headers().contains_key("retry-after");
            assert_eq!(retry, comes_back, "NAV-40: {expected}");
            let body: Value = response.json().await.unwrap();
            assert_eq!(error(&body), (code, details), "NAV-10, NAV-40: {expected}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn correctable_requests_get_a_hint_and_no_error() {
    for part in ["ZERO_RESULTS", "NOT_FOUND", "INVALID_REQUEST", "MAX_ROUTE_LENGTH_EXCEEDED"] {
        let google = Google::answering(json!({ "status": part, "routes": [] })).await;
        let server = google.serving().await;
        let body = navigate(&server.client(), "一番早い").await;
        assert_eq!(body["route"], Value::Null, "NAV-8, NAV-40: {part}");
        assert!(body["reasoning"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{part}");
    }
}

#[tokio::test]
async fn reports_the_missing_component() {
    let server = TestServer::with(&["assistant", "cinema"]).await;
    let (status, body) =
        super::post(&server.client(), "/api/navigate", &request_body("一番早い")).await;
    assert_eq!((status, &body["error"]), (404, &json!("not_found")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("/api/health"), "{body}");
}

#[tokio::test]
async fn unlisted_assistant_is_not_called() {
    let folders = Folders::new();
    for name in ["assistant", "navigation"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |config| {
        let navigation = config.components.get_mut("navigation").expect("it is bundled");
        navigation.asks = Some(["illustrations".to_owned()].into());
    })
    .await;
    let (status, body) =
        super::post(&server.client(), "/api/navigate", &request_body("一番早い")).await;
    assert_eq!(status, 503, "{body}");
    assert!(error(&body).1.contains("may not ask the assistant navigation"), "{body}");
}

// The response as events (NAV-9): ordered, complete, and ended with its client.

/// All events of a stream, by name and data.
async fn events(client: &Client, path: &str, body: &Value) -> Vec<(String, Value)> {
    let accept = [("accept", "text/event-stream")];
    let response = client.post(path, &accept, body.to_string()).await;
    assert_eq!(response.status(), 200, "NAV-9");
    assert_eq!(response.headers()["content-type"], "text/event-stream", "NAV-9");
    let text = response.text().await.expect("the stream ends by itself");
    let read = |event: &str| {
        let field =
            |name: &str| event.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
        Some((field("event")?.to_owned(), serde_json::from_str(field("data")?).unwrap()))
    };
    text.split("\n\n").filter_map(read).collect()
}

fn names(events: &[(String, Value)]) -> Vec<&str> {
    let mut names: Vec<_> = events.iter().map(|it| it.0.as_str()).collect();
    names.dedup();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_in_order_and_end_with_the_plain_response() {
    let server = serving().await;
    let client = server.client();
    let events = events(&client, "/api/navigate", &request_body("比較して")).await;
    let mut order = names(&events);
    // Two tools run at once: it does not matter which answers first.
    order.retain(|it| *it != "status");
    order.dedup();
    assert_eq!(order, ["tool_call", "tool_result", "reasoning_delta", "done"], "NAV-9");
    let of =
        |name: &str| events.iter().filter(|it| it.0 == name).map(|it| &it.1).collect::<Vec<_>>();
    let states: Vec<_> =
        of("status").iter().map(|it| (it["state"].clone(), it["tool"].clone())).collect();
    let running = |tool: &str| (json!("running"), json!(tool));
    let thinking = || (json!("thinking"), Value::Null);
    let expected = [thinking(), running("route_search"), running("distance_compare"), thinking()];
    assert_eq!(states, expected, "NAV-9");
    assert_eq!(of("status")[1]["message"], "route_searchを実行中...", "NAV-9");
    let done = of("done")[0];
    let used = done["reasoning"]["toolsUsed"].as_array().unwrap();
    for (call, used) in of("tool_call").iter().zip(used) {
        assert_eq!(
            (&call["name"], &call["params"], &call["reason"]),
            (&used["name"], &used["params"], &used["reason"]),
            "NAV-9"
        );
    }
    for result in of("tool_result") {
        assert_eq!(result["isError"], false, "NAV-9: {result}");
        assert!(
            result["ms"].is_u64() && result["result"].is_object() && result["meta"].is_object()
        );
    }
    let deltas: String =
        of("reasoning_delta").iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(deltas, done["reasoning"]["message"], "NAV-9");
    let mut plain = navigate(&client, "比較して").await;
    plain["selected"] = done["selected"].clone();
    assert_eq!(plain["reasoning"]["toolsUsed"], done["reasoning"]["toolsUsed"], "NAV-9");
    assert_eq!(plain["route"]["summary"], done["route"]["summary"], "NAV-9");
}

#[tokio::test]
async fn chosen_index_matches_the_route_in_the_result() {
    let server = serving().await;
    let events = events(&server.client(), "/api/navigate", &request_body("一番早い")).await;
    let of = |name: &str| events.iter().find(|it| it.0 == name).map(|it| &it.1).unwrap();
    let (done, result) = (of("done"), of("tool_result"));
    assert_eq!(done["selected"]["toolCall"], result["id"], "NAV-6");
    let index = usize::try_from(done["selected"]["index"].as_u64().unwrap()).unwrap();
    let (route, chosen) = (&result["result"]["routes"][index], &done["route"]);
    assert_eq!(
        (&route["summary"], &route["distance"]),
        (&chosen["summary"], &chosen["distance"]),
        "NAV-6"
    );
    assert_eq!(route["steps"].as_array().unwrap().len(), chosen["steps"].as_array().unwrap().len());
    let line = polyline::decode_polyline(route["polyline"].as_str().unwrap(), 5).unwrap();
    assert_eq!(line.0.len(), chosen["polyline"].as_array().unwrap().len(), "NAV-2");
}

#[tokio::test]
async fn normal_mode_streams_and_finding_nothing_is_no_error() {
    let server = serving().await;
    let client = server.client();
    let found = events(&client, "/api/route", &request_body("")).await;
    let (name, done) = found.last().unwrap();
    assert_eq!((name.as_str(), &done["mode"]), ("done", &json!("normal")), "NAV-18");
    let mut nowhere = request_body("一番早い");
    nowhere["destination"] = json!("どこにもない場所ぬぬぬ");
    let events = events(&client, "/api/navigate", &nowhere).await;
    let result = &events.iter().find(|it| it.0 == "tool_result").unwrap().1;
    assert_eq!((&result["isError"], &result["result"]), (&json!(true), &Value::Null), "NAV-55");
    assert!(result["text"].is_string(), "NAV-55: {result}");
    let (name, done) = events.last().unwrap();
    assert_eq!(
        (name.as_str(), &done["route"], &done["selected"]),
        ("done", &Value::Null, &Value::Null),
        "NAV-8"
    );
}

#[tokio::test]
async fn error_is_last_event_with_the_status_of_the_plain_answer() {
    let google = Google::answering(json!({ "status": "OVER_QUERY_LIMIT" })).await;
    let server = google.serving().await;
    let events = events(&server.client(), "/api/navigate", &request_body("一番早い")).await;
    let (name, error) = events.last().unwrap();
    assert_eq!((name.as_str(), &error["status"]), ("error", &json!(503)), "NAV-9, NAV-40");
    assert_eq!(error["error"]["code"], "GOOGLE_MAPS_ERROR", "NAV-10");
    assert!(error["retryAfter"].is_u64(), "NAV-40: {error}");
    assert!(!names(&events).contains(&"done"), "NAV-9");
}

#[tokio::test]
async fn disconnecting_client_ends_the_calls_of_its_stream() {
    let google = Google::silent().await;
    let server: TestServer = google.serving().await;
    let accept = [("accept", "text/event-stream")];
    let client = server.client();
    let response =
        client.post("/api/navigate", &accept, request_body("一番早い").to_string()).await;
    google.until_requested().await;
    drop(response);
    // NAV-9: the call's own request is given up.
    google.until_hung_up().await;
}
